//! Tests of masking in JSON.

use overspill_core::internal::json::JsonToken;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn redaction() -> Arc<Redaction> {
    Arc::new(Redaction::new(None).unwrap())
}

fn token() -> String {
    format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0")
}

/// Writes some of the characters as escapes.
fn written(text: &str, escaped: &[bool]) -> String {
    let mut escaped = escaped.iter().cycle();
    let one = |char: char| match (char, escaped.next()) {
        ('\n', _) => "\\n".into(),
        ('/', Some(true)) => "\\/".into(),
        ('"' | '\\', _) => format!("\\{char}"),
        (_, Some(true)) => {
            char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }
        _ => char.to_string(),
    };
    text.chars().map(one).collect()
}

#[test]
fn json_strings_are_masked_by_their_decoded_text() {
    let stars = "*".repeat(40);
    for token in [token(), token().replace('a', "\\u0061"), token().replace('_', "\\u005f")] {
        let json = format!(r#"{{ "a\/b" : ["\u00e9 {token} \ud83d", 1.50], "{token}":null}}"#);
        let (masked, count) = redaction().json(&json);
        assert_eq!(count, 2);
        let start = if token.contains("\\u005f") { "ghp\\u005f" } else { "ghp_" };
        let expected = format!(
            r#"{{ "a\/b" : ["\u00e9 {start}{stars} \ud83d", 1.50], "{start}{stars}":null}}"#
        );
        assert_eq!(masked, expected);
    }
}

#[test]
fn masked_private_key_in_json_keeps_its_lines() {
    let line = "a1B2c3D4e5F6g7H8";
    let key =
        format!("-----BEGIN {0} KEY-----\n{line}\n{line}\n-----END {0} KEY-----\n", "PRIVATE");
    let json = json!({ "key": key }).to_string();
    let (masked, count) = redaction().json(&json);
    let value: Value = serde_json::from_str(&masked).unwrap();
    assert_eq!((count, value["key"].as_str().unwrap()), (1, &*key.replace(line, &"*".repeat(16))));
}

#[test]
fn value_after_the_name_of_a_secret_is_masked() {
    let json = r#"{"password":"hunter2","a":["password","hunter2"],"api_key":{"b":"a1b2c3d4e5f6"},"user":"x1"}"#;
    let expected = json.replacen("hunter2", "*******", 1);
    assert_eq!(redaction().json(json), (Cow::Borrowed(&*expected), 1));
    let mut value: Value = serde_json::from_str(json).unwrap();
    assert_eq!(redaction().value(&mut value), 1);
    assert_eq!(value, serde_json::from_str::<Value>(&expected).unwrap());
}

#[test]
fn json_values_are_masked_at_any_depth_except_media() {
    let token = token();
    let stars = format!("ghp_{}", "*".repeat(40));
    let image = "aGVsbG8gd29ybGQh".repeat(20);
    let mut value = json!({
        "output": [{"type": "text", "text": format!("a {token}")}, {"data": image, "mimeType": "image/png"}],
        "metadata": {"deep": [[{"data": token}]], (token.clone()): 1, (stars.clone()): 2},
    });
    assert_eq!(redaction().value(&mut value), 3);
    assert_eq!(
        value,
        json!({
            "output": [{"type": "text", "text": format!("a {stars}")}, {"data": image, "mimeType": "image/png"}],
            "metadata": {"deep": [[{"data": stars}]], (stars.clone()): 1, (format!("{stars}*")): 2},
        })
    );
}

proptest! {
    #[test]
    fn json_masking_is_independent_of_escapes_and_chunks(
        escaped in prop::collection::vec(any::<bool>(), 1..9),
        sizes in prop::collection::vec(1..30_usize, 1..5),
        glue in "[a-z é😀\"\\\\/\n]{0,20}",
    ) {
        let text = format!("{glue} {} {glue}", token());
        let written = written(&text, &escaped);
        let json = format!("[\"{written}\"]");
        let (masked, count) = redaction().json(&json);
        let said: Vec<String> = serde_json::from_str(&masked).unwrap();
        prop_assert_eq!((&*said[0], count), (&*redaction().text(&text).0, 1));
        // In chunks, the result is the same.
        let (mut tokens, mut string) = (JsonTokens::default(), JsonString::new(redaction()));
        let (mut out, mut rest) = (Vec::new(), json.as_bytes());
        for size in sizes.iter().cycle() {
            let (mut chunk, later) = rest.split_at((*size).min(rest.len()));
            while !chunk.is_empty() {
                let (token, len) = tokens.next(chunk).unwrap();
                match token {
                    JsonToken::Text(says) => out.extend_from_slice(string.push(&chunk[..len], says)),
                    JsonToken::EndString => {
                        out.extend_from_slice(string.end());
                        out.push(b'"');
                    }
                    _ => out.extend_from_slice(&chunk[..len]),
                }
                chunk = &chunk[len..];
            }
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(String::from_utf8(out).unwrap(), masked);
    }
}

#[test]
fn text_in_a_media_field_is_masked() {
    let image = "aGVsbG8gd29ybGQh".repeat(20);
    for (data, count) in [
        (json!(format!("{} {}", "word ".repeat(100), token())), 1),
        (json!(token()), 1),
        (json!({ "token": token() }), 1),
        (json!([token()]), 1),
        (json!(image), 0),
    ] {
        let mut value = json!({ "mimeType": "text/plain", "data": data });
        assert_eq!(redaction().value(&mut value), count, "{value}");
        assert!(!value.to_string().contains(&token()), "{value}");
    }
}

/// Encodes bytes as base64.
fn base64(bytes: &[u8]) -> String {
    const CHARS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | three.get(at).map_or(0, |b| *b as usize));
        for at in 0..4 {
            let char = if at <= three.len() { CHARS[bits >> (18 - 6 * at) & 63] } else { b'=' };
            out.push(char::from(char));
        }
    }
    out
}

