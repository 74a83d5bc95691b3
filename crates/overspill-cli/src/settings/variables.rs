//! The environment variables of overspill: their names, and warnings about unknown ones.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use overspill::internal::settings::Warning;

use super::keys::{Key, meant};
use super::redact::FaultKind;

/// The start of all variables.
pub(crate) const PREFIX: &str = "OVERSPILL_";
/// The variable that names the user's settings file.
pub(crate) const CONFIG: &str = "OVERSPILL_CONFIG";
/// The variable that names the session of outputs.
pub(crate) const SESSION: &str = "OVERSPILL_SESSION";
/// The token that clients of `mcp --listen` send.
pub(crate) const MCP_TOKEN: &str = "OVERSPILL_MCP_TOKEN";
/// The id of the overspill process that shortens the output of a command, for the command's children.
pub(crate) const ACTIVE: &str = "OVERSPILL_ACTIVE";
/// The name of the host that runs commands, for hosts that set no variable of their own.
pub(crate) const HOST: &str = "OVERSPILL_HOST";
/// The user's own shell, if an alias puts our link into `SHELL`.
pub(crate) const SHELL: &str = "OVERSPILL_SHELL";
/// The user's own `BASH_ENV`, if an alias puts our file there. Our file reads it.
const BASH_ENV: &str = "OVERSPILL_BASH_ENV";
/// The pager for long answers on a terminal.
const PAGER: &str = "OVERSPILL_PAGER";

/// The variables about secrets.
const REDACT: &str = "OVERSPILL_REDACT";
const REDACT_PATTERN: &str = "OVERSPILL_REDACT_PATTERN";
/// The number of letters that can be wrong in the name of a variable about secrets.
const SLIPS: usize = 2;
const NO_SETTINGS: [&str; 8] = [CONFIG, SESSION, MCP_TOKEN, ACTIVE, HOST, SHELL, BASH_ENV, PAGER];
/// The start of the variables of our tests.
const TESTS: &str = "OVERSPILL_TEST_";

/// Tells whether a variable has our prefix.
pub(super) fn is_ours(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// Returns warnings about unknown variables. A variable that resembles one about `redact` has the
/// kind of its mistake, because the user expects masking.
pub(super) fn unknown(variables: &[(OsString, OsString)]) -> Vec<(Warning, Option<FaultKind>)> {
    let names = variables.iter().map(|(name, _)| name.to_string_lossy());
    let ours = names.filter(|name| name.starts_with(PREFIX) || almost_redact(name).is_some());
    let ours = ours.filter(|name| !name.starts_with(TESTS));
    let mut unknown: Vec<String> = ours.map(Cow::into_owned).collect();
    if unknown.is_empty() {
        return Vec::new();
    }
    let known: Vec<String> = known().collect();
    unknown.retain(|name| !known.contains(name));
    unknown.sort_unstable();
    unknown.into_iter().map(|name| unknown_variable(name, &known)).collect()
}

fn known() -> impl Iterator<Item = String> {
    Key::all().flat_map(Key::variables).chain(NO_SETTINGS.map(str::to_owned))
}

/// Returns the kind of mistake if a name is almost the name of a variable about secrets.
fn almost_redact(name: &str) -> Option<FaultKind> {
    let kinds = [(REDACT, FaultKind::Variable), (REDACT_PATTERN, FaultKind::Pattern)];
    let is_meant = |(variable, _): &(&str, FaultKind)| {
        has_almost_the_letters_of(name, variable)
            && strsim::osa_distance(&name.to_ascii_uppercase(), variable) <= SLIPS
    };
    kinds.into_iter().find(is_meant).map(|(_, kind)| kind)
}

/// Tells whether two names can differ by at most [`SLIPS`] letters. It is a quick check before the
/// exact distance, which takes about 20,000 instructions, and every start of the program checks
/// every variable.
fn has_almost_the_letters_of(name: &str, variable: &str) -> bool {
    if name.len().abs_diff(variable.len()) > SLIPS * char::MAX.len_utf8() {
        return false;
    }
    let mut counts = [0_i8; 256];
    for byte in variable.bytes() {
        counts[usize::from(byte)] += 1;
    }
    // Each mistake changes at most one letter of `variable`.
    let mut left = variable.len();
    for byte in name.bytes().map(|byte| byte.to_ascii_uppercase()) {
        let count = &mut counts[usize::from(byte)];
        left -= usize::from(*count > 0);
        *count -= i8::from(*count > 0);
    }
    left <= SLIPS
}

fn unknown_variable(name: String, known: &[String]) -> (Warning, Option<FaultKind>) {
    let own = name.strip_prefix(PREFIX).unwrap_or_default();
    let fault = almost_redact(&name).or_else(|| match FaultKind::of_key(own)? {
        FaultKind::Pattern => Some(FaultKind::Pattern),
        FaultKind::File | FaultKind::Closed | FaultKind::Value | FaultKind::Variable => {
            Some(FaultKind::Variable)
        }
    });
    let meant = match fault {
        None => similar(own, known),
        Some(FaultKind::Pattern) => Some(REDACT_PATTERN.into()),
        Some(_) => Some(REDACT.into()),
    };
    let hint = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
    let message = format!("there is no such variable{hint}");
    (Warning { key: name, place: None, message }, fault)
}

fn similar(own: &str, known: &[String]) -> Option<String> {
    // The common prefix would make all names similar.
    let names: Vec<String> = known.iter().map(|name| name[PREFIX.len()..].to_lowercase()).collect();
    let meant = meant(own, names.iter().map(String::as_str))?;
    Some(format!("{PREFIX}{}", meant.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_about_secrets_is_named_after_its_setting() {
        assert_eq!(Key::Redact.variable(), REDACT);
        assert_eq!(Key::RedactPattern.variable(), REDACT_PATTERN);
    }

    #[test]
    fn variable_with_two_slips_is_about_secrets() {
        let mut tried = 0;
        for (name, kind) in [(REDACT, FaultKind::Variable), (REDACT_PATTERN, FaultKind::Pattern)] {
            for at in 0..name.len() - 1 {
                let (start, end) = name.split_at(at);
                for edit in [&end[1..], &format!("é{end}"), &format!("q{}", &end[1..])] {
                    let once = format!("{start}{edit}");
                    let twice = once.replacen("SPI", "SPPI", 1);
                    let swapped = once.replacen("LL", "L", 1).to_lowercase();
                    for slip in [once, twice, swapped] {
                        let near = strsim::osa_distance(&slip.to_ascii_uppercase(), name) <= SLIPS;
                        assert!(!near || almost_redact(&slip) == Some(kind), "{slip}");
                        tried += usize::from(near);
                    }
                }
            }
        }
        assert!(tried > 200, "{tried}");
        assert_eq!(almost_redact(&REDACT.replace("DACT", "ACTOR")), None);
    }
}
