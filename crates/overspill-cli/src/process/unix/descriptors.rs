//! Handles standard descriptors that were closed at the start of the program.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells whether the program was started without standard output. The standard library would report
/// no error.
static NO_STDOUT: AtomicBool = AtomicBool::new(false);

/// The standard descriptors that were closed at the start of the program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Descriptors {
    closed: [bool; 3],
}

impl Descriptors {
    /// Opens `/dev/null` in place of the closed descriptors.
    ///
    /// Otherwise the next opened file would become a standard descriptor.
    pub(crate) fn fill() -> Descriptors {
        let three: [BorrowedFd; 3] =
            [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        let closed = three.map(|fd| rustix::io::fcntl_getfd(fd.as_fd()).is_err());
        for _ in closed.iter().filter(|closed| **closed) {
            // The system takes the lowest free number, which is one of the three.
            if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
                let _ = null.into_raw_fd();
            }
        }
        NO_STDOUT.store(closed[1], Ordering::Relaxed);
        Descriptors { closed }
    }

    /// Fails if the program was started without standard output.
    pub(crate) fn check_stdout() -> io::Result<()> {
        match NO_STDOUT.load(Ordering::Relaxed) {
            true => Err(rustix::io::Errno::BADF.into()),
            false => Ok(()),
        }
    }

    /// Tells whether the program was started without standard input.
    pub(crate) fn stdin_was_closed(self) -> bool {
        self.closed[0]
    }
}
