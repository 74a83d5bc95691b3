//! The Rust half of `tools/signal/train.py`.
//!
//! `train features LOG…` writes `LOG.features` beside each log: the features of its lines that the
//! score uses. `train scores WEIGHTS BYTES LOG` prints the number and score of each line that the
//! scan keeps. `train previews WEIGHTS BYTES LOG…` writes `LOG.BYTES.preview`, made by these
//! weights. `train previews --fill …` fills each preview up to its limit. `train auto CHARS OUTPUT…`
//! writes `OUTPUT.CHARS.preview`, made with `keep = "auto"` and the weights that we ship.

#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a developer tool"
)]

use std::fs;

use overspill_core::{Keep, Limits, Policy, Wording, train};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &*args.iter().map(String::as_str).collect::<Vec<_>>() {
        ["features", logs @ ..] => logs.iter().for_each(|log| features(log)),
        ["previews", "--fill", weights, bytes, logs @ ..] => previews(weights, bytes, true, logs),
        ["previews", weights, bytes, logs @ ..] => previews(weights, bytes, false, logs),
        ["scores", weights, bytes, log] => {
            let weights: &'static [u8] = fs::read(weights).unwrap().leak();
            let scores = train::scores(&fs::read(log).unwrap(), bytes.parse().unwrap(), weights);
            for (number, score) in scores.unwrap() {
                println!("{} {score}", number + 1);
            }
        }
        ["auto", chars, outputs @ ..] => {
            let limits = Limits::NONE.chars(chars.parse().unwrap());
            outputs.iter().for_each(|path| auto(path, limits, chars));
        }
        _ => eprintln!("usage: train features LOG… | train previews WEIGHTS BYTES LOG…"),
    }
}

/// Writes in this order: the number of lines, the number of weights for the context, the number of
/// words of each line, all words, and the features of the context of all lines.
fn features(log: &str) {
    let rows = train::rows(&fs::read(log).unwrap());
    let mut out = (rows.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&(train::AROUND as u32).to_le_bytes());
    rows.iter().for_each(|row| out.extend((row.words.len() as u32).to_le_bytes()));
    rows.iter().flat_map(|row| &row.words).for_each(|word| out.extend(word.to_le_bytes()));
    for index in rows.iter().flat_map(|row| &row.around) {
        out.extend((*index as u32).to_le_bytes());
    }
    fs::write(format!("{log}.features"), out).unwrap();
}

fn previews(weights: &str, bytes: &str, fill: bool, logs: &[&str]) {
    let weights: &'static [u8] = fs::read(weights).unwrap().leak();
    let bytes = bytes.parse().unwrap();
    logs.iter().for_each(|log| preview(log, weights, bytes, fill));
}

fn preview(log: &str, weights: &'static [u8], bytes: u64, fill: bool) {
    let output = fs::read(log).unwrap();
    let policy = Policy::new(Limits::NONE.bytes(bytes).lines(2000), Keep::Signal);
    let policy = Policy { fill, ..policy };
    let wording = wording(vec!["exit 101".into(), "12.4s".into()]);
    let text = match train::answer(&output, &policy, &wording, weights) {
        Some(answer) => answer.text.into_bytes(),
        None => output,
    };
    fs::write(format!("{log}.{bytes}.preview"), text).unwrap();
}

fn auto(path: &str, limits: Limits, chars: &str) {
    let output = fs::read(path).unwrap();
    let text = match Policy::new(limits, Keep::Auto).measure(&output) {
        Some(oversized) => oversized.preview(&wording(Vec::new())).text.into_bytes(),
        None => output,
    };
    fs::write(format!("{path}.{chars}.preview"), text).unwrap();
}

/// Returns the words of the notice. They have the same lengths as those of the program.
fn wording(facts: Vec<String>) -> Wording {
    let id = "3f9c2e";
    Wording {
        label: "overspill".into(),
        short_id: id.into(),
        facts,
        copy: format!("overspill read {id} --lines A-B; overspill grep RE {id}"),
        short_copy: format!("overspill read {id}"),
    }
}
