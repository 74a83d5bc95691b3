//! The frame: shell code that hosts put around a command. This module finds the command in the
//! frame, and replaces it.

/// The end of Claude Code's frame, which saves the directory in which the command has ended.
const CLAUDE_END: &str = " && pwd -P >| ";
const CLAUDE_START: &str = "eval ";
const NO_INPUT: &str = " < /dev/null";
/// The start and the end of Gemini CLI's frame.
const GEMINI_START: &str = "' EXIT\n";
const GEMINI_END: &str = "\n)\n__code=$?";
/// The start of Codex's frame, which sets variables, and its last line up to the command.
const CODEX_START: &str = "__CODEX_SNAPSHOT_";
const CODEX_EXEC: &str = "\nexec '";
const CODEX_COMMAND: &str = "' -c ";

/// Tells whether a line is a command in the frame of Claude Code.
pub(crate) fn is_claude(line: &str) -> bool {
    claude(line).is_some()
}

/// Returns the command inside of a frame; `None` if the line has no known frame.
pub(crate) fn inner(line: &str) -> Option<String> {
    claude(line).map(unquoted).or_else(|| gemini(line)).or_else(|| codex(line).map(unquoted))
}

fn claude(line: &str) -> Option<&str> {
    let (before, _) = line.rsplit_once(CLAUDE_END)?;
    let at = match before.starts_with(CLAUDE_START) {
        true => 0,
        false => before.find(" && eval ")? + 4,
    };
    let quoted = &before[at + CLAUDE_START.len()..];
    Some(quoted.strip_suffix(NO_INPUT).unwrap_or(quoted))
}

fn gemini(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("_bgpids_file=")?.1.split_once(GEMINI_START)?;
    let (command, _) = rest.rsplit_once(GEMINI_END)?;
    Some(command.to_owned())
}

/// Returns the quoted command at the end of Codex's frame.
fn codex(line: &str) -> Option<&str> {
    line.starts_with(CODEX_START).then_some(())?;
    let (_, exec) = line.rsplit_once(CODEX_EXEC)?;
    let (_, words) = exec.split_once(CODEX_COMMAND)?;
    Some(&words[..quoted_len(words)])
}

/// Returns the length of the first word of a shell, whose quotes may contain blanks.
fn quoted_len(words: &str) -> usize {
    let mut quote = None;
    let end = words.find(|char: char| {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => quote = None,
            _ => {}
        }
        quote.is_none() && char.is_whitespace()
    });
    end.unwrap_or(words.len())
}

/// A command line in the frame of its host.
#[derive(Debug)]
pub(crate) struct Framed<'a> {
    /// The command itself.
    pub(crate) inner: String,
    frame: Frame<'a>,
}

#[derive(Debug)]
enum Frame<'a> {
    None,
    /// The command is an argument of `eval`.
    Eval {
        before: &'a str,
        after: &'a str,
    },
    /// The command is in a subshell, after a trap.
    Subshell {
        before: &'a str,
        after: &'a str,
    },
    /// The command is an argument of another shell, which replaces the first one.
    Exec {
        before: &'a str,
        after: &'a str,
    },
}

/// The texts that overspill puts around a command.
pub(crate) struct Dressing<'a> {
    /// The file that the shell of the command reads first.
    pub(crate) prelude: &'a str,
    /// The text after a command in `eval`. `None` if nothing can follow the command.
    pub(crate) keeper: Option<&'a str>,
    /// The commands before `eval`. They read the prelude, and define the functions of the keeper.
    pub(crate) first: &'a str,
    /// The text after the trap of a subshell.
    pub(crate) trap: &'a str,
}

impl<'a> Framed<'a> {
    pub(crate) fn of(line: &'a str) -> Framed<'a> {
        let framed = Framed::in_eval(line).or_else(|| Framed::in_subshell(line));
        let framed = framed.or_else(|| Framed::in_exec(line));
        framed.unwrap_or_else(|| Framed { inner: line.to_owned(), frame: Frame::None })
    }

    /// Tells whether the command has no frame.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.frame, Frame::None)
    }

    /// Tells whether the line itself reads the prelude.
    pub(crate) fn is_in_eval(&self) -> bool {
        matches!(self.frame, Frame::Eval { .. })
    }

    /// Tells whether the command is the last one of its shell.
    pub(crate) fn is_last(&self) -> bool {
        matches!(self.frame, Frame::None | Frame::Exec { .. })
    }

    /// Tells whether the shell finds its prelude in its environment.
    pub(crate) fn reads_environment(&self) -> bool {
        matches!(self.frame, Frame::None | Frame::Subshell { .. })
    }

