//! Finds the proxy for a request in the variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
//! They mean the same as for curl.

use std::net::IpAddr;

use ureq::Proxy;

/// The proxies that the variables name.
#[derive(Debug, Clone, Default)]
pub(super) struct Proxies {
    /// The proxy for addresses without TLS.
    pub(super) plain: Option<Proxy>,
    /// The proxy for addresses with TLS.
    pub(super) with_tls: Option<Proxy>,
    /// The value of `NO_PROXY`: hosts that are reached directly.
    exempt: String,
}

impl Proxies {
    pub(super) fn of(variables: &[(String, String)]) -> Proxies {
        let value = |wanted: &str| {
            let set = variables.iter().rev().find(|(name, _)| name == wanted);
            set.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
        };
        let first = |names: &[&str]| {
            names.iter().filter_map(|name| value(name)).find_map(|address| Proxy::new(address).ok())
        };
        // A web server sets HTTP_PROXY to a header of the request for its CGI scripts.
        let is_cgi = value("REQUEST_METHOD").is_some();
        Proxies {
            plain: match is_cgi {
                true => first(&["http_proxy", "all_proxy", "ALL_PROXY"]),
                false => first(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]),
            },
            with_tls: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
            exempt: value("no_proxy").or_else(|| value("NO_PROXY")).unwrap_or_default().into(),
        }
    }

    /// Tells whether requests to a host go without the proxy.
    pub(super) fn is_exempt(&self, host: &str) -> bool {
        names(&self.exempt, host)
    }
}

/// Tells whether a list such as `localhost,.lan,10.0.0.0/8` names a host. A name also stands for everything below it.
fn names(list: &str, host: &str) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let entry = entry.to_ascii_lowercase();
        match (address, entry.split_once('/')) {
            _ if entry == "*" => true,
            (Some(address), Some((network, bits))) => is_within(address, network, bits),
            (Some(address), None) => {
                entry.trim_matches(['[', ']']).parse().is_ok_and(|it: IpAddr| it == address)
            }
            (None, _) => {
                let name = entry.trim_start_matches("*.").trim_start_matches('.');
                let rest = host.strip_suffix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
        }
    })
}

/// Tells whether an address is in a network such as 10.0.0.0/8.
fn is_within(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let number = |address| match address {
        IpAddr::V4(it) => (u128::from(it.to_bits()) << 96, 32),
        IpAddr::V6(it) => (it.to_bits(), 128),
    };
    let ((address, length), (network, other)) = (number(address), number(network));
    let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
    length == other && bits <= length && address & mask == network & mask
}

#[cfg(test)]
mod tests {
    use super::{Proxies, names};

    #[test]
    fn proxy_variables_choose_by_tls_and_ignore_headers_of_cgi() {
        let proxies = |variables: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).into(), (*value).into());
            let found = Proxies::of(&variables.iter().map(owned).collect::<Vec<_>>());
            let host = |proxy: Option<ureq::Proxy>| proxy.map(|proxy| proxy.host().to_owned());
            (host(found.plain), host(found.with_tls))
        };
        let all = ("ALL_PROXY", "http://all:1");
        let (plain, tls) = (("HTTP_PROXY", "http://plain:1"), ("https_proxy", "http://tls:1"));
        let some = |host: &str| Some(host.to_owned());
        assert_eq!(proxies(&[]), (None, None));
        assert_eq!(proxies(&[all]), (some("all"), some("all")));
        assert_eq!(proxies(&[all, plain, tls]), (some("plain"), some("tls")));
        assert_eq!(proxies(&[plain, ("REQUEST_METHOD", "GET")]), (None, None));
        assert_eq!(proxies(&[("http_proxy", ""), all]), (some("all"), some("all")));
    }

    #[test]
    fn no_proxy_list_names_hosts_domains_and_networks() {
        for (list, host, expected) in [
            ("localhost,.lan", "localhost", true),
            ("localhost,.lan", "minio.lan", true),
            ("localhost, LAN ", "Minio.Lan", true),
            ("*.lan", "minio.lan", true),
            ("lan", "milan", false),
            ("", "localhost", false),
            ("*", "s3.example.test", true),
            ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false),
            ("10.0.0.0/33", "10.0.0.0", false),
            ("0.0.0.0/0", "11.1.2.3", true),
            ("0.0.0.0/0", "::1", false),
            ("127.0.0.1,[::1]", "[::1]", true),
            ("127.0.0.1", "127.0.0.10", false),
            ("fe80::/10", "fe80::1", true),
        ] {
            assert_eq!(names(list, host), expected, "{list:?} {host:?}");
        }
    }
}
