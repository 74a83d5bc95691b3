//! Tells a password or a random token from a word, a placeholder, a path or an expression.

/// Words that stand in the place of a secret. They are compared in lower case, without `_` and `-`.
const WORDS: &str = "abc accepted admin and any apikey auth authentication bool boolean bytes changed \
    changeit changeme char correct credentials default denied disabled empty enabled \
    encrypted env eof error example expired failed false field file for foo bar from \
    generated has hash hidden identifier if ignored incorrect input int integer invalid is \
    key literal masked mismatch missing must nil no none not null number object off ok on \
    optional or pass passphrase passwd password plain prompt provided pwd random redacted \
    reset required sanitized secret secretstr sensitive set show str string text the to todo \
    token tokenstring true type undefined unchanged unknown unset user using utf8 valid \
    value varchar variable was with wrong yes new return await self this function const let \
    var private public static final readonly keyword word base64 json username sha256 sha512 \
    md5";

/// Beginnings of references to a secret, and of text that is already masked.
const REFERENCES: &str = "<your [redacted (hidden sha256: sha512- sha256- sha1- process.env os.environ env. \
    -----begin http:// https:// file: secrets. vault: ssm: arn: projects/ op://";

/// Beginnings of text that asks for a secret. Words follow them, or nothing.
const ASKS: &str = "your enter insert replace example placeholder changeme change_me change-me redacted dummy \
    xxx";

/// Parts of the names of variables that contain secrets, as in `$password`.
const HOLDS: &[&str] = &["pass", "pwd", "token", "secret", "key", "user", "auth", "cred", "login"];

/// Tells whether `value` stands for a secret without being one: `$NAME`, `<name>`, `***`, `%s`,
/// `null`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(&first) = value.first() else { return true };
    if value.ends_with(b"***")
        || value.iter().all(|byte| *byte == first)
        || value.iter().all(|byte| b"*.xX-_#?".contains(byte))
        || is_format(value)
    {
        return true;
    }
    let inner = value[1..].strip_suffix(b"!").unwrap_or(&value[1..]);
    match first {
        b'$' => is_variable(inner),
        b'<' => value.ends_with(b">"),
        b'{' => value.ends_with(b"}"),
        b'[' => value.ends_with(b"]"),
        b'%' => {
            value.ends_with(b"%")
                || value == b"%s"
                || value == b"%d"
                || value == b"%v"
                || (value.starts_with(b"%(") && value.ends_with(b")s"))
        }
        b'#' => value.starts_with(b"#{") && value.ends_with(b"}"),
        _ => is_word(value),
    }
}

/// Tells whether the text after a `$` is a variable of a shell or of a template.
fn is_variable(name: &[u8]) -> bool {
    match name {
        [b'{', .., b'}'] | [b'(', .., b')'] => true,
        [b'{' | b'(', ..] => false,
        [] => true,
        _ => {
            let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            let is_upper = !name.iter().any(u8::is_ascii_lowercase) && !name[0].is_ascii_digit();
            let lower = name.to_ascii_lowercase();
            let holds = HOLDS.iter().any(|part| contains(&lower, part.as_bytes()));
            is_name && (is_upper || holds)
        }
    }
}

pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

/// Tells whether `value` consists of format placeholders, such as `%s:%s` or `{}-{name}`.
fn is_format(value: &[u8]) -> bool {
    let (mut rest, mut has_place) = (value, false);
    while let Some((&first, next)) = rest.split_first() {
        let len = match (first, next.first()) {
            (b'%', Some(b's' | b'd' | b'v' | b'r' | b'q')) => 1,
            (b'%', Some(b'(')) => match memchr::memchr(b')', next) {
                Some(end) => end + 2,
                None => return false,
            },
            (b'{', Some(_)) => match memchr::memchr(b'}', next) {
                Some(end) => end + 1,
                None => return false,
            },
            _ if b":-_/ @,.".contains(&first) => {
                rest = next;
                continue;
            }
            _ => return false,
        };
        has_place = true;
        rest = next.get(len..).unwrap_or_default();
    }
    has_place
}

