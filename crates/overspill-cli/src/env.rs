//! The environment of the process: variables, directories, and the path of this program.
//!
//! `begin` makes one [`Env`] for all commands. A value is read only when a command uses it, so that
//! a command starts quickly.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use overspill::Places;
use overspill::internal::profile;

use crate::hosts::{self, Host};
use crate::settings::variables;
use crate::ui::{self, ColorChoice, Colors};

/// The name of this program.
const NAME: &str = "overspill";

/// The environment of this process. Clones share the values that were read.
#[derive(Debug, Clone)]
pub(crate) struct Env(Arc<Surroundings>);

#[derive(Debug)]
struct Surroundings {
    variables: Variables,
    directory: OnceLock<PathBuf>,
    places: OnceLock<Places>,
    program_name: OnceLock<String>,
    color: OnceLock<ColorChoice>,
}

/// The source of variables.
#[derive(Debug)]
enum Variables {
    Process,
    #[cfg(test)]
    Table(std::collections::BTreeMap<OsString, OsString>),
}

impl Env {
    /// Returns the environment of this process, without reading anything yet.
    pub(crate) fn of_process() -> Env {
        Env::new(Variables::Process, OnceLock::new())
    }

    /// Returns an environment with only these variables.
    #[cfg(test)]
    pub(crate) fn of_table(variables: &[(&str, &str)], directory: &Path) -> Env {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Env::new(Variables::Table(variables.collect()), OnceLock::from(directory.to_owned()))
    }

    fn new(variables: Variables, directory: OnceLock<PathBuf>) -> Env {
        let (places, program_name, color) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Env(Arc::new(Surroundings { variables, directory, places, program_name, color }))
    }

