//! Tests the code that the packages for other languages share.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use overspill::core::{Choice, LeftOut, Limits, Policy};
use overspill::store::Store;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, Error, Outcome, Overspill};
use overspill_embed::{
    CallRequest, CallbackStore, PrecomputedChoice, PrecomputedStore, Setup, StoreChoice,
    StoreObject,
};
use serde_json::{Value, json};

fn made(options: Value) -> Overspill {
    let mut setup = Setup::from_json(&options).unwrap();
    setup.store = StoreChoice::Memory;
    setup.overspill(&|_| None, "/".into())
}

fn numbered(lines: u64) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn options_are_read_in_either_spelling() {
    for options in
        [json!({"max_lines": 3, "tools": {"a": {"max_lines": 2}}}), json!({"maxLines": 3})]
    {
        let outcome = made(options);
        let outcome = outcome.process(b"1\n2\n3\n4\n", &Call::default());
        assert!(matches!(outcome, Outcome::Spilled(_)));
    }
    assert!(Setup::from_json(&json!({"max_lines": null, "max_bytes": 3.0})).is_ok());
}

/// Options of the code override variables, and variables override defaults.
#[test]
fn unified_reads_its_variables_and_options_win() {
    let variable = |name: &str| {
        let value = match name {
            "TOOL_OUTPUT_MAX_LINES" => "5",
            "TOOL_OUTPUT_TRUNCATE_DIRECTION" => "tail",
            "TOOL_OUTPUT_DIR" => ".kept",
            "TOOL_OUTPUT_MAX_BYTES" => "lots",
            _ => return None,
        };
        Some(value.into())
    };
    let project = tempfile::tempdir().unwrap();
    let truncation = |options: Value| {
        let setup = Setup::from_json(&options).unwrap();
        let engine = setup.overspill(&variable, project.path().to_owned());
        let response = json!({"status": "success", "data": {}, "text": numbered(40)});
        let asked = CallRequest::from_json(&json!({"tool": "Read"})).unwrap();
        let ShortenedResult::Changed(answer) =
            overspill_embed::apply(&engine, &response, &asked, &Gates::default())
        else {
            panic!("it is too long")
        };
        answer["data"]["truncation"].clone()
    };
    let found = truncation(json!({"profile": "unified"}));
    assert_eq!((&found["max_lines"], &found["direction"]), (&json!(5), &json!("tail")));
    assert_eq!(found["max_bytes"], 51_200);
    assert!(found["full_output_path"].as_str().unwrap().starts_with(".kept/tool_"));
    let found = truncation(json!({"profile": "unified", "max_lines": 7, "keep": "head"}));
    assert_eq!((&found["max_lines"], &found["direction"]), (&json!(7), &json!("head")));
    let setup = Setup::from_json(&json!({"profile": "unified"})).unwrap();
    let warnings = setup.warnings(&variable);
    assert_eq!(warnings, ["TOOL_OUTPUT_MAX_BYTES: \"lots\" is not a whole number, 0 or more"]);
    let own = Setup::from_json(&json!({})).unwrap();
    assert!(own.warnings(&variable).is_empty());
}

#[test]
fn ceiling_that_is_switched_off_lets_everything_pass() {
    let output = numbered(30_000);
    for profile in ["overspill", "klaude", "unified", "takumi", "agent-v2", "opencode"] {
        let is_whole = |ceiling: Option<bool>| {
            let engine = made(json!({"profile": profile, "enabled": false, "ceiling": ceiling}));
            matches!(engine.process(&output, &Call::default()), Outcome::Whole(_))
        };
        assert!(is_whole(Some(false)), "{profile}");
        assert!(!is_whole(Some(true)) && !is_whole(None), "{profile}");
    }
    assert!(Setup::from_json(&json!({"ceiling": 5})).is_err());
}

#[test]
fn redact_of_an_unknown_value_is_misuse() {
    for value in [json!("All"), json!("yes"), json!(""), json!(true), json!(1)] {
        let said = Setup::from_json(&json!({"redact": value})).err().unwrap().to_string();
        assert!(said.ends_with("is not one of off, store, all"), "{said}");
    }
    assert!(Setup::from_json(&json!({"redact": "all", "redactPattern": "("})).is_err());
}

#[test]
fn misuse_names_the_option_as_it_was_written() {
    let said = |options: Value| Setup::from_json(&options).err().unwrap().to_string();
    assert_eq!(
        said(json!({"maxLine": 1})),
        "maxLine: unknown option\nhint: did you mean `maxLines`?"
    );
    assert_eq!(
        said(json!({"max_line": 1})),
        "max_line: unknown option\nhint: did you mean `max_lines`?"
    );
    assert_eq!(said(json!({"nonsense": 1})), "nonsense: unknown option");
    assert_eq!(
        said(json!({"tools": {"bash": {"maxLines": "x"}}})),
        "tools.bash.maxLines: \"x\" is not a whole number, 0 or more, or \"none\""
    );
    assert_eq!(said(json!([])), "options: [] is not an object");
    assert!(said(json!({"profile": "x".repeat(500)})).len() < 250);
    assert!(CallRequest::from_json(&json!({"permission": [{"permission": "task"}]})).is_err());
}

