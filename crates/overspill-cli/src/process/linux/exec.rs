//! Becoming another program.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use rustix::process::{Pid, getpid};

use super::signals::descends;
use super::start::{c_string, environment};

/// Becomes `program`: the process stays the same, and mask, handlers and descriptors as they are.
///
/// The first of the words is the name it is called by.
pub(crate) fn become_program(
    program: &Path,
    words: &[OsString],
    variables: &[(&'static str, OsString)],
) -> io::Result<Infallible> {
    let words = words.iter().map(|word| c_string(word)).collect::<io::Result<Vec<_>>>()?;
    let program = c_string(program.as_os_str())?;
    nix::unistd::execve(&program, &words, &environment(variables)?).map_err(io::Error::from)
}

/// Tells whether this process was started by the one of this number, or by one that it started.
pub(crate) fn is_below(process: i32) -> bool {
    let own = getpid().as_raw_nonzero().get();
    Pid::from_raw(process).is_some_and(|ancestor| descends(own, ancestor))
}
