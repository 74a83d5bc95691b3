//! Counts how often lines of a kind come, in bounded memory.

use super::features::OutputCounts;
use super::line::LineKinds;

/// How many kinds are told apart; more share their counts.
const KINDS: usize = 1 << u16::BITS;

/// How often each template and each family has come.
#[derive(Debug, Clone)]
pub(crate) struct TemplateCounts {
    templates: Vec<u16>,
    families: Vec<u16>,
}

impl Default for TemplateCounts {
    fn default() -> TemplateCounts {
        TemplateCounts { templates: vec![0; KINDS], families: vec![0; KINDS] }
    }
}

impl TemplateCounts {
    /// Counts a line; returns how many of its kind came before.
    pub(crate) fn add(&mut self, kinds: LineKinds) -> OutputCounts {
        let template = &mut self.templates[usize::from(kinds.template)];
        let family = &mut self.families[usize::from(kinds.family)];
        let before = OutputCounts { template: *template, family: *family };
        *template = template.saturating_add(1);
        *family = family.saturating_add(1);
        before
    }

    /// Returns how many of a kind have come.
    pub(crate) fn of(&self, kinds: LineKinds) -> OutputCounts {
        OutputCounts {
            template: self.templates[usize::from(kinds.template)],
            family: self.families[usize::from(kinds.family)],
        }
    }
}