/// Tells whether `value` is a word of a message, of a type, or of a request for a secret.
fn is_word(value: &[u8]) -> bool {
    let end = value.iter().rev().take_while(|byte| b"!?,;.:)]}\"'".contains(byte)).count();
    let lower = value[..value.len() - end].to_ascii_lowercase();
    if REFERENCES.split(' ').any(|start| lower.starts_with(start.as_bytes())) {
        return true;
    }
    // The last four characters of a masked secret, or an ellipsis.
    let is_cut = lower.starts_with(b"***") || lower.starts_with(b"...");
    if is_cut && lower.len() - lower.iter().take_while(|byte| b"*.".contains(byte)).count() <= 4 {
        return true;
    }
    let is_asking = ASKS.split(' ').any(|start| lower.starts_with(start.as_bytes()));
    if is_asking && !lower.iter().any(u8::is_ascii_digit) && !is_random(value, 16) {
        return true;
    }
    let plain: Vec<u8> = lower.into_iter().filter(|byte| !b"_-".contains(byte)).collect();
    // "authentication" is the longest word.
    plain.is_empty() || plain.len() <= 14 && WORDS.split(' ').any(|word| word.as_bytes() == plain)
}

/// Tells whether a value without quotes is an expression of source text: `input()`, `self.token`,
/// `Option<String>`, `&str`.
pub(super) fn is_code(value: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name = value.iter().take_while(|byte| is_part(byte)).count();
    let rest = &value[name..];
    let is_name = name > 0 && !value[0].is_ascii_digit();
    match value {
        [b'&' | b'(', ..] | [b':', b':', ..] => return true,
        [b'!', b'0' | b'1'] | [b'!', b'0' | b'1', b',' | b')' | b'}' | b'&' | b'|', ..] => {
            return true;
        }
        [b'!', rest @ ..] if is_code(rest) => return true,
        // The value is a pointer or a tag.
        [b'*', rest @ ..]
            if rest.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_') =>
        {
            return true;
        }
        [b'<', next, ..] if next.is_ascii_alphabetic() => {
            let end = memchr::memchr(b'>', value).unwrap_or(value.len());
            return !has_both(&value[end..]);
        }
        [b'$', rest @ ..] => {
            let name = rest.iter().take_while(|byte| is_part(byte)).count();
            return name > 1
                && matches!(rest[name..], [b'[' | b'(', ..] | [b'-', b'>', ..] | [b':', b':', ..]);
        }
        _ if is_number(value) => return true,
        _ => {}
    }
    if !is_name {
        return false;
    }
    match rest {
        [b'(' | b'[' | b'<' | b'{', ..] => true,
        [b':', b':', ..] | [b'-', b'>', ..] | [b'?', b'.', ..] => true,
        [b'.', next, ..] if is_part(next) => {
            let is_scrambled = |part: &[u8]| part.len() >= 5 && is_scrambled(part);
            let is_chosen = value.iter().any(|byte| b"~@#^".contains(byte))
                || value.split(|byte| *byte == b'.').any(is_no_name);
            value.contains(&b'(')
                || !is_random(value, 20)
                    && !is_chosen
                    && !value.split(|byte| *byte == b'.').all(is_scrambled)
                || super::words::is_identifier(value)
        }
        _ => false,
    }
}

/// Tells whether a part between dots is neither a name of source text nor a number: `3xyz`,
/// `Tr0ub4dor`.
fn is_no_name(part: &[u8]) -> bool {
    let number = part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_shown = part.iter().all(u8::is_ascii_alphanumeric);
    is_shown && number > 0 && part.len() >= number + 3 || is_shown && turns(part) >= 4
}

/// Tells whether a password without quotes contains a bracket that never closes.
pub(super) fn is_open(value: &[u8]) -> bool {
    let name = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    turns(&value[..name]) >= 2
        && value.get(name).is_some_and(|byte| b"([{<".contains(byte))
        && !value.iter().any(|byte| b")]}>".contains(byte))
}

