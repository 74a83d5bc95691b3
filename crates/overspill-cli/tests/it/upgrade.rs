//! Files of version 0.1 still work. Files of a later version cause a warning and are unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use crate::program::program;

const OLD_HOME: &str = "/home/ada";
const FAILED: &str = "01M7P7YWZQWNJCD8GYP1ZE3S93";
const WHOLE: &str = "01M7P7YX0XBBK8FQKB0FQVZM0Z";
const PINNED: &str = "01M7P7YX1RZF65Q93GMTFNHC66";
const PARTIAL: &str = "01M7P7ZB54Z8TZNDGWQSC1FWYA";
const EXPIRED: &str = "01M7P7ZBBPEKFA9XA9VHZYYF28";
/// The agents that 0.1 set up, and the file that it changed for each.
const HOSTS: [(&str, &str, &str); 4] = [
    ("claude-code", ".claude/settings.json", "{\n  \"model\": \"sonnet\"\n}\n"),
    ("codex", ".codex/config.toml", "model = \"x\"\n"),
    ("gemini", ".gemini/.env", ""),
    ("opencode", ".config/opencode/opencode.jsonc", "{\n  // mine\n  \"theme\": \"system\"\n}\n"),
];

/// A home with the files of version 0.1.
struct OldHome(tempfile::TempDir);

impl OldHome {
    fn new() -> OldHome {
        let home = tempfile::tempdir().unwrap();
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/0.1/home");
        copy(&files, home.path(), home.path());
        let links = home.path().join(".config/overspill/bin");
        fs::create_dir_all(&links).unwrap();
        for name in ["bash", "overspill", "overspill-sh"] {
            symlink(home.path().join(".cargo/bin/overspill"), links.join(name)).unwrap();
        }
        OldHome(home)
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(self.0.path());
        command.env_remove("OVERSPILL_DIR").env_remove("XDG_CONFIG_HOME");
        command.env("PATH", "/usr/bin:/bin").current_dir(self.0.path()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    #[track_caller]
    fn well(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("warning"), "{args:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns every file below the home with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                match path.is_dir() && !path.is_symlink() {
                    true => folders.push(path),
                    false => drop(all.insert(path.clone(), fs::read(&path).unwrap_or_default())),
                }
            }
        }
        all
    }
}

/// Copies a directory, with the path of the home in place of the old one. Outputs and records have checksums and stay.
fn copy(from: &Path, to: &Path, home: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o700)).unwrap();
    for path in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target, home);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => text.replace(OLD_HOME, home.to_str().unwrap()).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        fs::write(&target, bytes).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn counted(last: u32) -> String {
    (1..=last).map(|number| format!("{number}\n")).collect()
}

#[test]
fn outputs_of_0_1_are_listed_read_and_searched() {
    let home = OldHome::new();
    let list = home.well(&["list", "--json"]);
    let ids: Vec<&str> =
        [FAILED, WHOLE, PINNED, PARTIAL].into_iter().filter(|id| list.contains(id)).collect();
    assert_eq!(ids.len(), 4, "{list}");
    assert_eq!(home.well(&["read", FAILED, "--raw"]), counted(40) + "error: disk full\n");
    assert_eq!(home.well(&["read", WHOLE, "--raw"]), counted(60));
    assert_eq!(home.well(&["read", PINNED, "--raw"]), counted(3000));
    assert!(home.well(&["grep", "disk full", FAILED]).contains("41:error: disk full"));
    assert!(home.well(&["read", PINNED, "--lines", "1500-1501"]).contains("1500\n1501\n"));
    let partial = home.well(&["info", PARTIAL]);
    assert!(partial.contains("2048"), "{partial}");
    let pinned = home.well(&["info", PINNED, "--json"]);
    assert!(pinned.contains("\"pinned\":true"), "{pinned}");
    let expired = home.run(&["read", EXPIRED]);
    let said = String::from_utf8_lossy(&expired.stderr);
    assert!(!expired.status.success() && said.contains("expired"), "{said}");
}

