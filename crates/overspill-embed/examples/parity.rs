//! Runs the table of cases in `tests/parity` through the library: `parity CASES DIRECTORY`.
//!
//! Prints a line of JSON for each case, like the runners in other languages.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, reason = "an example")]

use std::path::{Path, PathBuf};

use overspill::tool::ShortenedResult;
use overspill::{Outcome, Report};
use overspill_embed::{CallRequest, Question, Setup, StoreChoice};
use serde_json::{Map, Value, json};
use sha2::Digest;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cases = std::fs::read_to_string(&arguments[0]).unwrap();
    let cases: Value = serde_json::from_str(&cases).unwrap();
    for (at, case) in cases.as_array().unwrap().iter().enumerate() {
        let place = Path::new(&arguments[1]).join(format!("{at:04}"));
        let answer = run(case, &place).unwrap_or_else(|error| json!({ "error": error }));
        println!("{answer}");
    }
}

fn run(case: &Value, place: &Path) -> Result<Value, String> {
    let misuse = |error: overspill_embed::Misuse| format!("Misuse: {error}");
    let working = std::env::current_dir().unwrap();
    let variable = |name: &str| {
        let set = case["variables"][name].as_str().map(Into::into);
        set.or_else(|| std::env::var_os(name))
    };
    if case["how"] == "directory" {
        let setup = Setup::from_json(&case["setup"]).map_err(misuse)?;
        return Ok(json!({ "directory": setup.directory(&variable, working) }));
    }
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    if case["fault"] == true {
        std::fs::write(place, "taken").unwrap();
    }
    let mut setup = case["setup"].clone();
    setup["durability"] = "none".into();
    let mut setup = Setup::from_json(&setup).map_err(misuse)?;
    setup.store = StoreChoice::Directory(place.to_owned());
    let overspill = setup.overspill(&variable, working);
    let call = case.get("call").cloned().unwrap_or_else(|| json!({}));
    let lines = setup.profile.policy.lines;
    let mut answer = Map::new();
    match case["how"].as_str().unwrap() {
        "apply" => {
            let asked = CallRequest::from_json(&call).map_err(misuse)?;
            let result = &case["result"];
            let shortened = overspill_embed::apply(&overspill, result, &asked, &setup.gates);
            let shortened = if let ShortenedResult::Changed(value) = shortened {
                value
            } else {
                result.clone()
            };
            answer.insert("result".into(), shortened);
        }
        "batch" => {
            let inputs = case["inputs"].as_array().unwrap().iter();
            let inputs: Vec<(&[u8], CallRequest)> = inputs
                .map(|input| (input.as_str().unwrap().as_bytes(), CallRequest::default()))
                .collect();
            let outcomes = overspill_embed::batch(&overspill, &inputs, &call).map_err(misuse)?;
            let outcomes = outcomes.iter().map(|outcome| plain(outcome, lines)).collect();
            answer.insert("outcomes".into(), Value::Array(outcomes));
        }
        how => {
            let asked = CallRequest::from_json(&call).map_err(misuse)?;
            let output = match case.get("base64") {
                Some(text) => from_base64(text.as_str().unwrap()),
                None => case["input"].as_str().unwrap().as_bytes().to_vec(),
            };
            let outcome = if how == "spill" {
                let mut spill = overspill.spill(asked.call, asked.options);
                output.chunks(1000).for_each(|chunk| spill.push(chunk));
                spill.finish(asked.end)
            } else {
                asked.process(&overspill, &output)
            };
            answer.insert("outcome".into(), plain(&outcome, lines));
            if let (Some(ask), Outcome::Spilled(spilled)) = (case.get("ask"), &outcome) {
                let id = spilled.saved.as_ref().unwrap().id.as_str();
                let found = match ask[0].as_str().unwrap() {
                    "read" => overspill_embed::read(&overspill, id, &ask[1]),
                    _ => overspill_embed::grep(&overspill, id, ask[1].as_str().unwrap(), &ask[2]),
                };
                let found = found.map_err(|error| match error {
                    Question::Misuse(bad) => misuse(bad),
                    Question::Store(error) => format!("StoreError: {error}"),
                });
                answer.insert("asked".into(), found?);
            }
        }
    }
    let files = saved(place);
    let hash = |file: &PathBuf| {
        let digest = sha2::Sha256::digest(std::fs::read(file).unwrap());
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let mut hashes: Vec<String> = files.iter().map(hash).collect();
    hashes.sort();
    answer.insert("names".into(), files.iter().map(|file| file.to_str()).collect());
    answer.insert("saved".into(), hashes.into());
    Ok(Value::Object(answer))
}

fn plain(outcome: &Outcome, lines: overspill::core::LineRule) -> Value {
    let mut report = serde_json::to_value(Report::of(outcome, lines)).unwrap();
    if let Outcome::Spilled(spilled) = outcome {
        report["preview"] = spilled.preview.clone().into();
        report["notice"] = spilled.notice.clone().into();
    }
    report
}

fn saved(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .collect();
    files.sort();
    files
}

fn from_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = LETTERS.iter().position(|one| *one == letter).unwrap();
        held = held << 6 | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
