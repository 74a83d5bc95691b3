//! Decides whether secrets are masked. A mistake in the user's settings masks more, never less.

use std::sync::Arc;

use overspill::internal::settings::Warning;
use overspill::{Redact, Redaction};

use super::SettingSources;
use super::keys::{Key, last_part, meant};

/// A mistake in the settings about `redact`.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) warning: Warning,
}

/// The part of the user's settings that has the mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The whole file: it may have set anything.
    File,
    /// The whole file, because a directory of the user above it is closed. A command then runs as
    /// if it had no home, so overspill prints no warning.
    Closed,
    /// `redact` in the file, or a misspelt `redact`.
    Value,
    /// `redact_pattern` in the file, its variable, or a misspelt variable.
    Pattern,
    /// `OVERSPILL_REDACT`, or a misspelt variable.
    Variable,
}

impl FaultKind {
    /// Returns the kind of mistake if the user's file has an invalid key of this name.
    pub(super) fn of_key(key: &str) -> Option<FaultKind> {
        let own = last_part(key);
        // A longer name is not a misspelt `redact`, and comparing would take long.
        if own.chars().nth(60).is_some() {
            return None;
        }
        let is_meant =
            meant(own, Key::all().map(Key::name)).is_some_and(|name| name.starts_with("redact"));
        let own = own.to_lowercase();
        match own.contains("redact") || is_meant {
            false => None,
            true if own.contains("pattern") => Some(FaultKind::Pattern),
            true => Some(FaultKind::Value),
        }
    }

    fn consequence(self) -> &'static str {
        match self {
            FaultKind::Pattern => {
                "secrets are masked (redact = all) but not by this pattern until this is fixed"
            }
            _ => "secrets are masked (redact = all) until this is fixed",
        }
    }
}

impl SettingSources {
    /// Moves the mistakes about `redact` before all other warnings.
    pub(super) fn warn_of_faults(&mut self) {
        let is_all = self.redact_word(false) == "all";
        let is_set = self.choice(Key::Redact) == Some("all");
        let with_consequence = |fault: &Fault| {
            let mut warning = fault.warning.clone();
            if is_all && (!is_set || fault.kind == FaultKind::Pattern) {
                warning.message = format!("{}; {}", warning.message, fault.kind.consequence());
            }
            warning
        };
        let is_quiet = |fault: &&Fault| fault.kind == FaultKind::Closed;
        self.notes.extend(self.faults.iter().filter(is_quiet).map(with_consequence));
        let loud = self.faults.iter().filter(|fault| !is_quiet(fault));
        let first: Vec<Warning> = loud.map(with_consequence).collect();
        self.warnings.splice(..0, first);
    }

    /// Returns the value of `redact` that applies: `off`, `store` or `all`.
    ///
    /// Only the user's file and variables decide. A valid variable is stronger than any mistake in
    /// the file. With `off`, a mistake in the pattern changes nothing.
    pub(crate) fn redact_word(&self, is_bucket: bool) -> &'static str {
        let has = |kinds: &[FaultKind]| self.faults.iter().any(|fault| kinds.contains(&fault.kind));
        let set = self.choice(Key::Redact);
        let in_variable = self.environment.contains_key(&Key::Redact);
        let is_unknown = has(&[FaultKind::Variable])
            || !in_variable && has(&[FaultKind::File, FaultKind::Closed, FaultKind::Value]);
        match set {
            _ if is_unknown => "all",
            Some("off") => "off",
            _ if has(&[FaultKind::File, FaultKind::Closed, FaultKind::Pattern]) => "all",
            Some(word) => word,
            // Uploaded outputs are masked.
            None if is_bucket => "store",
            None => "off",
        }
    }

    /// Returns the redaction that applies, with its rules.
    pub(crate) fn redact(&self, is_bucket: bool) -> Redact {
        let word = self.redact_word(is_bucket);
        if word == "off" {
            return Redact::Off;
        }
        // A pattern was checked when it was read, and the built-in rules are always valid.
        let rules = Redaction::new(self.text(Key::RedactPattern)).or_else(|_| Redaction::new(None));
        match (rules.map(Arc::new), word) {
            (Ok(rules), "all") => Redact::All(rules),
            (Ok(rules), _) => Redact::Saved(rules),
            (Err(_), _) => Redact::Off,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_redact_key_is_a_fault() {
        for key in ["redact", "Redact", "redcat", "redacted", "store.redact", "redaction"] {
            assert_eq!(FaultKind::of_key(key), Some(FaultKind::Value), "{key}");
        }
        for key in ["redact_pattern", "redact-pattern", "tools.x.redact_patterns"] {
            assert_eq!(FaultKind::of_key(key), Some(FaultKind::Pattern), "{key}");
        }
        for key in ["max_lines", "max-line", "tools.redact.keep", "store", "x", "direction"] {
            assert_eq!(FaultKind::of_key(key), None, "{key}");
        }
    }
}
