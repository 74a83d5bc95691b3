//! The effect of settings, and the warnings about invalid settings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::home::{Home, put};
use crate::program::{numbered, program};

#[test]
fn settings_of_a_later_level_override_the_earlier() {
    let home = Home::new();
    assert_eq!(home.shown(&[]), 2000);
    let home = home.user("max_lines = 100\n");
    assert_eq!(home.shown(&[]), 100);
    let home = home.project("max_lines = 90\n");
    assert_eq!(home.shown(&[]), 90);
    let home = home.with("OVERSPILL_MAX_LINES", "80");
    assert_eq!(home.shown(&[]), 80);
    let home = home.user("max_lines = 100\n[tools.bash]\nmax_lines = 70\n");
    assert_eq!(home.shown(&[]), 80);
    assert_eq!(home.shown(&["--tool", "bash"]), 70);
    assert_eq!(home.shown(&["--tool", "bash", "--max-lines", "60"]), 60);
    assert_eq!(home.row("max_lines"), ("80".into(), "environment".into()));
    assert_eq!(home.config(&["get", "--tool", "bash", "max_lines"]), "70\n");
}

#[test]
fn project_file_only_lowers_limits_and_chooses_the_part() {
    let home = Home::new().user("max_lines = 100\n").project(
        "max_lines = 5000\nkeep = \"tail\"\nprofile = \"klaude\"\n[store]\ndir = \"/elsewhere\"\n\
         [tools.bash]\nmax_lines = \"none\"\n",
    );
    let (code, stdout, stderr) = home.run_with(&["cut"], &numbered(5000));
    assert_eq!((code, stdout.lines().count()), (0, 100));
    assert!(stdout.ends_with("4999\n5000\n") && stdout.contains("[overspill "));
    let file = home.project_file().display().to_string();
    let expected: Vec<String> = [
        "3: profile: a project file cannot set this; only your own settings file can",
        "5: store.dir: a project file cannot set this; only your own settings file can",
        "1: max_lines: ignored: a project file cannot raise your limit of 100",
        "7: tools.bash.max_lines: ignored: a project file cannot raise your limit of 100",
    ]
    .map(|line| format!("warning: {file}:{line}"))
    .into();
    assert_eq!(stderr.lines().collect::<Vec<_>>(), expected);
    for (key, value) in [("store.quota", "1GiB"), ("profile", "klaude"), ("max_lines", "101")] {
        let before = fs::read(home.project_file()).unwrap();
        let (code, _, stderr) = home.run(&["config", "set", "--project", key, value]);
        assert!(code == 2 && stderr.contains("a project file cannot"), "{stderr}");
        assert_eq!(fs::read(home.project_file()).unwrap(), before);
    }
}

#[test]
fn invalid_setting_warns_with_its_place_and_the_call_continues() {
    let said = |text: &str| {
        let home = Home::new().user(text);
        let (code, stdout, stderr) = home.run_with(&["cut"], &numbered(5000));
        assert_eq!((code, stdout.lines().count()), (0, 2000), "{stderr}");
        stderr.replace(&home.user_file().display().to_string(), "FILE")
    };
    let warning = |text: &str| format!("warning: FILE:{text}\n");
    assert_eq!(
        said("\nmax_lines = \"many\"\n"),
        warning("2: max_lines: \"many\" is not a whole number, 0 or more, or \"none\"")
    );
    assert_eq!(
        said("max_lines = -1 # few\n"),
        warning("1: max_lines: -1 is not a whole number, 0 or more, or \"none\"")
    );
    assert_eq!(
        said("[tools.x]\nenabled = 1"),
        warning("2: tools.x.enabled: 1 is not true or false")
    );
    assert_eq!(
        said("keep = \"middle\""),
        warning(
            "1: keep: \"middle\" is not \"head\", \"tail\", \"ends\", \"signal\", \"structure\" or \"auto\""
        )
    );
    assert_eq!(
        said("max-lines = 3\ntool = 3\n"),
        warning("1: max-lines: there is no such setting; did you mean max_lines?")
            + &warning("2: tool: there is no such setting")
    );
    let here = "outputs are saved on this machine until this is fixed";
    assert_eq!(said("store = 3\n"), warning(&format!("1: store: 3 is not a table; {here}")));
    assert_eq!(
        said("max_bytes = 10\nmax_lines = [1,\n"),
        warning(
            "2:16: not TOML: unclosed array, expected `]`, so overspill ignores the file; secrets are masked (redact = all) until this is fixed"
        )
    );
    assert_eq!(
        said("enabled = true\ntruncation = true\n"),
        warning("2: truncation: duplicate of `enabled` on line 1; this line applies")
    );
    let home = Home::new().with("OVERSPILL_KEEP", "middle");
    let (_, _, stderr) = home.run(&["cut"]);
    assert_eq!(
        stderr,
        "warning: OVERSPILL_KEEP: \"middle\" is not \"head\", \"tail\", \"ends\", \"signal\", \"structure\" or \"auto\"\n"
    );
}

