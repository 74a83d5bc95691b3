//! Reads redirections, and skips here-documents.

use super::{HereDocument, Scanner, StageState, Unsure};

impl Scanner<'_> {
    pub(super) fn redirection(&mut self) -> Result<(), Unsure> {
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

    /// Reads the end mark after `<<`: a plain word, or a word that is quoted as a whole.
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
        // The mark must end here: `E"x"` is one word.
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

    pub(super) fn skip_document(&mut self, document: &HereDocument) -> Result<(), Unsure> {
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
}
