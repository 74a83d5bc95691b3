//! Decides who may send requests to the server. It checks the head of a request before the server
//! reads the body.

use hyper::header::{AUTHORIZATION, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Request, StatusCode, Uri};

use super::page_access::PageAccess;
use super::reply::{Refusal, Reply};
use super::token::BearerToken;

/// The host names by which programs on this machine reach the server.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The rule that decides who may send requests.
#[derive(Debug)]
pub(crate) enum Guard {
    /// Allows programs that send a token.
    Bearer {
        token: BearerToken,
        /// Tells whether only this machine reaches the address of the server.
        is_loopback: bool,
    },
    /// Allows one browser.
    Page(PageAccess),
}

impl Guard {
    /// Refuses a request, returns an answer to it, or returns `None` if the site must answer.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<Option<Reply>, Refusal> {
        match self {
            Guard::Bearer { token, is_loopback } => bearer(token, *is_loopback, request),
            Guard::Page(access) => access.check(request),
        }
    }
}

/// Refuses a request without the token, or for or from another host.
///
/// A web page can have a host name that points to this machine (DNS rebinding). So `Host` must be a
/// local name, and also the `Origin` that browsers send.
fn bearer<B>(
    token: &BearerToken,
    is_loopback: bool,
    request: &Request<B>,
) -> Result<Option<Reply>, Refusal> {
    let headers = request.headers();
    let origins = headers.get_all(ORIGIN).iter();
    if !origins
        .map(uri)
        .all(|origin| origin.is_some_and(|it| it.scheme().is_some() && is_local(&it)))
    {
        return Err(Refusal(StatusCode::FORBIDDEN, "the server refuses requests from this origin"));
    }
    if is_loopback {
        let host = only(headers, HOST).and_then(uri);
        let is_named = host.is_some_and(|host| host.scheme().is_none() && is_local(&host));
        let target = request.uri();
        if !is_named || target.authority().is_some() && !is_local(target) {
            return Err(Refusal(
                StatusCode::FORBIDDEN,
                "the server refuses requests for this host",
            ));
        }
    }
    match only(headers, AUTHORIZATION) {
        Some(sent) if token.is_in(sent.as_bytes()) => Ok(None),
        _ => Err(Refusal(StatusCode::UNAUTHORIZED, "a valid bearer token is missing")),
    }
}

/// Returns the value of a header that the request has exactly once.
pub(super) fn only(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}

/// Parses a header as an address.
pub(super) fn uri(value: &HeaderValue) -> Option<Uri> {
    Uri::try_from(value.as_bytes()).ok()
}

/// Tells whether an address is a local name, with or without a port.
pub(super) fn is_local(uri: &Uri) -> bool {
    let is_web = uri.scheme_str().is_none_or(|scheme| ["http", "https"].contains(&scheme));
    is_web && uri.authority().is_some_and(|authority| is_local_name(authority.as_str()))
}

/// Tells whether the authority of an address is a local name.
///
/// `Authority::host` is too lenient: it returns `[::1]` for `[::1]x`.
fn is_local_name(authority: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    LOCAL.iter().any(|name| match authority.split_at_checked(name.len()) {
        Some((host, rest)) if host.eq_ignore_ascii_case(name) => {
            rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(is_loopback: bool, target: &str, headers: &[(&str, &str)]) -> u16 {
        let guard = Guard::Bearer { token: BearerToken::from("secret"), is_loopback };
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let refused = guard.check(&request.body(()).unwrap());
        refused.err().map_or(200, |refused| refused.0.as_u16())
    }

    const TOKEN: (&str, &str) = ("authorization", "Bearer secret");

    #[test]
    fn host_on_loopback_must_be_local() {
        let of = |host: &str| status(true, "/mcp", &[("host", host), TOKEN]);
        for good in ["localhost", "127.0.0.1:7070", "[::1]:80", "LocalHost:1"] {
            assert_eq!(of(good), 200, "{good}");
        }
        for bad in [
            "",
            "evil.example",
            "localhost.evil.example",
            "evil@localhost",
            "127.0.0.1.evil",
            "::1",
            "[::1]evil.example",
            "localhost:8o",
            "http://localhost",
            "localhost/x",
            "a b",
        ] {
            assert_eq!(of(bad), 403, "{bad}");
        }
        assert_eq!(status(true, "/mcp", &[TOKEN]), 403);
        assert_eq!(
            status(true, "/mcp", &[("host", "localhost"), ("host", "localhost"), TOKEN]),
            403
        );
        assert_eq!(status(true, "http://evil.example/mcp", &[("host", "localhost"), TOKEN]), 403);
        assert_eq!(status(false, "/mcp", &[("host", "any.example"), TOKEN]), 200);
    }

    #[test]
    fn origin_must_be_local() {
        let of = |origin: &str| status(false, "/mcp", &[("origin", origin), TOKEN]);
        for good in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:80"] {
            assert_eq!(of(good), 200, "{good}");
        }
        for bad in [
            "",
            "null",
            "localhost",
            "http://evil.example",
            "http://localhost@evil.example",
            "ftp://localhost",
            "http://localhost.evil.example",
            "http://[::1]evil.example",
        ] {
            assert_eq!(of(bad), 403, "{bad}");
        }
        let both = [("origin", "http://localhost"), ("origin", "http://evil.example"), TOKEN];
        assert_eq!(status(false, "/mcp", &both), 403);
    }

    #[test]
    fn token_must_be_there_once() {
        assert_eq!(status(false, "/mcp", &[]), 401);
        assert_eq!(status(false, "/mcp", &[("authorization", "Bearer wrong")]), 401);
        assert_eq!(status(false, "/mcp", &[TOKEN, TOKEN]), 401);
    }
}
