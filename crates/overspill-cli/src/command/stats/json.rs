//! `overspill stats --json` and `--csv`: prints the sums for programs and spreadsheets.

use serde_json::{Value, json};

use super::Price;
use super::sums::{BYTES_PER_TOKEN, Sum, Totals};
use crate::ui;

fn tokens(bytes: i64) -> i64 {
    bytes / BYTES_PER_TOKEN as i64
}

fn sum_json(sum: &Sum) -> Value {
    json!({
        "outputs": sum.outputs,
        "produced_bytes": sum.produced,
        "baseline_bytes": sum.baseline,
        "shown_bytes": sum.shown,
        "retrieved_bytes": sum.retrieved,
        "saved_bytes": sum.saved(),
        "unseen_failure_lines": sum.unseen_failures,
        "estimated_tokens": {
            "produced": tokens(sum.produced as i64),
            "baseline": tokens(sum.baseline as i64),
            "shown": tokens(sum.shown as i64),
            "retrieved": tokens(sum.retrieved as i64),
            "saved": tokens(sum.saved()),
        },
    })
}

/// Returns the JSON of `overspill stats`.
pub(in crate::command) fn json(days_asked: u32, totals: &Totals, price: Option<Price>) -> Value {
    let rows = |key: &str, rows: &[(String, Sum)]| -> Vec<Value> {
        let named = rows.iter().map(|(name, sum)| {
            let mut json = sum_json(sum);
            json[key] = name.as_str().into();
            json
        });
        named.collect()
    };
    let mut json = sum_json(&totals.all);
    json["days"] = days_asked.into();
    json["against_whole_output"] = sum_json(&totals.against_whole);
    json["by_host"] = rows("host", &totals.hosts).into();
    json["by_command"] = rows("command", &totals.commands).into();
    json["by_tool"] = rows("tool", &totals.tools).into();
    json["by_day"] = rows("day", &totals.days).into();
    json["on_terminal"] = json!({
        "outputs": totals.on_terminal.outputs, "produced_bytes": totals.on_terminal.produced,
    });
    json["outputs_with_unseen_failures"] = totals.outputs_with_failures.into();
    let unseen = totals.unseen.iter();
    json["unseen_failures"] =
        unseen.map(|(id, lines)| json!({ "id": id.as_str(), "lines": lines })).collect();
    if let Some(price) = price {
        json["price"] = json!({
            "per_million_tokens": price.0,
            "baseline": price.of(totals.all.baseline as i64),
            "shown": price.of(totals.all.shown as i64),
            "retrieved": price.of(totals.all.retrieved as i64),
            "saved": price.of(totals.all.saved()),
        });
    }
    json
}

pub(super) fn json_line(days_asked: u32, totals: &Totals, price: Option<Price>) -> String {
    ui::json_line(json(days_asked, totals, price))
}

/// The columns of `--csv`.
const COLUMNS: &str = "by,name,outputs,produced_bytes,baseline_bytes,shown_bytes,retrieved_bytes,saved_bytes,unseen_failure_lines";

/// Returns all rows as comma-separated values (RFC 4180).
pub(super) fn csv(totals: &Totals) -> String {
    let mut text = format!("{COLUMNS}\r\n");
    let mut row = |by: &str, name: &str, sum: &Sum| {
        let Sum { outputs, produced, baseline, shown, retrieved, unseen_failures } = *sum;
        text.push_str(&format!(
            "{by},{},{outputs},{produced},{baseline},{shown},{retrieved},{},{unseen_failures}\r\n",
            field(name),
            sum.saved(),
        ));
    };
    row("all", "", &totals.all);
    row("against whole output", "", &totals.against_whole);
    row("on terminal", "", &totals.on_terminal);
    for (by, rows) in [
        ("host", &totals.hosts),
        ("command", &totals.commands),
        ("tool", &totals.tools),
        ("day", &totals.days),
    ] {
        rows.iter().for_each(|(name, sum)| row(by, name, sum));
    }
    text
}

/// Returns a field of a row, without characters that control a terminal. A name that a spreadsheet
/// would run as a formula gets a quote mark in front.
fn field(name: &str) -> String {
    let name = ui::escaped(name, usize::MAX);
    let name = if name.starts_with(['=', '+', '-', '@']) { format!("'{name}") } else { name };
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_of_a_row_is_quoted() {
        for (name, expected) in [
            ("make", "make"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("=1+1", "'=1+1"),
            ("a\nb\u{1b}[2J\u{202e}", "a\\nb\\u{1b}[2J\\u{202e}"),
        ] {
            assert_eq!(field(name), expected);
        }
    }
}
