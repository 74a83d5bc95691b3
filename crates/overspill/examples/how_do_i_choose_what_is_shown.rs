//! Implement `Strategy`. This one shows the first elements of a long JSON array.
//!
//! `cargo run -p overspill --example how_do_i_choose_what_is_shown`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use overspill::core::{Choice, LeftOut, Policy, Strategy, StrategyError};
use overspill::store::Memory;
use overspill::{Call, Overspill, Profile};
use serde_json::Value;

/// Shows as many elements of an array as the limit on lines allows. The policy decides about all
/// other outputs.
pub struct JsonArrays;

impl Strategy for JsonArrays {
    fn choose(&self, output: &[u8], policy: &Policy) -> Result<Choice, StrategyError> {
        let (Ok(Value::Array(mut items)), Some(most)) =
            (serde_json::from_slice(output), policy.limits.lines)
        else {
            return Ok(policy.choose(output));
        };
        let all = items.len();
        let most = usize::try_from(most)?;
        if all <= most {
            return Ok(Choice::Whole);
        }
        items.truncate(most);
        let text = serde_json::to_string_pretty(&Value::Array(items))?;
        Ok(Choice::Text(text, LeftOut::Lines((all - most) as u64)))
    }
}

/// Runs the example.
pub fn main() {
    let numbers: Vec<u32> = (1..=10_000).collect();
    let output = serde_json::to_string(&numbers).unwrap_or_default();
    let overspill = Overspill::builder()
        .profile(Profile::AGENT_V2)
        .store(Memory::default())
        .strategy(JsonArrays)
        .build();
    let outcome = overspill.process(output.as_bytes(), &Call::new("numbers"));
    println!("{}", outcome.text());
}
