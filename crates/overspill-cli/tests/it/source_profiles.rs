//! The five profiles of other systems: their outputs are read back, and calls have their details.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::program;

const PROFILES: [&str; 5] = ["klaude", "unified", "takumi", "agent-v2", "opencode"];

/// A home with a project in it. Every profile saves in its usual directory, except klaude: its
/// directory is the same for all users of a machine.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.project().join(".git")).unwrap();
        fs::create_dir_all(home.project().join("deep/er")).unwrap();
        home
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn command(&self, profile: &str, args: &[&str]) -> Command {
        let mut command = program(self.0.path());
        command.args(args).current_dir(self.project());
        if profile != "klaude" {
            command.env_remove("OVERSPILL_DIR");
        }
        command
    }

    fn run(&self, profile: &str, args: &[&str]) -> (i32, String, String) {
        ended(self.command(profile, args), "")
    }

    /// Saves 9000 lines with `cut --json` and returns the report.
    fn cut(&self, profile: &str, more: &[&str]) -> Value {
        let args = [&["cut", "--json", "--profile", profile], more].concat();
        let (code, text, error) = ended(self.command(profile, &args), &lines(9000));
        assert_eq!(code, 0, "{error}");
        serde_json::from_str(&text).unwrap()
    }
}

fn lines(n: usize) -> String {
    (0..n).map(|n| format!("line {n:05}\n")).collect()
}

