//! `overspill rm`

use overspill::store::Store;

use crate::args::RmArgs;
use crate::find;

pub(crate) fn rm(args: &RmArgs) -> anyhow::Result<()> {
    for (disk, name) in find::all(&args.ids)? {
        disk.delete(&name)?;
    }
    Ok(())
}
