//! Tests that every implementation of [`Store`] must pass.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;

use super::{
    Draft, Entry, Excerpt, Integrity, Kept, KeptRange, KeptRanges, OutputId, Record, SpillRef,
    Store,
};
use crate::{Call, Error};

/// Checks that a store keeps the promises of [`Store`], and panics if the store breaks one.
///
/// Call this function in a test of your own store. `make` returns a new, empty store each time.
/// The clock of the store must not run backwards.
///
/// ```
/// use std::sync::Arc;
/// use overspill::store::{Memory, conformance};
///
/// conformance(|| Arc::new(Memory::default()));
/// ```
pub fn conformance(make: impl Fn() -> Arc<dyn Store>) {
    new_store_is_empty(&*make());
    saved_output_is_read_back(&*make());
    draft_is_hidden_until_published(&*make());
    ranges_end_where_the_output_ends(&*make());
    names_from_unsafe_calls_are_safe(&*make());
    names_are_unique(&*make());
    deleted_output_is_not_found(&*make());
    touch_changes_only_the_time_of_use(&*make());
    pins_are_kept(&*make());
    records_are_kept(&*make());
    changed_output_does_not_expire(&*make());
    lines_are_found_or_unknown(&*make());
    parallel_writers_lose_and_mix_nothing(make());
}

/// Checks a store that keeps at most 64 KiB of an output: the store must record the position in
/// the original of each range that it kept.
pub fn partial_conformance(make: impl Fn() -> Arc<dyn Store>) {
    partial_output_notes_its_ranges(&*make());
    partial_output_keeps_excerpts(&*make());
    assert_eq!(kept(&*make(), b"short\n", Vec::new()).1, None, "a short output is saved whole");
}

fn lines_of_text() -> Vec<String> {
    (1..=40_000).map(|number| format!("line {number}\n")).collect()
}

/// Saves an output with these excerpts, and returns its reference and the ranges that were kept.
fn kept(store: &dyn Store, bytes: &[u8], lines: Vec<Excerpt>) -> (SpillRef, Option<KeptRanges>) {
    let mut draft = create(store, &Call::new("tool"));
    bytes.chunks(7_919).for_each(|part| append(&mut *draft, part));
    if draft.hole().expect("a hole or none").is_some() {
        draft.keep(lines).expect("kept");
    }
    let saved = draft.publish().expect("published");
    let kept = store.kept_ranges(&saved.id).expect("ranges or none");
    (saved, kept)
}

fn partial_output_notes_its_ranges(store: &dyn Store) {
    let text = lines_of_text().concat();
    let (saved, ranges) = kept(store, text.as_bytes(), Vec::new());
    let ranges = ranges.expect("a long output has a hole");
    assert_eq!((ranges.bytes, ranges.lines), (text.len() as u64, 40_000));
    let (first, last) = (&ranges.ranges[0], &ranges.ranges[ranges.ranges.len() - 1]);
    assert_eq!((first.bytes.start, first.first_line), (0, 1));
    assert_eq!((last.bytes.end, last.last_line()), (ranges.bytes, 40_000));
    check_ranges(store, &saved, &ranges, &text);
    let hole = ranges.hole().expect("a hole");
    assert_eq!(hole.bytes, first.bytes.end..last.bytes.start);
    assert_eq!(ranges.missing(), hole.bytes.end - hole.bytes.start, "nothing of the hole is kept");
    assert_ne!(store.check(&saved.id).expect("a state"), Integrity::Damaged);
    assert_ne!(store.check(&saved.id).expect("a state"), Integrity::Whole);
}

fn partial_output_keeps_excerpts(store: &dyn Store) {
    let lines = lines_of_text();
    let text = lines.concat();
    let start = |line: usize| lines[..line - 1].iter().map(String::len).sum::<usize>() as u64;
    let line = |number: usize, verbatim: bool| Excerpt {
        bytes: start(number)..start(number + 1),
        line: number as u64,
        starts_line: true,
        text: if verbatim { lines[number - 1].clone() } else { "as shown\n".into() }.into_bytes(),
        verbatim,
    };
    let wanted = vec![line(20_000, true), line(20_001, true), line(25_000, false)];
    let (saved, ranges) = kept(store, text.as_bytes(), wanted);
    let ranges = ranges.expect("a long output has a hole");
    check_ranges(store, &saved, &ranges, &text);
    let found = |number: u64| {
        let has = |range: &&KeptRange| (range.first_line..=range.last_line()).contains(&number);
        ranges.ranges.iter().find(has).cloned()
    };
    let both = found(20_001).expect("line 20001 was kept");
    assert_eq!((both.bytes, both.verbatim), (start(20_000)..start(20_002), true));
    let shown = found(25_000).expect("line 25000 was kept");
    assert!(!shown.verbatim, "a line that is not stored byte for byte is marked so");
    assert_eq!(store.read(&saved.id, shown.stored).expect("read"), b"as shown\n");
    assert_eq!((found(19_999), found(20_002)), (None, None));
}

