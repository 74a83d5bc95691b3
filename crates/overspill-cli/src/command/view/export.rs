//! `overspill view --html`: writes one file with an output and the text that the agent saw.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Context;
use overspill::Redact;
use overspill::internal::store::Record;
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

use super::{facts, failures, page, piece, seen};
use crate::args::StoreArgs;
use crate::command::audit::{ReplayedOutput, rules_for_file, shown_word};
use crate::env::Env;
use crate::stores::Outputs;
use crate::{command, find, ui};

/// The largest number of bytes of an output that the file contains. The file of a larger output has
/// half of this from each end.
const MOST_BYTES: u64 = 4 << 20;

/// A page with an output and the text that the agent saw, which needs no other file.
pub(super) struct Document {
    pub(super) html: String,
    /// The content security policy, which allows only the scripts of the page.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "the server sends it"))]
    pub(super) policy: String,
}

/// Writes an output of a store to a file.
pub(super) fn write(id: &OsStr, file: &Path, store: &StoreArgs, env: &Env) -> anyhow::Result<()> {
    let (raw, name, redact) = find::find_with_redaction(id, &store.access(env))?;
    write_masked(&raw, &name, None, &redact, file, env)
}

/// Writes an output of a transcript to a file.
pub(super) fn write_replayed(
    replayed: &ReplayedOutput,
    file: &Path,
    redact: &Redact,
    env: &Env,
) -> anyhow::Result<()> {
    write_masked(&replayed.store, &replayed.id, Some(replayed), redact, file, env)
}

/// Returns the page of an output of a transcript.
#[cfg(feature = "http")]
pub(super) fn replayed_page(
    replayed: &ReplayedOutput,
    redact: &Redact,
    env: &Env,
) -> anyhow::Result<Document> {
    let store = redact.shown_store(&replayed.store);
    let record = store.record(&replayed.id)?.unwrap_or_default();
    let used = used_words(replayed, &*store)?;
    Ok(document(&answers(&*store, &replayed.id, &record, used, env)?))
}

fn write_masked(
    raw: &Outputs,
    name: &OutputId,
    replayed: Option<&ReplayedOutput>,
    redact: &Redact,
    file: &Path,
    env: &Env,
) -> anyhow::Result<()> {
    let rules = rules_for_file(redact)?;
    let masked = Redact::All(rules).shown_store(raw);
    let more = replayed.map_or(Ok(json!({})), |replayed| used_words(replayed, &*masked))?;
    let record = masked.record(name)?.unwrap_or_default();
    let progress = ui::Progress::of("writing");
    let mut data = answers(&*masked, name, &record, more, env)?;
    let is_changed = is_masked(&**raw, &*masked, name)?;
    if is_changed && data["seen"][0]["exact"] == Value::Bool(false) {
        data["seen"][0]["masked"] = true.into();
    }
    let Document { html, .. } = document(&data);
    drop(progress);
    std::fs::write(file, &html).with_context(|| ui::path(file))?;
    let secrets = if is_changed { "; secrets are masked" } else { "" };
    ui::say(&format!("wrote {} ({}{secrets})", ui::path(file), ui::size(html.len() as u64)));
    Ok(())
}

/// Returns how many words of the output the agent used next, and the words that the preview lacks.
/// A word that `store` masks has only `*`.
fn used_words(replayed: &ReplayedOutput, store: &dyn Store) -> anyhow::Result<Value> {
    let text = store.read(&replayed.id, 0..store.entry(&replayed.id)?.bytes)?;
    let lost = replayed.lost.iter();
    let lost: Vec<Value> =
        lost.map(|(word, at)| json!({ "word": shown_word(word, &text), "at": at })).collect();
    Ok(json!({ "used_words": replayed.used, "lost_words": lost }))
}

/// Returns the answers to all requests of the page, so that it needs no server. The facts also get
/// the fields of `more`.
fn answers(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
    more: Value,
    env: &Env,
) -> anyhow::Result<Value> {
    let mut output = facts::facts(store, name, record)?;
    if let (Some(facts), Value::Object(more)) = (output.as_object_mut(), more) {
        facts.extend(more);
    }
    let explained = command::explain::json_of(store, name, record, env)?;
    let explained: Vec<Value> =
        explained.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok(json!({
        "output": [output],
        "seen": [seen::seen(store, name, record, env)?],
        "failures": [failures::failures(store, name, record)?],
        "explain": explained,
        "pieces": pieces(store, name)?,
    }))
}

fn pieces(store: &dyn Store, name: &OutputId) -> anyhow::Result<Vec<Value>> {
    let total = store.entry(name)?.bytes;
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < total {
        let is_hole = total > MOST_BYTES && (MOST_BYTES / 2..total - MOST_BYTES / 2).contains(&at);
        let anchor = match is_hole {
            true => piece::Anchor::Near(total - MOST_BYTES / 2),
            false => piece::Anchor::From(at),
        };
        let piece = piece::piece(store, name, anchor, None)?;
        match piece["bytes"][1].as_u64() {
            Some(end) if end > at => at = end,
            _ => break,
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Tells whether masking changes the part of the output that is in the file, or its call.
fn is_masked(raw: &dyn Store, masked: &dyn Store, name: &OutputId) -> anyhow::Result<bool> {
    let total = raw.entry(name)?.bytes;
    let step = MOST_BYTES / 2;
    for from in [0, total.saturating_sub(step)] {
        if raw.read(name, from..from + step)? != masked.read(name, from..from + step)? {
            return Ok(true);
        }
    }
    Ok(raw.record(name)?.map(|it| it.call) != masked.record(name)?.map(|it| it.call))
}

/// Puts the page and the answers into one document. Browsers use only scripts and styles with the
/// nonce.
fn document(data: &Value) -> Document {
    // Without `<` no text of the output can end the script element around it.
    let data = data.to_string().replace('<', "\\u003c");
    // The nonce depends on all data, so the output cannot contain it.
    let nonce = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(data.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; \
         form-action 'none'"
    );
    let style = format!("<style nonce=\"{nonce}\">\n{}</style>", page::STYLE);
    let mut html = page::INDEX.replace("<link rel=\"stylesheet\" href=\"style.css\">", &style);
    // The file has its answers, and asks for nothing.
    html = html.replace(page::first_list().0, "");
    html = html.replace(
        "<meta charset=\"utf-8\">",
        &format!("<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"),
    );
    let script = format!(
        "<script type=\"application/json\" id=\"filed\" nonce=\"{nonce}\">{data}</script>\n\
         <script nonce=\"{nonce}\">\n{}</script>",
        page::SCRIPT
    );
    html = html.replace(page::SCRIPT_LINK, &script);
    Document { html, policy }
}
