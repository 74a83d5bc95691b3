//! Finds the places in a shell line where a stage can be inserted into a pipeline.
//!
//! In: the line. Out: the place after the first stage of each foreground pipeline at the top level.
//! The scanner knows a small part of the shell's grammar. For any other grammar it returns no place
//! at all, so that a line is never changed by a guess.

mod quotes;
mod redirections;
mod rough;
mod zsh;

use std::ops::Range;

pub(super) use zsh::{ends_inside_shell, stages_of};

/// The error for a line with grammar that the scanner does not know.
#[derive(Debug)]
struct Unsure;

/// The words that begin or end a compound command, in the position of a command.
const COMPOUND: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "in", "function", "coproc", "[[", "{", "}", "((",
];
/// The commands that change the grammar of the rest of the line.
const CHANGES_GRAMMAR: [&str; 3] = ["alias", "unalias", "shopt"];
/// The words that may stand before a command.
const BEFORE_COMMAND: [&str; 2] = ["!", "time"];
/// The largest number of bytes of a scanned line.
const MOST_BYTES: usize = 64 * 1024;

/// A place where a stage can be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The first stage of the pipeline.
    pub(super) stage: Range<usize>,
    /// The offset after the `|` that follows this stage.
    pub(super) after: usize,
    /// The end of the pipeline, before the operator that follows it.
    pub(super) end: usize,
}

/// Returns the places of all foreground pipelines, or none if the scanner is unsure.
pub(super) fn places(line: &str) -> Vec<Place> {
    if line.len() > MOST_BYTES {
        return Vec::new();
    }
    Scanner::new(line).all().unwrap_or_default()
}

/// Returns the text that must stand between a line and a command after it. `None` if the scanner is
/// unsure.
///
/// A command on its own line would change the line numbers in error messages, so a line break is
/// used only after a comment or a here-document.
pub(super) fn before_next(line: &str) -> Option<&'static str> {
    let mut scanner = Scanner::new(line);
    scanner.walk().ok()?;
    Some(match scanner.stage {
        _ if line.contains('#') || line.contains("<<") => "\n",
        StageState::Complete => "; ",
        StageState::Empty | StageState::NeedsWord | StageState::NeedsCommand => " ",
    })
}

/// Tells whether a pipeline can run last: as the last command, or before `||`.
///
/// Without an EXIT trap, bash replaces itself by a last command that is not a pipeline and not a
/// builtin. With a trap, a signal that ends this command would look different, so such a line gets
/// no trap.
pub(super) fn needs_event_at_end(line: &str) -> bool {
    let may_be = Scanner::new(line).last_may_be_pipeline();
    may_be
        .map(|may_be| may_be && ends_inside_shell(line))
        .unwrap_or_else(|Unsure| rough::needs_event_at_end(line))
}

/// A here-document whose text begins on the next line.
struct HereDocument {
    end: String,
    strips_tabs: bool,
}

