//! Tests of statements of the source systems that no golden vector covers. `docs/seeds.md` lists
//! all statements.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use overspill::core::{Keep, Unit};
use overspill::internal::profile::{NoticeStyle, Sweeps};
use overspill::internal::seeds::{Preset, ServiceResult, TruncationResult, envelope};
use overspill::internal::store::Access;
use overspill::store::{Disk, DiskOptions, Memory};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{
    Call, CallOptions, Clock, Layer, Limit, Outcome, Overspill, Places, Profile, Report, Retention,
    Settings,
};
use serde_json::{Value, json};

fn places(dir: &Path) -> Places {
    let below = |name: &str| dir.join(name);
    Places {
        state: below("state"),
        data: below("data"),
        home: below("home"),
        project: below("project"),
        working: below("working"),
    }
}

fn lines(n: usize) -> String {
    "a line\n".repeat(n)
}

#[track_caller]
fn path_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Spilled(spilled) => spilled.path().unwrap().to_owned(),
        _ => panic!("it is too large"),
    }
}

/// S0-7, S1-7, S2-13, S3-25, S4-2, S4-19, S4-31
#[test]
fn each_profile_has_its_directory() {
    let places = places(Path::new("/x"));
    let at = |profile: &Profile| profile.directory.within(&places).display().to_string();
    assert_eq!(at(&Profile::OWN), "/x/state/overspill");
    assert_eq!(at(&Profile::KLAUDE), "/tmp/klaude");
    assert_eq!(at(&Profile::UNIFIED), "/x/project/tool-output");
    assert_eq!(at(&Profile::TAKUMI), "/x/home/.takumi/tool-output");
    assert_eq!(at(&Profile::AGENT_V2), "/x/working/data/truncation");
    assert_eq!(at(&Profile::OPENCODE), "/x/data/tool-output");
}

/// S-F, S0-9, S1-7, S1-15, S3-27: directories are made, saved outputs can be read, and the profile
/// decides how their path is shown.
#[test]
fn saved_output_is_readable_at_its_shown_path() {
    for profile in Profile::ALL.into_iter().filter(|profile| profile.name != "klaude") {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        let overspill = Overspill::new(
            profile.clone(),
            Disk::new(
                profile.directory.within(&places),
                profile.disk_options(Some(&places), Clock::default()),
            ),
        );
        let output = format!("\u{feff}{}\0\r\n", lines(60_000));
        let shown = path_of(&overspill.process(output.as_bytes(), &Call::new("Read")));
        let path = places.project.join(&shown);
        assert_eq!(fs::read(path).unwrap(), output.as_bytes(), "{}", profile.name);
        assert_eq!(Path::new(&shown).is_relative(), profile.name == "unified");
    }
}

/// S1-7: the directory in a project keeps itself out of version control.
#[test]
fn project_directory_ignores_itself_in_git() {
    let dir = tempfile::tempdir().unwrap();
    let places = places(dir.path());
    let disk = Disk::new(
        Profile::UNIFIED.directory.within(&places),
        Profile::UNIFIED.disk_options(Some(&places), Clock::default()),
    );
    path_of(
        &Overspill::new(Profile::UNIFIED, disk).process(lines(3000).as_bytes(), &Call::new("LS")),
    );
    let ignore = places.project.join("tool-output/.gitignore");
    assert_eq!(fs::read_to_string(ignore).unwrap(), "*\n");
}

/// S0-7: a directory that is a link counts as a failed save.
#[cfg(unix)]
#[test]
fn store_directory_that_is_a_link_is_a_failed_save() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("elsewhere")).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("elsewhere", &link).unwrap();
    let options = DiskOptions { names: Profile::KLAUDE.names, ..DiskOptions::default() };
    let overspill = Overspill::new(Profile::KLAUDE, Disk::new(&link, options));
    let output = "x".repeat(50_000);
    let outcome = overspill.process(output.as_bytes(), &Call::new("Bash"));
    let result = TruncationResult::of(&outcome);
    assert_eq!((result.was_truncated, result.saved_file_path), (true, None));
    assert_eq!(fs::read_dir(dir.path().join("elsewhere")).unwrap().count(), 0);
}

