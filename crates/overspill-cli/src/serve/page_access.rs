//! Lets one browser see a page: the browser exchanges the token in the address for a cookie, once.
//!
//! Other users of this machine can reach the port. For browsers, pages of all ports of this machine
//! belong to the same site. So the cookie is valid only for a secret path, and each request must
//! come from a page of the same origin.

use std::sync::{Mutex, PoisonError};

use hyper::header::{COOKIE, HOST, ORIGIN};
use hyper::{HeaderMap, Method, Request, StatusCode};
use subtle::ConstantTimeEq;

use super::guard::{is_local, only, uri};
use super::reply::{Refusal, Reply, reply};
use super::token::random;

/// A page that one browser may see.
pub(crate) struct PageAccess {
    /// The token, until a browser exchanges it.
    token: Mutex<Option<String>>,
    /// The value of the cookie.
    cookie: String,
    /// The path of the page, with a slash at both ends.
    path: String,
    /// The function that is called when a browser exchanges the token.
    on_exchange: Box<dyn Fn() + Send + Sync>,
}

/// The name of the cookie.
const NAME: &str = "overspill-view";

impl PageAccess {
    /// Makes a random token, cookie and path.
    pub(crate) fn new(
        on_exchange: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<PageAccess> {
        Ok(PageAccess {
            token: Mutex::new(Some(random()?)),
            cookie: random()?,
            path: format!("/{}/", &random()?[..32]),
            on_exchange: Box::new(on_exchange),
        })
    }

    /// Returns the token for the address, or an empty text after a browser has exchanged it.
    pub(crate) fn token(&self) -> String {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// Returns the path of the page.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Refuses a request, answers a request that exchanges the token, or returns `None` if the site
    /// must answer.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<Option<Reply>, Refusal> {
        let headers = request.headers();
        let host = only(headers, HOST).and_then(uri);
        let host = host.filter(|host| host.scheme().is_none() && is_local(host));
        let Some(host) = host.as_ref().and_then(|host| host.authority()) else {
            return Err(Refusal(
                StatusCode::FORBIDDEN,
                "the server refuses requests for this host",
            ));
        };
        if request.uri().authority().is_some() {
            return Err(Refusal(
                StatusCode::FORBIDDEN,
                "the server refuses requests for this host",
            ));
        }
        let is_own = |origin: &hyper::header::HeaderValue| {
            let own = format!("http://{host}");
            origin.as_bytes().eq_ignore_ascii_case(own.as_bytes())
        };
        let foreign =
            Refusal(StatusCode::FORBIDDEN, "the server refuses requests from this origin");
        if !headers.get_all(ORIGIN).iter().all(is_own) {
            return Err(foreign);
        }
        if request.uri().path() == "/" && *request.method() == Method::GET {
            return self.exchange(request.uri().query().unwrap_or_default()).map(Some);
        }
        // Browsers report which site sends a request. Pages of other sites must not send any.
        let from = headers.get("sec-fetch-site").map(|from| from.as_bytes().to_vec());
        if from.is_some_and(|from| from != b"same-origin" && from != b"none") {
            return Err(foreign);
        }
        if *request.method() != Method::GET && !headers.contains_key(ORIGIN) {
            return Err(foreign);
        }
        if !self.has_cookie(headers) || !request.uri().path().starts_with(&self.path) {
            return Err(Refusal(StatusCode::UNAUTHORIZED, REFUSED));
        }
        Ok(None)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == NAME).then_some(value)
        });
        pairs.any(|value| value.as_bytes().ct_eq(self.cookie.as_bytes()).into())
    }

    /// Answers a token with the cookie and a page that loads the address of the page.
    ///
    /// An HTTP redirect would not work: after a link in another program, browsers send no
    /// `SameSite=Strict` cookie to the target of a redirect.
    fn exchange(&self, query: &str) -> Result<Reply, Refusal> {
        let value = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let sent = value("token").unwrap_or_default();
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            token.as_ref().is_some_and(|it| bool::from(it.as_bytes().ct_eq(sent.as_bytes())));
        if !is_it {
            return Err(Refusal(StatusCode::UNAUTHORIZED, REFUSED));
        }
        *token = None;
        drop(token);
        (self.on_exchange)();
        let is_id = |id: &&str| {
            id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let place = value("id").filter(is_id).map(|id| format!("#/{id}")).unwrap_or_default();
        let path = &self.path;
        let body = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>overspill</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={path}{place}\">"
        );
        let mut reply = reply(StatusCode::OK, "text/html; charset=utf-8", body);
        let cookie = format!("{NAME}={}; Path={path}; HttpOnly; SameSite=Strict", self.cookie);
        let headers = reply.headers_mut();
        for (name, value) in [
            ("set-cookie", cookie.as_str()),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ] {
            if let Ok(value) = hyper::header::HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
        Ok(reply)
    }
}

