//! Finds the places in a shell line where a stage can be inserted into a pipeline.
//!
//! In: the line. Out: the place after the first stage of each foreground pipeline at the top level.
//! The scanner knows a small part of the shell's grammar. If it meets anything else, it returns no
//! place at all, so that a line is never changed by a guess.

use std::ops::Range;

/// The line has something that the scanner does not know.
#[derive(Debug)]
struct Unsure;

/// Words that begin or end a compound command, where they stand in the place of a command.
const COMPOUND: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "in", "function", "coproc", "[[", "{", "}", "((",
];
/// Commands that change how the rest of the line is read.
const CHANGES_GRAMMAR: [&str; 3] = ["alias", "unalias", "shopt"];
/// Words that may stand before a command without being one.
const BEFORE_COMMAND: [&str; 2] = ["!", "time"];
/// Longer lines are left alone.
const LONGEST: usize = 64 * 1024;

/// A place where a stage can be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The first stage of the pipeline.
    pub(super) stage: Range<usize>,
    /// The offset after the `|` that follows this stage.
    pub(super) after: usize,
}

/// Returns the places of each foreground pipeline. Empty if the scanner is unsure.
pub(super) fn places(line: &str) -> Vec<Place> {
    if line.len() > LONGEST {
        return Vec::new();
    }
    Scanner::new(line).all().unwrap_or_default()
}

/// Tells whether a line is surely over: a line break and another command can follow it.
pub(super) fn is_complete(line: &str) -> bool {
    line.len() <= LONGEST
        && (Scanner::new(line).all().is_ok() || Scanner::new(line).balanced().is_ok_and(|is| is))
}

/// Tells whether the last command of a line is a pipeline, or may be one.
///
/// bash replaces itself by a last command that is none, unless there is an EXIT trap.
pub(super) fn ends_with_pipeline(line: &str) -> bool {
    Scanner::new(line).last_is_pipeline().unwrap_or_else(|Unsure| {
        let line = line.trim_end_matches(|char: char| char == ';' || char.is_whitespace());
        let list = line.rsplit([';', '\n']).next().unwrap_or_default();
        let last = list.rsplit("&&").next().unwrap_or_default();
        let is_compound = ["done", "fi", "esac", "}", ")"].iter().any(|end| last.ends_with(end));
        is_compound || last.contains('|')
    })
}

/// Words that come in pairs: each begins and ends a compound command.
const PAIRS: [(&str, &str); 4] = [("if", "fi"), ("do", "done"), ("case", "esac"), ("{", "}")];

/// A here-document whose text begins on the next line.
struct HereDocument {
    end: String,
    strips_tabs: bool,
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    /// A command may begin here.
    at_command: bool,
    /// The start of the pipeline.
    start: usize,
    /// How many `|` the pipeline has so far.
    pipes: usize,
    /// What stands since the last operator.
    stage: StageState,
    /// The last operator is `&&` or `||`.
    needs_pipeline: bool,
    /// The last pipeline stands after `||`, so it may not run.
    is_after_or: bool,
    /// The last list ends with a pipeline, or may do so.
    ends_with_pipeline: bool,
    /// The places of the current list, which `&` may still send to the background.
    list: Vec<Place>,
    found: Vec<Place>,
    documents: Vec<HereDocument>,
}

