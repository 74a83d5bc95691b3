//! Errors about invalid arguments: turns an error of the parser into a message, and a hint with the
//! command line that the user likely meant.

use std::error::Error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Args, SUBCOMMAND_NAMES, likely};
use crate::command::grep;
use crate::env::Env;
use crate::recent::RecentName;
use crate::settings::keys::meant;
use crate::ui::{self, Failure, Place};

/// The largest number of columns of a typed argument that an error repeats.
const LONGEST_SHOWN: usize = 100;
/// Commands that have subcommands.
const WITH_ACTIONS: [&str; 3] = ["config", "help", "mcp"];
/// Subcommands that no hint offers.
const NOT_OFFERED: [&str; 5] = ["hook", "help", "sh", "tee", "version"];
/// Other names of commands.
const ALIASES: [&str; 10] =
    ["cat", "clean", "ls", "prune", "remove", "rg", "search", "show", "unpin", "version"];
/// Commands for which `--json` does not mean that errors are printed as JSON.
const WITHOUT_JSON: [&str; 8] = ["cat", "hook", "mcp", "read", "run", "sh", "show", "view"];

/// Returns the exit code for invalid arguments: 125 for `run`, as its other codes are the
/// command's; 0 for `hook`, as other codes keep hosts from running a tool; and 2 otherwise.
pub(crate) fn misuse(words: &[OsString]) -> u8 {
    match words.get(1).and_then(|word| word.to_str()) {
        Some("run") => 125,
        Some("hook") => 0,
        _ => 2,
    }
}

/// Returns the subcommand that the user likely meant.
pub(super) fn meant_command(typed: &str) -> Option<&'static str> {
    let ours = || SUBCOMMAND_NAMES.into_iter().filter(|word| !NOT_OFFERED.contains(word));
    let aliases = |word: &&str| ALIASES.contains(word);
    meant(typed, ours().filter(|word| !aliases(word))).or_else(|| meant(typed, ours()))
}

/// Returns the command that the arguments name, and whether its errors are printed as JSON.
pub(crate) fn place(words: &[OsString], typed: &[OsString], env: &Env) -> Place {
    let word = |at: usize| words.get(at).and_then(|word| word.to_str());
    let ours = word(1).filter(|word| SUBCOMMAND_NAMES.contains(word));
    let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let action = ours.filter(|ours| WITH_ACTIONS.contains(ours)).and(word(2)).filter(is_plain);
    let path = ["overspill"].into_iter().chain(ours).chain(action);
    let options = words.iter().take_while(|word| *word != "--");
    let is_json = ours.is_some_and(|ours| !WITHOUT_JSON.contains(&ours));
    Place {
        command: path.collect::<Vec<_>>().join(" "),
        json: is_json && options.into_iter().any(|word| word == "--json"),
        program: if names_file(typed, env) { as_program(typed, env) } else { None },
    }
}

/// Tells whether an argument of a subcommand is likely the name of a file.
fn names_file(typed: &[OsString], env: &Env) -> bool {
    let name = typed.get(1).and_then(|word| word.to_str());
    if name.is_none_or(|name| ["hook", "run", "sh"].contains(&name) || !is_ours(name)) {
        return false;
    }
    let directory = env.directory_or_empty();
    let is_file = |word: &OsString| {
        let text = word.to_string_lossy();
        text.contains(['/', '.']) || directory.join(word).exists()
    };
    typed.iter().skip(2).any(is_file)
}

fn is_ours(word: &str) -> bool {
    SUBCOMMAND_NAMES.contains(&word) || RecentName::parse(word).is_some()
}

/// Returns the command line that runs a program with the name of a subcommand:
/// `overspill run ls -la`.
///
/// Returns `None` if no such program exists, or if the user can only mean the subcommand.
pub(crate) fn as_program(typed: &[OsString], env: &Env) -> Option<String> {
    let words: Vec<&str> = typed.get(1..)?.iter().map(|it| it.to_str()).collect::<Option<_>>()?;
    let name = *words.first()?;
    let is_visible = |word: &&str| ui::escaped(word, LONGEST_SHOWN) == **word;
    let is_program = || env.on_path(name).any(|path| path.is_file());
    // An unknown option may still belong to a search of saved outputs.
    let is_search = ["grep", "rg", "search"].contains(&name);
    if is_search && !names_file(typed, env) {
        return None;
    }
    if words.len() < 2
        || name == "run"
        || !is_ours(name)
        || !words.iter().all(is_visible)
        || !is_program()
    {
        return None;
    }
    let words: Vec<String> = words.iter().map(|word| ui::shell_word(word)).collect();
    Some(format!("overspill run {}", words.join(" ")))
}

