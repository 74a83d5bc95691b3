//! Tells identifiers of source text from passwords.

/// Words in the names of variables and types that are about secrets.
const SECRETS: &str = "password passwords passwd pass passphrase pwd pw token tokens secret key credential \
    credentials creds user username auth login";

/// Tells whether `value` is the name of a variable or a type that is about a secret:
/// `password_mgr`, `EapUsernamePasswordCredential`.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    let is_name = value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    if !is_name || value.last().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let (mut parts, mut is_known) = (0, false);
    for part in parts_of(value) {
        let part = part.to_ascii_lowercase();
        parts += 1;
        is_known |= SECRETS.split(' ').any(|word| word.as_bytes() == part);
    }
    is_known && parts >= 2
}

/// Tells whether `value` only repeats its name: `challenge_password: "challengePassword"`,
/// `db-password=my-db-password`.
pub(super) fn is_same_name(name: &[u8], value: &[u8]) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
        letters.map(u8::to_ascii_lowercase).collect()
    };
    let is_name = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
    if !is_name {
        return false;
    }
    let (name, value, parts) = (plain(name), plain(value), parts_of(value).count());
    let inner = value.strip_prefix(b"my").filter(|_| parts > 2).unwrap_or(&value);
    parts >= 2 && name.ends_with(inner)
}

/// Splits an identifier at `_`, `-`, `.` and before capital letters.
fn parts_of(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_apart =
        |first: &u8, second: &u8| !(first.is_ascii_lowercase() && second.is_ascii_uppercase());
    value
        .split(|byte| b"_-.".contains(byte))
        .flat_map(move |part| part.chunk_by(is_apart))
        .filter(|part| !part.is_empty())
}
