//! Takes addresses of HTTP servers apart.

#[cfg(feature = "bucket")]
use std::net::IpAddr;
use std::net::Ipv6Addr;

/// The address of an HTTP server that every client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpAddress<'a> {
    /// The user name and the password, if the address has them.
    pub login: Option<&'a str>,
    /// The name or the IP address of the server, without brackets.
    pub host: &'a str,
}

impl<'a> HttpAddress<'a> {
    /// Returns the parts of a valid address. Host names beyond ASCII must be encoded (`xn--…`), since
    /// some clients panic otherwise.
    pub fn parse(text: &'a str) -> Option<HttpAddress<'a>> {
        let rest = text.strip_prefix("https://").or(text.strip_prefix("http://"))?;
        let (server, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (login, server) = match server.rsplit_once('@') {
            Some((login, server)) => (Some(login), server),
            None => (None, server),
        };
        // An IPv6 address has colons inside its brackets.
        let colon = server.rfind(':').filter(|&colon| !server[colon..].contains(']'));
        let (host, port) = server.split_at(colon.unwrap_or(server.len()));
        let (host, is_host) = match host.strip_prefix('[') {
            Some(inner) => {
                let inner = inner.strip_suffix(']')?;
                (inner, inner.parse::<Ipv6Addr>().is_ok())
            }
            None => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
                let is_start = host.starts_with(|c: char| c.is_ascii_alphanumeric());
                (host, is_start && host.chars().all(plain))
            }
        };
        let is_port = port.is_empty() || port[1..].parse::<u16>().is_ok();
        let of_path = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
        let is_valid = is_host && is_port && path.chars().all(of_path);
        is_valid.then_some(HttpAddress { login, host })
    }

    /// Tells whether the server is on this machine.
    #[cfg(feature = "bucket")]
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.to_ascii_lowercase();
        let is_local = host == "localhost" || host.ends_with(".localhost");
        is_local || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_address_is_taken_apart_into_login_and_host() {
        for (text, login, host) in [
            ("http://a.example", None, "a.example"),
            ("https://a.example:8080/mcp?x=1@y", None, "a.example"),
            ("http://ada:secret@a.example/mcp", Some("ada:secret"), "a.example"),
            ("http://[::1]:9000/x", None, "::1"),
            ("http://localhost:1@a.example", Some("localhost:1"), "a.example"),
        ] {
            assert_eq!(HttpAddress::parse(text), Some(HttpAddress { login, host }), "{text}");
        }
        for bad in ["a.example", "ftp://a", "http://", "http://ada@", "http://[::1", "http://a:x"] {
            assert_eq!(HttpAddress::parse(bad), None, "{bad}");
        }
    }
}
