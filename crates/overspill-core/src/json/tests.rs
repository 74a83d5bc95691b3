//! Tests of the JSON tokenizer against `serde_json`.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::tokens::DEEPEST;
use super::*;

/// The result of reading a text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    /// The tokens with their bytes. Parts of a string or a word are joined.
    tokens: Vec<(char, Vec<u8>)>,
    /// The texts of all strings.
    text: Vec<u8>,
    /// The place of the first mistake, and its description.
    mistake: Option<(usize, &'static str)>,
    is_done: bool,
}

fn read<'a>(mut tokens: JsonTokens, chunks: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let (mut read, mut at) = (Read::default(), 0);
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let (token, len) = match tokens.next(chunk) {
                Ok(taken) => taken,
                Err(MalformedJson { what, at: ahead }) => {
                    assert_eq!(tokens.next(chunk).unwrap_err(), MalformedJson { what, at: 0 });
                    read.mistake = Some((at + ahead, what));
                    // A part of a word before the mistake depends on the chunks.
                    read.tokens.pop_if(|(kind, _)| *kind == 'w');
                    return read;
                }
            };
            let kind = match token {
                JsonToken::Between => ' ',
                JsonToken::Open(bracket) => bracket.into(),
                JsonToken::Close => ')',
                JsonToken::String { is_key } => {
                    if is_key {
                        'k'
                    } else {
                        's'
                    }
                }
                JsonToken::Text(text) => {
                    read.text.extend_from_slice(text);
                    't'
                }
                JsonToken::EndString => '"',
                JsonToken::Word { .. } => 'w',
            };
            let (taken, rest) = chunk.split_at(len);
            match read.tokens.last_mut() {
                Some((last, bytes)) if *last == kind && " tw".contains(kind) => {
                    bytes.extend_from_slice(taken);
                }
                _ => read.tokens.push((kind, taken.to_vec())),
            }
            (chunk, at) = (rest, at + len);
        }
    }
    read.is_done = tokens.is_done();
    read
}

fn is_json(bytes: &[u8]) -> bool {
    read(JsonTokens::default(), [bytes]).is_done
}

/// Tells whether serde_json accepts the syntax. It ignores the meaning: any depth, numbers of any
/// size, strings of any bytes.
fn is_json_to_serde(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

#[test]
fn odd_texts_get_the_answer_of_the_table() {
    for text in crate::json_texts::odd_texts() {
        assert_eq!(is_json_to_serde(&text.bytes), text.is_valid, "{}", text.name);
        let whole = read(JsonTokens::default(), [&*text.bytes]);
        assert_eq!(whole.is_done, text.is_valid, "{}", text.name);
        for chunks in crate::json_texts::chunkings(&text.bytes) {
            assert_eq!(read(JsonTokens::default(), chunks), whole, "{}", text.name);
        }
    }
}

#[test]
fn json_mistake_is_at_the_first_invalid_byte() {
    for (text, at, what) in [
        ("[01]", 2, "expected `,` or `]`"),
        ("12abc", 2, "expected the end of the text"),
        ("[1.x]", 3, "expected a digit"),
        ("[tree]", 3, "expected a value"),
        ("{\"a\" 1}", 5, "expected `:`"),
        ("{\"a\":1 1}", 7, "expected `,` or `}`"),
        ("{1:1}", 1, "expected a name in quotes"),
        ("[\"a\tb\"]", 3, "a control byte in a string"),
        ("[\"a\nb\"]", 3, "a string that does not end in its line"),
        ("[\"\\x\"]", 3, "an escape that JSON does not have"),
        ("[\"\\u00g0\"]", 6, "expected a hexadecimal digit"),
        ("\u{feff}[]", 0, "expected a value"),
    ] {
        let found = read(JsonTokens::default(), [text.as_bytes()]);
        assert_eq!(found.mistake, Some((at, what)), "{text}");
    }
}

#[test]
fn json_that_ends_early_names_the_missing_part() {
    for (text, what) in [
        ("", "expected a value"),
        ("[1", "expected `,` or `]`"),
        ("[1.", "expected a digit"),
        ("{\"a\":1", "expected `,` or `}`"),
        ("[nul", "expected a value"),
        ("\"abc", "a string that does not end"),
        ("\"ab\\", "a string that does not end"),
    ] {
        let mut tokens = JsonTokens::default();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = &rest[tokens.next(rest).unwrap().1..];
        }
        assert!(!tokens.is_done());
        assert_eq!(tokens.missing(), what, "{text}");
    }
}

#[test]
fn document_may_begin_with_one_byte_order_mark() {
    for (text, is_valid) in [
        ("\u{feff}[1]", true),
        ("[1]", true),
        (" \u{feff}[1]", false),
        ("\u{feff}\u{feff}[1]", false),
        ("\u{feff}", false),
    ] {
        for chunks in crate::json_texts::chunkings(text.as_bytes()) {
            assert_eq!(read(JsonTokens::document(), chunks).is_done, is_valid, "{text:?}");
        }
    }
}

