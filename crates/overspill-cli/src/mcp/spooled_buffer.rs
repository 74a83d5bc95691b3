//! A buffer of any size: up to 4 MiB in memory, the rest in a file without a name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use overspill::internal::tool::walk::StructuredJson;

use crate::env::Env;
use crate::ui;

/// Bytes that wait for their use.
#[derive(Debug)]
pub(super) struct SpooledBuffer {
    /// The environment, which names the directory of temporary files.
    env: Env,
    start: Vec<u8>,
    rest: Option<File>,
    len: u64,
    /// The reason why the bytes are lost.
    failure: Option<String>,
}

impl SpooledBuffer {
    /// The number of bytes that stay in memory.
    pub(super) const HELD: usize = 4 << 20;

    pub(super) fn new(env: Env) -> SpooledBuffer {
        SpooledBuffer { env, start: Vec::new(), rest: None, len: 0, failure: None }
    }

    /// Drops all bytes.
    pub(super) fn clear(&mut self) {
        self.start.clear();
        (self.rest, self.len, self.failure) = (None, 0, None);
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the reason if bytes were lost. The other bytes are then gone, too.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Adds bytes. If writing fails, [`failure`](SpooledBuffer::failure) returns the reason.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        if self.failure.is_some() {
            return;
        }
        if self.rest.is_none() && self.start.len() + bytes.len() <= SpooledBuffer::HELD {
            return self.start.extend_from_slice(bytes);
        }
        if let Err(error) = self.write(bytes) {
            self.fail(&error);
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.rest {
            Some(file) => file,
            None => self.rest.insert(nameless(&self.env.temporary_directory())?),
        };
        file.write_all(bytes)
    }

    fn fail(&mut self, error: &io::Error) {
        let directory = self.env.temporary_directory();
        self.failure = Some(format!(
            "a temporary file in {} cannot be used: {}",
            ui::path(&directory),
            ui::reason(error)
        ));
        (self.start, self.rest) = (Vec::new(), None);
    }

    /// Drops all bytes, and sets the length to `len`.
    #[cfg(feature = "http")]
    pub(super) fn drop_all(&mut self, len: u64) {
        (self.start, self.rest, self.len) = (Vec::new(), None, len);
    }

    /// Returns the bytes in memory and the file with the bytes after them, or the reason why they
    /// are lost.
    #[cfg(feature = "http")]
    pub(super) fn into_parts(mut self) -> Result<(Vec<u8>, Option<File>), String> {
        if let Some(file) = &mut self.rest
            && let Err(error) = file.seek(SeekFrom::Start(0))
        {
            self.fail(&error);
        }
        self.failure.map_or(Ok((self.start, self.rest)), Err)
    }

    fn each_chunk_of_file(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let Some(file) = &mut self.rest else { return Ok(()) };
        file.seek(SeekFrom::Start(0))?;
        let mut left = self.len - self.start.len() as u64;
        let mut chunk = vec![0; 256 << 10];
        while left > 0 {
            let len = file.read(&mut chunk)?;
            if len == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            take(&chunk[..len]);
            left = left.saturating_sub(len as u64);
        }
        Ok(())
    }
}

impl StructuredJson for SpooledBuffer {
    fn each_chunk(&mut self, take: &mut dyn FnMut(&[u8])) {
        take(&self.start);
        if let Err(error) = self.each_chunk_of_file(take) {
            self.fail(&error);
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        (self.rest.is_none() && self.failure.is_none()).then_some(&self.start)
    }
}

/// Returns a file without a name, or with a random name that is deleted at once. Only the user can
/// open the file.
fn nameless(directory: &Path) -> io::Result<File> {
    let file = tempfile::tempfile_in(directory)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

#[cfg(test)]
impl SpooledBuffer {
    #[cfg(feature = "http")]
    pub(super) fn in_memory_len(&self) -> usize {
        self.start.len()
    }

    /// Continues in a file that is always full.
    pub(super) fn make_full(&mut self) {
        self.rest = Some(File::options().read(true).write(true).open("/dev/full").unwrap());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spooled_buffer_returns_few_and_many_bytes() {
        for len in [0, 10, SpooledBuffer::HELD, SpooledBuffer::HELD + 1, 3 * SpooledBuffer::HELD] {
            let bytes: Vec<u8> = (0..len).map(|n| n as u8).collect();
            let mut buffer = SpooledBuffer::new(Env::of_process());
            bytes.chunks(100_000).for_each(|chunk| buffer.push(chunk));
            for _ in 0..2 {
                let mut all = Vec::new();
                buffer.each_chunk(&mut |chunk| all.extend_from_slice(chunk));
                assert!(all == bytes);
            }
            assert_eq!(buffer.in_memory().is_some(), len <= SpooledBuffer::HELD);
        }
    }

    #[test]
    fn failed_write_is_reported_and_drops_the_rest() {
        let mut buffer = SpooledBuffer::new(Env::of_process());
        buffer.push(b"start");
        buffer.make_full();
        buffer.push(b"more");
        buffer.push(b"and more");
        assert!(buffer.failure().is_some_and(|reason| reason.contains("space left")));
        let mut all = Vec::new();
        buffer.each_chunk(&mut |chunk| all.extend_from_slice(chunk));
        assert!(all.is_empty() && buffer.in_memory().is_none());
    }

    #[test]
    fn file_of_a_buffer_is_private_and_has_no_name() {
        use std::os::unix::fs::MetadataExt;
        let mut buffer = SpooledBuffer::new(Env::of_process());
        buffer.push(&vec![b'x'; SpooledBuffer::HELD + 1]);
        let metadata = buffer.rest.as_ref().unwrap().metadata().unwrap();
        assert_eq!((metadata.nlink(), metadata.mode() & 0o777), (0, 0o600));
    }
}
