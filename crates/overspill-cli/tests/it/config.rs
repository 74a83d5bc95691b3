//! `overspill config`: get, set, unset, list, edit and path.

use std::fs;

use proptest::prelude::*;

use crate::home::{Home, put};

/// Returns the JSON objects of a text with one object on each line.
fn rows(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn user_can_switch_shortening_off() {
    let home = Home::new();
    home.config(&["set", "truncation", "false"]);
    assert_eq!(home.shown(&[]), 5000);
    assert_eq!(home.config(&["get", "truncation"]), "false\n");
    home.config(&["unset", "truncation"]);
    assert_eq!(home.shown(&[]), 2000);
}

#[test]
fn takumi_reads_its_own_settings_files() {
    let home = Home::new();
    put(&home.path(".takumi/config.json"), r#"{"model":"m","quiet":true}"#);
    let cut = ["--profile", "takumi"];
    let whole = |home: &Home| home.shown(&cut) == 5000;
    assert!(!whole(&home));
    home.config(&["--profile", "takumi", "set", "truncation", "false"]);
    let file = fs::read_to_string(home.path(".takumi/config.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!(file, serde_json::json!({"model": "m", "quiet": true, "truncation": false}));
    assert!(whole(&home));
    home.config(&["--profile", "takumi", "--project", "set", "truncation", "true"]);
    assert!(home.path("project/.takumi/config.json").is_file());
    assert!(!whole(&home));
    let (code, _, stderr) = home.run(&["config", "--profile", "takumi", "set", "truncation", "no"]);
    assert_eq!(
        (code, &*stderr),
        (
            2,
            "error: truncation: \"no\" is not true or false\nhint: `overspill config --help` explains it\n"
        )
    );
}

/// Returns a valid value of a setting that differs from the default.
const VALUES: &[(&str, &str)] = &[
    ("enabled", "false"),
    ("keep", "tail"),
    ("fill", "true"),
    ("kind", "source"),
    ("ceiling", "false"),
    ("max_lines", "17"),
    ("max_bytes", "3KiB"),
    ("max_chars", "1000"),
    ("max_tokens", "12"),
    ("tokenizer", "estimate"),
    ("profile", "klaude"),
    ("store.dir", "/tmp/overspill-elsewhere"),
    ("store.quota", "none"),
    ("store.max_output", "1GB"),
    ("store.keep_free", "0"),
    ("store.retention", "36h"),
    ("store.durability", "none"),
    ("structured", "keep"),
    ("mcp.max_media", "1MiB"),
    ("mcp.tool_prefix", "x_"),
    ("mcp.outputs", "all"),
    ("mcp.idle", "12h"),
    ("store.bucket", "s3://team/outputs"),
    ("store.region", "eu-central-1"),
    ("store.endpoint", "https://s3.example.org"),
    ("store.account", "teamaccount"),
    ("store.tenant", "ada"),
    ("store.upload_wait", "2s"),
    ("store.cache", "64MiB"),
    ("redact", "all"),
    ("redact_pattern", "corp-[0-9]+"),
    ("pipelines", "status"),
];

/// Every setting of the table can be set and unset, and `list` shows its origin.
#[test]
fn every_setting_can_be_set_listed_and_unset() {
    let home = Home::new();
    let json = rows(&home.config(&["list", "--json"]));
    let all = json.iter();
    let names: Vec<&str> = all.map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(names, VALUES.iter().map(|(key, _)| *key).collect::<Vec<_>>());
    for (key, value) in VALUES.iter().filter(|(key, _)| *key != "store.dir") {
        let before = home.row(key);
        // A build without vocabularies has only one tokenizer.
        assert!(before.0 != *value || *key == "tokenizer");
        home.config(&["set", key, value]);
        assert_eq!(home.row(key), ((*value).to_owned(), "user".into()));
        assert_eq!(home.config(&["get", key]), format!("{value}\n"));
        home.config(&["unset", key]);
        assert_eq!(home.row(key), before);
        assert_eq!(home.run(&["config", "unset", key]).0, 1);
    }
    // A variable of the test sets this one, which `config set` reports.
    let (code, _, stderr) = home.run(&["config", "set", "store.dir", "/tmp/overspill-elsewhere"]);
    assert!(code == 0 && stderr.contains("still applies: environment in OVERSPILL_DIR"));
    for (key, value) in VALUES {
        let key = format!("tools.my.tool.{key}");
        let (code, _, stderr) = home.run(&["config", "set", &key, value]);
        let general = ["store.", "mcp.", "redact", "profile", "tokenizer", "pipelines"];
        let general = general.iter().any(|part| key.contains(part));
        assert_eq!(code, if general { 2 } else { 0 }, "{stderr}");
        if !general {
            assert_eq!(home.config(&["get", &key]), format!("{value}\n"));
        }
    }
}

#[test]
fn setting_for_all_tools_of_a_server_applies_to_each() {
    let home = Home::new();
    home.config(&["set", "--tool", "srv/*", "max_lines", "6"]);
    home.config(&["set", "--tool", "srv/*", "structured", "keep"]);
    let get = |tool: &str, key: &str| home.config(&["get", "--tool", tool, key]);
    assert_eq!((&*get("srv/t", "max_lines"), &*get("srv/t", "structured")), ("6\n", "keep\n"));
    assert_eq!(home.shown(&["--tool", "srv/t"]), 6);
    assert_eq!(
        (&*get("other/t", "max_lines"), home.shown(&["--tool", "other/t"])),
        ("2000\n", 2000)
    );
    let list = home.config(&["list", "--tool", "srv/t"]);
    let row = list.lines().find(|line| line.starts_with("tools.srv/t.max_lines ")).unwrap();
    assert!(row.contains(" tool ") && row.ends_with("config.toml:2"), "{row}");
    // Only the entry for the tool itself applies, and not a mixture of both entries.
    home.config(&["set", "--tool", "srv/t", "keep", "head"]);
    assert_eq!((&*get("srv/t", "max_lines"), home.shown(&["--tool", "srv/t"])), ("2000\n", 2000));
}

#[test]
fn config_set_follows_a_link_and_keeps_the_mode() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let home = Home::new();
    let real = home.path("dotfiles/overspill.toml");
    put(&real, "# mine\r\nmax_lines = 5 # few\r\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(home.user_file().parent().unwrap()).unwrap();
    symlink("../../dotfiles/overspill.toml", home.user_file()).unwrap();
    home.config(&["set", "max_lines", "6"]);
    home.config(&["set", "keep", "head"]);
    assert!(fs::symlink_metadata(home.user_file()).unwrap().is_symlink());
    let text = fs::read_to_string(&real).unwrap();
    assert_eq!(text, "# mine\r\nmax_lines = 6 # few\r\nkeep = \"head\"\r\n");
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(home.path("dotfiles")).unwrap().count(), 1);
    let home = Home::new().user("max_lines = \n");
    let (code, _, stderr) = home.run(&["config", "set", "max_lines", "6"]);
    assert!(code == 1 && stderr.contains("config.toml: line 1, column 13 is not TOML"), "{stderr}");
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), "max_lines = \n");
}

#[test]
fn config_path_shows_the_settings_files() {
    let home = Home::new().project("");
    let (user, project) = (home.user_file(), home.project_file());
    let expected =
        format!("user     {} (does not exist)\nproject  {}\n", user.display(), project.display());
    assert_eq!(home.config(&["path"]), expected);
    assert_eq!(home.config(&["path", "--project"]), format!("project  {}\n", project.display()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// `config get` returns the value that was set, and every other line of the file is unchanged.
    #[test]
    fn config_set_changes_one_value_only(
        lines in proptest::collection::vec("(# [a-z]{0,9}|)", 0..4),
        order in Just(VALUES.to_vec()).prop_shuffle(),
        there in 0..VALUES.len(),
        chosen in 0..VALUES.len(),
    ) {
        let general = order[..there].iter().filter(|(key, _)| !key.contains('.'));
        let stored = order[..there].iter().filter(|(key, _)| key.starts_with("store."));
        let line = |(key, value): &(&str, &str)| {
            let key = key.trim_start_matches("store.");
            let value = if value.parse::<bool>().is_ok() { (*value).to_owned() } else { format!("{value:?}") };
            format!("{key} =  {value} # as it was\n")
        };
        let comments: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let text = format!(
            "{}{comments}\n[store]\n{}{comments}",
            general.map(line).collect::<String>(), stored.map(line).collect::<String>(),
        );
        let home = Home::new().user(&text);
        let (key, value) = VALUES[chosen];
        home.config(&["set", key, value]);
        let after = fs::read_to_string(home.user_file()).unwrap();
        let ours = key.rsplit('.').next().unwrap();
        // The file does not have this table yet.
        let text = if key.starts_with("mcp.") { format!("{text}\n[mcp]\n") } else { text };
        let others = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.starts_with(&format!("{ours} "))).map(str::to_owned).collect()
        };
        prop_assert_eq!(others(&after), others(&text));
        if key != "store.dir" {
            prop_assert_eq!(home.config(&["get", key]), format!("{value}\n"));
        }
        home.config(&["unset", key]);
        let without = fs::read_to_string(home.user_file()).unwrap();
        prop_assert_eq!(others(&without), others(&text));
    }
}

/// The table in the documentation is the table in the program.
#[test]
fn settings_page_has_every_setting() {
    let documents = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    let documents = fs::read_to_string(documents).unwrap();
    for row in rows(&Home::new().config(&["list", "--json"])) {
        let text = |field: &str| row[field].as_str().unwrap();
        let also = match row["also"].as_str() {
            Some(also) => format!(", `{also}`"),
            None => String::new(),
        };
        let line = format!(
            "| `{}`{also} | {} | {} | {} |",
            text("key"),
            text("allowed"),
            text("project"),
            text("help")
        );
        assert!(documents.contains(&line), "docs/settings.md lacks:\n{line}");
    }
}

#[test]
fn settings_path_that_is_no_file_is_neither_read_nor_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let home = Home::new();
    let pipe = home.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["max_lines", "store"] {
        let home = Home::new().with("OVERSPILL_CONFIG", pipe.to_str().unwrap());
        let value = if name == "store" { "s3://team/x" } else { "3" };
        // Other commands read the settings, too, and must not wait for a writer of the pipe.
        let (code, _, stderr) = home.run(&["config", "set", name, value]);
        assert!(code == 1 && stderr.contains("not a regular file"), "{code}: {stderr}");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    }
}

