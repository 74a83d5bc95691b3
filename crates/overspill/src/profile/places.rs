//! The directories of a user and a project. The caller reads the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories of a user and a project.
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
    /// Finds the directories. `variable` returns the value of an environment variable. A directory
    /// that is not known is empty.
    ///
    /// ```
    /// use overspill::Places;
    ///
    /// let places = Places::from_env(|name| std::env::var_os(name), std::env::current_dir()?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn from_env(variable: impl Fn(&str) -> Option<OsString>, working: PathBuf) -> Places {
        let home = Places::home(&variable);
        let base = |name, in_home| Places::base(&variable, name, in_home);
        Places {
            state: base("XDG_STATE_HOME", ".local/state"),
            // Only opencode keeps files there, in a directory of its own.
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

    /// Finds a base directory: the value of its variable, else a path in the home directory.
    ///
    /// A relative path is ignored, as the XDG specification says.
    pub fn base(variable: impl Fn(&str) -> Option<OsString>, name: &str, in_home: &str) -> PathBuf {
        let said = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let in_home = || Places::home(&variable).map(|home| home.join(in_home));
        said.or_else(in_home).unwrap_or_default()
    }

    /// Returns a path below a directory. The path is empty if the directory is not known.
    pub fn below(directory: PathBuf, path: &str) -> PathBuf {
        if directory.is_absolute() { directory.join(path) } else { PathBuf::new() }
    }
}

/// Returns the directories in which a project may have its settings, from the working directory up
/// to the directory with `.git`.
///
/// The home directory and the root of the file system are not projects.
pub fn project_directories(working: &Path, home: Option<PathBuf>) -> impl Iterator<Item = &Path> {
    let mut over = !working.is_absolute();
    // The working directory has no links in its path. `$HOME` may have some.
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

/// Returns the project's root: the directory with `.git`, else the working directory.
pub fn project_root(working: &Path, home: Option<PathBuf>) -> PathBuf {
    let mut all = project_directories(working, home);
    all.find(|directory| directory.join(".git").exists()).unwrap_or(working).to_owned()
}
