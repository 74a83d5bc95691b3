//! The code that hosts put around a command. Records name the command itself.

/// The end of Claude Code's frame, which notes the directory that the command has ended in.
const CLAUDE_END: &str = " && pwd -P >| ";
const CLAUDE_START: &str = "eval ";
const NO_INPUT: &str = " < /dev/null";
/// The start and the end of Gemini CLI's frame.
const GEMINI_START: &str = "' EXIT\n";
const GEMINI_END: &str = "\n)\n__code=$?";

/// Tells whether a line is a command in the frame of Claude Code.
pub(crate) fn is_claude(line: &str) -> bool {
    claude(line).is_some()
}

/// Returns the command inside of a frame, if there is one.
pub(crate) fn inner(line: &str) -> Option<String> {
    claude(line).map(unquoted).or_else(|| gemini(line))
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

/// A command line, taken out of the frame of its host.
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
}

impl<'a> Framed<'a> {
    pub(crate) fn of(line: &'a str) -> Framed<'a> {
        Framed::in_eval(line)
            .or_else(|| Framed::in_subshell(line))
            .unwrap_or_else(|| Framed { inner: line.to_owned(), frame: Frame::None })
    }

    /// Tells whether a host has put code around the command.
    pub(crate) fn is_framed(&self) -> bool {
        !matches!(self.frame, Frame::None)
    }

    fn in_eval(line: &'a str) -> Option<Framed<'a>> {
        let quoted = claude(line)?;
        let at = line.find(quoted)?;
        let (before, after) = (&line[..at], &line[at + quoted.len()..]);
        let inner = unquoted(quoted);
        // A word that means something else than its text is not ours to write again.
        has_text_only(quoted).then_some(Framed { inner, frame: Frame::Eval { before, after } })
    }

    fn in_subshell(line: &'a str) -> Option<Framed<'a>> {
        let inner = gemini(line)?;
        let at = line.find(&format!("{GEMINI_START}{inner}{GEMINI_END}"))? + GEMINI_START.len() - 1;
        let (before, after) = (&line[..at], &line[at + 1 + inner.len()..]);
        Some(Framed { frame: Frame::Subshell { before, after }, inner })
    }

    /// Puts another text in the place of the command. The shell runs `keeper` after the command in `eval`,
    /// and `trap` before the command in a subshell. `None` if `eval` needs a keeper and there is none.
    pub(crate) fn with(&self, text: &str, keeper: Option<&str>, trap: &str) -> Option<String> {
        match self.frame {
            Frame::None => Some(text.to_owned()),
            Frame::Eval { before, after } => {
                let quoted = format!("{text}{}", keeper?).replace('\'', r#"'"'"'"#);
                Some(format!("{before}'{quoted}'{after}"))
            }
            Frame::Subshell { before, after } => Some(format!("{before}{trap}\n{text}{after}")),
        }
    }
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

/// Returns what a word of a shell says that is written with quotes and without expansions.
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
        let claude = r#"source /h/s.sh 2>/dev/null || true && eval 'echo "it'"'"'s" | cat' < /dev/null && pwd -P >| /tmp/c"#;
        let framed = Framed::of(claude);
        assert_eq!(framed.inner, r#"echo "it's" | cat"#);
        assert_eq!(framed.with(&framed.inner, Some(""), "").as_deref(), Some(claude));
        assert_eq!(framed.with("x", None, "; t"), None);
        let with = framed.with("x", Some("; k"), "; t").unwrap();
        assert!(with.contains("eval 'x; k' < /dev/null && pwd"), "{with}");
        let gemini = "_bgpids_file=/tmp/g\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nmake | tail\n)\n__code=$?\nexit $__code";
        let framed = Framed::of(gemini);
        assert_eq!(framed.inner, "make | tail");
        let with = framed.with("x", None, "; t").unwrap();
        assert!(with.contains("' EXIT; t\nx\n)\n__code"), "{with}");
        assert_eq!(Framed::of("a | b").with("x", None, "").as_deref(), Some("x"));
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
