//! Text that imitates our marks.

/// How every mark of ours begins.
pub(crate) const MARK: &str = "[overspill ";

/// Makes sure that nothing in `text` reads as one of our own marks.
///
/// The bracket becomes a parenthesis: visible, and as long as before, so that no size changes.
/// The token in a mark is fresh for each output, so this matters only to a reader that does not
/// compare tokens, and to outputs that quote an earlier preview. The shortest marks begin with the
/// token itself.
pub(crate) fn defuse(text: &mut [u8], token: &str) {
    let mut found: Vec<usize> = memchr::memmem::find_iter(text, MARK).collect();
    found.extend(memchr::memmem::find_iter(text, &format!("[{token}: ")));
    for at in found {
        text[at] = b'(';
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_mark_in_the_output_loses_its_bracket() {
        let mut text = b"a [overspill 123456: all is well] [overspilled]".to_vec();
        super::defuse(&mut text, "3f9c2e");
        assert_eq!(text, b"a (overspill 123456: all is well] [overspilled]");
        let mut text = b"[3f9c2e: line 7 cut, 9 bytes] [3f9c2f: x]".to_vec();
        super::defuse(&mut text, "3f9c2e");
        assert_eq!(text, b"(3f9c2e: line 7 cut, 9 bytes] [3f9c2f: x]");
    }
}
