//! The sums of an audit, and the examples that its reports name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::replay::OutputPlace;
use super::ways::{ROOMS, Room, WAYS};

/// The classes of sizes: the largest size in bytes, and the name.
pub(super) const SIZES: [(u64, &str); 5] = [
    (2_000, "up to 2 KB"),
    (10_000, "2 to 10 KB"),
    (30_000, "10 to 30 KB"),
    (100_000, "30 to 100 KB"),
    (u64::MAX, "over 100 KB"),
];
/// The largest number of outputs with lost words that a report names.
pub(super) const MOST_LOSSES: usize = 10;
/// The largest number of hidden failures, repeated commands and unread files that a report names.
pub(super) const MOST_EXAMPLES: usize = 5;

/// The number of outputs and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Volume {
    pub(super) outputs: u64,
    pub(super) bytes: u64,
}

impl Volume {
    pub(super) fn add(&mut self, bytes: u64) {
        self.merge(Volume { outputs: 1, bytes });
    }

    fn merge(&mut self, other: Volume) {
        self.outputs += other.outputs;
        self.bytes += other.bytes;
    }
}

/// The words that a way of cutting keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Recall {
    /// The number of outputs that are longer than the room and have used words.
    pub(super) outputs: u64,
    /// The sum over these outputs of the share of used words that the way keeps.
    pub(super) shares: f64,
}

impl Recall {
    pub(super) fn mean(&self) -> Option<f64> {
        (self.outputs > 0).then(|| self.shares / self.outputs as f64)
    }
}

/// An output that a report names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Example {
    pub(super) place: OutputPlace,
    pub(super) host: &'static str,
    pub(super) tool: String,
    pub(super) command: Option<String>,
    pub(super) bytes: u64,
}

/// An output in which overspill would have lost words that the agent used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loss {
    pub(super) example: Example,
    pub(super) room: Room,
    /// The number of words that the agent used.
    pub(super) used: usize,
    /// The used words that the preview lacks.
    pub(super) lost: Vec<String>,
    /// The number of used words that the best other way keeps.
    pub(super) best_other: usize,
    /// The hash of the output and of its used words.
    pub(super) hash: u64,
}

impl Loss {
    /// Returns the sort key: reports name losses with a high rank first.
    fn rank(&self) -> (usize, usize) {
        (self.lost.len(), self.used)
    }
}

/// A file that was not read, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRead {
    pub(super) place: PathBuf,
    pub(super) reason: String,
}

/// The sums of one host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct HostSum {
    pub(super) sessions: u64,
    pub(super) outputs: u64,
    /// The bytes of the outputs, as far as the transcripts have them.
    pub(super) bytes: u64,
    /// The bytes that the agent got.
    pub(super) bytes_without_overspill: u64,
    /// The bytes that the agent would have got with overspill, without those of `not_replayed`.
    pub(super) known_bytes_with_overspill: u64,
    /// The outputs over the limit that were replayed, and the bytes of their previews.
    pub(super) replayed: Volume,
    /// The outputs over the limit that are not in the sample, and the most bytes of their previews.
    pub(super) not_replayed: Volume,
    /// The number of outputs that the host cut.
    pub(super) cut: u64,
    /// The number of cut outputs whose rest is in no file.
    pub(super) not_recorded: u64,
}

impl HostSum {
    /// Returns the bytes that the agent would have got with overspill. An output that was not
    /// replayed counts with the mean preview of those that were.
    pub(super) fn bytes_with_overspill(&self) -> u64 {
        let (known, other) = (self.replayed, self.not_replayed);
        let estimated = match known.outputs {
            0 => other.bytes,
            outputs => known.bytes * other.outputs / outputs,
        };
        self.known_bytes_with_overspill + estimated
    }

    fn add(&mut self, other: &HostSum) {
        self.sessions += other.sessions;
        self.outputs += other.outputs;
        self.bytes += other.bytes;
        self.bytes_without_overspill += other.bytes_without_overspill;
        self.known_bytes_with_overspill += other.known_bytes_with_overspill;
        self.replayed.merge(other.replayed);
        self.not_replayed.merge(other.not_replayed);
        self.cut += other.cut;
        self.not_recorded += other.not_recorded;
    }
}

