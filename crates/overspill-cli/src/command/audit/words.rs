//! Finds the distinctive words of a text. If an agent writes such a word after an output that has
//! it, the agent has probably used the output.
//!
//! A word is distinctive if it has eight characters or more, and a digit, `_`, `.`, `/` or a
//! capital after a small letter. Two texts rarely share such a word by chance.

/// The number of bytes of the shortest word that counts.
const SHORTEST: usize = 8;

/// A byte that can start a word.
const START: u8 = 1;
/// A byte that can stand inside a word.
const INSIDE: u8 = 2;
/// A byte that makes a word distinctive: a digit, `_`, `.` or `/`.
const SIGN: u8 = 4;
const SMALL: u8 = 8;
const CAPITAL: u8 = 16;
/// Punctuation, which does not belong to a word that ends with it.
const LOOSE: u8 = 32;

/// The classes of each byte.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' => START | INSIDE | SMALL,
            b'A'..=b'Z' => START | INSIDE | CAPITAL,
            b'_' => START | INSIDE | SIGN,
            b'0'..=b'9' => INSIDE | SIGN,
            b'.' | b'/' => INSIDE | SIGN | LOOSE,
            b':' | b'-' => INSIDE | LOOSE,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    Plain,
    /// Text with the escapes of JSON. An escape ends a word.
    Json,
}

/// Calls `take` with each distinctive word of a text and its hash.
///
/// A word of eight bytes covers every eighth byte. So the search looks at every eighth byte, and
/// looks closer only where this byte can stand inside a word.
pub(super) fn each_word(text: &[u8], form: TextForm, mut take: impl FnMut(&[u8], u64)) {
    let is_inside = |at: usize| CLASS[usize::from(text[at])] & INSIDE != 0;
    // No word begins before this place, and no word covers the byte before it.
    let mut at = 0;
    while at + SHORTEST <= text.len() {
        let last = at + SHORTEST - 1;
        if !is_inside(last) {
            at = last + 1;
            continue;
        }
        let mut start = last;
        while start > at && is_inside(start - 1) {
            start -= 1;
        }
        if form == TextForm::Json && is_escaped(text, start) {
            // The letter of an escape, such as `\n` or `\u00e9`, does not belong to the word.
            start += if text[start] == b'u' { 5 } else { 1 };
        }
        while start < text.len() && is_inside(start) && CLASS[usize::from(text[start])] & START == 0
        {
            start += 1;
        }
        let mut end = start.min(text.len());
        while end < text.len() && is_inside(end) {
            end += 1;
        }
        if end >= start + SHORTEST {
            let word = trimmed(&text[start..end]);
            if word.len() >= SHORTEST && is_distinctive(word) {
                take(word, hash(word));
            }
        }
        at = end.max(last + 1);
    }
}

/// Tells whether the byte at a place is the letter of an escape: an odd number of backslashes is
/// before it.
fn is_escaped(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let other = before.iter().rposition(|&byte| byte != b'\\');
    (at - other.map_or(0, |other| other + 1)) % 2 == 1
}

fn trimmed(word: &[u8]) -> &[u8] {
    let is_tight = |byte: &u8| CLASS[usize::from(*byte)] & LOOSE == 0;
    &word[..word.iter().rposition(is_tight).map_or(0, |last| last + 1)]
}

fn is_distinctive(word: &[u8]) -> bool {
    let mut before = 0;
    word.iter().any(|&byte| {
        let class = CLASS[usize::from(byte)];
        let is_inner_capital = class & CAPITAL != 0 && before & SMALL != 0;
        before = class;
        class & SIGN != 0 || is_inner_capital
    })
}

fn hash(word: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = word.len() as u64;
    let (chunks, rest) = word.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(FACTOR).rotate_left(29);
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte)).wrapping_mul(FACTOR).rotate_left(29);
    }
    // The last bytes reach only some bits. The place of a word in memory depends on all of them.
    hash = (hash ^ hash >> 32).wrapping_mul(FACTOR);
    hash ^ hash >> 32
}

