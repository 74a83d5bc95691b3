//! Compares the ways of cutting an output. Sessions that an agent resumed or forked repeat earlier
//! outputs, so each distinct output is replayed once.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::ways::{AuditedOutput, Cutter, ROOMS, Room, WAYS, Way, chars_of, is_short};
use crate::hosts::Host;

/// The largest number of distinct outputs whose comparison is remembered.
const REMEMBERED: usize = 10_000;

/// The used words that the ways keep of an output in one room.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RoomComparison {
    /// The number of used words that each way keeps, or `None` if the way does not apply.
    pub(super) kept: [Option<usize>; WAYS.len()],
    /// The used words that the preview of overspill lacks.
    pub(super) lost: Vec<String>,
}

impl RoomComparison {
    /// Returns the number of used words that the best other way keeps.
    pub(super) fn best_other(&self) -> usize {
        let others = WAYS.iter().zip(&self.kept).filter(|((way, _), _)| *way != Way::Overspill);
        others.filter_map(|(_, kept)| *kept).max().unwrap_or(0)
    }
}

/// The comparison of an output in each room, or `None` for a room that has the whole output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The hash of the output and of its used words.
    pub(super) hash: u64,
    pub(super) rooms: [Option<RoomComparison>; ROOMS.len()],
}

/// Compares outputs, and remembers the results.
#[derive(Default)]
pub(super) struct Comparer {
    cutter: Cutter,
    compared: HashMap<u64, Arc<Comparison>>,
    preview_bytes: HashMap<u64, Option<u64>>,
}

impl Comparer {
    /// Returns the length of the preview that an agent would get, or `None` if it would get the
    /// whole output.
    pub(super) fn preview_bytes(
        &mut self,
        host: &'static Host,
        output: &AuditedOutput<'_>,
    ) -> Option<u64> {
        let hash = hash(host, output, &[]);
        if let Some(known) = self.preview_bytes.get(&hash) {
            return *known;
        }
        let preview = self.cutter.shown(Way::Overspill, Room::OfHost, host, output);
        let bytes = preview.map(|preview| preview.len() as u64);
        remember(&mut self.preview_bytes, hash, bytes);
        bytes
    }

    /// Returns the used words that each way keeps of an output.
    pub(super) fn compare(
        &mut self,
        host: &'static Host,
        output: &AuditedOutput<'_>,
        used: &[String],
    ) -> Arc<Comparison> {
        let hash = hash(host, output, used);
        if let Some(known) = self.compared.get(&hash) {
            return known.clone();
        }
        let rooms = ROOMS.map(|room| {
            let is_whole = is_short(output.text, chars_of(room, host, output.failed));
            (!is_whole).then(|| self.in_room(room, host, output, used))
        });
        let comparison = Arc::new(Comparison { hash, rooms });
        remember(&mut self.compared, hash, comparison.clone());
        comparison
    }

    fn in_room(
        &mut self,
        room: Room,
        host: &'static Host,
        output: &AuditedOutput<'_>,
        used: &[String],
    ) -> RoomComparison {
        let mut compared = RoomComparison::default();
        for (at, (way, _)) in WAYS.into_iter().enumerate() {
            // The host always cuts in the same way, to the same size.
            if way == Way::Host && (room != Room::OfHost || host.own_cut.is_none()) {
                continue;
            }
            let shown = self.cutter.shown(way, room, host, output);
            let is_lost =
                |word: &&String| shown.as_ref().is_some_and(|it| !it.contains(word.as_str()));
            let lost = used.iter().filter(is_lost);
            if way == Way::Overspill {
                compared.lost = lost.cloned().collect();
                compared.kept[at] = Some(used.len() - compared.lost.len());
            } else {
                compared.kept[at] = Some(used.len() - lost.count());
            }
        }
        compared
    }
}

/// Adds a result. A full memory forgets all results.
fn remember<T>(results: &mut HashMap<u64, T>, hash: u64, result: T) {
    if results.len() >= REMEMBERED {
        results.clear();
    }
    results.insert(hash, result);
}

fn hash(host: &Host, output: &AuditedOutput<'_>, used: &[String]) -> u64 {
    let AuditedOutput { text, tool, command, failed } = output;
    let mut hasher = Xxh3::new();
    (host.name, tool, command, failed, text, used).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_output_is_replayed_once() {
        let text: String = (0..900).map(|at| format!("row {at} of file_{at}.c\n")).collect();
        let host = Host::named("codex").unwrap();
        let output =
            AuditedOutput { text: &text, tool: "shell", command: Some("make"), failed: false };
        let mut comparer = Comparer::default();
        let used = ["file_450.c".to_owned(), "file_899.c".to_owned()];
        let first = comparer.compare(host, &output, &used);
        assert!(Arc::ptr_eq(&first, &comparer.compare(host, &output, &used)));
        let other = comparer.compare(host, &output, &used[..1]);
        assert!(!Arc::ptr_eq(&first, &other) && first.hash != other.hash);
        let failed = AuditedOutput { failed: true, ..output };
        assert_ne!(first.hash, comparer.compare(host, &failed, &used).hash);
        let narrow = first.rooms[2].as_ref().unwrap();
        // Host, head, tail, ends: the tail has the last of the two words.
        assert_eq!(narrow.kept[..4], [None, Some(0), Some(1), Some(1)]);
        assert_eq!((narrow.best_other(), narrow.lost.is_empty()), (1, narrow.kept[4] == Some(2)));
        assert_eq!(comparer.preview_bytes(host, &output), comparer.preview_bytes(host, &output));
        assert_eq!(comparer.preview_bytes.len(), 1);
    }
}
