//! Parses paths into a JSON text: a JSONPath (RFC 9535) or a JSON Pointer (RFC 6901).

use std::fmt;

use serde_json::Value;

use super::filter::Filter;

/// A path from the root of a JSON text to some of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    typed: String,
    pub(super) steps: Vec<Step>,
}

/// The mistake in an invalid path, and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}, at character {at} of the path")]
pub struct BadPath {
    /// The description of the mistake.
    pub what: &'static str,
    /// The place of the mistake in characters, counted from 1.
    pub at: usize,
}

/// One step down in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The step may start at any depth below.
    pub(super) anywhere: bool,
    /// The children to which the step leads.
    pub(super) to: Vec<Choice>,
}

/// A choice among the children of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    All,
    Name(String),
    /// A token of a pointer, which is a name or a number.
    NameOrIndex(String),
    /// An index. A negative one counts from the end.
    Index(i64),
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    },
    Filter(Filter),
}

/// The largest number of steps of a path: a set of steps is kept as bits of a number.
pub(super) const MOST_STEPS: usize = 63;

impl JsonPath {
    /// Parses a path: `/a/0` and an empty text are pointers, any other text is a JSONPath, with or
    /// without its `$`.
    pub fn parse(typed: &str) -> Result<JsonPath, BadPath> {
        let steps = match typed.as_bytes().first() {
            None | Some(b'/') => pointer(typed)?,
            Some(_) => Parser { chars: typed.chars().collect(), at: 0 }.path()?,
        };
        if steps.len() > MOST_STEPS {
            return Err(BadPath { what: "more than 63 steps", at: typed.chars().count() });
        }
        Ok(JsonPath { typed: typed.to_owned(), steps })
    }

    /// Tells whether the path leads to at most one value.
    pub(super) fn is_single(&self) -> bool {
        self.steps
            .iter()
            .all(|step| !step.anywhere && matches!(&step.to[..], [one] if one.is_single()))
    }

