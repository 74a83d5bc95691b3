//! Chooses the outputs that an audit replays. A replay takes much longer than reading, so overspill
//! replays a sample of many transcripts.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::replay::OutputPlace;

/// overspill replays every output if the transcripts have at most this many bytes in total. In
/// larger transcripts, the replayed outputs are a sample of about this many bytes of transcript.
pub(super) const REPLAYED_BYTES: u64 = 100_000_000;

/// A sample of outputs. It depends only on the size of the transcripts and on the place of each
/// output, so every run replays the same outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    /// The outputs whose hash is below this number are in the sample.
    below: u128,
}

impl Sample {
    /// Every output.
    pub(super) const ALL: Sample = Sample { below: 1 << 64 };
    /// No output.
    pub(super) const NONE: Sample = Sample { below: 0 };

    /// Returns the sample of transcripts with this number of bytes.
    pub(super) fn of(bytes: u64) -> Sample {
        let most = u128::from(bytes.max(REPLAYED_BYTES));
        Sample { below: (u128::from(REPLAYED_BYTES) << 64) / most }
    }

    /// Tells whether the output at this place is in the sample.
    pub(super) fn has(self, place: &OutputPlace) -> bool {
        if self == Sample::ALL {
            return true;
        }
        let name = place.file.file_name().unwrap_or_default();
        let seed = place.line.rotate_left(20) ^ place.nth;
        u128::from(xxh3_64_with_seed(name.as_encoded_bytes(), seed)) < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(sample: Sample) -> Vec<u64> {
        let place = |line| OutputPlace { file: "/home/ada/session.jsonl".into(), line, nth: 1 };
        (1..=10_000).filter(|&line| sample.has(&place(line))).collect()
    }

    #[test]
    fn small_transcripts_are_replayed_whole() {
        for bytes in [0, REPLAYED_BYTES] {
            assert_eq!(Sample::of(bytes), Sample::ALL);
        }
        assert_eq!((places(Sample::ALL).len(), places(Sample::NONE).len()), (10_000, 0));
    }

    #[test]
    fn sample_has_its_share_and_is_always_the_same() {
        let tenth = places(Sample::of(10 * REPLAYED_BYTES));
        assert!((900..1_100).contains(&tenth.len()), "{}", tenth.len());
        assert_eq!(tenth, places(Sample::of(10 * REPLAYED_BYTES)));
        let half = places(Sample::of(2 * REPLAYED_BYTES));
        assert!(tenth.iter().all(|line| half.contains(line)), "a larger sample has the smaller");
    }
}
