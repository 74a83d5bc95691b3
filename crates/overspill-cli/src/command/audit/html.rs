//! `overspill audit --html`: writes the report as one page without scripts and other files.

use overspill::Redaction;
use overspill::core::internal::text::clean;

use super::replay::preview;
use super::tally::{Example, SIZES, Tally};
use super::ways::{ROOMS, WAYS, first_chars};
use crate::command::stats::tokens;
use crate::env::Env;
use crate::ui;

/// The largest number of characters of a preview that the report quotes.
const PREVIEW: u64 = 20_000;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>overspill audit</title>
<style>
:root { color-scheme: light dark; --line: #8885; --bar: #2a7; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: right; padding: .2rem .8rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: .6rem; max-height: 30rem; overflow: auto; }
meter { width: 8rem; }
details { margin: .5rem 0; }
mark { background: #fc06; color: inherit; }
</style>
<h1>overspill audit</h1>
"#;

/// Returns the report as HTML.
pub(super) fn page(tally: &Tally, rules: Option<&Redaction>, env: &Env) -> String {
    let all = tally.all();
    let mut page = String::from(HEAD);
    page.push_str(&format!(
        "<p>{} in {}. Tokens are estimated as four bytes each.</p>\n",
        escaped(&ui::count(all.outputs, "tool output")),
        escaped(&ui::count(all.sessions, "session")),
    ));
    page.push_str("<h2>Hosts</h2>\n");
    let mut rows: Vec<(&str, _)> = tally.hosts.iter().map(|(name, sum)| (*name, *sum)).collect();
    rows.push(("all", all));
    let rows = rows.into_iter().map(|(name, sum)| {
        vec![
            name.to_owned(),
            sum.sessions.to_string(),
            sum.outputs.to_string(),
            ui::size(sum.bytes),
            sum.cut.to_string(),
            tokens(sum.bytes_without_overspill as i64),
            tokens(sum.bytes_with_overspill() as i64),
        ]
    });
    let titles =
        ["host", "sessions", "outputs", "size", "cut by host", "tokens now", "with overspill"];
    page.push_str(&table(&titles, rows));
    page.push_str("<h2>Sizes</h2>\n");
    let bytes: u64 = tally.sizes.iter().map(|volume| volume.bytes).sum();
    let rows = SIZES.iter().zip(&tally.sizes).map(|((_, name), volume)| {
        let share = 100.0 * volume.bytes as f64 / bytes.max(1) as f64;
        vec![
            (*name).to_owned(),
            volume.outputs.to_string(),
            ui::size(volume.bytes),
            format!("{share:.1} %"),
        ]
    });
    page.push_str(&table(&["size", "outputs", "bytes", "of the text"], rows));
    page.push_str(&kept(tally));
    page.push_str(&losses(tally, rules, env));
    for (title, count, examples) in [
        ("Commands that ran again after a cut", tally.repeated, &tally.repeated_examples),
        ("Failures that a pipe hid", tally.hidden_failures, &tally.hidden_examples),
    ] {
        page.push_str(&format!("<h2>{title}: {count}</h2>\n<ul>\n"));
        for example in examples {
            page.push_str(&format!("<li>{}</li>\n", place(example, env)));
        }
        page.push_str("</ul>\n");
    }
    page.push_str(&not_read(tally, env));
    page
}

fn kept(tally: &Tally) -> String {
    let mut text = format!(
        "<h2>Used words</h2>\n<p>In its next three steps the agent used {} of {}, \
         each over 2,000 bytes. {}Share of these words that each way of cutting keeps:</p>\n",
        ui::count(tally.used_words, "word"),
        ui::count(tally.used_outputs, "output"),
        super::text::sample(tally),
    );
    text.push_str("<table>\n<tr><th>room</th><th>outputs</th>");
    WAYS.iter().for_each(|(_, name)| text.push_str(&format!("<th>{name}</th>")));
    text.push_str("</tr>\n");
    for (room, recalls) in ROOMS.into_iter().zip(&tally.recalls) {
        let outputs = recalls[WAYS.len() - 1].outputs;
        text.push_str(&format!("<tr><td>{}</td><td>{outputs}</td>", room.name()));
        for recall in recalls {
            text.push_str(&match recall.mean() {
                Some(mean) => format!(
                    "<td>{:.1} %<br><meter min=0 max=1 value={mean:.3}></meter></td>",
                    100.0 * mean
                ),
                None => "<td>-</td>".to_owned(),
            });
        }
        text.push_str("</tr>\n");
    }
    text + "</table>\n"
}

fn losses(tally: &Tally, rules: Option<&Redaction>, env: &Env) -> String {
    let losses = tally.named_losses();
    let Some(first) = losses.first() else { return String::new() };
    let mut text = format!(
        "<h2>Outputs in which overspill loses the most ({})</h2>\n<p>Open a line to see the preview that the agent would \
         have got. The command below it opens the whole output with the lost words.</p>\n",
        escaped(&first.room.name())
    );
    for loss in losses {
        let preview = preview(&loss.example.place, loss.room);
        let preview = rules.map_or(preview.as_str().into(), |rules| rules.text(&preview).0);
        let lost: Vec<String> =
            loss.lost.iter().map(|word| format!("<mark>{}</mark>", escaped(word))).collect();
        text.push_str(&format!(
            "<details><summary>{} — {} of {} used words lost (the best other way keeps {})</summary>\n\
             <p>{}</p>\n<p><code>{}</code></p>\n<pre>{}</pre></details>\n",
            place(&loss.example, env),
            loss.lost.len(),
            loss.used,
            loss.best_other,
            lost.join(" "),
            escaped(&loss.example.place.view_command(loss.room, env)),
            escaped(first_chars(&preview, PREVIEW)),
        ));
    }
    text
}

fn not_read(tally: &Tally, env: &Env) -> String {
    if tally.not_read_files == 0 && tally.bad_lines == 0 {
        return String::new();
    }
    let mut text = format!(
        "<h2>Not read</h2>\n<p>{}, {}</p>\n<ul>\n",
        ui::count(tally.not_read_files, "path"),
        ui::count(tally.bad_lines, "line"),
    );
    for it in &tally.not_read {
        let place = escaped(&env.shown(&it.place));
        text.push_str(&format!("<li><code>{place}</code>: {}</li>\n", escaped(&it.reason)));
    }
    text + "</ul>\n"
}

fn place(example: &Example, env: &Env) -> String {
    let what = example.command.as_deref().unwrap_or(&example.tool);
    format!(
        "<code>{}</code> in <code>{}:{}</code>",
        escaped(&ui::short(what, 200)),
        escaped(&env.shown(&example.place.file)),
        example.place.line
    )
}

fn table(titles: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let mut text = format!("<table>\n<tr>{}</tr>\n", cells("th", &titles));
    rows.for_each(|row| text.push_str(&format!("<tr>{}</tr>\n", cells("td", &row))));
    text + "</table>\n"
}

/// Escapes text for HTML, and replaces control characters and characters that change the direction
/// of text.
fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for c in clean(text.as_bytes()).text.chars() {
        match c {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            '\'' => all.push_str("&#39;"),
            c => all.push(c),
        }
    }
    all
}
