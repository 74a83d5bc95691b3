//! Holds the values of a JSON text that may be shown. When the memory limit is reached, the values
//! with the highest ranks are dropped.

use super::super::field_roles::{FieldRole, fails, role};
use super::super::novelty::{Novelty, hash, mix};
use super::rank;

/// The kind of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Array,
    Object,
    Text,
    /// A number, `true`, `false` or `null`.
    Bare,
}

/// The reason why a value stands out among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeMark {
    None,
    /// The value, or a value in it, reports a failure.
    Failed,
    /// The shape of the value is new. The number counts the siblings with a new shape before it.
    Differs(u8),
}

/// A value. The values inside it directly follow it in the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The number of siblings before the value.
    pub(super) index: u64,
    /// The number of siblings before the value that report a failure.
    pub(super) failed_before: u64,
    /// The number of values in an array or object, or the number of bytes of a string.
    pub(super) total: u64,
    /// The number of values inside it that report a failure.
    pub(super) failed: u64,
    /// The offset of its text: first the name in quotes, then the start and the end of the value.
    pub(super) at: u32,
    /// The number of held bytes of the start of the value.
    pub(super) head: u32,
    /// The number of held bytes of the end of the value.
    pub(super) tail: u32,
    /// The number of bytes of the name, with its quotes; 0 without a name.
    pub(super) name: u16,
    pub(super) depth: u8,
    pub(super) kind: NodeKind,
    pub(super) mark: NodeMark,
}

/// The deepest level at which values are held. Deeper values are only counted.
const DEEPEST: usize = 64;

/// A value that is not closed yet.
#[derive(Debug, Clone)]
struct Open {
    node: u32,
    kind: NodeKind,
    count: u64,
    failed: u64,
    role: FieldRole,
    name_hash: u64,
    /// A hash of the shape of the value: the names and kinds of its members.
    look: u64,
    /// The shapes of the values inside it.
    looks: Novelty,
}

/// The held values of a JSON text.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) text: Vec<u8>,
    open: Vec<Open>,
    /// The shape lists of closed values, for reuse: most values are small, and they are many.
    spare: Vec<Novelty>,
    /// The number of open values that are too deep to be held.
    deeper: usize,
    /// The number of values in the first open value that is too deep.
    deeper_count: u64,
    /// The offset of the name of the next value. Its number of bytes is `name`.
    name_at: usize,
    name: u16,
    role: FieldRole,
    name_hash: u64,
    /// Values are dropped if they take more bytes of memory than this.
    most: usize,
    /// The hash of the shape of the closed root, and whether the root reports a failure.
    pub(super) root: Option<(u64, bool)>,
}

