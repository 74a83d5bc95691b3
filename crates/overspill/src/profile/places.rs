//! The directories of a user and a project. The environment is told from outside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories of a user and a project, as the edge found them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// The user's state directory.
    pub state: PathBuf,
    /// The user's data directory.
    pub data: PathBuf,
    /// The home directory.
    pub home: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// The working directory.
    pub working: PathBuf,
}

impl Places {
    /// Finds the directories; `variable` says what a variable of the environment is set to. Those
    /// that cannot be known are empty.
    pub fn found(variable: impl Fn(&str) -> Option<OsString>, working: PathBuf) -> Places {
        let home = Places::home(&variable);
        let base = |name, in_home| Places::base(&variable, name, in_home);
        Places {
            state: base("XDG_STATE_HOME", ".local/state"),
            // The one system that keeps its files there means its own directory.
            data: Places::below(base("XDG_DATA_HOME", ".local/share"), "opencode"),
            project: project_root(&working, home.clone()),
            home: home.unwrap_or_default(),
            working,
        }
    }

    /// Finds the home directory.
    pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let home = set("HOME").or_else(|| set("LOCALAPPDATA"));
        home.map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Finds a base directory: what its variable says, else what it is in the home directory.
    ///
    /// The specification of base directories has relative paths ignored.
    pub fn base(variable: impl Fn(&str) -> Option<OsString>, name: &str, in_home: &str) -> PathBuf {
        let said = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let in_home = || Places::home(&variable).map(|home| home.join(in_home));
        said.or_else(in_home).unwrap_or_default()
    }

    /// Returns the path below a directory that is known.
    pub fn below(directory: PathBuf, path: &str) -> PathBuf {
        if directory.is_absolute() { directory.join(path) } else { PathBuf::new() }
    }
}

/// Returns the directories that a project may have its settings in, from the working directory up
/// to the one that holds `.git`.
///
/// The home directory and the root of the file system are nobody's project.
pub fn project_directories(working: &Path, home: Option<PathBuf>) -> impl Iterator<Item = &Path> {
    let mut over = !working.is_absolute();
    // The working directory has no links in it, while the home directory may be named by one.
    let real_home = home.as_deref().and_then(|home| home.canonicalize().ok());
    let is_home = move |directory| {
        home.as_deref() == Some(directory) || real_home.as_deref() == Some(directory)
    };
    working.ancestors().take_while(move |directory| {
        if over || directory.parent().is_none() || is_home(directory) {
            return false;
        }
        over = directory.join(".git").exists();
        true
    })
}

/// Returns the project's root: the directory that holds `.git`, else the working directory.
pub fn project_root(working: &Path, home: Option<PathBuf>) -> PathBuf {
    let mut all = project_directories(working, home);
    all.find(|directory| directory.join(".git").exists()).unwrap_or(working).to_owned()
}
