//! Holds the lines that may still be shown: the first lines, the last lines, and the lines with the
//! best scores between them.

use std::collections::VecDeque;

use super::features::LOOK_AHEAD;
use super::line::{ScoredLine, ScoredLines};
use super::weights::FAR;

/// The distance in lines within which a good line also keeps its neighbours in the pool.
const NEIGHBOURS: usize = 2;

/// The number that is subtracted from the score of a line for its neighbours.
const FOR_NEIGHBOUR: i32 = 8;

/// The number that is subtracted from the rank of a line for each doubling of the earlier lines
/// with its template. So frequent lines are dropped first.
const FOR_EACH_DOUBLING: i32 = 8;

/// The numbers of bytes of the first, the last and the best lines that are held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolRoom {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) best: usize,
}

/// The last lines of the output so far, the oldest first, with their texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastLines {
    pub(crate) lines: VecDeque<ScoredLine>,
    text: Vec<u8>,
    /// The number of bytes at the start of `text` that belong to lines that were removed.
    gone: usize,
}

impl LastLines {
    /// Adds a line. `text` comes without the line feed, and `feed` is empty without a line feed.
    pub(crate) fn push(&mut self, line: ScoredLine, text: &[u8], feed: &[u8]) {
        self.lines.push_back(line.at(self.text.len()));
        self.text.extend_from_slice(text);
        self.text.extend_from_slice(feed);
    }

    /// Returns a line, and the sum of the weights that the words of its neighbours give it.
    pub(crate) fn with_neighbours(&mut self, number: u64) -> Option<(&mut ScoredLine, i32)> {
        let at = number.checked_sub(self.lines.front()?.number)? as usize;
        let mut beside = 0;
        for distance in 1..=FAR {
            let above = at.checked_sub(distance).and_then(|other| self.lines.get(other));
            let below = self.lines.get(at + distance);
            beside += above.map_or(0, |line| line.worth.below(distance));
            beside += below.map_or(0, |line| line.worth.above(distance));
        }
        self.lines.get_mut(at).map(|line| (line, beside))
    }

    pub(crate) fn text(&self, line: &ScoredLine) -> &[u8] {
        &self.text[line.place()]
    }

    /// Returns the index of a line among the last lines.
    fn place_of(&self, number: u64) -> Option<usize> {
        let at = number.checked_sub(self.lines.front()?.number)? as usize;
        (at < self.lines.len()).then_some(at)
    }

    fn size(&self) -> usize {
        self.text.len() - self.gone
    }

    /// Removes the oldest line and calls `take` with it.
    fn pop(&mut self, take: impl FnOnce(ScoredLine, &[u8])) {
        let Some(line) = self.lines.pop_front() else { return };
        take(line, &self.text[line.place()]);
        self.gone += usize::from(line.len);
        // The text is moved rarely, so that this costs little.
        if self.gone > self.text.len() / 2 && self.gone > 64 * 1024 {
            self.text.drain(..self.gone);
            let gone = self.gone;
            self.lines.iter_mut().for_each(|line| *line = line.at(line.place().start - gone));
            self.gone = 0;
        }
    }
}

/// The lines that may still be shown, within a memory limit.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    room: PoolRoom,
    /// The first lines, and the best lines after them.
    best: Best,
    first_are_all: bool,
    pub(crate) last: LastLines,
    /// The scores of the lines that left `last` most recently, the newest first.
    went: [i32; NEIGHBOURS],
    /// Some lines were overwritten.
    overwrites: bool,
}

impl Pool {
    pub(crate) fn new(room: PoolRoom) -> Pool {
        Pool {
            room,
            best: Best { most: room.best, ..Best::default() },
            first_are_all: false,
            last: LastLines::default(),
            went: [ScoredLine::UNSCORED; NEIGHBOURS],
            overwrites: false,
        }
    }

    /// Moves lines out of the last lines until the last lines fit into their room.
    pub(crate) fn trim(&mut self) {
        let needed = LOOK_AHEAD as usize + NEIGHBOURS.max(FAR) + 1;
        while self.last.size() > self.room.last && self.last.lines.len() > needed
            || self.last.lines.len() * 16 > self.room.last.max(needed * 16)
        {
            self.let_go();
        }
    }

