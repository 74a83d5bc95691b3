//! Finds the short name of a command: its program, and its subcommand for programs such as `cargo`.

/// Programs whose first argument is a subcommand.
const WITH_SUBCOMMANDS: [&str; 24] = [
    "apt",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "kubectl",
    "make",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pnpm",
    "terraform",
    "uv",
    "yarn",
];
/// Words before a command that do not belong to its name.
const PREFIXES: [&str; 6] = ["sudo", "time", "command", "env", "nice", "exec"];

/// Returns the short name of a command, such as `cargo test` for `cd x && RUST_LOG=debug cargo test
/// --all`.
pub(super) fn program_word(command: &str) -> Option<String> {
    // `cd` has no output, so the next command gives the name.
    let parts = command.split(['\n', ';']).flat_map(|part| part.split("&&"));
    let mut names = parts.filter_map(of_part);
    let first = names.next()?;
    if first == "cd" { names.find(|name| name != "cd").or(Some(first)) } else { Some(first) }
}

/// Returns the short name of one command of a list.
fn of_part(part: &str) -> Option<String> {
    let is_variable = |word: &&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut words =
        part.split_whitespace().skip_while(|word| is_variable(word) || PREFIXES.contains(word));
    let first = words.next().filter(|word| !word.starts_with('#'))?;
    let program = first.trim_start_matches(['(', '{', '!', '"', '\'']);
    let program = program.rsplit('/').next().unwrap_or(program).trim_end_matches(['"', '\'', ')']);
    if program.is_empty() {
        return None;
    }
    let is_subcommand = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
    };
    let subcommand = words.next().filter(is_subcommand);
    Some(match subcommand.filter(|_| WITH_SUBCOMMANDS.contains(&program)) {
        Some(subcommand) => format!("{program} {subcommand}"),
        None => program.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_has_a_short_name() {
        for (command, name) in [
            ("cargo test --all", Some("cargo test")),
            ("cd x && RUST_LOG=debug cargo test", Some("cargo test")),
            ("/usr/bin/python3 -m pytest", Some("python3")),
            ("cd /tmp", Some("cd")),
            ("# a comment\nls -l", Some("ls")),
            ("sudo apt install x", Some("apt install")),
            ("git -C x log", Some("git")),
            ("seq 1 5000; exit 3", Some("seq")),
            ("", None),
            ("   ", None),
        ] {
            assert_eq!(program_word(command).as_deref(), name, "{command}");
        }
    }
}
