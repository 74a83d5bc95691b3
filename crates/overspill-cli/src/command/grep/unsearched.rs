//! Reports lines that `grep` did not search, because they were not saved.

use overspill::internal::retrieve::{self, MissingLines};
use overspill::store::OutputId;

use crate::ui;

/// The largest number of bytes that the report takes.
pub(super) const BYTES: u64 = 300;

/// The first output with missing lines, and the number of such outputs.
#[derive(Debug, Default)]
pub(super) struct Unsearched {
    first: Option<(OutputId, MissingLines)>,
    outputs: u64,
}

impl Unsearched {
    pub(super) fn add(&mut self, name: &OutputId, missing: Option<MissingLines>) {
        if let Some(missing) = missing {
            self.outputs += 1;
            self.first.get_or_insert_with(|| (name.clone(), missing));
        }
    }

    /// Reports the missing lines on stderr.
    pub(super) fn say(&self) {
        if let Some((name, what)) = self.what() {
            ui::warn_line(&format!("{}: {what}", name.short_id()));
        }
    }

    /// Returns the line that reports the missing lines on stdout; an empty text if everything was
    /// searched.
    pub(super) fn line(&self, is_json: bool) -> String {
        let (Some((name, missing)), Some((_, what))) = (&self.first, self.what()) else {
            return String::new();
        };
        if !is_json {
            return overspill::internal::notice::mark_line(Some(name), &what);
        }
        let json = serde_json::json!({
            "id": name,
            "not_searched": {
                "lines": [missing.first, missing.last],
                "holes": missing.holes.iter().take(MissingLines::MAX_NAMED).collect::<Vec<_>>(),
                "more_holes": missing.holes.len().saturating_sub(MissingLines::MAX_NAMED),
                "bytes": missing.bytes,
                "outputs": self.outputs,
            },
            "what": what,
        });
        ui::json_line(json)
    }

    fn what(&self) -> Option<(&OutputId, String)> {
        let (name, missing) = self.first.as_ref()?;
        Some((name, retrieve::lines_not_searched(missing, self.outputs - 1)))
    }
}
