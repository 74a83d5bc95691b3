//! Skips quotations, expansions and subshells.

use super::{PAIRS, Scanner, Unit, Unsure};

impl Scanner<'_> {
    /// Tells whether quotes, parentheses and compound commands are closed, whatever the grammar is.
    pub(super) fn balanced(mut self) -> Result<bool, Unsure> {
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
