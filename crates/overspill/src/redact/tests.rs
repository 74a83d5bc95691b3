//! Tests of the rules and of masking in chunks.

use proptest::prelude::*;

use super::*;

/// Returns examples of secrets. They are made of parts, so that no scanner takes this file for a
/// leak.
fn secrets() -> Vec<String> {
    let letters = "a1B2c3D4e5F6g7H8i9J0".repeat(4);
    let upper = "A1B2C3D4E5F6G7H8I9J0".to_owned();
    vec![
        format!("{}{}", "AKIA", &upper[..16]),
        format!("{}_{}", "ghp", &letters[..36]),
        format!("{}_{}", "github_pat", &letters[..60]),
        format!("{}-{}", "glpat", &letters[..20]),
        format!("{}-{}", "xoxb", &letters[..30]),
        format!("{}{}", "AIza", &letters[..35]),
        format!("{}-{}-{}", "sk", "ant", &letters[..40]),
        format!("{}_{}", "npm", &letters[..36]),
        format!("Bearer {}", &letters[..30]),
        format!("{}{}.{}{}.{}", "eyJ", &letters[..20], "eyJ", &letters[..30], &letters[..43]),
        format!("aws_secret_access_key = {}", &letters[..40]),
        format!("postgres://ada:{}@db", &letters[..9]),
        format!(
            "-----BEGIN RSA {} KEY-----\n{}\n{}\n-----END RSA {} KEY-----",
            "PRIVATE",
            &letters[..64],
            &letters[..12],
            "PRIVATE"
        ),
    ]
}

fn redaction() -> Arc<Redaction> {
    Arc::new(Redaction::new(None).unwrap())
}

fn in_chunks(text: &[u8], sizes: &[usize]) -> (Vec<u8>, u64) {
    let mut redactor = Redactor::new(redaction());
    let (mut out, mut rest) = (Vec::new(), text);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, later) = rest.split_at((*size).min(rest.len()));
        redactor.push(chunk, |bytes| out.extend_from_slice(bytes));
        rest = later;
    }
    redactor.finish(|bytes| out.extend_from_slice(bytes));
    (out, redactor.masked())
}

#[test]
fn masked_text_has_no_secret_to_count_again() {
    let own = || Redaction::new(Some("pin: .*")).unwrap();
    for secret in secrets().into_iter().chain(["pin: 4711".to_owned()]) {
        let masked = own().text(&format!("before ({secret}), after\n")).0.into_owned();
        assert!(masked.contains("****"), "{masked}");
        assert_eq!(own().text(&masked), (Cow::Borrowed(&*masked), 0));
    }
}

#[test]
fn every_kind_of_secret_is_masked_in_place() {
    for secret in secrets() {
        let text = format!("before ({secret}), after\n");
        let (masked, count) = redaction().text(&text).clone();
        assert_eq!((count, masked.len()), (1, text.len()), "{text}");
        assert!(!masked.contains("B2c3D4") && !masked.contains("B2C3D4"), "{masked}");
        assert!(masked.starts_with("before (") && masked.ends_with(", after\n"), "{masked}");
        assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
    }
}

#[test]
fn text_that_only_resembles_a_secret_is_unchanged() {
    for text in [
        "task-management-and-scheduling-of-things-that-take-long",
        "the bearer of bad news; Bearer token",
        "https://example.org:8080/path@2x.png and http://[::1]:80/",
        "postgres://ada:$PASSWORD@db postgres://ada:***@db git@github.com:a/b",
        "XAKIAABCDEFGHIJKLMNOP akia AKIA123",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "commit 3f9c2e3f9c2e3f9c2e3f9c2e3f9c2e3f9c2e3f9c, sha256:0123456789abcdef",
        "eyJ.eyJ.x and eyJhbGciOi.short",
    ] {
        assert_eq!(redaction().text(text), (Cow::Borrowed(text), 0));
    }
}

/// Checks the masked form of `text`, as a whole and in chunks of many sizes.
#[track_caller]
fn masks(text: &str, masked: &str, count: u64) {
    assert_eq!(redaction().text(text), (Cow::Borrowed(masked), count), "{text:?}");
    for size in (1..12).chain((12..text.len()).step_by(9)) {
        let (parts, in_parts) = in_chunks(text.as_bytes(), &[size]);
        let parts = String::from_utf8(parts).unwrap();
        assert_eq!((&*parts, in_parts), (masked, count), "{text:?} by {size}");
    }
}

