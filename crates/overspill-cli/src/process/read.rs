//! Reads a stream to its end, with a buffer at a page boundary.

use std::io::{self, ErrorKind, Read};

/// A buffer for reading. It begins at a page boundary: reading into other memory costs several
/// times as much.
///
/// Pages that are never written to take no memory.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

impl Buffer {
    /// The default size of a pipe in bytes.
    pub(crate) const PIPE: usize = 64 << 10;
    /// The size of the buffer in bytes: large enough that system calls do not matter, small enough
    /// for the cache.
    const LEN: usize = 256 << 10;
    /// The size of a memory page in bytes.
    const PAGE: usize = 4 << 10;

    pub(crate) fn new() -> Buffer {
        let memory = vec![0; Buffer::LEN + Buffer::PAGE];
        let start = memory.as_ptr().align_offset(Buffer::PAGE).min(Buffer::PAGE);
        Buffer { memory, start }
    }

    pub(crate) fn space(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + Buffer::LEN]
    }
}

/// Passes everything from a reader to `take`. After a read that filled a whole pipe, calls `widen`,
/// which may enlarge the pipe: then writer and reader wait for each other less often.
pub(crate) fn read_to_end(
    from: &mut impl Read,
    mut take: impl FnMut(&[u8]),
    mut widen: impl FnMut(),
) -> io::Result<()> {
    let mut buffer = Buffer::new();
    let mut is_wide = false;
    loop {
        match from.read(buffer.space()) {
            Ok(0) => return Ok(()),
            Ok(len) => {
                take(&buffer.space()[..len]);
                if len == Buffer::PIPE && !std::mem::replace(&mut is_wide, true) {
                    widen();
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
