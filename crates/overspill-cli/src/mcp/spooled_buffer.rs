//! A buffer of any size: in memory, and in a file without a name beyond 4 MiB.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use overspill::internal::tool::walk::StructuredJson;

use crate::env::Env;

/// Bytes that were set aside.
#[derive(Debug)]
pub(super) struct SpooledBuffer {
    /// Where temporary files go.
    env: Env,
    start: Vec<u8>,
    rest: Option<File>,
    len: u64,
}

impl SpooledBuffer {
    /// The bytes that stay in memory.
    const HELD: usize = 4 << 20;

    pub(super) fn new(env: Env) -> SpooledBuffer {
        SpooledBuffer { env, start: Vec::new(), rest: None, len: 0 }
    }

    /// Drops all bytes.
    pub(super) fn clear(&mut self) {
        self.start.clear();
        (self.rest, self.len) = (None, 0);
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Adds bytes. If there is no file for them, they are lost.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        if self.rest.is_none() && self.start.len() + bytes.len() <= SpooledBuffer::HELD {
            return self.start.extend_from_slice(bytes);
        }
        if self.rest.is_none() {
            self.rest = nameless(&self.env.temporary_directory());
        }
        if let Some(file) = &mut self.rest {
            let _ = file.write_all(bytes);
        }
    }
}

impl StructuredJson for SpooledBuffer {
    fn each_chunk(&mut self, take: &mut dyn FnMut(&[u8])) {
        take(&self.start);
        let Some(file) = &mut self.rest else { return };
        let _ = file.seek(SeekFrom::Start(0));
        let mut chunk = vec![0; 256 << 10];
        while let Ok(len @ 1..) = file.read(&mut chunk) {
            take(&chunk[..len]);
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.rest.is_none().then_some(&self.start)
    }
}

/// Returns a file that nobody else can find.
fn nameless(directory: &Path) -> Option<File> {
    let id = format!("overspill-{}-{:?}", std::process::id(), std::thread::current().id());
    let path = directory.join(id);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).ok()?;
    let _ = std::fs::remove_file(&path);
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_come_back() {
        for len in [0, 10, SpooledBuffer::HELD, SpooledBuffer::HELD + 1, 3 * SpooledBuffer::HELD] {
            let bytes: Vec<u8> = (0..len).map(|n| n as u8).collect();
            let mut aside = SpooledBuffer::new(Env::of_process());
            bytes.chunks(100_000).for_each(|chunk| aside.push(chunk));
            for _ in 0..2 {
                let mut all = Vec::new();
                aside.each_chunk(&mut |chunk| all.extend_from_slice(chunk));
                assert!(all == bytes);
            }
            assert_eq!(aside.in_memory().is_some(), len <= SpooledBuffer::HELD);
        }
    }
}
