//! Tests the laws of the core, each as a property of arbitrary bytes, limits and chunkings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use crate::common;

use overspill_core::{
    Cleaning, Cut, Finished, Grain, Keep, Limits, LineRule, Policy, Preview, Tokens, Window,
    Wording, cut,
};
use proptest::prelude::*;

/// Wordings for saved and unsaved outputs, short and long, some with characters that must not reach
/// the reader.
fn wording() -> impl Strategy<Value = Wording> {
    let broken = Wording {
        facts: vec!["exit\n1".into()],
        copy: "All of it: /state/over\nspill\x1b[1m/01KA.txt".into(),
        short_copy: "all: /state/over\nspill\u{202e}/01KA.txt".into(),
        ..common::unsaved()
    };
    let long = Wording { copy: "no answer\n".repeat(90), ..common::saved() };
    prop_oneof![Just(common::unsaved()), Just(common::saved()), Just(broken), Just(long)]
}

fn answer<'a>(output: &'a [u8], policy: &Policy, wording: &Wording) -> Option<Preview<'a>> {
    policy.measure(output).map(|oversized| oversized.preview(wording))
}

/// A limit that leaves room for at least one character.
fn admits_something(limits: &Limits) -> bool {
    [limits.bytes, limits.lines, limits.chars, limits.tokens].iter().all(|most| *most != Some(0))
}

/// Checks that pieces and gaps together are the output, without overlap and without holes.
fn assert_partition(cut: &Cut) {
    let mut spans: Vec<_> = cut.spans().iter().cloned().chain(cut.gaps()).collect();
    spans.sort_by_key(|span| (span.bytes.start, span.bytes.end));
    let mut at = 0;
    for span in &spans {
        assert_eq!(span.bytes.start, at, "{spans:?}");
        at = span.bytes.end;
    }
    assert_eq!(at, cut.total.bytes, "{spans:?}");
}

/// Checks line numbers and edges of a span by counting again.
fn assert_located(cut: &Cut, output: &[u8], rule: LineRule) {
    let breaks = |bytes: &[u8]| match rule {
        LineRule::Separated | LineRule::Terminated => bytes.iter().filter(|&&b| b == b'\n').count(),
        LineRule::Universal => {
            let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
            text.matches('\n').count()
        }
    } as u64;
    for span in cut.spans().iter().cloned().chain(cut.gaps()) {
        let (start, end) = (span.bytes.start as usize, span.bytes.end as usize);
        if start == end {
            continue;
        }
        // If breaks separate lines, a gap may begin with the break that ends the line before it.
        let follows_line = cut
            .spans()
            .iter()
            .any(|piece| piece.ends_line && piece.bytes.end == span.bytes.start && *piece != span);
        let skipped = u64::from(rule == LineRule::Separated && follows_line);
        let first_line = breaks(&output[..start]) + 1 + skipped;
        assert_eq!(span.first_line, first_line, "{span:?}");
        if rule == LineRule::Terminated {
            let last_line = breaks(&output[..end - 1]) + 1;
            assert_eq!(span.last_line, last_line, "{span:?}");
            assert_eq!(span.starts_line, start == 0 || output[start - 1] == b'\n', "{span:?}");
            assert_eq!(span.ends_line, end == output.len() || output[end - 1] == b'\n', "{span:?}");
        }
    }
}

