//! The arguments of the program: defines all commands and options, and reads a command line into a
//! [`Command`].

mod details;
mod likely;
mod mistake;

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::{BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args as ClapArgs, FromArgMatches, Parser, Subcommand, ValueEnum};
use overspill::internal::settings::{CallField, CallKind, CallSetting, CallValue, KEEPS};
use overspill::{CallOptions, Layer, Overspill, Profile};

pub(crate) use self::details::{CallDetails, StoreArgs};
use crate::command::{
    audit::AuditArgs, completions::CompletionsArgs, config::ConfigArgs, cut::CutArgs,
    diff::DiffArgs, doctor::DoctorArgs, explain::ExplainArgs, gc::GcArgs, grep::GrepArgs,
    help::HelpArgs, hook::HookArgs, info::InfoArgs, init::InitArgs, list::ListArgs, man::ManArgs,
    mcp::McpArgs, pin::PinArgs, push::PushArgs, read::ReadArgs, rm::RmArgs, run::RunArgs,
    sh::ShArgs, stats::StatsArgs, uninstall::UninstallArgs, view::ViewArgs,
};
use crate::env::Env;
use crate::pipelines::PipelineSettings;
use crate::recent::RecentName;
use crate::settings::SettingSources;
use crate::settings::units::{parse_duration, parse_limit};
use crate::tokenizer::Tokenizer;
use crate::ui::ColorChoice;

pub(crate) use mistake::{as_program, explained, misuse, place};

/// The first help page: commands by purpose, and topics. Tests check that none is missing.
const HELP: &str = "\
{about}

{usage-heading} overspill [COMMAND | CMD …]

Run:
  CMD …, run    Run a command; show a short version if it prints too much
  cut           Shorten a file or the output of a pipe
  mcp           Shorten the results of an MCP server

Look:
  list          Saved outputs, the newest first
  read          Read a saved output page by page
  grep          Search saved outputs
  diff          Compare an output with the run before it
  info          Details of a saved output
  explain       Why each part of a preview was shown
  stats         How many bytes and tokens were saved
  view          See in a browser what the agent saw
  audit         Measure overspill on your recorded sessions

Set up:
  init          Set up your agents
  uninstall     Undo `init`
  doctor        Check the installation
  config        Show and change settings
  completions   Print a shell completion script
  man           Print a manual page
  help          Print the help of a command or a topic

Clean up:
  pin           Never delete an output automatically
  rm            Remove outputs
  gc            Remove expired outputs
  push          Upload outputs that wait for the bucket (a shared store)

Examples:
  overspill cargo test                      run it; a long output is saved
  overspill read q7atzy --lines 100-200     read a part of a saved output
  overspill grep -i error                   search all saved outputs
  overspill init claude-code                set up an agent

Topics (overspill help TOPIC):
  limits        How much of an output is shown
  keep          Which part of a long output is shown
  ids           How to name a saved output
  settings      Files, variables and options, and which of them applies

Options:
{options}

`overspill COMMAND --help` explains a command. `overspill` alone shows the last outputs.";

/// Returns the examples of the help, one on each line.
pub(crate) fn first_examples() -> &'static str {
    let rest = HELP.split_once("Examples:\n").map_or("", |(_, rest)| rest);
    rest.split_once("\n\n").map_or(rest, |(examples, _)| examples)
}

/// Shorten long command output for AI agents. The full output is saved and searchable.
// An option can be repeated, and the last one applies, so that users can override an alias.
#[derive(Debug, Parser)]
#[command(name = "overspill", version, args_override_self = true, help_template = HELP)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Use colours; `auto` uses them on a terminal and follows NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Cut(CutArgs),
    #[command(aliases = ["show", "cat"])]
    Read(ReadArgs),
    #[command(aliases = ["search", "rg"])]
    Grep(GrepArgs),
    #[command(alias = "ls")]
    List(ListArgs),
    Info(InfoArgs),
    Diff(DiffArgs),
    Explain(ExplainArgs),
    #[command(alias = "remove")]
    Rm(RmArgs),
    Pin(PinArgs),
    #[command(aliases = ["clean", "prune"])]
    Gc(GcArgs),
    Push(PushArgs),
    Config(ConfigArgs),
    Stats(StatsArgs),
    View(ViewArgs),
    Audit(AuditArgs),
    Mcp(McpArgs),
    Init(InitArgs),
    Uninstall(UninstallArgs),
    Doctor(DoctorArgs),
    #[command(hide = true)]
    Hook(HookArgs),
    #[command(hide = true)]
    Sh(ShArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Help(HelpArgs),
}

