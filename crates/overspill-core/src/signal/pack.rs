//! Chooses the lines that are worth most together under one budget, gaps and all.
//!
//! What is shown is stretches of lines; each gap between them costs a mark. With a price for a
//! byte, the best choice is found by one walk over the lines, which knows two states: what comes
//! next goes on where we are, or a gap comes first. The price is then searched for at which the
//! choice just fits.

/// A line on the scales.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Item {
    /// Its expected share of what matters.
    pub(crate) gain: f64,
    /// What showing it takes.
    pub(crate) bytes: u64,
    /// It stands right behind the item before it; the first one, at the start of the output.
    pub(crate) joined: bool,
    /// A gap follows it in any case, since only a part of it is shown.
    pub(crate) open: bool,
    /// It is shown whatever it costs.
    pub(crate) forced: bool,
}

/// What there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// What the mark at a gap takes of each.
    pub(crate) mark_bytes: u64,
    pub(crate) mark_lines: u64,
}

/// A gap is taken for so many bytes at least: many short stretches read badly.
const GAP: u64 = 40;

/// How often the range of the price is halved.
const HALVINGS: u32 = 20;

/// The widest range of prices, as a power of two.
const RANGE: f64 = 160.0;

/// Chooses items, one answer for each; `None` if not even what is forced fits.
///
/// The last item ends the output.
pub(crate) fn pack(items: &[Item], budget: &Budget) -> Option<Vec<bool>> {
    let (by_bytes, used) = search(items, budget, |item| item.bytes as f64)?;
    let nearly = |most: u64| most - most / 8;
    if used.lines < nearly(budget.lines) || used.bytes > nearly(budget.bytes) {
        return Some(by_bytes);
    }
    // Lines are what there is too little of.
    let (by_lines, _) = search(items, budget, |_| 1.0)?;
    let gain = |chosen: &[bool]| -> f64 {
        items.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(item, _)| item.gain).sum()
    };
    Some(if gain(&by_lines) > gain(&by_bytes) { by_lines } else { by_bytes })
}

/// Searches for the lowest price at which the choice fits.
fn search(
    items: &[Item],
    budget: &Budget,
    cost: impl Fn(&Item) -> f64,
) -> Option<(Vec<bool>, Used)> {
    let worth = |item: &Item| item.gain / cost(item).max(1.0);
    let most = items.iter().map(worth).fold(f64::MIN_POSITIVE, f64::max).log2();
    let mut walk = Walk { items, budget, cost, from: Vec::with_capacity(items.len()) };
    let mut best = walk.at_price(f64::INFINITY)?;
    if let Some(all) = walk.at_price(0.0) {
        return Some(all);
    }
    // On a logarithmic scale: gains are many orders of magnitude apart.
    let (mut low, mut high) = (most - RANGE, most + 1.0);
    for _ in 0..HALVINGS {
        let price = (low + high) / 2.0;
        match walk.at_price(price.exp2()) {
            Some(chosen) => (best, high) = (chosen, price),
            None => low = price,
        }
    }
    Some(best)
}

/// What a choice takes up, marks included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Used {
    bytes: u64,
    lines: u64,
}

struct Walk<'a, C> {
    items: &'a [Item],
    budget: &'a Budget,
    cost: C,
    from: Vec<From>,
}

/// How the better way to each state after an item came about.
#[derive(Clone, Copy)]
struct From {
    /// If the item is shown, what came before it went on to it.
    shown: State,
    /// If it is hidden, the state before it.
    hidden: State,
    /// If a gap comes next, the item is shown all the same.
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// What comes next goes on where we are.
    On,
    /// What comes next is behind a gap.
    Gap,
}

