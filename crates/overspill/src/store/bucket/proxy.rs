//! The proxy of the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as curl has them.

use std::env;
use std::net::IpAddr;

use ureq::Proxy;

/// Returns the proxy for addresses with or without TLS.
pub(super) fn from_environment(is_tls: bool) -> Option<Proxy> {
    // A web server sets HTTP_PROXY to a header of the request for its CGI scripts.
    let is_cgi = variable("REQUEST_METHOD").is_some();
    let names: &[&str] = match is_tls {
        true => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        false if is_cgi => &["http_proxy", "all_proxy", "ALL_PROXY"],
        false => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let set = names.iter().filter_map(|name| variable(name));
    set.filter_map(|address| Proxy::new(&address).ok()).next()
}

/// Tells whether `NO_PROXY` names a host.
pub(super) fn is_exempt(host: &str) -> bool {
    let list = variable("no_proxy").or_else(|| variable("NO_PROXY"));
    list.is_some_and(|list| names(&list, host))
}

/// Returns a variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
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
    use super::names;

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