/// Returns an error of the parser in the form of all other errors. `program` is [`as_program`] of
/// the typed arguments.
pub(crate) fn explained(
    error: &clap::Error,
    words: &[OsString],
    program: Option<String>,
) -> Failure {
    let mistake = Mistake { error, words, command: command_of(words), program };
    Failure::new(mistake.message(), Some(mistake.hint()))
}

/// Returns the command that the first arguments name, such as `overspill config set`.
fn command_of(words: &[OsString]) -> String {
    let names = commands_of(words);
    names.iter().map(clap::Command::get_name).collect::<Vec<_>>().join(" ")
}

/// Returns the options of the command that the arguments name.
fn options_of(words: &[OsString]) -> Vec<String> {
    let commands = commands_of(words);
    let options = commands.iter().flat_map(clap::Command::get_arguments);
    options.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect()
}

/// Returns the option that the user likely meant.
fn alike<'a>(typed: &str, options: &'a [String]) -> Option<&'a str> {
    let by = |option: &&String| strsim::jaro_winkler(typed, option);
    let near = options.iter().filter(|option| typed.starts_with("--") && by(option) > 0.85);
    near.max_by(|a, b| by(a).total_cmp(&by(b))).map(String::as_str)
}

/// Returns the commands that the arguments name: `overspill`, `config`, `set`.
fn commands_of(words: &[OsString]) -> Vec<clap::Command> {
    let mut commands = vec![<Args as clap::CommandFactory>::command()];
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        let next = commands.last().and_then(|command| command.find_subcommand(word)).cloned();
        match next {
            Some(next) => commands.push(next),
            None => break,
        }
    }
    commands
}

struct Mistake<'a> {
    error: &'a clap::Error,
    words: &'a [OsString],
    /// The command, such as `overspill config set`.
    command: String,
    /// The command line that runs a program of the same name.
    program: Option<String>,
}

