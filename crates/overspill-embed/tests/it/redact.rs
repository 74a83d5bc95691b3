//! Tests that no answer of a package shows a secret with `Redact::All`.

use std::sync::Arc;

use overspill::store::{Memory, Store};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, Outcome, Overspill, Profile, Redact, Redaction};
use overspill_embed::CallRequest;
use serde_json::{Value, json};

/// The middle of every secret in these tests.
const SECRET: &str = "a1B2c3D4e5F6g7H8i9J0";

fn token() -> String {
    format!("{}_{}", "ghp", SECRET.repeat(2))
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

fn long(text: &str) -> String {
    format!("{}{text}\n{}", "one line\n".repeat(3000), "another line\n".repeat(1500))
}

#[test]
fn result_of_a_package_call_is_masked() {
    let asked = CallRequest::default();
    for profile in Profile::ALL {
        let overspill = engine(profile);
        for result in
            [json!(token()), json!([{"type": "text", "text": token()}]), json!({"output": token()})]
        {
            let shortened = overspill_embed::apply(&overspill, &result, &asked, &Gates::default());
            let ShortenedResult::Changed(shown) = shortened else { panic!("{result}") };
            assert!(!shown.to_string().contains(SECRET), "{shown}");
        }
    }
}

#[test]
fn answers_about_an_output_saved_with_secrets_are_masked() {
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let off = Overspill::builder().profile(Profile::OWN).shared_store(store.clone()).build();
    let call = Call { command: Some(format!("login {}", token())), ..Call::default() };
    let output = long(&format!("{{\"a\":\"{}\"}}\n{}", token(), key()));
    let Outcome::Spilled(spilled) = off.process(output.as_bytes(), &call) else { panic!() };
    let name = &spilled.saved.as_ref().unwrap().id;
    let at = output.find("ghp_").unwrap() as u64;

    let all = Overspill::builder().profile(Profile::OWN).shared_store(store).redact(all()).build();
    for asked in
        [json!({"lines": [2990, 3020]}), json!({"bytes": [at - 5, at + 20]}), json!({"tail": 1510})]
    {
        let page = overspill_embed::read(&all, name.as_str(), &asked).unwrap().to_string();
        assert!(page.contains("***") && !page.contains("a1B2c3"), "{asked}: {page}");
        assert!(
            overspill_embed::read(&off, name.as_str(), &asked)
                .unwrap()
                .to_string()
                .contains("a1B2c3")
        );
    }
    let found = overspill_embed::grep(&all, name.as_str(), "ghp_", &json!({"context": 3}))
        .unwrap()
        .to_string();
    assert!(found.contains("***") && !found.contains("a1B2c3"), "{found}");
    let found = overspill_embed::grep(&all, name.as_str(), SECRET, &Value::Null).unwrap();
    assert_eq!(found["text"], "");
    assert!(!overspill_embed::list(&all).unwrap().to_string().contains(SECRET));
}

#[test]
fn store_of_another_language_gets_no_secret() {
    for profile in Profile::ALL {
        for redact in [all(), Redact::Saved(Arc::new(Redaction::new(None).unwrap()))] {
            let overspill = engine(profile.clone()).to_builder().redact(redact).build();
            for result in [json!(token()), json!({ "status": "success", "data": token() })] {
                let text = overspill_embed::text(&overspill, &result).unwrap_or_default();
                assert!(!text.contains(SECRET), "{}: {text}", profile.name);
            }
        }
    }
}

#[test]
fn call_options_cannot_say_that_an_output_is_masked() {
    for value in [json!(0), json!(7), json!(null)] {
        let error = CallRequest::from_json(&json!({ "masked": value })).unwrap_err();
        assert_eq!(error.to_string(), "masked: unknown option");
    }
}
