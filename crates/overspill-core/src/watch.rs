//! Looks at an output as it streams by.

use crate::ends::Ends;
use crate::signal::{self, Scan, Weights};
use crate::structure::{self, Format, Rows, json};
use crate::text::{Both, Cleaner};
use crate::view::{Extent, View};
use crate::{Keep, Policy};

/// Looks at an output as it comes, and remembers what may have to be shown of it.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    cleaner: Cleaner,
    sees: Sees,
}

/// JSON may break at its very end: it is cut off, or text follows. Up to this length its lines are
/// scored beside it, and those that matter are shown if it breaks. To score the short lines of
/// indented JSON takes as long as to read it, so longer outputs fall back to both ends.
const LINES_BESIDE_JSON: u64 = 1 << 20;

#[derive(Debug, Clone)]
enum Sees {
    /// It is not known yet what to look for.
    Start(Box<Start>),
    Ends(Box<Ends>),
    Lines(Box<Scan>),
    Json(Box<Ends>, Box<json::Scan>),
    /// JSON so far, and its lines for the case that it breaks.
    JsonOrLines(Box<Scan>, Box<json::Scan>),
    Rows(Box<Ends>, Box<Rows>),
}

/// The start of an output, and what is wanted of it.
#[derive(Debug, Clone)]
struct Start {
    bytes: Vec<u8>,
    policy: Policy,
    weights: Weights,
}

impl Watch {
    pub(crate) fn new(policy: &Policy) -> Watch {
        Watch::with_weights(policy, Weights::SHIPPED)
    }

    /// Looks at lines by other weights than those we ship.
    pub(crate) fn with_weights(policy: &Policy, weights: Weights) -> Watch {
        let ends = || Box::new(Ends::new(0, Extent::of(policy)));
        let sees = if structure::applies(policy) {
            Sees::Start(Box::new(Start { bytes: Vec::new(), policy: policy.clone(), weights }))
        } else if signal::applies(policy) {
            Sees::Lines(Box::new(Scan::new(*ends(), policy, weights)))
        } else {
            Sees::Ends(ends())
        };
        Watch { cleaner: Cleaner::new(0, policy), sees }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        match &mut self.sees {
            Sees::Start(start) => {
                let room = structure::SAMPLE - start.bytes.len();
                let (now, later) = chunk.split_at(room.min(chunk.len()));
                start.bytes.extend_from_slice(now);
                if start.bytes.len() == structure::SAMPLE {
                    *self = start.look(Whole::No);
                    self.push(later);
                }
            }
            Sees::Ends(ends) => self.cleaner.push(chunk, &mut **ends),
            Sees::Lines(scan) => self.cleaner.push(chunk, &mut **scan),
            Sees::Json(ends, scan) => self.cleaner.push(chunk, &mut Both(&mut **ends, &mut **scan)),
            Sees::JsonOrLines(lines, scan) => {
                self.cleaner.push(chunk, &mut Both(&mut **lines, &mut **scan));
                if self.cleaner.at() > LINES_BESIDE_JSON {
                    let json = std::mem::replace(&mut **scan, json::Scan::new(0));
                    self.sees = Sees::Json(Box::new(lines.ends.clone()), Box::new(json));
                }
            }
            Sees::Rows(ends, rows) => self.cleaner.push(chunk, &mut Both(&mut **ends, &mut **rows)),
        }
    }

    pub(crate) fn finish(mut self) -> View<'static> {
        let (mut lines, mut rows, mut outline) = (None, None, None);
        let ends = match self.sees {
            Sees::Start(start) => return start.look(Whole::Yes).finish(),
            Sees::Ends(mut ends) => {
                self.cleaner.finish(&mut *ends);
                *ends
            }
            Sees::Lines(mut scan) => {
                self.cleaner.finish(&mut *scan);
                let (ends, found) = scan.finish(self.cleaner.at());
                lines = Some(Box::new(found));
                ends
            }
            Sees::Rows(mut ends, mut found) => {
                self.cleaner.finish(&mut Both(&mut *ends, &mut *found));
                found.finish(self.cleaner.at());
                rows = Some(found);
                *ends
            }
            Sees::Json(mut ends, mut scan) => {
                self.cleaner.finish(&mut Both(&mut *ends, &mut *scan));
                outline = scan.finish().map(Box::new);
                *ends
            }
            Sees::JsonOrLines(mut scan, mut json) => {
                self.cleaner.finish(&mut Both(&mut *scan, &mut *json));
                outline = json.finish().map(Box::new);
                if outline.is_some() || self.cleaner.at() > LINES_BESIDE_JSON {
                    scan.ends
                } else {
                    let (ends, found) = scan.finish(self.cleaner.at());
                    lines = Some(Box::new(found));
                    ends
                }
            }
        };
        let head_is_all = ends.head_is_all();
        let (head, tail, tail_is_all) = ends.into_both();
        View { head, head_is_all, tail, tail_is_all, lines, rows, outline }
    }
}

/// Whether the start of an output is all of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

impl Start {
    /// Decides by an output's start what to look for in it, and begins to.
    fn look(&self, whole: Whole) -> Watch {
        let Start { bytes, policy, weights } = self;
        let ends = || Box::new(Ends::new(0, Extent::of(policy)));
        let begin = |sees: Sees| {
            let mut watch = Watch { cleaner: Cleaner::new(0, policy), sees };
            watch.push(bytes);
            watch
        };
        match structure::detect(bytes) {
            Some(Format::Lines(reader)) => {
                return begin(Sees::Rows(ends(), Box::new(Rows::new(reader, policy))));
            }
            Some(Format::Json) => {
                let most = policy.limits.most_bytes().unwrap_or(u64::MAX);
                let scan = json::Scan::new(usize::try_from(most).unwrap_or(usize::MAX));
                let scan = Box::new(scan);
                let watch = match (whole, policy.keep) {
                    (Whole::No, Keep::Auto) => {
                        let lines = Scan::new(*ends(), policy, *weights).reading_alarms_only();
                        begin(Sees::JsonOrLines(Box::new(lines), scan))
                    }
                    _ => begin(Sees::Json(ends(), scan)),
                };
                let is_json = match whole {
                    Whole::Yes => watch.clone().finish().outline.is_some(),
                    Whole::No => watch.is_json_yet(),
                };
                if is_json {
                    return watch;
                }
            }
            None => {}
        }
        match policy.keep {
            Keep::Structure => begin(Sees::Ends(ends())),
            _ => begin(Sees::Lines(Box::new(Scan::new(*ends(), policy, *weights)))),
        }
    }
}

impl Watch {
    fn is_json_yet(&self) -> bool {
        match &self.sees {
            Sees::Json(_, scan) | Sees::JsonOrLines(_, scan) => !scan.has_failed(),
            Sees::Start(_) | Sees::Ends(_) | Sees::Lines(_) | Sees::Rows(..) => false,
        }
    }
}