    fn let_go(&mut self) {
        let near = self.last.lines.iter().skip(1).take(NEIGHBOURS).map(|line| line.score);
        let near = near.chain(self.went).max().unwrap_or(ScoredLine::UNSCORED) - FOR_NEIGHBOUR;
        let Pool { room, best, first_are_all, last, went, .. } = self;
        last.pop(|line, text| {
            if line.overwritten {
                return;
            }
            went.rotate_right(1);
            went[0] = line.score;
            *first_are_all |= best.lines.size() >= room.first;
            match first_are_all {
                true if line.is_unscored() => {}
                true => {
                    let often = u16::BITS - line.own.so_far.leading_zeros();
                    let rank = near.max(line.lifted) - FOR_EACH_DOUBLING * often as i32;
                    best.offer(line, rank, text);
                }
                false => best.offer(line, Best::ALWAYS, text),
            }
        });
    }

    /// Returns all held lines in their order.
    pub(crate) fn into_lines(mut self) -> ScoredLines {
        while !self.last.lines.is_empty() {
            let Pool { best, last, .. } = &mut self;
            // The last lines are held at any score.
            last.pop(|line, text| best.lines.push(line, text));
        }
        let mut lines = self.best.lines;
        if self.overwrites {
            lines.retain(|line| !line.overwritten);
        }
        lines
    }

    /// Marks a line as overwritten, so that it is not shown.
    pub(crate) fn overwrite(&mut self, number: u64) {
        // The training of weights needs every line.
        if self.room.best == 0 {
            return;
        }
        self.overwrites = true;
        let held = &mut self.best.lines.lines;
        let line = match self.last.place_of(number) {
            Some(at) => self.last.lines.get_mut(at),
            None => {
                held.binary_search_by_key(&number, |line| line.number).ok().map(|at| &mut held[at])
            }
        };
        line.into_iter().for_each(|line| line.overwritten = true);
    }

    /// Tells whether one of the last lines is blank.
    pub(crate) fn is_blank(&self, number: u64) -> bool {
        self.last.place_of(number).is_some_and(|at| self.last.lines[at].own.blank)
    }
}

/// The best lines among all lines that were offered.
#[derive(Debug, Clone, Default)]
struct Best {
    most: usize,
    lines: ScoredLines,
    /// The rank of each line. A line gets it from its own score or from the score of a neighbour.
    ranks: Vec<i32>,
    /// The rank above which new lines are held.
    bar: Option<i32>,
}

impl Best {
    /// The rank of a line that is never dropped.
    const ALWAYS: i32 = i32::MAX;

    fn offer(&mut self, line: ScoredLine, rank: i32, text: &[u8]) {
        if self.bar.is_some_and(|bar| rank <= bar) {
            return;
        }
        if self.ranks.is_empty() {
            self.lines.reserve(2 * self.most);
        }
        self.lines.push(line, text);
        self.ranks.push(rank);
        if rank != Best::ALWAYS && self.lines.size() > 2 * self.most {
            self.raise();
        }
    }

    /// Raises the bar so that half of the lines are dropped. Among lines with the same rank, the
    /// later lines are dropped.
    fn raise(&mut self) {
        let mut sorted = self.ranks.clone();
        sorted.retain(|&rank| rank != Best::ALWAYS);
        let half = sorted.len() / 2;
        if sorted.is_empty() {
            return;
        }
        let (_, &mut bar, above) = sorted.select_nth_unstable(half);
        let above = above.iter().filter(|&&rank| rank > bar).count();
        let mut equals = sorted.len() - half - above;
        let kept: Vec<bool> = self
            .ranks
            .iter()
            .map(|&rank| {
                let equal = rank == bar && equals > 0;
                equals -= usize::from(equal);
                rank > bar || equal
            })
            .collect();
        let (mut of_line, mut of_rank) = (kept.iter(), kept.iter());
        self.lines.retain(|_| of_line.next() == Some(&true));
        self.ranks.retain(|_| of_rank.next() == Some(&true));
        self.bar = Some(bar);
    }
}
