//! Saves an output that could not be written to standard output.

use overspill::internal::record_as_unshown;
use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Outcome, Overspill, Spilled};

use crate::ui;

/// Reports the id of an output that could not be shown. Saves a short output now, because there may
/// be no other way to get the output again. `is_begun` tells that a part of the output was written
/// before.
pub(crate) fn keep(
    overspill: &Overspill,
    outcome: &Outcome,
    (call, options, end): (&Call, &CallOptions, CallEnd),
    is_begun: bool,
) {
    let nothing = Layer { max_bytes: Some(Limit::AtMost(0)), ..Layer::default() };
    let say = |spilled: &Spilled| match is_begun {
        true => ui::say(&spilled.notice),
        false => ui::say(&record_as_unshown(overspill, spilled)),
    };
    let saved = match outcome {
        _ if outcome.bytes().is_empty() => return,
        Outcome::Spilled(spilled) => return say(spilled),
        Outcome::Whole(_) | Outcome::Masked(_) => {
            let options = CallOptions { settings: nothing, ..options.clone() };
            overspill.process_ended(outcome.bytes(), call, &options, end)
        }
    };
    match saved {
        Outcome::Spilled(spilled) => say(&spilled),
        Outcome::Whole(_) | Outcome::Masked(_) => {
            ui::warn_line("the output that could not be shown is not saved")
        }
    }
}