    /// Returns the value of a variable; `None` if it is not set or empty.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let value = match &self.0.variables {
            Variables::Process => std::env::var_os(name),
            #[cfg(test)]
            Variables::Table(table) => table.get(std::ffi::OsStr::new(name)).cloned(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// Tells whether a variable is set, also to an empty value.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        match &self.0.variables {
            Variables::Process => std::env::var_os(name).is_some(),
            #[cfg(test)]
            Variables::Table(table) => table.contains_key(std::ffi::OsStr::new(name)),
        }
    }

    /// Returns all variables that are not empty.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let all: Vec<(OsString, OsString)> = match &self.0.variables {
            Variables::Process => std::env::vars_os().collect(),
            #[cfg(test)]
            Variables::Table(table) => table.clone().into_iter().collect(),
        };
        all.into_iter().filter(|(_, value)| !value.is_empty())
    }

    /// Returns the working directory.
    pub(crate) fn directory(&self) -> io::Result<&Path> {
        if let Some(known) = self.0.directory.get() {
            return Ok(known);
        }
        let found = std::env::current_dir()?;
        Ok(self.0.directory.get_or_init(|| found))
    }

    /// Returns the working directory, or an empty path if it cannot be found.
    pub(crate) fn directory_or_empty(&self) -> &Path {
        self.directory().unwrap_or(Path::new(""))
    }

    /// Returns the working directory as records have it.
    pub(crate) fn recorded_directory(&self) -> Option<String> {
        Some(self.directory().ok()?.to_string_lossy().into_owned())
    }

    /// Returns a path that starts at the working directory as an absolute path.
    pub(crate) fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        match path.is_absolute() {
            true => std::path::absolute(path),
            false => std::path::absolute(self.directory()?.join(path)),
        }
    }

    /// Returns the directory for temporary files.
    pub(crate) fn temporary_directory(&self) -> PathBuf {
        self.variable("TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from)
    }

    /// Returns the time of the system's clock.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    /// Returns the home directory.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        Places::home(|name| self.variable(name))
    }

    /// Returns the directories of the user and the project. An unknown directory is empty.
    pub(crate) fn places(&self) -> &Places {
        let variable = |name: &str| self.variable(name);
        self.0
            .places
            .get_or_init(|| Places::from_env(variable, self.directory_or_empty().to_owned()))
    }

    /// Returns the directories in which the project may have its settings.
    pub(crate) fn project_directories(&self) -> impl Iterator<Item = &Path> {
        profile::project_directories(self.directory_or_empty(), self.home())
    }

    /// Returns the project's root.
    pub(crate) fn project_root(&self) -> PathBuf {
        profile::project_root(self.directory_or_empty(), self.home())
    }

    /// Returns the directory in which all programs keep their settings.
    pub(crate) fn config_home(&self) -> PathBuf {
        Places::base(|name| self.variable(name), "XDG_CONFIG_HOME", ".config")
    }

    /// Returns the directory in which all programs keep their data.
    pub(crate) fn data_home(&self) -> PathBuf {
        Places::base(|name| self.variable(name), "XDG_DATA_HOME", ".local/share")
    }

    /// Returns the directory of our settings.
    pub(crate) fn config_directory(&self) -> PathBuf {
        Places::below(self.config_home(), NAME)
    }

    /// Returns the directory of the links by which hosts run overspill.
    pub(crate) fn links(&self) -> PathBuf {
        self.config_directory().join("bin")
    }

    /// Returns the user's settings file.
    pub(crate) fn user_file(&self) -> Option<PathBuf> {
        if let Some(named) = self.variable(variables::CONFIG) {
            return self.absolute(Path::new(&named)).ok();
        }
        let file = Places::below(self.config_home(), "overspill/config.toml");
        Some(file).filter(|file| file.is_absolute())
    }

    /// Returns the session that outputs belong to, if a variable of overspill or of the host names
    /// one.
    pub(crate) fn session(&self) -> Option<String> {
        let of_host = || hosts::HOSTS.iter().find_map(|host| self.variable(host.session?));
        let session = self.variable(variables::SESSION).or_else(of_host);
        session.map(|session| session.to_string_lossy().into_owned())
    }

    /// Chooses when colours are used. Only the first choice counts.
    pub(crate) fn choose_color(&self, choice: ColorChoice) {
        let _ = self.0.color.set(choice);
    }

    /// Tells whether a person, and not an agent, types and reads on a terminal.
    pub(crate) fn has_person(&self) -> bool {
        // A person reads the page of `overspill view`.
        if ui::is_captured() {
            return true;
        }
        let is_dumb = self.variable("TERM").is_some_and(|term| term == "dumb");
        ui::is_typed() && ui::is_seen() && !is_dumb && !hosts::is_inside(self)
    }

    /// Tells whether a person waits at a terminal, also if standard output goes to a file or a
    /// pipe.
    pub(crate) fn is_watched(&self) -> bool {
        let is_dumb = self.variable("TERM").is_some_and(|term| term == "dumb");
        ui::is_error_seen() && !is_dumb && !hosts::is_inside(self)
    }

    /// Returns the colours of standard output.
    pub(crate) fn colors(&self) -> Colors {
        let choice = self.0.color.get().copied().unwrap_or_default();
        Colors::decide(choice, |name| self.variable(name), ui::is_seen())
    }

    /// Returns the user's shell.
    pub(crate) fn shell(&self) -> OsString {
        let shell = self.variable("SHELL").filter(|shell| Path::new(shell).is_absolute());
        shell.unwrap_or_else(|| "/bin/sh".into())
    }

    /// Returns the paths that a program of this name would have in the directories of the PATH.
    pub(crate) fn on_path(&self, program: &str) -> impl Iterator<Item = PathBuf> {
        let path = self.variable("PATH").unwrap_or_default();
        let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        directories.into_iter().map(move |directory| directory.join(program))
    }

    /// Returns a path for a person to read, with `~` for the home directory and without control
    /// characters.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let below = self.home().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
        let path = match below {
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        };
        ui::escaped(&path, usize::MAX)
    }

    /// Returns the file of this program.
    pub(crate) fn executable(&self) -> io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// Returns the word that runs this program in a shell with the same environment: `overspill` if
    /// the PATH leads to this program, else its path.
    ///
    /// The search looks into the directories of the PATH, so it runs once and only on demand.
    pub(crate) fn program_name(&self) -> &str {
        self.0.program_name.get_or_init(|| {
            let is_kept = !Host::around(self).any(|host| host.resets_path);
            if is_kept && self.is_on_path() { NAME.into() } else { self.program_path() }
        })
    }

    /// Returns the word that runs this program in an unknown shell: its path. The link that `init` made
    /// comes first, because it stays where it is when the program moves.
    pub(crate) fn program_path(&self) -> String {
        let own = self.real_executable();
        let link = self.links().join(NAME);
        let leads_here = own.is_some() && link.canonicalize().ok() == own;
        let path = if leads_here { Some(link) } else { own };
        path.map_or_else(|| NAME.into(), |path| ui::shell_word(&path.to_string_lossy()))
    }

    /// Returns the path of this program, quoted for a shell.
    pub(crate) fn own_path(&self) -> Option<String> {
        Some(ui::shell_word(self.real_executable()?.to_str()?))
    }

    /// Tells whether the PATH leads to this program from any directory, outside `uvx` and `npx` too.
    fn is_on_path(&self) -> bool {
        // A shell runs the first file of this name, so that file must be this program.
        let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
        let first = self.on_path(&file).find(|it| it.is_file()).filter(|it| it.is_absolute());
        let first = first.and_then(|path| path.canonicalize().ok());
        let own = self.real_executable().filter(|own| crate::installed::cache(own).is_none());
        first.zip(own).is_some_and(|(first, own)| first == own || is_script_for(&first, &own))
    }

    /// Returns the file of this program without links in its path.
    fn real_executable(&self) -> Option<PathBuf> {
        let own = self.executable().ok()?;
        // Linux reports a program that was replaced since its start as deleted. The new program has
        // that path.
        let place = own.to_str().and_then(|path| path.strip_suffix(" (deleted)"));
        let own = place.filter(|_| !own.exists()).map(PathBuf::from).unwrap_or(own);
        Some(own.canonicalize().unwrap_or(own))
    }
}

