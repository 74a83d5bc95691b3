//! Files in which a host keeps a whole output.
//!
//! The path comes with the result of a tool, and a tool may have written it. So a file is opened only
//! if it can be one of the host's own.

use std::fs::File;
use std::path::Path;

use crate::env::Env;
use crate::hosts::below_home;
use crate::open::{is_own, open_regular};

/// The directory below a session of Claude Code in which it keeps long outputs.
const CLAUDE_RESULTS: &str = "tool-results";

/// Opens a regular file of the user's, and never waits for it. A link is not followed.
pub(super) fn open(path: &Path) -> Option<File> {
    let (file, metadata) = open_regular(path).ok()?;
    is_own(&metadata).then_some(file)
}

/// Opens a file in which Claude Code keeps the output of a command:
/// `~/.claude/projects/PROJECT/SESSION/tool-results/NAME`.
pub(super) fn open_claude(path: &Path, env: &Env) -> Option<File> {
    let projects = below_home("~/.claude/projects", env)?.canonicalize().ok()?;
    // Without links and `..`: they could lead anywhere.
    let directory = path.parent()?.canonicalize().ok()?;
    let is_theirs = path.is_absolute()
        && directory.starts_with(&projects)
        && directory.file_name().is_some_and(|name| name == CLAUDE_RESULTS);
    if is_theirs { open(&directory.join(path.file_name()?)) } else { None }
}