impl<'a> Scanner<'a> {
    fn new(line: &'a str) -> Scanner<'a> {
        let (list, found, documents) = (Vec::new(), Vec::new(), Vec::new());
        Scanner {
            line,
            at: 0,
            at_command: true,
            start: 0,
            pipes: 0,
            stage: StageState::Empty,
            needs_pipeline: false,
            is_after_or: false,
            ends_with_pipeline: false,
            list,
            found,
            documents,
        }
    }

    fn all(mut self) -> Result<Vec<Place>, Unsure> {
        self.walk()?;
        self.end_list(0, Ground::Fore);
        Ok(self.found)
    }

    fn last_is_pipeline(mut self) -> Result<bool, Unsure> {
        self.walk()?;
        self.end_list(0, Ground::Fore);
        Ok(self.ends_with_pipeline)
    }

    fn walk(&mut self) -> Result<(), Unsure> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\n' => self.end_line()?,
                b'#' => self.skip_comment(),
                b';' if self.starts(";;") => return Err(Unsure),
                b';' => {
                    self.end_stage()?;
                    self.end_list(1, Ground::Fore);
                }
                b'&' if self.starts("&>") => {
                    self.at += if self.starts("&>>") { 3 } else { 2 };
                    self.stage = StageState::NeedsWord;
                }
                b'&' if self.starts("&&") => self.end_pipeline()?,
                b'&' => {
                    self.end_stage()?;
                    self.end_list(1, Ground::Back);
                }
                b'|' if self.starts("||") => self.end_pipeline()?,
                b'|' => self.pipe()?,
                b'<' | b'>' => self.redirection()?,
                b'(' if self.at_command && !self.starts("((") => {
                    self.at += 1;
                    self.skip_to(b')')?;
                    self.at_command = false;
                    self.stage = StageState::Complete;
                }
                b'(' | b')' => return Err(Unsure),
                _ => self.word()?,
            }
        }
        let is_open = match self.stage {
            // After `;`, `&` and a line break nothing has to follow.
            StageState::Empty => self.pipes > 0 || self.needs_pipeline,
            StageState::NeedsWord => true,
            StageState::Complete => false,
        };
        if is_open || !self.documents.is_empty() { Err(Unsure) } else { Ok(()) }
    }

    /// Tells whether quotes, parentheses and compound commands are closed, whatever the grammar is.
    fn balanced(mut self) -> Result<bool, Unsure> {
        let (mut parentheses, mut pairs) = (0, [0; PAIRS.len()]);
        while let Some(byte) = self.peek() {
            match byte {
                b'<' if self.starts("<<") && !self.starts("<<<") => return Err(Unsure),
                b'<' if self.starts("<<<") => self.at += 3,
                b'#' => self.skip_comment(),
                b'(' | b')' => {
                    parentheses += if byte == b'(' { 1 } else { -1 };
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => self.at += 1,
                _ => {
                    let start = self.at;
                    while !matches!(
                        self.peek(),
                        None | Some(
                            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
                        )
                    ) {
                        self.skip_unit()?;
                    }
                    let word = &self.line[start..self.at];
                    for ((opens, closes), open) in PAIRS.iter().zip(&mut pairs) {
                        *open += i32::from(word == *opens) - i32::from(word == *closes);
                    }
                }
            }
        }
        // The patterns of `case` end with a parenthesis that nothing opens.
        Ok(parentheses == 0 && pairs == [0; PAIRS.len()])
    }

    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, Unsure> {
        let byte = self.peek().ok_or(Unsure)?;
        self.at += 1;
        Ok(byte)
    }

    fn starts(&self, text: &str) -> bool {
        self.line.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    /// Ends a stage before an operator. An empty stage is a syntax error.
    fn end_stage(&mut self) -> Result<(), Unsure> {
        let is_complete = self.stage == StageState::Complete;
        self.stage = StageState::Empty;
        if is_complete { Ok(()) } else { Err(Unsure) }
    }

    /// Ends a pipeline before `&&` or `||`.
    fn end_pipeline(&mut self) -> Result<(), Unsure> {
        self.end_stage()?;
        self.is_after_or = self.starts("||");
        self.next_pipeline(2);
        self.needs_pipeline = true;
        Ok(())
    }

    fn next_pipeline(&mut self, operator: usize) {
        self.at += operator;
        self.start = self.at;
        self.pipes = 0;
        self.at_command = true;
        self.needs_pipeline = false;
    }

    fn end_list(&mut self, operator: usize, ground: Ground) {
        let list = std::mem::take(&mut self.list);
        let has_text = !self.line[self.start..self.at].trim().is_empty();
        if has_text {
            let may_be_last = self.pipes > 0 || self.is_after_or && !list.is_empty();
            self.ends_with_pipeline = ground == Ground::Fore && may_be_last;
        }
        self.is_after_or = false;
        if ground == Ground::Fore {
            self.found.extend(list);
        }
        self.next_pipeline(operator);
    }

    fn pipe(&mut self) -> Result<(), Unsure> {
        self.end_stage()?;
        let stage = self.start..self.at;
        self.at += if self.starts("|&") { 2 } else { 1 };
        self.pipes += 1;
        self.at_command = true;
        if self.pipes == 1 {
            self.list.push(Place { stage, after: self.at });
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Unsure> {
        self.at += 1;
        for document in std::mem::take(&mut self.documents) {
            self.skip_document(&document)?;
        }
        match self.stage {
            StageState::NeedsWord => return Err(Unsure),
            // After `|`, `&&` and `||` the command continues on the next line.
            StageState::Empty if self.pipes > 0 || self.needs_pipeline => {}
            StageState::Empty | StageState::Complete => {
                self.stage = StageState::Empty;
                self.end_list(0, Ground::Fore);
            }
        }
        Ok(())
    }

    fn skip_document(&mut self, document: &HereDocument) -> Result<(), Unsure> {
        loop {
            let rest = self.line.get(self.at..).filter(|rest| !rest.is_empty()).ok_or(Unsure)?;
            let line = rest.split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.line.len());
            let line = if document.strips_tabs { line.trim_start_matches('\t') } else { line };
            if line == document.end {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn redirection(&mut self) -> Result<(), Unsure> {
        let is_substitution = self.starts("<(") || self.starts(">(");
        if self.stage == StageState::NeedsWord && !is_substitution {
            return Err(Unsure);
        }
        self.stage = StageState::NeedsWord;
        if self.starts("<<<") {
            self.at += 3;
        } else if self.starts("<<") {
            self.at += 2;
            self.here_document()?;
            self.stage = StageState::Complete;
        } else if is_substitution {
            self.at += 2;
            self.skip_to(b')')?;
            self.at_command = false;
            self.stage = StageState::Complete;
        } else {
            self.at += 1;
            while matches!(self.peek(), Some(b'>' | b'&' | b'|')) {
                self.at += 1;
            }
        }
        Ok(())
    }

    /// Reads the end mark after `<<`: a plain word, or one that is quoted as a whole.
    fn here_document(&mut self) -> Result<(), Unsure> {
        let strips_tabs = self.peek() == Some(b'-');
        self.at += usize::from(strips_tabs);
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let rest = &self.line[self.at..];
        let end = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => {
                let text = rest[1..].split(char::from(quote)).next().unwrap_or_default();
                self.at += text.len() + 2;
                if self.at > self.line.len() || text.contains(['\n', '\\', '$', '`']) {
                    return Err(Unsure);
                }
                text
            }
            _ => {
                let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
                let len = rest.find(|char| !is_plain(char)).unwrap_or(rest.len());
                self.at += len;
                &rest[..len]
            }
        };
        // The mark must be over: `E"x"` is one word.
        let is_over = matches!(
            self.peek(),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'>' | b'<')
        );
        if end.is_empty() || !is_over {
            return Err(Unsure);
        }
        self.documents.push(HereDocument { end: end.to_owned(), strips_tabs });
        Ok(())
    }

    fn word(&mut self) -> Result<(), Unsure> {
        let start = self.at;
        let mut is_plain = true;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => break,
                // A function, an array or a pattern.
                b'(' | b')' => return Err(Unsure),
                _ => is_plain &= self.skip_unit()? == Unit::Plain,
            }
        }
        let is_target = self.stage == StageState::NeedsWord;
        self.stage = StageState::Complete;
        if !self.at_command || is_target {
            return Ok(());
        }
        let word = &self.line[start..self.at];
        if is_plain && (COMPOUND.contains(&word) || CHANGES_GRAMMAR.contains(&word)) {
            return Err(Unsure);
        }
        self.at_command = is_plain && BEFORE_COMMAND.contains(&word) || is_assignment(word);
        Ok(())
    }

    /// Skips one character of a word, or all of a quotation or expansion.
    fn skip_unit(&mut self) -> Result<Unit, Unsure> {
        match self.next()? {
            b'\\' => {
                let escaped = self.next()?;
                // An escaped line break joins two lines, and the word goes on.
                if escaped == b'\n' { Err(Unsure) } else { Ok(Unit::Quoted) }
            }
            b'\'' => self.skip_single_quotes(),
            b'"' => {
                self.skip_to(b'"')?;
                Ok(Unit::Quoted)
            }
            b'`' => Err(Unsure),
            b'$' => match self.peek() {
                Some(b'\'' | b'"') => Err(Unsure),
                Some(b'(') => {
                    self.at += 1;
                    self.skip_to(b')')?;
                    Ok(Unit::Quoted)
                }
                Some(b'{') => {
                    self.at += 1;
                    self.skip_to(b'}')?;
                    Ok(Unit::Quoted)
                }
                _ => Ok(Unit::Quoted),
            },
            _ => Ok(Unit::Plain),
        }
    }

    fn skip_single_quotes(&mut self) -> Result<Unit, Unsure> {
        let len = self.line[self.at..].find('\'').ok_or(Unsure)?;
        self.at += len + 1;
        Ok(Unit::Quoted)
    }

    /// Skips to the end of a quotation, an expansion or a subshell that has begun.
    fn skip_to(&mut self, end: u8) -> Result<(), Unsure> {
        // An explicit stack: a hostile line must not exhaust ours.
        let mut ends = vec![end];
        let mut before = b' ';
        while let Some(&end) = ends.last() {
            let byte = self.next()?;
            match byte {
                _ if byte == end => {
                    ends.pop();
                }
                b'\\' => {
                    self.next()?;
                }
                b'`' => return Err(Unsure),
                b'$' => match self.peek() {
                    Some(b'\'') if end != b'"' => return Err(Unsure),
                    Some(b'(') => {
                        self.at += 1;
                        ends.push(b')');
                    }
                    Some(b'{') => {
                        self.at += 1;
                        ends.push(b'}');
                    }
                    _ => {}
                },
                _ if end == b'"' => {}
                b'\'' => {
                    self.skip_single_quotes()?;
                }
                b'"' => ends.push(b'"'),
                _ if end == b'}' => {}
                b'(' => ends.push(b')'),
                // Here-documents, comments and `case` patterns may have quotes and `)` that mean nothing.
                b'<' if self.starts("<") && !self.starts("<<") => return Err(Unsure),
                b'#' if before.is_ascii_whitespace() || b";&|(".contains(&before) => {
                    return Err(Unsure);
                }
                b';' if self.starts(";") => return Err(Unsure),
                _ => {}
            }
            before = byte;
        }
        Ok(())
    }
}

/// What stands of a stage so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StageState {
    Empty,
    /// A redirection without its target.
    NeedsWord,
    Complete,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Fore,
    Back,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Plain,
    Quoted,
}

