//! `overspill rm`

use overspill::store::Store;

use crate::find;

/// Removes saved outputs.
#[derive(Debug, clap::Args)]
pub(crate) struct RmArgs {
    /// The outputs.
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

pub(crate) fn rm(args: &RmArgs) -> anyhow::Result<()> {
    for (disk, name) in find::all(&args.ids)? {
        disk.delete(&name)?;
    }
    Ok(())
}
