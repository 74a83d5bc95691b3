//! Opens files that another program or user may have created.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a regular file for reading. It follows no link and never waits, as a pipe would make it.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata)> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let not_regular = || Error::new(ErrorKind::InvalidInput, "it is not a regular file");
    // Elsewhere no option keeps a link from being followed.
    if cfg!(not(unix)) && !path.symlink_metadata()?.is_file() {
        return Err(not_regular());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(not_regular()) }
}

/// Tells whether a file belongs to the user who runs us.
#[cfg(unix)]
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Elsewhere files have no single owner that could be compared.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Metadata) -> bool {
    true
}