#[test]
fn secret_after_an_escape_is_masked() {
    let escapes = [
        "\\n",
        "\\t",
        "\\r",
        "\\b",
        "\\f",
        "\\\"",
        "\\/",
        "\\\\",
        "\\\\n",
        "\\u00e9",
        "\\u00E9",
        "\\x0a",
        "\\012",
        "%3D",
        "%0a",
        "&quot;",
        "&#39;",
        "\\u001b[32m",
        "\\x1b[38;2;255;255;255m",
        "\\033[0m",
        "\\e[1m",
        "\x1b[32m",
        "\x1b[m",
        "\x1b(B",
        "\x1b]0;a title\x07",
        "\x1b]8;;file\x1b\\",
        "\x1b7",
        "\x08",
        "\x1b[1m\x1b[32m",
    ];
    for secret in secrets() {
        let (masked, _) = redaction().text(&secret);
        for escape in escapes {
            masks(&format!("out{escape}{secret} on"), &format!("out{escape}{masked} on"), 1);
        }
    }
}

#[test]
fn invalid_escape_does_not_split_a_word() {
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    for before in ["n", "\\nn", "\\uu00e9", "\\u00eg", "%3", "%3DD", "[32m", "x1b[32m", "\x1b[1mx"]
    {
        let text = format!("a {before}{token}");
        masks(&text, &text, 0);
    }
}

#[test]
fn secret_with_escape_sequences_inside_is_masked() {
    let body = "a1B2c3D4e5F6g7H8i9J0".repeat(2);
    let stars = "*".repeat(10);
    for sequence in ["\x1b[31m", "\x1b[m\x1b[K", "\x1b]0;a title\x07", "\x1b(B"] {
        let parts = [&body[..10], &body[10..20], &body[20..30], &body[30..]].join(sequence);
        let masked = [&*stars; 4].join(sequence);
        for start in ["ghp_".to_owned(), format!("g{sequence}hp_"), format!("ghp_{sequence}")] {
            let (text, masked) =
                (format!("a {start}{parts} b\n"), format!("a {start}{masked} b\n"));
            masks(&text, &masked, 1);
        }
        let (text, masked) =
            (format!("Bearer {sequence}ghp_{parts}"), format!("Bearer {sequence}****{masked}"));
        masks(&text, &masked, 1);
    }
    // A typing error that was corrected, and letters that were printed twice to be bold.
    masks(
        &format!("ghp_xyz\x08\x08\x08{body}"),
        &format!("ghp_***\x08\x08\x08{}", "*".repeat(40)),
        1,
    );
    let bold =
        |text: &str| text.chars().map(|char| format!("{char}\x08{char}")).collect::<String>();
    masks(&bold(&format!("ghp_{body}\n")), &bold(&format!("ghp_{}\n", "*".repeat(40))), 1);
    // Overwritten text is a secret too.
    masks(
        &format!("ghp_{body}\rdone \x1b[K\n"),
        &format!("ghp_{}\rdone \x1b[K\n", "*".repeat(40)),
        1,
    );
    let own = Redaction::new(Some("^pin: [0-9]+$")).unwrap();
    let (masked, count) = own.text("\x1b[1mpin: 1\x1b[m2\n");
    assert_eq!((&*masked, count), ("\x1b[1m******\x1b[m*\n", 1));
}

#[test]
fn name_of_a_waiting_secret_is_searched_again() {
    // The colour ends the cookie in the written text, but not in the shown text.
    let value = "aK3bQ9cZ0dX7eL2f";
    let text = format!("Cookie: sid={value}\x1b[31mwsse:--password <![CD[b'DB_PASSWORDg ");
    let (masked, count) = redaction().text(&text);
    assert!(!masked.contains(value) && count > 0, "{masked}");
    for size in 1..text.len() {
        let parts = String::from_utf8(in_chunks(text.as_bytes(), &[size]).0).unwrap();
        assert!(!parts.contains(value), "{parts} by {size}");
    }
}

