//! Chooses the lines that are worth most together within a budget. The marks at gaps count, too.
//!
//! The preview shows blocks of lines, and each gap between blocks costs a mark. If each byte has a
//! price, one walk over the lines finds the best choice. The walk knows two states: the next line
//! continues the current block, or a gap comes before the next line. A search then finds the
//! lowest price at which the choice fits.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Add;

/// A line that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Item {
    /// The value of showing the line. The gains of all lines add up to at most 1.
    pub(crate) gain: f64,
    /// The number of bytes that the line takes in the preview.
    pub(crate) bytes: u32,
    /// The line directly follows the item before it. The first item: it is the first line.
    pub(crate) joined: bool,
    /// A gap always follows the line, because only its start is shown.
    pub(crate) open: bool,
    /// The line is shown at any cost.
    pub(crate) forced: bool,
}

/// The room for the chosen lines and their marks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PackBudget {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// The number of bytes of the mark at a gap.
    pub(crate) mark_bytes: u64,
    /// The number of lines of the mark at a gap.
    pub(crate) mark_lines: u64,
    /// The lowest gain for each byte. If all lines above it fit, no other line is chosen. With 0,
    /// all of the room is used.
    pub(crate) floor: f64,
}

/// A gap counts for at least this many bytes, because many short blocks are hard to read.
const GAP: u64 = 40;

/// The precision of the search for the price, as a power of two. It is about one percent.
const NEAR: f64 = 1.0 / 64.0;

/// The lowest price that is tried, as a power of two.
const LOWEST: f64 = -1000.0;

/// The highest price that is tried, as a power of two. All gains add up to at most 1.
const HIGHEST: f64 = 16.0;

/// Chooses items. Returns for each item whether it is chosen, and whether no other item is worth
/// showing. Returns `None` if not even the forced items fit.
///
/// The last item must be the last line of the output.
pub(crate) fn pack(items: &[Item], budget: &PackBudget) -> Option<(Vec<bool>, bool)> {
    if budget.floor > 0.0
        && let Some(enough) = at_floor(items, budget)
    {
        return Some((enough, true));
    }
    let (by_bytes, used) = search(items, budget, |item| f64::from(item.bytes))?;
    let nearly = |most: u64| most - most / 8;
    if used.lines() < nearly(budget.lines) || used.bytes() > nearly(budget.bytes) {
        return Some((by_bytes, false));
    }
    // The limit of lines is reached first, so each line gets the same cost.
    let (by_lines, _) = search(items, budget, |_| 1.0)?;
    let gain = |chosen: &[bool]| -> f64 {
        items.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(item, _)| item.gain).sum()
    };
    Some((if gain(&by_lines) > gain(&by_bytes) { by_lines } else { by_bytes }, false))
}

/// Chooses all items that are worth more than the floor, if they fit.
fn at_floor(items: &[Item], budget: &PackBudget) -> Option<Vec<bool>> {
    let at = (0..items.len() as u32).collect();
    let cost = |item: &Item| f64::from(item.bytes);
    let walk = Walk { items: items.to_vec(), at, budget, cost };
    let fits = budget.holds(walk.at_price(budget.floor));
    fits.then(|| walk.chosen(budget.floor, items.len()))
}

/// Searches for the lowest price at which the choice fits.
fn search(
    items: &[Item],
    budget: &PackBudget,
    cost: impl Fn(&Item) -> f64,
) -> Option<(Vec<bool>, Used)> {
    let forced: Vec<bool> = items.iter().map(|item| item.forced).collect();
    let mut best = (used(items, budget, &forced), f64::INFINITY);
    if !budget.holds(best.0) {
        return None;
    }
    let at = (0..items.len() as u32).collect();
    let mut walk = Walk { items: items.to_vec(), at, budget, cost };
    // At the price 0 every item is chosen.
    let all = items.iter().fold(Used::default(), |used, item| used + item.used());
    if budget.holds(all) {
        let all = walk.at_price(0.0);
        if budget.holds(all) {
            return Some((walk.chosen(0.0, items.len()), all));
        }
    }
    // The scale is logarithmic, because gains are many orders of magnitude apart. The steps from
    // the first guess double until the price is between two tried prices.
    let (mut low, mut high) = (LOWEST, f64::INFINITY);
    let (mut price, mut step) = (walk.guess(), NEAR * 8.0);
    while high - low > NEAR && (LOWEST..HIGHEST).contains(&price) {
        let used = walk.at_price(price.exp2());
        if budget.holds(used) {
            (best, high) = ((used, price.exp2()), price);
        } else {
            low = price;
            walk.forget_below(price.exp2());
        }
        price = match (low > LOWEST, high.is_finite()) {
            (true, true) => (low + high) / 2.0,
            (true, false) => price + step,
            _ => price - step,
        };
        step *= 2.0;
    }
    let (used, price) = best;
    let mut chosen = if price.is_finite() { walk.chosen(price, items.len()) } else { forced };
    let used = extend(items, budget, &mut chosen, used);
    Some((chosen, used))
}

