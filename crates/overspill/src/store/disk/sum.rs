//! Computes the checksum of a file, and copies parts of a file.

use std::fs::File;
use std::io;

use super::dir;

/// Returns the checksum of a file, computed as a [`Sealer`] does.
pub(super) fn sum_of(file: &File) -> io::Result<u64> {
    let mut sum = crc32fast::Hasher::new();
    copy(file, 0, u64::MAX, |bytes| {
        sum.update(bytes);
        Ok(())
    })?;
    Ok(sum.finalize().into())
}

/// Reads `len` bytes of a file, starting at `from`, and calls `take` with each piece.
pub(super) fn copy(
    file: &File,
    mut from: u64,
    mut len: u64,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    const PAGE: usize = 4096;
    const PIECE: usize = 256 << 10;
    // Reading into memory that is not aligned to a page costs several times as much.
    let mut space = vec![0; PIECE + PAGE];
    let skip = space.as_ptr().align_offset(PAGE).min(PAGE);
    let buffer = &mut space[skip..skip + PIECE];
    while len > 0 {
        let want = len.min(PIECE as u64) as usize;
        let got = dir::read_at(file, &mut buffer[..want], from)?;
        if got == 0 {
            break;
        }
        take(&buffer[..got])?;
        from += got as u64;
        len -= got as u64;
    }
    Ok(())
}
