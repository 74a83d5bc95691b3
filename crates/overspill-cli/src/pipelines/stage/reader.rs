//! Tells which stages may stop reading before the end of their input.

use super::Stage;

/// The programs that read only as much as they need.
const LEAVES_EARLY: [&str; 9] =
    ["head", "less", "more", "most", "read", "true", ":", "fzf", "false"];
/// The same programs in the script of a shell.
const LEAVES_EARLY_IN_SCRIPT: [&str; 4] = ["head", "less", "more", "read"];
const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];
const INTERPRETERS: [&str; 8] = ["python", "python3", "perl", "ruby", "node", "php", "deno", "bun"];
/// The words of a script that stops reading.
const STOPS_READING: [&str; 8] =
    ["last", "exit", "break", "quit", "readline", "islice", "next(", "input("];

impl Stage {
    /// Tells whether the stage may stop reading before the end of its input.
    pub(in super::super) fn leaves_early(&self) -> bool {
        let has = |is: &dyn Fn(&str) -> bool| self.arguments.iter().any(|word| is(word));
        let may_leave = match self.name.as_str() {
            "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" => has(&|word| {
                has_letter(word, &['q', 'm', 'l'])
                    || word == "--quiet"
                    || word == "--silent"
                    || word.starts_with("--max-count")
            }),
            "sed" => has(&quits),
            "awk" | "gawk" | "mawk" => has(&|word| word.contains("exit")),
            "dd" => has(&|word| word.starts_with("count=")),
            "xxd" => has(&|word| word.starts_with("-l")),
            "od" | "hexdump" => has(&|word| has_letter(word, &['N', 'n'])),
            name if INTERPRETERS.contains(&name) => has(&stops_reading),
            name if SHELLS.contains(&name) => has(&|script| {
                script.split_whitespace().any(|word| LEAVES_EARLY_IN_SCRIPT.contains(&word))
            }),
            name => LEAVES_EARLY.contains(&name),
        };
        may_leave || self.time_limit.is_some()
    }

    /// Tells whether the stage runs a script of an interpreter. As a writer it turns a broken pipe
    /// into its own error.
    pub(in super::super) fn is_interpreter(&self) -> bool {
        INTERPRETERS.contains(&self.name.as_str())
    }
}

/// Tells whether a word is a group of short options with one of these letters.
fn has_letter(word: &str, letters: &[char]) -> bool {
    word.strip_prefix('-').is_some_and(|word| !word.starts_with('-') && word.contains(letters))
}

/// Tells whether an argument is a script that may stop reading.
fn stops_reading(argument: &str) -> bool {
    argument.contains([' ', ';', '(']) && STOPS_READING.iter().any(|word| argument.contains(word))
}

/// Tells whether a script of `sed` has the command `q`.
fn quits(script: &str) -> bool {
    script.split([';', '{', '}', '\n']).any(|command| {
        let command =
            command.trim().trim_end_matches(|char: char| char.is_ascii_digit()).trim_end();
        let address = command.strip_suffix(['q', 'Q']).map(str::trim_end);
        address.is_some_and(|address| {
            address.is_empty()
                || address.ends_with(|char: char| char.is_ascii_digit() || "/$!".contains(char))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_that_leave_early_are_known() {
        for (text, expected) in [
            ("head -3", true),
            ("tail -3", false),
            ("grep -q x", true),
            ("grep -m1 x", true),
            ("grep x", false),
            ("grep --max-count=1 x", true),
            ("sed -n 1,5p", false),
            ("sed 5q", true),
            ("sed '/x/q'", true),
            ("sed 's/a/q/'", false),
            ("awk 'NR==3 {exit}'", true),
            ("awk '{print $1}'", false),
            ("wc -l", false),
            ("sed 's/x/y/;5q'", true),
            ("sed -n '1p;/x/{p;q}'", true),
            ("sed -n '$!{h;d};q5'", true),
            ("sed 'y/q/a/'", false),
            ("dd bs=1 count=3", true),
            ("dd of=x", false),
            ("xxd -l 5", true),
            ("xxd", false),
            ("od -N5", true),
            ("od -c", false),
            ("perl -ne 'print; last'", true),
            ("perl -pe 's/a/b/'", false),
            ("python3 -c 'print(input())'", true),
            ("python3 -m json.tool", false),
            ("python3 exit_codes.py", false),
            ("sh -c 'head -1'", true),
            ("sh -c 'cat'", false),
            ("timeout 5 cat", true),
        ] {
            assert_eq!(Stage::of(text).leaves_early(), expected, "{text}");
        }
    }
}
