//! Parses the text of a stage, and interprets its exit code.

mod reader;

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    /// The text, on one line.
    pub(super) text: String,
    /// The name of the program; with the subcommand if the exit code depends on it.
    pub(super) name: String,
    /// The arguments after the name.
    arguments: Vec<String>,
    /// Tells whether standard output goes to a file.
    pub(super) writes_to_file: bool,
    /// Tells whether error messages are thrown away.
    pub(super) hides_errors: bool,
    /// The `timeout` that may end the stage.
    time_limit: Option<TimeLimit>,
    /// Tells whether the stage runs several commands: in parentheses, in braces, or from a file.
    pub(super) is_compound: bool,
}

/// The way in which `timeout` ends a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeLimit {
    /// `timeout` exits with 124.
    HasOwnCode,
    /// The options name a signal, which may show in the exit code.
    HasSignal,
}

/// The programs that answer a question with the exit code 1.
#[rustfmt::skip]
const ANSWERS_WITH_ONE: [&str; 73] = [
    "grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "rg", "ag", "ack", "ugrep", "pcregrep",
    "diff", "sdiff", "diff3", "zdiff", "colordiff", "cmp", "test", "[", "[[", "((", "let", "expr",
    "which", "command", "type", "hash", "read", "pgrep", "pidof", "pkill", "killall", "kill", "ps",
    "jq", "yq", "lsof", "fuser", "getent", "git grep", "git diff", "git config", "git check-ignore",
    "git merge-base", "git show-ref", "npm outdated", "systemctl is-active", "systemctl is-enabled",
    "printenv", "locate", "readlink", "realpath", "git symbolic-ref", "git rev-parse", "git ls-files", "npm ls", "npm audit", "dpkg", "rpm",
    "crontab", "tmux", "screen", "journalctl", "kubectl diff", "wdiff", "ast-grep", "pip show", "pip3 show", "ffmpeg", "ffprobe",
    "dpkg-query", "tty", "mountpoint",
];
/// The programs whose answer a runner passes on. Their names are not also names of scripts, as
/// `test` is in `npm test`.
#[rustfmt::skip]
const ANSWERS_THROUGH_RUNNER: [&str; 23] = [
    "grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "rg", "ag", "ack", "ugrep", "pcregrep",
    "diff", "sdiff", "diff3", "zdiff", "colordiff", "wdiff", "cmp", "which", "pgrep", "pidof", "jq", "yq",
];
/// The number of characters after which the prelude cuts a command.
const LONGEST_COMMAND: usize = 400;
/// The programs for which `-h` alone does not ask for help.
const HAS_OTHER_H: [&str; 6] = ["df", "du", "ls", "free", "lsblk", "sort"];
/// The programs whose subcommand is part of the name.
const HAS_SUBCOMMANDS: [&str; 3] = ["git", "npm", "systemctl"];
/// The programs that run a command among their arguments.
const RUNS_IN_ARGUMENTS: [&str; 12] = [
    "xargs", "find", "bash", "sh", "dash", "zsh", "ssh", "docker", "podman", "kubectl", "parallel",
    "su",
];
/// The programs that run another command with the rest of their arguments.
const RUNS_OTHERS: [&str; 13] = [
    "sudo", "doas", "env", "nice", "ionice", "nohup", "command", "builtin", "exec", "time",
    "stdbuf", "setsid", "timeout",
];

impl Stage {
    pub(super) fn of(text: &str) -> Stage {
        let words = words(text);
        let (name, arguments) = named(&words);
        let runs_file = [".", "source"].contains(&name.as_str());
        Stage {
            text: text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" "),
            name,
            arguments,
            time_limit: time_limit(&words),
            is_compound: runs_file || text.trim_start().starts_with(['(', '{']),
            writes_to_file: writes_to_file(text),
            hides_errors: hides_errors(text),
        }
    }

    /// Tells whether this exit code is an answer, and not a failure.
    pub(super) fn answers_with(&self, code: i32) -> bool {
        let name = self.name.as_str();
        let asks_for_help = || {
            let mut arguments = self.arguments.iter().filter(|word| !word.contains(['<', '>']));
            let is_long = self.arguments.iter().any(|word| word == "--help");
            // For many programs, `-h` is the option for the host.
            let is_short = arguments.next().is_some_and(|word| word == "-h");
            is_long || is_short && arguments.next().is_none() && !HAS_OTHER_H.contains(&name)
        };
        // A command that runs another command passes on the answer of that command.
        let runs_answer = || {
            let words = self.arguments.iter().flat_map(|word| word.split_whitespace());
            RUNS_IN_ARGUMENTS.contains(&name)
                && words.into_iter().any(|word| ANSWERS_THROUGH_RUNNER.contains(&word))
        };
        match (name, code) {
            (name, 1) if ANSWERS_WITH_ONE.contains(&name) || name.starts_with(['$', '`']) => true,
            (_, 1 | 2 | 129) if asks_for_help() => true,
            (_, 1) if runs_answer() => true,
            // `jq -e`: no result. `mountpoint`: no mount point. `command -v`: no such command.
            ("jq" | "yq", 4) | ("mountpoint", 32) => true,
            ("sh" | "dash", 127) => self.arguments.iter().any(|word| word.contains("command -v")),
            ("xargs", 123) => runs_answer(),
            ("sort", 1) => self.arguments.iter().any(|word| is_check(word)),
            // The exit code comes from a directory among the files, which an error message names.
            ("grep" | "egrep" | "fgrep" | "rg" | "git grep", 2) => true,
            // The writer reports that its reader has left.
            ("curl", 23) | ("python" | "python3", 120) => true,
            ("systemctl is-active" | "systemctl status" | "service", 3 | 4) | ("getent", 2) => true,
            ("dnf" | "yum", 100) | ("gh", 8) => true,
            // The user asked for this time limit.
            (_, 124) => self.time_limit.is_some(),
            (_, 129..=165) => self.time_limit == Some(TimeLimit::HasSignal),
            _ => false,
        }
    }

    /// Returns the first stage of a captured pipeline, corrected by the command that the shell
    /// started for it.
    pub(super) fn known_by(self, started: Option<Stage>) -> Stage {
        match started {
            _ if self.is_compound => self,
            // The prelude cuts long commands, so the name may be missing.
            Some(started) if started.text.chars().count() + 1 >= LONGEST_COMMAND => self,
            // The shell writes redirections after the name.
            Some(started) if words(&self.text).iter().any(|word| names(word, &started.name)) => {
                Stage { text: self.text, ..started }
            }
            // An alias stands for another command.
            _ => Stage { is_compound: true, ..self },
        }
    }

    /// Tells whether the name is a word, and not an expansion.
    pub(super) fn has_plain_name(&self) -> bool {
        let is_plain = |char: char| char.is_alphanumeric() || "-_.+:[ ".contains(char);
        !self.name.is_empty() && self.name.chars().all(is_plain)
    }
}