/// A parser for `run` alone.
///
/// Agents put `run` in front of every command. A parser for all subcommands would take a tenth of
/// the time of a short command.
#[derive(Debug, Parser)]
#[command(name = "run", args_override_self = true)]
struct OnlyRun {
    #[command(flatten)]
    args: RunArgs,
}

/// The words that `overspill WORD` never takes for a program to run: subcommands and their aliases.
pub(crate) const SUBCOMMAND_NAMES: [&str; 36] = [
    "audit",
    "cat",
    "clean",
    "completions",
    "config",
    "cut",
    "diff",
    "doctor",
    "explain",
    "gc",
    "grep",
    "help",
    "hook",
    "info",
    "init",
    "list",
    "ls",
    "man",
    "mcp",
    "pin",
    "prune",
    "push",
    "read",
    "remove",
    "rg",
    "rm",
    "run",
    "search",
    "sh",
    "show",
    "stats",
    "tee",
    "uninstall",
    "unpin",
    "version",
    "view",
];

/// Reads `CMD ARGUMENT…`, which is short for `run -- CMD ARGUMENT…`.
///
/// Returns `None` if the first word is a subcommand, or if it is not a program and looks like a
/// mistyped subcommand.
fn bare_command(words: &[OsString], env: &Env) -> Option<Command> {
    let command = words.get(1..)?;
    let first = command.first()?.to_str()?;
    if first == "--" {
        return RunArgs::without_options(command).map(Command::Run);
    }
    if first.starts_with('-') || first.is_empty() || SUBCOMMAND_NAMES.contains(&first) {
        return None;
    }
    let is_program = first.contains('/') || env.on_path(first).any(|path| path.is_file());
    if !is_program && mistake::meant_command(first).is_some() {
        return None;
    }
    RunArgs::without_options(command).map(Command::Run)
}

/// Reads the arguments of this process. The first is the name of the program.
pub(crate) fn read(words: &[OsString], env: &Env) -> Result<Command, clap::Error> {
    if words.get(1).is_some_and(|word| word == "run") {
        let args = RunArgs::without_options(&words[2..])
            .or_else(|| OnlyRun::try_parse_from(&words[1..]).ok().map(|only| only.args));
        if let Some(args) = args {
            return Ok(Command::Run(args));
        }
    }
    // Hosts call `hook` after every tool, so it does not wait for the parser either.
    if let [_, word, host] = words
        && word == "hook"
        && let Some(host) = host.to_str().filter(|host| !host.starts_with('-'))
    {
        return Ok(Command::Hook(HookArgs::of(host)));
    }
    if let Some(command) = bare_command(words, env) {
        return Ok(command);
    }
    // Only the full parser has the texts of help and errors.
    let args = Args::try_parse_from(words)?;
    env.choose_color(args.color);
    Ok(args.command)
}

/// Takes `--color WHEN` from the front of the arguments, so that `overspill --color never CMD` runs a command.
///
/// An invalid value stays in place, so that the parser reports it.
pub(crate) fn without_color(words: Vec<OsString>, env: &Env) -> Vec<OsString> {
    let first = words.get(1).and_then(|word| word.to_str());
    let (value, used) = match first.and_then(|word| word.strip_prefix("--color")) {
        Some("") => (words.get(2).and_then(|word| word.to_str()), 2),
        Some(value) => (value.strip_prefix('='), 1),
        None => return words,
    };
    let Some(choice) = value.and_then(|value| ColorChoice::from_str(value, false).ok()) else {
        return words;
    };
    env.choose_color(choice);
    let mut words = words;
    words.drain(1..=used);
    words
}

/// Replaces short forms: `last` by `read last`, `unpin` by `pin --off`, `version` by `--version`,
/// and `config help` by `help config`.
pub(crate) fn expanded(mut words: Vec<OsString>) -> Vec<OsString> {
    if let [_, command, help, ..] = &words[..]
        && (command == "config" || command == "mcp")
        && help == "help"
    {
        words.swap(1, 2);
        return words;
    }
    let first = words.get(1).and_then(|word| word.to_str());
    let (range, long): (_, &[&str]) = match first {
        Some("unpin") => (1..2, &["pin", "--off"]),
        Some("version") => (1..2, &["--version"]),
        // These words name outputs, even if a program `last` exists.
        Some(word) if RecentName::parse(word).is_some() => (1..1, &["read"]),
        _ => return words,
    };
    words.splice(range, long.iter().map(OsString::from));
    words
}

