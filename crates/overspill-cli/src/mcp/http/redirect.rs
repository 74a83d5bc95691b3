//! Follows redirects of a server, but only within its origin.
//!
//! Each request carries the session and the user's headers, which may be credentials. A redirect
//! must not hand them to another server.

use std::time::{Duration, Instant};

use ureq::http::{Error as HttpError, Method, Request, Response, Uri};
use ureq::{Agent, AsSendBody, Body};

use crate::ui;

/// The largest number of redirects that one request follows.
const MOST_REDIRECTS: usize = 5;
/// The largest number of columns of an address that an error shows.
const SHOWN_ADDRESS: usize = 200;

/// The reason why a request got no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// overspill does not follow a redirect of the server.
    #[error("{0}")]
    Redirect(String),
    #[error("{0}")]
    Request(#[from] ureq::Error),
}

/// A request that can be sent again to another address of the same origin.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) method: Method,
    pub(super) url: &'a str,
    pub(super) headers: &'a [(String, String)],
    pub(super) body: Option<&'a [u8]>,
    /// The time for all redirects together.
    pub(super) timeout: Option<Duration>,
}

impl Call<'_> {
    /// Sends the request and follows redirects. The agent itself must follow no redirects.
    pub(super) fn send(&self, agent: &Agent) -> Result<Response<Body>, Failed> {
        let mut uri = Uri::try_from(self.url).map_err(|error| failed(error.into()))?;
        let since = Instant::now();
        for _ in 0..=MOST_REDIRECTS {
            let response = self.send_to(agent, &uri, since)?;
            let status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let location = response.headers().get("location");
            let location = location.and_then(|location| location.to_str().ok());
            let location = location.and_then(|location| resolve(&uri, location));
            let Some(location) = location else {
                return Err(Failed::Redirect(format!(
                    "the server answered with HTTP status {status}, but without a valid Location"
                )));
            };
            uri = followed(&self.method, status, &uri, location).map_err(Failed::Redirect)?;
        }
        let reason =
            format!("more than {MOST_REDIRECTS} redirects, the last one to {}", shown(&uri));
        Err(Failed::Redirect(reason))
    }

    fn send_to(&self, agent: &Agent, uri: &Uri, since: Instant) -> Result<Response<Body>, Failed> {
        let mut request = Request::builder().method(self.method.clone()).uri(uri.clone());
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let timeout = self.timeout.map(|all| all.saturating_sub(since.elapsed()));
        match self.body {
            Some(body) => run(agent, request.body(body), timeout),
            None => run(agent, request.body(()), timeout),
        }
    }
}

fn run<S: AsSendBody>(
    agent: &Agent,
    request: Result<Request<S>, HttpError>,
    timeout: Option<Duration>,
) -> Result<Response<Body>, Failed> {
    let request = request.map_err(failed)?;
    let response = match timeout {
        None => agent.run(request),
        timeout => agent.run(agent.configure_request(request).timeout_global(timeout).build()),
    };
    Ok(response?)
}

fn failed(error: HttpError) -> Failed {
    Failed::Request(error.into())
}

/// Returns `to` if overspill may follow a redirect from `from` to it; otherwise returns the reason.
fn followed(method: &Method, status: u16, from: &Uri, to: Uri) -> Result<Uri, String> {
    check_origin(from, &to)?;
    // Clients repeat such a request as a GET, which would lose the message.
    if matches!(status, 301..=303) && *method != Method::GET {
        let to = shown(&to);
        return Err(format!(
            "the server answered with HTTP status {status}, a redirect to {to} that does not keep the \
             {method} request\n\nhint: use the new address directly: --http {to}"
        ));
    }
    Ok(to)
}

/// Returns the reason why overspill sends nothing to `to`, if `to` has another origin than `from`.
pub(super) fn check_origin(from: &Uri, to: &Uri) -> Result<(), String> {
    if origin(from).is_some() && origin(from) == origin(to) {
        return Ok(());
    }
    let (server, to) = (address(from, ""), shown(to));
    Err(format!(
        "the server at {server} sends overspill to another origin, {to}; your headers are not sent \
         there\n\nhint: if you trust the new address, use it directly: --http {to}"
    ))
}

