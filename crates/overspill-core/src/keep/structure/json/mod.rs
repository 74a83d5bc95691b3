//! JSON, shortened to JSON that shows the shape of it.
//!
//! The text is read as it streams by ([`scan`]). Its values are held as a tree, of which those
//! furthest from what one looks at first are let go when there are too many ([`tree`], [`rank`]).
//! What is left is written within the limits ([`show`]): JSON again, which says in place how much
//! was left out.

mod rank;
mod scan;
mod show;
mod tree;

pub(super) use rank::log2;
pub(crate) use scan::JsonScan;

use tree::{Node, NodeKind, ranks};

/// The shape of a JSON text, and as much of it as may be shown.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    nodes: Vec<Node>,
    text: Vec<u8>,
    ranks: Vec<u32>,
    /// Where the values within each value end.
    ends: Vec<u32>,
    /// The rank up to which there is anything.
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