/// S1-7: a link in a checkout does not lead outputs out of the project.
#[cfg(unix)]
#[test]
fn link_in_a_project_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let places = places(dir.path());
    fs::create_dir_all(&places.project).unwrap();
    fs::create_dir(dir.path().join("outside")).unwrap();
    std::os::unix::fs::symlink("../outside", places.project.join("out")).unwrap();
    let directory = overspill::internal::profile::Directory::Project("out/tools".into());
    let profile = Profile { directory, ..Profile::UNIFIED };
    let overspill = Overspill::new(
        profile.clone(),
        Disk::new(
            profile.directory.within(&places),
            profile.disk_options(Some(&places), Clock::default()),
        ),
    );
    let output = lines(3000);
    match overspill.process(output.as_bytes(), &Call::new("LS")) {
        Outcome::Spilled(spilled) => assert!(spilled.saved.is_err()),
        _ => panic!("it is too large"),
    }
    assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), 0);
}

/// S0-18, S1-10, S2-15, S3-28, S4-20, S4-21
#[test]
fn each_profile_sweeps_at_its_own_time() {
    let when = |profile: Profile| (profile.sweeps, profile.retention);
    let (week, forever) = (Retention::days(7), Retention::FOREVER);
    assert_eq!(when(Profile::KLAUDE), (Sweeps::Never, forever));
    assert_eq!(when(Profile::UNIFIED), (Sweeps::AfterAnswer, week));
    assert_eq!(when(Profile::TAKUMI), (Sweeps::Never, forever));
    assert_eq!(when(Profile::AGENT_V2), (Sweeps::OnDemand, week));
    assert_eq!(when(Profile::OPENCODE), (Sweeps::BeforeFirstSave, week));
    assert_eq!((week.quota, week.spare_younger_than), (None, SignedDuration::ZERO));
    assert_eq!((forever.unused_for, forever.quota), (None, None));
}

#[test]
fn source_systems_keep_whole_outputs_without_records() {
    for profile in Profile::ALL {
        let is_own = profile.name == "overspill";
        let options = profile.disk_options(Some(&places(Path::new("/x"))), Clock::default());
        assert_eq!(options.records, is_own, "{}", profile.name);
        assert_eq!(options.access == Access::Private, is_own, "{}", profile.name);
        assert_eq!(options.most_per_output < u64::MAX, is_own, "{}", profile.name);
        assert_eq!((profile.bucket, profile.streams), (is_own, is_own), "{}", profile.name);
        let has_envelope = profile.words == NoticeStyle::Envelope;
        assert_eq!(profile.envelope, has_envelope, "{}", profile.name);
    }
}

/// S0-1, S0-13, S0-14, S0-20: over 40,000 characters both ends and a path are shown, error or not.
/// Your own policy is a value. An empty output is not processed.
#[test]
fn klaude_shows_both_ends_and_the_path() {
    let overspill = Overspill::new(Profile::KLAUDE, Memory::default());
    let output = "é".repeat(40_001);
    let outcome = overspill.process(output.as_bytes(), &Call::new("Read"));
    let result = TruncationResult::of(&outcome);
    assert_eq!((result.original_length, result.truncated_length), (40_001, 20_001));
    assert!(result.output.contains(&path_of(&outcome)));
    let Outcome::Spilled(spilled) = outcome else { panic!("it is too large") };
    assert_eq!((spilled.shown.chars, spilled.hidden(Unit::Chars)), (20_000, 20_001));
    let small = Overspill::new(Profile::klaude(10, 2, 3), Memory::default());
    assert!(TruncationResult::of(&small.process(b"0123456789a", &Call::default())).was_truncated);
    assert!(!TruncationResult::of(&overspill.process(b"", &Call::default())).was_truncated);
}

