//! `overspill pin`

use overspill::store::Store;

use crate::find;

/// Keeps saved outputs from being removed by time.
#[derive(Debug, clap::Args)]
pub(crate) struct PinArgs {
    /// The outputs.
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    /// Let them go again.
    #[arg(long)]
    pub(crate) off: bool,
}

pub(crate) fn pin(args: &PinArgs) -> anyhow::Result<()> {
    for (disk, name) in find::all(&args.ids)? {
        disk.pin(&name, !args.off)?;
    }
    Ok(())
}
