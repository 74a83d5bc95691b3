//! Reports the parts of outputs that were not kept, and so not searched.

use overspill::retrieve::MissingLines;
use overspill::store::OutputId;

use crate::ui;

/// The most bytes that this report may take.
pub(super) const BYTES: u64 = 300;

/// The first output of which something is missing, and how many there are.
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

    /// Says it on stderr, and returns the line that says it among the answer.
    pub(super) fn told(&self, is_json: bool) -> String {
        let Some((name, missing)) = &self.first else { return String::new() };
        let others = match self.outputs - 1 {
            0 => String::new(),
            others => format!("; so it is in {}", ui::count(others, "other output")),
        };
        let told = format!("{missing} and not searched{others}");
        ui::say(&format!("{}: {told}", name.token()));
        if !is_json {
            return format!("[overspill {}: {told}]\n", name.token());
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
        });
        format!("{json}\n")
    }
}