#[test]
fn outputs_of_0_1_stay_through_work_of_0_2() {
    let home = OldHome::new();
    let before = home.files();
    home.well(&["run", "--max-lines", "6", "--", "seq", "1", "100"]);
    home.well(&["gc"]);
    home.run(&["doctor"]);
    let after = home.files();
    let store = home.path(".local/state/overspill");
    for (path, bytes) in before.iter().filter(|(path, _)| path.parent() == Some(&store)) {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    assert!(home.well(&["info", FAILED]).contains("as it was saved"));
}

#[test]
fn settings_of_0_1_apply_and_stay() {
    let home = OldHome::new();
    let file = home.path(".config/overspill/config.toml");
    let before = fs::read_to_string(&file).unwrap();
    let said = home.well(&["config", "list", "--changed"]);
    for value in ["max_lines", "400", "tools.bash.keep", "tail", "store.retention", "30d"] {
        assert!(said.contains(value), "{value}: {said}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn program_that_moved_is_noticed_and_init_repairs_its_links() {
    let home = OldHome::new();
    let said = String::from_utf8(home.run(&["doctor"]).stdout).unwrap();
    assert!(said.contains("the program moved: ~/.cargo/bin/overspill is gone"), "{said}");
    assert!(said.contains("fix: run `overspill init"), "{said}");
    for (host, _, _) in HOSTS {
        home.well(&["init", host]);
    }
    let said = String::from_utf8(home.run(&["doctor"]).stdout).unwrap();
    assert!(!said.contains("the program moved") && !said.contains('✗'), "{said}");
    let own = PathBuf::from(env!("CARGO_BIN_EXE_overspill"));
    assert_eq!(fs::read_link(home.path(".config/overspill/bin/overspill-sh")).unwrap(), own);
}

#[test]
fn receipts_of_0_1_give_the_settings_back() {
    for is_upgraded in [false, true] {
        let home = OldHome::new();
        for (host, file, before) in HOSTS {
            if is_upgraded {
                home.well(&["init", host]);
            }
            home.well(&["uninstall", host]);
            let after = fs::read_to_string(home.path(file)).unwrap_or_default();
            assert_eq!(after, before, "{host}");
        }
        assert!(!home.path(".config/overspill/hosts").exists());
    }
}

#[test]
fn receipt_of_a_later_version_is_reported_and_nothing_is_touched() {
    let home = OldHome::new();
    let receipt = home.path(".config/overspill/hosts/claude-code.json");
    let text = fs::read_to_string(&receipt).unwrap().replace("\"0.1.0\"", "\"9.1.0\"");
    assert!(text.contains("9.1.0"));
    fs::write(&receipt, text).unwrap();
    let before = home.files();
    for command in [["init", "claude-code"], ["uninstall", "claude-code"]] {
        let output = home.run(&command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{command:?}");
        assert!(said.contains("overspill 9.1.0 wrote the receipt of `init`"), "{said}");
        assert!(said.contains("hint: update this program"), "{said}");
        assert!(home.files() == before, "{command:?} changed a file");
    }
    let said = String::from_utf8(home.run(&["doctor"]).stdout).unwrap();
    assert!(said.contains("9.1.0"), "{said}");
}

#[test]
fn record_of_a_later_version_is_reported_and_nothing_is_touched() {
    let home = OldHome::new();
    let record = home.path(&format!(".local/state/overspill/.overspill/records/{WHOLE}.record"));
    let mut bytes = fs::read(&record).unwrap();
    assert!(bytes.starts_with(b"ovrspil\x02"));
    bytes[7] = 9;
    fs::write(&record, &bytes).unwrap();
    let before = home.files();
    for command in
        [&["info", WHOLE][..], &["read", WHOLE], &["read", WHOLE, "--raw"], &["grep", "5", WHOLE]]
    {
        let output = home.run(command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{command:?}");
        assert!(said.contains("was saved by a later version of overspill"), "{command:?}: {said}");
    }
    home.well(&["list"]);
    assert!(home.files() == before);
}

#[test]
fn expired_output_of_a_later_version_stays_through_gc() {
    let home = OldHome::new();
    let store = home.path(".local/state/overspill");
    let record_of = |id: &str| store.join(format!(".overspill/records/{id}.record"));
    let long_ago = SystemTime::now() - Duration::from_secs(400 * 24 * 60 * 60);
    let age = |path: &Path| fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    let (later, own) = (store.join(format!("{WHOLE}.txt")), store.join(format!("{FAILED}.txt")));
    let mut bytes = fs::read(record_of(WHOLE)).unwrap();
    bytes[7] = 9;
    fs::write(record_of(WHOLE), &bytes).unwrap();
    // A later version may save the output of this record in another place.
    let elsewhere = record_of("01M7P7YX0XBBK8FQKB0FQVZM10");
    fs::write(&elsewhere, &bytes).unwrap();
    for path in [&later, &own, &record_of(WHOLE), &record_of(FAILED), &elsewhere] {
        age(path);
    }
    home.well(&["gc"]);
    assert!(!own.exists() && !record_of(FAILED).exists(), "gc removes what has expired");
    assert!(later.exists() && record_of(WHOLE).exists());
    assert!(elsewhere.exists());
}