fn check_ranges(store: &dyn Store, saved: &SpillRef, ranges: &KeptRanges, text: &str) {
    let kept = match saved.kept {
        Kept::Whole => ranges.bytes,
        Kept::Ends { first, between, last } => first + between + last,
    };
    assert_eq!(kept + ranges.missing(), ranges.bytes, "counts are exact");
    assert_ne!(saved.kept, Kept::Whole, "some of it is missing");
    for range in ranges.ranges.iter().filter(|range| range.verbatim) {
        let stored = store.read(&saved.id, range.stored.clone()).expect("read");
        let original = &text[range.bytes.start as usize..range.bytes.end as usize];
        assert_eq!(stored, original.as_bytes(), "{range:?}");
        let before = &text[..range.bytes.start as usize];
        assert_eq!(range.first_line, before.matches('\n').count() as u64 + 1, "{range:?}");
        assert_eq!(range.starts_line, before.is_empty() || before.ends_with('\n'), "{range:?}");
    }
}

fn new_store_is_empty(store: &dyn Store) {
    assert_eq!(list(store), [], "a new store is empty");
    let name = OutputId::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV").expect("a name");
    let known = [
        store.read(&name, 0..1).map(drop),
        store.entry(&name).map(drop),
        store.delete(&name),
        store.touch(&name),
    ];
    for answer in known {
        assert!(matches!(answer, Err(Error::NotFound { .. })), "nothing is there: {answer:?}");
    }
    let optional = [
        store.describe(&name, &Record::default()),
        store.record(&name).map(|record| assert_eq!(record, None)),
        store.pin(&name, true),
        store.line_start(&name, 2).map(|start| assert_eq!(start, None)),
        store.line_at(&name, 2).map(|line| assert_eq!(line, None)),
        store.open_file(&name).map(drop),
        store.retrieved(&name, 1, &[]),
        store.all_expired().map(drop),
        store.expired(&name).map(|expired| assert_eq!(expired, None)),
        store.check(&name).map(drop),
        store.tidy(),
    ];
    for answer in optional {
        let fine =
            matches!(answer, Ok(()) | Err(Error::NotFound { .. }) | Err(Error::Unsupported { .. }));
        assert!(fine, "nothing is there: {answer:?}");
    }
}

fn saved_output_is_read_back(store: &dyn Store) {
    let awkward: &[&[u8]] =
        &[b"", b"\0", b"\xef\xbb\xbfa\r\nb\r", b"{\"a\":\"\\n\"}", b"\xff\xfe\n\n"];
    for bytes in awkward {
        let saved = save(store, &Call::new("tool"), &[bytes]);
        assert_eq!(saved.kept, Kept::Whole);
        assert!(!saved.path.is_empty(), "a saved output has a path for the notice");
        assert_eq!(read(store, &saved.id), *bytes, "byte for byte");
        assert_eq!(entry(store, &saved.id).bytes, bytes.len() as u64);
    }
    assert_eq!(list(store).len(), awkward.len());

    let long: Vec<u8> = (0..300_000_u32).flat_map(|number| number.to_le_bytes()).collect();
    let parts: Vec<&[u8]> = long.chunks(7_919).collect();
    assert_eq!(read(store, &save(store, &Call::default(), &parts).id), long);
}

fn draft_is_hidden_until_published(store: &dyn Store) {
    let mut draft = create(store, &Call::new("tool"));
    append(&mut *draft, b"half");
    assert_eq!(list(store), [], "a draft is not listed");
    drop(draft);
    assert_eq!(list(store), [], "a draft that is dropped leaves nothing");

    let mut draft = create(store, &Call::new("tool"));
    append(&mut *draft, b"whole");
    let saved = draft.publish().expect("published");
    assert_eq!(list(store), [entry(store, &saved.id)]);
}

