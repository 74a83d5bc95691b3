//! `overspill run`: runs a command, shows its output within the limit, and saves a long output.

mod head_budget;
mod live_view;
mod output;
mod presenter;
mod replaced;
mod runs;
mod screen;
mod streamed_head;
mod terminal_text;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use overspill::Call;
use overspill::core::Keep;

use crate::args::{CallDetails, Engine, LimitArgs, duration};
use crate::env::Env;
use crate::hosts::{ExpectedLog, Host};
use crate::pipelines::{PipelineMode, Watch};
use crate::process::{
    self, CommandSpec, CommandTerminal, Descriptors, Ended, ProcessEvent, Stderr, Unstartable,
};
use crate::{find, ui};

use output::Output;
pub(crate) use presenter::Shows;

/// Runs a command; shows a short version if it prints too much.
///
/// Short output is unchanged. If the output is long, overspill saves the output and shows a preview. The exit code is that
/// of the command. On a terminal you see everything live, as without overspill.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  overspill run cargo test
  overspill cargo test                             the same, shorter
  overspill run --shell 'make 2>&1 | grep -v note'
  overspill run --timeout 10m --max-lines 200 ./integration-tests

Exit code: that of the command, or 1 if the command succeeded but stdout cannot be written.
124: --timeout ended the command. 125: invalid overspill arguments. 126: the command cannot be run.
127: the command is not found. 128+n: signal n ended the command.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    call: CallDetails,
    /// Run this line in your shell ($SHELL), with pipes and redirections [default: run CMD without
    /// a shell].
    #[arg(long, value_name = "LINE", conflicts_with = "command")]
    shell: Option<OsString>,
    /// How to show the command's standard error.
    #[arg(long, value_enum, default_value_t, value_name = "WHERE")]
    stderr: Stderr,
    /// Give the command a terminal, also if stdout is a pipe or a file [default: only if stdout is
    /// a terminal].
    #[arg(long, overrides_with = "no_pty")]
    pty: bool,
    /// Give the command pipes, also on a terminal.
    #[arg(long)]
    no_pty: bool,
    /// Show the start live, and the end when the command has ended [default: show the preview at
    /// the end].
    #[arg(long)]
    stream: bool,
    /// Show the whole output: no limit and no ceiling applies.
    #[arg(long, conflicts_with = "stream")]
    all: bool,
    /// End the command and its child processes after this time, such as `90s` or `10m` [default: no
    /// timeout].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// The command and its arguments. The first argument that is not an option starts the command.
    #[arg(required_unless_present = "shell", trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl RunArgs {
    /// Reads the arguments after `run` if they are `CMD …` or `-- CMD …`, which need no parser.
    pub(crate) fn without_options(words: &[OsString]) -> Option<RunArgs> {
        let (first, rest) = words.split_first()?;
        let command = match first.as_encoded_bytes() {
            b"--" => rest,
            b"" | [b'-', ..] => return None,
            _ => words,
        };
        (!command.is_empty()).then(|| RunArgs { command: command.to_vec(), ..RunArgs::default() })
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> Vec<String> {
        self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}

/// The interval at which overspill checks whether the host has moved the command to the background.
const BACKGROUND_LOOK: Duration = Duration::from_millis(200);
/// The exit code of overspill's own errors.
const OUR_OWN: u8 = 125;
/// The exit code if a successful command's output could not be shown.
const UNSHOWN: u8 = 1;

/// A command to run, with the limits for its output.
pub(crate) struct Job {
    pub(crate) engine: Engine,
    /// The command as the record names it.
    pub(crate) command: String,
    pub(crate) asked: CommandSpec,
    /// The shell line, if the command is one.
    pub(crate) line: Option<ShellLine>,
    pub(crate) shows: Shows,
    /// The time that a host needs to read the last output, if the host stops reading at our end.
    pub(crate) reader_needs: Option<Duration>,
    /// The log that the host creates if it moves the command to the background.
    pub(crate) background: Option<ExpectedLog>,
}

/// A shell line whose pipelines are watched.
pub(crate) struct ShellLine {
    /// The index of the line among the words of the command.
    pub(crate) at: usize,
    /// The mode if no setting names one.
    pub(crate) default: PipelineMode,
}

pub(crate) fn run(args: RunArgs, descriptors: Descriptors, env: &Env) -> u8 {
    Job::of(args, env).run(descriptors, env)
}

impl Job {
    fn of(args: RunArgs, env: &Env) -> Job {
        let mut engine = args.call.added_to(args.limits.engine("run", env));
        if args.stream {
            // overspill cannot take back a shown start, so later output must not replace it.
            engine.options.settings.keep.get_or_insert(Keep::ENDS);
        }
        let (command, words, line) = match args.shell {
            Some(line) => {
                let words = vec![env.shell(), "-c".into(), line.clone()];
                let default = PipelineMode::Status;
                (line.to_string_lossy().into_owned(), words, Some(ShellLine { at: 2, default }))
            }
            None => {
                let words = args.command.iter().map(|word| ui::shell_word(&word.to_string_lossy()));
                (words.collect::<Vec<_>>().join(" "), args.command, None)
            }
        };
        let RunArgs { stderr, pty, no_pty, stream, all, timeout, .. } = args;
        // overspill masks nothing on a terminal like ours, because programs draw on it.
        let can_be_like_ours = stderr == Stderr::Merged
            && engine.overspill.redaction().shown().is_none()
            && process::GIVES_TERMINALS
            && env.has_person()
            && process::is_in_foreground();
        let terminal = match (no_pty, pty) {
            (true, _) => CommandTerminal::None,
            (false, _) if can_be_like_ours => CommandTerminal::LikeOurs,
            (false, true) => CommandTerminal::Plain,
            (false, false) => CommandTerminal::None,
        };
        let watched = !stream && !all;
        let mut asked =
            CommandSpec { words, stderr, terminal, timeout, watched, ..CommandSpec::default() };
        if !ui::is_seen() {
            (asked.until, asked.leftover) = Host::output_end(env);
        }
        let shows = match (all, stream) {
            (true, _) => Shows::All,
            (false, true) => Shows::Start,
            (false, false) => Shows::Usual,
        };
        Job { engine, command, asked, line, shows, reader_needs: None, background: None }
    }

    /// Runs the command, and returns its exit code.
    pub(crate) fn run(self, descriptors: Descriptors, env: &Env) -> u8 {
        match self.try_run(descriptors, env) {
            Ok((ended, all_shown)) => {
                report_unusual_end(&ended);
                if ended.timed_out.is_none() {
                    process::end_like(ended.how);
                }
                // Without overspill, a command that could not write its output would have failed.
                if all_shown { ended.code() } else { ended.code().max(UNSHOWN) }
            }
            Err(error) => {
                let unstartable = error.downcast_ref::<Unstartable>();
                let code = unstartable.map_or(OUR_OWN, Unstartable::code);
                let typed = unstartable.map(|it| it.program.as_str());
                let is_missing = code == Unstartable::NOT_FOUND;
                match typed.filter(|typed| is_missing && find::is_short_id(typed, env)) {
                    Some(id) => ui::Failure::new(
                        format!("{id}: command not found"),
                        Some(format!("`overspill read {id}` shows the saved output")),
                    ),
                    None => ui::Failure::of(&error),
                }
                .print(code);
                code
            }
        }
    }

    /// Runs the command. Returns its end, and whether everything could be shown.
    fn try_run(self, descriptors: Descriptors, env: &Env) -> anyhow::Result<(Ended, bool)> {
        let Job { engine, mut asked, .. } = self;
        let Engine { overspill, options, tool, call_id, session, pipelines, .. } = engine;
        let call = Call {
            command: Some(self.command),
            id: call_id,
            session,
            directory: env.recorded_directory(),
            ..Call::new(tool)
        };
        let watch = self.line.and_then(|ShellLine { at, default }| {
            Watch::attach(&pipelines, default, &mut asked, at, env)
        });
        asked.every = self.background.as_ref().map(|_| BACKGROUND_LOOK);
        let mut output = Output::new(&overspill, call, options, asked.stderr, self.shows);
        output = output.unless_in_background(self.background);
        if asked.terminal == CommandTerminal::LikeOurs {
            output = output.of_terminal();
        }
        let started = Instant::now();
        // The reader does not see the output live.
        let is_hidden = !ui::is_seen() && asked.stderr != Stderr::Pass;
        let progress = match is_hidden && env.is_watched() {
            true => ui::Progress::beside_others("running"),
            false => ui::Progress::hidden(),
        };
        let ended = process::run(&asked, descriptors, &mut |news| {
            if let ProcessEvent::Bytes(_, bytes) = &news {
                progress.came(bytes.len() as u64);
            }
            output.hear(news)
        });
        drop(progress);
        let ended = ended?;
        // From here on the exit code is the command's, even if overspill fails.
        let watched = watch.map(|watch| output.watched(watch)).unwrap_or_default();
        let all_shown = output.end(&ended, started.elapsed(), &watched);
        // A short command needs no wait: without overspill, its output would come at the same time.
        if let Some(needs) = self.reader_needs.filter(|needs| started.elapsed() > *needs) {
            std::thread::sleep(needs);
        }
        Ok((ended, all_shown))
    }
}

/// Reports a timeout, and background processes that still run.
fn report_unusual_end(ended: &Ended) {
    if let Some(limit) = ended.timed_out {
        ui::say(&format!("the command was ended: it ran longer than --timeout {limit:?}"));
    }
    // A model reads our standard error as part of the output of its command.
    if ended.held && ui::is_error_seen() {
        ui::say(
            "the command has ended, but a process that it started still runs; overspill does not save \
             the output of that process",
        );
    }
}
