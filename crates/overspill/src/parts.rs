//! The text of a result: a string, or the text parts of a list. Other parts stay where they are.

use overspill_core::Keep;
use serde_json::Value;

use crate::Spilled;
use crate::multi_text::{self, TextStart};

/// Returns the text that is measured: text parts joined by line feeds. `None` if there is none.
pub(crate) fn text_of(content: Option<&Value>) -> Option<String> {
    match content? {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(text_of_part).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

fn text_of_part(part: &Value) -> Option<&str> {
    match part.get("type")?.as_str()? {
        "text" => part.get("text")?.as_str(),
        _ => None,
    }
}

/// Puts what is shown in the place of the text.
///
/// Each text part keeps its share of what is shown, and goes if it has none. Words of the source
/// systems are added to the last part that stays, or before the first one where the end is kept; our
/// own stand where they belong.
pub(crate) fn replaced(content: &Value, spilled: &Spilled) -> Value {
    let Value::Array(parts) = content else { return Value::String(spilled.text.clone()) };
    let Some((preview, keep)) = spilled.walked() else {
        return in_place(parts, spilled).unwrap_or_else(|| in_the_first(parts, &spilled.text));
    };
    let counts: Vec<u64> = parts.iter().filter_map(text_of_part).map(lines_of).collect();
    let shares = shares(&counts, spilled.shown.lines, keep);
    let mut lines = preview.split('\n');
    let mut texts: Vec<Option<String>> = shares
        .iter()
        .map(|&share| {
            let own: Vec<&str> = lines.by_ref().take(share as usize).collect();
            (share > 0).then(|| own.join("\n"))
        })
        .collect();
    add_words(&mut texts, spilled, keep);
    let mut texts = texts.into_iter();
    let put = |part: &Value| match text_of_part(part) {
        None => Some(part.clone()),
        Some(_) => texts.next().flatten().map(|text| with_text(part, text)),
    };
    Value::Array(parts.iter().filter_map(put).collect())
}

fn lines_of(text: &str) -> u64 {
    text.matches('\n').count() as u64 + 1
}

/// Shares `shown` lines out among parts, from the end that is kept.
fn shares(counts: &[u64], shown: u64, keep: Keep) -> Vec<u64> {
    let mut left = shown;
    let mut take = |count: &u64| {
        let share = left.min(*count);
        left -= share;
        share
    };
    if keep.shows_only_the_end() {
        let mut shares: Vec<u64> = counts.iter().rev().map(&mut take).collect();
        shares.reverse();
        shares
    } else {
        counts.iter().map(take).collect()
    }
}

fn add_words(texts: &mut [Option<String>], spilled: &Spilled, keep: Keep) {
    let words = &spilled.notice;
    let kept = |text: &&mut Option<String>| text.is_some();
    if keep.shows_only_the_end() {
        match texts.iter_mut().find(kept) {
            Some(first) => *first = first.take().map(|text| format!("{words}\n\n{text}")),
            None => texts.iter_mut().take(1).for_each(|text| *text = Some(format!("{words}\n\n"))),
        }
    } else {
        match texts.iter_mut().rev().find(kept) {
            Some(last) => *last = last.take().map(|text| format!("{text}\n\n{words}")),
            None => texts.iter_mut().take(1).for_each(|text| *text = Some(format!("\n\n{words}"))),
        }
    }
}

/// Gives each text part its share of what is shown, with the marks where they belong.
fn in_place(parts: &[Value], spilled: &Spilled) -> Option<Value> {
    let mut end = TextStart::default();
    let starts = parts.iter().filter_map(text_of_part).map(|text| {
        let start = end;
        end = end.after(text.as_bytes()).after(b"\n");
        start
    });
    let mut shown = multi_text::shares(spilled, &starts.collect::<Vec<_>>())?.into_iter();
    let put = |part: &Value| match text_of_part(part) {
        None => Some(part.clone()),
        Some(_) => shown.next().filter(|text| !text.is_empty()).map(|text| with_text(part, text)),
    };
    Some(Value::Array(parts.iter().filter_map(put).collect()))
}

/// Puts everything in the place of the first text part; the other text parts go.
fn in_the_first(parts: &[Value], text: &str) -> Value {
    let mut text = Some(text.to_owned());
    let put = |part: &Value| match text_of_part(part) {
        None => Some(part.clone()),
        Some(_) => text.take().map(|text| with_text(part, text)),
    };
    Value::Array(parts.iter().filter_map(put).collect())
}

fn with_text(part: &Value, text: String) -> Value {
    let mut part = part.clone();
    if let Some(slot) = part.get_mut("text") {
        *slot = Value::String(text);
    }
    part
}
