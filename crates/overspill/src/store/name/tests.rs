//! Tests of names: making, parsing and refusing them.

use super::*;

const STYLE: NameStyle = NameStyle {
    parts: &[
        NamePart::Tool(Missing::Unknown),
        NamePart::Text("_"),
        NamePart::Millis,
        NamePart::Text("_"),
        NamePart::Random(6),
    ],
    ending: ".txt",
    also: Also::No,
};

fn now() -> Zoned {
    let now: jiff::Timestamp = "2026-01-13T15:30:45Z".parse().unwrap();
    now.to_zoned(jiff::tz::TimeZone::UTC)
}

#[test]
fn short_id_of_id_with_foreign_characters_is_its_end() {
    let id = OutputId::parse("ab日本語").unwrap();
    assert_eq!(id.short_id(), "ab日本語");
    assert_eq!(OutputId::parse("xyz日本語日本語").unwrap().short_id(), "日本語日本語");
}

#[test]
fn name_that_leaves_its_directory_on_some_system_is_refused() {
    // Windows takes `a:b` for a stream of the file `a`, and `c:x` for a file on another drive.
    for text in ["a:b", "c:x", "a:$DATA", "a/b", "a\\b", "..", ".a", "a\0", "a\n", ""] {
        assert_eq!(OutputId::parse(text), None, "{text:?}");
    }
    let found = OutputId::candidates("memory:01KA3F9C2E.txt");
    assert!(found.contains(&OutputId::parse("01KA3F9C2E").unwrap()));
}

#[test]
fn outside_text_is_made_safe_in_names() {
    for (tool, name) in [
        ("../../etc/passwd", "______etc_passwd_"),
        ("a\0b", "a_b_"),
        ("", "unknown_"),
        ("日本", "___"),
    ] {
        let call = Call { tool: Some(tool.into()), ..Call::default() };
        let drawn = STYLE.draw(&call, &now(), 0).unwrap();
        assert!(drawn.as_str().starts_with(name), "{drawn}");
        assert_eq!(STYLE.name_of(&STYLE.file_of(&drawn)), Some(drawn));
    }
    let long = Call { tool: Some("x".repeat(2048)), ..Call::default() };
    assert_eq!(STYLE.draw(&long, &now(), 0).unwrap().as_str().len(), 80 + 1 + 13 + 1 + 6);
}

#[test]
fn taken_name_without_random_part_gets_a_number() {
    let style = NameStyle {
        parts: &[NamePart::Tool(Missing::Unknown), NamePart::Text("-"), NamePart::Seconds],
        ..STYLE
    };
    let call = Call { tool: Some("Bash".into()), ..Call::default() };
    let drawn = |attempt| style.draw(&call, &now(), attempt).unwrap().to_string();
    assert_eq!(
        [drawn(0), drawn(1), drawn(2)],
        ["Bash-1768318245", "Bash-1768318245-2", "Bash-1768318245-3"]
    );
    assert!(style.name_of("Bash-1768318245-2.txt").is_some());
}

#[test]
fn foreign_file_names_are_not_recognised() {
    for file in [
        "notes.txt",
        "bash_1.txt",
        "bash_1_abc12.txt",
        "bash_1_ABC123.txt",
        "bash_1_abc123.json",
        ".._1_abc123.txt",
        "bash_1_abc123-2.txt",
    ] {
        assert_eq!(STYLE.name_of(file), None, "{file}");
    }
    assert!(NameStyle::OWN.name_of("01M7GH5D7NFTZKZ0ESDTQ7ATZY.txt").is_some());
    assert!(NameStyle::OWN.name_of("01M7GH5D7NFTZKZ0ESDTQ7ATZY-2.txt").is_none());
    assert!(NameStyle::OWN.name_of("01m7gh5d7nftzkz0esdtq7atzy.txt").is_none());
}
#[test]
fn shorter_random_part_is_recognised_and_full_one_is_made() {
    let parts =
        &[NamePart::Tool(Missing::EmptyStaysEmpty), NamePart::Text("_"), NamePart::RandomUpTo(6)];
    let style = NameStyle { parts, ..STYLE };
    let call = Call { tool: Some("x".into()), ..Call::default() };
    assert_eq!(style.draw(&call, &now(), 1).unwrap().as_str().len(), 2 + 6);
    for random in ["a", "0z", "abcdef"] {
        assert!(style.name_of(&format!("x_{random}.txt")).is_some(), "{random}");
    }
    for random in ["", "abcdefg", "aB", "ab-2"] {
        assert_eq!(style.name_of(&format!("x_{random}.txt")), None, "{random}");
    }
}
