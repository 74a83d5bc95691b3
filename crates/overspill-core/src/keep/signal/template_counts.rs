//! Counts the lines of each kind within a memory limit.

use super::features::OutputCounts;
use super::line::LineKinds;

/// The number of counters. If an output has more kinds, some kinds share a counter.
const KINDS: usize = 1 << u16::BITS;

/// The number of lines of each template and of each family.
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
    /// Counts a line and returns the numbers of earlier lines of the same kinds.
    pub(crate) fn add(&mut self, kinds: LineKinds) -> OutputCounts {
        let template = &mut self.templates[usize::from(kinds.template)];
        let family = &mut self.families[usize::from(kinds.family)];
        let before = OutputCounts { template: *template, family: *family };
        *template = template.saturating_add(1);
        *family = family.saturating_add(1);
        before
    }

    /// Returns the numbers of lines of these kinds so far.
    pub(crate) fn of(&self, kinds: LineKinds) -> OutputCounts {
        OutputCounts {
            template: self.templates[usize::from(kinds.template)],
            family: self.families[usize::from(kinds.family)],
        }
    }
}
