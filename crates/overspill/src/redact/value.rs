//! Tells a password or a random token from a word, a placeholder, a path or an expression.

/// Values that stand where a secret could stand. Compared in lower case, without `_` and `-`.
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

/// Beginnings of text that asks for a secret.
const ASKS: &str = "your <your enter insert replace example placeholder changeme change_me change-me \
    redacted dummy xxx *** ... [redacted (hidden sha256: sha512- sha256- sha1- process.env \
    os.environ env. -----begin http:// https:// file: secrets. vault: ssm: arn: projects/ \
    op://";

/// Names of variables that hold secrets, as in `$password`.
const HOLDS: &[&str] = &["pass", "pwd", "token", "secret", "key", "user", "auth", "cred", "login"];

/// Tells whether `value` stands for a secret without being one: `$NAME`, `<name>`, `***`, `%s`, `null`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(&first) = value.first() else { return true };
    if value.ends_with(b"***")
        || value.iter().all(|byte| *byte == first)
        || value.iter().all(|byte| b"*.xX-_#?".contains(byte))
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

/// Tells whether this, after a `$`, is a variable of a shell or of a template.
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

/// Tells whether `value` is a word of a message, of a type, or of a request for a secret.
fn is_word(value: &[u8]) -> bool {
    let end = value.iter().rev().take_while(|byte| b"!?,;.:)]}\"'".contains(byte)).count();
    let lower = value[..value.len() - end].to_ascii_lowercase();
    if ASKS.split(' ').any(|start| lower.starts_with(start.as_bytes())) {
        return true;
    }
    let plain: Vec<u8> = lower.into_iter().filter(|byte| !b"_-".contains(byte)).collect();
    plain.is_empty() || WORDS.split(' ').any(|word| word.as_bytes() == plain)
}

/// Tells whether a value without quotes is an expression of source text: `input()`, `self.token`,
/// `Option<String>`, `&str`.
pub(super) fn is_code(value: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name = value.iter().take_while(|byte| is_part(byte)).count();
    let rest = &value[name..];
    let is_name = name > 0 && !value[0].is_ascii_digit();
    if value.starts_with(b"&")
        || value.starts_with(b"(")
        || value.starts_with(b"!") && is_code(&value[1..])
    {
        return true;
    }
    if !is_name {
        return false;
    }
    match rest {
        [b'(' | b'[' | b'<' | b'{', ..] => true,
        [b':', b':', ..] | [b'-', b'>', ..] | [b'?', b'.', ..] => true,
        [b'.', next, ..] if is_part(next) => value.contains(&b'(') || !is_random(value, 20),
        _ => false,
    }
}

/// Tells whether `value` is a path of a file.
pub(super) fn is_path(value: &[u8]) -> bool {
    let is_rooted = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/")
        || value.get(1..3).is_some_and(|mark| mark == b":\\" || mark == b":/");
    let has_parts = value.iter().filter(|byte| **byte == b'/').count() >= 2;
    let looks_random = value.split(|byte| b"/.".contains(byte)).any(|part| is_random(part, 20));
    is_rooted && (!looks_random || has_parts && contains(value, b"."))
}

/// Tells whether `value` looks like chance made it: letters and digits mixed as no word is.
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
    let starts_of_numbers =
        part.windows(2).filter(|pair| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit());
    let ends_of_numbers =
        part.windows(2).filter(|pair| pair[0].is_ascii_digit() && !pair[1].is_ascii_digit());
    let turns = starts_of_numbers.count() + ends_of_numbers.count();
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    turns >= 2 || (turns == 1 && part.len() >= 8 && digits >= 3)
}

/// Tells whether a password of these letters is more than a plain word.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| value.iter().any(of);
    let has_symbol =
        value.iter().any(|byte| !byte.is_ascii_alphanumeric() && !b"_-./:,".contains(byte));
    let has_inner_capital =
        value.iter().skip(1).any(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) || has_symbol || has_inner_capital
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
