//! Runs the program with a temporary home and store, and checks the result.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// A run of the program with a temporary store.
pub(crate) struct Test {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Vec<u8>,
}

pub(crate) struct Done {
    pub(crate) test: Test,
    pub(crate) output: Output,
}

/// Returns the program with the home `dir`. It sees no settings and no store outside of `dir`.
pub(crate) fn program(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| {
            // The tests may run inside of a host, and the program must not recognise it.
            let marks = ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE", "QWEN_CODE"];
            ["OVERSPILL_", "TOOL_OUTPUT_", "XDG_", "COPILOT_CLI", "PI_CODING_AGENT"]
                .iter()
                .chain(&marks)
                .any(|own| name.starts_with(own))
        };
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command.envs(environment(dir));
    command
}

/// Returns variables that hide the user's own settings and outputs from a test.
fn environment(dir: &Path) -> [(&'static str, PathBuf); 3] {
    [
        ("OVERSPILL_DIR", dir.join("store")),
        ("XDG_CONFIG_HOME", dir.join("config")),
        ("HOME", dir.to_owned()),
    ]
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

    /// Returns the program with its arguments and its store, not yet started.
    pub(crate) fn command(&self) -> Command {
        let mut command = program(self.dir.path());
        command.args(&self.args);
        command
    }

    /// Returns variables that hide the user's own settings and outputs from the test.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 3] {
        environment(self.dir.path())
    }

    /// Starts the program in the directory of the test, and waits until its command has made the
    /// file `ready` there.
    #[track_caller]
    pub(crate) fn start(self) -> Running {
        let mut command = self.command();
        command.current_dir(self.dir.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Stop signals have no effect on an orphaned process group, which that of the tests may be.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().unwrap();
        let running = Running { test: self, child };
        running.wait_for("ready");
        running
    }

    #[track_caller]
    pub(crate) fn run(self) -> Done {
        self.run_with(&[])
    }

    /// Runs the program with more variables.
    #[track_caller]
    pub(crate) fn run_with(self, variables: &[(&str, &str)]) -> Done {
        let mut command = self.command();
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = self.stdin.clone();
        // A command that does not read its input closes the pipe early.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Done { test: self, output }
    }
}

/// The program while its command runs.
pub(crate) struct Running {
    pub(crate) test: Test,
    pub(crate) child: Child,
}

impl Running {
    /// Waits until the directory of the test has a file of this name, and returns its text.
    #[track_caller]
    pub(crate) fn wait_for(&self, file: &str) -> String {
        let path = self.test.dir.path().join(file);
        for _ in 0..2000 {
            match fs::read_to_string(&path) {
                Ok(text) => return text,
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        panic!("{file} never came");
    }

    /// Sends a signal to the program alone.
    pub(crate) fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn end(self) -> Done {
        Done { output: self.child.wait_with_output().unwrap(), test: self.test }
    }
}

impl Done {
    #[track_caller]
    pub(crate) fn signal(self, signal: Signal) -> Done {
        assert_eq!(self.output.status.signal(), Some(signal.as_raw()), "{:?}", self.output);
        self
    }

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
        outputs(&self.test.dir.path().join("store"))
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
        let output = program(self.test.dir.path()).args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub(crate) fn id(&self) -> String {
        id_of(&self.files()[0])
    }
}

/// Returns the sorted files of all outputs in a store: in the folders of projects, and outside of
/// them for earlier versions.
pub(crate) fn outputs(store: &Path) -> Vec<PathBuf> {
    let in_it = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| !is_hidden(path)).collect()
    };
    let mut files = in_it(store);
    files.extend(in_it(store).iter().filter(|path| path.is_dir()).flat_map(|path| in_it(path)));
    files.retain(|path| path.is_file());
    files.sort();
    files
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

pub(crate) fn id_of(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// Returns the short id that people see.
pub(crate) fn short(id: &str) -> String {
    id[20..].to_lowercase()
}

pub(crate) fn saved_run() -> Done {
    Test::new(&["run", "--", "sh", "-c", "seq 1 5000; exit 3"]).run().code(3)
}

/// Reports why a test is skipped. It writes to stderr directly, because the test harness captures
/// other output.
pub(crate) fn skip(reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}
