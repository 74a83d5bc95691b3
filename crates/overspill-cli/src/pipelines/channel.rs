//! Opens the prelude, the pipe for reports and the files for captures, which the shell and the
//! capturing stages share with this process.
//!
//! The shell opens them as `/proc/PID/fd/N`. They have no name in a directory, so nothing is left
//! behind.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, fcntl_setpipe_size, pipe_with};
use rustix::process::{Resource, getrlimit};

use super::Prelude;
use super::shell::Shell;
use super::tee::TeeArgument;

const BASH_PRELUDE: &str = include_str!("prelude.sh");
const ZSH_PRELUDE: &str = include_str!("prelude.zsh");
/// The DEBUG trap removes itself after this many events, because a long loop must not become slow.
const EVENTS: usize = 300;
/// The size in bytes that overspill requests for the pipe.
const PIPE_ROOM: usize = 1 << 20;
/// The number of bytes of the longest report: nine commands of 400 characters of four bytes, names
/// of functions, and numbers.
const LONGEST_REPORT: usize = 18 << 10;
/// The number of file descriptors that overspill needs to run a command.
const DESCRIPTORS_TO_RUN: u64 = 24;
/// The number of bytes of the pipe for the reports of the capturing stages.
const STAGE_REPORTS: usize = 4 << 10;

/// The command that removes the prelude from the environment of the commands.
const START: &str = "unset BASH_ENV";
/// The command that gives the prelude one more event after the last command.
const EXIT_TRAP: &str = "trap ': end' EXIT";
/// The same for zsh, whose DEBUG trap has no event there.
const ZSH_EXIT_TRAP: &str = "trap \"$__ovs_t\" EXIT";

/// The files that overspill keeps open: the prelude, both ends of the pipe, and the captures.
pub(super) struct Channel {
    prelude: OwnedFd,
    reader: File,
    writer: OwnedFd,
    captures: Vec<File>,
}

impl Channel {
    /// Opens a channel with a file in `directory` for each of `captures` places.
    pub(super) fn open(
        prelude: &Prelude,
        captures: usize,
        directory: &Path,
    ) -> io::Result<Channel> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let _ = fcntl_setpipe_size(&writer, PIPE_ROOM);
        let room = fcntl_getpipe_size(&writer)?;
        // The shell must never wait for overspill, so it writes no more reports than the pipe can
        // contain.
        let reports = room.saturating_sub(STAGE_REPORTS) / LONGEST_REPORT;
        let captures =
            (0..captures).map(|_| unnamed_file(directory)).collect::<io::Result<Vec<_>>>()?;
        let start = if prelude.is_sourced { "" } else { START };
        let (text, exit) = match prelude.shell {
            Shell::Bash => (BASH_PRELUDE, EXIT_TRAP),
            Shell::Zsh => (ZSH_PRELUDE, ZSH_EXIT_TRAP),
        };
        let exit = if prelude.sees_end { exit } else { "" };
        let text = text
            .replace("@START@", start)
            .replace("@EXIT@", exit)
            .replace("@PID@", &std::process::id().to_string())
            .replace("@NAMES@", &prelude.names)
            .replace("@REPORTS@", &reports.to_string())
            .replace("@EVENTS@", &EVENTS.to_string())
            .replace("@PIPE@", &path(&writer));
        let mut file = File::from(memfd_create("overspill", MemfdFlags::CLOEXEC)?);
        // If few descriptors are left, they are for the command.
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        if u64::try_from(file.as_raw_fd()).unwrap_or(u64::MAX) + DESCRIPTORS_TO_RUN > most {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        file.write_all(text.as_bytes())?;
        let channel = Channel { prelude: file.into(), reader: reader.into(), writer, captures };
        // The shell prints an error if it may not open the prelude, so overspill tries first.
        File::open(channel.prelude_path())?;
        Ok(channel)
    }

    /// Returns the path of the prelude, for BASH_ENV.
    pub(super) fn prelude_path(&self) -> String {
        path(&self.prelude)
    }

    /// Returns the argument of the capturing stage at a place.
    pub(super) fn tee_argument(&self, place: usize, most: u64, floor: u64) -> Option<TeeArgument> {
        let (pipe, file) = (self.writer.as_raw_fd(), self.captures.get(place)?.as_raw_fd());
        Some(TeeArgument { pid: std::process::id(), pipe, file, most, floor, place })
    }

    /// Returns the reports so far, and the files of the captures.
    pub(super) fn close(self) -> (Vec<u8>, Vec<File>) {
        let mut reports = Vec::new();
        // The reports end with `WouldBlock`, because this process has the other end open.
        let _ = (&self.reader).read_to_end(&mut reports);
        (reports, self.captures)
    }
}

fn path(descriptor: &OwnedFd) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), descriptor.as_raw_fd())
}

/// Returns the number of free bytes on the disk of a directory.
pub(super) fn free_space(directory: &Path) -> u64 {
    rustix::fs::statvfs(directory).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Creates a file without a name.
fn unnamed_file(directory: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::open(directory, flags, Mode::RUSR | Mode::WUSR)?.into())
}
