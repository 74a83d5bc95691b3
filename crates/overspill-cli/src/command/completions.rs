//! `overspill completions`

use clap::CommandFactory;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;

use crate::args::Args;
use crate::env::Env;
use crate::hosts::{HOSTS, Host};
use crate::settings::keys::Key;
use crate::tokenizer::Tokenizer;
use crate::ui;

/// Prints what a shell needs to complete our words.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill completions bash > ~/.local/share/bash-completion/completions/overspill
  overspill completions zsh > ~/.zfunc/_overspill
  overspill completions fish > ~/.config/fish/completions/overspill.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, _: &Env) -> u8 {
    ui::ended(completions(args))
}

fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let mut program = with_names(Args::command());
    clap_complete::generate(args.shell, &mut program, "overspill", &mut script);
    if args.shell == Shell::Fish {
        script.extend_from_slice(names_for_fish(&program).as_bytes());
    }
    ui::answer_bytes(&script)
}

/// Returns what completes names that are no options, which the generator for fish leaves out. Goes by
/// the functions that its script has.
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

/// Returns the command with the names that may stand in some places. What is read there is decided
/// elsewhere: tools have settings of their own, and others say better what was likely meant.
fn with_names(command: clap::Command) -> clap::Command {
    let with_names = |arg: clap::Arg| match names(arg.get_id().as_str()) {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
        None => arg,
    };
    command.mut_args(with_names).mut_subcommands(self::with_names)
}

/// Returns what an argument may be, whatever command it is of.
fn names(argument: &str) -> Option<Vec<PossibleValue>> {
    let host = |host: &Host| PossibleValue::new(host.name).help(host.title);
    Some(match argument {
        "hosts" => HOSTS.iter().map(host).collect(),
        "host" => HOSTS.iter().filter(|host| host.hook.is_some()).map(host).collect(),
        "key" => {
            Key::all().map(|key| PossibleValue::new(key.name()).help(key.row().help)).collect()
        }
        "tokenizer" => Tokenizer::NAMES.iter().map(|(name, _)| PossibleValue::new(*name)).collect(),
        _ => return None,
    })
}