/// Extends the blocks into the room that is left, each time by the line with the highest gain.
fn extend(items: &[Item], budget: &PackBudget, chosen: &mut [bool], mut used: Used) -> Used {
    let joins = |at: usize| items.get(at).is_some_and(|item| item.joined && !items[at - 1].open);
    let touches = |chosen: &[bool], at: usize| {
        !items[at].open
            && (at > 0 && chosen[at - 1] && joins(at) || joins(at + 1) && chosen[at + 1])
    };
    let order = |at: usize| (Gain(items[at].gain), Reverse(at));
    let mut next: BinaryHeap<_> =
        (0..items.len()).filter(|&at| !chosen[at] && touches(chosen, at)).map(order).collect();
    while let Some((_, Reverse(at))) = next.pop() {
        let more = used + items[at].used();
        if chosen[at] || !budget.holds(more) {
            continue;
        }
        (used, chosen[at]) = (more, true);
        let beside = [at.checked_sub(1), Some(at + 1).filter(|at| *at < items.len())];
        next.extend(
            beside
                .into_iter()
                .flatten()
                .filter(|&at| !chosen[at] && touches(chosen, at))
                .map(order),
        );
    }
    used
}

/// A gain that can be compared.
#[derive(PartialEq)]
struct Gain(f64);

impl Eq for Gain {}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Gain) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Gain {
    fn cmp(&self, other: &Gain) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The room that a choice takes, marks included: bytes in the low bits and lines in the high bits.
///
/// One number makes a walk faster. It is large enough, because only some millions of bytes and
/// lines are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Used(u64);

impl Used {
    const BYTES: u32 = 38;

    fn new(bytes: u64, lines: u64) -> Used {
        Used(bytes + (lines << Used::BYTES))
    }

    fn bytes(self) -> u64 {
        self.0 & ((1 << Used::BYTES) - 1)
    }

    fn lines(self) -> u64 {
        self.0 >> Used::BYTES
    }
}

impl Add for Used {
    type Output = Used;

    fn add(self, more: Used) -> Used {
        Used(self.0 + more.0)
    }
}

impl Item {
    fn used(&self) -> Used {
        Used::new(u64::from(self.bytes), 1)
    }
}

impl PackBudget {
    fn holds(&self, used: Used) -> bool {
        used.bytes() <= self.bytes && used.lines() <= self.lines
    }

    /// Returns the room that `count` marks take.
    fn marks(&self, count: u64) -> Used {
        Used::new(count * self.mark_bytes, count * self.mark_lines)
    }
}

/// The items that may still be chosen, and their indices among all items.
struct Walk<'a, C> {
    items: Vec<Item>,
    at: Vec<u32>,
    budget: &'a PackBudget,
    cost: C,
}

/// The value of the best path to a state at a price, and the room that the path takes.
#[derive(Clone, Copy)]
struct PathValue {
    value: f64,
    used: Used,
}

const NO_WAY: PathValue = PathValue { value: f64::NEG_INFINITY, used: Used(0) };

/// The choices on the best path to each state after an item.
#[derive(Clone, Copy)]
struct PathChoice {
    /// The state before the item, if the item is shown.
    shown: State,
    /// The state before the item, if the item is hidden.
    hidden: State,
    /// The item is shown although a gap comes next.
    open: bool,
}

/// A state of the walk between two items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The next line continues the current block.
    On,
    /// A gap comes before the next line.
    Gap,
}