/// The state of a scan.
struct Scanner<'a> {
    line: &'a str,
    at: usize,
    /// Tells whether a command may begin here.
    at_command: bool,
    /// The start of the pipeline.
    start: usize,
    /// The number of `|` in the pipeline so far.
    pipes: usize,
    /// The state of the stage since the last operator.
    stage: StageState,
    /// Tells whether the last operator is `&&` or `||`.
    needs_pipeline: bool,
    /// Tells whether `||` follows a pipeline of the current list.
    has_alternative: bool,
    /// Tells whether a pipeline can run last in the last list.
    needs_event_at_end: bool,
    /// The last list with commands, if it runs in the foreground: its last pipeline, and the number
    /// of `|` in it.
    last: Option<(&'a str, usize)>,
    /// The stages of the current pipeline that have ended.
    stages: Vec<Range<usize>>,
    /// The start of the current stage.
    stage_start: usize,
    /// The stages of the pipelines that have ended.
    pipelines: Vec<Vec<Range<usize>>>,
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
            has_alternative: false,
            needs_event_at_end: false,
            last: None,
            stages: Vec::new(),
            stage_start: 0,
            pipelines: Vec::new(),
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

    fn last_may_be_pipeline(mut self) -> Result<bool, Unsure> {
        self.walk()?;
        self.end_list(0, Ground::Fore);
        Ok(self.needs_event_at_end)
    }

    fn walk(&mut self) -> Result<(), Unsure> {
        // The patterns of `case` have parentheses without an opening one. `$[` is arithmetic.
        if self.line.len() > MOST_BYTES || self.line.contains("esac") || self.line.contains("$[") {
            return Err(Unsure);
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                // An escaped line break separates two words.
                b'\\' if self.starts("\\\n") => self.at += 2,
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
            // After `;`, `&` and a line break no command has to follow.
            StageState::Empty => self.pipes > 0 || self.needs_pipeline,
            StageState::NeedsWord | StageState::NeedsCommand => true,
            StageState::Complete => false,
        };
        if is_open || !self.documents.is_empty() { Err(Unsure) } else { Ok(()) }
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
        self.has_alternative |= self.pipes > 0 && self.starts("||");
        self.note_end();
        self.next_pipeline(2);
        self.needs_pipeline = true;
        Ok(())
    }

    /// Notes the end of the pipeline.
    fn note_end(&mut self) {
        let mut stages = std::mem::take(&mut self.stages);
        stages.push(self.stage_start..self.at);
        self.pipelines.push(stages);
        if let Some(place) = self.list.last_mut().filter(|_| self.pipes > 0) {
            place.end = self.at;
        }
    }

    fn next_pipeline(&mut self, operator: usize) {
        self.at += operator;
        self.start = self.at;
        self.stage_start = self.at;
        self.pipes = 0;
        self.at_command = true;
        self.needs_pipeline = false;
    }

    fn end_list(&mut self, operator: usize, ground: Ground) {
        self.note_end();
        let list = std::mem::take(&mut self.list);
        let has_alternative = std::mem::take(&mut self.has_alternative);
        let line = self.line;
        let last = &line[self.start..self.at];
        if !last.trim().is_empty() {
            self.last = (ground == Ground::Fore).then_some((last, self.pipes));
            self.needs_event_at_end = ground == Ground::Fore && (self.pipes > 0 || has_alternative);
        }
        if ground == Ground::Fore {
            self.found.extend(list);
        }
        self.next_pipeline(operator);
    }

    fn pipe(&mut self) -> Result<(), Unsure> {
        self.end_stage()?;
        let stage = self.start..self.at;
        self.stages.push(self.stage_start..self.at);
        self.at += if self.starts("|&") { 2 } else { 1 };
        self.stage_start = self.at;
        self.pipes += 1;
        self.at_command = true;
        if self.pipes == 1 {
            self.list.push(Place { stage, after: self.at, end: self.at });
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Unsure> {
        self.at += 1;
        for document in std::mem::take(&mut self.documents) {
            self.skip_document(&document)?;
        }
        match self.stage {
            StageState::NeedsWord | StageState::NeedsCommand => return Err(Unsure),
            // After `|`, `&&` and `||` the command continues on the next line.
            StageState::Empty if self.pipes > 0 || self.needs_pipeline => {}
            StageState::Empty | StageState::Complete => {
                self.stage = StageState::Empty;
                self.end_list(0, Ground::Fore);
            }
        }
        Ok(())
    }

    fn skip_comment(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn word(&mut self) -> Result<(), Unsure> {
        let start = self.at;
        let mut is_plain = true;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => break,
                // This is a function, an array or a pattern.
                b'(' | b')' => return Err(Unsure),
                _ => is_plain &= self.skip_unit()? == Unit::Plain,
            }
        }
        // The index of an array may contain blanks and operators.
        let word = &self.line[start..self.at];
        let is_open = word.matches('[').count() > word.matches(']').count();
        let is_cut_short = !matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n'));
        if is_open && (is_cut_short || self.at_command && word != "[") {
            return Err(Unsure);
        }
        let is_target = self.stage == StageState::NeedsWord;
        self.stage = StageState::Complete;
        if !self.at_command || is_target {
            return Ok(());
        }
        if is_plain && (COMPOUND.contains(&word) || CHANGES_GRAMMAR.contains(&word)) {
            return Err(Unsure);
        }
        let is_before_command = is_plain && BEFORE_COMMAND.contains(&word);
        if is_before_command {
            // bash does not take `!` after `|`.
            if self.pipes > 0 {
                return Err(Unsure);
            }
            self.stage = StageState::NeedsCommand;
        }
        self.at_command = is_before_command || is_assignment(word);
        Ok(())
    }
}

/// The state of a stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StageState {
    Empty,
    /// A redirection lacks its target.
    NeedsWord,
    /// `!` or `time` lacks its command.
    NeedsCommand,
    Complete,
}

/// The place in which a list runs: the foreground or the background.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Fore,
    Back,
}

/// A part of a word.
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
mod tests;
