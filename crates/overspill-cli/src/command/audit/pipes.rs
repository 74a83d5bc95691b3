//! Recognises filters at the end of a command, such as `| tail`, and the exit codes that they hide.

/// Programs that print a part of their input.
const FILTERS: [&str; 12] =
    ["head", "tail", "grep", "egrep", "rg", "sed", "awk", "less", "cat", "sort", "uniq", "wc"];

/// Returns a command without the filters at its end and without `2>&1`, so that two runs of the
/// same command can be compared.
pub(super) fn without_filters(command: &str) -> String {
    let mut rest = command.trim();
    while let Some((before, last)) = split_last_pipe(rest) {
        if !is_filter(last) {
            break;
        }
        rest = before.trim_end();
    }
    let rest = rest.trim_end_matches("2>&1").trim_end();
    rest.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Tells whether a filter at the end of a command hides the exit code of the command before it.
pub(super) fn hides_exit_code(command: &str) -> bool {
    !command.contains("pipefail")
        && !command.contains("PIPESTATUS")
        && split_last_pipe(command.trim()).is_some_and(|(before, last)| {
            // `cat log | grep error` searches the output of another command.
            is_filter(last) && !before.split(['|', ';', '&']).next_back().is_some_and(is_filter)
        })
}

fn is_filter(stage: &str) -> bool {
    let program = stage.split_whitespace().next().unwrap_or_default();
    FILTERS.contains(&program.rsplit('/').next().unwrap_or(program))
}

/// Splits a command at its last pipe outside of quotes.
fn split_last_pipe(command: &str) -> Option<(&str, &str)> {
    let bytes = command.as_bytes();
    let (mut quote, mut last) = (None, None);
    let mut at = 0;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(open), byte) if byte == open => quote = None,
            (None, b'\'' | b'"') => quote = Some(bytes[at]),
            (Some(b'"') | None, b'\\') => at += 1,
            (None, b'|') if bytes.get(at + 1) == Some(&b'|') => {
                last = None;
                at += 1;
            }
            (None, b'|') if at > 0 && bytes[at - 1] == b'>' => {}
            (None, b'|') => last = Some(at),
            // A pipe before the last command of a list does not change the exit code of the list.
            (None, b';' | b'\n') => last = None,
            (None, b'&') if bytes.get(at + 1) == Some(&b'&') => {
                last = None;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    let at = last?;
    Some((&command[..at], command[at + 1..].trim_start_matches('&')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_with_filters_counts_as_the_same_command() {
        for command in ["make test", "make test 2>&1 | tail -5", "make  test | grep 'a|b' | head"] {
            assert_eq!(without_filters(command), "make test");
        }
        assert_eq!(without_filters("a | b"), "a | b");
        assert_eq!(without_filters("make test || tail log"), "make test || tail log");
    }

    #[test]
    fn pipe_into_a_filter_hides_the_exit_code() {
        for command in ["make | tail -3", "cd x && npm test 2>&1 | head", "make |& tail"] {
            assert!(hides_exit_code(command), "{command}");
        }
        for command in [
            "make",
            "make | tee log",
            "cat log | grep error",
            "set -o pipefail; make | tail",
            "echo 'a | tail'",
            "make | tail; echo done",
            "make || tail log",
        ] {
            assert!(!hides_exit_code(command), "{command}");
        }
    }
}
