//! Walks through a JSON text and tells which of its values a path leads to.
//!
//! A value has a set of steps: those that may be taken from it next. With all steps taken it is one
//! of those that are meant. So one pass is enough, and what is held is as much as the text is deep.

use std::borrow::Cow;

use super::path::JsonPath;
use super::scan::{Place, Scan, Stop};

/// Deeper texts are not read.
const DEEPEST: usize = 1_000;

/// Hears of the values that a path leads to.
pub(super) trait Listener {
    /// One begins here. Returns a number for it, or nothing if it is not wanted.
    fn begins(&mut self, at: Place) -> Option<usize>;

    /// One ends here.
    fn ends(&mut self, number: usize, at: Place);

    /// Tells whether to go no further.
    fn is_done(&self, at: Place) -> bool;
}

/// An array or an object that is being read.
struct Frame {
    is_array: bool,
    /// The steps that may be taken from it.
    steps: u64,
    /// How many children have begun.
    children: u64,
    /// How many elements it has, where that matters.
    len: u64,
    /// Its number, if it is meant itself.
    number: Option<usize>,
}

/// Walks through one value. Tells whether it came to its end.
pub(super) fn walk(
    scan: &mut Scan<'_>,
    path: Option<&JsonPath>,
    listener: &mut dyn Listener,
) -> Result<bool, Stop> {
    let all_taken = path.map_or(1, |path| 1 << path.steps.len());
    let longest_key = path.map_or(0, JsonPath::longest_key);
    let mut key = Vec::new();
    let mut stack: Vec<Frame> = Vec::new();
    let mut steps = u64::from(path.is_some());
    loop {
        let Some(byte) = scan.token()? else { return Err(scan.bad("expected a value")) };
        let start = scan.place();
        if listener.is_done(start) {
            return Ok(false);
        }
        let meant = path.is_some() && steps & all_taken != 0;
        let number = if meant { listener.begins(start) } else { None };
        let steps_on = steps & (all_taken - 1);
        match byte {
            b'[' | b'{' if stack.len() == DEEPEST => {
                return Err(scan.bad("nested deeper than 1000 levels"));
            }
            b'[' | b'{' => {
                scan.advance();
                let is_array = byte == b'[';
                let counts = is_array && path.is_some_and(|path| counts(path, steps_on));
                let len = if counts { count(scan)? } else { 0 };
                stack.push(Frame { is_array, steps: steps_on, children: 0, len, number });
            }
            _ => {
                if byte == b'"' {
                    scan.string(None)?
                } else {
                    scan.word(byte)?
                }
                number.inspect(|&number| listener.ends(number, scan.place()));
            }
        }
        steps = loop {
            let Some(frame) = stack.last_mut() else { return Ok(true) };
            if close(scan, frame)? {
                frame.number.inspect(|&number| listener.ends(number, scan.place()));
                stack.pop();
                continue;
            }
            let wanted = (frame.steps != 0).then_some((&mut key, longest_key));
            break child(scan, path, frame, wanted)?;
        };
    }
}

/// Goes past the end of an array or object, or past what stands before its next child.
fn close(scan: &mut Scan<'_>, frame: &mut Frame) -> Result<bool, Stop> {
    let token = scan.token()?;
    let end = if frame.is_array { b']' } else { b'}' };
    if token == Some(end) {
        scan.advance();
        return Ok(true);
    }
    if frame.children > 0 {
        if token != Some(b',') {
            return Err(scan.bad(if frame.is_array {
                "expected `,` or `]`"
            } else {
                "expected `,` or `}`"
            }));
        }
        scan.advance();
    }
    frame.children += 1;
    Ok(false)
}

/// Goes to the next child and returns the steps that may be taken from it.
fn child(
    scan: &mut Scan<'_>,
    path: Option<&JsonPath>,
    frame: &Frame,
    wanted: Option<(&mut Vec<u8>, usize)>,
) -> Result<u64, Stop> {
    let index = frame.children - 1;
    if frame.is_array {
        return Ok(taken(path, frame.steps, |choice| choice.takes_index(index, frame.len)));
    }
    if scan.token()? != Some(b'"') {
        return Err(scan.bad("expected a name in quotes"));
    }
    let steps = match wanted {
        None => {
            scan.string(None)?;
            0
        }
        Some((key, longest)) => {
            key.clear();
            scan.string(Some((key, longest)))?;
            let name = name_of(key, longest);
            taken(path, frame.steps, |choice| choice.takes_key(name.as_deref()))
        }
    };
    if scan.token()? != Some(b':') {
        return Err(scan.bad("expected `:`"));
    }
    scan.advance();
    Ok(steps)
}

/// Returns a key as it is meant; one that is too long for any name is none.
fn name_of(key: &[u8], longest: usize) -> Option<Cow<'_, str>> {
    if key.len() > longest {
        return None;
    }
    let text = std::str::from_utf8(key).ok()?;
    if !text.contains('\\') {
        return Some(text.into());
    }
    serde_json::from_str(&format!("\"{text}\"")).ok().map(Cow::Owned)
}

/// Returns the steps from a child that `takes` says is on the way.
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

/// Tells whether one of these steps counts from the end.
fn counts(path: &JsonPath, steps: u64) -> bool {
    let mut on_the_way =
        path.steps.iter().enumerate().filter(|(number, _)| steps >> number & 1 == 1);
    on_the_way.any(|(_, step)| step.to.iter().any(super::path::Choice::counts_from_end))
}

/// Counts the elements of the array that has just begun, and comes back.
fn count(scan: &mut Scan<'_>) -> Result<u64, Stop> {
    let start = scan.place();
    let (mut depth, mut commas, mut any) = (0_u64, 0, false);
    loop {
        match scan.token()? {
            None => return Err(scan.bad("expected `,` or `]`")),
            Some(b'"') => {
                any = true;
                scan.string(None)?;
                continue;
            }
            Some(b'[' | b'{') => depth += 1,
            Some(b']' | b'}') if depth == 0 => break,
            Some(b']' | b'}') => depth -= 1,
            Some(b',') => commas += u64::from(depth == 0),
            Some(_) => {}
        }
        any = true;
        scan.advance();
    }
    scan.go_to(start);
    Ok(if any { commas + 1 } else { 0 })
}