#[test]
fn config_set_project_through_a_link_is_refused() {
    use std::os::unix::fs::symlink;
    const OUTSIDE: &str = "max_lines = 5\n";
    // The link leads out of the project, to nowhere, and to another file of the project.
    for (target, takumi) in [
        ("outside.toml", false),
        ("missing.toml", false),
        ("project/inside.toml", false),
        ("outside", true),
    ] {
        let home = Home::new();
        for path in ["outside.toml", "project/inside.toml"] {
            put(&home.path(path), OUTSIDE);
        }
        put(&home.path("outside/config.json"), "{}");
        let link = home.path(if takumi { "project/.takumi" } else { "project/.overspill.toml" });
        symlink(home.path(target), &link).unwrap();
        let profile: &[&str] = if takumi { &["--profile", "takumi"] } else { &[] };
        let key = if takumi { ["truncation", "true"] } else { ["max_lines", "3"] };
        let set = [&["config", "--project", "set"], &key[..], profile].concat();
        let unset = ["config", "--project", "unset", "max_lines"];
        let commands: &[&[&str]] = if takumi { &[&set] } else { &[&set, &unset] };
        for command in commands {
            let (code, _, stderr) = home.run(command);
            assert!(code == 1 && stderr.contains("link"), "{target}: {code} {stderr}");
            assert!(stderr.contains("hint: "), "{stderr}");
        }
        assert!(link.is_symlink() && !home.path("missing.toml").exists());
        for path in ["outside.toml", "project/inside.toml"] {
            assert_eq!(fs::read_to_string(home.path(path)).unwrap(), OUTSIDE);
        }
        assert_eq!(fs::read_to_string(home.path("outside/config.json")).unwrap(), "{}");
    }
}

