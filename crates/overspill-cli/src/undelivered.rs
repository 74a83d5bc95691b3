//! What could not be shown.

use overspill::{Call, CallOptions, Layer, Limit, Outcome, Overspill};

use crate::ui;

/// Says where an output is of which something could not be shown. What is not saved yet, since it fits,
/// is saved now: there may be no other way to get it again.
pub(crate) fn keep(overspill: &Overspill, outcome: &Outcome, call: &Call, options: &CallOptions) {
    let nothing = Layer { max_bytes: Some(Limit::AtMost(0)), ..Layer::default() };
    let saved = match outcome {
        _ if outcome.bytes().is_empty() => return,
        Outcome::Spilled(spilled) => return ui::say(&spilled.notice),
        Outcome::Whole(_) | Outcome::Masked(_) => {
            let options = CallOptions { settings: nothing, ..options.clone() };
            overspill.process_with(outcome.bytes(), call, &options)
        }
    };
    match saved {
        Outcome::Spilled(spilled) => ui::say(&spilled.notice),
        Outcome::Whole(_) | Outcome::Masked(_) => ui::say("what could not be shown is not saved"),
    }
}
