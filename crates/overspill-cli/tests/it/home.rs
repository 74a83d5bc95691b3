//! A temporary home directory with settings and a project, for tests about settings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{numbered, program};

/// A home with a project in it.
pub(crate) struct Home {
    pub(crate) dir: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// The result of a run: exit code, stdout and stderr.
pub(crate) type Said = (i32, String, String);

impl Home {
    pub(crate) fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        fs::create_dir_all(dir.path().join("project/deep/down")).unwrap();
        Home { dir, variables: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Home {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    pub(crate) fn user_file(&self) -> PathBuf {
        self.path("config/overspill/config.toml")
    }

    pub(crate) fn project_file(&self) -> PathBuf {
        self.path("project/.overspill.toml")
    }

    pub(crate) fn user(self, text: &str) -> Home {
        put(&self.user_file(), text);
        self
    }

    pub(crate) fn project(self, text: &str) -> Home {
        put(&self.project_file(), text);
        self
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Said {
        let stdin = self.path("stdin");
        fs::write(&stdin, input).unwrap();
        let output = program(self.dir.path())
            .args(args)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path("project/deep/down"))
            .stdin(fs::File::open(stdin).unwrap())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, "")
    }

    /// Runs `overspill config`, which must succeed, and returns its standard output.
    #[track_caller]
    pub(crate) fn config(&self, args: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(&[&["config"], args].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout
    }

    /// Returns the number of lines that the preview of 5000 lines has.
    #[track_caller]
    pub(crate) fn shown(&self, args: &[&str]) -> usize {
        let (code, stdout, stderr) = self.run_with(&[&["cut"], args].concat(), &numbered(5000));
        assert_eq!(code, 0, "{stderr}");
        stdout.lines().count()
    }

    /// Returns the row of `config list` for a setting: value and origin.
    #[track_caller]
    pub(crate) fn row(&self, key: &str) -> (String, String) {
        let list = self.config(&["list"]);
        let row = list.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        (cells[1].to_owned(), cells[2].to_owned())
    }
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
