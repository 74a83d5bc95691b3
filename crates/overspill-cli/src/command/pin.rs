//! `overspill pin`

use overspill::store::Store;

use crate::args::PinArgs;
use crate::find;

pub(crate) fn pin(args: &PinArgs) -> anyhow::Result<()> {
    for (disk, name) in find::all(&args.ids)? {
        disk.pin(&name, !args.off)?;
    }
    Ok(())
}