impl Tree {
    /// Returns an empty tree that holds up to `most` bytes.
    pub(super) fn new(most: usize) -> Tree {
        Tree {
            nodes: Vec::new(),
            text: Vec::new(),
            open: Vec::new(),
            spare: Vec::new(),
            deeper: 0,
            deeper_count: 0,
            name_at: 0,
            name: 0,
            role: FieldRole::Plain,
            name_hash: 0,
            most,
            root: None,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
        self.open.clear();
        self.deeper = 0;
        (self.name, self.role, self.root) = (0, FieldRole::Plain, None);
    }

    /// Adds the first `len` bytes of `text` to the held text. For a short text, which is the usual
    /// case, a fixed number of bytes is copied and then truncated, because that is faster.
    #[inline]
    pub(super) fn hold(&mut self, text: &[u8], len: usize) {
        match text.first_chunk::<16>() {
            Some(start) if len <= 16 => {
                let end = self.text.len() + len;
                self.text.extend_from_slice(start);
                self.text.truncate(end);
            }
            _ => self.text.extend_from_slice(&text[..len]),
        }
    }

    /// Tells whether the next value is inside an array or an object.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes the text from `at` on, in quotes, as the name of the next value.
    pub(super) fn named(&mut self, at: usize) {
        if self.deeper == 0 {
            let name = &self.text[at..];
            let inner = &name[1..name.len() - 1];
            (self.role, self.name_hash) = (role(inner), hash(inner));
            (self.name_at, self.name) = (at, name.len() as u16);
        } else {
            self.text.truncate(at);
        }
    }

    /// Begins an array or an object.
    pub(super) fn open(&mut self, kind: NodeKind) {
        if self.deeper > 0 {
            self.deeper += 1;
            return;
        }
        let node = self.add(kind, 0, 0, 0);
        if self.open.len() == DEEPEST {
            (self.deeper, self.deeper_count) = (1, 0);
            return;
        }
        self.open.push(Open {
            node,
            kind,
            count: 0,
            failed: 0,
            role: self.role,
            name_hash: self.name_hash,
            look: kind as u64 + 1,
            looks: self.spare.pop().unwrap_or_default(),
        });
        self.role = FieldRole::Plain;
    }

    /// Ends the current array or object.
    pub(super) fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
            match self.deeper {
                0 => {
                    let node = self.nodes.len() - 1;
                    self.nodes[node].total = self.deeper_count;
                    let kind = self.nodes[node].kind;
                    self.ended(node, kind as u64, self.name_hash, false);
                }
                1 => self.deeper_count += 1,
                _ => {}
            }
            return;
        }
        let Some(mut open) = self.open.pop() else { return };
        open.looks.clear();
        self.spare.push(open.looks);
        let node = open.node as usize;
        self.nodes[node].total = open.count;
        self.nodes[node].failed = open.failed;
        let is_error = open.role == FieldRole::Error && open.count > 0;
        // The number of items of an array is part of its shape.
        let look =
            if open.kind == NodeKind::Array { open.look ^ open.count << 8 } else { open.look };
        self.ended(node, look, open.name_hash, is_error || open.failed > 0);
    }

    /// Adds a string, a number or a literal of `total` bytes. Its held text begins at `at`: first
    /// `head` bytes of its start, then its end.
    #[inline(always)]
    pub(super) fn leaf(&mut self, kind: NodeKind, at: usize, head: usize, total: u64) {
        if self.deeper > 0 {
            self.text.truncate(at);
            self.deeper_count += u64::from(self.deeper == 1);
            return;
        }
        let (tail, value) = (self.text.len() - at - head, &self.text[at..]);
        let failed = self.role != FieldRole::Plain && fails(self.role, value);
        let kind_of = if kind == NodeKind::Text { b'"' } else { kind_of(value) };
        let look = match self.role {
            FieldRole::Status | FieldRole::Good if value.len() <= 32 => hash(value),
            _ => u64::from(kind_of),
        };
        let node = self.add(kind, head, tail, total);
        self.role = FieldRole::Plain;
        self.ended(node as usize, look, self.name_hash, failed);
    }

    #[inline]
    fn add(&mut self, kind: NodeKind, head: usize, tail: usize, total: u64) -> u32 {
        let (index, failed_before) =
            self.open.last().map_or((0, 0), |parent| (parent.count, parent.failed));
        let at = if self.name > 0 { self.name_at } else { self.text.len() - head - tail };
        self.nodes.push(Node {
            index,
            failed_before,
            total,
            failed: 0,
            at: at as u32,
            head: head as u32,
            tail: tail as u32,
            name: self.name,
            depth: self.open.len() as u8,
            kind,
            mark: NodeMark::None,
        });
        self.name = 0;
        self.nodes.len() as u32 - 1
    }

    /// Adds an ended value to the counts and the shape of its parent.
    #[inline(always)]
    fn ended(&mut self, node: usize, look: u64, name: u64, failed: bool) {
        let Some(parent) = self.open.last_mut() else {
            self.root = Some((look, failed));
            return;
        };
        parent.count += 1;
        if failed {
            parent.failed += 1;
            self.nodes[node].mark = NodeMark::Failed;
        }
        let is_leaf = matches!(self.nodes[node].kind, NodeKind::Text | NodeKind::Bare);
        match parent.kind {
            NodeKind::Object => {
                // The names and values within a member do not make its parent look different.
                let inner = if is_leaf { look } else { self.nodes[node].kind as u64 };
                parent.look = mix(mix(parent.look, name), inner);
                // Plain members differ anyway, so only arrays and objects are compared.
                if !is_leaf {
                    parent.compare(&mut self.nodes[node], look);
                }
            }
            NodeKind::Array | NodeKind::Text | NodeKind::Bare => {
                parent.compare(&mut self.nodes[node], look)
            }
        }
        if self.size() > self.most {
            self.prune();
        }
    }

    fn size(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.text.len()
    }

    /// Drops the values with the highest ranks until about a quarter of the memory limit is used.
    #[cold]
    #[inline(never)]
    fn prune(&mut self) {
        for open in &self.open {
            let node = &mut self.nodes[open.node as usize];
            (node.total, node.failed) = (open.count, open.failed);
        }
        let mut ranks = ranks(&self.nodes);
        self.open.iter().for_each(|open| ranks[open.node as usize] = 0);
        let bar = self.bar(&ranks);
        let (mut kept, mut text_end) = (0, 0);
        let mut open = self.open.iter_mut().peekable();
        for (at, &rank) in ranks.iter().enumerate() {
            if rank > bar {
                continue;
            }
            let mut node = self.nodes[at];
            let (start, name) = (node.at as usize, node.name as usize);
            let (head, tail) = (node.head as usize, node.tail as usize);
            let (kept_head, kept_tail) = held(&node, rank, bar);
            let head_start = start + name;
            let tail_start = head_start + head + tail - kept_tail;
            self.text.copy_within(start..head_start + kept_head, text_end);
            self.text.copy_within(tail_start..tail_start + kept_tail, text_end + name + kept_head);
            node.at = text_end as u32;
            (node.head, node.tail) = (kept_head as u32, kept_tail as u32);
            text_end += name + kept_head + kept_tail;
            self.nodes[kept] = node;
            if let Some(open) = open.next_if(|open| open.node as usize == at) {
                open.node = kept as u32;
            }
            kept += 1;
        }
        self.nodes.truncate(kept);
        self.text.truncate(text_end);
    }

    /// Returns the highest rank at which values are held after pruning.
    fn bar(&self, ranks: &[u32]) -> u32 {
        let mut sizes = [0; 1024];
        let last = sizes.len() - 1;
        for (node, &rank) in self.nodes.iter().zip(ranks) {
            let at = (rank as usize).min(last);
            let text = u64::from(node.head + node.tail);
            let mut shown = 2 * rank::room(0, 0);
            sizes[at] += size_of::<Node>() as u64 + u64::from(node.name) + text.min(shown);
            // The rest of a long string belongs to higher ranks part by part, as in `held`.
            let mut further = at;
            while shown < text {
                further += rank::DOUBLE as usize;
                sizes[further.min(last)] += shown.min(text - shown);
                shown *= 2;
            }
        }
        let mut sum = 0;
        let most = self.most as u64 / 4;
        let over = sizes.iter().position(|&size| {
            sum += size;
            sum > most
        });
        over.map_or(u32::MAX, |bar| bar.saturating_sub(1) as u32)
    }
}

