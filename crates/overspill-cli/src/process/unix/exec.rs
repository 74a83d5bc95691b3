//! Replaces this process by another program.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Replaces this process by `program`. Signal mask, dispositions and descriptors stay unchanged.
///
/// The first of the words is the name under which the program is called.
pub(crate) fn become_program(
    program: &Path,
    words: &[OsString],
    variables: &[(&'static str, OsString)],
) -> io::Result<Infallible> {
    let words = words.iter().map(|word| c_string(word)).collect::<io::Result<Vec<_>>>()?;
    let program = c_string(program.as_os_str())?;
    nix::unistd::execve(&program, &words, &environment(variables)?).map_err(io::Error::from)
}

/// Returns the environment of this process with these variables added.
pub(super) fn environment(variables: &[(&'static str, OsString)]) -> io::Result<Vec<CString>> {
    let entry = |(name, value): (OsString, OsString)| {
        let mut entry = name;
        entry.push("=");
        entry.push(value);
        c_string(&entry)
    };
    let is_new = |name: &OsString| variables.iter().any(|(new, _)| name == new);
    let ours = std::env::vars_os().filter(|(name, _)| !is_new(name));
    let new = variables.iter().map(|(name, value)| (OsString::from(name), value.clone()));
    ours.chain(new).map(entry).collect()
}

pub(super) fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(io::Error::from)
}
