//! `overspill cut`

use std::fs::File;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use overspill::{Call, Options};

use crate::args::LimitArgs;
use crate::drain::{drain, widen_stdin};
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

pub(crate) fn cut(args: CutArgs) -> u8 {
    ui::ended(try_cut(args))
}

fn try_cut(args: CutArgs) -> anyhow::Result<()> {
    let overspill = args.limits.overspill();
    let mut spill = overspill.spill(Call::of("cut"), Options::default());
    match &args.file {
        None => {
            drain(&mut io::stdin().lock(), &mut spill, widen_stdin).context("standard input")?
        }
        Some(path) => {
            let named = || path.display().to_string();
            let mut file = File::open(path).with_context(named)?;
            drain(&mut file, &mut spill, || {}).with_context(named)?;
        }
    }
    ui::show(&spill.finish()).context("standard output")
}
