//! The file that a host gives to a command for its output, and whether that command runs in the
//! background.
//!
//! The host gives the same kind of file to a command that it waits for and to a command in the
//! background, with the same arguments and variables. Only the log of the session distinguishes the
//! two commands. The log has the ids of tasks in the background, also of a command that was moved
//! there after a timeout.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::{Host, TaskFiles, below_home};
use crate::env::Env;
use crate::process;

/// The output file of a task of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskFile {
    /// The id of the task.
    id: String,
    /// The log of the session, without its ending. It is also the directory of the logs of sub-agents.
    log: PathBuf,
}

/// The largest number of logs of sub-agents that are read.
const MOST_LOGS: usize = 200;
/// The number of directory levels below the session in which logs of sub-agents are searched.
const DEPTH: usize = 3;

impl TaskFile {
    /// Returns the task file that is the standard output of this process. Returns `None` for any
    /// other output.
    pub(crate) fn of_stdout(env: &Env) -> Option<TaskFile> {
        let files = Host::around(env).find_map(|host| host.task_files)?;
        TaskFile::at(&process::stdout_path()?, &files, env)
    }

    fn at(path: &Path, files: &TaskFiles, env: &Env) -> Option<TaskFile> {
        let is_task = path.extension()? == files.ending;
        let id = path.file_stem()?.to_str().filter(|id| is_task && !id.is_empty())?;
        let folder = path.parent().filter(|folder| folder.ends_with(files.folder))?;
        let session = folder.parent()?;
        let project = session.parent()?.file_name()?;
        let log = below_home(files.logs, env)?.join(project).join(session.file_name()?);
        Some(TaskFile { id: id.to_owned(), log })
    }

    /// Tells whether the host runs the task in the background.
    pub(crate) fn is_in_background(&self) -> bool {
        let mut left = MOST_LOGS;
        self.is_named_in(&self.log.with_extension("jsonl"))
            || self.is_named_below(&self.log, DEPTH, &mut left)
    }

    fn is_named_below(&self, directory: &Path, depth: usize, left: &mut usize) -> bool {
        let Ok(entries) = fs::read_dir(directory) else { return false };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let is_named = if kind.is_dir() && depth > 0 {
                self.is_named_below(&path, depth - 1, left)
            } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "jsonl") {
                let Some(less) = left.checked_sub(1) else { return false };
                *left = less;
                self.is_named_in(&path)
            } else {
                false
            };
            if is_named {
                return true;
            }
        }
        false
    }

    /// Tells whether a log has the id of the task.
    fn is_named_in(&self, log: &Path) -> bool {
        let is_file = fs::symlink_metadata(log).is_ok_and(|found| found.is_file());
        let Some(mut file) = is_file.then(|| File::open(log).ok()).flatten() else { return false };
        let finder = memmem::Finder::new(&self.id);
        let mut space = vec![0; 256 << 10];
        let mut held = 0;
        loop {
            match file.read(&mut space[held..]) {
                Ok(0) | Err(_) => return false,
                Ok(len) => {
                    let end = held + len;
                    if finder.find(&space[..end]).is_some() {
                        return true;
                    }
                    // A chunk may end in the middle of the id.
                    held = end.min(self.id.len());
                    space.copy_within(end - held..end, 0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::HOSTS;
    use super::*;

    fn files() -> TaskFiles {
        HOSTS.iter().find_map(|host| host.task_files).unwrap()
    }

    #[test]
    fn task_file_is_recognised_by_its_path() {
        let env = Env::of_table(&[("HOME", "/h")], Path::new("/"));
        let at = |path: &str| TaskFile::at(Path::new(path), &files(), &env);
        let log = PathBuf::from("/h/.claude/projects/-work/5bea");
        let found = at("/tmp/claude-0/-work/5bea/tasks/b1.output");
        assert_eq!(found, Some(TaskFile { id: "b1".into(), log }));
        for other in ["/tmp/out.txt", "/a/tasks/b1.txt", "/a/b/b1.output", "/tasks/b1.output", "/"]
        {
            assert_eq!(at(other), None, "{other}");
        }
        let env = Env::of_table(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")], Path::new("/"));
        let found = TaskFile::at(Path::new("/t/-w/s/tasks/b1.output"), &files(), &env);
        assert_eq!(found.unwrap().log, Path::new("/c/projects/-w/s"));
    }

    #[test]
    fn task_in_the_background_is_named_in_a_log() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("session");
        let task = TaskFile { id: "b12345678".into(), log: log.clone() };
        assert!(!task.is_in_background());
        let padding = "x".repeat((256 << 10) - 4);
        fs::write(log.with_extension("jsonl"), format!("{padding}b1234567 b12345678\n")).unwrap();
        assert!(task.is_in_background());
        fs::write(log.with_extension("jsonl"), format!("{padding}b12345678\n")).unwrap();
        assert!(task.is_in_background());
        fs::write(log.with_extension("jsonl"), "another b00000000\n").unwrap();
        assert!(!task.is_in_background());
        fs::create_dir_all(log.join("subagents")).unwrap();
        fs::write(log.join("subagents/agent-1.jsonl"), "with ID: b12345678.").unwrap();
        assert!(task.is_in_background());
    }
}
