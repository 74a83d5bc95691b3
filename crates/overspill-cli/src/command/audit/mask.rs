//! Masks the secrets in the examples of a report: commands, and words that the agent used.

use std::sync::Arc;

use overspill::{Redact, Redaction};

use super::replay::recorded;
use super::tally::{Example, Loss, Tally};

/// Returns the rules for a file that people send to others: its secrets are masked even if `redact`
/// is off.
pub(in crate::command) fn rules_for_file(redact: &Redact) -> anyhow::Result<Arc<Redaction>> {
    match redact.rules() {
        Some(rules) => Ok(rules.clone()),
        None => Ok(Arc::new(Redaction::new(None).map_err(anyhow::Error::msg)?)),
    }
}

/// Returns a word of an output, or stars if it does not stand in the masked output.
pub(in crate::command) fn shown_word(word: &str, masked: &[u8]) -> String {
    match memchr::memmem::find(masked, word.as_bytes()) {
        Some(_) => word.to_owned(),
        None => "*".repeat(word.len()),
    }
}

/// Masks secrets in all texts that a report quotes, except previews.
pub(super) fn mask(tally: &mut Tally, rules: &Redaction) {
    // A report names only these. Each needs its transcript again, so others would take long.
    tally.keep_named_losses();
    for loss in tally.losses.iter_mut().flatten() {
        mask_words(loss, rules);
        mask_command(&mut loss.example, rules);
    }
    let others = tally.repeated_examples.iter_mut().chain(&mut tally.hidden_examples);
    others.for_each(|example| mask_command(example, rules));
}

fn mask_command(example: &mut Example, rules: &Redaction) {
    let masked = example.command.as_deref().map(|command| rules.text(command).0.into_owned());
    example.command = masked;
}

/// Masks the words that do not stand in the masked output: the rules need the text around a secret.
fn mask_words(loss: &mut Loss, rules: &Redaction) {
    let output = recorded(&loss.example.place);
    let masked = output.map(|output| rules.text(&output.text).0.into_owned()).unwrap_or_default();
    loss.lost.iter_mut().for_each(|word| *word = shown_word(word, masked.as_bytes()));
}
