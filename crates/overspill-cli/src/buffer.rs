//! Room for what is read, as the kernel likes it.

/// Memory that begins with a page: reading into other memory costs several times as much.
///
/// Pages that are never written to are never there.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

impl Buffer {
    /// As much as a pipe holds unless somebody asks for more.
    pub(crate) const PIPE: usize = 64 << 10;
    /// Enough for the calls not to matter, and little enough to stay in the cache.
    const LEN: usize = 256 << 10;
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
