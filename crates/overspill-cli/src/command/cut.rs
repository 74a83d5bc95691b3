//! `overspill cut`

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::Context;
use overspill::{Call, Options, Spill};

use crate::args::LimitArgs;
use crate::ui;

/// Bounds a file, or what comes in by a pipe.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  overspill cut --keep tail --max-lines 100 < build.log")]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The file; standard input if there is none.
    pub(crate) file: Option<PathBuf>,
}

/// As much as a pipe holds at a time.
const CHUNK: usize = 64 * 1024;

pub(crate) fn cut(args: CutArgs) -> u8 {
    ui::ended(try_cut(args))
}

fn try_cut(args: CutArgs) -> anyhow::Result<()> {
    let overspill = args.limits.overspill();
    let mut spill = overspill.spill(Call::of("cut"), Options::default());
    match &args.file {
        None => drain(&mut io::stdin().lock(), &mut spill).context("standard input")?,
        Some(path) => {
            let named = || path.display().to_string();
            let mut file = File::open(path).with_context(named)?;
            drain(&mut file, &mut spill).with_context(named)?;
        }
    }
    ui::show(&spill.finish()).context("standard output")
}

/// Feeds everything there is to read to `spill`.
pub(crate) fn drain(from: &mut impl Read, spill: &mut Spill) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(len) => spill.push(&chunk[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