#[test]
fn halves_of_surrogate_pairs_become_replacement_characters() {
    for (json, text) in [
        (r#"["\u00e9\ud83d\ude00x"]"#, "é😀x"),
        (r#"["\ud83dx\ud83d\n\ude00"]"#, "\u{FFFD}x\u{FFFD}\n\u{FFFD}"),
        (r#"["\ud83d\ud83d\ude00"]"#, "\u{FFFD}😀"),
        (r#"["\ud83d\u0041\ud83d"]"#, "\u{FFFD}A\u{FFFD}"),
        (r#"["\/\"\\\b\f\r\t"]"#, "/\"\\\u{8}\u{c}\r\t"),
    ] {
        for chunks in crate::json_texts::chunkings(json.as_bytes()) {
            let found = read(JsonTokens::default(), chunks);
            assert!(found.is_done);
            assert_eq!(str::from_utf8(&found.text), Ok(text), "{json}");
        }
    }
}

#[test]
fn json_nested_too_deep_is_rejected() {
    let found = read(JsonTokens::default(), vec![b'['; DEEPEST + 1].chunks(4096));
    assert_eq!(found.mistake, Some((DEEPEST, "nested deeper than 1048576 levels")));
}

/// Returns bytes that look like JSON, and often are JSON.
fn near_json() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop::sample::select(vec![
        "0",
        "-1",
        "12.50",
        "1e9",
        "-0.1E-7",
        "true",
        "false",
        "null",
        "\"\"",
        "\"é\\n\\\"\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"a longer string with nothing special in it at all\"",
    ]);
    let value = leaf.prop_map(str::to_owned).prop_recursive(4, 40, 5, |inner| {
        let blank = prop::sample::select(vec!["", " ", "\n  ", "\r\n\t"]);
        let member = ("[a-z\"]{0,3}", blank.clone(), inner.clone())
            .prop_map(|(name, blank, value)| format!("{name:?}{blank}:{blank}{value}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..5), blank.clone()).prop_map(
                |(values, blank)| format!("[{blank}{}{blank}]", values.join(&format!("{blank},")))
            ),
            (prop::collection::vec(member, 0..5), blank).prop_map(|(members, blank)| format!(
                "{{{blank}{}{blank}}}",
                members.join(&format!(",{blank}"))
            )),
        ]
    });
    let odd =
        prop::sample::select(b"[]{}\",:\\/u0129-+.eEtfnaD \n\t\r\x00\x1f\x7f\xff\xc3".to_vec());
    let change = prop::option::of((any::<prop::sample::Index>(), 0..3_usize, odd));
    (value, change).prop_map(|(text, change)| {
        let mut bytes = text.into_bytes();
        if let Some((index, cut, byte)) = change {
            let at = index.index(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, (cut < 2).then_some(byte));
        }
        bytes
    })
}

fn odd_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"["[..],
        b"]",
        b"{",
        b"}",
        b"\"",
        b",",
        b":",
        b"1",
        b"0",
        b"-",
        b".",
        b"e",
        b"+",
        b"true",
        b"nul",
        b"l",
        b"\\",
        b"\\n",
        b"\\u00e9",
        b"\\ud83d",
        b"\\ude00",
        b" ",
        b"\n",
        b"\t",
        b"a",
        b"\xff",
        b"\0",
        b"\"a\":",
        b"[1,",
        b"{\"",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn text_is_valid_exactly_when_serde_json_says_so(text in prop_oneof![near_json(), odd_bytes()]) {
        prop_assert_eq!(is_json(&text), is_json_to_serde(&text), "{}", text.escape_ascii());
    }

    #[test]
    fn tokens_are_the_same_in_any_chunks(
        text in prop_oneof![near_json(), odd_bytes()],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let mut start = 0;
        let chunks: Vec<&[u8]> =
            ends.iter().map(|&end| &text[std::mem::replace(&mut start, end)..end]).collect();
        let whole = read(JsonTokens::default(), [&*text]);
        prop_assert_eq!(&read(JsonTokens::default(), chunks), &whole);
        prop_assert_eq!(read(JsonTokens::default(), text.chunks(1)), whole);
    }

    #[test]
    fn json_text_in_one_call_equals_the_text_of_the_tokens(text in near_json(), chunk in 1..40_usize) {
        let (mut tokens, mut found) = (JsonTokens::default(), Vec::new());
        'text: for mut chunk in text.chunks(chunk) {
            loop {
                chunk = &chunk[tokens.text(chunk, &mut found)..];
                if chunk.is_empty() {
                    break;
                }
                let Ok((token, len)) = tokens.next(chunk) else { break 'text };
                if let JsonToken::Text(text) = token {
                    found.extend_from_slice(text);
                }
                chunk = &chunk[len..];
            }
        }
        prop_assert_eq!(found, read(JsonTokens::default(), [&*text]).text);
    }
}
