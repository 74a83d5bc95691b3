//! `overspill explain`: tells for each part of a preview why the preview shows it.

use std::ffi::OsString;
use std::ops::Range;

use overspill::core::{Cut, Finished, Keep, Kind, KindHint, Limits, Policy, Span, Window};
use overspill::internal::notice::{kind_word, wording};
use overspill::internal::settings::CallValue;
use overspill::internal::store::{PreviewRecord, Record};
use overspill::store::{Kept, OutputId, SpillRef, Store};
use overspill::{Call, CallEnd, ReaderAbilities};
use serde_json::{Value, json};

use crate::args::{Engine, LimitArgs};
use crate::env::Env;
use crate::hosts::Host;
use crate::stores::StoreAccess;
use crate::{find, ui};

/// Shows which parts of an output are in its preview, and why.
///
/// Without options, `explain` describes the preview that the agent saw. With --now, or with options
/// such as --keep, it makes a new preview and explains that one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  overspill explain
  overspill explain q7atzy --now
  overspill explain q7atzy --keep signal --max-bytes 8KiB

SCORE: how likely a line explains a failure. A higher score is more likely.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    limits: LimitArgs,
    /// Make a new preview with the current settings [default: explain the preview that was shown].
    #[arg(long)]
    now: bool,
    /// The output: an id such as `q7atzy`, a path, `last`, `last~2` or `failed` (see `help ids`).
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// Print a line of JSON for each part.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pager: ui::PagerArgs,
}

/// A preview and the reasons for its parts.
struct Explained {
    limits: Limits,
    keep: String,
    kind: String,
    parts: Vec<Part>,
    /// The bytes of the outline that a new preview has instead of parts.
    outline_bytes: Option<u64>,
}

/// A part of the preview, and the reason why the preview shows it.
struct Part {
    lines: (u64, u64),
    bytes: u64,
    why: String,
    score: Option<i32>,
    /// The number and the text of the line with the highest score.
    line: Option<(u64, String)>,
}

pub(crate) fn run(args: &ExplainArgs, env: &Env) -> u8 {
    ui::ended(explain(args, env))
}

fn explain(args: &ExplainArgs, env: &Env) -> anyhow::Result<()> {
    let (store, name) = find::find(&args.id, &StoreAccess::by_settings(env))?;
    let record = store.record(&name)?.unwrap_or_default();
    let policy = current_policy(&args.limits, &record, env);
    let reader = reader(env);
    let is_new = args.now || args.limits.is_any_given();
    let explained = match record.preview.clone().filter(|_| !is_new) {
        Some(preview) => Some(of_record(&*store, &name, policy, &record, preview, reader)?),
        None => {
            if !is_new {
                ui::warn_line(
                    "the record does not have the settings of the preview, so the current settings apply",
                );
            }
            of_policy(&*store, &name, policy, &reader)?
        }
    };
    match explained {
        None if args.json => ui::answer(&ui::json_line(json!({ "fits": true }))),
        None => ui::answer("The output is within the limits, so overspill shows all of it.\n"),
        Some(explained) if args.json => ui::answer(&explained.json()),
        Some(explained) => ui::show_text(&explained.text(), args.pager.pager(env)),
    }
}

/// Returns the JSON of `overspill explain` for the preview that was shown of an output in any store.
pub(crate) fn json_of(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
    env: &Env,
) -> anyhow::Result<String> {
    let policy = current_policy(&LimitArgs::default(), record, env);
    let explained = match record.preview.clone() {
        Some(preview) => Some(of_record(store, name, policy, record, preview, reader(env))?),
        None => of_policy(store, name, policy, &reader(env))?,
    };
    Ok(explained.map_or_else(String::new, |explained| explained.json()))
}

/// Returns the policy that the settings and these limits make for an output.
fn current_policy(limits: &LimitArgs, record: &Record, env: &Env) -> Policy {
    let Engine { overspill, options, tool, .. } = limits.engine("run", env);
    let tool = record.call.tool.clone().unwrap_or(tool);
    overspill.policy(&Call { tool: Some(tool), ..record.call.clone() }, &options)
}

