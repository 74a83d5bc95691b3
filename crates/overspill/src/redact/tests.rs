use proptest::prelude::*;

use super::*;

/// Made of parts, so that no scanner of ours or of others takes this file for a leak.
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
fn every_kind_is_masked_and_nothing_moves() {
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
fn what_only_looks_alike_stays() {
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

proptest! {
    #[test]
    fn chunks_make_no_difference(
        order in prop::collection::vec(0..13_usize, 1..8),
        sizes in prop::collection::vec(1..90_usize, 1..6),
        glue in "[a-z \n]{1,40}",
    ) {
        let secrets = secrets();
        let text: String =
            order.iter().map(|&at| format!("{glue} {} {glue}\n", secrets[at])).collect();
        let (whole, count) = redaction().text(&text);
        let (parts, in_parts) = in_chunks(text.as_bytes(), &sizes);
        prop_assert_eq!(String::from_utf8(parts).unwrap(), whole.into_owned());
        prop_assert_eq!((in_parts, count), (count, order.len() as u64));
    }

    #[test]
    fn a_line_without_end_is_looked_at_in_pieces(before in 0..200_000_usize, size in 1..9_000_usize) {
        let secret = format!(" {} ", secrets()[1]);
        let text = format!("{}{secret}{}", "x".repeat(before), "y".repeat(100_000));
        let (masked, count) = in_chunks(text.as_bytes(), &[size]);
        prop_assert_eq!((count, masked.len()), (1, text.len()));
    }
}
