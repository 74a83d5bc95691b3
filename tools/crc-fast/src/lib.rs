//! CRC-64/NVME, with the part of crc-fast's interface that object_store uses.
//!
//! crc-fast has tables for a hundred checksums (660 KB), and a linker cannot know that object_store asks for one.

/// The checksums that can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// The checksum `x-amz-checksum-crc64nvme` of S3.
    Crc64Nvme,
}

/// The polynomial, with the lowest bit first.
const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;

static TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut sum = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

/// A checksum of bytes that come in pieces.
#[derive(Debug, Clone)]
pub struct Digest(u64);

impl Digest {
    /// Starts without any bytes.
    pub fn new(algorithm: CrcAlgorithm) -> Digest {
        match algorithm {
            CrcAlgorithm::Crc64Nvme => Digest(!0),
        }
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = TABLE[(self.0 as u8 ^ byte) as usize] ^ self.0 >> 8;
        }
    }

    /// Returns the checksum of all bytes so far.
    pub fn finalize(&self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the catalogue of CRC algorithms, and the one of no bytes.
    #[test]
    fn checksum_of_nine_digits_is_that_of_the_catalogue() {
        let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
        assert_eq!(digest.finalize(), 0);
        digest.update(b"1234");
        digest.update(b"56789");
        assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    }
}