/// The number of a text in which a word was seen.
pub(super) type TextNumber = u32;

/// The words of a session so far, each with the first text that has it, in memory of a fixed size.
///
/// A new word may replace an old one. In a session with a few hundred thousand words this is rare.
pub(super) struct SeenWords {
    /// The upper half of each place is a part of the hash, the lower half is the number of the text.
    places: Vec<u64>,
    /// The number of the newest text. Numbers only grow, also over sessions.
    newest: TextNumber,
    /// The number for texts that are not long outputs. Words with smaller numbers belong to
    /// earlier sessions.
    any: TextNumber,
    /// The hashes of one text. A loop that only looks them up waits less for the memory.
    hashes: Vec<u64>,
}

/// The number of words in memory: 16 MB in all.
const PLACES: usize = 1 << 21;

impl SeenWords {
    pub(super) fn new() -> SeenWords {
        SeenWords { places: vec![0; PLACES], newest: 1, any: 1, hashes: Vec::new() }
    }

    /// Forgets all words: a new session begins.
    pub(super) fn clear(&mut self) {
        if self.newest > TextNumber::MAX / 2 {
            self.places.fill(0);
            self.newest = 0;
        }
        self.newest += 1;
        self.any = self.newest;
    }

    /// Adds the words of a text that is not a long output.
    pub(super) fn learn(&mut self, text: &[u8], form: TextForm) {
        self.add_words(text, form, self.any);
    }

    /// Adds the words of an output. Returns its number, or `None` if it has no new words.
    pub(super) fn add_output(&mut self, text: &[u8]) -> Option<TextNumber> {
        self.newest = self.newest.saturating_add(1);
        let new = self.add_words(text, TextForm::Plain, self.newest);
        (new > 0).then_some(self.newest)
    }

    /// Returns the first text of the session that has a word.
    pub(super) fn first_text(&self, hash: u64) -> Option<TextNumber> {
        let (place, part) = SeenWords::place(hash);
        let seen = self.places[place..=place + 1].iter().find(|&&seen| self.is_it(seen, part));
        seen.map(|seen| *seen as TextNumber)
    }

    /// Adds a word that the agent has used. It is new in no later text.
    pub(super) fn use_word(&mut self, hash: u64) {
        let (place, part) = SeenWords::place(hash);
        let (one, other) = (self.places[place], self.places[place + 1]);
        let used = part | u64::from(self.any);
        if self.is_it(other, part) {
            self.places[place + 1] = used;
            return;
        }
        if !self.is_it(one, part) {
            self.places[place + 1] = one;
        }
        self.places[place] = used;
    }

    fn add_words(&mut self, text: &[u8], form: TextForm, number: TextNumber) -> u64 {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        each_word(text, form, |_, hash| hashes.push(hash));
        let mut new = 0;
        for &hash in &hashes {
            let (place, part) = SeenWords::place(hash);
            let (one, other) = (self.places[place], self.places[place + 1]);
            if !self.is_it(one, part) && !self.is_it(other, part) {
                self.places[place + 1] = one;
                self.places[place] = part | u64::from(number);
                new += 1;
            }
        }
        self.hashes = hashes;
        new
    }

    /// Returns the first of the two places of a word, and the part of its hash that they have.
    fn place(hash: u64) -> (usize, u64) {
        ((hash >> 40) as usize & (PLACES - 2), hash << 32)
    }

    /// Tells whether a place has a word of this session.
    fn is_it(&self, seen: u64, part: u64) -> bool {
        seen >> 32 == part >> 32 && seen as TextNumber >= self.any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, form: TextForm) -> Vec<String> {
        let mut all = Vec::new();
        each_word(text.as_bytes(), form, |word, _| {
            all.push(String::from_utf8(word.to_vec()).unwrap());
        });
        all
    }

