//! Tests of the positions of lines.

use overspill::Call;
use overspill::internal::store::Lookup;
use overspill::store::Store;
use proptest::prelude::*;

use super::*;

/// Returns the start of each line, found by counting.
fn starts(text: &[u8]) -> Vec<u64> {
    let after = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = std::iter::once(0).chain(after.map(|(at, _)| at as u64 + 1));
    starts.filter(|&start| start < text.len() as u64).collect()
}

fn agrees(text: &[u8], chunk: usize, lines: impl Iterator<Item = u64>) {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let mut draft = store.create(&Call::new("tool")).unwrap();
    text.chunks(chunk).for_each(|chunk| draft.append(chunk).unwrap());
    let saved = draft.publish().unwrap();
    let starts = starts(text);
    let last = starts.len() as u64;
    for line in lines.chain([0, 1, 2, last.saturating_sub(1), last, last + 1, last + 2, u64::MAX]) {
        let expected = line.checked_sub(1).and_then(|line| starts.get(line as usize).copied());
        assert_eq!(store.line_start(&saved.id, line).unwrap(), expected, "line {line}");
    }
}

#[test]
fn lines_at_the_edges_of_blocks_are_found() {
    const BLOCK: usize = 32 << 10;
    for size in [0, 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK, 5 * BLOCK + 7] {
        for every in [1, 2, 80, BLOCK - 1, BLOCK, BLOCK + 1, usize::MAX] {
            let text: Vec<u8> =
                (1..=size).map(|at| if at % every == 0 { b'\n' } else { b'x' }).collect();
            agrees(&text, 10_007, (1..6).map(|part| part * 13_001));
        }
    }
}

#[test]
fn line_index_is_smaller_than_a_thousandth_of_the_text() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, &b"a line of text\n".repeat(1_000_000));
    let seal = store.path().join(format!(".overspill/records/{}.record", saved.id));
    assert!(fs::metadata(seal).unwrap().len() < 15_000, "of 15,000,000 bytes");
    assert_eq!(store.line_start(&saved.id, 777_777).unwrap(), Some(777_776 * 15));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn line_index_agrees_with_counting(
        lengths in prop::collection::vec(prop_oneof![8 => 0_usize..200, 1 => 0_usize..70_000], 1..900),
        end in any::<bool>(),
        chunk in 1_usize..300_000,
        lines in prop::collection::vec(1_u64..1000, 30),
    ) {
        let mut text = Vec::new();
        for length in &lengths {
            text.extend(std::iter::repeat_n(b'x', *length));
            text.push(b'\n');
        }
        if end {
            text.extend(b"no line feed at the end");
        }
        agrees(&text, chunk.max(text.len() / 500), lines.into_iter());
    }
}
