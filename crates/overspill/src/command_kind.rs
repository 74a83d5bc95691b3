//! Guesses the kind of an output from its command or tool.
//!
//! The text of the output decides first. The guess decides only if the text is ambiguous.

use overspill_core::Kind;

use crate::Call;

/// Commands that pass on lines of the command before them in a pipeline.
const FILTERS: [&str; 8] = ["head", "tail", "sort", "uniq", "less", "more", "cat", "sed"];

/// Words before a command that are not part of it.
const PREFIXES: [&str; 6] = ["sudo", "time", "command", "env", "nice", "exec"];

/// The endings of log files, in which words of failure count.
const LOGS: [&str; 4] = [".log", ".out", ".err", ".txt"];

/// Returns the kind of output that a call usually has.
pub(crate) fn likely_kind(call: &Call) -> Option<Kind> {
    match &call.command {
        Some(command) => of_command(command),
        None => of_tool(call.tool.as_deref()?),
    }
}

fn of_tool(tool: &str) -> Option<Kind> {
    let name = tool.rsplit(['/', ':', '.']).next().unwrap_or(tool);
    Some(match name.to_ascii_lowercase().as_str() {
        "read" | "read_file" | "view" | "cat" => Kind::Source,
        "grep" | "search" | "codesearch" | "search_files" => Kind::Search,
        "glob" | "ls" | "list" | "list_directory" | "find" => Kind::Listing,
        _ => return None,
    })
}

fn of_command(command: &str) -> Option<Kind> {
    let mut stages = stages(command);
    while let Some(stage) = stages.pop() {
        let mut words = stage.split_whitespace().skip_while(|word| is_prefix(word));
        let Some(first) = words.next() else { continue };
        let program = first.rsplit('/').next().unwrap_or(first);
        let rest: Vec<&str> = words.collect();
        let reads_a_pipe = !stages.is_empty() && FILTERS.contains(&program);
        if !reads_a_pipe || has_file(program, &rest) {
            return of_program(program, &rest);
        }
    }
    None
}

fn of_program(program: &str, rest: &[&str]) -> Option<Kind> {
    let reads_log = rest.iter().any(|word| LOGS.iter().any(|end| word.ends_with(end)));
    Some(match (program, rest.first().copied()) {
        ("cat" | "bat" | "nl" | "head" | "tail" | "sed", _) if !reads_log => Kind::Source,
        ("ls" | "find" | "fd" | "tree" | "du", _) | ("git", Some("ls-files" | "ls-tree")) => {
            Kind::Listing
        }
        ("grep" | "rg" | "ag" | "ack" | "egrep" | "fgrep", _) if !reads_log => Kind::Search,
        ("git", Some("grep")) => Kind::Search,
        ("git", Some("log" | "diff" | "show" | "format-patch")) | ("diff", _) => Kind::Diff,
        ("man" | "help" | "info", _) => Kind::Prose,
        (_, _) if rest.last().is_some_and(|word| *word == "--help") => Kind::Prose,
        _ => return None,
    })
}

/// Tells whether a filter reads a file instead of the pipe.
fn has_file(program: &str, rest: &[&str]) -> bool {
    let names = |word: &&&str| {
        !word.starts_with('-') && !word.contains(['\'', '"', ',']) && word.parse::<u64>().is_err()
    };
    let needed = usize::from(program == "sed");
    rest.iter().filter(names).count() > needed
}

fn is_prefix(word: &str) -> bool {
    PREFIXES.contains(&word)
        || word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
}

/// Splits the last command of a line into the stages of its pipeline. Text in quotes is not split.
fn stages(command: &str) -> Vec<String> {
    let mut stages = vec![String::new()];
    let mut quote = None;
    let mut before = ' ';
    for c in command.trim_end_matches([';', '\n', ' ']).chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            // `&&`, `||` and `;` begin another command. `2>&1` and `>|` do not.
            (None, '|') if before == '|' => stages = vec![String::new()],
            (None, '|') if before != '>' => {
                stages.push(String::new());
                before = c;
                continue;
            }
            (None, ';' | '\n') => stages = vec![String::new()],
            (None, '&') if before == '&' => stages = vec![String::new()],
            _ => {
                if let Some(stage) = stages.last_mut() {
                    stage.push(c);
                }
            }
        }
        before = c;
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_tells_the_kind_of_its_output() {
        for (command, kind) in [
            ("cat src/lib.rs", Some(Kind::Source)),
            ("cd x && sed -n '1,80p' src/lib.rs", Some(Kind::Source)),
            ("nl -w4 src/lib.rs | sed -n '1,80p'", Some(Kind::Source)),
            ("rg -n 'a|b' src | head -50", Some(Kind::Search)),
            ("FOO=1 grep -rn \"x; y\" .", Some(Kind::Search)),
            ("git grep -n foo", Some(Kind::Search)),
            ("git log --oneline | head", Some(Kind::Diff)),
            ("sudo find . -name '*.rs' 2>&1 | sort", Some(Kind::Listing)),
            ("git ls-files", Some(Kind::Listing)),
            ("man ls", Some(Kind::Prose)),
            ("cargo --help", Some(Kind::Prose)),
            ("cat build.log", None),
            ("grep -n error build.log", None),
            ("cat a.rs; make", None),
            ("cargo test 2>&1 | tail -40", None),
            ("", None),
        ] {
            assert_eq!(of_command(command), kind, "{command}");
        }
    }

    #[test]
    fn tool_tells_the_kind_of_its_output() {
        let kind = |tool: &str| likely_kind(&Call::new(tool));
        assert_eq!(kind("Grep"), Some(Kind::Search));
        assert_eq!(kind("files/read_file"), Some(Kind::Source));
        assert_eq!(kind("Glob"), Some(Kind::Listing));
        assert_eq!(kind("Bash"), None);
    }
}
