//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

/// Why an output could not be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory could not be made, or is not ours to use.
    #[error("{}: {source}", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing was handed over for saving.
    #[error("saving was never begun")]
    NotBegun,
    /// The system gave no random numbers to name it with.
    #[error("no name for the output: {0}")]
    Name(getrandom::Error),
}
