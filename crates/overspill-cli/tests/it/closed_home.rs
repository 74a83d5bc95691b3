//! A home directory that overspill cannot enter: commands work as if there were no home.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A user that is not root. Root can enter every directory.
const USER: u32 = 12_345;
const SECRET: &str = "a ghp_0123456789abcdefghijABCDEFGHIJ012345 b";

/// A directory with a closed home and a directory for temporary files.
struct Closed {
    dir: tempfile::TempDir,
    program: PathBuf,
    is_root: bool,
}

impl Closed {
    fn new(is_own: bool) -> Closed {
        let dir = tempfile::tempdir().unwrap();
        let is_root = fs::metadata(dir.path()).unwrap().uid() == 0;
        let (home, temporary) = (dir.path().join("home"), dir.path().join("tmp"));
        fs::create_dir_all(home.join(".config/overspill")).unwrap();
        fs::create_dir(&temporary).unwrap();
        let mut program = PathBuf::from(env!("CARGO_BIN_EXE_overspill"));
        if is_root {
            // The other user may not have access to the build directory.
            fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
            fs::copy(&program, dir.path().join("overspill")).unwrap();
            program = dir.path().join("overspill");
            chown(&temporary, Some(USER), None).unwrap();
            if is_own {
                chown(&home, Some(USER), None).unwrap();
            }
        }
        fs::set_permissions(&home, Permissions::from_mode(0o000)).unwrap();
        Closed { dir, program, is_root }
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        if self.is_root {
            command.uid(USER).gid(USER);
        }
        command.args(words).env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
        command.env("HOME", self.dir.path().join("home")).env("CLAUDECODE", "1");
        command.env("TMPDIR", self.temporary()).output().unwrap()
    }

    fn temporary(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.dir.path().join("home"), Permissions::from_mode(0o700));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that a directory has one output below it.
#[track_caller]
fn assert_one_output_below(temporary: &Path) {
    let made: Vec<PathBuf> =
        fs::read_dir(temporary).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = made[0].file_name().unwrap().to_str().unwrap();
    assert!(made.len() == 1 && name.starts_with("overspill-"), "{made:?}");
}

#[test]
fn command_in_a_closed_home_prints_no_warning_and_is_saved() {
    for is_own in [true, false] {
        let closed = Closed::new(is_own);
        if !is_own && !closed.is_root {
            return crate::program::skip("only root can make a home of another user");
        }
        let short = closed.run(&["sh", "-c", "echo out; echo err >&2; exit 4"]);
        assert_eq!((text(&short.stdout), text(&short.stderr)), ("out\n".into(), "err\n".into()));
        assert_eq!(short.status.code(), Some(4));
        let long = closed.run(&["sh", "-c", "seq 1 40000"]);
        assert_eq!(text(&long.stderr), "");
        let shown = text(&long.stdout);
        assert!(shown.contains("[overspill ") && !shown.contains("could not be saved"), "{shown}");
        assert_one_output_below(&closed.temporary());
        let read = closed.run(&["read", "last", "--raw"]);
        assert!(text(&read.stdout).ends_with("\n40000\n"), "{read:?}");
    }
}

#[test]
fn secrets_are_masked_only_if_the_closed_home_may_have_settings() {
    for is_own in [true, false] {
        let closed = Closed::new(is_own);
        if !is_own && !closed.is_root {
            return crate::program::skip("only root can make a home of another user");
        }
        let output = closed.run(&["sh", "-c", &format!("echo '{SECRET}'")]);
        assert_eq!(text(&output.stdout).contains(SECRET), !is_own, "{output:?}");
        assert_eq!(text(&output.stderr), "");
        // `doctor` names the reason.
        let doctor = text(&closed.run(&["doctor"]).stdout);
        let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(doctor.contains("secrets are masked (redact = all)"), is_own, "{doctor}");
    }
}
