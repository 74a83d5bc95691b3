//! `overspill cut`: shortens a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use overspill::internal::seeds::envelope;
use overspill::{Call, CallEnd, Outcome, Profile, Report, Spill};
use serde_json::value::RawValue;

use crate::args::{CallDetails, Engine, LimitArgs};
use crate::env::Env;
use crate::process::{self, InterruptibleInput};
use crate::{ui, undelivered};

/// Shortens a file, or the output of a pipe.
///
/// Short input is unchanged. If the input is long, overspill saves the input and shows a preview.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill cut --keep tail --max-lines 100 < build.log
  overspill cut --json build.log | jq -r .path
  curl -s localhost/report | overspill cut --tool report --max-tokens 4000
  overspill cut --profile unified --envelope < response.json

If the input of --envelope is not valid JSON, overspill prints the position of the error, shortens the \
input as plain text, and exits with 1.")]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) call: CallDetails,
    /// Print the result as one JSON object, with text, sizes, pieces, id and path [default: print
    /// the text].
    #[arg(long)]
    pub(crate) json: bool,
    /// Read the JSON response of a tool (`status`, `data`, `text`, `stats`, `context`, `error`), and
    /// print a shorter response of the same form.
    #[arg(long, conflicts_with = "json")]
    pub(crate) envelope: bool,
    /// The file; `-` is standard input [default: -].
    pub(crate) file: Option<PathBuf>,
}

pub(crate) fn run(args: &CutArgs, env: &Env) -> u8 {
    // The input comes before the settings: if it is missing, warnings about settings only distract.
    let mut input = match Input::open(args.file.as_ref()) {
        Ok(input) => input,
        Err(error) => return ui::ended(Err(error)),
    };
    let code = ui::ended(cut(args, &mut input, env));
    if let Some(signal) = input.from.asked() {
        process::end_like(signal);
    }
    code
}

fn cut(args: &CutArgs, input: &mut Input, env: &Env) -> anyhow::Result<()> {
    let engine = args.call.added_to(args.limits.engine("cut", env));
    let Engine { overspill, options, tool, call_id, session, profile, .. } = engine;
    let directory = env.recorded_directory();
    let call = Call { id: call_id, session, directory, ..Call::new(tool) };
    if args.envelope || profile.envelope {
        let response = input.all();
        let end = input.end();
        let outcome = envelope::process_ended(&overspill, &response, &call, &options, end);
        input.from.listen_no_more();
        answer(args, &outcome, &profile)?;
        input.read_error()?;
        let parsed = serde_json::from_str::<&RawValue>(&response);
        return parsed.map(drop).or_else(|error| match args.envelope {
            true => bail!(
                "{}: not JSON at line {}, column {}, so it was shortened as text\n\nhint: `overspill cut{}` takes text",
                input.name,
                error.line(),
                error.column(),
                args.file.as_deref().map_or_else(String::new, |file| format!(" {}", ui::shell_word(&ui::path(file))))
            ),
            false => Ok(()),
        });
    }
    // A person who types the input needs no progress bar.
    let progress = match env.is_watched() && !input.is_typed {
        true => ui::Progress::beside_others("reading"),
        false => ui::Progress::hidden(),
    };
    // Some profiles do not change outputs up to the ceiling, so overspill first reads this much.
    let held = overspill.ceiling(&call, &options).bytes.unwrap_or(u64::MAX).saturating_add(1);
    let first = if profile.streams { Vec::new() } else { input.next(held) };
    progress.came(first.len() as u64);
    let outcome = if !first.is_empty() && (first.len() as u64) < held {
        overspill.process_ended(&first, &call, &options, input.end())
    } else {
        let mut spill = overspill.spill(call.clone(), options.clone());
        spill.push(&first);
        input.drain(&mut spill, &progress);
        spill.finish(input.end())
    };
    drop(progress);
    // A long output is saved by now, so a signal can end the process despite a slow reader.
    input.from.listen_no_more();
    let shown = answer(args, &outcome, &profile);
    let call = (&call, &options, input.end());
    shown.inspect_err(|_| undelivered::keep(&overspill, &outcome, call, false))?;
    input.read_error()
}

fn answer(args: &CutArgs, outcome: &Outcome, profile: &Profile) -> anyhow::Result<()> {
    match args.json {
        true => {
            let report = serde_json::to_value(Report::of(outcome, profile.policy.lines))?;
            ui::answer(&ui::json_line(report))
        }
        false => ui::show(outcome),
    }
}

/// The file or the standard input that is shortened.
struct Input {
    /// The name of the input in errors.
    name: String,
    from: InterruptibleInput,
    /// Enlarges the pipe of the standard input. Does nothing for a file.
    widen: fn(),
    /// The error that ended reading. The bytes before the error are shortened and saved as usual.
    failed: Option<io::Error>,
    /// Tells whether a person types the input.
    is_typed: bool,
}

impl Input {
    fn open(path: Option<&PathBuf>) -> anyhow::Result<Input> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let is_typed = ui::is_typed();
            if is_typed {
                ui::say("reading what you type; end it with Ctrl-D");
            }
            let from = InterruptibleInput::new(None);
            return Ok(Input {
                name: "standard input".into(),
                from,
                widen: || process::widen(io::stdin()),
                failed: None,
                is_typed,
            });
        };
        let name = ui::path(path);
        let failed = |error: io::Error| {
            let why = ui::reason(&error);
            anyhow!(
                "{name}: {why}\n\nhint: name a file that you can read, or pipe into `overspill cut`"
            )
        };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(anyhow!(
                "{name}: is a directory\n\nhint: name a file; `overspill run ls {name}` lists a directory"
            ));
        }
        let from = InterruptibleInput::new(Some(file));
        Ok(Input { name, from, widen: || {}, failed: None, is_typed: false })
    }

    /// Tells whether a signal or an error has ended the input early.
    fn end(&self) -> CallEnd {
        let interrupted = self.from.asked().is_some() || self.failed.is_some();
        CallEnd::default().interrupted(interrupted).on_terminal(ui::is_seen())
    }

    /// Fails with the error that ended reading, if any.
    fn read_error(&self) -> anyhow::Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(error) => Err(anyhow!("{}: {}", self.name, ui::reason(error))),
        }
    }

    /// Reads the input to its end and feeds it to `spill`.
    fn drain(&mut self, spill: &mut Spill, progress: &ui::Progress) {
        if self.failed.is_none() {
            let take = |bytes: &[u8]| {
                progress.came(bytes.len() as u64);
                spill.push(bytes);
            };
            self.failed = process::read_to_end(&mut self.from, take, self.widen).err();
        }
    }

    /// Returns the next bytes, at most `most`.
    fn next(&mut self, most: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.failed = (&mut self.from).take(most).read_to_end(&mut bytes).err();
        bytes
    }

    /// Reads the input to its end and returns it as text.
    fn all(&mut self) -> String {
        let bytes = self.next(u64::MAX);
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
