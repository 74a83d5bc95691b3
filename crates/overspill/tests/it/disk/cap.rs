//! Tests of the cap for one output and of the disk space that stays free.

use overspill::core::Limits;
use overspill::internal::retrieve::read as read_part;
use overspill::internal::store::{Integrity, Lookup};
use overspill::store::{DiskOptions, Kept, Store};
use overspill::{Call, CallEnd, CallOptions, Error, Outcome, Overspill, Part, Profile};
use proptest::prelude::*;

use super::*;

fn ends(first: u64, last: u64) -> Kept {
    Kept::Ends { first, between: 0, last }
}

#[test]
fn output_over_the_cap_keeps_both_ends() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { most_per_output: 11, ..options() });
    for (output, stored, kept, state) in [
        ("01234567890", "01234567890", Kept::Whole, Integrity::Whole),
        ("0123456789ab", "012345\n789ab", ends(6, 5), Integrity::Partial),
        ("0123456789abcdefghi", "012345\nefghi", ends(6, 5), Integrity::Partial),
    ] {
        let saved = save(&store, output.as_bytes());
        assert_eq!(saved.kept, kept, "{output}");
        assert_eq!(read(&store, &saved.id), stored.as_bytes(), "{output}");
        assert_eq!(store.check(&saved.id).unwrap(), state, "{output}");
    }
}

#[test]
fn kept_ranges_are_recorded_without_records() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { records: false, most_per_output: 4, ..options() });
    let saved = save(&store, b"0123456789");
    assert_eq!(store.check(&saved.id).unwrap(), Integrity::Partial);
    let saved = save(&store, b"0123");
    assert_eq!(store.check(&saved.id).unwrap(), Integrity::Unknown);
}

#[test]
fn output_that_needs_the_free_space_is_not_saved() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { keep_free: u64::MAX / 2, ..options() });
    let mut draft = store.create(&Call::new("tool")).unwrap();
    match draft.append(b"x") {
        Err(Error::Full { path, reason }) => {
            assert_eq!(path, store.path());
            assert!(reason.contains("store.keep_free is"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    assert!(draft.publish().is_err(), "nobody may take it for whole");
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn coloured_lines_of_a_preview_are_kept_as_shown() {
    let directory = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (1..=5_000)
        .map(|number| match number {
            2_500 => "\x1b[31merror\x1b[0m: the cause\n".to_owned(),
            _ => format!("\x1b[32mstep\x1b[0m {number}\n"),
        })
        .collect();
    let output = lines.concat();
    let limits = Limits::NONE.bytes(10_000);
    for most_per_output in [4_000, 40_000] {
        let store = disk(&directory, DiskOptions { most_per_output, ..options() });
        let overspill = Overspill::new(Profile::OWN, store);
        let mut spill = overspill.spill(Call::new("tool"), CallOptions::default());
        output.as_bytes().chunks(777).for_each(|chunk| spill.push(chunk));
        let streamed = spill.finish(CallEnd::default());
        for outcome in [streamed, overspill.process(output.as_bytes(), &Call::new("tool"))] {
            let Outcome::Spilled(spilled) = outcome else { panic!("it is long") };
            let (name, cut) = (spilled.saved.as_ref().unwrap().id.clone(), spilled.cut.unwrap());
            assert!(cut.spans().iter().any(|span| span.first_line <= 2_500));
            for (piece, span) in cut.pieces.iter().zip(cut.spans()) {
                let part = Part::Lines(span.first_line, span.last_line);
                let mut text = String::new();
                let mut next = Some(part);
                while let Some(part) = next.take() {
                    let page = read_part(overspill.store(), &name, &part, &limits).unwrap();
                    let goes_on = page.lines.is_some_and(|(_, last)| last < span.last_line);
                    next = page.next.filter(|_| goes_on);
                    text += &page.text;
                }
                assert_eq!(text, String::from_utf8_lossy(&piece.text), "{span:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn capped_output_keeps_first_and_last_part_in_any_chunks(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
        most in 0_u64..200,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let store = disk(&directory, DiskOptions { most_per_output: most, ..options() });
        let mut draft = store.create(&Call::new("tool")).unwrap();
        chunks.iter().for_each(|chunk| draft.append(chunk).unwrap());
        let saved = draft.publish().unwrap();
        let all = chunks.concat();
        let (first, last) = ((most - most / 2) as usize, (most / 2) as usize);
        let expected = if all.len() as u64 <= most {
            prop_assert_eq!(saved.kept, Kept::Whole);
            all
        } else {
            prop_assert_eq!(saved.kept, ends(first as u64, last as u64));
            let tail = &all[all.len() - last..];
            let is_open = first > 0 && all[first - 1] != b'\n' && last > 0;
            let between: &[u8] = if is_open { b"\n" } else { b"" };
            [&all[..first], between, tail].concat()
        };
        prop_assert_eq!(read(&store, &saved.id), expected);
        prop_assert!(store.check(&saved.id).unwrap() != Integrity::Damaged);
        let all = chunks.concat();
        let feeds = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let kept = store.kept_ranges(&saved.id).unwrap();
        prop_assert_eq!(kept.is_some(), saved.kept != Kept::Whole);
        for range in kept.iter().flat_map(|kept| &kept.ranges) {
            let (start, end) = (range.bytes.start as usize, range.bytes.end as usize);
            prop_assert_eq!(store.read(&saved.id, range.stored.clone()).unwrap(), &all[start..end]);
            prop_assert_eq!(range.first_line, feeds(&all[..start]) + 1);
            prop_assert_eq!(range.starts_line, start == 0 || all[start - 1] == b'\n');
        }
        if let Some(kept) = kept {
            let open = u64::from(all.last() != Some(&b'\n'));
            prop_assert_eq!((kept.bytes, kept.lines), (all.len() as u64, feeds(&all) + open));
        }
    }
}
