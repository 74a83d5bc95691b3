//! How we stand among others: what our own descriptors are.

use rustix::fs::{FileType, fstat};

/// Tells whether somebody may talk to us through standard input, and so wait for an answer.
pub(crate) fn is_talked_to() -> bool {
    let Ok(stdin) = fstat(rustix::stdio::stdin()) else { return false };
    matches!(FileType::from_raw_mode(stdin.st_mode), FileType::Fifo | FileType::Socket)
}

/// Tells whether standard output and standard error are the same.
pub(crate) fn is_one_output() -> bool {
    match (fstat(rustix::stdio::stdout()), fstat(rustix::stdio::stderr())) {
        (Ok(out), Ok(err)) => (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino),
        _ => false,
    }
}
