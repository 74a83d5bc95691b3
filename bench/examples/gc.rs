//! Sweeps a directory of outputs named `tool_…` that were not used for seven days: `gc DIR`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use jiff::{SignedDuration, Timestamp};
use overspill::Retention;
use overspill::internal::store::{Access, Also, NamePart, NameStyle};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::{Disk, DiskOptions};

const NAMES: NameStyle = NameStyle {
    parts: &[NamePart::Text("tool_"), NamePart::UtcDay, NamePart::Text("_"), NamePart::Random(6)],
    ending: "",
    also: Also::Prefix("tool_"),
};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).ok_or("usage: gc DIR")?;
    let options = DiskOptions {
        names: NAMES,
        records: false,
        access: Access::Shared,
        ..DiskOptions::default()
    };
    let retention = Retention {
        unused_for: Some(SignedDuration::from_hours(7 * 24)),
        quota: None,
        ..Retention::default()
    };
    let store = Disk::new(directory, options);
    let swept = sweep(&store, &retention, SweepBudget::Whole, Timestamp::now())?;
    println!("{} removed ({} bytes), {} kept", swept.removed, swept.bytes, swept.kept);
    Ok(())
}
