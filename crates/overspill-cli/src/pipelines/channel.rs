//! The prelude, the pipe for reports and the files for captures, which the shell and our stages share with this process.
//!
//! The shell opens them as `/proc/PID/fd/N`. Nothing has a name in a directory, so nothing is left behind.

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
/// The DEBUG trap takes itself off after so many events: a long loop must not become slow.
const EVENTS: usize = 300;
/// The room that we ask for in the pipe.
const PIPE_ROOM: usize = 1 << 20;
/// The longest report of the prelude: nine commands of 400 characters of four bytes, names of functions, and numbers.
const LONGEST_REPORT: usize = 18 << 10;
/// The file descriptors that we need to run a command.
const DESCRIPTORS_TO_RUN: u64 = 24;
/// Room for the reports of our stages.
const STAGE_REPORTS: usize = 4 << 10;

/// Takes the prelude out of the environment of the commands.
const START: &str = "unset BASH_ENV";
/// Gives the prelude one more event after the last command.
const EXIT_TRAP: &str = "trap ': end' EXIT";
/// The same in zsh, whose DEBUG trap has no event there.
const ZSH_EXIT_TRAP: &str = "trap \"$__ovs_t\" EXIT";

/// Our ends.
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
        // The shell must never wait for us, so it writes no more reports than the pipe can hold.
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
        // The command comes first if there are few descriptors.
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        if u64::try_from(file.as_raw_fd()).unwrap_or(u64::MAX) + DESCRIPTORS_TO_RUN > most {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        file.write_all(text.as_bytes())?;
        let channel = Channel { prelude: file.into(), reader: reader.into(), writer, captures };
        // The shell complains if it may not open these, so we try first.
        File::open(channel.prelude_path())?;
        Ok(channel)
    }

    /// Returns the path of the prelude, for BASH_ENV.
    pub(super) fn prelude_path(&self) -> String {
        path(&self.prelude)
    }

    /// Returns the argument of the stage at a place.
    pub(super) fn tee_argument(&self, place: usize, most: u64, floor: u64) -> Option<TeeArgument> {
        let (pipe, file) = (self.writer.as_raw_fd(), self.captures.get(place)?.as_raw_fd());
        Some(TeeArgument { pid: std::process::id(), pipe, file, most, floor, place })
    }

    /// Returns the reports so far, and the files of the captures.
    pub(super) fn close(self) -> (Vec<u8>, Vec<File>) {
        let mut reports = Vec::new();
        // The end of the reports is `WouldBlock`, since we hold the other end ourselves.
        let _ = (&self.reader).read_to_end(&mut reports);
        (reports, self.captures)
    }
}

fn path(descriptor: &OwnedFd) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), descriptor.as_raw_fd())
}

/// Returns how many bytes are free on the disk of a directory.
pub(super) fn free_space(directory: &Path) -> u64 {
    rustix::fs::statvfs(directory).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Makes a file without a name.
fn unnamed_file(directory: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::open(directory, flags, Mode::RUSR | Mode::WUSR)?.into())
}
