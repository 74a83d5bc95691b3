//! Tells the kinds of files behind our standard descriptors.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use rustix::termios::{LocalModes, tcgetattr};

use super::super::Stream;
use super::extra::wait;
use super::wait::{Interest, Watched};

/// Tells whether standard input is a pipe or a socket. Its writer may wait for an answer.
pub(crate) fn is_talked_to() -> bool {
    let Ok(stdin) = fstat(rustix::stdio::stdin()) else { return false };
    matches!(FileType::from_raw_mode(stdin.st_mode), FileType::Fifo | FileType::Socket)
}

/// Waits until standard input has bytes or ends. Tells whether it ends within this time.
pub(crate) fn input_ends_within(timeout: Duration) -> bool {
    let mut watched = [Watched::new(rustix::stdio::stdin(), Interest::Read)];
    let is_ready = wait(&mut watched, Some(timeout)).is_ok() && watched[0].ready;
    is_ready && ioctl_fionread(rustix::stdio::stdin()).is_ok_and(|bytes| bytes == 0)
}

/// Tells whether the terminal at standard error shows typed lines, as it does for a shell.
pub(crate) fn is_terminal_plain() -> bool {
    let plain = LocalModes::ECHO | LocalModes::ICANON;
    tcgetattr(rustix::stdio::stderr()).is_ok_and(|modes| modes.local_modes.contains(plain))
}

/// Tells whether standard output and standard error are the same file.
pub(crate) fn is_one_output() -> bool {
    match (fstat(rustix::stdio::stdout()), fstat(rustix::stdio::stderr())) {
        (Ok(out), Ok(err)) => (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino),
        _ => false,
    }
}

/// Waits until the reader of a standard stream has read everything, but at most until `until`. Only
/// pipes tell.
pub(crate) fn wait_for_reader(stream: Stream, until: Instant) {
    /// The pause between two checks. A waiting reader takes the bytes within this time.
    const STEP: Duration = Duration::from_micros(200);
    let fd = match stream {
        Stream::Out => rustix::stdio::stdout(),
        Stream::Err => rustix::stdio::stderr(),
    };
    let is_pipe =
        fstat(fd).is_ok_and(|file| FileType::from_raw_mode(file.st_mode) == FileType::Fifo);
    while is_pipe && Instant::now() < until && ioctl_fionread(fd).is_ok_and(|unread| unread > 0) {
        std::thread::sleep(STEP);
    }
}

/// Returns standard output as a file. Both share one position.
pub(crate) fn stdout_file() -> io::Result<File> {
    Ok(File::from(rustix::io::dup(rustix::stdio::stdout())?))
}

/// Returns the path of standard output, if it is a regular file whose path the system tells.
pub(crate) fn stdout_path() -> Option<PathBuf> {
    let stdout = fstat(rustix::stdio::stdout()).ok()?;
    if FileType::from_raw_mode(stdout.st_mode) != FileType::RegularFile {
        return None;
    }
    let path = std::fs::read_link("/proc/self/fd/1").ok()?;
    // The file may have no name, or another file may have its name now.
    let named = rustix::fs::stat(&path).ok()?;
    ((named.st_dev, named.st_ino) == (stdout.st_dev, stdout.st_ino)).then_some(path)
}
