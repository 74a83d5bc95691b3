//! `overspill rm`

use overspill::store::Store;

use crate::args::RmArgs;
use crate::find;

pub(crate) fn rm(args: &RmArgs) -> anyhow::Result<()> {
    // All are found before any is removed: a mistake in the last one costs nothing.
    let found: Vec<_> = args.ids.iter().map(|id| find::find(id)).collect::<Result<_, _>>()?;
    for (disk, name) in found {
        disk.delete(&name)?;
    }
    Ok(())
}
