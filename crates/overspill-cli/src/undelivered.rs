//! Output that could not be shown.

use overspill::{Call, CallEnd, CallOptions, Layer, Limit, Outcome, Overspill};

use crate::ui;

/// Prints where an output is saved that could not be shown. An output that fits is saved only now: there
/// may be no other way to get it again.
pub(crate) fn keep(
    overspill: &Overspill,
    outcome: &Outcome,
    call: &Call,
    options: &CallOptions,
    end: CallEnd,
) {
    let nothing = Layer { max_bytes: Some(Limit::AtMost(0)), ..Layer::default() };
    let saved = match outcome {
        _ if outcome.bytes().is_empty() => return,
        Outcome::Spilled(spilled) => return ui::say(&spilled.notice),
        Outcome::Whole(_) | Outcome::Masked(_) => {
            let options = CallOptions { settings: nothing, ..options.clone() };
            overspill.process_ended(outcome.bytes(), call, &options, end)
        }
    };
    match saved {
        Outcome::Spilled(spilled) => ui::say(&spilled.notice),
        Outcome::Whole(_) | Outcome::Masked(_) => ui::say("what could not be shown is not saved"),
    }
}
