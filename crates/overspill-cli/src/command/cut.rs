//! `overspill cut`

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use overspill::{Call, Profile, Report, Spill, envelope};
use serde_json::value::RawValue;

use crate::args::{Engine, LimitArgs};
use crate::drain::{drain, widen_stdin};
use crate::{home, ui};

/// Bounds a file, or what comes in by a pipe.
///
/// What fits passes through byte for byte. Of anything longer a preview is shown, and all of it is
/// saved.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill cut --keep tail --max-lines 100 < build.log
  overspill cut --json build.log | jq -r .path
  curl -s localhost/report | overspill cut --tool report --max-tokens 4000
  overspill cut --profile unified --envelope < response.json

With --envelope, a response that is not JSON is said to be none, with the place, is bounded as plain
text all the same, and the exit code is 1.")]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print what became of it as one JSON object: text, sizes, pieces, id and path.
    #[arg(long)]
    pub(crate) json: bool,
    /// Take a JSON response of a tool (status, data, text, stats, context, error), and answer with
    /// one.
    #[arg(long, conflicts_with = "json")]
    pub(crate) envelope: bool,
    /// The file; standard input if there is none, or if it is `-`.
    pub(crate) file: Option<PathBuf>,
}

/// More than any profile gives back uncut.
const HELD: usize = 512_001;

pub(crate) fn cut(args: CutArgs) -> u8 {
    ui::ended(try_cut(&args))
}

fn try_cut(args: &CutArgs) -> anyhow::Result<()> {
    // First of all, so that settings are not complained of where there is nothing to cut.
    let mut input = Input::open(args.file.as_ref())?;
    let Engine { overspill, options, tool, profile } = args.limits.engine("cut");
    let call = Call { session: home::session(), ..Call::of(tool) };
    // One system knows nothing but envelopes, whatever it is given.
    if args.envelope || profile.name == Profile::UNIFIED.name && !args.json {
        let response = input.all()?;
        let answer = envelope::respond(&overspill, &response, &call, &options);
        ui::print(answer.as_bytes()).context("standard output")?;
        let parsed = serde_json::from_str::<&RawValue>(&response);
        return parsed.map(drop).or_else(|error| match args.envelope {
            true => bail!("{}: not JSON, so it was taken as text: {error}", input.name),
            false => Ok(()),
        });
    }
    // The other systems answer when all is there, and so can give it back as it was.
    let first =
        if profile.name == Profile::OWN.name { Vec::new() } else { input.next(HELD as u64)? };
    let outcome = if !first.is_empty() && first.len() < HELD {
        overspill.process_with(&first, &call, &options)
    } else {
        let mut spill = overspill.spill(call, options);
        spill.push(&first);
        input.drain(&mut spill)?;
        spill.finish()
    };
    if args.json {
        let json = serde_json::to_string(&Report::of(&outcome, profile.policy.lines))?;
        return ui::print(format!("{json}\n").as_bytes()).context("standard output");
    }
    ui::show(&outcome).context("standard output")
}

/// Where the output comes from.
struct Input {
    /// What it is called when something goes wrong.
    name: String,
    file: Option<File>,
}

impl Input {
    fn open(path: Option<&PathBuf>) -> anyhow::Result<Input> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            if io::stdin().is_terminal() {
                ui::say("reading what you type; end it with Ctrl-D");
            }
            return Ok(Input { name: "standard input".into(), file: None });
        };
        let name = path.display().to_string();
        let failed = |error: io::Error| anyhow!("{name}: {}", ui::reason(&error));
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(anyhow!("{name}: is a directory"));
        }
        Ok(Input { name, file: Some(file) })
    }

    /// Feeds everything there is to `spill`.
    fn drain(&mut self, spill: &mut Spill) -> anyhow::Result<()> {
        let drained = match &mut self.file {
            None => drain(&mut io::stdin().lock(), spill, widen_stdin),
            Some(file) => drain(file, spill, || {}),
        };
        drained.map_err(|error| anyhow!("{}: {}", self.name, ui::reason(&error)))
    }

    /// Returns the next bytes, at most so many.
    fn next(&mut self, most: u64) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = match &mut self.file {
            None => io::stdin().lock().take(most).read_to_end(&mut bytes),
            Some(file) => file.take(most).read_to_end(&mut bytes),
        };
        read.map_err(|error| anyhow!("{}: {}", self.name, ui::reason(&error)))?;
        Ok(bytes)
    }

    /// Returns everything there is, as text.
    fn all(&mut self) -> anyhow::Result<String> {
        let bytes = self.next(u64::MAX)?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}