    #[test]
    fn distinctive_words_are_found() {
        let text = "see src/lib_core.rs: MessageBatch, plainword Capitals v1.2.3 part_77. x/y (module_0177)";
        assert_eq!(
            words(text, TextForm::Plain),
            ["src/lib_core.rs", "MessageBatch", "module_0177"]
        );
    }

    #[test]
    fn escapes_of_json_end_a_word() {
        let text = r#""a\nmodule_0177\tother_0178\u00e9third_0179""#;
        assert_eq!(words(text, TextForm::Json), ["module_0177", "other_0178", "third_0179"]);
    }

    #[test]
    fn words_of_any_text_are_those_of_a_simple_search() {
        /// Looks at each byte.
        fn simple(text: &[u8], form: TextForm) -> Vec<String> {
            let (mut all, mut at) = (Vec::new(), 0);
            while at < text.len() {
                if CLASS[usize::from(text[at])] & START == 0 {
                    at += match (text[at], form) {
                        (b'\\', TextForm::Json) if text.get(at + 1) == Some(&b'u') => 6,
                        (b'\\', TextForm::Json) => 2,
                        _ => 1,
                    };
                    continue;
                }
                let start = at;
                while at < text.len() && CLASS[usize::from(text[at])] & INSIDE != 0 {
                    at += 1;
                }
                let word = trimmed(&text[start..at]);
                if word.len() >= SHORTEST && is_distinctive(word) {
                    all.push(String::from_utf8(word.to_vec()).unwrap());
                }
            }
            all
        }
        let parts = [
            "a", "Bc", "_", "7", "/", ".", ":", " ", "\\n", "\\\\", "\\u00e9", "é", "module_", "\n",
        ];
        // A generator of numbers, so that every run tries the same texts.
        let mut state = 1_u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % most
        };
        for _ in 0..20_000 {
            let text: String = (0..next(40)).map(|_| parts[next(parts.len())]).collect();
            for form in [TextForm::Plain, TextForm::Json] {
                assert_eq!(words(&text, form), simple(text.as_bytes(), form), "{text:?} {form:?}");
            }
        }
    }

    #[test]
    fn seen_words_belong_to_one_session() {
        let mut seen = SeenWords::new();
        seen.clear();
        let hash = hash(b"module_0177");
        assert_eq!(seen.first_text(hash), None);
        seen.learn(b"see module_0177", TextForm::Plain);
        assert!(seen.first_text(hash).is_some());
        seen.clear();
        assert_eq!(seen.first_text(hash), None);
    }

    #[test]
    fn words_that_differ_only_at_their_end_have_places_of_their_own() {
        let mut seen = SeenWords::new();
        seen.clear();
        let names = |n: u32| [format!("case_{n:03}"), format!("abc_secret{n:04}zz")];
        let words: Vec<String> = (0..1_000).flat_map(names).collect();
        let output = seen.add_output(words.join(" ").as_bytes());
        for word in &words {
            assert_eq!(seen.first_text(hash(word.as_bytes())), output, "{word}");
        }
    }

    #[test]
    fn word_belongs_to_the_first_text_that_has_it() {
        let mut seen = SeenWords::new();
        seen.clear();
        seen.learn(b"module_0001", TextForm::Plain);
        let first = seen.add_output(b"module_0001 module_0002").unwrap();
        let second = seen.add_output(b"module_0002 module_0003").unwrap();
        assert_eq!(seen.add_output(b"module_0003 module_0001 no words"), None);
        let text = |word: &[u8]| seen.first_text(hash(word));
        assert_eq!([text(b"module_0002"), text(b"module_0003")], [Some(first), Some(second)]);
        assert!(text(b"module_0001").is_some_and(|text| text < first));
        seen.use_word(hash(b"module_0003"));
        seen.use_word(hash(b"module_0004"));
        let text = |word: &[u8]| seen.first_text(hash(word));
        assert_eq!(text(b"module_0003"), text(b"module_0001"));
        assert_eq!(text(b"module_0004"), text(b"module_0001"));
        assert_eq!(text(b"module_0002"), Some(first));
    }
}
