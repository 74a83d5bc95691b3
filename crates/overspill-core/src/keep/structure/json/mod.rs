//! Shortens JSON to JSON that shows its shape.
//!
//! [`scan`] reads the text as it streams in. [`tree`] holds the values. When memory gets short, the
//! values with the highest ranks are dropped ([`rank`]). At the end, [`show`] writes the values
//! that are left as JSON within the limits. Each gap says how many values are missing.

mod rank;
mod scan;
mod show;
mod tree;

pub(super) use rank::log2;
pub(crate) use scan::JsonScan;

use tree::{Node, NodeKind, ranks};

/// The values of a JSON text that may be shown, with their ranks.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    nodes: Vec<Node>,
    text: Vec<u8>,
    ranks: Vec<u32>,
    /// For each value, the index of the first value that is not inside it.
    ends: Vec<u32>,
    /// Everything is shown if this rank is shown.
    highest: u32,
}

impl Outline {
    fn new(nodes: Vec<Node>, text: Vec<u8>) -> Outline {
        let ranks = ranks(&nodes);
        let mut ends = vec![nodes.len() as u32; nodes.len()];
        let mut path: Vec<usize> = Vec::new();
        let mut highest = 0;
        for (at, node) in nodes.iter().enumerate() {
            while path.len() > node.depth as usize {
                path.pop().into_iter().for_each(|closed| ends[closed] = at as u32);
            }
            path.push(at);
            let slack = match node.kind {
                NodeKind::Text => rank::slack(u64::from(node.head + node.tail)),
                NodeKind::Array | NodeKind::Object | NodeKind::Bare => 0,
            };
            highest = highest.max(ranks[at] + slack);
        }
        Outline { nodes, text, ranks, ends, highest }
    }
}