/// S1-23: the answer goes into the history and is not shortened again.
#[test]
fn shortened_answer_is_not_shortened_again() {
    let overspill =
        Overspill::new(Profile::UNIFIED, Memory::new(Profile::UNIFIED.names, Clock::default()));
    let (call, options) = (Call::new("Read"), CallOptions::default());
    let response = format!(r#"{{"status":"success","text":"{}"}}"#, "x".repeat(60_000));
    let once = envelope::respond(&overspill, &response, &call, &options).into_owned();
    assert!(envelope::respond(&overspill, &once, &call, &options) == once);
    // A text that only looks like a shortened answer is shortened, because it names no saved
    // output.
    let imitation = once.replace("tool_2", "tool_1");
    assert!(envelope::respond(&overspill, &imitation, &call, &options) != imitation);
}

/// S1-1, S2-1, S2-20: one rule applies to every tool. No tool is known by name.
#[test]
fn unknown_tool_needs_no_setup() {
    for profile in Profile::ALL {
        let overspill = Overspill::new(profile, Memory::default());
        path_of(&overspill.process(lines(60_000).as_bytes(), &Call::new("brand-new")));
    }
}

/// S3-5, S3-6, S3-10, S3-11, S3-33, S3-35: global limits, entries for tools, a skip list, options.
#[test]
fn agent_v2_accepts_the_settings_of_its_document() {
    let (user, warnings) = Layer::from_json(&json!({
        "maxLines": 2000,
        "maxBytes": 51200,
        "tools": {"bash": {"direction": "tail", "maxLines": 500}, "grep": {"maxLines": 3000}},
    }));
    assert_eq!(warnings, []);
    let settings = Settings { user, ..Settings::default() };
    let overspill = Overspill::new(Profile::AGENT_V2, Memory::default())
        .to_builder()
        .settings(settings)
        .build();
    let shown = |tool: &str, options: Layer| {
        let call = Call { session: Some("s".into()), ..Call::new(tool) };
        let options = CallOptions { settings: options, ..CallOptions::default() };
        let output = lines(6000);
        let outcome = overspill.process_with(output.as_bytes(), &call, &options);
        ServiceResult::of(&outcome).content().lines().filter(|line| *line == "a line").count()
    };
    let nothing = Layer::default();
    assert_eq!(shown("bash", nothing.clone()), 499, "and the empty line after the last break");
    assert_eq!(shown("grep", nothing.clone()), 3000);
    assert_eq!(shown("other", nothing), 2000);
    assert_eq!(shown("other", Layer { max_lines: Some(Limit::AtMost(7)), ..Layer::default() }), 7);
    let gates = Gates { skip: vec!["web_fetch".into()], ..Gates::default() };
    let result = json!({"output": lines(6000)});
    let shortened =
        overspill.shorten_result(&result, &Call::new("web_fetch"), &CallOptions::default(), &gates);
    assert_eq!(shortened, overspill::tool::ShortenedResult::Unchanged);
}

/// S4-26, S4-28, S4-29: a tool shortens its output with its own options and names the path itself.
#[test]
fn tool_can_call_the_engine_itself() {
    let overspill = Overspill::new(Profile::OPENCODE, Memory::default());
    let settings = Preset::Log.layer().updated(&Layer {
        max_lines: Some(Limit::AtMost(1000)),
        keep: Some(Keep::Tail),
        ..Layer::default()
    });
    let options = CallOptions { settings, ..CallOptions::default() };
    let output = lines(2000);
    let outcome = overspill.process_with(output.as_bytes(), &Call::new("log"), &options);
    let cut = ServiceResult::of(&outcome);
    let result = json!({
        "output": cut.content(),
        "metadata": {"truncated": cut.is_cut(), "logPath": cut.output_path()},
    });
    let again = overspill.shorten_result(
        &result,
        &Call::new("log"),
        &CallOptions::default(),
        &Gates::default(),
    );
    assert_eq!(again, overspill::tool::ShortenedResult::Unchanged);
}

/// Returns an output of numbered lines, `L00000` and so on.
fn numbered(n: usize) -> String {
    (0..n).map(|n| format!("L{n:05}\n")).collect()
}

fn keeping(keep: Keep, max_lines: Option<u64>) -> CallOptions {
    let max_lines = max_lines.map(Limit::AtMost);
    let settings = Layer { keep: Some(keep), max_lines, ..Layer::default() };
    CallOptions { settings, ..CallOptions::default() }
}

const BOTH_ENDS: [Keep; 4] =
    [Keep::Ends { head: 1, tail: 1 }, Keep::Auto, Keep::Signal, Keep::Structure];

/// The notice of `klaude` names the end of the output that it shows.
#[test]
fn klaude_with_keep_tail_says_last_and_puts_the_mark_first() {
    let overspill = Overspill::new(Profile::KLAUDE, Memory::default());
    let output = numbered(10_000);
    let outcome =
        overspill.process_with(output.as_bytes(), &Call::new("Bash"), &keeping(Keep::Tail, None));
    let Outcome::Spilled(spilled) = outcome else { panic!("it is too large") };
    assert!(
        spilled.notice.contains("Showing first 0 and last 20000 chars below."),
        "{}",
        spilled.notice
    );
    let tail = &output[output.len() - 20_000..];
    let mark = "\n\n... (50000 characters truncated) ...\n\n[Last 20000 chars below]\n";
    assert_eq!(spilled.text, format!("{}\n\n{mark}{tail}", spilled.notice));
    assert_eq!(spilled.preview, tail);

    let outcome =
        overspill.process_with(output.as_bytes(), &Call::new("Bash"), &keeping(Keep::Head, None));
    assert!(String::from_utf8_lossy(outcome.bytes()).contains("first 20000 and last 0 chars"));
}

/// The response of `unified` says that it shows both ends and gives the position of the gap.
#[test]
fn unified_with_both_ends_marks_the_gap_and_says_so() {
    for keep in BOTH_ENDS {
        let overspill = Overspill::new(Profile::UNIFIED, Memory::default());
        let response = json!({"status": "success", "text": numbered(40)}).to_string();
        let options = keeping(keep, Some(6));
        let answer = envelope::respond(&overspill, &response, &Call::new("Read"), &options);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let truncation = &answer["data"]["truncation"];
        assert_eq!(truncation["direction"], "ends", "{keep:?}");
        let preview = answer["data"]["preview"].as_str().unwrap();
        assert!(preview.contains("L00002\n...35 lines truncated...\nL00038\n"), "{preview}");
        assert_eq!(
            (&truncation["kept_lines"], &truncation["original_lines"]),
            (&json!(6), &json!(41))
        );
        // Plain text has the same preview.
        let plain = numbered(40);
        let outcome = overspill.process_with(plain.as_bytes(), &Call::new("Read"), &options);
        let text = String::from_utf8_lossy(outcome.bytes()).into_owned();
        assert!(
            text.starts_with(
                "L00000\nL00001\nL00002\n...35 lines truncated...\nL00038\nL00039\n\n\n⚠️"
            ),
            "{text}"
        );
    }
    // A preview of one end keeps the name of that end.
    for (keep, name) in [(Keep::Head, "head"), (Keep::Tail, "tail")] {
        let overspill = Overspill::new(Profile::UNIFIED, Memory::default());
        let (options, output) = (keeping(keep, Some(6)), numbered(40));
        let answer = envelope::respond(&overspill, &output, &Call::new("Read"), &options);
        assert!(answer.contains(&format!(r#""direction":"{name}""#)), "{answer}");
    }
}

/// S1-23 for both ends: an answer that could not be saved is not shortened again.
#[test]
fn unified_answer_with_both_ends_is_not_shortened_again() {
    for saves in [true, false] {
        let profile = Profile { saves, ..Profile::UNIFIED };
        let overspill =
            Overspill::new(profile, Memory::new(Profile::UNIFIED.names, Clock::default()));
        let (call, options) = (Call::new("Read"), keeping(Keep::Auto, Some(6)));
        let once = envelope::respond(&overspill, &numbered(40), &call, &options).into_owned();
        assert_eq!(envelope::respond(&overspill, &once, &call, &options), once);
        let longer = once.replace("L00000", &"L00000\\n".repeat(40));
        assert!(saves || envelope::respond(&overspill, &longer, &call, &options) != longer);
    }
}

/// A preview of both ends never joins two lines into one.
#[test]
fn previews_of_both_ends_have_a_mark_between_their_pieces() {
    for profile in [Profile::TAKUMI, Profile::AGENT_V2, Profile::OPENCODE] {
        for keep in BOTH_ENDS {
            let overspill = Overspill::new(profile.clone(), Memory::default());
            let (options, output) = (keeping(keep, Some(6)), numbered(40));
            let outcome = overspill.process_with(output.as_bytes(), &Call::new("x"), &options);
            let Outcome::Spilled(spilled) = outcome else { panic!("it is too large") };
            let preview = "L00000\nL00001\nL00002\n...35 lines truncated...\nL00038\nL00039\n";
            assert_eq!(spilled.preview, preview, "{} {keep:?}", profile.name);
            let marks = spilled.text.matches("...35 lines truncated...").count();
            assert_eq!((marks, spilled.text.contains("L00002L")), (1, false), "{}", spilled.text);
            // In a list of parts, the mark of the gap is in its place, too.
            let half = numbered(20);
            let key = profile.shape.text;
            let parts = json!([{"type": "text", "text": half}, {"type": "text", "text": half}]);
            let shortened = overspill.shorten_result(
                &json!({key: parts}),
                &Call::new("x"),
                &options,
                &Gates::default(),
            );
            let ShortenedResult::Changed(shortened) = shortened else { panic!("it is too large") };
            let shown = shortened[key].to_string();
            assert!(!shown.contains("L00002L") && shown.contains("lines truncated..."), "{shown}");
        }
    }
}

/// A report counts in the unit of the profile, and counts no line twice.
#[test]
fn klaude_report_counts_characters_and_one_line_once() {
    let overspill = Overspill::new(Profile::KLAUDE, Memory::default());
    let output = "字".repeat(40_001);
    let outcome = overspill.process(output.as_bytes(), &Call::new("Bash"));
    let report = Report::of(&outcome, Profile::KLAUDE.policy.lines);
    let left_out = report.left_out.unwrap();
    assert_eq!((left_out.unit, left_out.count), ("chars", 20_001));
    assert_eq!((report.total.lines, report.shown.lines), (1, 1));
    assert_eq!((report.total.chars, report.shown.chars), (40_001, 20_000));
    // A line that is shown in part also counts once.
    let output = format!("{0}\n{0}\n{0}", "字".repeat(20_000));
    let report = Report::of(
        &overspill.process(output.as_bytes(), &Call::new("Bash")),
        Profile::KLAUDE.policy.lines,
    );
    assert_eq!((report.total.lines, report.shown.lines), (3, 2));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Appends all test files of the workspace to one text.
fn all_tests(dir: &Path, into: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all_tests(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// `docs/seeds.md` lists every statement, and names only tests that exist.
#[test]
fn seeds_page_lists_every_statement_and_existing_tests() {
    let map = fs::read_to_string(root().join("docs/seeds.md")).unwrap();
    let mut expected: BTreeSet<String> = ('A'..='H').map(|letter| format!("S-{letter}")).collect();
    for (seed, count) in [(0, 21), (1, 25), (2, 21), (3, 41), (4, 31)] {
        expected.extend((1..=count).map(|n| format!("S{seed}-{n}")));
    }
    let rows = map.lines().filter_map(|line| line.strip_prefix("| S"));
    // A row has the number, a short form of the statement, and its proof.
    let rows: Vec<(String, &str)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
            let [number, text, proof] = cells[..] else { panic!("three cells in {row}") };
            assert!(text.len() >= 15 && text.ends_with('.'), "S{number} says {text:?}");
            (format!("S{number}"), proof)
        })
        .collect();
    let found: BTreeSet<String> = rows.iter().map(|(statement, _)| statement.clone()).collect();
    assert_eq!(found, expected);

    let mut tests = String::new();
    all_tests(&root().join("crates"), &mut tests);
    let mut cited = BTreeSet::new();
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/data");
    for entry in fs::read_dir(vectors).unwrap() {
        let file: Value =
            serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap();
        for vector in file["vectors"].as_array().unwrap() {
            cited.extend(
                vector["seed"].as_array().unwrap().iter().map(|s| s.as_str().unwrap().to_owned()),
            );
        }
    }
    for (statement, proof) in rows {
        let names: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        for name in &names {
            assert!(tests.contains(&format!("fn {name}(")), "{statement} names {name}");
        }
        let by_vectors = proof.contains("vectors");
        assert!(
            by_vectors || !names.is_empty() || proof.starts_with("later"),
            "{statement}: {proof}"
        );
        assert!(!by_vectors || cited.contains(&statement), "{statement} has no vectors");
    }
}
