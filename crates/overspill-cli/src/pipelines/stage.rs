//! What the text of a stage says about its exit code.

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    /// Its text, on one line.
    pub(super) text: String,
    /// The name of its program; of `git` with its subcommand.
    pub(super) name: String,
    /// The arguments after the name.
    arguments: Vec<String>,
    /// Its standard output goes to a file.
    pub(super) writes_to_file: bool,
    /// Its error messages are thrown away.
    pub(super) hides_errors: bool,
    /// `timeout` ends it.
    is_timed: bool,
    /// It has several commands in parentheses or braces.
    pub(super) is_compound: bool,
}

/// Programs that answer a question with the exit code 1.
#[rustfmt::skip]
const ANSWERS_WITH_ONE: [&str; 70] = [
    "grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "rg", "ag", "ack", "ugrep", "pcregrep",
    "diff", "sdiff", "diff3", "zdiff", "colordiff", "cmp", "test", "[", "[[", "((", "let", "expr",
    "which", "command", "type", "hash", "read", "pgrep", "pidof", "pkill", "killall", "kill", "ps",
    "jq", "yq", "lsof", "fuser", "getent", "git grep", "git diff", "git config", "git check-ignore",
    "git merge-base", "git show-ref", "npm outdated", "systemctl is-active", "systemctl is-enabled",
    "printenv", "locate", "readlink", "realpath", "git symbolic-ref", "git rev-parse", "git ls-files", "npm ls", "npm audit", "dpkg", "rpm",
    "crontab", "tmux", "screen", "journalctl", "kubectl diff", "wdiff", "ast-grep", "pip show", "pip3 show", "ffmpeg", "ffprobe",
];
/// Programs that read only as much as they need.
const LEAVES_EARLY: [&str; 9] =
    ["head", "less", "more", "most", "read", "true", ":", "fzf", "false"];
/// Programs that run a command among their arguments.
const RUNS_IN_ARGUMENTS: [&str; 11] =
    ["xargs", "find", "bash", "sh", "zsh", "ssh", "docker", "podman", "kubectl", "parallel", "su"];
/// Programs that run another command with the rest of their arguments.
const RUNS_OTHERS: [&str; 13] = [
    "sudo", "doas", "env", "nice", "ionice", "nohup", "command", "builtin", "exec", "time",
    "stdbuf", "setsid", "timeout",
];

impl Stage {
    pub(super) fn of(text: &str) -> Stage {
        let words = words(text);
        let (name, arguments) = named(&words);
        Stage {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            name,
            arguments,
            is_timed: words.iter().any(|word| word == "timeout"),
            is_compound: text.trim_start().starts_with(['(', '{']),
            writes_to_file: writes_to_file(text),
            hides_errors: ["2>/dev/null", "2> /dev/null", "2>&-", "&>/dev/null"]
                .iter()
                .any(|end| text.contains(end)),
        }
    }

    /// Tells whether this exit code is an answer, and no failure.
    pub(super) fn answers_with(&self, code: i32) -> bool {
        let name = self.name.as_str();
        let asks_for_help = || self.arguments.iter().any(|word| word == "--help" || word == "-h");
        // A command that runs another one hands its answer on.
        let runs_answer = || {
            let words = self.arguments.iter().flat_map(|word| word.split_whitespace());
            RUNS_IN_ARGUMENTS.contains(&name)
                && words.into_iter().any(|word| ANSWERS_WITH_ONE.contains(&word))
        };
        match (name, code) {
            (name, 1) if ANSWERS_WITH_ONE.contains(&name) || name.starts_with('$') => true,
            (_, 1 | 2 | 129) if asks_for_help() => true,
            (_, 1) if runs_answer() => true,
            ("xargs", 123) => runs_answer(),
            // A directory among the files, which an error message names.
            ("grep" | "egrep" | "fgrep" | "rg" | "git grep", 2) => true,
            // The writer reports that its reader has left.
            ("curl", 23) | ("python" | "python3", 120) => true,
            ("systemctl is-active" | "systemctl status" | "service", 3 | 4) | ("getent", 2) => true,
            ("dnf" | "yum", 100) | ("gh", 8) => true,
            // The time was asked for.
            (_, 124) => self.is_timed,
            _ => false,
        }
    }

    /// Tells whether the stage may stop reading before the end of its input.
    pub(super) fn leaves_early(&self) -> bool {
        let short = |letter: char| {
            move |word: &String| {
                word.strip_prefix('-')
                    .is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
            }
        };
        let mut arguments = self.arguments.iter();
        match self.name.as_str() {
            "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" => arguments.any(|word| {
                short('q')(word)
                    || short('m')(word)
                    || short('l')(word)
                    || word == "--quiet"
                    || word == "--silent"
                    || word.starts_with("--max-count")
            }),
            "sed" => arguments.any(|word| quits(word)),
            "awk" | "gawk" | "mawk" => arguments.any(|word| word.contains("exit")),
            "python" | "python3" | "perl" | "ruby" | "node" => false,
            name => LEAVES_EARLY.contains(&name),
        }
    }
}

