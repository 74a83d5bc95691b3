//! What kind of files our standard descriptors are.

use rustix::fs::{FileType, fstat};

/// Tells whether standard input is a pipe or a socket. Its writer may wait for an answer.
pub(crate) fn is_talked_to() -> bool {
    let Ok(stdin) = fstat(rustix::stdio::stdin()) else { return false };
    matches!(FileType::from_raw_mode(stdin.st_mode), FileType::Fifo | FileType::Socket)
}

/// Tells whether standard output and standard error are the same file.
pub(crate) fn is_one_output() -> bool {
    match (fstat(rustix::stdio::stdout()), fstat(rustix::stdio::stderr())) {
        (Ok(out), Ok(err)) => (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino),
        _ => false,
    }
}