fn ended(mut command: Command, stdin: &str) -> (i32, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut pipe, stdin) = (child.stdin.take().unwrap(), stdin.to_owned());
    let feeder =
        std::thread::spawn(move || drop(std::io::Write::write_all(&mut pipe, stdin.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn outputs_of_every_profile_are_read_back_by_path_and_by_id() {
    for profile in PROFILES {
        let home = Home::new();
        let report = home.cut(profile, &["--tool", "Bash"]);
        let (id, path) = (report["id"].as_str().unwrap(), report["path"].as_str().unwrap());
        for named in [path, id] {
            let (code, text, error) = home.run(profile, &["read", named, "--tail", "1"]);
            assert!(code == 0 && text.starts_with("line 08999\n"), "{profile} {named}: {error}");
            let (code, text, error) = home.run(profile, &["grep", "line 04321", named]);
            assert!(code == 0 && text.contains("line 04321"), "{profile} {named}: {error}");
            let (code, text, error) = home.run(profile, &["info", named, "--json"]);
            assert!(code == 0 && text.contains(id), "{profile} {named}: {error}");
        }
        // A path of `unified` is relative to the project, and the reader may be in a directory
        // below.
        let mut deeper = home.command(profile, &["read", path, "--tail", "1"]);
        deeper.current_dir(home.project().join("deep/er"));
        assert_eq!(ended(deeper, "").0, 0, "{profile}");
        let of_profile = |args: &[&str]| {
            let (code, text, error) = home.run(profile, &[args, &["--profile", profile]].concat());
            assert_eq!(code, 0, "{profile} {args:?}: {error}");
            text
        };
        let listed = of_profile(&["list", "--json"]);
        assert!(listed.contains(id), "{profile}: {listed}");
        assert!(of_profile(&["grep", "-c", "line"]).contains("9000"), "{profile}");
        assert!(of_profile(&["read", "--tail", "1"]).starts_with("line 08999\n"), "{profile}");
        of_profile(&["stats"]);
        of_profile(&["pin", path]);
        of_profile(&["pin", "--off", path]);
        let (code, _, error) = home.run(profile, &["rm", path]);
        assert_eq!(code, 0, "{profile}: {error}");
        assert!(!of_profile(&["list", "--json"]).contains(id), "{profile}");
        let (code, _, error) = home.run(profile, &["read", path]);
        assert!(code == 1 && error.contains("there is no output"), "{profile}: {error}");
    }
}

#[test]
fn profile_that_is_set_is_the_one_that_list_and_diff_look_into() {
    let home = Home::new();
    let set = |args: &[&str]| {
        let mut command = home.command("agent-v2", args);
        command.env("OVERSPILL_PROFILE", "agent-v2");
        ended(command, "")
    };
    let ids: Vec<String> = (0..2)
        .map(|_| home.cut("agent-v2", &["--tool", "t"])["id"].as_str().unwrap().to_owned())
        .collect();
    let (_, listed, _) = set(&["list", "--json"]);
    assert!(ids.iter().all(|id| listed.contains(id)), "{listed}");
    let (code, text, error) = set(&["diff", &ids[0], &ids[1]]);
    assert!(code == 0 && text.contains("same"), "{text}{error}");
}

/// The ceiling is a setting: in a file, in a variable, for a tool and for a call.
#[test]
fn ceiling_that_is_switched_off_lets_every_output_pass() {
    let huge = lines(60_000);
    let skipped = format!(
        r#"{{"status":"success","data":"{}","context":{{"truncation_skip":true}}}}"#,
        "line\\n".repeat(60_000)
    );
    let home = Home::new();
    let is_whole = |args: &[&str], variables: &[(&str, &str)]| {
        for (profile, input) in
            PROFILES.map(|profile| (profile, &huge)).into_iter().chain([("unified", &skipped)])
        {
            let args = [&["cut", "--profile", profile, "--tool", "t"], args].concat();
            let mut command = home.command(profile, &args);
            if input == &huge {
                command.env("OVERSPILL_ENABLED", "false");
            }
            command.envs(variables.iter().copied());
            let (code, text, error) = ended(command, input);
            assert!(code == 0 && error.is_empty(), "{profile}: {error}");
            if text != *input {
                return Err(profile);
            }
        }
        Ok(())
    };
    assert_eq!(is_whole(&[], &[]), Err("klaude"));
    assert_eq!(is_whole(&["--ceiling=false"], &[]), Ok(()));
    assert_eq!(is_whole(&[], &[("OVERSPILL_CEILING", "false")]), Ok(()));
    assert_eq!(is_whole(&["--ceiling"], &[("OVERSPILL_CEILING", "false")]), Err("klaude"));
    let set = |args: &[&str]| {
        let (code, _, error) = home.run("klaude", &[&["config"], args].concat());
        assert_eq!(code, 0, "{error}");
    };
    set(&["set", "ceiling", "false"]);
    assert_eq!(is_whole(&[], &[]), Ok(()));
    set(&["unset", "ceiling"]);
    set(&["set", "tools.t.ceiling", "false"]);
    assert_eq!(is_whole(&[], &[]), Ok(()));
    set(&["unset", "tools.t.ceiling"]);
    // A project cannot switch the ceiling off.
    fs::write(home.project().join(".overspill.toml"), "ceiling = false\n").unwrap();
    let mut command = home.command("opencode", &["cut", "--profile", "opencode"]);
    command.env("OVERSPILL_ENABLED", "false");
    let (_, text, error) = ended(command, &huge);
    assert!(text.len() < 60_000 && error.contains("ceiling"), "{error}");
}

/// agent-v2 returns the original of any length if saving fails, as its document says.
#[test]
fn agent_v2_without_a_store_and_a_ceiling_gives_the_original_back() {
    let (home, huge) = (Home::new(), lines(60_000));
    fs::write(home.project().join("data"), "a file").unwrap();
    let cut = |more: &[&str]| {
        let args = [&["cut", "--profile", "agent-v2"], more].concat();
        ended(home.command("agent-v2", &args), &huge).1
    };
    assert!(cut(&[]).len() < 60_000);
    assert!(cut(&["--ceiling=false"]) == huge);
}

#[test]
fn unified_report_is_about_the_same_answer_as_the_envelope() {
    let home = Home::new();
    let response =
        format!(r#"{{"status":"success","data":"{}","stats":{{"n":1}}}}"#, "line\\n".repeat(3000));
    let cut = |args: &[&str]| {
        let args = [&["cut", "--profile", "unified", "--tool", "Read"], args].concat();
        let (code, text, error) = ended(home.command("unified", &args), &response);
        assert!(code == 0, "{error}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (answer, report) = (cut(&[]), cut(&["--json"]));
    assert_eq!(answer["data"]["truncation"]["original_lines"], 3001);
    assert_eq!((&report["spilled"], &report["total"]["lines"]), (&true.into(), &3001.into()));
    let text: Value = serde_json::from_str(report["text"].as_str().unwrap()).unwrap();
    assert_eq!((&text["status"], &text["stats"]["n"]), (&"partial".into(), &1.into()));
    assert_eq!(text["data"]["truncation"]["full_output_path"], report["path"]);
    assert_eq!(text["data"]["preview"], answer["data"]["preview"]);
}

#[test]
fn stats_of_outputs_without_records_say_that_they_are_not_counted() {
    let home = Home::new();
    home.cut("agent-v2", &[]);
    let (code, _, error) = home.run("agent-v2", &["stats", "--profile", "agent-v2"]);
    assert!(code == 0 && error.contains("have no records"), "{error}");
    let (_, _, error) = home.run("agent-v2", &["stats"]);
    assert_eq!(error, "");
}

#[test]
fn path_outside_of_every_store_is_an_error() {
    let home = Home::new();
    let report = home.cut("agent-v2", &[]);
    let file = Path::new(report["path"].as_str().unwrap()).file_name().unwrap();
    let other = home.project().join("deep").join(file);
    fs::write(&other, "not ours").unwrap();
    for path in [other.to_str().unwrap(), "/etc/passwd", "../x", "deep/er/y"] {
        for args in [&["read", path][..], &["rm", path], &["pin", path], &["grep", "x", path]] {
            let (code, text, error) = home.run("agent-v2", args);
            assert!(code != 0 && text.is_empty(), "{args:?}: {text}");
            let expected = format!("{path} is in no store of overspill");
            assert!(error.contains(&expected) && error.contains("hint: "), "{args:?}: {error}");
        }
    }
    assert!(other.exists());
}

#[test]
fn call_has_the_id_the_session_and_the_preset_that_were_typed() {
    let home = Home::new();
    let file = |report: &Value| {
        let path = Path::new(report["path"].as_str().unwrap());
        path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    let found = file(&home.cut("klaude", &["--tool", "Bash", "--call-id", "toolu_1"]));
    assert!(found.starts_with("Bash-toolu_1-"), "{found}");
    let found = file(&home.cut("takumi", &["--session", "s-7"]));
    assert!(found.starts_with("tool_s-7_"), "{found}");
    // An id from outside cannot lead out of the store.
    let found = file(&home.cut("klaude", &["--tool", "../x", "--call-id", "../../y"]));
    assert!(found.starts_with("___x-______y-"), "{found}");

    let text = |args: &[&str]| {
        let args = [&["cut", "--profile", "opencode"], args].concat();
        ended(home.command("opencode", &args), &lines(9000)).1
    };
    let log = text(&["--preset", "log"]);
    assert!(log.starts_with("...8501 lines truncated..."), "{}", &log[..100]);
    assert!(log.ends_with("line 08999\n"));
    assert!(text(&["--preset", "error"]).starts_with("...8901 lines truncated..."));
    assert!(text(&["--preset", "code"]).contains("\n...7001 lines truncated..."));
    let both = text(&["--preset", "log", "--max-lines", "11", "--keep", "head"]);
    assert!(both.contains("line 00010\n\n...8990 lines truncated..."), "{both}");
    assert!(text(&["--delegate"]).contains("Use the Task tool to have a subagent"));
    assert!(!text(&[]).contains("Use the Task tool"));
    let (code, _, error) = home.run("opencode", &["cut", "--preset", "prose"]);
    assert!(code == 2 && error.contains("code, log, error"), "{error}");

    let run =
        ["run", "--profile", "klaude", "--call-id", "c9", "--session", "s", "--preset", "log"];
    let (code, text, error) = home.run("klaude", &[&run[..], &["--", "seq", "100000"]].concat());
    assert!(code == 0 && text.contains("/run-c9-"), "{text}{error}");
}
