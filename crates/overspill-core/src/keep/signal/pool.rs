//! Holds the lines that may yet be shown: the first, the last, and the best of those between.

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::features::LOOK_AHEAD;
use super::line::{ScoredLine, ScoredLines};
use super::weights::FAR;

/// A line is kept for its neighbours' sake, too, as far as so many lines away.
const NEIGHBOURS: usize = 2;

/// How much less a line is worth for a neighbour's sake.
const FOR_NEIGHBOUR: i32 = 8;

/// How much less a line is worth each time that the lines like it before it double: the frequent ones go first.
const FOR_EACH_DOUBLING: i32 = 8;

/// How much of each is held, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolRoom {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) best: usize,
}

/// The last lines. They have their text one after the other, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastLines {
    pub(crate) lines: VecDeque<ScoredLine>,
    text: Vec<u8>,
    /// How much text of lines that are gone stands before it.
    gone: usize,
}

impl LastLines {
    /// Adds a line, its text without and its line feed, if it has one.
    pub(crate) fn push(&mut self, line: ScoredLine, text: &[u8], feed: &[u8]) {
        self.lines.push_back(line.at(self.text.len()));
        self.text.extend_from_slice(text);
        self.text.extend_from_slice(feed);
    }

    /// Returns a line, and what the lines around it say of it.
    pub(crate) fn with_neighbours(&mut self, number: u64) -> Option<(&mut ScoredLine, i32)> {
        let at = number.checked_sub(self.lines.front()?.number)? as usize;
        let (from, to) = (at.saturating_sub(FAR), (at + FAR + 1).min(self.lines.len()));
        let mut beside = 0;
        for (other, line) in (from..to).zip(self.lines.range(from..to)) {
            beside += match other.cmp(&at) {
                Ordering::Less => line.worth.below(at - other),
                Ordering::Equal => 0,
                Ordering::Greater => line.worth.above(other - at),
            };
        }
        self.lines.get_mut(at).map(|line| (line, beside))
    }

    pub(crate) fn text(&self, line: &ScoredLine) -> &[u8] {
        &self.text[line.place()]
    }

    /// Returns where a line stands among the last lines, if it is one of them.
    fn place_of(&self, number: u64) -> Option<usize> {
        let at = number.checked_sub(self.lines.front()?.number)? as usize;
        (at < self.lines.len()).then_some(at)
    }

    fn size(&self) -> usize {
        self.text.len() - self.gone
    }

    /// Takes the oldest line out and shows its text to `take`.
    fn pop(&mut self, take: impl FnOnce(ScoredLine, &[u8])) {
        let Some(line) = self.lines.pop_front() else { return };
        take(line, &self.text[line.place()]);
        self.gone += usize::from(line.len);
        // Moved rarely, so that it costs little.
        if self.gone > self.text.len() / 2 && self.gone > 64 * 1024 {
            self.text.drain(..self.gone);
            let gone = self.gone;
            self.lines.iter_mut().for_each(|line| *line = line.at(line.place().start - gone));
            self.gone = 0;
        }
    }
}

/// The lines that may yet be shown, in bounded memory.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    room: PoolRoom,
    /// The first lines, and the best of those that came after them.
    best: Best,
    first_are_all: bool,
    pub(crate) last: LastLines,
    /// Scores of the lines that went last, the newest first.
    went: [i32; NEIGHBOURS],
    /// Some lines were written over.
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

    /// Lets go of what is not among the last lines any more.
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

    /// Returns all that is held, in order.
    pub(crate) fn into_lines(mut self) -> ScoredLines {
        while !self.last.lines.is_empty() {
            let Pool { best, last, .. } = &mut self;
            // The last lines are held for being last, whatever they are worth.
            last.pop(|line, text| best.lines.push(line, text));
        }
        let mut lines = self.best.lines;
        if self.overwrites {
            lines.retain(|line| !line.overwritten);
        }
        lines
    }

    /// Says that a line was written over, so that it is not shown.
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

/// The best lines of all that were offered.
#[derive(Debug, Clone, Default)]
struct Best {
    most: usize,
    lines: ScoredLines,
    /// What each line is worth for its own or its neighbours' sake.
    ranks: Vec<i32>,
    /// What is not worth more than this is not held.
    bar: Option<i32>,
}

impl Best {
    /// The rank of a line that is held whatever comes.
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

    /// Raises the bar so far that half of the lines go, of equals the later ones.
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