/// Tells whether a file is the script of the npm package that starts this program:
/// `X/overspill/bin/overspill` starts `X/overspill-linux-x64-gnu/bin/overspill`, or the same below
/// `X/overspill/node_modules`.
pub(crate) fn is_script_for(script: &Path, program: &Path) -> bool {
    let package = |file: &Path| file.parent()?.parent().map(Path::to_owned);
    let Some((own, platform)) = package(script).zip(package(program)) else { return false };
    let is_platform = platform.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
        name.strip_prefix(NAME).is_some_and(|rest| rest.starts_with("-linux-"))
    });
    let is_beside = platform.parent() == own.parent();
    let is_inside = platform.parent() == Some(&own.join("node_modules"));
    own.ends_with(NAME) && is_platform && (is_beside || is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_of_npm_starts_the_program_of_its_own_package() {
        let script = Path::new("/usr/lib/node_modules/overspill/bin/overspill");
        for (program, expected) in [
            ("/usr/lib/node_modules/overspill-linux-x64-gnu/bin/overspill", true),
            (
                "/usr/lib/node_modules/overspill/node_modules/overspill-linux-x64-gnu/bin/overspill",
                true,
            ),
            ("/opt/node_modules/overspill-linux-x64-gnu/bin/overspill", false),
            ("/usr/lib/node_modules/other/bin/overspill", false),
            ("/usr/bin/overspill", false),
        ] {
            assert_eq!(is_script_for(script, Path::new(program)), expected, "{program}");
        }
    }

    #[test]
    fn directories_follow_the_variables_of_the_table() {
        let work = Path::new("/srv/work");
        let env = Env::of_table(&[("HOME", "/home/me"), ("EMPTY", "")], work);
        assert_eq!(env.variable("EMPTY"), None);
        assert_eq!(env.variables().count(), 1);
        assert_eq!(env.links(), Path::new("/home/me/.config/overspill/bin"));
        assert_eq!(env.user_file().as_deref(), Some(&*env.config_directory().join("config.toml")));
        assert_eq!(env.shown(Path::new("/home/me/.bashrc")), "~/.bashrc");
        assert_eq!(env.places().working, work);
        assert_eq!(env.shell(), "/bin/sh");

        let named = [("OVERSPILL_CONFIG", "x.toml"), ("XDG_CONFIG_HOME", "/etc/me")];
        let env = Env::of_table(&named, work);
        assert_eq!(env.user_file().as_deref(), Some(&*work.join("x.toml")));
        assert_eq!(env.links(), Path::new("/etc/me/overspill/bin"));
        assert_eq!((env.home(), env.session()), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn program_name_is_plain_if_the_path_leads_here() {
        let dir = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        let path = dir.path().to_str().unwrap();
        let named = |more: &[(&str, &str)]| {
            let all = [&[("PATH", path)], more].concat();
            Env::of_table(&all, dir.path()).program_name().to_owned()
        };
        let full = ui::shell_word(&own.to_string_lossy());
        assert_eq!(named(&[]), full, "the PATH does not have it");
        std::os::unix::fs::symlink(&own, dir.path().join("overspill")).unwrap();
        assert_eq!(named(&[]), "overspill");
        assert_eq!(named(&[("CODEX_THREAD_ID", "1")]), full, "this host resets the PATH");
    }
}