#[test]
fn config_edit_makes_the_file_and_names_the_place_of_a_mistake() {
    let home = Home::new().with("EDITOR", "true");
    let (code, stdout, stderr) = home.run(&["config", "edit"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.ends_with("config.toml: no mistakes\n"), "{stdout}");
    let made = fs::read_to_string(home.user_file()).unwrap();
    assert!(made.contains("# max_lines = 500  # "), "{made}");
    // The editor gets the file after its own options.
    let home = home.with("VISUAL", "sh -c 'echo max_lines = -5 >> \"$1\"' sh");
    let (code, _, stderr) = home.run(&["config", "edit"]);
    let line = made.lines().count() + 1;
    assert_eq!(code, 1);
    assert!(stderr.contains(&format!("config.toml:{line}: max_lines: -5 is not")), "{stderr}");
    assert!(stderr.ends_with("hint: `overspill config edit` opens the file again\n"), "{stderr}");
    let (code, _, stderr) = home.with("VISUAL", "false").run(&["config", "edit"]);
    assert!(code == 1 && stderr.contains("the editor `false` failed"), "{stderr}");
}

#[test]
fn config_list_without_rows_says_which_source_sets_no_value() {
    let home = Home::new().user("max_lines = 77\n");
    let text = |args: &[&str]| home.run(&[&["config", "list"], args].concat()).1.replace('\n', " ");
    let project = "No value in use comes from the project file. ";
    assert!(text(&["--project"]).starts_with(project));
    fs::write(home.project_file(), "max_lines = 5\n").unwrap();
    assert!(text(&["--project"]).contains("max_lines"));
    fs::write(home.user_file(), "store.keep_free = 1\n").unwrap();
    fs::write(home.project_file(), "").unwrap();
    let tool = "No file and no variable sets a value for this tool. ";
    assert!(text(&["--changed", "--tool", "bash"]).starts_with(tool));
}

#[test]
fn config_shows_settings_by_area_and_only_changed_ones_if_asked() {
    let home = Home::new();
    let (_, text, _) = home.run(&["config", "--changed"]);
    assert!(!text.contains("max_lines"), "{text}");
    home.config(&["set", "max_lines", "77"]);
    for args in [&["config", "--changed"][..], &["config", "list", "--changed"]] {
        let (_, text, _) = home.run(args);
        assert!(text.contains("\nPreview\nmax_lines  77") && !text.contains("max_bytes"), "{text}");
    }
    let (_, text, _) = home.run(&["config"]);
    let places =
        ["\nPreview\n", "max_bytes", "\nSecrets\n", "\nSaved outputs\n", "\nBucket\n", "\nMCP\n"];
    let places = places.map(|area| text.find(area).unwrap_or_else(|| panic!("{area}: {text}")));
    assert!(places.is_sorted(), "{text}");
    let (_, json, _) = home.run(&["config", "list", "--changed", "--json"]);
    let json = rows(&json);
    let keys: Vec<&str> = json.iter().filter_map(|row| row["key"].as_str()).collect();
    assert!(keys.contains(&"max_lines") && !keys.contains(&"max_bytes"), "{keys:?}");
}
