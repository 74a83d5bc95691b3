//! Checks addresses of HTTP servers.

/// Tells whether a text is the address of an HTTP server that every client accepts. Host names
/// beyond ASCII must be encoded (`xn--…`), since some clients panic otherwise.
pub fn is_http_address(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or(text.strip_prefix("http://")) else {
        return false;
    };
    let (server, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // An IPv6 address has colons inside its brackets.
    let colon = server.rfind(':').filter(|&colon| !server[colon..].contains(']'));
    let (host, port) = server.split_at(colon.unwrap_or(server.len()));
    let is_host = match host.strip_prefix('[').map(|host| host.strip_suffix(']')) {
        Some(inner) => inner.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok()),
        None => {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            host.starts_with(|c: char| c.is_ascii_alphanumeric()) && host.chars().all(plain)
        }
    };
    let is_port = port.is_empty() || port[1..].parse::<u16>().is_ok();
    let of_path = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    is_host && is_port && path.chars().all(of_path)
}
