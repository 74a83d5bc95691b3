//! `overspill run`

mod head_budget;
mod live_view;
mod output;
mod presenter;
mod replaced;
mod runs;
mod screen;
mod streamed_head;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use overspill::Call;
use overspill::core::Keep;

use crate::args::{CallDetails, Engine, LimitArgs, duration};
use crate::env::Env;
use crate::pipelines::{PipelineMode, Watch};
use crate::process::{self, CommandSpec, Descriptors, Ended, Stderr, Unstartable};
use crate::ui;

use output::Output;
pub(crate) use presenter::Shows;

/// Runs a command and bounds what it prints.
///
/// The exit code is the command's. Output that fits passes through byte for byte; of a longer one
/// a preview is shown, and all of it is saved. On a terminal everything is shown as it comes.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  overspill run cargo test
  overspill cargo test                             (short for the same)
  overspill run --shell 'make 2>&1 | grep -v note'
  overspill run --timeout 10m --max-lines 200 ./integration-tests

Exit codes are the command's: 128+n if a signal ended it, 127 if it was not found, 126 if it could
not be run, 124 if its time was up, 125 for a mistake in these words. If what it printed cannot be
written, 0 becomes 1.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    call: CallDetails,
    /// A line for your shell ($SHELL), with pipes, redirections and everything else.
    #[arg(long, value_name = "LINE", conflicts_with = "command")]
    shell: Option<OsString>,
    /// Where the command's standard error goes.
    #[arg(long, value_enum, default_value_t, value_name = "WHERE")]
    stderr: Stderr,
    /// Give the command a terminal to write to.
    #[arg(long)]
    pty: bool,
    /// Show the start as it comes, and the end when the command has ended.
    #[arg(long)]
    stream: bool,
    /// Show everything, without a limit.
    #[arg(long, conflicts_with = "stream")]
    all: bool,
    /// End the command, and all that it has started, after this time, such as `90s` or `10m`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// The command and its arguments. The first word that is no option begins it.
    #[arg(required_unless_present = "shell", trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl RunArgs {
    /// Reads what follows `run` if that is `CMD …` or `-- CMD …`, for which no parser is needed.
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

/// Our own mistakes.
const OUR_OWN: u8 = 125;
/// What could not be shown, of a command that has done all it had to.
const UNSHOWN: u8 = 1;

/// A command that is to be run and bounded.
pub(crate) struct Job {
    pub(crate) engine: Engine,
    /// The command as it is recorded.
    pub(crate) command: String,
    pub(crate) asked: CommandSpec,
    /// The line for a shell, if the command is one.
    pub(crate) line: Option<ShellLine>,
    pub(crate) shows: Shows,
    /// How long our reader may need for what it gets at last, if it stops reading when we end.
    pub(crate) reader_needs: Option<Duration>,
}

/// A line for a shell, whose pipelines are watched.
pub(crate) struct ShellLine {
    /// Its place among the words of the command.
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
            // What is shown at once must be kept whatever follows.
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
        let RunArgs { stderr, pty, stream, all, timeout, .. } = args;
        let watched = !stream && !all;
        let asked = CommandSpec { words, stderr, pty, timeout, watched, ..CommandSpec::default() };
        let shows = match (all, stream) {
            (true, _) => Shows::All,
            (false, true) => Shows::Start,
            (false, false) => Shows::Usual,
        };
        Job { engine, command, asked, line, shows, reader_needs: None }
    }

    /// Runs it, and returns its exit code.
    pub(crate) fn run(self, descriptors: Descriptors, env: &Env) -> u8 {
        match self.try_run(descriptors, env) {
            Ok((ended, all_shown)) => {
                say_what_befell(&ended);
                if ended.timed_out.is_none() {
                    process::end_like(ended.how);
                }
                // A command that could not write what it had to say would not have succeeded.
                if all_shown { ended.code() } else { ended.code().max(UNSHOWN) }
            }
            Err(error) => {
                ui::complain(&error);
                error.downcast_ref().map_or(OUR_OWN, Unstartable::code)
            }
        }
    }

    /// Runs it; tells how it ended, and whether everything could be shown.
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
        let mut output = Output::new(&overspill, call, options, asked.stderr, self.shows);
        let started = Instant::now();
        let ended = process::run(&asked, descriptors, &mut |news| output.hear(news))?;
        // From here on the exit code is the command's, whatever befalls us.
        let watched = watch.map(|watch| output.watched(watch)).unwrap_or_default();
        let all_shown = output.end(&ended, started.elapsed(), &watched);
        // What a short command prints would have come as late without us.
        if let Some(needs) = self.reader_needs.filter(|needs| started.elapsed() > *needs) {
            std::thread::sleep(needs);
        }
        Ok((ended, all_shown))
    }
}

fn say_what_befell(ended: &Ended) {
    if let Some(limit) = ended.timed_out {
        ui::say(&format!("the command was ended: its time of {limit:?} was up"));
    }
    // A model reads our standard error among the output of its command.
    if ended.held && std::io::stderr().is_terminal() {
        ui::say(
            "the command has ended, and something that it started still holds its output; \
             what that prints from now on is not kept",
        );
    }
}
