//! Makes the manual pages. `clap_mangen` writes the sections about options; this module adds
//! examples, exit codes, variables and files.

use std::io::Write;

use crate::args;

/// The environment variables, for the section that all pages have.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("OVERSPILL_CONFIG", "Your settings file, in place of ~/.config/overspill/config.toml."),
    ("OVERSPILL_DIR", "The directory of saved outputs, in place of the setting store.dir."),
    (
        "OVERSPILL_…",
        "Each setting has a variable: max_lines is OVERSPILL_MAX_LINES, and store.quota is OVERSPILL_QUOTA.",
    ),
    ("OVERSPILL", "Set it to off, and agents run their commands without overspill."),
    (
        "OVERSPILL_PAGER, PAGER",
        "The pager of read, diff and explain on a terminal. The default is less.",
    ),
    (
        "NO_COLOR, CLICOLOR_FORCE",
        "NO_COLOR switches colours off. CLICOLOR_FORCE also uses them in pipes.",
    ),
    ("VISUAL, EDITOR", "The editor of overspill config edit. The default is vi."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "The directories in place of ~/.config and ~/.local/state.",
    ),
];

const FILES: &[(&str, &str)] = &[
    ("~/.config/overspill/config.toml", "Your settings."),
    (
        ".overspill.toml",
        "The settings of a project. They can lower limits and choose which part of an output is shown.",
    ),
    ("~/.local/state/overspill/", "The saved outputs, one file each, and their records."),
];

/// The codes that most commands exit with.
const USUAL: &[(&str, &str)] =
    &[("0", "The command worked."), ("1", "The command failed."), ("2", "Invalid arguments.")];

/// Returns the exit codes of a command and their meaning. A test compares them with
/// docs/exit-codes.md.
fn exit_status(command: &str) -> &'static [(&'static str, &'static str)] {
    match command {
        "run" | "sh" => &[
            ("0", "The command succeeded."),
            (
                "1",
                "The command's own code; also 1 if the command succeeded and stdout cannot be written.",
            ),
            ("2", "The command's own code."),
            ("124", "--timeout ended the command."),
            ("125", "Invalid overspill arguments."),
            ("126", "The command cannot be run."),
            ("127", "The command is not found."),
            ("128+n", "Signal n ended the command."),
            ("other", "The command's own code."),
        ],
        "grep" => &[
            ("0", "A line matches."),
            ("1", "No line matches."),
            ("2", "An error: invalid pattern or arguments, unknown id, unusable store."),
        ],
        "read" => &[
            ("0", "The page is printed."),
            ("1", "Unknown id, no value at the JSON path, or an unusable store."),
            ("2", "Invalid arguments."),
        ],
        "diff" => &[
            ("0", "The outputs were compared, whether they differ or not."),
            (
                "1",
                "Unknown id, no earlier run, an output over 64 MiB or 1,000,000 lines, outputs that repeat \
                 the same lines too often, or an unusable store.",
            ),
            ("2", "Invalid arguments."),
        ],
        "doctor" => &[
            ("0", "Everything works."),
            ("1", "Something does not work."),
            ("2", "Invalid arguments."),
        ],
        "hook" => &[("0", "Always: some agents take any other code for a refusal.")],
        _ => USUAL,
    }
}

/// Returns the file name and the page of a command. `above` has its parents, the program first.
pub(super) fn page(
    command: &clap::Command,
    above: &[&clap::Command],
) -> anyhow::Result<(String, Vec<u8>)> {
    let source = concat!("overspill ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command.clone()).source(source).manual("overspill manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let is_top = above.is_empty();
    let help = match is_top {
        true => format!("Examples:\n{}", args::first_examples()),
        false => command.get_after_help().map(ToString::to_string).unwrap_or_default(),
    };
    let (examples, notes) = examples(&help);
    if !examples.is_empty() {
        write!(page, ".SH EXAMPLES\n.nf\n{}.fi\n", lines(examples))?;
    }
    if !notes.is_empty() {
        write!(page, ".SH NOTES\n{}", lines(notes))?;
    }
    list(&mut page, "EXIT STATUS", exit_status(command.get_name()))?;
    list(&mut page, "ENVIRONMENT", ENVIRONMENT)?;
    list(&mut page, "FILES", FILES)?;
    let related = related(command, above);
    if !related.is_empty() {
        write!(page, ".SH \"SEE ALSO\"\n{}\n", related.join(", "))?;
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    Ok((man.get_filename(), page))
}

/// Splits the text after the options into the examples and the notes below them.
fn examples(help: &str) -> (&str, &str) {
    let Some(rest) = help.strip_prefix("Examples:\n") else { return ("", help.trim()) };
    let (examples, notes) = rest.split_once("\n\n").unwrap_or((rest, ""));
    (examples, notes.trim())
}

/// Returns the names of related pages: the parent commands, and the other subcommands of the
/// nearest parent. For the program itself, these are all visible commands.
fn related(command: &clap::Command, above: &[&clap::Command]) -> Vec<String> {
    let page = |path: &[&str]| format!("{}(1)", roff(&path.join("-")));
    let names: Vec<&str> = above.iter().map(|command| command.get_name()).collect();
    let mut related: Vec<String> = (1..=names.len()).map(|end| page(&names[..end])).collect();
    let Some(parent) = above.last() else {
        let below = command.get_subcommands().filter(|it| !it.is_hide_set());
        return below.map(|it| page(&[command.get_name(), it.get_name()])).collect();
    };
    let beside = parent.get_subcommands().filter(|it| !it.is_hide_set());
    for other in beside.filter(|other| other.get_name() != command.get_name()) {
        let path: Vec<&str> = names.iter().copied().chain([other.get_name()]).collect();
        related.push(page(&path));
    }
    related
}

fn list(page: &mut Vec<u8>, title: &str, rows: &[(&str, &str)]) -> std::io::Result<()> {
    writeln!(page, ".SH \"{title}\"")?;
    for (name, text) in rows {
        write!(page, ".TP\n\\fB{}\\fR\n{}", roff(name), lines(text))?;
    }
    Ok(())
}

/// Returns text as lines of roff.
fn lines(text: &str) -> String {
    text.lines().map(|line| roff(line) + "\n").collect()
}

/// Escapes the characters of one line that have a meaning in roff.
fn roff(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
