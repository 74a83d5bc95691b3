//! `overspill pin`

use overspill::store::Store;

use crate::args::PinArgs;
use crate::find;

pub(crate) fn pin(args: &PinArgs) -> anyhow::Result<()> {
    let found: Vec<_> = args.ids.iter().map(|id| find::find(id)).collect::<Result<_, _>>()?;
    for (disk, name) in found {
        disk.pin(&name, !args.off)?;
    }
    Ok(())
}
