//! `overspill completions`: prints a completion script for a shell, made from the definitions of
//! the arguments.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;
use overspill::internal::store::{RecentOrder, RecentQuery, Record};
use overspill::store::Entry;

use crate::args::Args;
use crate::env::Env;
use crate::hosts::{HOSTS, Host};
use crate::settings::keys::Key;
use crate::tokenizer::Tokenizer;
use crate::{stores, ui};

/// Prints a shell completion script.
///
/// The scripts for bash, zsh and fish complete the ids of saved outputs, with command and age.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill completions bash > ~/.local/share/bash-completion/completions/overspill
  overspill completions zsh > ~/.zfunc/_overspill
  overspill completions fish > ~/.config/fish/completions/overspill.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell that reads the script.
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, _: &Env) -> u8 {
    ui::ended(completions(args))
}

fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let mut program = with_names(Args::command());
    clap_complete::generate(args.shell, &mut program, "overspill", &mut script);
    let script = String::from_utf8_lossy(&script);
    ui::answer(&match args.shell {
        Shell::Bash => script.into_owned() + &ids_for_bash(),
        Shell::Zsh => with_ids_for_zsh(&script),
        Shell::Fish => format!("{script}{}{}", names_for_fish(&program), ids_for_fish()),
        _ => script.into_owned(),
    })
}

/// The hidden command that the scripts call. It prints an id, a tab and a description on each line.
const IDS: &str = "__complete";
/// The largest number of ids that a shell offers.
const MOST_IDS: usize = 50;
/// The number of columns of a command that the description of an id shows.
const COMMAND: usize = 50;
/// The commands that take ids.
const WITH_IDS: [&str; 11] =
    ["cat", "diff", "explain", "info", "pin", "read", "remove", "rm", "show", "unpin", "view"];
/// The commands that take ids after a pattern.
const WITH_PATTERN: [&str; 3] = ["grep", "rg", "search"];

/// Prints the ids for a completion script if these arguments ask for them. It prints no errors:
/// they would appear in the line that the user is typing.
pub(crate) fn called(words: &[OsString], env: &Env) -> Option<u8> {
    if words.get(1).is_none_or(|word| word != IDS) {
        return None;
    }
    let query = RecentQuery { most: MOST_IDS, order: RecentOrder::Saved, ..RecentQuery::default() };
    let newest = stores::store(&stores::StoreAccess::by_settings(env))
        .ok()
        .and_then(|store| store.newest(&query).ok());
    let now = env.now();
    let line = |(entry, record): &(Entry, Record)| {
        let command = record.call.command.as_ref().or(record.call.tool.as_ref());
        let command = ui::short(command.map_or("", String::as_str), COMMAND);
        let age = ui::age(entry.name.time().unwrap_or(entry.used), now);
        let exit = match super::list::exit(record) {
            Some(code) if code != 0 => format!(", exit {code}"),
            _ => String::new(),
        };
        format!("{}\t{command}, {age} ago{exit}\n", entry.name.short_id())
    };
    let ids: String = newest.iter().flat_map(|newest| &newest.entries).map(line).collect();
    let _ = ui::answer(&format!("{ids}last\tthe newest output\nfailed\tthe newest failure\n"));
    Some(0)
}

