//! `overspill mcp`: starts the proxy for an MCP server. The proxy is in `crate::mcp`.

use std::ffi::OsString;

use overspill::internal::settings::HttpAddress;

use crate::env::Env;
use crate::mcp::wrap::{self, To, WrapArgs};
use crate::mcp::{self, RelaySpec, ServerAddress};
use crate::ui;

/// Shortens the results of an MCP server.
///
/// overspill saves long results and passes on a preview. The client gets two more tools to read and search the saved
/// results. Everything else is unchanged. The exit code is that of the server.
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
    /// The name of the server in settings and in `overspill list` [default: from the command or the
    /// URL].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Run an MCP server with only the tools of overspill.
    #[arg(long, conflicts_with_all = ["server", "http", "listen"])]
    serve: bool,
    /// Connect to the server at this address, by HTTP [default: start SERVER].
    #[arg(long, value_name = "URL", conflicts_with = "server", value_parser = address)]
    http: Option<String>,
    /// Send this header with every request, such as `Authorization: Bearer …`.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header, requires = "http", conflicts_with_all = ["server", "serve"])]
    headers: Vec<(String, String)>,
    /// Send this header with the value of an environment variable, so that other users do not see the secret in the
    /// list of processes.
    #[arg(long = "header-env", value_name = "NAME: VARIABLE", value_parser = header, requires = "http", conflicts_with_all = ["server", "serve"])]
    secret_headers: Vec<(String, String)>,
    /// Listen for HTTP clients at this address [default: use standard input and output].
    ///
    /// Clients send the bearer token in OVERSPILL_MCP_TOKEN. On a loopback address without that variable, overspill
    /// writes a token to a file and prints its path.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Let the client read all saved outputs [default: those of this session and project].
    #[arg(long)]
    all_outputs: bool,
    /// The server and its arguments.
    #[arg(last = true, value_name = "SERVER", required_unless_present_any = ["serve", "http"])]
    server: Vec<OsString>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Wrap(WrapArgs),
    /// Removes overspill from every server in a client's file.
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
        let host = |url: &String| Some(HttpAddress::parse(url)?.host.to_owned());
        let given = self.name.clone().or_else(|| self.http.as_ref().and_then(host));
        given.unwrap_or_else(|| mcp::server_name(&self.server))
    }

    /// Returns all headers: those of `--header`, and those of `--header-env` with the values of the
    /// variables.
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
    match HttpAddress::parse(typed) {
        Some(_) => Ok(typed.to_owned()),
        None => Err("expected an address such as `http://localhost:3001/mcp`".into()),
    }
}

fn header(typed: &str) -> Result<(String, String), String> {
    let (name, value) = typed.split_once(':').ok_or("expected a name, a colon and a value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::args::{Args, Command};

    #[test]
    fn server_at_an_address_has_the_name_of_its_host() {
        for (url, name) in [
            ("http://a.example:3001/mcp", "a.example"),
            ("http://ada:secret@a.example/mcp", "a.example"),
            ("http://token@a.example/mcp", "a.example"),
            ("http://[::1]:3001/mcp", "::1"),
        ] {
            let typed = Args::try_parse_from(["overspill", "mcp", "--http", url]);
            let Ok(Args { command: Command::Mcp(args), .. }) = typed else { panic!("{url}") };
            assert_eq!(args.name(), name, "{url}");
        }
    }
}