#[test]
fn endlessly_overwritten_line_is_passed_on() {
    for own in [None, Some("corp-[0-9]+")] {
        for text in ["\r\x1b[K50 % of ghp_12", "\x1b[1;31m"] {
            let mut redactor = Redactor::new(Arc::new(Redaction::new(own).unwrap()));
            let chunk = text.repeat(500);
            let mut seen = 0;
            redactor.push(b"ghp_12", |bytes| seen += bytes.len());
            for _ in 0..50 {
                redactor.push(chunk.as_bytes(), |bytes| seen += bytes.len());
            }
            assert!(6 + 50 * chunk.len() - seen <= LONGEST_LINE, "{own:?} {text:?} {seen}");
        }
    }
}

#[test]
fn tokens_of_letters_and_schemes_in_any_case_are_masked() {
    let letters = "abCDefGHijKLmnOPqrSTuvWXyzABcdEFghIJklMN";
    for (start, len) in [("hf_", 34), ("hf_", 40), ("ghp_", 36), ("npm_", 36)] {
        let text = format!("a {start}{}", &letters[..len]);
        masks(&text, &format!("a {start}{}", "*".repeat(len)), 1);
        let text = text.to_lowercase();
        masks(&text, &text, 0);
    }
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let text = format!("authorization: {scheme} a1{letters}");
        masks(&text, &format!("authorization: {scheme} {}", "*".repeat(42)), 1);
    }
}

#[test]
fn text_that_names_a_private_key_is_unchanged() {
    let mark = format!("-----BEGIN {} KEY-----", "PRIVATE");
    for rest in
        ["\") {\n    return;\n", "\";\nconst END = 1;\n", " and\nthe end of it\n", "\n\nhello\n"]
    {
        let text =
            format!("if line.contains(\"{mark}{rest}{}", "more and more text\n".repeat(2000));
        assert_eq!(redaction().text(&text), (Cow::Borrowed(&*text), 0));
        assert_eq!(in_chunks(text.as_bytes(), &[7]), (text.clone().into_bytes(), 0));
    }
}

#[test]
fn private_key_without_its_end_is_masked() {
    let mark = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
    let line = "a1B2c3D4e5F6g7H8".repeat(4);
    let (text, count) = (format!("{mark}\n{line}\n{line}\nand so on\n"), 1);
    let stars = "*".repeat(64);
    let masked = format!("{mark}\n{stars}\n{stars}\nand so on\n");
    assert_eq!(redaction().text(&text), (Cow::Owned(masked.clone()), count));
    assert_eq!(in_chunks(text.as_bytes(), &[5, 70]), (masked.into_bytes(), count));
    let text = format!("{{\"key\":\"{mark}\\n{line}\",\"more\":1}}");
    let (masked, _) = redaction().text(&text);
    assert_eq!(masked.len(), text.len());
    assert!(masked.ends_with("**\",\"more\":1}") && !masked.contains("B2c3"), "{masked}");
}

#[test]
fn long_private_keys_are_masked_the_same_in_chunks() {
    let mark = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
    let line = "a1B2c3D4e5F6g7H8".repeat(4);
    for count in [3, 40, 250, 300] {
        let lines = format!("{line}\n").repeat(count);
        let key = format!("{mark}\nDEK-Info: x\n\n{lines}abc=\nthe end\n");
        let joined = format!("\"{mark}\\n{}\", more\n", line.repeat(count));
        let text = format!("before\n{key}{joined}{key}");
        let (whole, masked) = redaction().text(&text);
        for sizes in [&[65][..], &[7, 900], &[4096], &[1, 64, 16_000]] {
            let (parts, in_parts) = in_chunks(text.as_bytes(), sizes);
            assert!(parts == whole.as_bytes(), "{count} lines by {sizes:?}");
            assert_eq!(in_parts, masked, "{count} lines by {sizes:?}");
        }
    }
}

#[test]
fn text_without_a_possible_secret_is_passed_on_at_once() {
    let mut redactor = Redactor::new(redaction());
    for text in ["Password: ", "Continue? [y/N] ", "50 %\r", "a line\n", "\x1b[6n", ":\x1b[K"] {
        let mut out = Vec::new();
        redactor.push(text.as_bytes(), |bytes| out.extend_from_slice(bytes));
        assert_eq!(out, text.as_bytes());
    }
    redactor.push(b"ghp_12", |bytes| panic!("{bytes:?}"));
    let mut out = Vec::new();
    redactor.finish(|bytes| out.extend_from_slice(bytes));
    assert_eq!(out, b"ghp_12");
}