/// Tells whether the arguments ask for the version, which needs no parser.
pub(crate) fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [_, word] if word == "--version" || word == "-V")
}

/// Options for the limits of a preview and the part that it shows. Settings apply where an option
/// is missing.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    call: CallArgs,
    /// Count tokens by `estimate`, or exactly by `o200k` or `cl100k` if this build has them
    /// [default: estimate].
    #[arg(long, value_name = "NAME", value_parser = tokenizer)]
    tokenizer: Option<Tokenizer>,
    /// Work like another system, with its limits, notices and directories [default: the setting `profile`].
    #[arg(long, value_name = "NAME", value_parser = profiles())]
    profile: Option<&'static str>,
    /// The tool that printed the output, such as `bash`. Settings of this tool apply, and `list`
    /// shows its name.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
}

/// The engine for an output, and the options of this call.
pub(crate) struct Engine {
    pub(crate) overspill: Overspill,
    pub(crate) options: CallOptions,
    /// The tool that the output comes from.
    pub(crate) tool: String,
    /// The id of the call.
    pub(crate) call_id: Option<String>,
    /// The session that the output belongs to.
    pub(crate) session: Option<String>,
    /// The profile in use.
    pub(crate) profile: Profile,
    pub(crate) pipelines: PipelineSettings,
}

impl LimitArgs {
    /// Tells whether an option changes the preview.
    pub(crate) fn is_any_given(&self) -> bool {
        self.call.0 != Layer::default() || self.tokenizer.is_some() || self.profile.is_some()
    }

    /// Makes an engine from these options, the settings and the environment. `tool` is the name of
    /// the tool if no option names one.
    pub(crate) fn engine(&self, tool: &str, env: &Env) -> Engine {
        let profile = self.profile.and_then(Profile::named);
        let mut resolved = SettingSources::read(env).resolved(profile);
        if let Some(tokenizer) = self.tokenizer {
            resolved.profile.policy.tokens = tokenizer.tokens();
        }
        Engine {
            pipelines: PipelineSettings::of(&resolved.sources, &resolved.profile),
            profile: resolved.profile.clone(),
            overspill: resolved.overspill(),
            options: CallOptions { settings: self.call.0.clone(), ..CallOptions::default() },
            tool: self.tool.clone().unwrap_or_else(|| tool.to_owned()),
            call_id: None,
            session: env.session(),
        }
    }
}

/// The options of a call: one for each setting of a call that has an option.
#[derive(Debug, Default, Clone)]
struct CallArgs(Layer);

/// Returns the option for a setting; `None` if the setting has no option.
fn option(setting: CallSetting) -> Option<Arg> {
    let CallField { name, kind, option, .. } = setting.field();
    let (long, help) = option?;
    let arg = Arg::new(name).long(long).help(help);
    Some(match kind {
        CallKind::Switch => {
            let parser = BoolValueParser::new().map(CallValue::Switch);
            let arg = arg.value_name("BOOL").value_parser(parser);
            // `--fill` alone means true; the word after it is another argument.
            arg.num_args(0..=1).require_equals(true).default_missing_value("true")
        }
        CallKind::Keep => arg.value_name("KEEP").value_parser(keeps()),
        CallKind::Kind => arg.value_name("KIND").value_parser(kinds()),
        CallKind::Count | CallKind::Bytes => {
            let wrong = match kind {
                CallKind::Bytes => "expected a size, such as `50KiB`, or `none`",
                _ => "expected a number, such as `500`, or `none`",
            };
            let limit = move |typed: &str| parse_limit(typed).map(CallValue::Limit).ok_or(wrong);
            arg.value_name("N").value_parser(limit).allow_hyphen_values(true)
        }
    })
}

impl ClapArgs for CallArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(CallSetting::ALL.into_iter().filter_map(option))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        CallArgs::augment_args(command)
    }
}

impl FromArgMatches for CallArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CallArgs, clap::Error> {
        let mut args = CallArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in CallSetting::ALL.into_iter().filter(|one| one.field().option.is_some()) {
            if let Some(value) = matches.get_one::<CallValue>(setting.name()) {
                self.0.set(setting, Some(*value));
            }
        }
        Ok(())
    }
}

fn tokenizer(typed: &str) -> Result<Tokenizer, String> {
    Tokenizer::named(typed).ok_or_else(|| format!("expected {}", Tokenizer::allowed()))
}

