//! Tests of the choice of lines by names.

use super::*;
use proptest::prelude::*;

fn lines<'a>(text: &'a str) -> Vec<NamedLine<'a>> {
    let line = |(number, text): (usize, &'a str)| NamedLine {
        number: number as u64,
        text: text.as_bytes(),
        clipped: false,
        weight: FULL_WEIGHT,
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

fn covered(text: &str, bytes: u64) -> Vec<usize> {
    let lines = lines(text);
    let mut chosen = vec![false; lines.len()];
    let mut room = NamesRoom {
        bytes,
        lines: 1000,
        mark_bytes: 30,
        mark_lines: 1,
        even: false,
        often: false,
        alone: 0,
    };
    LineNames::of(lines.into_iter()).cover(&mut chosen, &mut room);
    (0..chosen.len()).filter(|&at| chosen[at]).collect()
}

#[test]
fn name_that_comes_often_comes_first_in_a_large_room() {
    let text = "part_one_1 x\npart_two_2 x\nthe_reader_3 x\nx the_reader_3\n";
    let names = LineNames::of(lines(text).into_iter());
    for (often, first) in [(false, 0), (true, 2)] {
        let mut chosen = vec![false; 4];
        let (mark_bytes, mark_lines) = (10, 1);
        let mut room =
            NamesRoom { bytes: 30, lines: 9, mark_bytes, mark_lines, even: false, often, alone: 0 };
        names.cover(&mut chosen, &mut room);
        assert!(chosen[first], "{often}: {chosen:?}");
    }
}

#[test]
fn names_are_paths_identifiers_and_versions() {
    let mut found = Vec::new();
    let text =
        b"see src/lib.rs:12, parseHeader() or HTTP_TIMEOUT; unfortunately nothing v1.2.3-rc1 x.y";
    each_name(text, |name| found.push(String::from_utf8_lossy(name).into_owned()));
    assert_eq!(found, ["src/lib.rs:12", "parseHeader", "HTTP_TIMEOUT", "v1.2.3-rc1"]);
}

#[test]
fn names_end_before_the_full_stop_of_a_sentence() {
    let mut found = Vec::new();
    each_name(b"the history. unfortunately: see commits... or end-of-line-.", |name| {
        found.push(String::from_utf8_lossy(name).into_owned());
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn line_beside_a_chosen_line_comes_before_a_line_alone() {
    let plain = "word word word word word word word word word word\n".repeat(9);
    let text =
        format!("fn firstFunction()\n  the_value_1 of it all\n{plain}the_value_2 of it\n{plain}");
    for (alone, expected) in [(0, 11), (60, 1)] {
        let lines = lines(&text);
        let mut chosen = vec![false; lines.len()];
        chosen[0] = true;
        let (mark_bytes, mark_lines) = (2, 1);
        let mut room = NamesRoom {
            bytes: 25,
            lines: 9,
            mark_bytes,
            mark_lines,
            even: false,
            often: false,
            alone,
        };
        LineNames::of(lines.into_iter()).cover(&mut chosen, &mut room);
        let found = (1..chosen.len()).find(|&at| chosen[at]);
        assert_eq!(found, Some(expected), "{alone}");
    }
}

#[test]
fn lines_with_new_names_come_first() {
    let plain = "the quick brown fox jumps over it\n".repeat(20);
    let text = format!(
        "{plain}src/first.rs defines parseHeader\n{plain}see src/first.rs once more for parseHeader, please\n{plain}"
    );
    assert_eq!(covered(&text, 70), [20]);
}

#[test]
fn lines_between_two_close_lines_are_shown() {
    let plain = "word word word word word word word word word word\n".repeat(9);
    let text = format!("{plain}fn firstFunction()\n}}\nfn secondFunction()\n{plain}");
    assert_eq!(covered(&text, 90), [9, 10, 11]);
}

#[test]
fn lines_without_new_names_are_not_chosen() {
    assert_eq!(covered(&"one two three\n".repeat(50), 45), [0; 0]);
}

proptest! {
    #[test]
    fn cover_stays_within_the_room(
        words in proptest::collection::vec("[a-z]{1,9}(_[a-z]{3,9})?", 1..60),
        bytes in 0u64..600,
        most_lines in 0u64..20,
        held in proptest::collection::vec(any::<(bool, bool)>(), 60),
    ) {
        let texts: Vec<String> = words.iter().map(|word| format!("{word}\n")).collect();
        let lines: Vec<NamedLine> = texts
            .iter()
            .enumerate()
            .filter(|(at, _)| held[*at].0)
            .map(|(at, text)| NamedLine {
                number: at as u64,
                text: text.as_bytes(),
                clipped: held[at].1,
                weight: FULL_WEIGHT,
            })
            .collect();
        let (mark_bytes, mark_lines) = (12, 1);
        let mut chosen = vec![false; lines.len()];
        let mut room = NamesRoom { bytes, lines: most_lines, mark_bytes, mark_lines, even: false, often: false, alone: 0 };
        let names = LineNames::of(lines.iter().copied());
        names.take(&mut chosen, (0..lines.len()).rev(), 0.2, &mut room);
        names.cover(&mut chosen, &mut room);
        names.take(&mut chosen, 0..lines.len(), 1.0, &mut room);
        let (mut used, mut used_lines, mut last) = (0, 0, None);
        for (line, _) in lines.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
            let follows = line.number.checked_sub(1) == last || line.number == 0;
            let gap = u64::from(!follows);
            used += line.text.len() as u64 + u64::from(line.clipped) + gap * mark_bytes;
            used_lines += 1 + gap * mark_lines;
            last = Some(line.number).filter(|_| !line.clipped);
        }
        prop_assert!(used <= bytes && used_lines <= most_lines, "{used} {used_lines}");
    }
}
