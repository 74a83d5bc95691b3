//! Who may see stored outputs: the owner alone.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};

pub(super) fn private_directory(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

pub(super) fn private_file(options: &mut OpenOptions) {
    options.mode(0o600);
}

pub(super) fn check_private(metadata: &Metadata) -> io::Result<()> {
    if metadata.mode() & 0o077 == 0 {
        return Ok(());
    }
    let what =
        format!("open to others (mode {:o}), so nothing is saved there", metadata.mode() & 0o777);
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}
