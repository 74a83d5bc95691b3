//! Starts a command with `posix_spawn`.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::spawn::{
    PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn, posix_spawnp,
};
use nix::sys::signal::SigSet;
use rustix::process::Pid;

use super::super::exec::{c_string, environment};
use super::super::signals::Signals;
use super::super::stdio_target::{Group, StdioTarget};
use crate::process::Unstartable;

/// Starts the command with these three descriptors and the original signal mask of this process.
///
/// The standard library would start the command with an empty mask.
pub(in super::super) fn start(
    words: &[OsString],
    places: [StdioTarget; 3],
    group: Group,
    signals: &Signals,
    variables: &[(&'static str, OsString)],
) -> Result<Pid, Unstartable> {
    let failed = |source| Unstartable { program: words[0].to_string_lossy().into_owned(), source };
    try_start(words, places, group, &signals.mask, variables).map_err(failed)
}

fn try_start(
    words: &[OsString],
    places: [StdioTarget; 3],
    group: Group,
    mask: &SigSet,
    variables: &[(&'static str, OsString)],
) -> io::Result<Pid> {
    let args = words.iter().map(|word| c_string(word)).collect::<io::Result<Vec<_>>>()?;
    let environment = environment(variables)?;
    let (actions, attributes) = (actions(places)?, attributes(group, mask)?);
    let started = match posix_spawnp(&args[0], &actions, &attributes, &args, &environment) {
        // The file is a script without `#!`, which needs a shell.
        Err(Errno::ENOEXEC) => {
            let file = c_string(find(&words[0]).as_os_str())?;
            let shell = [c"/bin/sh".to_owned(), file].into_iter().chain(args.into_iter().skip(1));
            let shell: Vec<CString> = shell.collect();
            posix_spawn(c"/bin/sh", &actions, &attributes, &shell, &environment)
        }
        started => started,
    };
    let pid = started.map_err(|errno| io::Error::from_raw_os_error(errno as i32))?;
    Pid::from_raw(pid.as_raw()).ok_or_else(|| io::ErrorKind::Other.into())
}

fn actions(places: [StdioTarget; 3]) -> io::Result<PosixSpawnFileActions> {
    let mut actions = PosixSpawnFileActions::init()?;
    let mut terminal = None;
    for (number, place) in places.into_iter().enumerate() {
        let number = number as i32;
        match (place, terminal) {
            (StdioTarget::Inherited, _) => {}
            (StdioTarget::Closed, _) => actions.add_close(number)?,
            (StdioTarget::Ours(fd), _) => actions.add_dup2(fd.as_raw_fd(), number)?,
            (StdioTarget::Terminal(_), Some(first)) => actions.add_dup2(first, number)?,
            (StdioTarget::Terminal(pty), None) => {
                // The first terminal that a session leader opens becomes the session's terminal.
                let (read_write, mode) = (nix::fcntl::OFlag::O_RDWR, nix::sys::stat::Mode::empty());
                actions.add_open(number, pty.path.as_c_str(), read_write, mode)?;
                terminal = Some(number);
            }
        }
    }
    Ok(actions)
}

fn attributes(group: Group, mask: &SigSet) -> io::Result<PosixSpawnAttr> {
    /// `POSIX_SPAWN_SETSID` of the C library, which the crate `nix` lacks.
    const SET_SESSION: i32 = 0x80;
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_sigmask(mask)?;
    let mut flags = PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
    match group {
        Group::Ours => {}
        Group::Own => {
            attributes.set_pgroup(nix::unistd::Pid::from_raw(0))?;
            flags |= PosixSpawnFlags::POSIX_SPAWN_SETPGROUP;
        }
        Group::Session => flags |= PosixSpawnFlags::from_bits_retain(SET_SESSION),
    }
    attributes.set_flags(flags)?;
    Ok(attributes)
}

/// Finds a program as a shell does, without checking that it is executable.
fn find(program: &OsStr) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let here = program.as_bytes().contains(&b'/');
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|file| !here && Path::is_file(file));
    found.map_or_else(|| program.to_owned(), Into::into)
}
