//! `overspill mcp`: a proxy in front of any MCP server.
//!
//! An adapter: a message is decoded as far as it must be, bounded by the library, and put together
//! again from its own bytes. Whatever need not be changed passes byte for byte.
//!
//! From the bottom up: `tokens` and `walk` read JSON as it passes, `probe` learns what a message is,
//! `rewrite` shortens a result, `proxy` decides about each message, `long` about those that are too long to be
//! held, `stdio` moves the bytes.

mod answers;
mod edit;
mod frames;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
#[cfg_attr(not(feature = "http"), path = "no_http.rs")]
mod http;
#[cfg(feature = "http")]
mod listen;
mod listing;
mod long;
mod mask;
mod pending;
mod probe;
mod proxy;
mod retrieval_tools;
mod rewrite;
mod scope;
mod serve;
mod server;
mod settings;
mod spooled_buffer;
#[cfg(feature = "http")]
mod sse;
mod stdio;
mod walk;
pub(crate) mod wrap;

use std::ffi::OsString;
use std::sync::Arc;

use proxy::Proxy;
use serve::Serve;
use server::Server;
use settings::{McpSettings, server_name};
use stdio::ClientLine;
use wrap::{To, WrapArgs};

use crate::ui;

pub(crate) use settings::{IDLE, MAX_MEDIA, ResultSettings, TOOL_PREFIX};

/// Stands in front of an MCP server and bounds what its tools return.
///
/// Results that are too large are cut and saved whole; the client gets two more tools, by which a model
/// reads and searches what was saved. Everything else passes byte for byte. Ends with the exit code of
/// the server.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  overspill mcp -- npx -y @modelcontextprotocol/server-filesystem .
  overspill mcp --name files -- my-server --root /srv
  overspill mcp --http http://localhost:3001/mcp
  overspill mcp --listen 127.0.0.1:7070 -- my-server
  overspill mcp --serve
  overspill mcp wrap .mcp.json")]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// What the server is called in settings and in the list of outputs.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Offer our own tools alone, without a server.
    #[arg(long, conflicts_with_all = ["server", "http", "listen"])]
    serve: bool,
    /// The server is reached by HTTP, at this address.
    #[arg(long, value_name = "URL", conflicts_with = "server", value_parser = address)]
    http: Option<String>,
    /// Send this with every request to it, such as `Authorization: Bearer …`.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header, requires = "http", conflicts_with_all = ["server", "serve"])]
    headers: Vec<(String, String)>,
    /// Send this as well, with the value of a variable: what is secret is then not on the command line,
    /// where others can see it.
    #[arg(long = "header-env", value_name = "NAME: VARIABLE", value_parser = header_env, requires = "http", conflicts_with_all = ["server", "serve"])]
    secret_headers: Vec<(String, String)>,
    /// Be reached by HTTP instead of standard input and output, at this address.
    ///
    /// Clients send a bearer token: the one in OVERSPILL_MCP_TOKEN or, on a loopback address without that
    /// variable, the one in a file that overspill makes and names.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Let the client reach all outputs there are, and not only those of this session and project.
    #[arg(long)]
    all_outputs: bool,
    /// The server and its arguments.
    #[arg(last = true, value_name = "SERVER", required_unless_present_any = ["serve", "http"])]
    server: Vec<OsString>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Wrap(WrapArgs),
    /// Takes the proxy away again, from every server in a client's file.
    Unwrap(WrapArgs),
}

pub(crate) fn mcp(args: &McpArgs) -> u8 {
    match &args.action {
        Some(Action::Wrap(args)) => return wrap::run(args, To::Wrap),
        Some(Action::Unwrap(args)) => return wrap::run(args, To::Unwrap),
        None => {}
    }
    if args.serve {
        let serve = Serve::new(McpSettings::read(args.name(), args.all_outputs));
        return ui::ended(serve.run().map_err(anyhow::Error::from));
    }
    let asked = RelaySpec {
        server: match &args.http {
            Some(url) => {
                let headers = [&args.headers[..], &args.secret_headers].concat();
                Where::Http { url: url.clone(), headers }
            }
            None => Where::Command(args.server.clone()),
        },
        name: args.name(),
        all_outputs: args.all_outputs,
    };
    match &args.listen {
        Some(address) => ui::ended(http::listen(address, asked)),
        None => asked.relay_here(),
    }
}

/// What is to stand behind us.
#[derive(Debug, Clone)]
struct RelaySpec {
    server: Where,
    name: String,
    all_outputs: bool,
}

/// Where a server is.
#[derive(Debug, Clone)]
enum Where {
    Command(Vec<OsString>),
    Http { url: String, headers: Vec<(String, String)> },
}

impl McpArgs {
    fn name(&self) -> String {
        let of_url = |url: &String| {
            let host = url.split("://").nth(1).unwrap_or(url);
            host.split(['/', ':', '?']).next().unwrap_or(host).to_owned()
        };
        let given = self.name.clone().or_else(|| self.http.as_ref().map(of_url));
        given.unwrap_or_else(|| server_name(&self.server))
    }
}

impl RelaySpec {
    fn proxy(&self) -> Arc<Proxy> {
        Arc::new(Proxy::new(McpSettings::read(self.name.clone(), self.all_outputs)))
    }

    /// Relays between our own streams and the server.
    fn relay_here(&self) -> u8 {
        self.relay(ClientLine::ours())
    }

    /// Relays between a client and the server, until one of them ends; returns the exit code.
    fn relay(&self, line: ClientLine) -> u8 {
        match &self.server {
            Where::Http { url, headers } => http::relay(self.proxy(), url, headers.clone(), line),
            Where::Command(words) => match Server::start(words) {
                Ok(server) => stdio::relay(self.proxy(), server, line),
                Err(error) => {
                    ui::say(&format!("{error}"));
                    error.code()
                }
            },
        }
    }
}

fn address(typed: &str) -> Result<String, String> {
    // Some write their name and password into it.
    let login = typed.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next());
    let login = login.and_then(|server| server.rsplit_once('@')).map(|(login, _)| login);
    let without = login.map(|login| typed.replacen(&format!("{login}@"), "", 1));
    match overspill::is_http_address(without.as_deref().unwrap_or(typed)) {
        true => Ok(typed.to_owned()),
        false => Err("expected an address such as `http://localhost:3001/mcp`".into()),
    }
}

fn header_env(typed: &str) -> Result<(String, String), String> {
    let (name, variable) = header(typed)?;
    let value =
        std::env::var(&variable).map_err(|_| format!("the variable {variable} is not set"))?;
    Ok((name, value.trim().to_owned()))
}

fn header(typed: &str) -> Result<(String, String), String> {
    let (name, value) = typed.split_once(':').ok_or("expected a name, a colon and a value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