    /// Returns the largest length, as written, of a key that could be one of the names.
    pub(super) fn longest_key(&self) -> usize {
        let names = self.steps.iter().flat_map(|step| &step.to).map(|choice| match choice {
            Choice::Name(name) | Choice::NameOrIndex(name) => name.len(),
            Choice::All | Choice::Index(_) | Choice::Slice { .. } | Choice::Filter(_) => 0,
        });
        names.max().unwrap_or(0)
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

impl Choice {
    /// Tells whether the choice depends on the number of elements of an array.
    pub(super) fn counts_from_end(&self) -> bool {
        let negative = |number: &Option<i64>| number.is_some_and(|number| number < 0);
        match self {
            Choice::Index(index) => *index < 0,
            Choice::Slice { start, end, step } => negative(start) || negative(end) || *step < 0,
            Choice::All | Choice::Name(_) | Choice::NameOrIndex(_) | Choice::Filter(_) => false,
        }
    }

    /// Tells whether the choice depends on the value of a child.
    pub(super) fn is_filter(&self) -> bool {
        matches!(self, Choice::Filter(_))
    }

    /// Tells whether the choice includes the only value of `list`, by a filter.
    pub(super) fn takes_value(&self, list: &Value) -> bool {
        matches!(self, Choice::Filter(filter) if filter.takes(list))
    }

    fn is_single(&self) -> bool {
        match self {
            Choice::Name(_) | Choice::NameOrIndex(_) | Choice::Index(_) => true,
            Choice::All | Choice::Slice { .. } | Choice::Filter(_) => false,
        }
    }

    pub(super) fn takes_key(&self, key: Option<&str>) -> bool {
        match self {
            Choice::All => true,
            Choice::Name(name) | Choice::NameOrIndex(name) => key == Some(name),
            Choice::Index(_) | Choice::Slice { .. } | Choice::Filter(_) => false,
        }
    }

    /// Tells whether the choice includes an element. `len` is right only if
    /// [`Choice::counts_from_end`] is true.
    pub(super) fn takes_index(&self, index: u64, len: u64) -> bool {
        let (index, len) = (index.min(i64::MAX as u64) as i64, len.min(i64::MAX as u64) as i64);
        match self {
            Choice::All => true,
            Choice::Name(_) | Choice::Filter(_) => false,
            Choice::NameOrIndex(number) => *number == index.to_string(),
            Choice::Index(wanted) => index == if *wanted < 0 { len + wanted } else { *wanted },
            Choice::Slice { start, end, step } => in_slice(index, len, *start, *end, *step),
        }
    }
}

/// Implements RFC 9535, 2.3.4.2.2.
fn in_slice(index: i64, len: i64, start: Option<i64>, end: Option<i64>, step: i64) -> bool {
    let from_end = |number: i64| if number < 0 { len.saturating_add(number) } else { number };
    if step > 0 {
        let lower = start.map_or(0, from_end).max(0);
        let upper = end.map_or(i64::MAX, from_end);
        index >= lower && index < upper && (index - lower) % step == 0
    } else if step < 0 {
        let upper = start.map_or(len - 1, from_end).min(len - 1);
        let lower = end.map_or(-1, from_end).max(-1);
        index <= upper && index > lower && (upper - index) % step == 0
    } else {
        false
    }
}

fn pointer(typed: &str) -> Result<Vec<Step>, BadPath> {
    let mut steps = Vec::new();
    for part in typed.split('/').skip(1) {
        let sound = part.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        if !sound {
            let at = typed.chars().position(|char| char == '~').unwrap_or(0) + 1;
            return Err(BadPath { what: "`~` stands before 0 or 1 in a pointer", at });
        }
        let name = part.replace("~1", "/").replace("~0", "~");
        steps.push(Step { anywhere: false, to: vec![Choice::NameOrIndex(name)] });
    }
    Ok(steps)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn path(mut self) -> Result<Vec<Step>, BadPath> {
        let mut steps = Vec::new();
        // A path may omit the `$`: `items[0]` and `.items[0]` start at the root.
        if !self.skip('$') && !matches!(self.peek(), Some('.' | '[')) {
            steps.push(Step { anywhere: false, to: vec![self.name()?] });
        }
        while let Some(char) = self.peek() {
            self.at += 1;
            let anywhere = char == '.' && self.skip('.');
            let to = match char {
                '.' if self.skip('*') => vec![Choice::All],
                '.' if anywhere && self.skip('[') => self.choices()?,
                '.' => vec![self.name()?],
                '[' => self.choices()?,
                _ => {
                    self.at -= 1;
                    return Err(self.bad("expected `.` or `[`"));
                }
            };
            steps.push(Step { anywhere, to });
        }
        Ok(steps)
    }

    /// Reads the text in brackets, after the first bracket.
    fn choices(&mut self) -> Result<Vec<Choice>, BadPath> {
        let mut choices = Vec::new();
        loop {
            self.skip_blanks();
            choices.push(match self.peek() {
                Some(quote @ ('\'' | '"')) => self.quoted(quote)?,
                Some('*') => {
                    self.at += 1;
                    Choice::All
                }
                Some('?') => self.filter()?,
                Some('-' | ':' | '0'..='9') => self.numbers()?,
                _ => {
                    return Err(
                        self.bad("expected a quoted name, a number, a slice, a filter or `*`")
                    );
                }
            });
            self.skip_blanks();
            if self.skip(']') {
                return Ok(choices);
            }
            if !self.skip(',') {
                return Err(self.bad("expected `,` or `]`"));
            }
        }
    }

    /// Reads a filter up to the `]` or `,` after it.
    fn filter(&mut self) -> Result<Choice, BadPath> {
        self.at += 1;
        let from = self.at;
        let (mut depth, mut quote) = (0_u32, None);
        while let Some(char) = self.peek() {
            match (quote, char) {
                (Some(_), '\\') => self.at += 1,
                (Some(open), char) if char == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(char),
                (None, '[' | '(') => depth += 1,
                (None, ']' | ',') if depth == 0 => break,
                (None, ']' | ')') => depth = depth.saturating_sub(1),
                // The value of the root is not in memory.
                (None, '$') => return Err(self.bad("a filter cannot use `$`, only `@`")),
                (None, _) => {}
            }
            self.at += 1;
        }
        let text: String = self.chars[from..self.at.min(self.chars.len())].iter().collect();
        let filter = Filter::parse(&text);
        filter.map(Choice::Filter).map_err(|(what, before)| BadPath { what, at: from + before + 1 })
    }

    fn numbers(&mut self) -> Result<Choice, BadPath> {
        let start = self.number()?;
        self.skip_blanks();
        if !self.skip(':') {
            return start.map(Choice::Index).ok_or_else(|| self.bad("expected a number"));
        }
        self.skip_blanks();
        let end = self.number()?;
        self.skip_blanks();
        let step = if self.skip(':') {
            self.skip_blanks();
            self.number()?.unwrap_or(1)
        } else {
            1
        };
        Ok(Choice::Slice { start, end, step })
    }

    fn number(&mut self) -> Result<Option<i64>, BadPath> {
        let from = self.at;
        self.skip('-');
        while self.peek().is_some_and(|char| char.is_ascii_digit()) {
            self.at += 1;
        }
        let text: String = self.chars[from..self.at].iter().collect();
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.bad("expected a number"))
    }

    fn quoted(&mut self, quote: char) -> Result<Choice, BadPath> {
        self.at += 1;
        let mut name = String::new();
        while let Some(char) = self.peek() {
            self.at += 1;
            match char {
                _ if char == quote => return Ok(Choice::Name(name)),
                '\\' => name.push(self.escaped()?),
                _ => name.push(char),
            }
        }
        Err(self.bad("expected the other quote"))
    }

    fn escaped(&mut self) -> Result<char, BadPath> {
        let char = self.peek().ok_or_else(|| self.bad("expected a character"))?;
        self.at += 1;
        Ok(match char {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let high = self.hex()?;
                let two = (0xD800..0xDC00).contains(&high) && self.skip('\\') && self.skip('u');
                let units = if two { vec![high, self.hex()?] } else { vec![high] };
                let decoded = char::decode_utf16(units).next().and_then(Result::ok);
                decoded.ok_or_else(|| self.bad("expected a character"))?
            }
            other => other,
        })
    }

    fn hex(&mut self) -> Result<u16, BadPath> {
        let digits: String = self.chars.iter().skip(self.at).take(4).collect();
        self.at += 4;
        let number = (digits.len() == 4).then(|| u16::from_str_radix(&digits, 16).ok()).flatten();
        number.ok_or_else(|| self.bad("expected four hexadecimal digits"))
    }

    fn name(&mut self) -> Result<Choice, BadPath> {
        let from = self.at;
        let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        while self.peek().is_some_and(is_part) {
            self.at += 1;
        }
        if from == self.at {
            return Err(self.bad("expected a name; put other characters into ['…']"));
        }
        Ok(Choice::Name(self.chars[from..self.at].iter().collect()))
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self, char: char) -> bool {
        let there = self.peek() == Some(char);
        self.at += usize::from(there);
        there
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn bad(&self, what: &'static str) -> BadPath {
        BadPath { what, at: self.at + 1 }
    }
}