impl Mistake<'_> {
    fn message(&self) -> String {
        let command = &self.command;
        let (arg, value) = (self.argument(), self.value());
        let shown = format!("\"{}\"", ui::escaped(&value.replace('"', "'"), LONGEST_SHOWN));
        match self.error.kind() {
            ErrorKind::InvalidValue if value.is_empty() => {
                format!("{arg} of `{command}` needs a value")
            }
            ErrorKind::InvalidValue => {
                let allowed = self.texts(ContextKind::ValidValue).join(", ");
                format!("invalid value {shown} for {arg} of `{command}`: expected {allowed}")
            }
            ErrorKind::ValueValidation => {
                let reason = self.reason();
                format!("invalid value {shown} for {arg} of `{command}`: {reason}")
            }
            ErrorKind::UnknownArgument if arg.starts_with('-') => {
                format!("`{command}` has no option {arg}")
            }
            ErrorKind::UnknownArgument => format!("`{command}` takes no argument \"{arg}\""),
            ErrorKind::InvalidSubcommand => {
                let typed = self.text(ContextKind::InvalidSubcommand);
                format!("`{command}` has no command \"{}\"", ui::escaped(&typed, LONGEST_SHOWN))
            }
            ErrorKind::ArgumentConflict => {
                let others = self.texts(ContextKind::PriorArg);
                let others: Vec<String> = others.iter().map(|other| name_of(other)).collect();
                match others.is_empty() || others.contains(&arg) {
                    true => format!("{arg} of `{command}` is given twice"),
                    false => format!("`{command}` takes {arg} or {}, not both", others.join(", ")),
                }
            }
            ErrorKind::MissingRequiredArgument => {
                let missing = self.texts(ContextKind::InvalidArg);
                let missing: Vec<String> = missing.iter().map(|name| name_of(name)).collect();
                format!("`{command}` needs {}", missing.join(" and "))
            }
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                format!("`{command}` needs a command or an argument")
            }
            ErrorKind::NoEquals => format!("{arg} of `{command}` takes its value after `=`"),
            ErrorKind::InvalidUtf8 => format!("an argument of `{command}` is not valid UTF-8"),
            _ => format!("invalid arguments for `{command}`"),
        }
    }

    /// Returns what to type next. It offers a corrected command line only if the parser accepts it.
    fn hint(&self) -> String {
        let command = &self.command;
        let arg = self.argument();
        let help = format!("`{command} --help` explains the options");
        match self.error.kind() {
            ErrorKind::UnknownArgument => {
                if command == "overspill grep"
                    && let Some(hint) = grep::hint(&arg)
                {
                    let program = self.program.as_ref();
                    let program = program.map(|line| format!("; `{line}` searches files"));
                    return format!("{hint}{}; {help}", program.unwrap_or_default());
                }
                let options = options_of(self.words);
                let suggested = alike(&arg, &options);
                if let Some(line) = suggested.and_then(|option| self.with(&arg, option)) {
                    return format!("did you mean `{line}`?");
                }
                if let Some(line) = &self.program {
                    return format!("`{line}` runs the program; {help}");
                }
                if let Some(line) = self.offered(likely::with_argument(self.words, command, &arg)) {
                    return format!("did you mean `{line}`?");
                }
                if let Some(hint) = likely::option(command, &arg) {
                    return format!("{hint}; {help}");
                }
                let is_run = command == "overspill run" && !self.words.iter().any(|it| it == "--");
                match is_run && arg.starts_with('-') {
                    true => format!("{help}; `--` comes before a command that begins with a dash"),
                    false => help,
                }
            }
            ErrorKind::InvalidSubcommand => {
                let typed = self.text(ContextKind::InvalidSubcommand);
                let suggested = match command.as_str() {
                    "overspill" => meant_command(&typed).map(str::to_owned).into_iter().collect(),
                    _ => self.texts(ContextKind::SuggestedSubcommand),
                };
                let line = suggested.iter().find_map(|suggested| self.with(&typed, suggested));
                let setting = || self.offered(likely::with_action(self.words, command, &typed));
                line.or_else(setting).map_or_else(
                    || format!("`{command} --help` lists the commands"),
                    |line| format!("did you mean `{line}`?"),
                )
            }
            ErrorKind::InvalidValue => {
                let suggested = self.text(ContextKind::SuggestedValue);
                match self.with(&self.value(), &suggested) {
                    Some(line) => format!("did you mean `{line}`?"),
                    None => help,
                }
            }
            ErrorKind::ValueValidation => {
                let reason = self.reason();
                let example =
                    reason.split_once("such as `").and_then(|(_, rest)| rest.split_once('`'));
                match example.and_then(|(example, _)| self.with(&self.value(), example)) {
                    Some(line) => format!("try `{line}`"),
                    None => help,
                }
            }
            ErrorKind::MissingRequiredArgument => {
                match self.offered(likely::without_equals(self.words, command)) {
                    Some(line) => format!("did you mean `{line}`?"),
                    None => format!("`{command} --help` has examples"),
                }
            }
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                format!("`{command} --help` lists them")
            }
            _ => help,
        }
    }

    /// Returns the command line with `typed` replaced by `meant`, if the parser accepts it.
    fn with(&self, typed: &str, meant: &str) -> Option<String> {
        if typed.is_empty() || meant.is_empty() {
            return None;
        }
        let mut words: Vec<String> = self
            .words
            .iter()
            .map(|word| word.to_str().map(str::to_owned))
            .collect::<Option<_>>()?;
        let place = words.iter_mut().skip(1).find_map(|word| {
            let rest = word.strip_prefix(typed)?;
            let is_whole = rest.is_empty() || typed.starts_with('-') && rest.starts_with('=');
            if is_whole { Some((word.len() - rest.len(), word)) } else { None }
        });
        match place {
            Some((length, word)) => word.replace_range(..length, meant),
            // `--option=value`
            None => {
                let end = format!("={typed}");
                let word = words.iter_mut().skip(1).find(|word| word.ends_with(&end))?;
                let length = word.len();
                word.replace_range(length - typed.len().., meant);
            }
        }
        self.offered(Some(words))
    }

    /// Returns a command line as a user types it, if the parser accepts it.
    fn offered(&self, words: Option<Vec<String>>) -> Option<String> {
        let words = words?;
        let is_visible = |word: &String| ui::escaped(word, LONGEST_SHOWN) == *word;
        if !words.iter().skip(1).all(is_visible) || Args::try_parse_from(&words).is_err() {
            return None;
        }
        let rest = words.iter().skip(1).map(|word| ui::shell_word(word));
        Some(["overspill".to_owned()].into_iter().chain(rest).collect::<Vec<_>>().join(" "))
    }

    /// Returns the name of the argument, such as `--lines` or `PATTERN`.
    fn argument(&self) -> String {
        ui::escaped(&name_of(&self.text(ContextKind::InvalidArg)), LONGEST_SHOWN)
    }

    fn value(&self) -> String {
        self.text(ContextKind::InvalidValue)
    }

    /// Returns the reason why a value is invalid.
    fn reason(&self) -> String {
        let Some(source) = self.error.source() else { return "the value is invalid".into() };
        match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
            Some(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
                "the number is too large".into()
            }
            Some(_) => "expected a number, such as `20`".into(),
            None => ui::escaped(&source.to_string(), 300),
        }
    }

    fn text(&self, kind: ContextKind) -> String {
        self.texts(kind).into_iter().next().unwrap_or_default()
    }

    fn texts(&self, kind: ContextKind) -> Vec<String> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }
}

/// Returns the name in `--lines <A-B>`, `<PATTERN>` or `[ID]`.
fn name_of(argument: &str) -> String {
    let first = argument.split(' ').next().unwrap_or_default();
    let first =
        if first.starts_with('-') { first.split('=').next().unwrap_or(first) } else { first };
    first.trim_matches(|c| "<>[].".contains(c)).to_owned()
}
