//! `overspill explain`

use std::ffi::OsString;

use overspill::Call;
use overspill::core::{Cut, Finished, Keep, Policy, Window};
use overspill::notice::{ReaderAbilities, wording};
use overspill::store::{Kept, OutputId, SpillRef, Store};

use crate::args::{Engine, LimitArgs};
use crate::{find, program, ui};

/// Says why each part of a saved output is shown.
///
/// The preview is made again from what is saved, with the settings that hold now.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  overspill explain 01KA
  overspill explain 01KA --keep signal --max-bytes 8KiB

The score is a logarithm: 32 more make a line count 2.7 times as much.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    limits: LimitArgs,
    /// The output.
    id: OsString,
    /// A line of JSON for each part.
    #[arg(long)]
    json: bool,
}

/// A part that is shown, and why.
struct Part {
    lines: (u64, u64),
    bytes: u64,
    why: String,
    score: Option<i32>,
    /// The line that counted most.
    line: Option<(u64, String)>,
}

pub(crate) fn explain(args: &ExplainArgs) -> anyhow::Result<()> {
    let (store, name) = find::find(&args.id)?;
    let Engine { overspill, options, tool, .. } = args.limits.engine("run");
    let recorded = store.record(&name)?.and_then(|record| record.call.tool);
    let call = Call::of(recorded.unwrap_or(tool));
    let policy = overspill.policy(&call, &options);
    let over = match window(&*store, &name, policy.clone())?.finish() {
        Finished::Whole(_) => return ui::answer("it fits, and all of it is shown\n"),
        Finished::Over(over) => over,
    };
    // The same notice as then leaves the same room for pieces.
    let saved = SpillRef::new(name.clone(), store.place(&name), Kept::Whole);
    let program = Some(program::word());
    let reader = ReaderAbilities { program, files: true, ..ReaderAbilities::default() };
    let answer = over.preview(&wording(name.token(), Ok(&saved), &reader));
    if answer.outline.is_some() {
        return ui::answer("it is JSON, and shown as shorter JSON that says what it leaves out\n");
    }
    let parts = parts(&answer.cut, &policy);
    if args.json {
        return ui::answer(&parts.iter().map(json).collect::<String>());
    }
    let mut table = ui::Table::new(&[">LINES", ">BYTES", "WHY", ">SCORE", ">LINE", "TEXT"]);
    for part in parts {
        let (number, text) = part.line.unwrap_or_default();
        table.row(vec![
            format!("{}–{}", part.lines.0, part.lines.1),
            part.bytes.to_string(),
            part.why,
            part.score.map(|score| score.to_string()).unwrap_or_default(),
            if number > 0 { number.to_string() } else { String::new() },
            text,
        ]);
    }
    ui::answer(&table.text(ui::width()))
}

/// Looks at what is saved as at the output when it came.
fn window(store: &dyn Store, name: &OutputId, policy: Policy) -> anyhow::Result<Window> {
    const CHUNK: u64 = 256 << 10;
    let total = store.entry(name)?.bytes;
    let mut window = Window::new(policy);
    let mut at = 0;
    while at < total {
        let chunk = store.read(name, at..at + CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        at += chunk.len() as u64;
        window.push(&chunk);
    }
    Ok(window)
}

fn parts(cut: &Cut, policy: &Policy) -> Vec<Part> {
    let reasons = cut.reasons().iter().map(Some).chain(std::iter::repeat(None));
    let pieces = cut.pieces.iter().zip(cut.spans()).zip(reasons);
    let part = |((piece, span), reason): ((&overspill::core::Piece, &overspill::core::Span), _)| {
        let reason: Option<&overspill::core::Reason> = reason;
        let line = reason.map(|reason| {
            let text = String::from_utf8_lossy(&piece.text);
            let nth = reason.line.saturating_sub(span.first_line) as usize;
            (reason.line, text.lines().nth(nth).unwrap_or_default().trim().to_owned())
        });
        Part {
            lines: (span.first_line, span.last_line),
            bytes: piece.text.len() as u64,
            why: reason.map_or_else(|| end(span, policy.keep), |reason| reason.why.to_string()),
            score: reason.map(|reason| reason.score),
            line,
        }
    };
    pieces.map(part).collect()
}

/// Says which end a part is, where it is shown because it is one.
fn end(span: &overspill::core::Span, keep: Keep) -> String {
    let start = span.bytes.start == 0 && !keep.shows_only_the_end();
    if start { "first lines" } else { "last lines" }.to_owned()
}

fn json(part: &Part) -> String {
    let (line, text) = part.line.clone().unzip();
    let json = serde_json::json!({
        "first_line": part.lines.0, "last_line": part.lines.1, "bytes": part.bytes,
        "why": part.why, "score": part.score, "line": line, "text": text,
    });
    format!("{json}\n")
}