/// The answer to a browser without the token or the cookie.
const REFUSED: &str = "This page needs the address that `overspill view` printed. Each address works once: run `overspill view` again.";

/// Hides the token and the cookie, so that no log shows them.
impl std::fmt::Debug for PageAccess {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("PageAccess(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Asked {
        access: PageAccess,
        path: String,
    }

    impl Asked {
        fn new() -> Asked {
            let access = PageAccess::new(|| {}).unwrap();
            let path = access.path().to_owned();
            Asked { access, path }
        }

        /// Returns the status, or 0 if the site must answer.
        fn status(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> u16 {
            let mut request = Request::builder().method(method).uri(target);
            let has_host = headers.iter().any(|(name, _)| *name == "host");
            for (name, value) in
                headers.iter().chain((!has_host).then_some(&("host", "127.0.0.1:7")))
            {
                request = request.header(*name, *value);
            }
            match self.access.check(&request.body(()).unwrap()) {
                Err(refused) => refused.0.as_u16(),
                Ok(Some(reply)) => reply.status().as_u16(),
                Ok(None) => 0,
            }
        }

        fn cookie(&self) -> String {
            format!("a=b; {NAME}={}", self.access.cookie)
        }
    }

    #[test]
    fn token_is_exchanged_once() {
        let asked = Asked::new();
        let token = asked.access.token();
        for wrong in [
            "/",
            "/?token=",
            "/?token=x",
            &format!("/?xtoken={token}"),
            &format!("/?token={token}0"),
        ] {
            assert_eq!(asked.status("GET", wrong, &[]), 401, "{wrong}");
        }
        let right = format!("/?token={token}&id=abc");
        assert_eq!(asked.status("POST", &right, &[("origin", "http://127.0.0.1:7")]), 401);
        assert_eq!(asked.status("GET", &right, &[("sec-fetch-site", "cross-site")]), 200);
        assert_eq!(asked.status("GET", &right, &[]), 401);
        assert_eq!(asked.access.token(), "");
    }

    #[test]
    fn page_needs_its_cookie_and_its_path() {
        let asked = Asked::new();
        let (path, cookie) = (asked.path.as_str(), asked.cookie());
        assert_eq!(asked.status("GET", path, &[("cookie", &cookie)]), 0);
        assert_eq!(asked.status("GET", path, &[]), 401);
        assert_eq!(asked.status("GET", path, &[("cookie", "overspill-view=x")]), 401);
        assert_eq!(asked.status("GET", "/other/", &[("cookie", &cookie)]), 401);
        assert_eq!(asked.status("GET", "/x", &[("cookie", &cookie)]), 401);
    }

    #[test]
    fn other_host_origin_or_site_is_refused_even_with_the_cookie() {
        let asked = Asked::new();
        let (path, cookie) = (asked.path.clone(), asked.cookie());
        let status = |method: &str, more: (&str, &str)| {
            asked.status(method, &path, &[("cookie", &cookie), more])
        };
        for host in ["evil.example", "localhost.evil.example:7", "127.0.0.1.evil", ""] {
            assert_eq!(status("GET", ("host", host)), 403, "{host}");
        }
        assert_eq!(status("GET", ("host", "localhost:9")), 0);
        for origin in
            ["http://evil.example", "null", "http://127.0.0.1:8", "https://127.0.0.1:7", ""]
        {
            assert_eq!(status("GET", ("origin", origin)), 403, "{origin}");
            assert_eq!(status("POST", ("origin", origin)), 403, "{origin}");
        }
        assert_eq!(status("POST", ("origin", "http://127.0.0.1:7")), 0);
        assert_eq!(status("POST", ("x", "y")), 403, "a POST without an origin");
        for site in ["cross-site", "same-site", "x"] {
            assert_eq!(status("GET", ("sec-fetch-site", site)), 403, "{site}");
        }
        assert_eq!(status("GET", ("sec-fetch-site", "none")), 0);
        assert_eq!(
            asked.status("GET", &format!("http://evil.example{path}"), &[("cookie", &cookie)]),
            403
        );
    }
}