#[test]
fn permissions_say_whether_work_can_be_handed_on() {
    let rule = |action: &str| json!({"permission": "task", "pattern": "*", "action": action});
    let can = |call: Value| CallRequest::from_json(&call).unwrap().options.delegate;
    assert!(can(json!({"permission": []})) && can(json!({"permission": [rule("allow")]})));
    assert!(!can(json!({})) && !can(json!({"permission": [rule("deny")]})));
    assert!(can(json!({"permission": [rule("deny")], "delegate": true})));
}

#[test]
fn strategy_answer_is_a_valid_choice_or_an_error() {
    let output = numbered(9).into_bytes();
    let policy = Policy::new(Limits::NONE.lines(2), overspill::core::Keep::Head);
    let of = |answer: Value| overspill_embed::choice(&answer, &output, &policy);
    assert_eq!(of(json!(true)), Ok(Choice::Whole));
    assert_eq!(of(json!([[0, 7]])).unwrap(), Choice::Pieces(std::iter::once(0..7).collect()));
    assert_eq!(
        of(json!("x")),
        Ok(Choice::Text("x".into(), LeftOut::Bytes(output.len() as u64 - 1)))
    );
    let said = json!({"text": "x", "leftOutLines": 3});
    assert_eq!(of(said), Ok(Choice::Text("x".into(), LeftOut::Lines(3))));
    assert!(matches!(of(json!(null)), Ok(Choice::Pieces(_))));
    for nonsense in
        [json!(false), json!(5), json!({}), json!([[1]]), json!([["a", 2]]), json!([[-1, 2]])]
    {
        assert!(of(nonsense.clone()).unwrap_err().contains("not a valid choice"), "{nonsense}");
    }
    let given = made(json!({"max_lines": 3}))
        .to_builder()
        .strategy(PrecomputedChoice(Err("no idea".into())))
        .build();
    assert!(matches!(given.process(&output, &Call::default()), Outcome::Spilled(_)));
}