/// A function that adds ids to the words of the generated function. Several ids have descriptions;
/// one id has none, because bash inserts it.
const IDS_FOR_BASH: &str = r#"
_overspill_with_ids() {
    _overspill "$@"
    local cur=${COMP_WORDS[COMP_CWORD]} first=2 line
    case ${COMP_WORDS[1]} in
        @WITH_PATTERN@) first=3 ;;
        @WITH_IDS@) ;;
        *) return ;;
    esac
    [[ $cur == -* || $COMP_CWORD -lt $first || ${COMP_WORDS[COMP_CWORD-1]} == --* ]] && return
    local -a found=()
    while IFS= read -r line; do
        [[ $line == "$cur"* ]] && found+=("$line")
    done < <("${COMP_WORDS[0]}" __complete ids 2>/dev/null)
    COMPREPLY=("${found[@]/$'\t'/  }")
    if (( ${#found[@]} == 1 )); then COMPREPLY=("${found[0]%%$'\t'*}"); fi
}
complete -F _overspill_with_ids -o nosort -o bashdefault -o default overspill 2>/dev/null ||
    complete -F _overspill_with_ids -o bashdefault -o default overspill
"#;

fn ids_for_bash() -> String {
    IDS_FOR_BASH
        .replace("@WITH_PATTERN@", &WITH_PATTERN.join("|"))
        .replace("@WITH_IDS@", &WITH_IDS.join("|"))
}

const IDS_FOR_ZSH: &str = r#"
_overspill_ids() {
    local -a ids
    local line
    for line in "${(@f)$(overspill __complete ids 2>/dev/null)}"; do
        ids+=("${line%%$'\t'*}:${line#*$'\t'}")
    done
    _describe -V 'saved output' ids
}
"#;

/// Replaces the completion of file names by the completion of ids.
fn with_ids_for_zsh(script: &str) -> String {
    let is_id = |line: &str| {
        let line = line.trim_start_matches(['\'', '*', ':']);
        ["id -- ", "ids -- ", "other -- "].iter().any(|start| line.starts_with(start))
    };
    let line = |line: &str| match is_id(line) {
        true => line.replace(":_default'", ":_overspill_ids'") + "\n",
        false => format!("{line}\n"),
    };
    let script: String = script.lines().map(line).collect();
    // The last line of the script calls the completion, so the function must come before it.
    match script.split_once("\n_overspill() {") {
        Some((head, rest)) => format!("{head}\n{IDS_FOR_ZSH}\n_overspill() {{{rest}"),
        None => script,
    }
}

fn ids_for_fish() -> String {
    let line = |command: &&str| {
        format!(
            "complete -c overspill -n \"__fish_overspill_using_subcommand {command}\" -k -f -a \"(overspill {IDS} ids)\"\n"
        )
    };
    WITH_IDS.iter().chain(&WITH_PATTERN).map(line).collect()
}

/// Returns the lines that complete arguments, which the generator for fish leaves out. The lines
/// use functions of the generated script.
fn names_for_fish(program: &clap::Command) -> String {
    let mut script = String::new();
    for command in program.get_subcommands() {
        let within = format!("__fish_overspill_using_subcommand {}", command.get_name());
        script.push_str(&line_for_fish(command, &within));
        for action in command.get_subcommands() {
            let seen = format!("{within}; and __fish_seen_subcommand_from {}", action.get_name());
            script.push_str(&line_for_fish(action, &seen));
        }
    }
    script
}

fn line_for_fish(command: &clap::Command, when: &str) -> String {
    let names = command.get_positionals().flat_map(clap::Arg::get_possible_values);
    let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("complete -c overspill -n \"{when}\" -f -a \"{}\"\n", names.join(" ")),
    }
}

/// Returns the command with the possible values of some arguments, for completion only. The parser
/// does not restrict these arguments: `config` accepts names such as `tools.bash.keep`, and its
/// errors have better hints.
fn with_names(command: clap::Command) -> clap::Command {
    let with_names = |arg: clap::Arg| match names(arg.get_id().as_str()) {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
        None => arg,
    };
    command.mut_args(with_names).mut_subcommands(self::with_names)
}

/// Returns the values that a shell offers for an argument with this name, in any command.
fn names(argument: &str) -> Option<Vec<PossibleValue>> {
    let host = |host: &Host| PossibleValue::new(host.name).help(host.title);
    Some(match argument {
        "hosts" => HOSTS.iter().map(host).collect(),
        "host" => HOSTS.iter().filter(|host| host.hook.is_some()).map(host).collect(),
        "key" => {
            Key::all().map(|key| PossibleValue::new(key.name()).help(key.row().help)).collect()
        }
        "names" => super::help::choices(),
        "tokenizer" => Tokenizer::NAMES.iter().map(|(name, _)| PossibleValue::new(*name)).collect(),
        _ => return None,
    })
}
