//! Options that others have.

/// Returns what to do instead of an option that grep or ripgrep has, and we have not.
pub(crate) fn hint(option: &str) -> Option<&'static str> {
    Some(match option {
        "-P" | "--perl-regexp" | "--pcre2" => {
            "look-around and back-references do not work; all other patterns need no -P"
        }
        "-r" | "-R" | "--recursive" => "without an ID all outputs are searched",
        "-x" | "--line-regexp" => "^PATTERN$ matches whole lines",
        "-q" | "--quiet" => "the exit code says whether anything matches; -l says where",
        "-L" | "--files-without-match" => "-c shows 0 for outputs without a match",
        "-U" | "--multiline" => "lines are searched one by one; -A shows what follows",
        "-H" | "--with-filename" => {
            "several outputs are named before their lines; --json names them in each"
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
