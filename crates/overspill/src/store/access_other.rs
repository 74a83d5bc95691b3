//! Who may see stored outputs, where files have no modes: whom the parent directory admits.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;

pub(super) fn private_directory(_: &mut DirBuilder) {}

pub(super) fn private_file(_: &mut OpenOptions) {}

pub(super) fn check_private(_: &Metadata) -> io::Result<()> {
    Ok(())
}
