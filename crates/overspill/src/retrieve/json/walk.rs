//! Walks through a JSON text and finds the values at a path.
//!
//! Each value has a set of steps: those that may be taken from it next. A value for which all steps
//! are taken is one of the wanted values. So one pass is enough, and the memory depends only on the
//! depth of the text.

use overspill_core::internal::json::JsonToken;

use super::path::JsonPath;
use super::scan::{Place, Scan, Stop, is_blank};

/// The depth up to which texts are read.
const DEEPEST: usize = 1_000;

/// Receives the values at a path.
pub(super) trait Listener {
    /// Reports that a value begins here. Returns a number for it, or `None` if it is not wanted.
    fn begins(&mut self, at: Place) -> Option<usize>;

    /// Reports that a value ends here.
    fn ends(&mut self, number: usize, at: Place);

    /// Tells whether the walk can stop.
    fn is_done(&self, at: Place) -> bool;
}

/// An array or an object that is being read.
struct Frame {
    is_array: bool,
    /// The steps that may be taken from it.
    steps: u64,
    /// The number of elements of the array that have begun.
    elements: u64,
    /// The number of elements of the array, if a step needs it.
    len: u64,
    /// The number of the value, if it is wanted.
    number: Option<usize>,
}

/// Walks through one value. Tells whether its end was reached.
pub(super) fn walk(
    scan: &mut Scan<'_>,
    path: Option<&JsonPath>,
    listener: &mut dyn Listener,
) -> Result<bool, Stop> {
    let all_taken = path.map_or(1, |path| 1 << path.steps.len());
    let longest_key = path.map_or(0, JsonPath::longest_key);
    let mut stack: Vec<Frame> = Vec::new();
    // The steps to the next value, and the number of the current value.
    let (mut steps, mut number) = (u64::from(path.is_some()), None);
    let (mut key, mut in_key, mut in_word) = (Vec::new(), false, false);
    loop {
        let (start, expects_value) = (scan.place(), scan.expects_value());
        let filtered = match stack.last() {
            Some(frame) if expects_value && !in_word && filters(path, frame.steps) => {
                scan.value_here()?
            }
            _ => None,
        };
        let token = match scan.next_token() {
            Ok(Some(token)) => token,
            Ok(None) => {
                if !scan.is_done() {
                    return Err(scan.cut_off());
                }
                number.inspect(|&number| listener.ends(number, start));
                return Ok(true);
            }
            // A mistake after the last wanted value is ignored.
            Err(Stop::Bad(_)) if expects_value && listener.is_done(start) => return Ok(false),
            Err(stop) => return Err(stop),
        };
        let begins = match token {
            JsonToken::Open(_) | JsonToken::String { is_key: false } => true,
            JsonToken::Word { .. } => !in_word,
            _ => false,
        };
        if begins {
            if listener.is_done(start) {
                return Ok(false);
            }
            if let Some(frame) = stack.last_mut().filter(|frame| frame.is_array) {
                let (index, len) = (frame.elements, frame.len);
                steps = taken(path, frame.steps, |choice| choice.takes_index(index, len));
                frame.elements += 1;
            }
            if let (Some(list), Some(frame)) = (&filtered, stack.last()) {
                steps |= taken(path, frame.steps, |choice| choice.takes_value(list));
            }
            let is_meant = path.is_some() && steps & all_taken != 0;
            number = if is_meant { listener.begins(start) } else { None };
        }
        match token {
            JsonToken::Between => continue,
            JsonToken::Open(_) if stack.len() == DEEPEST => {
                return Err(start.bad("nested deeper than 1000 levels"));
            }
            JsonToken::Open(bracket) => {
                let (is_array, steps) = (bracket == b'[', steps & (all_taken - 1));
                let counts = is_array && path.is_some_and(|path| counts(path, steps));
                let len = if counts { count(scan)? } else { 0 };
                stack.push(Frame { is_array, steps, elements: 0, len, number: number.take() });
                continue;
            }
            JsonToken::String { is_key } => {
                in_key = is_key;
                key.clear();
                continue;
            }
            JsonToken::Text(text) => {
                if in_key {
                    let room = (longest_key + 1).saturating_sub(key.len());
                    key.extend_from_slice(&text[..text.len().min(room)]);
                }
                continue;
            }
            JsonToken::EndString if in_key => {
                let from = stack.last().map_or(0, |frame| frame.steps);
                let name = str::from_utf8(&key).ok().filter(|name| name.len() <= longest_key);
                steps = taken(path, from, |choice| choice.takes_key(name));
                in_key = false;
                continue;
            }
            JsonToken::Word { ends } => {
                in_word = !ends;
                if in_word {
                    continue;
                }
                let end = scan.place();
                if stack.is_empty() && scan.peek()?.is_some_and(|next| !is_blank(next)) {
                    return Err(end.bad("expected white space after the value"));
                }
            }
            JsonToken::EndString => {}
            JsonToken::Close => number = stack.pop().and_then(|frame| frame.number),
        }
        number.take().inspect(|&number| listener.ends(number, scan.place()));
        if stack.is_empty() {
            return Ok(true);
        }
    }
}

/// Returns the steps from a child that `takes` accepts.
fn taken(path: Option<&JsonPath>, steps: u64, takes: impl Fn(&super::path::Choice) -> bool) -> u64 {
    let Some(path) = path.filter(|_| steps != 0) else { return 0 };
    let mut next = 0;
    for (number, step) in
        path.steps.iter().enumerate().filter(|(number, _)| steps >> number & 1 == 1)
    {
        if step.anywhere {
            next |= 1 << number;
        }
        if step.to.iter().any(&takes) {
            next |= 1 << (number + 1);
        }
    }
    next
}

/// Tells whether one of these steps is a filter.
fn filters(path: Option<&JsonPath>, steps: u64) -> bool {
    let Some(path) = path.filter(|_| steps != 0) else { return false };
    let mut on_the_way =
        path.steps.iter().enumerate().filter(|(number, _)| steps >> number & 1 == 1);
    on_the_way.any(|(_, step)| step.to.iter().any(super::path::Choice::is_filter))
}

/// Tells whether one of these steps counts from the end.
fn counts(path: &JsonPath, steps: u64) -> bool {
    let mut on_the_way =
        path.steps.iter().enumerate().filter(|(number, _)| steps >> number & 1 == 1);
    on_the_way.any(|(_, step)| step.to.iter().any(super::path::Choice::counts_from_end))
}

/// Counts the elements of the array that has just begun, and returns to its start.
fn count(scan: &mut Scan<'_>) -> Result<u64, Stop> {
    let start = scan.bookmark();
    let (mut depth, mut elements, mut in_word) = (0_u64, 0, false);
    loop {
        let begins = match scan.next_token()? {
            None => return Err(scan.cut_off()),
            Some(JsonToken::Open(_)) => {
                depth += 1;
                depth == 1
            }
            Some(JsonToken::Close) if depth == 0 => break,
            Some(JsonToken::Close) => {
                depth -= 1;
                false
            }
            Some(JsonToken::String { is_key }) => depth == 0 && !is_key,
            Some(JsonToken::Word { ends }) => {
                let was_in_word = std::mem::replace(&mut in_word, !ends);
                depth == 0 && !was_in_word
            }
            Some(_) => false,
        };
        elements += u64::from(begins);
    }
    scan.return_to(start);
    Ok(elements)
}