#[test]
fn secret_in_base64_of_a_media_field_is_masked_where_it_decodes() {
    let stars = format!("ghp_{}", "*".repeat(40));
    for before in [0, 1, 2, 3, 150, 30_000] {
        let plain = |secret: &str| format!("{} {secret} and more", "x".repeat(before));
        let (sent, shown) = (base64(plain(&token()).as_bytes()), base64(plain(&stars).as_bytes()));
        for head in ["", "data:text/plain;base64,"] {
            for field in ["data", "blob", "url"] {
                let mut value = json!({ field: format!("{head}{sent}") });
                let json = value.to_string();
                assert_eq!(redaction().value(&mut value), 1, "{before} {field}");
                assert_eq!(value[field], format!("{head}{shown}"), "{before} {field}");
                let masked = redaction().json(&json);
                assert_eq!(masked.0, value.to_string(), "{before} {field}");
                assert_eq!(masked.1, 1);
            }
        }
    }
}

#[test]
fn text_after_base64_in_a_media_field_is_masked() {
    let json = json!({ "data": format!("{} {}", "QUJD".repeat(20_000), token()) }).to_string();
    let (masked, count) = redaction().json(&json);
    assert!(count == 1 && !masked.contains(&token()));
    assert_eq!(masked.len(), json.len());
}

#[test]
fn base64_of_a_picture_stays_as_it_is_written() {
    let bytes: Vec<u8> = (0..60_000_u32).map(|n| (n * n / 7) as u8).collect();
    let image = base64(&bytes).replace('/', "\\/");
    let json = format!(r#"{{"mimeType":"image/png","data":"{image}"}}"#);
    assert_eq!(redaction().json(&json), (Cow::Borrowed(&*json), 0));
}

#[test]
fn value_of_a_pair_is_masked_by_the_name_in_the_other_field() {
    for (name, value) in
        [("name", "value"), ("Name", "Value"), ("key", "value"), ("ParameterKey", "ParameterValue")]
    {
        for json in [
            format!(r#"[{{"{name}":"DB_PASSWORD","{value}":"hunter2\u0078"}}]"#),
            format!(r#"[{{"{value}":"hunter2\u0078","{name}":"DB_PASSWORD"}}]"#),
            format!(r#"[{{"{value}":"hunter2\u0078","type":"a","{name}":"DB_PASSWORD"}}]"#),
            format!(r#"[{{"a":["b"],"{name}":"DB_PASSWORD","b":1,"{value}":"hunter2\u0078"}}]"#),
        ] {
            let expected = json.replace("hunter2\\u0078", "********");
            assert_eq!(redaction().json(&json), (Cow::Borrowed(&*expected), 1));
            let mut tree: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(redaction().value(&mut tree), 1);
            assert_eq!(tree, serde_json::from_str::<Value>(&expected).unwrap());
        }
        let other = [
            format!(r#"{{"{name}":"REGION","{value}":"hunter2x"}}"#),
            format!(r#"[{{"{name}":"DB_PASSWORD"}},{{"{value}":"hunter2x"}}]"#),
            format!(r#"[{{"{value}":"hunter2x"}},{{"{name}":"DB_PASSWORD"}}]"#),
            format!(r#"{{"{name}":"DB_PASSWORD","a":{{"{value}":"hunter2x"}}}}"#),
            format!(r#"{{"{name}":"DB_PASSWORD","{value}":"${{PASSWORD}}"}}"#),
        ];
        for json in other {
            assert_eq!(redaction().json(&json), (Cow::Borrowed(&*json), 0));
        }
    }
}

#[test]
fn header_in_a_list_of_headers_is_masked() {
    for (name, value) in
        [("Authorization", "Basic YWRhOmh1bnRlcjIy"), ("Cookie", "sid=aK3bQ9cZ0dX7eL2fR5gT8hW1")]
    {
        for mut tree in [json!({ (name): value }), json!([{ "name": name, "value": value }])] {
            let json = tree.to_string();
            assert_eq!(redaction().value(&mut tree), 1, "{json}");
            let (masked, count) = redaction().json(&json);
            assert!(count == 1 && !masked.contains(&value[8..]), "{masked}");
        }
    }
}

#[test]
fn value_of_a_pair_waits_for_its_name_up_to_a_limit() {
    let (mut mask, mut tokens) = (JsonMask::new(redaction()), JsonTokens::default());
    let json =
        format!(r#"{{"value":"hunter2x","n":{},"name":"DB_PASSWORD"}}"#, "1".repeat(100_000));
    let (mut sent, mut handed) = (0, 0);
    for mut chunk in json.as_bytes().chunks(1000) {
        mask.resume();
        while !chunk.is_empty() {
            let (token, len) = tokens.next(chunk).unwrap();
            mask.push(token, &chunk[..len], true);
            (sent, chunk) = (sent + len, &chunk[len..]);
        }
        handed += mask.ready().len();
        assert!(sent - handed <= 10_000, "{sent} {handed}");
    }
    assert_eq!((handed, mask.masked()), (json.len(), 0));
}
