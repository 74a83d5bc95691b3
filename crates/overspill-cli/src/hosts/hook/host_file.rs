//! Opens files in which a host keeps a whole output.
//!
//! The path comes from the result of a tool, and a tool may have forged it. So a file is opened
//! only if its path can belong to the host.

use std::fs::File;
use std::path::Path;

use crate::env::Env;
use crate::hosts::below_home;
use crate::open::{is_own, open_regular};

/// The directory below a session of Claude Code in which it keeps long outputs.
const CLAUDE_RESULTS: &str = "tool-results";

/// Opens a regular file that belongs to the user. It does not follow a link, and never blocks.
pub(super) fn open(path: &Path) -> Option<File> {
    let (file, metadata) = open_regular(path).ok()?;
    is_own(&metadata).then_some(file)
}

/// Opens a file in which Claude Code keeps the output of a command:
/// `~/.claude/projects/PROJECT/SESSION/tool-results/NAME`.
pub(super) fn open_claude(path: &Path, env: &Env) -> Option<File> {
    let projects = below_home("~/.claude/projects", env)?.canonicalize().ok()?;
    // Links and `..` in the path could lead anywhere, so the path is resolved first.
    let directory = path.parent()?.canonicalize().ok()?;
    let is_theirs = path.is_absolute()
        && directory.starts_with(&projects)
        && directory.file_name().is_some_and(|name| name == CLAUDE_RESULTS);
    if is_theirs { open(&directory.join(path.file_name()?)) } else { None }
}