fn keeps() -> impl TypedValueParser<Value = CallValue> {
    let values = KEEPS.iter().map(|(name, _, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| CallValue::keep_named(&name).ok_or("unknown"))
}

fn kinds() -> impl TypedValueParser<Value = CallValue> {
    let values = CallValue::kind_names().map(PossibleValue::new);
    PossibleValuesParser::new(values).try_map(|name| CallValue::kind_named(&name).ok_or("unknown"))
}

/// Reads the name of a profile.
pub(crate) fn profiles() -> impl TypedValueParser<Value = &'static str> {
    PossibleValuesParser::new(Profile::ALL.map(|profile| profile.name))
        .try_map(|name| Profile::named(&name).map(|profile| profile.name).ok_or("unknown"))
}

/// Reads a duration such as `90s`, `10m` or `1.5h`; a number without a unit is in seconds.
pub(crate) fn duration(typed: &str) -> Result<Duration, &'static str> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let seconds = typed.ends_with(is_number).then(|| format!("{typed}s"));
    let duration = parse_duration(seconds.as_deref().unwrap_or(typed));
    duration.ok_or("expected a time such as `90s`, `10m`, `2h` or `1d`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::help::{TOPICS, Topic};

    #[test]
    fn options_that_may_be_repeated_add_up() {
        let line = "overspill mcp --name a --header a:1 --http http://x --header b:2 --name b";
        let read = Args::try_parse_from(line.split(' ')).map(|args| format!("{:?}", args.command));
        let read = read.unwrap();
        assert!(read.contains(r#"[("a", "1"), ("b", "2")]"#), "{read}");
        assert!(read.contains(r#"name: Some("b")"#), "{read}");
    }

    #[test]
    fn run_parser_agrees_with_the_full_parser() {
        for line in [
            "overspill run -- a",
            "overspill run -- a --b -- c run",
            "overspill run --max-lines 3 --pty -- a",
            "overspill run --shell a",
            "overspill run --",
            "overspill run",
            "overspill run a",
            "overspill run --help",
            "overspill run -h",
            "overspill run --max-lines x -- a",
            "overspill run --max-lines 3 --pty --max-lines 4 --pty -- a",
            "overspill run --pyt -- a",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let long = Args::try_parse_from(&words).map(|args| args.command);
            let say = |read: Result<Command, clap::Error>| match read {
                Ok(command) => format!("{command:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(say(read(&words, &no_path())), say(long), "{line}");
        }
    }

    fn no_path() -> Env {
        Env::of_table(&[], std::path::Path::new("/"))
    }

    fn command_of(line: &str, env: &Env) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = without_color(words, env);
        match read(&words, env) {
            Ok(Command::Run(args)) => Some(args.words().join(" ")),
            _ => None,
        }
    }

    #[test]
    fn command_begins_with_the_first_argument_that_is_no_option() {
        for (line, expected) in [
            ("overspill run cargo test", "cargo test"),
            ("overspill run cargo test -- --nocapture", "cargo test -- --nocapture"),
            ("overspill run --max-lines 3 cargo test --pty", "cargo test --pty"),
            ("overspill run --pty cargo --help", "cargo --help"),
            ("overspill run -- cargo -- test", "cargo -- test"),
            ("overspill cargo test --help", "cargo test --help"),
            ("overspill ./configure -h", "./configure -h"),
            ("overspill -- list --all", "list --all"),
            ("overspill --color never cargo test", "cargo test"),
            ("overspill --color=always run ls --color=auto", "ls --color=auto"),
        ] {
            assert_eq!(command_of(line, &no_path()).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn subcommands_are_never_programs_to_run() {
        for line in ["overspill list", "overspill help", "overspill lissst", "overspill --version"]
        {
            assert_eq!(command_of(line, &no_path()), None, "{line}");
        }
        let parser = <Args as clap::CommandFactory>::command();
        for command in parser.get_subcommands() {
            let row = format!("\n  {} ", command.get_name()).replace("  run ", "  CMD …, run ");
            assert_eq!(HELP.contains(&row), !command.is_hide_set(), "{row}");
            for name in std::iter::once(command.get_name()).chain(command.get_all_aliases()) {
                assert!(SUBCOMMAND_NAMES.contains(&name), "{name}");
            }
        }
        for Topic { name, about, .. } in &TOPICS {
            assert!(HELP.contains(&format!("\n  {name:14}{about}\n")), "{name}");
        }
    }
}