proptest! {
    #[test]
    fn whole_short_output_is_unchanged(
        output in common::output(),
        policy in common::policy(),
    ) {
        let mut window = Window::new(policy.clone());
        window.push(&output);
        if policy.trigger.exceeded_by(&output, policy.lines, &policy.tokens).is_none() {
            prop_assert!(cut(&output, &policy).is_none());
            match window.finish() {
                Finished::Whole(whole) => prop_assert_eq!(whole, output),
                Finished::Over(_) => prop_assert!(false, "it fits"),
            }
        }
    }

    #[test]
    fn verbatim_pieces_are_the_original_and_gaps_are_the_rest(
        output in common::output(),
        policy in common::policy(),
    ) {
        let Some(cut) = cut(&output, &policy) else { return Ok(()) };
        assert_partition(&cut);
        assert_located(&cut, &output, policy.lines);
        for piece in &cut.pieces {
            let original = &output[piece.bytes.start as usize..piece.bytes.end as usize];
            if piece.altered == 0 {
                prop_assert_eq!(piece.text.as_ref(), original);
            }
        }
    }

    #[test]
    fn limited_pieces_stay_within_every_limit(
        output in common::output(),
        policy in common::policy(),
    ) {
        let Some(cut) = cut(&output, &policy) else { return Ok(()) };
        let shown = cut.shown();
        let tokens: u64 = cut.pieces.iter().map(|piece| policy.tokens.count(&piece.text)).sum();
        let within = |size: u64, most: Option<u64>| most.is_none_or(|most| size <= most);
        prop_assert!(within(shown.bytes, policy.limits.bytes), "{:?}", shown);
        prop_assert!(within(shown.lines, policy.limits.lines), "{:?}", shown);
        prop_assert!(within(shown.chars, policy.limits.chars), "{:?}", shown);
        prop_assert!(within(tokens, policy.limits.tokens), "{} tokens", tokens);
    }

    #[test]
    fn limited_previews_stay_within_every_limit_notice_included(
        output in common::output(),
        policy in common::policy(),
        wording in wording(),
    ) {
        let Some(answer) = answer(&output, &policy, &wording) else { return Ok(()) };
        if answer.text.is_empty() {
            // By `Separated` even an empty text has one line, so a limit of 0 lines cannot be met.
            return Ok(());
        }
        let exceeded =
            policy.limits.exceeded_by(answer.text.as_bytes(), policy.lines, &policy.tokens);
        prop_assert_eq!(exceeded, None, "{:?}", answer.text);
    }

    #[test]
    fn never_empty(
        output in common::output(),
        policy in common::policy(),
        wording in wording(),
    ) {
        let Some(answer) = answer(&output, &policy, &wording) else { return Ok(()) };
        if !output.is_empty() && admits_something(&policy.limits) {
            prop_assert!(!answer.text.is_empty());
        }
    }

    #[test]
    fn never_empty_one_line_of_any_length_is_clipped(
        len in 100usize..5000,
        bytes in 40u64..90,
        keep in prop_oneof![Just(Keep::Head), Just(Keep::Tail), Just(Keep::ENDS)],
    ) {
        let policy = Policy::new(Limits::NONE.bytes(bytes), keep);
        let output = vec![b'x'; len];
        let cut = cut(&output, &policy).unwrap();
        prop_assert_eq!(cut.shown().bytes, bytes);
    }

    #[test]
    fn recoverable_bytes_for_the_store_are_the_whole_output(
        output in common::output(),
        policy in common::policy(),
        at in proptest::collection::vec(any::<usize>(), 0..4),
    ) {
        let mut window = Window::new(policy);
        let mut stored = Vec::new();
        for chunk in common::chunks(&output, &at) {
            let before = window.push(chunk);
            stored.extend(before.into_iter().flatten());
            stored.extend_from_slice(if window.is_over() { chunk } else { &[] });
        }
        stored.extend(window.settle().into_iter().flatten());
        match window.finish() {
            Finished::Whole(_) => prop_assert!(stored.is_empty()),
            Finished::Over(_) => prop_assert_eq!(stored, output),
        }
    }

    #[test]
    fn honest_preview_offers_only_the_copy_of_its_wording(
        output in common::output(),
        limits in common::limits(),
    ) {
        let policy = Policy::new(limits, Keep::ENDS);
        let wording = Wording { copy: "It is lost".into(), short_copy: "lost".into(), ..common::unsaved() };
        let Some(answer) = answer(&output, &policy, &wording) else { return Ok(()) };
        prop_assert!(!answer.text.contains("saved"), "{}", answer.text);
        prop_assert!(!answer.text.contains("read"), "{}", answer.text);
    }

    #[test]
    fn valid_no_raw_control_character_reaches_the_reader(
        output in common::output(),
        limits in common::limits(),
        wording in wording(),
    ) {
        let policy = Policy::new(limits, Keep::ENDS);
        let Some(answer) = answer(&output, &policy, &wording) else { return Ok(()) };
        let control =
            |c: char| c.is_control() && c != '\n' && c != '\t' || common::reorders_text(c);
        prop_assert!(!answer.text.contains(control), "{:?}", answer.text);
    }

    #[test]
    fn deterministic_the_same_bytes_give_the_same_answer(
        output in common::output(),
        policy in common::policy(),
        wording in wording(),
        at in proptest::collection::vec(any::<usize>(), 0..4),
    ) {
        let expected = answer(&output, &policy, &wording).map(|answer| answer.text);
        let mut window = Window::new(policy.clone());
        common::chunks(&output, &at).iter().for_each(|chunk| drop(window.push(chunk)));
        let streamed = match window.finish() {
            Finished::Whole(_) => None,
            Finished::Over(over) => Some(over.preview(&wording).text),
        };
        prop_assert_eq!(streamed, expected);
    }

    #[test]
    fn defused_output_has_no_text_like_our_marks(
        output in common::output(),
        policy in common::policy(),
        wording in wording(),
    ) {
        let wording = Wording { short_id: "fresh1".into(), ..wording };
        let Some(answer) = answer(&output, &policy, &wording) else { return Ok(()) };
        prop_assert!(!answer.text.contains("[overspill 3f9c2e"), "{}", answer.text);
    }

    #[test]
    fn exact_counter_overrides_the_estimate(output in common::text(), most in 0u64..60) {
        let exact = |text: &[u8]| bpe_openai::o200k_base().count(&*String::from_utf8_lossy(text)) as u64;
        let policy = Policy {
            tokens: Tokens::exact(exact),
            ..Policy::new(Limits::NONE.tokens(most), Keep::ENDS)
        };
        let wording = common::unsaved();
        match answer(output.as_bytes(), &policy, &wording) {
            None => prop_assert!(exact(output.as_bytes()) <= most),
            Some(answer) => {
                let counted = exact(output.as_bytes()).max((output.len() as u64).div_ceil(16));
                prop_assert!(counted > most, "it fits");
                prop_assert!(exact(answer.text.as_bytes()) <= most, "{}", answer.text);
            }
        }
    }
}

