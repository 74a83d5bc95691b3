//! Hints for options of `grep` and ripgrep that `overspill grep` does not have.

/// Returns a hint that replaces an unknown option; `None` if grep and ripgrep do not have the
/// option either.
pub(crate) fn hint(option: &str) -> Option<&'static str> {
    Some(match option {
        "-P" | "--perl-regexp" | "--pcre2" => {
            "look-around and back-references are not supported; other patterns work without -P"
        }
        "-r" | "-R" | "--recursive" => "without an ID all outputs are searched",
        "-x" | "--line-regexp" => "^PATTERN$ matches whole lines",
        "-q" | "--quiet" => "the exit code is 0 for a match; -l prints only the ids",
        "-L" | "--files-without-match" => "-c shows 0 for outputs without a match",
        "-U" | "--multiline" => "a pattern matches within one line; -A N shows the next lines",
        "-H" | "--with-filename" => {
            "the id stands above the matches of each output; --json has it in every line"
        }
        "-S" | "--smart-case" => "-i ignores case",
        number
            if number
                .strip_prefix('-')
                .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            "-C N shows N lines around each match"
        }
        _ => return None,
    })
}