fn ranges_end_where_the_output_ends(store: &dyn Store) {
    let name = save(store, &Call::new("tool"), &[b"0123456789"]).id;
    let (open, backwards) = (3..u64::MAX, std::ops::Range { start: 7, end: 4 });
    for (range, part) in [
        (0..10, "0123456789"),
        (0..4, "0123"),
        (4..7, "456"),
        (9..11, "9"),
        (10..12, ""),
        (99..100, ""),
        (5..5, ""),
        (open, "3456789"),
        (backwards, ""),
    ] {
        let got = store.read(&name, range.clone()).expect("read");
        assert_eq!(String::from_utf8_lossy(&got), part, "{range:?}");
    }
}

fn names_from_unsafe_calls_are_safe(store: &dyn Store) {
    let long = "x".repeat(2048);
    let texts = ["../../etc/passwd", "a/b", "..", ".", "", "a\0b", "日本", " ", "\n", "-rf", &long];
    for text in texts {
        let text = Some(text.to_owned());
        let call = Call {
            tool: text.clone(),
            id: text.clone(),
            session: text.clone(),
            command: text.clone(),
            directory: text,
        };
        let saved = save(store, &call, &[b"output"]);
        assert_eq!(OutputId::parse(saved.id.as_str()), Some(saved.id.clone()), "{call:?}");
        assert_eq!(read(store, &saved.id), b"output", "{call:?}");
    }
    assert_eq!(list(store).len(), texts.len());
}

fn names_are_unique(store: &dyn Store) {
    let call = Call { tool: Some("tool".into()), id: Some("1".into()), ..Call::default() };
    let outputs: Vec<String> = (0..30).map(|number| format!("output {number}")).collect();
    let saved: Vec<SpillRef> =
        outputs.iter().map(|output| save(store, &call, &[output.as_bytes()])).collect();
    let names: HashSet<&OutputId> = saved.iter().map(|saved| &saved.id).collect();
    assert_eq!(names.len(), outputs.len(), "the same call gets a new name each time");
    for (saved, output) in saved.iter().zip(&outputs) {
        assert_eq!(read(store, &saved.id), output.as_bytes(), "nothing is overwritten");
    }
}

fn deleted_output_is_not_found(store: &dyn Store) {
    let call = Call::new("tool");
    let [a, b] = [b"a", b"b"].map(|bytes| save(store, &call, &[bytes]).id);
    store.delete(&a).expect("deleted");
    assert!(matches!(store.delete(&a), Err(Error::NotFound { .. })));
    assert!(matches!(store.read(&a, 0..1), Err(Error::NotFound { .. })));
    assert_eq!(list(store), [entry(store, &b)], "the other one stays");
}

fn touch_changes_only_the_time_of_use(store: &dyn Store) {
    let name = save(store, &Call::new("tool"), &[b"a"]).id;
    let before = entry(store, &name);
    store.touch(&name).expect("touched");
    let after = entry(store, &name);
    assert!(after.used >= before.used, "{after:?}");
    assert_eq!(Entry { used: before.used, ..after }, before, "nothing else has changed");
    assert_eq!(read(store, &name), b"a");
}

fn pins_are_kept(store: &dyn Store) {
    let name = save(store, &Call::new("tool"), &[b"a"]).id;
    assert!(!entry(store, &name).pinned);
    match store.pin(&name, true) {
        Err(Error::Unsupported { .. }) => return,
        pinned => pinned.expect("pinned"),
    }
    assert!(entry(store, &name).pinned);
    assert!(list(store)[0].pinned);
    store.pin(&name, true).expect("pinned twice");
    store.pin(&name, false).expect("no longer");
    store.pin(&name, false).expect("no longer, twice");
    assert!(!list(store)[0].pinned);
}