    fn in_eval(line: &'a str) -> Option<Framed<'a>> {
        let quoted = claude(line)?;
        let at = line.find(quoted)?;
        let (before, after) = (&line[..at], &line[at + quoted.len()..]);
        let inner = unquoted(quoted);
        // A word with expansions means more than its text, so it is not rewritten.
        has_text_only(quoted).then_some(Framed { inner, frame: Frame::Eval { before, after } })
    }

    fn in_subshell(line: &'a str) -> Option<Framed<'a>> {
        let inner = gemini(line)?;
        let at = line.find(&format!("{GEMINI_START}{inner}{GEMINI_END}"))? + GEMINI_START.len() - 1;
        let (before, after) = (&line[..at], &line[at + 1 + inner.len()..]);
        Some(Framed { frame: Frame::Subshell { before, after }, inner })
    }

    /// Reads a line in the frame of Codex.
    fn in_exec(line: &'a str) -> Option<Framed<'a>> {
        let quoted = codex(line)?;
        let at = line.rfind(CODEX_EXEC)? + 1;
        let command_at = at + line[at..].find(quoted)?;
        let before = &line[..command_at];
        let after = &line[command_at + quoted.len()..];
        let inner = unquoted(quoted);
        has_text_only(quoted).then_some(Framed { inner, frame: Frame::Exec { before, after } })
    }

    /// Returns the line with `text` in the place of the command. Returns `None` if `eval` needs a
    /// keeper and `dressing` has none.
    pub(crate) fn with(&self, text: &str, dressing: &Dressing) -> Option<String> {
        let Dressing { prelude, first, keeper, trap } = dressing;
        Some(match self.frame {
            Frame::None => text.to_owned(),
            Frame::Eval { before, after } => {
                let before = before.strip_suffix(CLAUDE_START)?;
                let quoted = in_quotes(&format!("{text}{}", (*keeper)?));
                format!("{before}{{ {first}; }} && {CLAUDE_START}{quoted}{after}")
            }
            Frame::Subshell { before, after } => format!("{before}{trap}\n{text}{after}"),
            Frame::Exec { before, after } => {
                let (before, exec) = before.split_at(before.rfind(CODEX_EXEC)? + 1);
                format!("{before}BASH_ENV={prelude} {exec}{}{after}", in_quotes(text))
            }
        })
    }
}

fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r#"'"'"'"#))
}

/// Tells whether a word has no part that the shell would expand.
fn has_text_only(word: &str) -> bool {
    let mut quote = None;
    word.chars().all(|char| match (char, quote) {
        ('\'' | '"', None) => {
            quote = Some(char);
            true
        }
        (end, Some(open)) if end == open => {
            quote = None;
            true
        }
        (_, Some('\'')) => true,
        (_, Some(_)) => !['$', '`', '\\'].contains(&char),
        (_, None) => char.is_ascii_alphanumeric() || "_-./=:,+@%".contains(char),
    }) && quote.is_none()
}

/// Returns the text of a shell word that has quotes and no expansions.
fn unquoted(word: &str) -> String {
    let (mut said, mut quote) = (String::new(), None);
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (end, Some(open)) if end == open => quote = None,
            ('\\', None | Some('"')) => said.extend(chars.next()),
            _ => said.push(char),
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_replaced_within_its_frame() {
        let dressing =
            |keeper| Dressing { prelude: "/p", first: ". /p; k() { :; }", keeper, trap: "; t" };
        let claude = r#"source /h/s.sh 2>/dev/null || true && eval 'echo "it'"'"'s" | cat' < /dev/null && pwd -P >| /tmp/c"#;
        let framed = Framed::of(claude);
        assert_eq!(framed.inner, r#"echo "it's" | cat"#);
        assert_eq!(framed.with("x", &dressing(None)), None);
        let with = framed.with("it's", &dressing(Some("; k"))).unwrap();
        let expected = r#"true && { . /p; k() { :; }; } && eval 'it'"'"'s; k' < /dev/null && pwd"#;
        assert!(with.contains(expected), "{with}");
        let gemini = "_bgpids_file=/tmp/g\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nmake | tail\n)\n__code=$?\nexit $__code";
        let framed = Framed::of(gemini);
        assert_eq!(framed.inner, "make | tail");
        let with = framed.with("x", &dressing(None)).unwrap();
        assert!(with.contains("' EXIT; t\nx\n)\n__code"), "{with}");
        let codex = "__CODEX_SNAPSHOT_A=\"${BASH_ENV+x}\"\nexec '/bin/bash' -c 'make 2>&1 | tail' /bin/bash ";
        let framed = Framed::of(codex);
        assert_eq!(framed.inner, "make 2>&1 | tail");
        assert_eq!(inner(codex).as_deref(), Some("make 2>&1 | tail"));
        let with = framed.with("x", &dressing(None)).unwrap();
        assert!(with.ends_with("\nBASH_ENV=/p exec '/bin/bash' -c 'x' /bin/bash "), "{with}");
        assert_eq!(Framed::of("a | b").with("x", &dressing(None)).as_deref(), Some("x"));
    }

    #[test]
    fn expansions_in_a_frame_leave_the_line_as_it_is() {
        for line in
            ["eval $x < /dev/null && pwd -P >| /tmp/x", r#"eval "$(a | b)" && pwd -P >| /tmp/x"#]
        {
            assert!(matches!(Framed::of(line).frame, Frame::None), "{line}");
        }
    }

    #[test]
    fn command_is_taken_out_of_its_frame() {
        let claude = r#"source /h/.claude/shell-snapshots/snapshot-bash-1.sh 2>/dev/null || true && \builtin shopt -u extglob 2>/dev/null || true && eval 'echo "it'"'"'s" && eval x' < /dev/null && pwd -P >| /tmp/claude-8060-cwd"#;
        assert_eq!(inner(claude).as_deref(), Some(r#"echo "it's" && eval x"#));
        assert_eq!(inner("eval pwd < /dev/null && pwd -P >| /tmp/x").as_deref(), Some("pwd"));
        let gemini = "shopt -u nullglob; _bgpids_file=/tmp/g/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nmake\ntest\n)\n__code=$?\nexit $__code";
        assert_eq!(inner(gemini).as_deref(), Some("make\ntest"));
        for other in ["make", "node server.js", "eval x", "a && pwd -P >| x"] {
            assert_eq!(inner(other), None, "{other}");
        }
    }
}
