//! Takes the structured content of a result.

use super::place::{Kind, Place};
use super::{Field, MOST_RAW, ResultRewriter, Taking};

impl ResultRewriter<'_> {
    /// Takes a token of the structured content; tells whether the token belongs to it.
    pub(super) fn take_structured(&mut self, token: Kind, place: Place, raw: &[u8]) -> bool {
        if !matches!(self.taking, Taking::Structured) {
            return false;
        }
        let ends = matches!(token, Kind::Close | Kind::EndString | Kind::Between);
        let is_end = match place {
            Place::Structured => ends,
            Place::InStructured => false,
            _ => true,
        };
        // The final bracket or quote belongs to the content; the comma after a number does not.
        let is_part = !is_end || place == Place::Structured && token != Kind::Between;
        if is_part {
            self.structured_json.push(raw);
            if self.structured_json.len() <= MOST_RAW {
                self.held.extend_from_slice(raw);
            }
        }
        if is_end {
            self.taking = Taking::Nothing;
            let end = self.held.len();
            self.structured = Some(Field { place: self.field_at..end, value: self.value_at..end });
        }
        is_part
    }
}