/// Saves outputs as a store of another language would.
#[derive(Debug, Default)]
struct Shelf(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl StoreObject for Shelf {
    fn save(&self, bytes: Vec<u8>, call: &Call) -> Result<Value, Error> {
        let id = call.tool.clone().unwrap_or_default();
        self.0.lock().unwrap().insert(id.clone(), bytes);
        Ok(json!({ "id": id, "path": format!("shelf://{id}") }))
    }

    fn read(&self, id: &str, _: Range<u64>) -> Result<Vec<u8>, Error> {
        Ok(self.0.lock().unwrap()[id].clone())
    }

    fn info(&self, id: &str) -> Result<Value, Error> {
        let kept = self.0.lock().unwrap();
        Ok(kept.get(id).map_or(Value::Null, |bytes| json!({ "bytes": bytes.len(), "used": 0 })))
    }

    fn list(&self) -> Result<Value, Error> {
        let kept = self.0.lock().unwrap();
        Ok(kept
            .iter()
            .map(|(id, bytes)| json!({ "id": id, "bytes": bytes.len(), "used": 0 }))
            .collect())
    }

    fn delete(&self, id: &str) -> Result<(), Error> {
        self.0.lock().unwrap().remove(id);
        Ok(())
    }
}

#[test]
fn store_of_another_language_saves_reads_and_sweeps() {
    let kept = Arc::default();
    let shelf = CallbackStore::new(Shelf(Arc::clone(&kept)));
    let overspill =
        made(json!({"max_lines": 3})).to_builder().shared_store(Arc::new(shelf)).build();
    let output = numbered(9);
    let outcome = overspill.process(output.as_bytes(), &Call::new("make"));
    let Outcome::Spilled(spilled) = outcome else { unreachable!("nine lines do not fit") };
    assert_eq!(spilled.path(), Some("shelf://make"));
    assert_eq!(kept.lock().unwrap()["make"], numbered(9).into_bytes());
    let page = overspill_embed::read(&overspill, "make", &json!({"lines": [2, 2]})).unwrap();
    assert_eq!(page["text"], "line 2\n");
    assert!(overspill_embed::read(&overspill, "other", &json!({})).is_err());
    assert_eq!(overspill_embed::list(&overspill).unwrap()[0]["id"], "make");
    // It is swept on request, and not after a call.
    assert_eq!(overspill_embed::sweep(&overspill).unwrap()["removed"], 1);
    assert!(kept.lock().unwrap().is_empty());
}

#[test]
fn saved_output_is_read_and_searched_by_its_path() {
    let overspill = made(json!({"max_lines": 3}));
    let output = numbered(9);
    let outcome = overspill.process(&output, &Call::new("make"));
    let path = &outcome.saved().unwrap().path;
    let page = overspill_embed::read(&overspill, path, &json!({"lines": [2, 2]})).unwrap();
    assert_eq!(page["text"], "line 2\n");
    let found = overspill_embed::grep(&overspill, path, "line 7", &json!({})).unwrap();
    assert!(found.to_string().contains("line 7"), "{found}");
    let error = overspill_embed::read(&overspill, "..", &json!({})).unwrap_err();
    assert!(error.to_string().contains("neither the id nor the path"), "{error}");
}

#[test]
fn given_store_returns_answers_fetched_in_advance() {
    let overspill = made(json!({"max_lines": 3}));
    let output = numbered(9);
    let with = |answers: Value| {
        let store = Arc::new(PrecomputedStore::of(&answers, output.clone().into_bytes()).unwrap());
        let told = overspill.to_builder().shared_store(store.clone()).build();
        let path = match told.process(output.as_bytes(), &Call::default()) {
            Outcome::Spilled(spilled) => {
                spilled.saved.map(|saved| saved.path).map_err(|e| e.to_string())
            }
            _ => unreachable!("nine lines do not fit"),
        };
        (path, store.is_asked())
    };
    assert!(with(json!({})).1);
    assert_eq!(with(json!({"saved": "s3://bucket/7"})), (Ok("s3://bucket/7".into()), false));
    assert_eq!(with(json!({"saveError": "full"})), (Err("full".into()), false));
    for nonsense in
        [json!(null), json!(5), json!({}), json!(""), json!({"id": "../x"}), json!("/..")]
    {
        assert!(with(json!({ "saved": nonsense })).0.is_err(), "{nonsense}");
    }
    let listed =
        PrecomputedStore::of(&json!({"entries": [{"id": "a", "bytes": 5}]}), Vec::new()).unwrap();
    assert_eq!(listed.list().unwrap()[0].bytes, 5);
    assert!(PrecomputedStore::of(&json!({"entries": [{"id": "a"}]}), Vec::new()).is_err());
}

#[test]
fn return_value_of_any_form_is_shortened() {
    let overspill = made(json!({"max_lines": 5}));
    let asked = CallRequest::default();
    let apply =
        |result: &Value| overspill_embed::apply(&overspill, result, &asked, &Gates::default());
    let long = numbered(100);
    for unchanged in
        [json!(null), json!(5), json!("short"), json!([]), json!(["x"]), json!({"a": 1})]
    {
        assert_eq!(apply(&unchanged), ShortenedResult::Unchanged, "{unchanged}");
    }
    let parts = json!([{"type": "text", "text": long}, {"type": "image", "data": "aa"}]);
    let ShortenedResult::Changed(shortened) = apply(&parts) else { unreachable!("it is too long") };
    assert_eq!(shortened[1], parts[1]);
    assert!(shortened[0]["text"].as_str().unwrap().lines().count() <= 5);
    assert_eq!(overspill_embed::text(&overspill, &parts), Some(long));
}

#[test]
fn embedded_batch_has_one_budget() {
    let overspill = made(json!({}));
    let long = numbered(4000);
    let outputs = [b"short" as &[u8], long.as_bytes(), long.as_bytes()]
        .map(|it| (it, CallRequest::default()));
    let outcomes =
        overspill_embed::batch(&overspill, &outputs, &json!({"max_lines": 100})).unwrap();
    let lines = |outcome: &Outcome| String::from_utf8_lossy(outcome.bytes()).lines().count();
    assert!(matches!(outcomes[0], Outcome::Whole(_)));
    assert!(outcomes.iter().map(lines).sum::<usize>() <= 100);
    assert!(overspill_embed::batch(&overspill, &outputs, &json!({"lines": 1})).is_err());
}

#[test]
fn failed_strategy_beyond_the_ceiling_saves_the_output() {
    let overspill = made(json!({"profile": "agent-v2"}));
    let overspill =
        overspill.to_builder().strategy(PrecomputedChoice(Err("no idea".into()))).build();
    let below = numbered(3000);
    let outcome = overspill.process(below.as_bytes(), &Call::default());
    assert!(matches!(outcome, Outcome::Whole(_)));
    let beyond = numbered(60_000);
    let Outcome::Spilled(spilled) = overspill.process(beyond.as_bytes(), &Call::default()) else {
        panic!("it is cut")
    };
    let saved = spilled.saved.as_ref().unwrap();
    let page = overspill_embed::read(&overspill, saved.id.as_str(), &json!({"tail": 1})).unwrap();
    assert_eq!(page["text"], "line 60000\n");
}

#[test]
fn ceiling_can_be_switched_off() {
    let output = numbered(90_000);
    for profile in ["overspill", "klaude", "unified", "takumi", "agent-v2", "opencode"] {
        let is_cut = |ceiling: bool| {
            let options = json!({"profile": profile, "ceiling": ceiling, "enabled": false});
            let outcome = made(options);
            let outcome = outcome.process(output.as_bytes(), &Call::default());
            matches!(outcome, Outcome::Spilled(_))
        };
        assert_eq!((is_cut(true), is_cut(false)), (true, false), "{profile}");
    }
}
