//! `overspill view`: shows saved outputs in a browser, or writes one output to an HTML file.

#[cfg(feature = "http")]
mod browser;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "the server asks more"))]
mod commands;
mod export;
mod facts;
mod failures;
mod piece;
mod seen;
#[cfg(feature = "http")]
mod site;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::audit::{OutputPlace, ReplayedOutput, replay};
use crate::args::{StoreArgs, duration};
use crate::env::Env;
use crate::{find, ui};

/// Shows saved outputs in a browser: the text that the agent got, the whole output, and the reason for each shown part.
///
/// `view` prints the address of a page, and serves the page on this machine. `view` ends when you press Ctrl-C, or
/// after the idle timeout. Only the first browser that opens the address can see the page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill view
  overspill view q7atzy --open
  overspill view q7atzy --html report.html     one file for a bug report, with secrets masked
  overspill view session.jsonl:120 --open      an output that an agent got in a recorded session")]
pub(crate) struct ViewArgs {
    /// The output to open: an id such as `q7atzy`, a path, `last`, `last~2` or `failed` (see `help ids`). `FILE:LINE` names
    /// an output in the transcript of an agent; `overspill audit` prints such names.
    #[arg(value_name = "ID")]
    id: Option<OsString>,
    /// For `FILE:LINE`: show at most N characters in the preview [default: the limit of the agent].
    #[arg(long, value_name = "N", requires = "id")]
    max_chars: Option<u64>,
    /// Open the page in your browser.
    #[arg(long, conflicts_with = "html")]
    open: bool,
    /// Idle timeout: stop after this time without a request from the browser.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h", conflicts_with = "html")]
    idle: Duration,
    /// Write the output and its preview to one HTML file, with secrets masked, and start no server.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

/// The files of the page. `--html` puts all of them into one file.
mod page {
    pub(super) const INDEX: &str = include_str!("page/index.html");
    pub(super) const STYLE: &str = include_str!("page/style.css");
    /// All scripts in one text: the browser needs one request for them, and not five.
    pub(super) const SCRIPT: &str = concat!(
        include_str!("page/text.js"),
        include_str!("page/all.js"),
        include_str!("page/output.js"),
        include_str!("page/search.js"),
        include_str!("page/app.js"),
    );
    /// The element in the page that loads the scripts.
    pub(super) const SCRIPT_LINK: &str = "<script src=\"page.js\"></script>";

    /// Returns the line of the page that names its first list, and the query of this list.
    pub(super) fn first_list() -> (&'static str, &'static str) {
        let line = INDEX.lines().find(|line| line.contains("id=\"first-list\"")).unwrap_or("");
        let query = line.split("api/list?").nth(1).and_then(|rest| rest.split('"').next());
        (line, query.unwrap_or(""))
    }
}

pub(crate) fn run(args: &ViewArgs, env: &Env) -> u8 {
    ui::ended(view(args, env))
}

fn view(args: &ViewArgs, env: &Env) -> anyhow::Result<()> {
    let access = args.store.access(env);
    if let Some(place) = args.id.as_deref().and_then(OutputPlace::parse) {
        return view_replayed(args, &place, env);
    }
    if args.max_chars.is_some() {
        let only = "--max-chars is for an output in a transcript, such as session.jsonl:120";
        anyhow::bail!(ui::UsageError(only.into()));
    }
    if let Some(file) = &args.html {
        let last = OsString::from("last");
        let id = args.id.as_ref().unwrap_or(&last);
        return export::write(id, file, &args.store, env);
    }
    let id = match &args.id {
        Some(id) => Some(find::find(id, &access)?.1),
        None => {
            // Report an unusable store here, and not only in the browser.
            crate::stores::store(&access).map_err(anyhow::Error::msg)?;
            None
        }
    };
    serve(args, id.as_ref().map(overspill::store::OutputId::as_str), env)
}

/// Shows an output in a transcript, as overspill would have shown it.
fn view_replayed(args: &ViewArgs, place: &OutputPlace, env: &Env) -> anyhow::Result<()> {
    let replayed = replay(place, args.max_chars, env)?;
    let redact = crate::settings::SettingSources::of_user(env).redact(false);
    match &args.html {
        Some(file) => export::write_replayed(&replayed, file, &redact, env),
        None => serve_replayed(args, &replayed, &redact, env),
    }
}

#[cfg(feature = "http")]
fn serve_replayed(
    args: &ViewArgs,
    replayed: &ReplayedOutput,
    redact: &overspill::Redact,
    env: &Env,
) -> anyhow::Result<()> {
    let document = export::replayed_page(replayed, redact, env)?;
    let (id, opens, idle, profile) = (None, args.open, args.idle, Vec::new());
    site::serve(site::PageRequest { id, opens, idle, profile, document: Some(document) }, env)
}

#[cfg(not(feature = "http"))]
fn serve_replayed(
    _: &ViewArgs,
    _: &ReplayedOutput,
    _: &overspill::Redact,
    _: &Env,
) -> anyhow::Result<()> {
    no_http()
}

#[cfg(feature = "http")]
fn serve(args: &ViewArgs, id: Option<&str>, env: &Env) -> anyhow::Result<()> {
    let profile = args.store.words().map(str::to_owned).collect();
    let (opens, idle) = (args.open, args.idle);
    site::serve(site::PageRequest { id, opens, idle, profile, document: None }, env)
}

#[cfg(not(feature = "http"))]
fn serve(_: &ViewArgs, _: Option<&str>, _: &Env) -> anyhow::Result<()> {
    no_http()
}

#[cfg(not(feature = "http"))]
fn no_http() -> anyhow::Result<()> {
    anyhow::bail!(
        "this program was built without HTTP\n\nhint: `overspill view --html FILE` writes a file"
    )
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn page_is_small_and_makes_no_html_of_text() {
        let scripts = page::SCRIPT;
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
        for text in [page::INDEX, page::STYLE, scripts] {
            assert!(
                !text.contains("http:") && !text.contains("https:") && !text.contains("@import")
            );
        }
        assert!(page::INDEX.contains(page::SCRIPT_LINK));
        assert!(page::INDEX.contains("<link rel=\"stylesheet\" href=\"style.css\">"));
    }
}