impl<C: Fn(&Item) -> f64> Walk<'_, C> {
    /// Guesses the price, as a power of two: at this price the items worth their price would just
    /// fit without gaps.
    fn guess(&self) -> f64 {
        // No gain is larger than 1, which is the power 0.
        const POWERS: usize = -LOWEST as usize + 1;
        let mut by_power = [0_u64; POWERS];
        for item in &self.items {
            let power = power(item.gain / (self.cost)(item).max(1.0));
            by_power[(power - LOWEST as i32).clamp(0, POWERS as i32 - 1) as usize] +=
                u64::from(item.bytes);
        }
        let mut bytes = 0;
        let first = by_power.iter().rposition(|more| {
            bytes += more;
            bytes > self.budget.bytes
        });
        first.map_or(-1.0, |power| power as f64 + LOWEST + 1.0)
    }

    fn fee(&self, price: f64) -> f64 {
        let bytes = self.budget.mark_bytes.clamp(GAP, u64::from(u32::MAX)) as u32;
        price * (self.cost)(&Item { bytes, ..NOTHING })
    }

    /// Returns the room that the best choice at a price takes.
    fn at_price(&self, price: f64) -> Used {
        self.walk(price, |_| {})
    }

    /// Returns the best choice at a price, for `all` items.
    fn chosen(&self, price: f64, all: usize) -> Vec<bool> {
        let mut came = Vec::with_capacity(self.items.len());
        let mut chosen = vec![false; all];
        let mut state = State::On;
        self.walk(price, |step| match step {
            Step::Item(item) => came.push(item),
            Step::End(end) => state = end,
        });
        for (came, at) in came.iter().zip(&self.at).rev() {
            let shown = state == State::On || came.open;
            chosen[*at as usize] = shown;
            state = if shown { came.shown } else { came.hidden };
        }
        chosen
    }

    fn walk(&self, price: f64, mut each: impl FnMut(Step)) -> Used {
        let (fee, mark) = (self.fee(price), self.budget.marks(1));
        let after_mark =
            |way: PathValue| PathValue { value: way.value - fee, used: way.used + mark };
        let (mut on, mut gap) = (PathValue { value: 0.0, ..NO_WAY }, NO_WAY);
        for item in &self.items {
            let hidden = if on.value > gap.value { State::On } else { State::Gap };
            let either = if hidden == State::On { on } else { gap };
            if !item.joined {
                (on, gap) = (NO_WAY, either);
            }
            let goes_on = on.value >= gap.value - fee;
            let before = if goes_on { on } else { after_mark(gap) };
            let with = PathValue {
                value: before.value + item.gain - price * (self.cost)(item),
                used: before.used + item.used(),
            };
            let without = if item.forced { NO_WAY } else { either };
            let open = item.open && with.value >= without.value;
            (on, gap) = match (item.open, open) {
                (true, true) => (NO_WAY, with),
                (true, false) => (NO_WAY, without),
                (false, _) => (with, without),
            };
            let shown = match (item.joined, goes_on) {
                (false, _) => hidden,
                (true, true) => State::On,
                (true, false) => State::Gap,
            };
            each(Step::Item(PathChoice { shown, hidden, open }));
        }
        let ends_on = on.value >= gap.value - fee;
        each(Step::End(if ends_on { State::On } else { State::Gap }));
        if ends_on { on.used } else { after_mark(gap).used }
    }

    /// Drops the items that are not chosen at this price or at any higher price: runs of lines in
    /// which no line is worth its price, and which cost more than a gap.
    fn forget_below(&mut self, price: f64) {
        let fee = self.fee(price);
        let loss = |item: &Item| price * (self.cost)(item) - item.gain;
        let last = self.items.len() - 1;
        let (mut to, mut from) = (0, 0);
        let mut torn = false;
        while from < self.items.len() {
            let (mut end, mut lost) = (from, 0.0);
            while end < last && !self.items[end].forced && loss(&self.items[end]) > 0.0 {
                if end > from && !self.items[end].joined {
                    break;
                }
                lost += loss(&self.items[end]);
                end += 1;
            }
            if end > from && lost >= fee {
                (from, torn) = (end, true);
                continue;
            }
            for at in from..end.max(from + 1) {
                let item = self.items[at];
                self.items[to] = Item { joined: item.joined && !torn, ..item };
                self.at[to] = self.at[at];
                (to, torn) = (to + 1, false);
            }
            from = end.max(from + 1);
        }
        self.items.truncate(to);
        self.at.truncate(to);
    }
}

/// A step of a walk.
enum Step {
    Item(PathChoice),
    End(State),
}

/// Adds up the room that a choice takes.
fn used(items: &[Item], budget: &PackBudget, chosen: &[bool]) -> Used {
    let (mut used, mut gaps, mut gap) = (Used::default(), 0, false);
    for (item, chosen) in items.iter().zip(chosen) {
        gap |= !item.joined || !chosen;
        if *chosen {
            gaps += u64::from(gap);
            used = used + item.used();
            gap = item.open;
        }
    }
    gaps += u64::from(gap);
    used + budget.marks(gaps)
}

