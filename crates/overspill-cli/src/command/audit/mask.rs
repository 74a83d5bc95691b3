//! Masks the secrets in the examples of a report: commands, and words that the agent used.

use overspill::Redaction;

use super::replay::recorded;
use super::tally::{Loss, Tally};

/// Masks secrets in all texts that a report quotes, except previews.
pub(super) fn mask(tally: &mut Tally, rules: &Redaction) {
    tally.losses.iter_mut().flatten().for_each(|loss| mask_words(loss, rules));
    let losses = tally.losses.iter_mut().flatten().map(|loss| &mut loss.example);
    let others = tally.repeated_examples.iter_mut().chain(&mut tally.hidden_examples);
    for example in losses.chain(others) {
        let masked = example.command.as_deref().map(|command| rules.text(command).0.into_owned());
        example.command = masked;
    }
}

/// Masks the words that do not stand in the masked output: the rules need the text around a secret.
fn mask_words(loss: &mut Loss, rules: &Redaction) {
    let output = recorded(&loss.example.place);
    let masked = output.ok().map(|output| rules.text(&output.text).0.into_owned());
    for word in &mut loss.lost {
        if !masked.as_ref().is_some_and(|text| text.contains(&**word)) {
            *word = "*".repeat(word.len());
        }
    }
}