/// A text of about 4 KB in which every kind of character and break stands next to every other.
fn mixed() -> Vec<u8> {
    let kinds = ["a", "é", "→", "🚀", "\n", "\r\n", "\r", "\0", "\x1b[1m", "\u{2028}", "word "];
    let mut text = Vec::new();
    for (index, first) in kinds.iter().enumerate() {
        for second in kinds {
            text.extend_from_slice(first.as_bytes());
            text.extend_from_slice(second.as_bytes());
            text.extend_from_slice("filler ".repeat(index % 4).as_bytes());
            text.extend_from_slice(&[0xff, 0xe2, 0x82][..index % 4]);
        }
    }
    text.repeat(2)
}

#[test]
fn cut_at_every_byte_of_a_mixed_text_is_within_the_limit_and_not_empty() {
    let output = mixed();
    let wording = common::unsaved();
    for keep in [Keep::Head, Keep::Tail, Keep::ENDS] {
        for grain in [Grain::Line, Grain::Char] {
            for bytes in 0..output.len() as u64 {
                let limits = Limits::NONE.bytes(bytes);
                let policy = Policy { grain, ..Policy::new(limits, keep) };
                let answer = answer(&output, &policy, &wording).unwrap();
                assert!(answer.text.len() as u64 <= bytes, "{keep:?} {bytes}");
                assert_eq!(answer.text.is_empty(), bytes == 0, "{keep:?} {bytes}");
            }
        }
    }
}

#[test]
fn two_hundred_megabytes_on_one_line_are_clipped() {
    let policy = Policy::default();
    let mut window = Window::new(policy.clone());
    let chunk = vec![b'x'; 1 << 20];
    (0..200).for_each(|_| drop(window.push(&chunk)));
    let Finished::Over(over) = window.finish() else { panic!("it is too large") };
    let wording = common::unsaved();
    let answer = over.preview(&wording);
    assert!(answer.text.len() <= 51_200);
    assert!(answer.cut.shown().bytes > 50_000);
    assert!(answer.text.contains("[3f9c2e: bytes 25534-209689666 cut]"));
}