/// Tells whether a script of `sed` has the command `q`.
fn quits(script: &str) -> bool {
    let is_command = |(at, _): &(usize, &str)| {
        let before = script[..*at].chars().next_back();
        let after = script[at + 1..].chars().next();
        before.is_none_or(|char| char.is_ascii_digit() || "/{;$ ".contains(char))
            && after.is_none_or(|char| "};0123456789 \n".contains(char))
    };
    !script.starts_with("s/") && script.match_indices(['q', 'Q']).any(|found| is_command(&found))
}

/// Returns the name of the program, and the arguments after it.
fn named(words: &[String]) -> (String, Vec<String>) {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        });
        let runs_other = RUNS_OTHERS.contains(&word.as_str()) && !after.is_empty();
        if word == "command" && after.first().is_some_and(|option| option.starts_with('-')) {
            break;
        }
        if !is_assignment && !runs_other {
            break;
        }
        rest = after;
        if runs_other {
            // Options of the runner with their values, and the time that `timeout` gets.
            let takes_value = ["-u", "-s", "-o", "-i", "-e", "-k", "-g", "-C", "-p"];
            let is_number = |word: &String| {
                word.trim_start_matches('.').starts_with(|char: char| char.is_ascii_digit())
            };
            while let Some(option) =
                rest.first().filter(|word| word.starts_with('-') || is_number(word))
            {
                let skipped = if takes_value.contains(&option.as_str()) { 2 } else { 1 };
                rest = rest.get(skipped..).unwrap_or_default();
            }
        }
    }
    let Some((word, arguments)) = rest.split_first() else { return (String::new(), Vec::new()) };
    let name =
        word.rsplit('/').next().unwrap_or_default().trim_start_matches(['(', '{', '\\']).to_owned();
    let mut arguments = arguments.to_vec();
    if ["git", "npm", "systemctl"].contains(&name.as_str()) {
        let takes_value = ["-C", "-c", "--git-dir", "--prefix"];
        let mut at = 0;
        while let Some(word) = arguments.get(at).filter(|word| word.starts_with('-')) {
            at += if takes_value.contains(&word.as_str()) { 2 } else { 1 };
        }
        if let Some(sub) = arguments.get(at).cloned() {
            arguments.drain(..=at);
            return (format!("{name} {sub}"), arguments);
        }
    }
    (name, arguments)
}

/// Splits a command into words, as far as its exit code depends on them. Quotes are removed.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for char in text.chars() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => quote = None,
            (blank, None) if blank.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(char),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Tells whether a redirection of standard output stands in the command, outside of quotes.
fn writes_to_file(text: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => quote = None,
            ('>', None)
                if before != '2'
                    && before != '>'
                    && chars.peek() != Some(&'&')
                    && chars.peek() != Some(&'(') =>
            {
                return true;
            }
            _ => {}
        }
        before = char;
    }
    false
}

/// Returns a text without blanks, quotes and backslashes, so that two spellings of a command compare equal.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace() && !['\'', '"', '\\'].contains(char)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_answer_with_one_do_not_fail() {
        for (text, code, expected) in [
            ("grep x f", 1, true),
            ("grep x f", 2, true),
            ("grep x f", 3, false),
            ("/usr/bin/grep -c x", 1, true),
            ("LC_ALL=C sudo -n grep x", 1, true),
            ("timeout 5 rg x", 1, true),
            ("git -C d diff --stat", 1, true),
            ("git --no-pager grep x", 1, true),
            ("git push", 1, false),
            ("find . -exec grep x {} +", 1, true),
            ("find . -name x", 1, false),
            ("sudo -u root grep x f", 1, true),
            ("xargs -I {} grep -l x {}", 123, true),
            ("bash -c 'grep x f'", 1, true),
            ("$G x f", 1, true),
            ("\\grep x f", 1, true),
            ("timeout 5 tail -f x", 124, true),
            ("curl -s x", 23, true),
            ("curl -s x", 22, false),
            ("cargo --help", 1, true),
            ("xargs grep x", 123, true),
            ("xargs -n1 cargo build", 123, false),
            ("cargo test", 1, false),
            ("command -v x", 1, true),
            ("false", 1, false),
            ("pytest -k diff", 1, false),
            ("sh -c 'exit 1'", 1, false),
        ] {
            assert_eq!(Stage::of(text).answers_with(code), expected, "{text}: {code}");
        }
    }

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
        ] {
            assert_eq!(Stage::of(text).leaves_early(), expected, "{text}");
        }
    }

    #[test]
    fn redirections_are_seen_outside_of_quotes() {
        for (text, to_file, hides) in [
            ("make > log", true, false),
            ("make >>log 2>&1", true, false),
            ("make 2>&1", false, false),
            ("make 2> errors", false, false),
            ("make 2>/dev/null", false, true),
            ("make &>/dev/null", true, true),
            ("echo 'a > b'", false, false),
            ("make >&2", false, false),
        ] {
            let stage = Stage::of(text);
            assert_eq!((stage.writes_to_file, stage.hides_errors), (to_file, hides), "{text}");
        }
    }
}
