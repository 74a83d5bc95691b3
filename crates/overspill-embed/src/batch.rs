//! Several outputs of one turn under one budget.

use overspill::core::{Limits, Size, share_limits};
use overspill::{Outcome, Overspill};
use serde_json::Value;

use crate::keys::Keys;
use crate::{CallRequest, Misuse};

/// Bounds outputs together: small ones stay whole, large ones give way. The budget is an object
/// with `max_lines`, `max_bytes`, `max_chars` or `max_tokens`; without any it is what one output
/// may have.
pub fn batch<'a>(
    overspill: &Overspill,
    outputs: &[(&'a [u8], CallRequest)],
    budget: &Value,
) -> Result<Vec<Outcome<'a>>, Misuse> {
    let budget = limits(overspill, budget)?;
    let lines = overspill.profile().policy.lines;
    let sizes: Vec<Size> = outputs.iter().map(|(output, _)| Size::of(output, lines)).collect();
    let shares = share_limits(&sizes, &budget);
    let bounded = |((output, asked), share): (&(&'a [u8], CallRequest), Limits)| {
        let mut asked = asked.clone();
        asked.options.share = Some(share);
        asked.process(overspill, output)
    };
    Ok(outputs.iter().zip(shares).map(bounded).collect())
}

fn limits(overspill: &Overspill, budget: &Value) -> Result<Limits, Misuse> {
    let mut keys = Keys::of(budget, "budget")?;
    let layer = keys.layer()?;
    keys.done()?;
    let set = [layer.max_lines, layer.max_bytes, layer.max_chars, layer.max_tokens];
    if set.iter().all(Option::is_none) {
        let asked = CallRequest::default();
        return Ok(overspill.policy(&asked.call, &asked.options).limits);
    }
    let [lines, bytes, chars, tokens] = set.map(|most| most.and_then(Option::from));
    Ok(Limits { bytes, lines, chars, tokens })
}