impl<C: Fn(&Item) -> f64> Walk<'_, C> {
    /// Chooses what is worth most at a price, if that fits.
    fn at_price(&mut self, price: f64) -> Option<(Vec<bool>, Used)> {
        let chosen = if price.is_finite() { self.choose(price) } else { self.forced() };
        let used = self.used(&chosen);
        let fits = used.bytes <= self.budget.bytes && used.lines <= self.budget.lines;
        fits.then_some((chosen, used))
    }

    fn forced(&self) -> Vec<bool> {
        self.items.iter().map(|item| item.forced).collect()
    }

    fn choose(&mut self, price: f64) -> Vec<bool> {
        let gap = Item { bytes: self.budget.mark_bytes.max(GAP), ..NOTHING };
        let fee = price * (self.cost)(&gap);
        let (mut on, mut behind_gap) = (0.0, f64::NEG_INFINITY);
        self.from.clear();
        for item in self.items {
            let hidden = if on > behind_gap { State::On } else { State::Gap };
            let either = behind_gap.max(on);
            if !item.joined {
                (on, behind_gap) = (f64::NEG_INFINITY, either);
            }
            let goes_on = on >= behind_gap - fee;
            let shown = match (item.joined, goes_on) {
                (false, _) => hidden,
                (true, true) => State::On,
                (true, false) => State::Gap,
            };
            let value = item.gain - price * (self.cost)(item) + on.max(behind_gap - fee);
            let without = if item.forced { f64::NEG_INFINITY } else { either };
            (on, behind_gap) = match item.open {
                true => (f64::NEG_INFINITY, value.max(without)),
                false => (value, without),
            };
            self.from.push(From { shown, hidden, open: item.open && value >= without });
        }
        let mut state = if on >= behind_gap - fee { State::On } else { State::Gap };
        let mut chosen = vec![false; self.items.len()];
        for (from, chosen) in self.from.iter().zip(&mut chosen).rev() {
            *chosen = state == State::On || from.open;
            state = if *chosen { from.shown } else { from.hidden };
        }
        chosen
    }

    /// Adds up what a choice takes.
    fn used(&self, chosen: &[bool]) -> Used {
        let (mut bytes, mut lines, mut gaps) = (0, 0, 0);
        let mut gap = false;
        for (item, chosen) in self.items.iter().zip(chosen) {
            gap |= !item.joined || !chosen;
            if *chosen {
                gaps += u64::from(gap);
                bytes += item.bytes;
                lines += 1;
                gap = item.open;
            }
        }
        gaps += u64::from(gap);
        let Budget { mark_bytes, mark_lines, .. } = self.budget;
        Used { bytes: bytes + gaps * mark_bytes, lines: lines + gaps * mark_lines }
    }
}

const NOTHING: Item = Item { gain: 0.0, bytes: 0, joined: false, open: false, forced: false };

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn used(items: &[Item], budget: &Budget, chosen: &[bool]) -> Used {
        Walk { items, budget, cost: |item: &Item| item.bytes as f64, from: Vec::new() }.used(chosen)
    }

    fn item() -> impl Strategy<Value = Item> {
        (0.0..1.0f64, 1..60u64, 0..8u8, 0..6u8, 0..12u8).prop_map(
            |(gain, bytes, far, open, forced)| Item {
                gain,
                bytes,
                joined: far > 0,
                open: open == 0,
                forced: forced == 0,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_chosen_fits_and_holds_what_is_forced(
            items in proptest::collection::vec(item(), 1..9),
            bytes in 40u64..300,
            lines in 2u64..12,
        ) {
            let budget = Budget { bytes, lines, mark_bytes: GAP, mark_lines: 1 };
            let forced: Vec<bool> = items.iter().map(|item| item.forced).collect();
            let fits = |chosen: &[bool]| {
                let used = used(&items, &budget, chosen);
                used.bytes <= bytes && used.lines <= lines
            };
            let Some(chosen) = pack(&items, &budget) else {
                prop_assert!(!fits(&forced));
                return Ok(());
            };
            prop_assert!(fits(&chosen));
            prop_assert!(items.iter().zip(&chosen).all(|(item, chosen)| *chosen || !item.forced));
        }
    }

    #[test]
    fn a_gap_is_bridged_where_that_is_cheaper_than_a_mark() {
        let line = Item { gain: 0.0, bytes: 10, joined: true, open: false, forced: false };
        let mut items = vec![line; 30];
        items[10].gain = 1.0;
        items[12].gain = 1.0;
        items[29].forced = true;
        let budget = Budget { bytes: 130, lines: 100, mark_bytes: GAP, mark_lines: 1 };
        let chosen = pack(&items, &budget).unwrap_or_default();
        let shown: Vec<usize> = (0..30).filter(|&at| chosen[at]).collect();
        assert!([10, 11, 12, 29].iter().all(|at| shown.contains(at)), "{shown:?}");
    }
}
