//! The HTTP client for requests to a server.

use std::sync::Arc;

use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Returns the HTTP client. With TLS, it trusts the authorities of the system, or those in the file
/// that `SSL_CERT_FILE` names. It follows no redirects: [`super::redirect`] does.
pub(super) fn agent(with_tls: bool) -> Agent {
    let mut config = Agent::config_builder().http_status_as_error(false).max_redirects(0);
    if with_tls {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            crate::ui::warn_line(
                "no certificates found on this system, so overspill cannot verify a server\n\n\
                 hint: set SSL_CERT_FILE to a file with the certificates of the authorities that you trust",
            );
        }
        let known = found.certs.iter().map(|der| Certificate::from_der(der).to_owned());
        let roots = RootCerts::Specific(Arc::new(known.collect()));
        config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
    }
    config.build().new_agent()
}
