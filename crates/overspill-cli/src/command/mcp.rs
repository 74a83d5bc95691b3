//! `overspill mcp`

use std::ffi::OsString;

use crate::env::Env;
use crate::mcp::wrap::{self, To, WrapArgs};
use crate::mcp::{self, RelaySpec, ServerAddress};
use crate::ui;

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
    /// Name of the server in settings and in the list of outputs.
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
    #[arg(long = "header-env", value_name = "NAME: VARIABLE", value_parser = header, requires = "http", conflicts_with_all = ["server", "serve"])]
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

pub(crate) fn run(args: &McpArgs, env: &Env) -> u8 {
    match &args.action {
        Some(Action::Wrap(args)) => return ui::ended(wrap::run(args, To::Wrap, env)),
        Some(Action::Unwrap(args)) => return ui::ended(wrap::run(args, To::Unwrap, env)),
        None => {}
    }
    if args.serve {
        return ui::ended(mcp::serve(args.name(), args.all_outputs, env));
    }
    let server = match &args.http {
        Some(url) => match args.all_headers(env) {
            Ok(headers) => ServerAddress::Http { url: url.clone(), headers },
            Err(error) => return ui::ended(Err(error.into())),
        },
        None => ServerAddress::Command(args.server.clone()),
    };
    let (name, all_outputs) = (args.name(), args.all_outputs);
    let relay = RelaySpec { server, name, all_outputs, env: env.clone() };
    match &args.listen {
        Some(address) => ui::ended(relay.listen(address)),
        None => relay.relay_here(),
    }
}

impl McpArgs {
    fn name(&self) -> String {
        let of_url = |url: &String| {
            let host = url.split("://").nth(1).unwrap_or(url);
            host.split(['/', ':', '?']).next().unwrap_or(host).to_owned()
        };
        let given = self.name.clone().or_else(|| self.http.as_ref().map(of_url));
        given.unwrap_or_else(|| mcp::server_name(&self.server))
    }

    /// Returns the headers, those with the values of variables included.
    fn all_headers(&self, env: &Env) -> Result<Vec<(String, String)>, ui::UsageError> {
        let secret = self.secret_headers.iter().map(|(name, variable)| {
            let value = env.variable(variable).and_then(|value| value.into_string().ok());
            let missing = || format!("--header-env: the variable {variable} is not set");
            let value = value.ok_or_else(|| ui::UsageError(missing()))?;
            Ok((name.clone(), value.trim().to_owned()))
        });
        self.headers.iter().cloned().map(Ok).chain(secret).collect()
    }
}

fn address(typed: &str) -> Result<String, String> {
    // Some write their name and password into it.
    let login = typed.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next());
    let login = login.and_then(|server| server.rsplit_once('@')).map(|(login, _)| login);
    let without = login.map(|login| typed.replacen(&format!("{login}@"), "", 1));
    match overspill::internal::settings::is_http_address(without.as_deref().unwrap_or(typed)) {
        true => Ok(typed.to_owned()),
        false => Err("expected an address such as `http://localhost:3001/mcp`".into()),
    }
}

fn header(typed: &str) -> Result<(String, String), String> {
    let (name, value) = typed.split_once(':').ok_or("expected a name, a colon and a value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