fn records_are_kept(store: &dyn Store) {
    let name = save(store, &Call::new("tool"), &[b"a"]).id;
    assert_eq!(store.record(&name).expect("a record or none"), None);
    for exit in [1, 2] {
        let record =
            Record { call: Call::new("日本"), exit: Some(exit), bytes: 1, ..Record::default() };
        store.describe(&name, &record).expect("described");
        let known = store.record(&name).expect("a record or none");
        // A store may have no record, but never a wrong one.
        assert!(known.is_none_or(|known| known == record));
    }
    store.retrieved(&name, 30, &[5..9, 0..2]).expect("noted");
    store.retrieved(&name, 12, &[1..3, 9..9]).expect("noted");
    let known = store.record(&name).expect("a record or none");
    assert!(known.as_ref().is_none_or(|known| [0, 42].contains(&known.retrieved)));
    let parts = known.as_ref().map_or(&[][..], |known| &known.read_later);
    assert!(parts.is_empty() || parts == [0..3, 5..9], "{parts:?}");
    let other = save(store, &Call::new("tool"), &[b"b"]).id;
    let all = store.records(&[other.clone(), name.clone()]).expect("records or none");
    assert_eq!(all, [None, known], "`records` returns the same as `record`");
    store.delete(&other).expect("deleted");
    assert_eq!(list(store).len(), 1, "a record is not listed as an output");
    store.delete(&name).expect("deleted");
}

fn changed_output_does_not_expire(store: &dyn Store) {
    let call = Call::new("tool");
    let name = save(store, &call, &[b"a"]).id;
    let seen = entry(store, &name);
    let expire = || store.expire(&[&seen]).remove(0).expect("expired or not");
    if store.pin(&name, true).is_ok() {
        assert!(!expire(), "it was pinned meanwhile");
        store.pin(&name, false).expect("no longer");
    }
    assert!(expire());
    assert!(!expire(), "it has expired already");
    assert_eq!(list(store), []);
}

fn lines_are_found_or_unknown(store: &dyn Store) {
    let text: String = (1..=40_000).map(|number| format!("line {number}\n")).collect();
    let name = save(store, &Call::new("tool"), &[text.as_bytes()]).id;
    for line in [1, 2, 39, 20_000, 40_000, 40_001, u64::MAX] {
        let Some(start) = store.line_start(&name, line).expect("a place or none") else { continue };
        let shown = store.read(&name, start..start + 20).expect("read");
        assert!(shown.starts_with(format!("line {line}\n").as_bytes()), "line {line} at {start}");
        for place in [start, start + 3] {
            let found = store.line_at(&name, place).expect("a line or none");
            assert!(found.is_none_or(|found| found == line), "line {line} at {place}: {found:?}");
        }
    }
    assert_eq!(store.line_start(&name, 0).expect("a place or none"), None);
}

fn parallel_writers_lose_and_mix_nothing(store: Arc<dyn Store>) {
    const THREADS: usize = 8;
    const EACH: usize = 20;
    let write = |thread: usize, store: &dyn Store| -> Vec<(OutputId, Vec<u8>)> {
        let one = |number: usize| {
            let line = format!("{thread}/{number};");
            let bytes = line.repeat(200 + number).into_bytes();
            let parts: Vec<&[u8]> = bytes.chunks(100).collect();
            let name = save(store, &Call::new("tool"), &parts).id;
            store.list().expect("a list while others write");
            (name, bytes)
        };
        (0..EACH).map(one).collect()
    };
    let saved: Vec<(OutputId, Vec<u8>)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = store.clone();
                scope.spawn(move || write(thread, &*store))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no thread fails")).collect()
    });
    for (name, bytes) in &saved {
        assert_eq!(&read(&*store, name), bytes, "{name}");
    }
    let listed: Vec<OutputId> = list(&*store).into_iter().map(|entry| entry.name).collect();
    let distinct: HashSet<&OutputId> = listed.iter().collect();
    assert_eq!((listed.len(), distinct.len()), (THREADS * EACH, THREADS * EACH));
}

fn create(store: &dyn Store, call: &Call) -> Box<dyn Draft> {
    store.create(call).expect("a draft")
}

fn append(draft: &mut dyn Draft, bytes: &[u8]) {
    draft.append(bytes).expect("room for it");
}

fn save(store: &dyn Store, call: &Call, parts: &[&[u8]]) -> SpillRef {
    let mut draft = create(store, call);
    parts.iter().for_each(|part| append(&mut *draft, part));
    draft.publish().expect("published")
}

fn read(store: &dyn Store, name: &OutputId) -> Vec<u8> {
    store.read(name, 0..u64::MAX).expect("read")
}

fn entry(store: &dyn Store, name: &OutputId) -> Entry {
    store.entry(name).expect("an entry")
}

fn list(store: &dyn Store) -> Vec<Entry> {
    store.list().expect("a list")
}