#[test]
fn own_expression_is_matched_in_each_line() {
    let own = Arc::new(Redaction::new(Some("^pin: [^x]+$|corp-[0-9]+")).unwrap());
    let text = "a corp-12\npin: 12 34\nnot pin: 5\n";
    let masked = "a *******\n**********\nnot pin: 5\n";
    assert_eq!(own.text(text), (Cow::Borrowed(masked), 2));
    for size in 1..text.len() {
        let mut redactor = Redactor::new(own.clone());
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(size) {
            redactor.push(chunk, |bytes| out.extend_from_slice(bytes));
        }
        redactor.finish(|bytes| out.extend_from_slice(bytes));
        assert_eq!((out, redactor.masked()), (masked.as_bytes().to_vec(), 2));
    }
    // The whole line is a secret, and longer than the bytes that wait.
    let own = Arc::new(Redaction::new(Some("z+")).unwrap());
    let mut redactor = Redactor::new(own);
    let (mut out, line) = (Vec::new(), "z".repeat(300_000));
    line.as_bytes().chunks(1000).for_each(|chunk| {
        redactor.push(chunk, |bytes| out.extend_from_slice(bytes));
    });
    redactor.finish(|bytes| out.extend_from_slice(bytes));
    assert_eq!(out, "*".repeat(300_000).into_bytes());
}

proptest! {
    #[test]
    fn masking_is_independent_of_chunks(
        order in prop::collection::vec(0..13_usize, 1..8),
        sizes in prop::collection::vec(1..90_usize, 1..6),
        glue in "[a-z \n]{1,40}",
        end in prop::sample::select(vec![" ", "\\n", "%3D", "\x1b[32m", "\x1b[0;1m\x1b[K", "\x1b]0;t\x07"]),
    ) {
        let secrets = secrets();
        let text: String =
            order.iter().map(|&at| format!("{glue}{end}{} {end}{glue}\n", secrets[at])).collect();
        let (whole, count) = redaction().text(&text);
        let (parts, in_parts) = in_chunks(text.as_bytes(), &sizes);
        prop_assert_eq!(String::from_utf8(parts).unwrap(), whole.into_owned());
        prop_assert_eq!((in_parts, count), (count, order.len() as u64));
    }

    #[test]
    fn endless_line_is_masked_in_pieces(before in 0..200_000_usize, size in 100..90_000_usize) {
        // The text has no blank, as in minified JSON.
        for secret in secrets() {
            let text = format!("{}:{secret},{}", "x".repeat(before), "y".repeat(100_000));
            let (masked, count) = in_chunks(text.as_bytes(), &[size]);
            prop_assert_eq!((count, masked.len()), (1, text.len()));
            prop_assert!(!String::from_utf8(masked).unwrap().contains("B2c3D4e5"));
        }
    }
}

#[test]
fn private_key_after_many_marks_is_masked_in_any_chunks() {
    let (kind, line) = ("PRIVATE", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8");
    let mark = format!("-----BEGIN {kind} KEY-----\n");
    for lines in ["Comment: ", "\n\n", "Private-Lines: 3\n", ""] {
        let before = format!("{lines}{mark}").repeat(900);
        let text = format!("{before}{line}\n{line}\n-----END {kind} KEY-----\nafter\n");
        let redaction = Arc::new(Redaction::new(None).unwrap());
        let expected = redaction.text(&text).0;
        assert!(!expected.contains(line) && expected.ends_with("KEY-----\nafter\n"), "{lines:?}");
        for size in [1_000, 20_000, text.len()] {
            let (mut redactor, mut out) = (Redactor::new(redaction.clone()), Vec::new());
            for chunk in text.as_bytes().chunks(size) {
                redactor.push(chunk, |bytes| out.extend_from_slice(bytes));
            }
            redactor.finish(|bytes| out.extend_from_slice(bytes));
            assert!(String::from_utf8(out).unwrap() == expected, "{lines:?} by {size}");
        }
    }
}
