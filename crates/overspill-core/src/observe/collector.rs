//! Reads an output as it streams by and collects the parts that a preview may show.

use crate::Policy;
use crate::keep::signal::{self, SignalScan, Weights};
use crate::keep::structure::{self, Format, StructuredLines, json};
use crate::observe::binary;
use crate::observe::collected::{Collected, Extent};
use crate::observe::ends::Ends;
use crate::observe::selection::Selection;
use crate::text::{Cleaner, TeeSink};

/// Reads an output as it streams by, and remembers the parts that a preview may show.
#[derive(Debug, Clone)]
pub(crate) struct Collector {
    cleaner: Cleaner,
    sees: CollectorKind,
    format: Option<&'static str>,
}

/// The length in bytes up to which the lines of JSON are scored as well. JSON may break at its very
/// end: it is cut off, or text follows; then the lines with a high score are shown. Scoring the
/// short lines of indented JSON takes as long as reading it, so longer outputs fall back to both
/// ends.
const LINES_BESIDE_JSON: u64 = 1 << 20;

#[derive(Debug, Clone)]
enum CollectorKind {
    /// The kind of the output is not known yet.
    Start(Box<Sample>),
    Ends(Box<Ends>),
    Lines(Box<SignalScan>),
    Json(Box<Ends>, Box<json::JsonScan>),
    /// JSON so far, and its lines in case the JSON breaks.
    JsonOrLines(Box<SignalScan>, Box<json::JsonScan>),
    Rows(Box<Ends>, Box<StructuredLines>),
}

/// The start of an output, and the policy for it.
#[derive(Debug, Clone)]
struct Sample {
    bytes: Vec<u8>,
    policy: Policy,
    weights: Weights,
}

impl Collector {
    pub(crate) fn new(policy: &Policy) -> Collector {
        Collector::with_weights(policy, Weights::SHIPPED)
    }

    /// Makes a collector that scores lines by other weights than the built-in ones.
    pub(crate) fn with_weights(policy: &Policy, weights: Weights) -> Collector {
        let ends = || Box::new(Ends::new(0, Extent::of(policy)));
        let sees = if structure::applies(policy) {
            CollectorKind::Start(Box::new(Sample {
                bytes: Vec::new(),
                policy: policy.clone(),
                weights,
            }))
        } else if signal::applies(policy) {
            CollectorKind::Lines(Box::new(SignalScan::new(*ends(), policy, weights)))
        } else {
            CollectorKind::Ends(ends())
        };
        Collector { cleaner: Cleaner::new(0, policy), sees, format: None }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        match &mut self.sees {
            CollectorKind::Start(start) => {
                let room = structure::SAMPLE - start.bytes.len();
                let (now, later) = chunk.split_at(room.min(chunk.len()));
                start.bytes.extend_from_slice(now);
                if start.bytes.len() == structure::SAMPLE {
                    *self = start.look(Whole::No);
                    self.push(later);
                }
            }
            CollectorKind::Ends(ends) => self.cleaner.push(chunk, &mut **ends),
            CollectorKind::Lines(scan) => self.cleaner.push(chunk, &mut **scan),
            CollectorKind::Json(ends, scan) => {
                self.cleaner.push(chunk, &mut TeeSink(&mut **ends, &mut **scan))
            }
            CollectorKind::JsonOrLines(lines, scan) => {
                self.cleaner.push(chunk, &mut TeeSink(&mut **lines, &mut **scan));
                if self.cleaner.at() > LINES_BESIDE_JSON {
                    let json = std::mem::replace(&mut **scan, json::JsonScan::new(0));
                    self.sees = CollectorKind::Json(Box::new(lines.ends.clone()), Box::new(json));
                }
            }
            CollectorKind::Rows(ends, rows) => {
                self.cleaner.push(chunk, &mut TeeSink(&mut **ends, &mut **rows))
            }
        }
    }

