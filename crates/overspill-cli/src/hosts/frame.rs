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