/// Everything that an audit counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) bytes_read: u64,
    pub(super) hosts: BTreeMap<&'static str, HostSum>,
    pub(super) sizes: [Volume; SIZES.len()],
    pub(super) tools: BTreeMap<String, Volume>,
    /// The number of outputs over 2,000 bytes with used words.
    pub(super) used_outputs: u64,
    /// The number of used words in these outputs.
    pub(super) used_words: u64,
    /// The number of these outputs in the sample, for which the ways of cutting were compared.
    pub(super) compared_outputs: u64,
    pub(super) recalls: [[Recall; WAYS.len()]; ROOMS.len()],
    pub(super) losses: [Vec<Loss>; ROOMS.len()],
    /// The number of outputs in which overspill loses used words, for each room.
    pub(super) lossy_outputs: [u64; ROOMS.len()],
    /// The number of commands that ran again after the host had cut their output.
    pub(super) repeated: u64,
    pub(super) repeated_examples: Vec<Example>,
    /// The number of commands whose failure a pipe hid.
    pub(super) hidden_failures: u64,
    pub(super) hidden_examples: Vec<Example>,
    /// The number of lines that could not be read.
    pub(super) bad_lines: u64,
    pub(super) not_read: Vec<NotRead>,
    pub(super) not_read_files: u64,
}

impl Tally {
    /// Returns the sums over all hosts.
    pub(super) fn all(&self) -> HostSum {
        let mut all = HostSum::default();
        self.hosts.values().for_each(|sum| all.add(sum));
        // The previews of each host have another length.
        all.known_bytes_with_overspill =
            self.hosts.values().map(HostSum::bytes_with_overspill).sum();
        (all.replayed.bytes, all.not_replayed.bytes) = (0, 0);
        all
    }

    /// Tells whether only a sample of the outputs was replayed.
    pub(super) fn is_sample(&self) -> bool {
        self.compared_outputs < self.used_outputs || self.all().not_replayed.outputs > 0
    }

    pub(super) fn add_not_read(&mut self, place: PathBuf, reason: String) {
        self.not_read_files += 1;
        if self.not_read.len() < MOST_EXAMPLES {
            self.not_read.push(NotRead { place, reason });
        }
    }

    pub(super) fn add_loss(&mut self, room: usize, loss: Loss) {
        self.lossy_outputs[room] += 1;
        self.losses[room].push(loss);
        self.keep_worst(room);
    }

    fn keep_worst(&mut self, room: usize) {
        let losses = &mut self.losses[room];
        losses.sort_by(|a, b| {
            b.rank().cmp(&a.rank()).then_with(|| a.example.place.cmp(&b.example.place))
        });
        // The same output in a resumed or forked session is named once.
        let mut named = Vec::new();
        losses.retain(|loss| {
            let is_new = !named.contains(&loss.hash) && named.len() < MOST_LOSSES;
            named.extend(is_new.then_some(loss.hash));
            is_new
        });
    }

    /// Returns the losses that reports name: the losses of the widest room that has any.
    pub(super) fn named_losses(&self) -> &[Loss] {
        self.losses.iter().find(|losses| !losses.is_empty()).map_or(&[], |losses| losses)
    }

    /// Forgets the losses that reports do not name.
    pub(super) fn keep_named_losses(&mut self) {
        let named = self.losses.iter().position(|losses| !losses.is_empty()).unwrap_or(0);
        self.losses.iter_mut().skip(named + 1).for_each(Vec::clear);
    }

    /// Adds the sums of other files.
    pub(super) fn merge(&mut self, other: Tally) {
        self.bytes_read += other.bytes_read;
        for (name, sum) in &other.hosts {
            self.hosts.entry(name).or_default().add(sum);
        }
        for (own, other) in self.sizes.iter_mut().zip(other.sizes) {
            own.merge(other);
        }
        for (tool, volume) in other.tools {
            self.tools.entry(tool).or_default().merge(volume);
        }
        self.used_outputs += other.used_outputs;
        self.used_words += other.used_words;
        self.compared_outputs += other.compared_outputs;
        for (own, other) in self.recalls.iter_mut().flatten().zip(other.recalls.iter().flatten()) {
            own.outputs += other.outputs;
            own.shares += other.shares;
        }
        for (room, losses) in other.losses.into_iter().enumerate() {
            self.lossy_outputs[room] += other.lossy_outputs[room];
            self.losses[room].extend(losses);
            self.keep_worst(room);
        }
        self.repeated += other.repeated;
        self.hidden_failures += other.hidden_failures;
        self.bad_lines += other.bad_lines;
        self.not_read_files += other.not_read_files;
        self.repeated_examples.extend(other.repeated_examples);
        self.hidden_examples.extend(other.hidden_examples);
        self.not_read.extend(other.not_read);
        self.settle();
    }

    /// Sorts and limits the examples, so that every run names the same ones.
    fn settle(&mut self) {
        for examples in [&mut self.repeated_examples, &mut self.hidden_examples] {
            examples.sort_by(|a, b| a.place.cmp(&b.place));
            examples.truncate(MOST_EXAMPLES);
        }
        self.not_read.sort_by(|a, b| a.place.cmp(&b.place));
        self.not_read.truncate(MOST_EXAMPLES);
    }
}
