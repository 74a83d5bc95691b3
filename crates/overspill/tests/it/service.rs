//! Tests of the service of `agent-v2`, of the variables of `unified`, and of the registry with a
//! context for each turn.

use std::ffi::OsString;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use overspill::core::{Choice, Keep, Policy, Strategy, StrategyError};
use overspill::seeds::{
    PermissionRule, Service, ServiceContext, ServiceEvent, ServiceResult, cleanup_by_name,
    envelope, from_variables,
};
use overspill::store::{Draft, Entry, Memory, OutputId, SpillRef, Store};
use overspill::tool::Gates;
use overspill::tool::registry::{Registry, Tool, ToolCall, TurnContext};
use overspill::{Call, CallEnd, CallOptions, Error, Layer, Overspill, Part, Profile, Retention};
use serde_json::{Value, json};

fn lines(n: usize) -> String {
    (0..n).map(|n| format!("line {n}\n")).collect()
}

fn path_of(result: &ServiceResult) -> String {
    result.output_path().unwrap().to_owned()
}

#[test]
fn service_saves_in_its_storage_directory_and_reads_the_path_back() {
    let dir = tempfile::tempdir().unwrap();
    let config = json!({"global": {"maxLines": 10, "storageDir": "kept/here"}});
    let service = Service::from_json(&config, dir.path());
    assert_eq!(service.warnings(), []);
    let output = lines(100);
    let result = service.output(&output, ServiceContext::new("make").session("s").message("m"));
    let path = path_of(&result);
    assert!(path.starts_with(dir.path().join("kept/here/make_").to_str().unwrap()), "{path}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), output);
    let page = service.overspill().read(&path, Part::Tail(1)).unwrap();
    assert_eq!(page.text, "line 99\n");
    let usual = Service::from_json(&json!({"maxLines": 10}), dir.path());
    let path = path_of(&usual.output(&output, "make"));
    assert!(path.starts_with(dir.path().join("data/truncation").to_str().unwrap()), "{path}");
    // The JSON of both variants is that of the document.
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!((&json["truncated"], &json["removedLines"]), (&json!(true), &json!(91)));
    assert_eq!(serde_json::from_value::<ServiceResult>(json).unwrap(), result);
    let whole = serde_json::to_value(service.output("short", "make")).unwrap();
    assert_eq!(whole, json!({"content": "short", "truncated": false}));
}

#[test]
fn service_update_merges_and_set_tool_replaces() {
    let dir = tempfile::tempdir().unwrap();
    let config = json!({
        "global": {"maxLines": 20},
        "tools": {"bash": {"direction": "tail", "maxLines": 10}},
    });
    let mut service = Service::from_json(&config, dir.path());
    let starts = |service: &Service, tool: &str| {
        service.output(&lines(50), tool).content().lines().next().unwrap().to_owned()
    };
    assert_eq!(starts(&service, "bash"), "...41 lines truncated...");
    service.set_tool("bash", Layer::new().max_lines(5));
    assert_eq!(starts(&service, "bash"), "line 0", "the direction is gone");
    service.update(&Layer::new().keep(Keep::Tail));
    assert_eq!(starts(&service, "other"), "...31 lines truncated...", "20 lines are still shown");
    let once = ServiceContext::new("other").options(Layer::new().max_lines(30));
    assert!(service.output(&lines(50), once).content().starts_with("...21 lines"));
    service.update(&Layer::new().enabled(false));
    assert!(!service.output(&lines(50), "other").is_cut());
    let again = ServiceContext::new("other").options(Layer::new().enabled(true));
    assert!(service.output(&lines(50), again).is_cut());
}

#[test]
fn service_cleanup_counts_the_days_of_its_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let config = json!({"global": {"maxLines": 1, "retentionDays": 2}});
    let mut service = Service::from_json(&config, dir.path());
    assert_eq!(service.cleanup().unwrap(), 0, "there is no directory yet");
    let path = path_of(&service.output(&lines(3), "other"));
    let age = |days: u64| {
        let time = SystemTime::now() - Duration::from_secs(days * 86_400 + 60);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    age(1);
    assert_eq!(service.cleanup().unwrap(), 0);
    age(2);
    service.set_retention_days(3);
    assert_eq!(service.cleanup().unwrap(), 0);
    service.set_retention_days(2);
    assert_eq!(service.cleanup().unwrap(), 1);
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn service_reports_every_configuration_mistake_and_continues() {
    let dir = tempfile::tempdir().unwrap();
    let config = json!({
        "global": {"maxLines": -1, "direction": "up", "storageDir": 7, "retentionDays": "soon"},
        "tools": {"bash": {"maxLines": "all", "storageDir": "x"}},
        "strategy": "best",
    });
    let service = Service::from_json(&config, dir.path());
    let keys: Vec<&str> = service.warnings().iter().map(|it| it.key.as_str()).collect();
    for key in [
        "maxLines",
        "direction",
        "storageDir",
        "retentionDays",
        "tools.bash.maxLines",
        "tools.bash.storageDir",
        "strategy",
    ] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    assert_eq!(keys.len(), 7, "{keys:?}");
    assert!(service.output(&lines(3000), "other").is_cut());
    for odd in [json!(null), json!([1]), json!("x"), json!(3)] {
        assert!(Service::from_json(&odd, dir.path()).output(&lines(3000), "x").is_cut(), "{odd}");
    }
    assert!(!Service::from_json(&json!(false), dir.path()).output(&lines(3000), "x").is_cut());
}

#[test]
fn service_events_have_a_time_and_survive_a_panicking_listener() {
    let events: Arc<Mutex<Vec<ServiceEvent>>> = Arc::default();
    let heard = events.clone();
    let before = jiff::Timestamp::now().as_millisecond();
    let service = Service::new(Overspill::new(Profile::AGENT_V2, Memory::default()));
    let service = service.on_event(move |event| {
        heard.lock().unwrap().push(event.clone());
        panic!("a listener of a user");
    });
    assert!(service.output(&lines(3000), "x").is_cut());
    assert!(!service.output("short", "x").is_cut());
    let events = events.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let types: Vec<&str> = events.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(types, ["truncated", "skipped"]);
    assert!(events.iter().all(|event| event.timestamp >= before));
    let json = serde_json::to_value(&events[0]).unwrap();
    assert_eq!(json["timestamp"], json!(events[0].timestamp));
}

/// A user's strategy that fails.
struct Wrong(fn() -> Result<Choice, StrategyError>);

impl Strategy for Wrong {
    fn choose(&self, _: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
        (self.0)()
    }
}

#[test]
fn service_with_failing_strategy_returns_the_original_and_reports_it() {
    let wrong: [fn() -> Result<Choice, StrategyError>; 4] = [
        || panic!("a strategy of a user"),
        || Err("no".into()),
        || Ok(Choice::Pieces([(7, 3)].map(|(from, to)| from..to).into())),
        || Ok(Choice::Pieces([(0, usize::MAX)].map(|(from, to)| from..to).into())),
    ];
    for strategy in wrong {
        let events: Arc<Mutex<Vec<ServiceEvent>>> = Arc::default();
        let heard = events.clone();
        let service = Service::new(Overspill::new(Profile::AGENT_V2, Memory::default()))
            .strategy(Wrong(strategy))
            .on_event(move |event| heard.lock().unwrap().push(event.clone()));
        let output = lines(3000);
        assert_eq!(service.output(&output, "x"), ServiceResult::Whole { content: output });
        // Beyond the ceiling even the original is shortened.
        assert!(service.output(&lines(30_000), "x").is_cut());
        let types: Vec<String> =
            events.lock().unwrap().iter().map(|event| event.r#type.clone()).collect();
        assert_eq!(types, ["error", "error"]);
    }
}

/// The document of opencode judges the age by the name. The usual sweep judges it by the last use.
#[test]
fn cleanup_by_name_removes_whole_days_that_are_too_old() {
    let dir = tempfile::tempdir().unwrap();
    let now = "2026-02-19T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
    let clock = overspill::Clock::fixed(now.to_zoned(jiff::tz::TimeZone::UTC));
    let overspill =
        Overspill::builder().profile(Profile::OPENCODE).directory(dir.path()).clock(clock).build();
    assert_eq!(cleanup_by_name(&overspill).unwrap(), 0, "nothing is there");
    let (gone, kept) = (
        ["tool_20200101_abcdef", "tool_20260211_aaaaaa"],
        [
            "tool_20260212_bbbbbb",
            "tool_20260219_cccccc",
            "tool_zzzz",
            "tool_20269999_dddddd",
            "keep",
        ],
    );
    let fresh = now.into();
    for name in gone.iter().chain(&kept) {
        let path = dir.path().join(name);
        std::fs::write(&path, "x").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(fresh).unwrap();
    }
    assert_eq!(overspill.sweep().unwrap().removed, 0, "all were used just now");
    assert_eq!(cleanup_by_name(&overspill).unwrap(), 2);
    assert!(gone.iter().all(|name| !dir.path().join(name).exists()));
    assert!(kept.iter().all(|name| dir.path().join(name).exists()));
}

/// Returns an id in the form that the source of opencode makes.
fn id_of_opencode(time: jiff::Timestamp, random: &str) -> String {
    let bits = (time.as_millisecond() as u64 * 0x1000 + 1) & 0xffff_ffff_ffff;
    format!("tool_{bits:012x}{random:A<14}")
}

#[test]
fn cleanup_by_name_reads_opencode_ids_and_else_uses_the_last_use() {
    let dir = tempfile::tempdir().unwrap();
    let now = "2026-02-19T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
    let clock = overspill::Clock::fixed(now.to_zoned(jiff::tz::TimeZone::UTC));
    let overspill =
        Overspill::builder().profile(Profile::OPENCODE).directory(dir.path()).clock(clock).build();
    let days = |count: i64| now - jiff::SignedDuration::from_hours(24 * count);
    let (gone, kept) = (
        [(id_of_opencode(days(10), "x"), now), ("tool_zzzz".to_owned(), days(30))],
        [
            (id_of_opencode(days(3), "x"), now),
            (id_of_opencode(days(3), "y"), days(30)),
            // The clock was a day ahead.
            (id_of_opencode(days(-1), "x"), now),
            ("tool_yyyy".to_owned(), now),
            // Digits at the start of an id are not a day.
            ("tool_20200101ZzCdEfGhIjKlMnOpQr".to_owned(), now),
        ],
    );
    for (name, used) in gone.iter().chain(&kept) {
        let path = dir.path().join(name);
        std::fs::write(&path, "x").unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified((*used).into()).unwrap();
    }
    assert_eq!(cleanup_by_name(&overspill).unwrap(), 2);
    assert!(gone.iter().all(|(name, _)| !dir.path().join(name).exists()));
    assert!(kept.iter().all(|(name, _)| dir.path().join(name).exists()));
}

/// A user's store that panics in one of its steps.
#[derive(Debug)]
struct Panics(&'static str);

impl Panics {
    fn at(&self, step: &str) {
        assert!(self.0 != step, "a store of a user");
    }
}

impl Store for Panics {
    fn create(&self, _: &Call) -> Result<Box<dyn Draft>, Error> {
        self.at("create");
        Ok(Box::new(Panics(self.0)))
    }

    fn read(&self, name: &OutputId, _: Range<u64>) -> Result<Vec<u8>, Error> {
        Err(Error::NotFound { name: name.clone() })
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        Err(Error::NotFound { name: name.clone() })
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        self.at("list");
        Ok(Vec::new())
    }

    fn delete(&self, _: &OutputId) -> Result<(), Error> {
        Ok(())
    }

    fn touch(&self, _: &OutputId) -> Result<(), Error> {
        Ok(())
    }
}

impl Draft for Panics {
    fn append(&mut self, _: &[u8]) -> Result<(), Error> {
        self.at("append");
        Ok(())
    }

    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        self.at("hole");
        Ok(None)
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        self.at("publish");
        Err(Error::Other("it is full".into()))
    }
}

/// A store that panics counts as a failed save, in every profile, also for a stream.
#[test]
fn store_that_panics_is_a_failed_save_and_an_event() {
    for profile in Profile::ALL {
        for step in ["create", "append", "hole", "publish", "list"] {
            let events: Arc<Mutex<Vec<ServiceEvent>>> = Arc::default();
            let heard = events.clone();
            let overspill = Overspill::new(profile.clone(), Panics(step))
                .to_builder()
                .observer(move |event| heard.lock().unwrap().push(ServiceEvent::of(event)))
                .build();
            let output = lines(30_000);
            let outcome = overspill.process(&output, &Call::new("x"));
            assert!(outcome.saved().is_none() && outcome.bytes().len() < output.len());
            let mut spill = overspill.spill(Call::new("x"), CallOptions::default());
            spill.push(output.as_bytes());
            let outcome = spill.finish(CallEnd::default());
            assert!(outcome.saved().is_none() && outcome.bytes().len() < output.len());
            let events = events.lock().unwrap();
            assert_eq!(events.len(), 2, "{} {step}", profile.name);
            for event in events.iter() {
                assert_eq!(event.r#type, "error", "{} {step}", profile.name);
                let expected = if step == "list" { "it is full" } else { "the store panicked" };
                assert_eq!(event.error.as_deref(), Some(expected), "{} {step}", profile.name);
            }
            let _ = overspill.sweep();
        }
    }
}

fn variables(table: &[(&str, OsString)]) -> overspill::seeds::UnifiedVariables {
    from_variables(|name| table.iter().find(|(key, _)| *key == name).map(|(_, it)| it.clone()))
}

#[test]
fn unified_variables_set_limits_direction_directory_and_days() {
    let found = variables(&[
        ("TOOL_OUTPUT_MAX_LINES", "5".into()),
        ("TOOL_OUTPUT_MAX_BYTES", "4000".into()),
        ("TOOL_OUTPUT_TRUNCATE_DIRECTION", " Tail ".into()),
        ("TOOL_OUTPUT_DIR", ".tool-output".into()),
        ("TOOL_OUTPUT_RETENTION_DAYS", "3".into()),
    ]);
    assert_eq!(found.warnings, []);
    assert_eq!(found.profile.retention, Retention::days(3));
    let project = tempfile::tempdir().unwrap();
    let places =
        overspill::Places { project: project.path().to_owned(), ..overspill::Places::default() };
    let overspill = found.builder().places(places).build();
    let response = json!({"status": "success", "data": {}, "text": lines(40)}).to_string();
    let answer =
        envelope::respond(&overspill, &response, &Call::new("Read"), &CallOptions::default());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let truncation = &answer["data"]["truncation"];
    assert_eq!(truncation["direction"], "tail");
    assert_eq!((&truncation["max_lines"], &truncation["max_bytes"]), (&json!(5), &json!(4000)));
    let path = truncation["full_output_path"].as_str().unwrap();
    assert!(path.starts_with(".tool-output/tool_"), "{path}");
    assert_eq!(std::fs::read_to_string(project.path().join(path)).unwrap(), response);
}

#[test]
fn unified_variables_with_rubbish_warn_and_the_defaults_apply() {
    let mut rubbish: Vec<OsString> =
        ["", " ", "-1", "1.5", "many", "../out", "/etc", "0x10", "日"].map(OsString::from).into();
    #[cfg(unix)]
    rubbish.push(std::os::unix::ffi::OsStringExt::from_vec(vec![b'5', 0xff]));
    let numbers = ["TOOL_OUTPUT_MAX_LINES", "TOOL_OUTPUT_MAX_BYTES", "TOOL_OUTPUT_RETENTION_DAYS"];
    for value in rubbish {
        for key in numbers.into_iter().chain(["TOOL_OUTPUT_TRUNCATE_DIRECTION"]) {
            let found = variables(&[(key, value.clone())]);
            assert_eq!(found.warnings.len(), 1, "{key}={value:?}");
            assert_eq!(found.warnings[0].key, key);
            assert_eq!(found.profile.retention, Profile::UNIFIED.retention);
            assert_eq!((found.layer.max_lines, found.layer.max_bytes), (None, None));
            assert_ne!(found.layer.keep, Some(Keep::Tail));
        }
    }
    for value in ["", "../out", "/etc", "a/../../b"] {
        let found = variables(&[("TOOL_OUTPUT_DIR", value.into())]);
        assert_eq!(found.warnings.len(), 1, "{value:?}");
        assert_eq!(found.profile.directory, Profile::UNIFIED.directory);
    }
}

fn call(name: &str) -> ToolCall {
    ToolCall { id: "c".into(), name: name.into(), arguments: "{}".into() }
}

fn registry(profile: Profile, directory: &std::path::Path) -> Registry {
    let overspill = Overspill::builder().profile(profile).directory(directory).build();
    let mut registry =
        Registry::new().shortened_by(overspill, Gates::default()).in_session("fixed");
    registry.register(Tool::new("long", |_| Ok(json!({"output": lines(3000)}))));
    registry
}

#[test]
fn registry_takes_session_and_permission_with_each_turn() {
    let dir = tempfile::tempdir().unwrap();
    // Names of takumi contain the session, and hints of opencode depend on the permission.
    let overspill = Overspill::builder().profile(Profile::TAKUMI).directory(dir.path()).build();
    let mut sessions =
        Registry::new().shortened_by(overspill, Gates::default()).in_session("fixed");
    sessions.register(Tool::new("long", |_| Ok(json!({"llmContent": lines(3000)}))));
    let path = |executed: &[overspill::tool::registry::Executed]| {
        let path = executed[0].result["outputPath"].as_str().unwrap();
        path.rsplit('/').next().unwrap().to_owned()
    };
    let calls = [call("long")];
    assert!(path(&sessions.execute(&calls)).starts_with("tool_fixed_"));
    let turn = TurnContext::new().session("turn1");
    assert!(path(&sessions.execute_in(&calls, &turn)).starts_with("tool_turn1_"));

    let registry = registry(Profile::OPENCODE, dir.path());
    let rule = |action: &str| PermissionRule {
        permission: "task".into(),
        pattern: "*".into(),
        action: action.into(),
    };
    let hint = |context: &TurnContext| {
        let executed = registry.execute_in(&calls, context);
        executed[0].result["output"].as_str().unwrap().contains("Use the Task tool")
    };
    assert!(hint(&TurnContext::new().permission(&[rule("allow")])));
    assert!(!hint(&TurnContext::new().permission(&[rule("deny")])));
    assert!(!hint(&TurnContext::new()));
}

/// Polls a future on this thread until it is ready.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn service_with_hanging_strategy_returns_to_its_caller() {
    struct Hangs(std::sync::Mutex<std::sync::mpsc::Receiver<()>>);
    impl Strategy for Hangs {
        fn choose(&self, _: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
            let _ = self.0.lock().unwrap().recv();
            Ok(Choice::Whole)
        }
    }
    let (release, hangs) = std::sync::mpsc::channel();
    let service = Service::new(Overspill::new(Profile::AGENT_V2, Memory::default()));
    let service = service.strategy(Hangs(std::sync::Mutex::new(hangs)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut awaited = Box::pin(service.output_async(lines(3000), "x".into()));
    assert!(awaited.as_mut().poll(&mut context).is_pending());
    drop(awaited);
    // The thread of the strategy ends when it gets an answer.
    drop(release);
}

#[test]
fn async_service_and_registry_answer_like_the_sync_ones() {
    let service = Service::new(Overspill::new(Profile::AGENT_V2, Memory::default()));
    let awaited = block_on(service.output_async(lines(3000), "x".into()));
    let removed = |result: &ServiceResult| match result {
        ServiceResult::Cut { removed_lines, .. } => *removed_lines,
        ServiceResult::Whole { .. } => None,
    };
    assert_eq!(removed(&awaited), removed(&service.output(&lines(3000), "x")));
    let dir = tempfile::tempdir().unwrap();
    let mut registry = registry(Profile::AGENT_V2, dir.path());
    registry.register(Tool::new_async("later", |_| async { Ok(json!({"output": lines(3000)})) }));
    registry.register(Tool::new_async("fails", |_| async { Err("no".to_owned()) }));
    registry.register(Tool::new_async("panics", |_| async { panic!("a tool of a user") }));
    registry.register(Tool::new("blocks", |_| panic!("a tool of a user")));
    let calls = ["long", "later", "fails", "panics", "blocks", "none"].map(call);
    let turn = TurnContext::new().delegate(true);
    let executed = block_on(registry.execute_async(&calls, &turn));
    let output = |n: usize| executed[n].result["output"].as_str().unwrap().to_owned();
    for n in [0, 1] {
        assert!(output(n).contains("...1001 lines truncated..."), "{}", output(n));
        assert!(output(n).contains("Use the Task tool"));
    }
    assert_eq!(output(2), "no");
    assert_eq!((output(3), output(4)), ("the tool panicked".into(), "the tool panicked".into()));
    assert_eq!(output(5), "there is no tool none");
    let blocking = registry.execute(&[call("later")]);
    assert_eq!(blocking[0].result["output"], "the tool is async: use `execute_async`");
}