    pub(crate) fn finish(mut self) -> Collected<'static> {
        let (ends, selection) = match self.sees {
            CollectorKind::Start(start) => return start.look(Whole::Yes).finish(),
            CollectorKind::Ends(mut ends) => {
                self.cleaner.finish(&mut *ends);
                (*ends, Selection::Ends)
            }
            CollectorKind::Lines(mut scan) => {
                self.cleaner.finish(&mut *scan);
                let (ends, found) = scan.finish(self.cleaner.at());
                (ends, Selection::Lines(Box::new(found)))
            }
            CollectorKind::Rows(mut ends, mut found) => {
                self.cleaner.finish(&mut TeeSink(&mut *ends, &mut *found));
                found.finish(self.cleaner.at());
                (*ends, Selection::Rows(found))
            }
            CollectorKind::Json(mut ends, mut scan) => {
                self.cleaner.finish(&mut TeeSink(&mut *ends, &mut *scan));
                (*ends, outlined(*scan))
            }
            CollectorKind::JsonOrLines(mut scan, mut json) => {
                self.cleaner.finish(&mut TeeSink(&mut *scan, &mut *json));
                match outlined(*json) {
                    Selection::Ends if self.cleaner.at() <= LINES_BESIDE_JSON => {
                        let (ends, found) = scan.finish(self.cleaner.at());
                        (ends, Selection::Lines(Box::new(found)))
                    }
                    selection => (scan.ends, selection),
                }
            }
        };
        let head_is_all = ends.head_is_all();
        let (head, tail, tail_is_all) = ends.into_both();
        Collected { head, head_is_all, tail, tail_is_all, selection, format: self.format }
    }
}

/// Returns the outline of JSON that is complete.
fn outlined(scan: json::JsonScan) -> Selection {
    scan.finish().map_or(Selection::Ends, |outline| Selection::Outline(Box::new(outline)))
}

/// Whether the start of an output is the whole output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

impl Sample {
    /// Chooses a scan by the start of an output, and feeds the start to it.
    fn look(&self, whole: Whole) -> Collector {
        let Sample { bytes, policy, weights } = self;
        let ends = || Box::new(Ends::new(0, Extent::of(policy)));
        let begin = |sees: CollectorKind| {
            let cleaner = Cleaner::new(0, policy);
            let mut watch = Collector { cleaner, sees, format: binary::format(bytes) };
            watch.push(bytes);
            watch
        };
        match structure::detect(bytes, policy.hint.forced) {
            Some(Format::Lines(reader)) => {
                return begin(CollectorKind::Rows(
                    ends(),
                    Box::new(StructuredLines::new(reader, policy)),
                ));
            }
            Some(Format::Json) => {
                let most = policy.limits.most_bytes().unwrap_or(u64::MAX);
                let scan = json::JsonScan::new(usize::try_from(most).unwrap_or(usize::MAX));
                let scan = Box::new(scan);
                let watch = match whole {
                    Whole::No if policy.keep.reads_lines() => {
                        let lines =
                            SignalScan::new(*ends(), policy, *weights).reading_alarms_only();
                        begin(CollectorKind::JsonOrLines(Box::new(lines), scan))
                    }
                    _ => begin(CollectorKind::Json(ends(), scan)),
                };
                let is_json = match whole {
                    Whole::Yes => {
                        matches!(watch.clone().finish().selection, Selection::Outline(_))
                    }
                    Whole::No => watch.is_json_yet(),
                };
                if is_json {
                    return watch;
                }
            }
            None => {}
        }
        if policy.keep.reads_lines() {
            begin(CollectorKind::Lines(Box::new(SignalScan::new(*ends(), policy, *weights))))
        } else {
            begin(CollectorKind::Ends(ends()))
        }
    }
}

impl Collector {
    fn is_json_yet(&self) -> bool {
        match &self.sees {
            CollectorKind::Json(_, scan) | CollectorKind::JsonOrLines(_, scan) => {
                !scan.has_failed()
            }
            CollectorKind::Start(_)
            | CollectorKind::Ends(_)
            | CollectorKind::Lines(_)
            | CollectorKind::Rows(..) => false,
        }
    }
}
