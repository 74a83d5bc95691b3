//! Shortens several outputs of one turn under one budget.

use overspill::core::internal::share_limits;
use overspill::core::{Limits, Size};
use overspill::internal::settings::{CallSetting, CallValue};
use overspill::{Outcome, Overspill};
use serde_json::Value;

use crate::keys::Keys;
use crate::{CallRequest, Misuse};

/// Shortens outputs together: small outputs stay whole, large ones share the rest of the budget.
/// The budget is an object with limits such as `max_lines`. Without limits, it is the limits of one
/// output.
pub fn batch<'a>(
    overspill: &Overspill,
    outputs: &[(&'a [u8], CallRequest)],
    budget: &Value,
) -> Result<Vec<Outcome<'a>>, Misuse> {
    let budget = limits(overspill, budget)?;
    let lines = overspill.profile().policy.lines;
    let sizes: Vec<Size> = outputs.iter().map(|(output, _)| Size::of(output, lines)).collect();
    let shares = share_limits(&sizes, &budget);
    let shortened = |((output, asked), share): (&(&'a [u8], CallRequest), Limits)| {
        let mut asked = asked.clone();
        asked.options.share = Some(share);
        asked.process(overspill, output)
    };
    Ok(outputs.iter().zip(shares).map(shortened).collect())
}

fn limits(overspill: &Overspill, budget: &Value) -> Result<Limits, Misuse> {
    let mut keys = Keys::of(budget, "budget")?;
    let layer = keys.layer()?;
    keys.done()?;
    let is_limit = |setting| matches!(layer.get(setting), Some(CallValue::Limit(_)));
    if !CallSetting::ALL.into_iter().any(is_limit) {
        let asked = CallRequest::default();
        return Ok(overspill.policy(&asked.call, &asked.options).limits);
    }
    Ok(layer.limits())
}
