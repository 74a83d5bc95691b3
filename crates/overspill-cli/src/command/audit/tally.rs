//! The sums of an audit.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::replay::OutputPlace;
use super::ways::{ROOMS, Room, WAYS};

/// Upper ends of the classes of sizes, in bytes.
pub(super) const SIZES: [(u64, &str); 5] = [
    (2_000, "up to 2 KB"),
    (10_000, "2 to 10 KB"),
    (30_000, "10 to 30 KB"),
    (100_000, "30 to 100 KB"),
    (u64::MAX, "over 100 KB"),
];
/// So many outputs in which overspill loses something are named.
pub(super) const MOST_LOSSES: usize = 10;
/// So many failures behind pipes, repeated commands and unread files are named.
pub(super) const MOST_EXAMPLES: usize = 5;

/// A number of outputs and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Volume {
    pub(super) outputs: u64,
    pub(super) bytes: u64,
}

impl Volume {
    pub(super) fn add(&mut self, bytes: u64) {
        self.outputs += 1;
        self.bytes += bytes;
    }
}

/// The words that a way of cutting keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Recall {
    /// Outputs that are longer than the room and have used words.
    pub(super) outputs: u64,
    /// The sum of the shares of words that are kept, over outputs.
    pub(super) shares: f64,
}

impl Recall {
    pub(super) fn mean(&self) -> Option<f64> {
        (self.outputs > 0).then(|| self.shares / self.outputs as f64)
    }
}

/// An output that shows something.
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
    pub(super) used: usize,
    pub(super) lost: Vec<String>,
    /// How many of the used words the best of the other ways keeps.
    pub(super) best_other: usize,
    /// The preview of overspill.
    pub(super) preview: String,
}

impl Loss {
    /// Losses with a high rank are named first: of a narrower room only if there is no other.
    fn rank(&self) -> (usize, usize) {
        (self.lost.len(), self.used)
    }
}

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRead {
    pub(super) place: PathBuf,
    pub(super) reason: String,
}

/// The sums over one host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct HostSum {
    pub(super) sessions: u64,
    pub(super) outputs: u64,
    /// Bytes of the outputs, as far as they are recorded.
    pub(super) bytes: u64,
    /// Bytes that the agent got.
    pub(super) without: u64,
    /// Bytes that the agent would have got with overspill.
    pub(super) with: u64,
    /// Outputs that the host cut.
    pub(super) cut: u64,
    /// Outputs that the host cut and that are recorded nowhere else.
    pub(super) not_recorded: u64,
}

impl HostSum {
    fn add(&mut self, other: &HostSum) {
        self.sessions += other.sessions;
        self.outputs += other.outputs;
        self.bytes += other.bytes;
        self.without += other.without;
        self.with += other.with;
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
    /// Outputs over 2,000 characters with used words, and the number of these words.
    pub(super) used_outputs: u64,
    pub(super) used_words: u64,
    pub(super) recalls: [[Recall; WAYS.len()]; ROOMS.len()],
    pub(super) losses: [Vec<Loss>; ROOMS.len()],
    /// Outputs in which overspill loses something, in each room.
    pub(super) lossy_outputs: [u64; ROOMS.len()],
    /// Commands that ran again after the host had cut their output.
    pub(super) repeated: u64,
    pub(super) repeated_examples: Vec<Example>,
    /// Commands whose failure a pipe hid.
    pub(super) hidden_failures: u64,
    pub(super) hidden_examples: Vec<Example>,
    pub(super) bad_lines: u64,
    pub(super) not_read: Vec<NotRead>,
    pub(super) not_read_files: u64,
}

impl Tally {
    /// Returns the sums over all hosts.
    pub(super) fn all(&self) -> HostSum {
        let mut all = HostSum::default();
        self.hosts.values().for_each(|sum| all.add(sum));
        all
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
        losses.truncate(MOST_LOSSES);
    }

    /// Returns the outputs to name: those of the widest room in which something is lost.
    pub(super) fn named_losses(&self) -> &[Loss] {
        self.losses.iter().find(|losses| !losses.is_empty()).map_or(&[], |losses| losses)
    }

    /// Adds the sums of another part of the files.
    pub(super) fn merge(&mut self, other: Tally) {
        self.bytes_read += other.bytes_read;
        for (name, sum) in &other.hosts {
            self.hosts.entry(name).or_default().add(sum);
        }
        for (own, other) in self.sizes.iter_mut().zip(other.sizes) {
            own.outputs += other.outputs;
            own.bytes += other.bytes;
        }
        for (tool, volume) in other.tools {
            let own = self.tools.entry(tool).or_default();
            own.outputs += volume.outputs;
            own.bytes += volume.bytes;
        }
        self.used_outputs += other.used_outputs;
        self.used_words += other.used_words;
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

    /// Names the same examples in every run, whichever file was read first.
    fn settle(&mut self) {
        for examples in [&mut self.repeated_examples, &mut self.hidden_examples] {
            examples.sort_by(|a, b| a.place.cmp(&b.place));
            examples.truncate(MOST_EXAMPLES);
        }
        self.not_read.sort_by(|a, b| a.place.cmp(&b.place));
        self.not_read.truncate(MOST_EXAMPLES);
    }
}