/// Returns scheme, host and port.
fn origin(uri: &Uri) -> Option<(String, String, u16)> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let usual = match &*scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    Some((scheme, uri.host()?.to_ascii_lowercase(), uri.port_u16().unwrap_or(usual)))
}

/// Returns an address without user, password and query, which may be secrets.
fn shown(uri: &Uri) -> String {
    address(uri, uri.path())
}

fn address(uri: &Uri, path: &str) -> String {
    let port = uri.port().map_or_else(String::new, |port| format!(":{port}"));
    let (scheme, host) = (uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default());
    ui::short(&format!("{scheme}://{host}{port}{path}"), SHOWN_ADDRESS)
}

/// Resolves a reference that was found at `base`, by RFC 3986. Returns `None` if the reference is
/// invalid.
pub(super) fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let reference = reference.split('#').next().unwrap_or_default();
    let is_scheme = |text: &str| {
        let is_part = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
        !text.is_empty() && text.chars().all(is_part)
    };
    let scheme = base.scheme_str()?;
    let text = if reference.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
        reference.to_owned()
    } else if reference.starts_with("//") {
        format!("{scheme}:{reference}")
    } else {
        let (path, query) = match reference.find('?') {
            Some(at) => reference.split_at(at),
            None => (reference, ""),
        };
        let directory = base.path().rsplit_once('/').map_or("", |(directory, _)| directory);
        let path = match path {
            "" => base.path().to_owned(),
            path if path.starts_with('/') => without_dots(path),
            path => without_dots(&format!("{directory}/{path}")),
        };
        format!("{scheme}://{}{path}{query}", base.authority()?)
    };
    let uri: Uri = text.parse().ok()?;
    (uri.scheme().is_some() && uri.host().is_some()).then_some(uri)
}

/// Resolves `.` and `..` in an absolute path.
fn without_dots(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        parts.push("");
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn resolve_follows_rfc_3986() {
        for (reference, expected) in [
            ("/x", "http://h:1/x"),
            ("x", "http://h:1/a/x"),
            ("../x?q=/y", "http://h:1/x?q=/y"),
            ("../../../x", "http://h:1/x"),
            ("./", "http://h:1/a/"),
            ("..", "http://h:1/"),
            ("?q=2", "http://h:1/a/b?q=2"),
            ("//other/x", "http://other/x"),
            ("https://other/x#part", "https://other/x"),
        ] {
            let found = resolve(&uri("http://h:1/a/b?q=1"), reference);
            assert_eq!(found, Some(uri(expected)), "{reference}");
        }
        for reference in ["mailto:x", "http://", "http:///x", "http://a b/"] {
            assert_eq!(resolve(&uri("http://h/"), reference), None, "{reference}");
        }
    }

    #[test]
    fn check_origin_compares_scheme_host_and_port() {
        for (from, to) in [
            ("http://h/a", "http://h:80/b"),
            ("https://h/a", "https://H:443/b"),
            ("http://h:8/a", "http://h:8/b?c"),
        ] {
            assert_eq!(check_origin(&uri(from), &uri(to)), Ok(()), "{from} {to}");
        }
        for (from, to) in [
            ("https://h/", "http://h/"),
            ("http://h/", "https://h/"),
            ("https://h/", "https://h:80/"),
            ("http://h/", "http://h.evil/"),
            ("http://h/", "http://h@evil/"),
            ("http://h/", "http://h:80@evil/"),
            ("http://127.0.0.1/", "http://localhost/"),
            ("ftp://h/", "ftp://h/"),
        ] {
            let said = check_origin(&uri(from), &uri(to)).unwrap_err();
            assert!(said.contains("another origin") && said.contains("hint: "), "{said}");
        }
    }

    #[test]
    fn errors_name_no_credentials_of_an_address() {
        let said = check_origin(&uri("http://me:pass@h/"), &uri("http://you:word@i/x?token=t"));
        let said = said.unwrap_err();
        assert!(said.contains("http://h ") && said.contains("http://i/x;"), "{said}");
        assert!(!said.contains("pass") && !said.contains("word") && !said.contains("token"));
    }
}