/// Tells whether a word names a program. For `git push`, the word is `git`.
fn names(word: &str, name: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or_default().trim_start_matches('\\');
    !word.is_empty() && name.split(' ').next() == Some(word)
}

/// Tells whether `sort` gets an option that only checks the order.
fn is_check(word: &str) -> bool {
    word.starts_with("--check") || word == "-c" || word == "-C"
}

fn time_limit(words: &[String]) -> Option<TimeLimit> {
    let at = words.iter().position(|word| word == "timeout")?;
    let signals = ["-s", "--signal", "-k", "--kill-after", "--preserve-status"];
    let names_signal = |word: &String| signals.iter().any(|option| word.starts_with(option));
    // The options of `timeout` stand before its time. The value of an option may look like the
    // time.
    let is_option = |word: &&String| word.starts_with('-');
    let has_signal = words[at + 1..].iter().take_while(is_option).any(names_signal);
    Some(if has_signal { TimeLimit::HasSignal } else { TimeLimit::HasOwnCode })
}

/// Tells whether the stage throws its error messages away. A script in quotes has redirections of
/// its own.
fn hides_errors(text: &str) -> bool {
    let text = squeezed(&without_scripts(text));
    ["2>/dev/null", "2>>/dev/null", "2>&-", "&>/dev/null", "2>$"]
        .iter()
        .any(|end| text.contains(end))
}

/// Returns a text without the parts in quotes that have blanks.
fn without_scripts(text: &str) -> String {
    let (mut outside, mut inside, mut quote) = (String::new(), String::new(), None);
    for char in text.chars() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => {
                quote = None;
                let part = std::mem::take(&mut inside);
                if !part.contains(char::is_whitespace) {
                    outside.push_str(&part);
                }
            }
            (char, Some(_)) => inside.push(char),
            (char, None) => outside.push(char),
        }
    }
    outside
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
    // `python -m pip show` is `pip show`.
    if name.starts_with("python") && arguments.starts_with(&["-m".into(), "pip".into()]) {
        return named(&arguments[1..]);
    }
    let answers = |sub: &String| ANSWERS_WITH_ONE.contains(&format!("{name} {sub}").as_str());
    if HAS_SUBCOMMANDS.contains(&name.as_str()) || arguments.first().is_some_and(answers) {
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

/// Tells whether the command has a redirection of standard output outside of quotes.
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

/// Returns a text without blanks, quotes and backslashes, so that two spellings of a command
/// compare equal.
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
            ("docker exec web npm test", 1, false),
            ("docker run --rm img go test ./...", 1, false),
            ("docker exec web grep x f", 1, true),
            ("bash -c 'npm test'", 1, false),
            ("ssh host 'kill 5; npm test'", 1, false),
            ("xargs npm test", 123, false),
            ("kubectl diff -f x", 1, true),
            ("mysqldump -h db app", 2, false),
            ("docker run -h web img", 1, false),
            ("tool -h 2>&1", 1, true),
            ("git rebase -h", 129, true),
            ("du -h", 1, false),
            ("pip show zzz", 1, true),
            ("pip install zzz", 1, false),
            ("python3 -m pip show zzz", 1, true),
            ("python3 -m pip install zzz", 1, false),
            ("sort -c f", 1, true),
            ("sort f", 1, false),
            ("timeout -s KILL 5 make", 137, true),
            ("timeout -k 1 5 make", 137, true),
            ("timeout --preserve-status 5 make", 143, true),
            ("timeout 5 make", 137, false),
            ("make", 137, false),
        ] {
            assert_eq!(Stage::of(text).answers_with(code), expected, "{text}: {code}");
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
            ("make 2>\"/dev/null\"", false, true),
            ("make 2> /dev/null", false, true),
            ("make &>/dev/null", true, true),
            ("echo 'a > b'", false, false),
            ("make >&2", false, false),
        ] {
            let stage = Stage::of(text);
            assert_eq!((stage.writes_to_file, stage.hides_errors), (to_file, hides), "{text}");
        }
    }
}