#[test]
fn unusable_settings_file_is_not_read() {
    let home = Home::new();
    put(&home.path("elsewhere.toml"), "max_lines = 5\n");
    std::os::unix::fs::symlink(home.path("elsewhere.toml"), home.project_file()).unwrap();
    let (_, stdout, stderr) = home.run_with(&["cut"], &numbered(5000));
    assert_eq!(stdout.lines().count(), 2000);
    assert!(stderr.contains(".overspill.toml: not read: it is not a regular file"), "{stderr}");
    let home = Home::new();
    fs::create_dir_all(home.user_file()).unwrap();
    let (_, _, stderr) = home.run(&["cut"]);
    assert!(stderr.contains("config.toml: not read: it is not a file"), "{stderr}");
    let home = Home::new();
    put(&home.user_file(), "");
    fs::write(home.user_file(), b"max_lines = 5\n\xff").unwrap();
    assert!(home.run(&["cut"]).2.contains("config.toml: not read: line 2 is not UTF-8"));
    let home = Home::new().with("OVERSPILL_CONFIG", "/no/such.toml");
    let (_, _, stderr) = home.run(&["cut"]);
    assert_eq!(
        stderr,
        "warning: /no/such.toml: OVERSPILL_CONFIG: there is no such file; secrets are masked (redact = all) until this is fixed\n"
    );
    let home = Home::new().user("max_lines = 5\n").with("OVERSPILL_CONFIG", "/dev/null");
    assert_eq!(home.shown(&[]), 2000);
}

#[test]
fn unknown_variable_is_reported_by_config_and_doctor() {
    let home = Home::new().with("OVERSPILL_MAX_LINE", "5").with("OVERSPILL_ZZZ", "1");
    let home = home.with("OVERSPILL_EMPTY", "").with("OVERSPILL_MAX_BYTES", "9000");
    let said = "warning: OVERSPILL_MAX_LINE: there is no such variable; did you mean \
                OVERSPILL_MAX_LINES?\nwarning: OVERSPILL_ZZZ: there is no such variable\n";
    assert_eq!(home.run(&["config"]).2, said);
    assert_eq!(home.run(&["config", "list", "--json"]).2, said);
    assert_eq!(home.run(&["config", "get", "max_lines"]), (0, "2000\n".into(), said.into()));
    let (code, doctor, _) = home.run(&["doctor"]);
    let line = "✗ settings: OVERSPILL_MAX_LINE: there is no such variable; did you mean";
    assert!(code == 1 && doctor.contains(line), "{doctor}");
    // Other commands do not check unknown variables, to start quickly.
    assert_eq!(home.run(&["cut"]), (0, String::new(), String::new()));
    assert_eq!(home.run(&["run", "--", "true"]).2, "");
}

/// The program knows each variable that the sources or the documents mention.
#[test]
fn every_documented_variable_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut names = std::collections::BTreeSet::new();
    for place in ["docs", "README.md", "crates/overspill-cli/src", "crates/overspill/src"] {
        each_file(&root.join(place), &mut |text| {
            let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
            names.extend(words.filter(|word| word.starts_with("OVERSPILL_")).map(str::to_owned));
        });
    }
    // These are the prefix alone, and examples of misspelt names.
    let misspelt = ["OVERSPILL_MAX_LINE", "OVERSPILL_REDCT"];
    names.retain(|name| !name.ends_with('_') && !misspelt.contains(&name.as_str()));
    assert!(names.len() > 8, "{names:?}");
    let home = names.iter().fold(Home::new(), |home, name| home.with(name, "1"));
    let home = home.with("OVERSPILL_CONFIG", "/dev/null").with("OVERSPILL_DIR", "/none");
    let (_, _, stderr) = home.with("OVERSPILL_TEST_S3", "1").run(&["config"]);
    assert!(!stderr.contains("no such variable"), "{stderr}");
}

fn each_file(path: &Path, see: &mut dyn FnMut(&str)) {
    match fs::read_dir(path) {
        Ok(entries) => entries.for_each(|entry| each_file(&entry.unwrap().path(), see)),
        Err(_) => see(&String::from_utf8_lossy(&fs::read(path).unwrap())),
    }
}

#[test]
fn project_search_ends_at_its_root_and_below_the_home() {
    let home = Home::new();
    put(&home.path(".overspill.toml"), "max_lines = 5\n");
    assert_eq!(home.shown(&[]), 2000);
    fs::remove_dir(home.path("project/.git")).unwrap();
    assert_eq!(home.shown(&[]), 2000);
    put(&home.path("project/deep/.overspill.toml"), "max_lines = 7\n");
    assert_eq!(home.shown(&[]), 7);
    let nested = Home::new().project("max_lines = 7\n");
    fs::create_dir_all(nested.path("project/deep/.git")).unwrap();
    assert_eq!(nested.shown(&[]), 2000);
}

#[test]
fn settings_of_the_store_take_effect() {
    let home = Home::new().user("[store]\nmax_output = 1000\nretention = \"1h\"\n");
    // The store always keeps lines of the preview, and this preview has few.
    let args = ["cut", "--json", "--max-bytes", "400"];
    let (_, stdout, _) = home.run_with(&args, &numbered(5000));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["complete"], false);
    let saved = PathBuf::from(json["path"].as_str().unwrap());
    assert_eq!(fs::metadata(&saved).unwrap().len(), 1000);
    let two_hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    fs::File::options().append(true).open(&saved).unwrap().set_modified(two_hours_ago).unwrap();
    assert_eq!(home.run(&["gc"]).1, "1 output removed (1000 B), 0 kept\n");
    assert!(!saved.exists());

    let home = Home::new().user("[store]\nkeep_free = \"1000000GiB\"\n");
    let (code, stdout, _) = home.run_with(&["cut", "--json"], &numbered(5000));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["path"]), (0, &serde_json::Value::Null));
    assert!(json["error"].is_string() && json["spilled"] == true);

    // The variable of the test overrides the file; without the variable the file applies.
    let home = Home::new().user("[store]\ndir = \"~/mine\"\n");
    let output = program(home.dir.path())
        .env_remove("OVERSPILL_DIR")
        .args(["config", "get", "store.dir"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "~/mine\n");
    let output = program(home.dir.path())
        .env_remove("OVERSPILL_DIR")
        .args(["run", "--", "seq", "1", "5000"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(crate::program::outputs(&home.path("mine")).len(), 1);
}
