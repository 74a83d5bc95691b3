//! A reader that decodes nothing, with the part of encoding_rs_io's interface that grep-searcher uses.
//!
//! encoding_rs_io decodes UTF-16 and forty older encodings, with 170 KB of tables and code. `overspill grep` searches the
//! bytes of an output as they are (`bom_sniffing(false)` and no encoding), and then encoding_rs_io decodes nothing either.

use std::io::{self, Read};
use std::marker::PhantomData;

/// Makes a [`DecodeReaderBytes`]. The settings change nothing.
#[derive(Debug, Clone, Default)]
pub struct DecodeReaderBytesBuilder {}

impl DecodeReaderBytesBuilder {
    /// Makes a builder.
    pub fn new() -> DecodeReaderBytesBuilder {
        DecodeReaderBytesBuilder {}
    }

    /// Takes the encoding of the input.
    ///
    /// # Panics
    ///
    /// Panics if there is one, because the input would not be decoded.
    pub fn encoding(&mut self, encoding: Option<&'static encoding_rs::Encoding>) -> &mut Self {
        assert!(encoding.is_none(), "this stand-in for encoding_rs_io decodes nothing");
        self
    }

    /// Passes UTF-8 on, as everything else.
    pub fn utf8_passthru(&mut self, _: bool) -> &mut Self {
        self
    }

    /// Keeps a byte order mark.
    pub fn strip_bom(&mut self, _: bool) -> &mut Self {
        self
    }

    /// Ignores a byte order mark.
    pub fn bom_override(&mut self, _: bool) -> &mut Self {
        self
    }

    /// Ignores a byte order mark.
    pub fn bom_sniffing(&mut self, _: bool) -> &mut Self {
        self
    }

    /// Makes a reader. It needs no buffer.
    pub fn build_with_buffer<R: Read, B: AsMut<[u8]>>(
        &self,
        reader: R,
        _: B,
    ) -> io::Result<DecodeReaderBytes<R, B>> {
        Ok(DecodeReaderBytes { reader, buffer: PhantomData })
    }
}

/// A reader that passes bytes on.
#[derive(Debug)]
pub struct DecodeReaderBytes<R, B> {
    reader: R,
    buffer: PhantomData<B>,
}

impl<R: Read, B: AsMut<[u8]>> Read for DecodeReaderBytes<R, B> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.reader.read(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_passed_on_as_they_are() {
        let bytes = b"\xff\xfea\0b\0\xe9";
        let mut reader = DecodeReaderBytesBuilder::new();
        let mut reader = reader.encoding(None).build_with_buffer(&bytes[..], [0; 4]).unwrap();
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
    }
}
