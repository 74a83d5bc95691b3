//! Starts a command.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::spawn::{
    PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn, posix_spawnp,
};
use nix::sys::signal::SigSet;
use rustix::process::Pid;

use crate::process::Unstartable;

/// What becomes of a descriptor of the command.
#[derive(Debug)]
pub(super) enum StdioTarget<'a> {
    /// It is as it is here.
    Inherited,
    /// It is not open.
    Closed,
    /// It is this one of ours.
    Ours(&'a OwnedFd),
    /// It is this terminal, which becomes the command's own.
    Terminal(&'a CStr),
}

/// Which processes the command forms a group with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// With us.
    Ours,
    /// With those that it starts itself.
    Own,
    /// The same, in a session of its own, as whoever has a terminal of its own must.
    Session,
}

/// Starts the command with these three descriptors and this signal mask.
///
/// The standard library would do it with an empty mask.
pub(super) fn start(
    words: &[OsString],
    places: [StdioTarget; 3],
    group: Group,
    mask: &SigSet,
    variables: &[(&'static str, OsString)],
) -> Result<Pid, Unstartable> {
    let failed = |source| Unstartable { program: words[0].to_string_lossy().into_owned(), source };
    try_start(words, places, group, mask, variables).map_err(failed)
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
        // A file of commands that does not say whose; a shell would take it for its own.
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
            (StdioTarget::Terminal(path), None) => {
                // The first terminal that the leader of a session opens is the session's.
                let (read_write, mode) = (nix::fcntl::OFlag::O_RDWR, nix::sys::stat::Mode::empty());
                actions.add_open(number, path, read_write, mode)?;
                terminal = Some(number);
            }
        }
    }
    Ok(actions)
}

fn attributes(group: Group, mask: &SigSet) -> io::Result<PosixSpawnAttr> {
    /// In the C library's header, but not among the constants of the crate we use.
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

/// Returns our environment with these variables.
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

/// Finds a program as a shell does, without asking whether it can be run.
fn find(program: &OsStr) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let here = program.as_bytes().contains(&b'/');
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|file| !here && Path::is_file(file));
    found.map_or_else(|| program.to_owned(), Into::into)
}
