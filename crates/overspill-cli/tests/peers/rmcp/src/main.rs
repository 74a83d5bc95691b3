//! The official Rust implementation of MCP, on either side of the proxy.
//!
//! `serve stdio` and `serve http` run a server; the latter prints its address on stdout.
//! `client stdio COMMAND…` and `client http URL TOKEN` use all tools of such a server through the
//! proxy; they print nothing on success.

mod client;
mod server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        ["serve", "stdio"] => server::by_stdio().await,
        ["serve", "http"] => server::by_http().await,
        ["client", "stdio", program, words @ ..] => client::by_stdio(program, words).await,
        ["client", "http", url, token] => client::by_http(url, token).await,
        _ => anyhow::bail!("usage: serve stdio|http, client stdio COMMAND…, client http URL TOKEN"),
    }
}