/// Makes the outline of a JSON text again, with the limits of the preview that was shown. Returns
/// `None` if the output is within the limits or has no outline.
pub(crate) fn outline_again(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
    preview: PreviewRecord,
    env: &Env,
) -> anyhow::Result<Option<String>> {
    let policy = policy_of(current_policy(&LimitArgs::default(), record, env), record, &preview);
    let reader = ReaderAbilities { file_tool: preview.file_tool, ..reader(env) };
    let Finished::Over(over) = window(store, name, policy)?.finish() else { return Ok(None) };
    let saved = SpillRef::new(name.clone(), store.place(name), Kept::Whole);
    Ok(over.preview(&wording(name.short_id(), Ok(&saved), &reader)).outline)
}

/// Returns the abilities of the reader of previews in this environment.
fn reader(env: &Env) -> ReaderAbilities {
    ReaderAbilities {
        program: Some(env.program_name().to_owned()),
        files: true,
        file_tool: Host::file_tool(env).map(str::to_owned),
        ..ReaderAbilities::default()
    }
}

/// Returns the policy that made a preview, as far as the record describes it.
fn policy_of(policy: Policy, record: &Record, preview: &PreviewRecord) -> Policy {
    /// The largest limit that is taken from a record, in bytes. The record may come from another
    /// machine.
    const MOST: Limits = Limits::NONE.bytes(64 << 20);
    let keep = match CallValue::keep_named(&preview.keep) {
        Some(CallValue::Keep(keep)) => keep,
        // A later version may know other names.
        _ => Keep::ENDS,
    };
    let most = preview.limits.tightened(&MOST);
    let forced = Kind::named(&preview.kind).filter(|_| preview.is_kind_forced);
    let end = record.exit.map(CallEnd::exited).or(record.signal.map(CallEnd::killed));
    let succeeded = end.and_then(|end| end.succeeded());
    let hint = KindHint { forced, succeeded, ..policy.hint };
    Policy { trigger: most, limits: most, keep, fill: preview.fill, hint, ..policy }
}

/// Explains the preview that `record` describes. A new preview by the same policy tells why its parts
/// were chosen.
fn of_record(
    store: &dyn Store,
    name: &OutputId,
    policy: Policy,
    record: &Record,
    preview: PreviewRecord,
    reader: ReaderAbilities,
) -> anyhow::Result<Explained> {
    let policy = policy_of(policy, record, &preview);
    let kept = policy.keep;
    let PreviewRecord { limits, keep, kind, lines, file_tool, .. } = preview;
    // The new notice takes the same room as the old one.
    let reader = ReaderAbilities { file_tool, ..reader };
    // The copy of an output that was not kept whole has other line numbers.
    let is_whole = matches!(record.kept, None | Some(Kept::Whole));
    let again = match is_whole && !lines.is_empty() {
        true => of_policy(store, name, policy, &reader)?.map_or_else(Vec::new, |again| again.parts),
        false => Vec::new(),
    };
    let part = |(bytes, lines): (&Range<u64>, (u64, u64))| {
        let overlaps = |part: &&Part| part.lines.0 <= lines.1 && lines.0 <= part.lines.1;
        let same = again.iter().filter(overlaps).max_by_key(|part| part.score);
        let why = same.map(|part| part.why.clone());
        Part {
            lines,
            bytes: bytes.end.saturating_sub(bytes.start),
            why: why.unwrap_or_else(|| match kind == "pieces" {
                true => String::new(),
                false => end(bytes, kept),
            }),
            score: same.and_then(|part| part.score),
            line: same.and_then(|part| part.line.clone()),
        }
    };
    let parts = record.shown.iter().zip(lines).map(part).collect();
    Ok(Explained { limits, keep, kind, parts, outline_bytes: None })
}

/// Explains the preview that `policy` makes of a saved output. Returns `None` if the output is
/// within the limits.
fn of_policy(
    store: &dyn Store,
    name: &OutputId,
    policy: Policy,
    reader: &ReaderAbilities,
) -> anyhow::Result<Option<Explained>> {
    let over = match window(store, name, policy.clone())?.finish() {
        Finished::Whole(_) => return Ok(None),
        Finished::Over(over) => over,
    };
    // The notice takes room, so one of about the same length is needed.
    let saved = SpillRef::new(name.clone(), store.place(name), Kept::Whole);
    let preview = over.preview(&wording(name.short_id(), Ok(&saved), reader));
    let outline_bytes = preview.outline.as_ref().map(|outline| outline.len() as u64);
    let parts = match preview.outline {
        Some(_) => Vec::new(),
        None => parts(&preview.cut, &policy),
    };
    let kind = kind_word(&over, &preview.cut).to_owned();
    let keep = CallValue::Keep(policy.keep).to_string();
    Ok(Some(Explained { limits: policy.limits, keep, kind, parts, outline_bytes }))
}

