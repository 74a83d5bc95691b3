//! Reads lines roughly if the scanner is not sure about them.

use super::zsh::is_builtin;

/// Tells whether a pipeline can be the last command of a line with loops, arrays or other grammar
/// that the scanner does not know.
pub(super) fn needs_event_at_end(line: &str) -> bool {
    let line = without_quotes_and_comments(line);
    let line = line.trim_end_matches(|char: char| char == ';' || char.is_whitespace());
    let list = line.rsplit([';', '\n']).next().unwrap_or_default();
    if ["done", "fi", "esac", "}"].iter().any(|end| list.ends_with(end)) || ends_subshell(list) {
        return true;
    }
    let last_pipeline = |part: &'_ str| part.rsplit("&&").next().unwrap_or_default().to_owned();
    let mut alternatives = list.rsplit("||").map(last_pipeline);
    let last = alternatives.next().unwrap_or_default();
    // bash stays until `|| exit 1` has run.
    last.contains('|') || is_builtin(&last) && alternatives.any(|part| part.contains('|'))
}

/// Tells whether a list ends with the `)` of a subshell, and not with that of `$( )` or of an
/// array.
fn ends_subshell(list: &str) -> bool {
    let mut open = 0;
    for (at, byte) in list.bytes().enumerate().rev() {
        match byte {
            b')' => open += 1,
            b'(' if open == 1 => return !list[..at].ends_with(['$', '<', '>', '=']),
            b'(' => open -= 1,
            _ if open == 0 => return false,
            _ => {}
        }
    }
    // The list before `;` opens the parenthesis.
    open > 0
}

/// Returns a line without quoted text and comments. A line break after `|`, `&&` and `||` becomes a
/// blank.
fn without_quotes_and_comments(line: &str) -> String {
    let (mut text, mut quote, mut is_escaped) = (String::new(), None, false);
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', None | Some('"')) => is_escaped = true,
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => quote = None,
            (_, Some(_)) => {}
            ('#', None) if text.is_empty() || text.ends_with([' ', '\t', '\n', ';']) => {
                if chars.by_ref().any(|char| char == '\n') {
                    text.push('\n');
                }
            }
            ('\n', None) if text.trim_end().ends_with(['|', '&']) => text.push(' '),
            (char, None) => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_pipeline_is_found_behind_quotes_comments_and_line_breaks() {
        for (line, expected) in [
            ("for i in 1; do :; done; make | grep -v 'x;y'", true),
            ("if x; then y; fi\nmake |\n tail", true),
            ("for i in 1; do :; done; make | tail # a; b", true),
            ("for i in 1; do :; done; make # a | b", false),
            ("for i in 1; do :; done; make 'a | b'", false),
            ("a=(1); make | tail || exit 1", true),
            ("a=(1); make | tail || cat log", false),
            ("a=(1); make | tail; ls", false),
            ("a=(1); make \\| tail", false),
            ("for i in 1; do make | tail; done", true),
            ("echo a#b | cat; a=(1)", false),
            ("a=(1); (make | tail)", true),
            ("a=(1); (cd x; make | tail)", true),
            ("a=(1); echo x | cat; make $(nproc)", false),
        ] {
            assert_eq!(needs_event_at_end(line), expected, "{line}");
        }
    }
}
