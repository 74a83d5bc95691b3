//! The log that a host makes for a command when it moves the command to the background.
//!
//! The host then reads the output by pages, so it gets everything as it comes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Host;
use crate::env::Env;

/// The place of such a log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackgroundLog {
    /// The variable that names the directory, which otherwise is the home.
    pub(crate) variable: &'static str,
    /// The path below it. `@PID@` is the number of the process.
    pub(crate) path: &'static str,
}

/// The log of this process, which need not be there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedLog {
    path: PathBuf,
    since: SystemTime,
}

impl ExpectedLog {
    /// Returns the log that the host around us would make for this process.
    pub(crate) fn of_process(env: &Env) -> Option<ExpectedLog> {
        let log = Host::around(env).find_map(|host| host.background_log)?;
        let named = env.variable(log.variable).map(PathBuf::from);
        let home = named.or_else(|| env.home())?;
        Some(ExpectedLog::at(&home, &log, std::process::id(), SystemTime::now()))
    }

    fn at(home: &Path, log: &BackgroundLog, process: u32, since: SystemTime) -> ExpectedLog {
        let path = home.join(log.path.replace("@PID@", &process.to_string()));
        ExpectedLog { path, since }
    }

    /// Tells whether the host has made it. A process of another session may have had our number.
    pub(crate) fn is_there(&self) -> bool {
        let found = std::fs::symlink_metadata(&self.path).ok();
        found.and_then(|found| found.modified().ok()).is_some_and(|time| time >= self.since)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::HOSTS;
    use super::*;

    #[test]
    fn log_of_another_session_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        let log = HOSTS.iter().find_map(|host| host.background_log).unwrap();
        let now = SystemTime::now();
        let expected = ExpectedLog::at(home.path(), &log, 17, now - Duration::from_secs(5));
        assert!(!expected.is_there());
        std::fs::create_dir_all(expected.path.parent().unwrap()).unwrap();
        std::fs::write(&expected.path, "").unwrap();
        assert!(expected.is_there() && expected.path.ends_with("background-17.log"));
        let later = ExpectedLog { since: now + Duration::from_secs(60), ..expected };
        assert!(!later.is_there());
    }
}
