//! Tests that with `Redact::All` no text from a tool to a model contains a secret.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::sync::Arc;

use overspill::core::Limits;
use overspill::internal::LiveSpill;
use overspill::internal::seeds::envelope;
use overspill::internal::store::RecentQuery;
use overspill::internal::tool::walk::ResultRules;
use overspill::internal::tool::{MultiText, shorten_any};
use overspill::store::{Disk, DiskOptions, Memory, Store};
use overspill::tool::registry::{Registry, Tool, ToolCall};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{
    Call, CallEnd, CallOptions, Masked, Outcome, Overspill, Profile, Redact, Redaction, Report,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The text that all secrets here contain.
const SECRET: &str = "a1B2c3D4e5F6g7H8i9J0";

fn token() -> String {
    format!("{}_{}", "ghp", SECRET.repeat(2))
}

fn stars() -> String {
    format!("ghp_{}", "*".repeat(40))
}

fn key() -> String {
    let kind = "PRIVATE";
    format!("-----BEGIN {kind} KEY-----\n{SECRET}\n{SECRET}\n-----END {kind} KEY-----")
}

fn all() -> Redact {
    Redact::All(Arc::new(Redaction::new(None).unwrap()))
}

fn engine(profile: Profile) -> Overspill {
    Overspill::new(profile, Memory::default()).to_builder().redact(all()).build()
}

/// Returns the content of all saved outputs.
fn saved(overspill: &Overspill) -> String {
    let store = overspill.store();
    let read = |entry: overspill::store::Entry| store.read(&entry.name, 0..u64::MAX).unwrap();
    let all: Vec<Vec<u8>> = store.list().unwrap().into_iter().map(read).collect();
    String::from_utf8(all.concat()).unwrap()
}

fn long(text: &str) -> String {
    format!("{}{text}\n{}", "one line\n".repeat(3000), "another line\n".repeat(1500))
}

#[test]
fn short_output_is_masked_and_counted() {
    for profile in Profile::ALL {
        let overspill = engine(profile);
        let token = token();
        let outcome = overspill.process(token.as_bytes(), &Call::default());
        let expected = Masked { bytes: stars().into_bytes(), count: 1 };
        assert!(matches!(&outcome, Outcome::Masked(masked) if *masked == expected), "{outcome:?}");
        let report = Report::of(&outcome, profile_lines());
        assert_eq!((report.masked, &*report.text, report.spilled), (1, &*stars(), false));
        let plain = overspill.process(b"plain", &Call::default());
        assert!(matches!(plain, Outcome::Whole(std::borrow::Cow::Borrowed(b"plain"))));
    }
}

#[test]
fn call_fields_are_masked_in_records() {
    let overspill = engine(Profile::OWN);
    let call = Call {
        tool: Some(token()),
        id: Some(token()),
        session: Some(token()),
        command: Some(token()),
        directory: Some(token()),
    };
    overspill.process(long("x").as_bytes(), &call);
    let store = overspill.store();
    for entry in store.list().unwrap() {
        let record = store.record(&entry.name).unwrap().unwrap();
        assert!(!format!("{record:?}").contains(SECRET), "{record:?}");
        assert_eq!(record.call.session, Some(stars()));
    }
}

fn profile_lines() -> overspill::core::LineRule {
    Profile::OWN.policy.lines
}

#[test]
fn shortened_output_is_masked_and_counted_even_if_saving_fails() {
    let output = long(&format!("error: {}\n{}", token(), key()));
    for profile in Profile::ALL {
        let overspill = engine(profile);
        let outcome = overspill.process(output.as_bytes(), &Call::default());
        let Outcome::Spilled(spilled) = outcome else { panic!("it is too large") };
        assert_eq!(spilled.masked, 2);
        assert!(!spilled.text.contains(SECRET) && !saved(&overspill).contains(SECRET));
    }
    let nowhere = overspill::internal::store::Nowhere::because("it is full");
    let overspill = Overspill::new(Profile::OWN, nowhere).to_builder().redact(all()).build();
    let outcome = overspill.process(output.as_bytes(), &Call::default());
    assert_eq!(Report::of(&outcome, profile_lines()).masked, 2);
}

#[test]
fn strategy_gets_no_secret() {
    #[derive(Debug)]
    struct Ask;
    impl overspill::core::Strategy for Ask {
        fn choose(
            &self,
            output: &[u8],
            _: &overspill::core::Policy,
        ) -> Result<overspill::core::Choice, overspill::core::StrategyError> {
            let text = String::from_utf8_lossy(output);
            assert!(!text.contains(SECRET) && text.contains("ghp_***"));
            Ok(overspill::core::Choice::Whole)
        }
    }
    let overspill = engine(Profile::OWN).to_builder().strategy(Ask).build();
    let token = token();
    let outcome = overspill.process(token.as_bytes(), &Call::default());
    assert_eq!(outcome.bytes(), stars().as_bytes());
    assert!(matches!(outcome, Outcome::Masked(_)));
}

#[test]
fn results_are_masked_behind_every_gate() {
    let gates = [
        Gates::default(),
        Gates { skip: vec!["tool".into()], ..Gates::default() },
        Gates {
            predicate: Some(Arc::new(|_: &str, result: &Value| {
                assert!(!result.to_string().contains(SECRET));
                overspill::tool::Verdict::No
            })),
            ..Gates::default()
        },
    ];
    for profile in Profile::ALL {
        let overspill = engine(profile);
        for gates in &gates {
            for text in [token(), long(&token())] {
                let results = [
                    json!(text),
                    json!({"output": text, "content": text, "error": token(), "isError": true}),
                    json!({"output": [{"type": "text", "text": text}, {"type": "image", "data": token(), "mimeType": "image/png"}]}),
                    json!({"metadata": {"deep": [{(token()): token()}]}}),
                    json!([token()]),
                ];
                for result in results {
                    let shortened = overspill.shorten_result(
                        &result,
                        &Call::new("tool"),
                        &CallOptions::default(),
                        gates,
                    );
                    let ShortenedResult::Changed(shown) = shortened else { panic!("{result}") };
                    assert!(
                        !shown.to_string().contains(SECRET),
                        "{}: {shown}",
                        profile_name(&overspill)
                    );
                }
            }
        }
        assert!(!saved(&overspill).contains(SECRET));
    }
}

fn profile_name(overspill: &Overspill) -> String {
    format!("{overspill:?}")
}

#[test]
fn result_record_counts_secrets_only_if_there_are_any() {
    let overspill = engine(Profile::OWN);
    let shorten = |text: String| {
        let result = json!({ "output": text });
        let shortened = overspill.shorten_result(
            &result,
            &Call::default(),
            &CallOptions::default(),
            &Gates::default(),
        );
        let ShortenedResult::Changed(shown) = shortened else { panic!("it is too large") };
        shown.to_string()
    };
    let shown = shorten(long(&token()));
    assert!(shown.contains("\"masked\":1") && shown.contains("1 secret masked]"), "{shown}");
    assert!(!shorten(long("plain")).contains("masked"));
}

#[test]
fn envelopes_are_masked_as_json() {
    let overspill = engine(Profile::UNIFIED);
    let respond = |response: &str| {
        let call = Call::new("tool");
        envelope::respond(&overspill, response, &call, &CallOptions::default()).into_owned()
    };
    let escaped = token().replace('a', "\\u0061");
    let fits = format!(
        r#"{{ "status":"success" , "text":"\u00e9 {escaped}","data":{{"{}":1}} }}"#,
        token()
    );
    let expected =
        format!(r#"{{ "status":"success" , "text":"\u00e9 {0}","data":{{"{0}":1}} }}"#, stars());
    assert_eq!(respond(&fits), expected);
    let skips = json!({"text": token(), "context": {"truncation_skip": true}}).to_string();
    assert!(!respond(&skips).contains(SECRET));
    assert_eq!(respond(&token()), stars());
    let large =
        json!({"status": "error", "text": long(&key()), "error": token(), "stats": {"a": token()}});
    let answer = respond(&large.to_string());
    serde_json::from_str::<Value>(&answer).unwrap();
    assert!(!answer.contains(SECRET) && !saved(&overspill).contains(SECRET), "{answer}");
    let plain = r#"{"text" : "plain\/"}"#;
    assert_eq!(respond(plain), plain);
}

#[test]
fn results_and_failures_of_registered_tools_are_masked() {
    let mut registry = Registry::new().shortened_by(engine(Profile::OWN), Gates::default());
    registry.register(Tool::new("good", |_| Ok(json!({ "output": token() }))));
    registry.register(Tool::new("odd", |_| Ok(json!([token()]))));
    registry.register(Tool::new("bad", |_| Err(format!("no right with {}", token()))));
    let call = |name: &str| ToolCall { id: "1".into(), name: name.into(), arguments: "{}".into() };
    for executed in registry.execute(&[call("good"), call("odd"), call("bad")]) {
        let shown = executed.result.to_string();
        assert!(shown.contains(&stars()) && !shown.contains(SECRET), "{shown}");
    }
}

#[test]
fn joined_texts_are_masked_in_place() {
    let overspill = engine(Profile::OWN);
    let mut joined = MultiText::new(&overspill, Call::default(), CallOptions::default());
    let (token, key) = (token(), key());
    let texts = ["first", &token, "", &key, "last\n"];
    for text in texts {
        joined.next_text();
        text.as_bytes().chunks(3).for_each(|chunk| joined.push(chunk));
    }
    let Some((Outcome::Masked(masked), shown)) = joined.finish() else { panic!("it has secrets") };
    let expected = [
        "first".to_owned(),
        stars(),
        String::new(),
        key.replace(SECRET, &"*".repeat(20)),
        "last\n".into(),
    ];
    assert_eq!((masked.count, shown), (2, expected.into()));
}

#[test]
fn output_saved_with_secrets_is_read_without_them() {
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let off = Overspill::builder().profile(Profile::OWN).shared_store(store.clone()).build();
    let call = Call { command: Some(format!("login {}", token())), ..Call::default() };
    let output = long(&format!("{{\"a\":\"{}\"}}\n{}", token(), key()));
    let Outcome::Spilled(spilled) = off.process(output.as_bytes(), &call) else { panic!() };
    let name = &spilled.saved.as_ref().unwrap().id;
    assert_eq!(store.read(name, 0..u64::MAX).unwrap(), output.as_bytes());

    let all = Overspill::builder().profile(Profile::OWN).shared_store(store).redact(all()).build();
    let shown = all.shown_store();
    let whole = shown.read(name, 0..u64::MAX).unwrap();
    let whole = String::from_utf8(whole).unwrap();
    assert!(!whole.contains(SECRET) && whole.len() == output.len());
    // The start of a read makes no difference.
    let at = whole.find("ghp_").unwrap() as u64;
    for start in at - 30..at + 200 {
        for len in [1, 7, 60] {
            let part = shown.read(name, start..start + len).unwrap();
            assert_eq!(part, whole.as_bytes()[start as usize..(start + len) as usize], "{start}");
        }
    }
    assert_eq!(shown.read(name, 9_999_999..10_000_000).unwrap(), b"");
    let record = shown.record(name).unwrap().unwrap();
    assert_eq!(record.call.command, Some(format!("login {}", stars())));
}

#[test]
fn masked_store_masks_the_command_in_every_capability() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Disk::new(directory.path().join("store"), DiskOptions::default());
    let store: Arc<dyn Store> = Arc::new(disk);
    let off = Overspill::builder().profile(Profile::OWN).shared_store(store.clone()).build();
    let call = Call { command: Some(token()), tool: Some(token()), ..Call::default() };
    let Outcome::Spilled(spilled) = off.process(long("x").as_bytes(), &call) else { panic!() };
    let name = spilled.saved.unwrap().id;
    let shown = all().shown_store(&store);

    let names = std::slice::from_ref(&name);
    let query = RecentQuery { most: 9, ..RecentQuery::default() };
    let live = [
        format!("{:?}", shown.record(&name).unwrap().unwrap()),
        format!("{:?}", shown.records(names).unwrap()[0].as_ref().unwrap()),
        format!("{:?}", shown.newest(&query).unwrap().entries[0]),
        format!("{:?}", shown.named(name.as_str()).unwrap()[0]),
    ];
    assert!(shown.open_file(&name).unwrap().is_none(), "the file has the text without masks");
    assert!(shown.expire(&[&shown.entry(&name).unwrap()]).remove(0).unwrap());
    let expired = [
        format!("{:?}", shown.expired(&name).unwrap().unwrap()),
        format!("{:?}", shown.all_expired().unwrap()[0]),
    ];
    for (what, text) in live.iter().chain(&expired).enumerate() {
        assert!(!text.contains(SECRET), "{what}: {text}");
        assert!(what == 3 || text.contains(&stars()), "{what}: {text}");
    }
}

#[test]
fn masked_store_conforms_and_finds_all_outputs_of_its_store() {
    let directory = tempfile::tempdir().unwrap();
    let number = std::sync::atomic::AtomicUsize::new(0);
    let make = || -> Arc<dyn Store> {
        let next = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let durability = overspill::store::Durability::None;
        let options = DiskOptions { durability, keep_free: 0, ..DiskOptions::default() };
        Arc::new(Disk::new(directory.path().join(next.to_string()), options))
    };
    overspill::store::conformance(|| all().shown_store(&make()));
    let store = make();
    let overspill = Overspill::builder().profile(Profile::OWN).shared_store(store.clone()).build();
    let Outcome::Spilled(spilled) = overspill.process(long("x").as_bytes(), &Call::default())
    else {
        panic!()
    };
    let name = spilled.saved.unwrap().id;
    let (start, end) = name.as_str().split_at(name.as_str().len() - 6);
    let shown = all().shown_store(&store);
    assert_eq!(shown.ending(end).unwrap(), std::slice::from_ref(&name));
    assert_eq!(shown.named(start).unwrap(), store.named(start).unwrap());
    assert_eq!(shown.place(&name), store.place(&name));
    assert_eq!(shown.line_start(&name, 3_000).unwrap(), store.line_start(&name, 3_000).unwrap());
    assert_eq!(shown.line_at(&name, 9_000).unwrap(), store.line_at(&name, 9_000).unwrap());
    assert_eq!(shown.check(&name).unwrap(), overspill::internal::store::Integrity::Whole);
    shown.pin(&name, true).unwrap();
    assert!(store.entry(&name).unwrap().pinned);
}

proptest! {
    #[test]
    fn secret_is_shown_by_no_api(
        before in "[a-z \n:/\"\\\\é]{0,60}",
        after in "[a-z \n:/\"\\\\é]{0,60}",
        lines in prop_oneof![Just(0_usize), 0..40_usize, 3000..3100_usize],
        is_key in any::<bool>(),
        escape in prop::sample::select(vec![" ", "\\n", "\\u00e9", "%3D", "\x1b[1;32m", "\x1b]0;t\x07"]),
        sizes in prop::collection::vec(1..5000_usize, 1..4),
    ) {
        let secret = if is_key { key() } else { format!("{escape}{}", token()) };
        let text = format!("{before}\n{}{secret} {after}\n", "line\n".repeat(lines));
        for profile in [Profile::OWN, Profile::OPENCODE, Profile::KLAUDE] {
            let overspill = engine(profile);
            let mut spill = LiveSpill::new(&overspill, Call::default(), CallOptions::default());
            let mut seen = Vec::new();
            let mut rest = text.as_bytes();
            for size in sizes.iter().cycle() {
                let (chunk, later) = rest.split_at((*size).min(rest.len()));
                spill.push_showing(chunk, |shown| seen.extend_from_slice(shown));
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            spill.flush_held(|shown| seen.extend_from_slice(shown));
            let streamed = spill.finish(CallEnd::default());
            let whole = overspill.process(text.as_bytes(), &Call::default());
            let result = json!({"output": text, "metadata": {"a": [text]}, "content": [{"type": "text", "text": text}]});
            let shortened = overspill.shorten_result(&result, &Call::default(), &CallOptions::default(), &Gates::default());
            let ShortenedResult::Changed(shortened) = shortened else { panic!("it has secrets") };
            for shown in [
                String::from_utf8_lossy(&seen).into_owned(),
                String::from_utf8_lossy(streamed.bytes()).into_owned(),
                String::from_utf8_lossy(whole.bytes()).into_owned(),
                shortened.to_string(),
                saved(&overspill),
            ] {
                prop_assert!(!shown.contains(SECRET), "{}", shown);
            }
            prop_assert_eq!(seen.len(), text.len());
        }
        let unified = engine(Profile::UNIFIED);
        let response = json!({"status": "success", "text": text, "data": {"list": [text]}}).to_string();
        let answer = envelope::respond(&unified, &response, &Call::default(), &CallOptions::default());
        prop_assert!(serde_json::from_str::<Value>(&answer).is_ok());
        prop_assert!(!answer.contains(SECRET), "{}", answer);
    }
}

#[test]
fn joined_texts_are_masked_after_earlier_masking() {
    let overspill = engine(Profile::OWN);
    for (output, is_cut) in [(token(), false), (long(&token()), true)] {
        let mut joined = MultiText::new(&overspill, Call::default(), CallOptions::default());
        joined.add_masked(2);
        joined.next_text();
        joined.push(output.as_bytes());
        let (outcome, texts) = joined.finish().unwrap();
        assert!(!texts.concat().contains(SECRET) && !saved(&overspill).contains(SECRET));
        let report = Report::of(&outcome, profile_lines());
        assert_eq!((report.masked, report.spilled), (3, is_cut));
    }
}

#[test]
fn live_output_is_masked_and_counted_once() {
    let overspill = engine(Profile::OWN);
    let mut spill = LiveSpill::new(&overspill, Call::default(), CallOptions::default());
    let (token, text) = (token(), long(""));
    spill.push_showing(format!("{token}\n{}", &token[..20]).as_bytes(), |_| {});
    // The second token is held back until the rest arrives.
    let so_far = spill.held().unwrap();
    assert_eq!(String::from_utf8_lossy(so_far), format!("{}\n", stars()));
    assert!(spill.tighten(Limits::NONE.bytes(10)) && spill.held().is_none());
    spill.push_showing(format!("{}\n{text}", &token[20..]).as_bytes(), |_| {});
    let Outcome::Spilled(spilled) = spill.finish(CallEnd::default()) else {
        panic!("it is too large")
    };
    assert_eq!(spilled.masked, 2);
    let expected = format!("{0}\n{0}\n{text}", stars());
    assert!(!spilled.text.contains(SECRET));
    assert_eq!(saved(&overspill), expected);
}

#[test]
fn lines_kept_from_the_hole_are_masked() {
    let directory = tempfile::tempdir().unwrap();
    let options = DiskOptions { most_per_output: 2_000, keep_free: 0, ..DiskOptions::default() };
    let rules = Arc::new(Redaction::new(None).unwrap());
    let overspill =
        Overspill::new(Profile::OWN, Disk::new(directory.path().join("store"), options))
            .to_builder()
            .redact(Redact::Saved(rules))
            .build();
    // The preview shows every one of these lines, because each reports a failure.
    let lines = |text: &str| -> String {
        text.lines().map(|line| format!("{line}\nerror: failed to connect\n")).collect()
    };
    let secrets = format!("error: bad token {}\nerror: bad key\n{}\n", token(), key());
    let output = long(&lines("error: one\nerror: two")).replacen(
        "error: two\n",
        &format!("error: two\n{secrets}"),
        1,
    );
    let mut spill = overspill.spill(Call::new("tool"), CallOptions::default());
    output.as_bytes().chunks(100).for_each(|chunk| spill.push(chunk));
    let Outcome::Spilled(spilled) = spill.finish(CallEnd::default()) else { panic!("it is long") };
    assert!(spilled.text.contains("error: bad token"), "{}", spilled.text);
    let stored = saved(&overspill);
    assert!(stored.contains(&format!("error: bad token {}", stars())), "{stored}");
    assert!(stored.contains("error: bad key\n") && !stored.contains(SECRET), "{stored}");
}

#[test]
fn result_in_an_unknown_form_is_masked_if_it_fits() {
    let result = json!({ "status": "ok", "note": token() });
    let (call, rules) = (Call::new("lookup"), ResultRules::default());
    let shortened = shorten_any(&engine(Profile::OWN), &result, &call, &rules);
    let ShortenedResult::Changed(masked) = shortened else { panic!("the secret stays") };
    assert!(!masked.to_string().contains(SECRET), "{masked}");
    assert_eq!(masked["status"], "ok");
    let plain = json!({ "status": "ok" });
    assert_eq!(
        shorten_any(&engine(Profile::OWN), &plain, &call, &rules),
        ShortenedResult::Unchanged
    );
}
