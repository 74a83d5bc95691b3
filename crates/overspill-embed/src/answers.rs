//! Answers questions about saved outputs as JSON.

use overspill::core::{Limits, Policy};
use overspill::internal::retrieve::{self, FromValue, GrepLine, JsonError, JsonPath};
use overspill::internal::store::Record;
use overspill::retrieve::{GrepError, Query, Request};
use overspill::seeds::cleanup_by_name;
use overspill::store::{Entry, OutputId, Store};
use overspill::{Error, Overspill, Part};
use serde_json::{Value, json};

use crate::Misuse;
use crate::keys::Keys;

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Question {
    /// The options are invalid.
    #[error(transparent)]
    Misuse(#[from] Misuse),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Reads a part of an output: `lines` or `bytes` as `[from, to]`, `tail`, or the values at a `json`
/// path, beginning with `from_value`, a number or `[number, byte]`. The answer has `text`, a
/// sentence `what` about it, its place, and the options `next` for the next page.
pub fn read(overspill: &Overspill, id: &str, asked: &Value) -> Result<Value, Question> {
    let store = &*overspill.shown_store();
    let mut keys = Keys::of(asked, "options")?;
    let pair = |value: &Value| {
        let at = |index: usize| value.get(index)?.as_u64();
        Some((at(0)?, at(1).or_else(|| value.get(1)?.is_null().then_some(u64::MAX))?))
    };
    let lines = keys.read("lines", "two numbers, first and last line", pair)?;
    let bytes = keys.read("bytes", "two numbers, from and up to", pair)?;
    let tail = keys.number("tail")?;
    let path = keys.text("json")?;
    let from = keys.read("from_value", "a number, or two: value and byte", from_value)?;
    let limits = limits(&mut keys)?;
    keys.done()?;
    let asked = [lines.is_some(), bytes.is_some(), tail.is_some(), path.is_some()];
    if asked.iter().filter(|asked| **asked).count() > 1 {
        return Err(
            Misuse("only one of lines, bytes, tail and json can be asked for".into()).into()
        );
    }
    if from.is_some() && path.is_none() {
        return Err(Misuse("from_value: it needs json, the path of the values".into()).into());
    }
    let name = named(store, id)?;
    if let Some(path) = path {
        return values(store, &name, &path, from.unwrap_or(FromValue::START), &limits);
    }
    let part = match (lines, bytes, tail) {
        (_, Some((from, to)), _) => Part::Bytes(from..to.max(from)),
        (_, _, Some(tail)) => Part::Tail(tail),
        (lines, ..) => {
            let (from, to) = lines.unwrap_or((1, u64::MAX));
            Part::Lines(from, to)
        }
    };
    let page = retrieve::read(store, &name, &part, &limits)?;
    let (bytes, lines, total) = (page.bytes.clone(), page.lines, page.total);
    let answer = page.answer(store, &name);
    // The page is returned even if the store cannot record that it was read.
    let _ = store.retrieved(&name, answer.text.len() as u64, &answer.parts);
    Ok(json!({
        "text": answer.text,
        "what": answer.what,
        "bytes": [bytes.start, bytes.end],
        "lines": lines.map(|(from, to)| [from, to]),
        "total": total,
        "next": answer.next.as_ref().map(options),
    }))
}

fn from_value(value: &Value) -> Option<FromValue> {
    match value.as_array().map(Vec::as_slice) {
        None => Some(FromValue { value: value.as_u64()?, byte: 0 }),
        Some([value, byte]) => Some(FromValue { value: value.as_u64()?, byte: byte.as_u64()? }),
        Some(_) => None,
    }
}

/// Returns a request as options of [`read`] or [`grep`].
fn options(request: &Request) -> Value {
    match request {
        Request::Part { part: Part::Lines(from, to), .. } => json!({ "lines": [from, to] }),
        Request::Part { part: Part::Bytes(range), .. } => {
            json!({ "bytes": [range.start, range.end] })
        }
        Request::Part { part: Part::Tail(count), .. } => json!({ "tail": count }),
        Request::Values { path, from: FromValue { value, byte }, .. } => {
            let from = if *byte == 0 { json!(value) } else { json!([value, byte]) };
            json!({ "json": path.to_string(), "from_value": from })
        }
        Request::Search { query, .. } => search_options(query),
        // The packages have no comparison.
        Request::Compare { .. } => Value::Null,
    }
}

fn search_options(query: &Query) -> Value {
    let mut options = json!({});
    for (key, value, is_set) in [
        ("ignore_case", Value::from(true), query.ignore_case),
        ("fixed", true.into(), query.fixed),
        ("word", true.into(), query.word),
        ("invert", true.into(), query.invert),
        ("before", query.before.into(), query.before > 0),
        ("after", query.after.into(), query.after > 0),
        ("max_count", query.most.into(), query.most.is_some()),
        ("from_line", query.from_line.into(), query.from_line > 1),
    ] {
        if is_set {
            options[key] = value;
        }
    }
    options
}

/// Returns the lines of an output that were not saved.
fn missing_json(missing: &retrieve::MissingLines) -> Value {
    json!({ "lines": [missing.first, missing.last], "bytes": missing.bytes })
}

fn values(
    store: &dyn Store,
    name: &OutputId,
    path: &str,
    from: FromValue,
    limits: &Limits,
) -> Result<Value, Question> {
    let path = JsonPath::parse(path).map_err(|bad| Misuse(format!("json: {bad}")))?;
    let values =
        retrieve::values(store, name, &path, from, limits).map_err(|error| match error {
            JsonError::Store(error) => error,
            error => Error::Other(error.to_string().into()),
        })?;
    let shown = values.shown;
    let bad = values.bad.as_ref().map(ToString::to_string);
    let missing = values.missing.as_ref().map(missing_json);
    let answer = values.answer(name, &path);
    let _ = store.retrieved(name, answer.text.len() as u64, &answer.parts);
    let mut json = json!({
        "text": answer.text,
        "what": answer.what,
        "values": shown,
        "more": answer.next.is_some(),
        "next": answer.next.as_ref().map(options),
    });
    for (key, value) in [("not_json", bad.map(Value::from)), ("not_kept", missing)] {
        if let Some(value) = value {
            json[key] = value;
        }
    }
    Ok(json)
}

/// Searches an output with ripgrep's engine. The options are `ignore_case`, `fixed`, `word`,
/// `invert`, `before`, `after`, `context`, `max_count` and `from_line`.
pub fn grep(
    overspill: &Overspill,
    id: &str,
    pattern: &str,
    asked: &Value,
) -> Result<Value, Question> {
    let mut keys = Keys::of(asked, "options")?;
    let context = keys.number("context")?.unwrap_or_default();
    let near = |lines: Option<u64>| usize::try_from(lines.unwrap_or(context)).unwrap_or(usize::MAX);
    let query = Query {
        pattern: pattern.to_owned(),
        ignore_case: keys.switch("ignore_case")?.unwrap_or_default(),
        fixed: keys.switch("fixed")?.unwrap_or_default(),
        word: keys.switch("word")?.unwrap_or_default(),
        invert: keys.switch("invert")?.unwrap_or_default(),
        before: near(keys.number("before")?).min(10_000),
        after: near(keys.number("after")?).min(10_000),
        most: keys.number("max_count")?,
        from_line: keys.number("from_line")?.unwrap_or(1),
        ..Query::default()
    };
    let limits = limits(&mut keys)?;
    keys.done()?;
    let store = &*overspill.shown_store();
    let name = named(store, id)?;
    let found = retrieve::grep(store, &name, &query, &limits).map_err(|error| match error {
        GrepError::Pattern(bad) => Question::Misuse(Misuse(format!("the pattern: {bad}"))),
        GrepError::Store(error) => Question::Store(error),
        GrepError::Search(error) => Question::Store(Error::Other(error.into())),
    })?;
    let answer = found.answer(&name, &query);
    let _ = store.retrieved(&name, answer.text.len() as u64, &answer.parts);
    let mut json = json!({
        "text": answer.text,
        "what": answer.what,
        "lines": found.lines.iter().map(line_json).collect::<Vec<Value>>(),
        "matches": found.matches,
        "next_line": found.next_line,
        "next": answer.next.as_ref().map(options),
    });
    if let Some(missing) = &found.not_searched {
        json["not_searched"] = missing_json(missing);
    }
    Ok(json)
}

fn line_json(line: &GrepLine) -> Value {
    let mut json = json!({ "number": line.number, "matches": line.matches, "text": line.text });
    if let Some(bytes) = &line.again {
        json["again"] = json!([bytes.start, bytes.end]);
    }
    json
}

/// Lists the saved outputs, the last used first.
pub fn list(overspill: &Overspill) -> Result<Value, Error> {
    let store = overspill.shown_store();
    let mut entries = store.list()?;
    entries.sort_by(|a, b| (b.used, &b.name).cmp(&(a.used, &a.name)));
    let one = |entry: &Entry| {
        let record = store.record(&entry.name).ok().flatten();
        let Record { call, exit, lines, .. } = record.clone().unwrap_or_default();
        json!({
            "id": entry.name.as_str(),
            "bytes": entry.bytes,
            "lines": record.map(|_| lines),
            "used": entry.used.as_millisecond() as f64 / 1e3,
            "pinned": entry.pinned,
            "tool": call.tool,
            "call_id": call.id,
            "session": call.session,
            "command": call.command,
            "exit_code": exit,
        })
    };
    Ok(entries.iter().map(one).collect())
}

/// Removes expired outputs and returns their number.
pub fn sweep(overspill: &Overspill) -> Result<Value, Error> {
    let swept = overspill.sweep()?;
    Ok(json!({
        "removed": swept.removed,
        "bytes": swept.bytes,
        "kept": swept.kept,
        "failed": swept.failed,
    }))
}

/// Removes outputs by the time in their names, as opencode does, and returns their number.
pub fn cleanup(overspill: &Overspill) -> Result<Value, Error> {
    Ok(json!({ "removed": cleanup_by_name(overspill)? }))
}

/// Finds an output by its id or its path.
fn named(store: &dyn Store, id: &str) -> Result<OutputId, Question> {
    store.find(id).map_err(|error| match error {
        Error::BadId { .. } | Error::OutsideStore { .. } => Misuse(error.to_string()).into(),
        error => error.into(),
    })
}

fn limits(keys: &mut Keys) -> Result<Limits, Misuse> {
    let most = |keys: &mut Keys, key, default: Option<u64>| {
        keys.number(key).map(|most| match (most, default) {
            (Some(most), Some(default)) => Some(most.min(default)),
            (most, default) => most.or(default),
        })
    };
    let Limits { bytes, lines, .. } = Policy::LIMITS;
    let (bytes, lines) = (most(keys, "max_bytes", bytes)?, most(keys, "max_lines", lines)?);
    Ok(Limits { bytes, lines, ..Limits::NONE })
}