/// A stream keeps other parts of earlier lines in memory than a whole output does. That must not
/// change the preview.
#[test]
fn deterministic_for_stream_and_memory() {
    let (erased, last) = ("\u{8}".repeat(814), "→\0é".repeat(14));
    let lines = "aaa  aaa  \n\u{8}    aaaaaaaa\n\naaa  aa\n aa    aa\n";
    let output = format!("\n  \n{erased}\n{lines}é{last}→\0").into_bytes();
    for tokens in 1..60 {
        let policy = Policy::new(Limits::NONE.lines(2).tokens(tokens), Keep::Tail);
        let mut window = Window::new(policy.clone());
        window.push(&output);
        let Finished::Over(over) = window.finish() else { panic!("it is too large") };
        assert_eq!(over.cut(), cut(&output, &policy).unwrap(), "{tokens} tokens");
    }
}

/// One id has more tokens than another: `abcdef` has one, `7a1b2c` six.
#[test]
fn deterministic_for_every_id_within_a_token_limit() {
    let log: String = (0..4000)
        .map(|n| match n % 500 {
            250 => format!("error[E{n:04}]: cannot find value `total_{n}` in this scope\n"),
            _ => format!("   Compiling package-{n} v1.{n}.0 ({:x})\n", n * 7919),
        })
        .collect();
    let json: String =
        (0..900).map(|n| format!("{{\"id\": {n}, \"name\": \"item {n}\"}},")).collect();
    let json = format!("[{}]", json.trim_end_matches(','));
    for (output, keep) in [(&log, Keep::Auto), (&log, Keep::ENDS), (&json, Keep::Auto)] {
        for most in [40, 90, 150, 333, 1000, 1290] {
            let policy = Policy::new(Limits::NONE.tokens(most), keep);
            let oversized = policy.measure(output.as_bytes()).unwrap();
            let mut expected = None;
            for (id, file) in [
                ("abcdef", "01KA5EXAMPLESABCDEF"),
                ("7a1b2c", "01KAF93V0Q8XY7A1B2C"),
                ("000000", "01KA500000000000000"),
                ("zq7w9k", "01K0A1B2C3D4EZQ7W9K"),
            ] {
                let wording = Wording {
                    copy: format!("overspill read {id}; /outputs/{file}.txt"),
                    short_copy: format!("overspill read {id}"),
                    ..Wording::plain(id)
                };
                let preview = oversized.preview(&wording).text;
                assert!(policy.tokens.count(preview.as_bytes()) <= most);
                let without_ids = preview.replace(file, "FILE").replace(id, "ID");
                assert_eq!(&without_ids, expected.get_or_insert(without_ids.clone()), "{most}");
            }
        }
    }
}

#[test]
fn token_limit_beside_other_limits_cuts_a_stream_like_the_whole() {
    let limits = Limits::NONE.lines(6).chars(394).tokens(89);
    let policy = Policy {
        grain: Grain::Char,
        lines: LineRule::Universal,
        cleaning: Cleaning::Off,
        ..Policy::new(limits, Keep::Ends { head: 1, tail: 3 })
    };
    let wording = Wording {
        copy: "Not all of it could be kept; 77 bytes of it saved as 01KA5EXAMPLE".into(),
        short_copy: "in part: 01KA5EXAMPLE".into(),
        ..common::unsaved()
    };
    let start = "é→\0".repeat(16) + "\nok\n aa \naaa a a \na     a\n A0A 0    AAAB\n  \n";
    for repeated in 40..800 {
        let output = start.clone() + &"é→\0".repeat(repeated);
        let whole = answer(output.as_bytes(), &policy, &wording).map(|answer| answer.text);
        let mut window = Window::new(policy.clone());
        output.as_bytes().chunks(7).for_each(|chunk| drop(window.push(chunk)));
        let streamed = match window.finish() {
            Finished::Whole(_) => None,
            Finished::Over(over) => Some(over.preview(&wording).text),
        };
        assert_eq!(streamed, whole, "{repeated}");
    }
}