/// Returns the binary logarithm of a number that is not negative, rounded down.
fn power(number: f64) -> i32 {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    const NEARLY: u64 = (1 << 40) - 1;
    let bits = number.to_bits();
    // Just below the next power, `log2` rounds up to it, and this function must agree.
    if bits >> (FRACTION - 40) & NEARLY == NEARLY {
        return number.log2().floor() as i32;
    }
    (bits >> FRACTION) as i32 - (f64::MAX_EXP - 1)
}

const NOTHING: Item = Item { gain: 0.0, bytes: 0, joined: false, open: false, forced: false };

/// Returns the bytes and the lines that a choice takes, marks included.
pub(crate) fn room_used(items: &[Item], budget: &PackBudget, chosen: &[bool]) -> (u64, u64) {
    let used = used(items, budget, chosen);
    (used.bytes(), used.lines())
}

/// Forces items in the given order until they fill `bytes` or `lines`.
pub(super) fn force<'a>(items: impl Iterator<Item = &'a mut Item>, mut bytes: u64, mut lines: u64) {
    for item in items {
        let Some(left) = bytes.checked_sub(u64::from(item.bytes)).filter(|_| lines > 0) else {
            break;
        };
        item.forced = true;
        bytes = left;
        lines -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item() -> impl Strategy<Value = Item> {
        (0.0..1.0f64, 1..60u32, 0..8u8, 0..6u8, 0..12u8).prop_map(
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
        fn packed_choice_fits_and_contains_forced_items(
            items in proptest::collection::vec(item(), 1..9),
            bytes in 40u64..300,
            lines in 2u64..12,
        ) {
            let budget = PackBudget { bytes, lines, mark_bytes: GAP, mark_lines: 1, floor: 0.0 };
            let forced: Vec<bool> = items.iter().map(|item| item.forced).collect();
            let fits = |chosen: &[bool]| budget.holds(used(&items, &budget, chosen));
            let Some((chosen, _)) = pack(&items, &budget) else {
                prop_assert!(!fits(&forced));
                return Ok(());
            };
            prop_assert!(fits(&chosen));
            prop_assert!(items.iter().zip(&chosen).all(|(item, chosen)| *chosen || !item.forced));
        }
    }

    proptest! {
        #[test]
        fn dropped_items_do_not_change_the_best_choice(
            items in proptest::collection::vec(item(), 1..40),
            low in 0.0..0.2f64,
            more in 1.0..4.0f64,
        ) {
            let budget = PackBudget { bytes: 1000, lines: 100, mark_bytes: GAP, mark_lines: 1, floor: 0.0 };
            let (cost, price) = (|item: &Item| f64::from(item.bytes), low * more);
            let at = (0..items.len() as u32).collect();
            let mut walk = Walk { items: items.clone(), at, budget: &budget, cost };
            let worth = |chosen: &[bool]| -> f64 {
                let used = used(&items, &budget, chosen);
                let shown = items.iter().zip(chosen).filter(|(_, chosen)| **chosen);
                shown.map(|(item, _)| item.gain).sum::<f64>() - price * used.bytes() as f64
            };
            let of_all = worth(&walk.chosen(price, items.len()));
            walk.forget_below(low);
            let of_rest = worth(&walk.chosen(price, items.len()));
            prop_assert!((of_all - of_rest).abs() < 1e-9, "{of_all} {of_rest}");
        }
    }

    #[test]
    fn power_equals_the_rounded_logarithm() {
        for number in
            [0.0, 1e-320, 1.0, 0.5, 0.75, 0.1, 3e-9, 1.0_f64.next_down(), 0.25_f64.next_down()]
        {
            let simply = number.log2().max(LOWEST).floor();
            assert_eq!(f64::from(power(number)).max(LOWEST), simply, "{number}");
        }
    }

    #[test]
    fn small_gap_is_shown_if_that_costs_less_than_a_mark() {
        let line = Item { gain: 0.0, bytes: 10, joined: true, open: false, forced: false };
        let mut items = vec![line; 30];
        items[10].gain = 1.0;
        items[12].gain = 1.0;
        items[29].forced = true;
        let budget =
            PackBudget { bytes: 130, lines: 100, mark_bytes: GAP, mark_lines: 1, floor: 0.0 };
        let (chosen, _) = pack(&items, &budget).unwrap_or_default();
        let shown: Vec<usize> = (0..30).filter(|&at| chosen[at]).collect();
        assert!([10, 11, 12, 29].iter().all(|at| shown.contains(at)), "{shown:?}");
    }
}
