//! The program with a store of its own, and what it has done.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A store of its own, and the program with it.
pub(crate) struct Test {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Vec<u8>,
}

pub(crate) struct Done {
    pub(crate) test: Test,
    pub(crate) output: Output,
}

impl Test {
    pub(crate) fn new(args: &[&str]) -> Test {
        let dir = tempfile::tempdir().unwrap();
        Test { dir, args: args.iter().map(|arg| (*arg).to_owned()).collect(), stdin: Vec::new() }
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Test {
        self.stdin = bytes.into();
        self
    }

    #[track_caller]
    pub(crate) fn run(self) -> Done {
        let mut child = Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(&self.args)
            .env("OVERSPILL_DIR", self.dir.path().join("store"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = self.stdin.clone();
        // A command that reads nothing closes the pipe on us.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Done { test: self, output }
    }
}

impl Done {
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Done {
        assert_eq!(self.output.status.code(), Some(code), "{:?}", self.output);
        self
    }

    #[track_caller]
    pub(crate) fn stdout(self, expected: impl AsRef<[u8]>) -> Done {
        assert_eq!(self.text(), String::from_utf8_lossy(expected.as_ref()));
        self
    }

    #[track_caller]
    pub(crate) fn stderr_contains(self, expected: &str) -> Done {
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        assert!(stderr.contains(expected), "{stderr}");
        self
    }

    #[track_caller]
    pub(crate) fn saved(self, expected: impl AsRef<[u8]>) -> Done {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(fs::read(&files[0]).unwrap() == expected.as_ref(), "the copy differs");
        self
    }

    #[track_caller]
    pub(crate) fn nothing_saved(self) -> Done {
        assert_eq!(self.files(), [] as [PathBuf; 0]);
        self
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.test.dir.path().join("store")) else { return vec![] };
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }
}

pub(crate) fn numbered(lines: u32) -> String {
    (1..=lines).map(|n| format!("{n}\n")).collect()
}

impl Done {
    #[track_caller]
    pub(crate) fn then(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(args)
            .env("OVERSPILL_DIR", self.test.dir.path().join("store"))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub(crate) fn id(&self) -> String {
        self.files()[0].file_stem().unwrap().to_str().unwrap().to_owned()
    }
}

pub(crate) fn saved_run() -> Done {
    Test::new(&["run", "--", "sh", "-c", "seq 1 5000; exit 3"]).run().code(3)
}
