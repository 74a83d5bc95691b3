//! The log file that a host makes for a command when it moves the command to the background.
//!
//! The host then reads the log by pages, so overspill passes on the whole output, unchanged.

use std::path::PathBuf;
use std::time::SystemTime;

use super::{Host, below_home};
use crate::env::Env;

/// The place in which a host makes such logs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackgroundLog {
    /// The path of the log. `@PID@` stands for the id of the process.
    pub(crate) path: &'static str,
}

/// The log of this process, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedLog {
    path: PathBuf,
    since: SystemTime,
}

impl ExpectedLog {
    /// Returns the log that the host would make for this process.
    pub(crate) fn of_process(env: &Env) -> Option<ExpectedLog> {
        let log = Host::around(env).find_map(|host| host.background_log)?;
        ExpectedLog::at(&log, std::process::id(), env.now().into(), env)
    }

    fn at(log: &BackgroundLog, process: u32, since: SystemTime, env: &Env) -> Option<ExpectedLog> {
        let path = below_home(&log.path.replace("@PID@", &process.to_string()), env)?;
        Some(ExpectedLog { path, since })
    }

    /// Tells whether the host has made the log. The log of an earlier process with the same id does
    /// not count.
    pub(crate) fn is_there(&self) -> bool {
        let found = std::fs::symlink_metadata(&self.path).ok();
        found.and_then(|found| found.modified().ok()).is_some_and(|time| time >= self.since)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::HOSTS;
    use super::*;

    #[test]
    fn log_of_another_session_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        let log = HOSTS.iter().find_map(|host| host.background_log).unwrap();
        let now = SystemTime::now();
        let env = Env::of_table(&[("HOME", home.path().to_str().unwrap())], Path::new("/"));
        let expected = ExpectedLog::at(&log, 17, now - Duration::from_secs(5), &env).unwrap();
        assert!(!expected.is_there());
        std::fs::create_dir_all(expected.path.parent().unwrap()).unwrap();
        std::fs::write(&expected.path, "").unwrap();
        assert!(expected.is_there() && expected.path.ends_with("background-17.log"));
        let later = ExpectedLog { since: now + Duration::from_secs(60), ..expected };
        assert!(!later.is_there());
    }
}