/// Reads a saved output as if it arrived now.
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
    let part = |((piece, span), reason): ((&overspill::core::Piece, &Span), _)| {
        let reason: Option<&overspill::core::Reason> = reason;
        let line = reason.map(|reason| {
            let text = String::from_utf8_lossy(&piece.text);
            let nth = reason.line.saturating_sub(span.first_line) as usize;
            (reason.line, text.lines().nth(nth).unwrap_or_default().trim().to_owned())
        });
        Part {
            lines: (span.first_line, span.last_line),
            bytes: piece.text.len() as u64,
            why: reason
                .map_or_else(|| end(&span.bytes, policy.keep), |reason| reason.why.to_string()),
            score: reason.map(|reason| reason.score),
            line,
        }
    };
    pieces.map(part).collect()
}

/// Returns `first lines` or `last lines`, the end of the output that a part belongs to.
fn end(part: &Range<u64>, keep: Keep) -> String {
    let start = part.start == 0 && !keep.shows_only_the_end();
    if start { "first lines" } else { "last lines" }.to_owned()
}

impl Explained {
    fn text(&self) -> String {
        let limits = self.limits().map(|(unit, most)| ui::count(most, unit.trim_end_matches('s')));
        let limits = limits.collect::<Vec<_>>().join(", ");
        let first =
            format!("limits {limits}; keep {}; {}\n", ui::short(&self.keep, 32), self.shown());
        let first = ui::wrapped(&first, 2);
        if self.parts.is_empty() {
            return first;
        }
        let mut table = ui::Table::new(&[">LINES", ">BYTES", "WHY", ">SCORE", ">LINE", "TEXT"])
            .optional(&["LINE", "SCORE", "BYTES", "TEXT"]);
        for part in &self.parts {
            let (number, text) = part.line.clone().unwrap_or_default();
            table.row(vec![
                format!("{}–{}", part.lines.0, part.lines.1),
                part.bytes.to_string(),
                part.why.clone(),
                part.score.map(|score| score.to_string()).unwrap_or_default(),
                if number > 0 { number.to_string() } else { String::new() },
                text,
            ]);
        }
        first + &table.text(ui::width())
    }

    fn json(&self) -> String {
        let limits: Value = self.limits().collect();
        let mut preview = json!({ "limits": limits, "keep": self.keep, "kind": self.kind });
        if self.parts.is_empty() {
            if let Some(bytes) = self.outline_bytes {
                preview["bytes"] = bytes.into();
            }
            return ui::json_line(preview);
        }
        let line = |part: &Part| {
            let (line, text) = part.line.clone().unzip();
            let json = json!({
                "first_line": part.lines.0, "last_line": part.lines.1, "bytes": part.bytes,
                "why": part.why, "score": part.score, "line": line, "text": text,
                "limits": preview["limits"], "keep": self.keep, "kind": self.kind,
            });
            ui::json_line(json)
        };
        self.parts.iter().map(line).collect()
    }

    fn limits(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let Limits { bytes, lines, chars, tokens } = self.limits;
        let all = [("lines", lines), ("bytes", bytes), ("chars", chars), ("tokens", tokens)];
        all.into_iter().filter_map(|(unit, most)| Some((unit, most?)))
    }

    /// Describes the kind of preview.
    fn shown(&self) -> String {
        match self.kind.as_str() {
            "ends" if self.keep == "head" => "shown: first lines".into(),
            "ends" if self.keep == "tail" => "shown: last lines".into(),
            "ends" => "shown: first and last lines".into(),
            "json" => "shown: shorter JSON that says what it leaves out".into(),
            "pieces" => "shown: parts that a strategy chose".into(),
            "text" => "shown: a text that a strategy made".into(),
            "binary" => "shown: only a notice, because the output is not text".into(),
            kind => format!("shown: lines that matter; kind {}", ui::short(kind, 32)),
        }
    }
}