/// Tells whether a word is `NAME=…` or `NAME+=…`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let begins = |char: char| char.is_ascii_alphabetic() || char == '_';
    name.starts_with(begins) && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks each place with `^`.
    fn marked(line: &str) -> String {
        let mut marked = line.to_owned();
        for place in places(line).iter().rev() {
            marked.insert(place.after, '^');
        }
        marked
    }

    #[test]
    fn foreground_pipelines_get_a_place_after_their_first_stage() {
        for line in [
            "cargo test 2>&1 |^ tail -5",
            "a |^ b | c",
            "a |& b",
            "a || b |^ c && d |^ e",
            "a; b |^ c\nd |^ e",
            "a |^\n b |\n c\nd |^ e",
            "x=1 y=$(a | b) c |^ d",
            "! a |^ b; time c |^ d",
            "(a | b; exit 7) |^ cat",
            "echo 'a | b' \"c | $(d | e) | ${f:-g | h}\" |^ cat",
            "cat <<'E' |^ tail -1\na | b\nE\nc |^ d",
            "cat <<-E |^ tail -1\n\ta | b\n\tE",
            "cat <<<'x' |^ tail",
            "a > f 2>&1 |^ b; c &>> g |^ d",
            "cat <(a | b) |^ c # d | e",
            "a\\ b\\|c |^ d",
            "a |^ b &&\n c |^ d",
        ] {
            let line = line.replace("|& b", "|&^ b");
            assert_eq!(marked(&line.replace('^', "")), line);
        }
    }

    #[test]
    fn background_pipelines_get_no_place() {
        assert_eq!(marked("a | b & c | d"), "a | b & c |^ d");
        assert_eq!(marked("a | b && c & d"), "a | b && c & d");
        assert_eq!(marked("a | b &&\n c & d"), "a | b &&\n c & d");
    }

    #[test]
    fn lines_with_unknown_grammar_get_no_place() {
        for line in [
            "if a | b; then c; fi",
            "for i in 1; do a | b; done",
            "case x in a) b | c;; esac",
            "(case x in a) b | c\nesac)",
            "{ a | b; }",
            "f() { a | b; }; f | c",
            "a | b; x=(1 2)",
            "a `b` | c",
            "a $'b' | c",
            "alias x=y; x | z",
            "[[ a ]] | b",
            "((1)) | b",
            "cat <<E | tail\nno end",
            "cat <<E\"x\" | tail\nEx",
            "cat <<$E | tail\n$E",
            "a 'open | b",
            "a \"open | b",
            "a $(open | b",
            "a | b )",
            "(a; cat <<E) | b\nE",
            "(a # )\n) | b",
            "a \\\nb | c",
            "a | | b",
            "| a",
            "a |",
            "a | b &&",
            "a | b && && c",
            "a > | b",
            "; a | b",
        ] {
            assert_eq!(places(line), [], "{line}");
        }
        assert_eq!(places(&format!("a {}| b", "(".repeat(60_000))), []);
    }

    #[test]
    fn complete_lines_are_told_from_open_ones() {
        for (line, expected) in [
            ("a | b", true),
            ("for i in 1 2; do a | b; done", true),
            ("if a; then b | c; fi # d", true),
            ("f() { a | b; }; f", true),
            ("for i in 1; do a | b", false),
            ("if a; then b | c", false),
            ("a 'b | c", false),
            ("cat <<E | b\nx\nE", true),
            ("cat <<E | b\nx", false),
            ("while a; do cat <<E | b\nx\nE\ndone", false),
            ("a | b \\", false),
            ("a | b)", false),
        ] {
            assert_eq!(is_complete(line), expected, "{line}");
        }
    }

    #[test]
    fn last_command_is_told_from_a_last_pipeline() {
        for (line, expected) in [
            ("a | b", true),
            ("a | b;\n", true),
            ("a | b; c", false),
            ("a | b && c d", false),
            ("a | b || c d", true),
            ("a || b", false),
            ("a | b & c", false),
            ("a; b | c # d", true),
            ("for i in 1; do a | b; done", true),
            ("for i in 1; do a | b; done; c", false),
            ("cat <<E | b\nx\nE", true),
        ] {
            assert_eq!(ends_with_pipeline(line), expected, "{line}");
        }
    }

    #[test]
    fn first_stage_is_known_by_its_text() {
        let line = "cd x && cargo test 2>&1 | tail -5; (exit 7) | cat";
        let stages = places(line).into_iter().map(|place| line[place.stage].trim().to_owned());
        assert_eq!(stages.collect::<Vec<_>>(), ["cargo test 2>&1", "(exit 7)"]);
    }
}