/// Tells whether `value` is a number of source text: `0x030`, `4096i32`.
fn is_number(value: &[u8]) -> bool {
    if let [b'0', b'x' | b'X', digits @ ..] = value {
        return digits.len() <= 16
            && digits.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_');
    }
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let suffixes: [&[u8]; 9] =
        [b"i32", b"u32", b"i64", b"u64", b"u8", b"u16", b"usize", b"f32", b"f64"];
    digits > 0 && suffixes.contains(&&value[digits..])
}

/// Tells whether `value` is the path of a file.
pub(super) fn is_path(value: &[u8]) -> bool {
    let is_rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/")
        || value.get(1..3).is_some_and(|mark| mark == b":\\" || mark == b":/");
    let has_parts = value.iter().filter(|byte| **byte == b'/').count() >= 2;
    let looks_random = value.split(|byte| b"/.".contains(byte)).any(|part| is_random(part, 20));
    is_rooted && (!looks_random || has_parts && contains(value, b".")) && !is_base64(value)
        || is_file(value)
}

/// Tells whether `value` is base64 that happens to begin with a slash.
fn is_base64(value: &[u8]) -> bool {
    value.ends_with(b"=")
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && value.split(|byte| *byte == b'/').any(|part| is_random(part, 8))
}

/// Tells whether `value` names a file that contains the secret: `@password.txt`.
fn is_file(value: &[u8]) -> bool {
    let [b'@', path @ ..] = value else { return false };
    let ending = path.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let has_ending = (2..=5).contains(&ending.len()) && ending.len() < path.len();
    path.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(byte))
        && (has_ending && ending.iter().all(u8::is_ascii_alphabetic) || path.contains(&b'/'))
}

/// Tells whether `value` looks random: it mixes letters and digits as no word does.
pub(super) fn is_random(value: &[u8], least: usize) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if value.len() < least || letters < 2 {
        return false;
    }
    if digits >= 2 {
        return value.split(|byte| b"_-./:+=%".contains(byte)).any(is_scrambled);
    }
    // Without digits, the letters change their case more often than names do.
    let changes = value.windows(2).filter(|pair| {
        pair[0].is_ascii_alphabetic()
            && pair[1].is_ascii_alphabetic()
            && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
    });
    value.len() >= 16 && changes.count() * 5 >= value.len() * 2
}

/// Tells whether a part of a value is neither a word, nor a number, nor a word with a number.
fn is_scrambled(part: &[u8]) -> bool {
    if part.len() < 4 {
        return false;
    }
    let turns = turns(part);
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    turns >= 2 || (turns == 1 && part.len() >= 8 && digits >= 3)
}

/// Counts the positions at which a digit follows another character, or another character a digit.
fn turns(part: &[u8]) -> usize {
    part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// Tells whether `value` has letters and digits.
pub(super) fn has_both(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}

/// Tells whether a password is more than a plain word.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| value.iter().any(of);
    let has_symbol =
        value.iter().any(|byte| !byte.is_ascii_alphanumeric() && !b"_-./:,".contains(byte));
    let has_inner_capital =
        value.iter().skip(1).any(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    has_both(value) || has_symbol || has_inner_capital
}

/// Tells whether `value` is base64 of `user:password`.
pub(super) fn is_basic(value: &[u8]) -> bool {
    let sextet = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let end = value.iter().rev().take_while(|byte| **byte == b'=').count();
    let (mut bits, mut count, mut has_colon) = (0_u32, 0, false);
    for byte in &value[..value.len() - end] {
        let Some(six) = sextet(*byte) else { return false };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            let byte = (bits >> count) as u8;
            if byte < b' ' {
                return false;
            }
            has_colon |= byte == b':';
        }
        bits &= 0xff;
    }
    has_colon && value.len() >= 8
}
