//! How much is kept.

use overspill::store::{DiskOptions, Kept, State, Store};
use overspill::{Call, Error};
use proptest::prelude::*;

use super::*;

#[test]
fn of_an_output_over_the_cap_both_ends_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { most_per_output: 11, ..options() });
    for (output, stored, kept, state) in [
        ("01234567890", "01234567890", Kept::Whole, State::Whole),
        ("0123456789ab", "012345789ab", Kept::Ends { first: 6, last: 5 }, State::Partial),
        ("0123456789abcdefghi", "012345efghi", Kept::Ends { first: 6, last: 5 }, State::Partial),
    ] {
        let saved = save(&store, output.as_bytes());
        assert_eq!(saved.kept, kept, "{output}");
        assert_eq!(read(&store, &saved.name), stored.as_bytes(), "{output}");
        assert_eq!(store.check(&saved.name).unwrap(), state, "{output}");
    }
}

#[test]
fn what_was_cut_is_noted_without_records_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { records: false, most_per_output: 4, ..options() });
    let saved = save(&store, b"0123456789");
    assert_eq!(store.check(&saved.name).unwrap(), State::Partial);
    let saved = save(&store, b"0123");
    assert_eq!(store.check(&saved.name).unwrap(), State::Unknown);
}

#[test]
fn what_would_take_the_last_room_is_not_saved() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { keep_free: u64::MAX / 2, ..options() });
    let mut draft = store.create(&Call::of("tool")).unwrap();
    match draft.append(b"x") {
        Err(Error::Full { path, reason }) => {
            assert_eq!(path, store.path());
            assert!(reason.contains("are to stay so"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    assert!(draft.publish().is_err(), "nobody may take it for whole");
    assert_eq!(store.list().unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_chunks_under_any_cap_keep_the_first_and_the_last_part(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
        most in 0_u64..200,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let store = disk(&directory, DiskOptions { most_per_output: most, ..options() });
        let mut draft = store.create(&Call::of("tool")).unwrap();
        chunks.iter().for_each(|chunk| draft.append(chunk).unwrap());
        let saved = draft.publish().unwrap();
        let all = chunks.concat();
        let (first, last) = ((most - most / 2) as usize, (most / 2) as usize);
        let expected = if all.len() as u64 <= most {
            prop_assert_eq!(saved.kept, Kept::Whole);
            all
        } else {
            prop_assert_eq!(saved.kept, Kept::Ends { first: first as u64, last: last as u64 });
            [&all[..first], &all[all.len() - last..]].concat()
        };
        prop_assert_eq!(read(&store, &saved.name), expected);
        prop_assert!(store.check(&saved.name).unwrap() != State::Damaged);
    }
}
