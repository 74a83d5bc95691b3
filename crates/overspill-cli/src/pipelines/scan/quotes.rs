//! Skips quotations, expansions and subshells.

use super::{Scanner, Unit, Unsure};

impl Scanner<'_> {
    /// Skips one character of a word, or all of a quotation or expansion.
    pub(super) fn skip_unit(&mut self) -> Result<Unit, Unsure> {
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
    pub(super) fn skip_to(&mut self, end: u8) -> Result<(), Unsure> {
        // An explicit stack: a hostile line must not exhaust the stack of this thread.
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
                // Here-documents, comments and `case` patterns may contain quotes and `)` without a
                // meaning.
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
