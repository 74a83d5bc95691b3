//! Tests the variables that the profile `unified` reads.

use std::ffi::OsString;

use overspill::{Call, Outcome};
use overspill_embed::{CallRequest, Setup};
use serde_json::{Value, json};

fn variable(name: &str) -> Option<OsString> {
    let value = match name {
        "TOOL_OUTPUT_MAX_LINES" => "3",
        "TOOL_OUTPUT_MAX_BYTES" => "900",
        "TOOL_OUTPUT_TRUNCATE_DIRECTION" => "tail",
        "TOOL_OUTPUT_DIR" => "outputs",
        "TOOL_OUTPUT_RETENTION_DAYS" => "2",
        _ => return None,
    };
    Some(value.into())
}

fn rubbish(name: &str) -> Option<OsString> {
    name.starts_with("TOOL_OUTPUT_").then(|| "../rubbish".into())
}

fn shortened(options: &Value, at: &std::path::Path) -> Value {
    let setup = Setup::from_json(options).unwrap();
    let overspill = setup.overspill(&variable, at.to_owned());
    let asked = CallRequest { call: Call::new("Read"), ..CallRequest::default() };
    let response = json!({"status": "success", "text": "line\n".repeat(50)});
    let overspill::tool::ShortenedResult::Changed(answer) =
        overspill_embed::apply(&overspill, &response, &asked, &setup.gates)
    else {
        panic!("the response is shortened")
    };
    answer["data"]["truncation"].clone()
}

#[test]
fn unified_reads_its_five_variables() {
    let at = tempfile::tempdir().unwrap();
    let truncation = shortened(&json!({"profile": "unified"}), at.path());
    assert_eq!(truncation["direction"], "tail");
    assert_eq!((&truncation["max_lines"], &truncation["max_bytes"]), (&json!(3), &json!(900)));
    let path = truncation["full_output_path"].as_str().unwrap();
    assert!(path.starts_with("outputs/tool_"), "{path}");
    let setup = Setup::from_json(&json!({"profile": "unified"})).unwrap();
    assert_eq!(setup.directory(&variable, at.path().into()), Some(at.path().join("outputs")));
    assert!(setup.warnings(&variable).is_empty());
}

#[test]
fn options_override_variables() {
    let at = tempfile::tempdir().unwrap();
    let options = json!({"profile": "unified", "max_lines": 5, "keep": "head", "store": "mine"});
    let truncation = shortened(&options, at.path());
    assert_eq!((&truncation["direction"], &truncation["max_lines"]), (&json!("head"), &json!(5)));
    assert_eq!(truncation["max_bytes"], 900);
    assert!(at.path().join("mine").is_dir());
}

#[test]
fn invalid_variable_warns_and_its_default_applies() {
    let setup = Setup::from_json(&json!({"profile": "unified"})).unwrap();
    let warnings = setup.warnings(&rubbish);
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    let said = "TOOL_OUTPUT_MAX_LINES: \"../rubbish\" is not a whole number, 0 or more";
    assert_eq!(warnings[0], said);
    let at = setup.directory(&rubbish, "/project".into());
    assert_eq!(at, Some("/project/tool-output".into()));
}

#[test]
fn other_profiles_ignore_the_variables_of_unified() {
    for profile in ["overspill", "klaude", "takumi", "agent-v2", "opencode"] {
        let setup = Setup::from_json(&json!({"profile": profile})).unwrap();
        assert!(setup.warnings(&rubbish).is_empty());
        let overspill = setup.overspill(&variable, "/".into());
        let outcome = overspill.process(b"1\n2\n3\n4\n5\n", &Call::default());
        assert!(matches!(outcome, Outcome::Whole(_)));
    }
}

#[test]
fn project_root_is_where_relative_paths_begin() {
    let at = tempfile::tempdir().unwrap();
    let options = json!({"profile": "unified", "project_root": at.path()});
    let elsewhere = tempfile::tempdir().unwrap();
    let truncation = shortened(&options, elsewhere.path());
    let path = truncation["full_output_path"].as_str().unwrap();
    assert!(path.starts_with("outputs/tool_") && at.path().join(path).is_file(), "{path}");
}