impl Open {
    /// Compares a value with the values before it, and marks it if its shape is new and rare.
    fn compare(&mut self, node: &mut Node, look: u64) {
        if let Some(before) = self.looks.is_new(look, self.count)
            && node.mark == NodeMark::None
        {
            node.mark = NodeMark::Differs(before);
        }
    }
}

/// Returns the numbers of bytes that stay held of the start and of the end of a value.
fn held(node: &Node, rank: u32, bar: u32) -> (usize, usize) {
    let (head, tail) = (node.head as usize, node.tail as usize);
    let room = usize::try_from(2 * rank::room(rank, bar)).unwrap_or(usize::MAX);
    if node.kind != NodeKind::Text || head + tail <= room {
        return (head, tail);
    }
    let kept_tail = room / 2;
    ((room - kept_tail).min(head), kept_tail)
}

/// Returns the rank of each value.
pub(super) fn ranks(nodes: &[Node]) -> Vec<u32> {
    let mut path = [(0u32, NodeKind::Array, 0u64); DEEPEST + 1];
    let mut ranks = Vec::with_capacity(nodes.len());
    for node in nodes {
        let depth = node.depth as usize;
        let rank = match depth.checked_sub(1) {
            None => 0,
            Some(parent) => {
                let (rank, kind, count) = path[parent];
                rank + rank::step(node, kind, count)
            }
        };
        // A plain value has no values inside it.
        if matches!(node.kind, NodeKind::Array | NodeKind::Object) {
            path[depth] = (rank, node.kind, node.total);
        }
        ranks.push(rank);
    }
    ranks
}

/// Returns one byte for each sort of plain value: booleans, `null` and numbers.
fn kind_of(bare: &[u8]) -> u8 {
    match bare.first() {
        Some(b't' | b'f') => b't',
        Some(b'n') => b'n',
        _ => b'0',
    }
}
