//! The escape for one call: recognises a command line that asks for its whole output.

use std::path::Path;

use super::frame;

/// The assignment at the start of such a line.
const OFF: &str = "OVERSPILL=off";

/// Tells whether a line asks for its whole output: the line begins with `OVERSPILL=off`, or is
/// `overspill run --all …`. The line may be in the frame of its host.
pub(crate) fn is_asked(line: &str) -> bool {
    let inner = frame::inner(line);
    let mut words = inner.as_deref().unwrap_or(line).split_ascii_whitespace();
    match words.next() {
        Some(OFF) => words.next().is_some(),
        Some(program) if Path::new(program).file_name().is_some_and(|name| name == "overspill") => {
            words.next() == Some("run") && words.next() == Some("--all")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_is_asked_for_at_the_start_of_a_line_only() {
        let framed =
            "source /s 2>/dev/null || true && eval 'OVERSPILL=off make all' && pwd -P >| /tmp/c";
        for (line, expected) in [
            ("OVERSPILL=off make", true),
            ("  OVERSPILL=off\tmake | tail", true),
            (framed, true),
            ("overspill run --all -- make", true),
            ("/opt/bin/overspill run --all --shell 'a | b'", true),
            ("OVERSPILL=off", false),
            ("OVERSPILL=offmake x", false),
            ("OVERSPILL=on make", false),
            ("OVERSPILL=off; make", false),
            ("make OVERSPILL=off x", false),
            ("echo OVERSPILL=off make", false),
            ("overspill run -- make --all", false),
            ("", false),
        ] {
            assert_eq!(is_asked(line), expected, "{line}");
        }
    }
}
