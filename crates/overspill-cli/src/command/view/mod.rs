//! `overspill view`

#[cfg(feature = "http")]
mod browser;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "the server asks more"))]
mod commands;
mod export;
mod failures;
mod piece;
mod seen;
#[cfg(feature = "http")]
mod site;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::args::{StoreArgs, duration};
use crate::env::Env;
use crate::{find, ui};

/// Shows saved outputs in a browser: what the agent saw, the whole output, and why.
///
/// It prints the address of a page that only you can open, and serves the page on this machine until you press Ctrl-C.
/// The address works once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill view
  overspill view q7atzy --open
  overspill view q7atzy --html report.html     one file for a bug report, with secrets masked")]
pub(crate) struct ViewArgs {
    /// The output to open: its id or the first 4 characters of it, its path, `last`, `last~2` or `failed`.
    #[arg(value_name = "ID")]
    id: Option<OsString>,
    /// Open the page in your browser.
    #[arg(long, conflicts_with = "html")]
    open: bool,
    /// End if the browser asks for nothing in this time.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h", conflicts_with = "html")]
    idle: Duration,
    /// Write the output and what the agent saw of it to one file, with secrets masked, and serve nothing.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

/// The files of the page. `--html` puts them into one file.
mod page {
    pub(super) const INDEX: &str = include_str!("page/index.html");
    pub(super) const STYLE: &str = include_str!("page/style.css");
    pub(super) const SCRIPTS: [(&str, &str); 4] = [
        ("text.js", include_str!("page/text.js")),
        ("all.js", include_str!("page/all.js")),
        ("output.js", include_str!("page/output.js")),
        ("app.js", include_str!("page/app.js")),
    ];
}

pub(crate) fn run(args: &ViewArgs, env: &Env) -> u8 {
    ui::ended(view(args, env))
}

fn view(args: &ViewArgs, env: &Env) -> anyhow::Result<()> {
    let access = args.store.access(env);
    if let Some(file) = &args.html {
        let last = OsString::from("last");
        let id = args.id.as_ref().unwrap_or(&last);
        return export::write(id, file, &args.store, env);
    }
    let id = match &args.id {
        Some(id) => Some(find::find(id, &access)?.1),
        None => {
            // An unusable store is reported here and not in the browser.
            crate::stores::store(&access).map_err(anyhow::Error::msg)?;
            None
        }
    };
    serve(args, id.as_ref().map(overspill::store::OutputId::as_str), env)
}

#[cfg(feature = "http")]
fn serve(args: &ViewArgs, id: Option<&str>, env: &Env) -> anyhow::Result<()> {
    let profile = args.store.words().map(str::to_owned).collect();
    site::serve(&site::PageRequest { id, opens: args.open, idle: args.idle, profile }, env)
}

#[cfg(not(feature = "http"))]
fn serve(_: &ViewArgs, _: Option<&str>, _: &Env) -> anyhow::Result<()> {
    anyhow::bail!(
        "this program was built without HTTP\n\nhint: `overspill view --html FILE` writes a file"
    )
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn page_is_small_and_makes_no_html_of_text() {
        let scripts: String = page::SCRIPTS.iter().map(|(_, text)| *text).collect();
        let bytes = page::INDEX.len() + page::STYLE.len() + scripts.len();
        assert!(bytes < 150_000, "{bytes}");
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "</script",
        ] {
            assert!(!scripts.contains(word), "{word}");
        }
        for text in [page::INDEX, page::STYLE, &scripts] {
            assert!(
                !text.contains("http:") && !text.contains("https:") && !text.contains("@import")
            );
        }
        for (name, _) in page::SCRIPTS {
            assert!(page::INDEX.contains(&format!("<script src=\"{name}\"></script>")), "{name}");
        }
        assert!(page::INDEX.contains("<link rel=\"stylesheet\" href=\"style.css\">"));
    }
}
