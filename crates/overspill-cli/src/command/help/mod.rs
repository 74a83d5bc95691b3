//! `overspill help`: prints the help of a command, or a page about a topic that concerns several
//! commands.

use clap::builder::PossibleValue;
use clap::{CommandFactory, Parser};

use crate::args::{Args, SUBCOMMAND_NAMES};
use crate::env::Env;
use crate::settings::keys::meant;
use crate::ui::{self, UsageError};

/// Prints the help of a command, or explains a topic.
///
/// The topics are limits, keep, ids and settings. Without a name, `help` lists all commands and
/// topics.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill help
  overspill help limits
  overspill help config set")]
pub(crate) struct HelpArgs {
    /// A command or a topic [default: list all of them].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// A page of help that does not belong to a single command.
pub(crate) struct Topic {
    /// The name that the user types.
    pub(crate) name: &'static str,
    /// The summary, for shell completions. The page that `overspill help` prints has the same text.
    pub(crate) about: &'static str,
    text: &'static str,
}

/// Every topic, in the order of the page that `overspill help` prints.
pub(crate) const TOPICS: [Topic; 4] = [
    Topic {
        name: "limits",
        about: "How much of an output is shown",
        text: include_str!("limits.txt"),
    },
    Topic {
        name: "keep",
        about: "Which part of a long output is shown",
        text: include_str!("keep.txt"),
    },
    Topic { name: "ids", about: "How to name a saved output", text: include_str!("ids.txt") },
    Topic {
        name: "settings",
        about: "Files, variables and options, and which of them applies",
        text: include_str!("settings.txt"),
    },
];

/// The largest number of characters of a typed name that an error repeats.
const LONGEST_NAME: usize = 100;

pub(crate) fn run(args: &HelpArgs, _: &Env) -> u8 {
    ui::ended(help(&args.names))
}

fn help(names: &[String]) -> anyhow::Result<()> {
    if let [name, rest @ ..] = names
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == name)
    {
        return match rest.first() {
            None => ui::answer(topic.text),
            Some(extra) => Err(UsageError(format!(
                "the topic {name} has no part \"{}\"\n\nhint: `overspill help {name}` shows the page",
                ui::escaped(extra, LONGEST_NAME)
            ))
            .into()),
        };
    }
    check(names)?;
    let words = ["overspill"].into_iter().chain(names.iter().map(String::as_str)).chain(["--help"]);
    match Args::try_parse_from(words) {
        // The parser returns the help text as an error. `print` writes this text.
        Err(error) => ui::written(error.print()),
        Ok(_) => Ok(()),
    }
}

/// Returns an error for the first name that is not a command.
fn check(names: &[String]) -> anyhow::Result<()> {
    let mut command = Args::command();
    for (at, name) in names.iter().enumerate() {
        if let Some(next) = command.find_subcommand(name) {
            command = next.clone();
            continue;
        }
        let shown = ui::escaped(name, LONGEST_NAME);
        if at == 0 {
            let hint = match likely(name) {
                Some(likely) => format!("did you mean `overspill help {likely}`?"),
                None => "`overspill help` lists the commands and topics".to_owned(),
            };
            let message = format!("there is no command or topic \"{shown}\"\n\nhint: {hint}");
            return Err(UsageError(message).into());
        }
        let path = names[..at].join(" ");
        return Err(UsageError(format!(
            "`overspill {path}` has no command \"{shown}\"\n\nhint: `overspill help {path}` explains it"
        ))
        .into());
    }
    Ok(())
}

/// Returns the command or topic that the user likely meant.
fn likely(typed: &str) -> Option<String> {
    let choices = choices();
    meant(typed, choices.iter().map(PossibleValue::get_name)).map(str::to_owned)
}

/// Returns all topics and visible commands, with their summaries. `PossibleValue` needs static
/// names, so the names come from `SUBCOMMAND_NAMES`.
pub(crate) fn choices() -> Vec<PossibleValue> {
    let topics = TOPICS.iter().map(|topic| PossibleValue::new(topic.name).help(topic.about));
    let program = Args::command();
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = visible.filter_map(|command| {
        let name = SUBCOMMAND_NAMES.into_iter().find(|name| *name == command.get_name())?;
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        Some(PossibleValue::new(name).help(about))
    });
    topics.chain(commands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_topic_name_is_not_a_command_name() {
        let program = Args::command();
        for topic in &TOPICS {
            assert!(program.find_subcommand(topic.name).is_none(), "{}", topic.name);
        }
    }

    #[test]
    fn help_topic_fits_one_screen() {
        for topic in &TOPICS {
            assert!(topic.text.lines().count() <= 40, "{}", topic.name);
            assert!(topic.text.lines().all(|line| line.chars().count() <= 80), "{}", topic.name);
        }
    }
}
