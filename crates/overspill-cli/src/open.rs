//! Opens files that another program or user may have created.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a regular file for reading. It does not follow a link, and does not wait for the writer of
/// a pipe.
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
    // Other systems have no option that refuses links.
    if cfg!(not(unix)) && !path.symlink_metadata()?.is_file() {
        return Err(not_regular());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(not_regular()) }
}

/// Tells whether a file belongs to the user of this process.
#[cfg(unix)]
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Returns true: on other systems files have no single owner to compare.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Metadata) -> bool {
    true
}
