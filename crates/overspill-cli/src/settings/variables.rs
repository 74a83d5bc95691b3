//! The variables of the environment that overspill knows.

use overspill::internal::settings::Warning;

use super::keys::{Key, meant};
use super::redact::FaultKind;
use crate::env::Env;

/// The start of all variables.
pub(crate) const PREFIX: &str = "OVERSPILL_";
/// Names the user's settings file.
pub(crate) const CONFIG: &str = "OVERSPILL_CONFIG";
/// Names the session that outputs belong to.
pub(crate) const SESSION: &str = "OVERSPILL_SESSION";
/// The token that clients of `mcp --listen` send.
pub(crate) const MCP_TOKEN: &str = "OVERSPILL_MCP_TOKEN";
/// The id of the overspill process that shortens the output of a command, for the command's children.
pub(crate) const ACTIVE: &str = "OVERSPILL_ACTIVE";
/// Stands for the mark of a host that has none, where a host is tried out.
pub(crate) const NO_MARK: &str = "OVERSPILL_NONE";

/// How many letters of a variable about secrets can be wrong.
const SLIPS: usize = 2;
const NO_SETTINGS: [&str; 5] = [CONFIG, SESSION, MCP_TOKEN, ACTIVE, NO_MARK];
/// The start of the variables of our tests.
const TESTS: &str = "OVERSPILL_TEST_";

/// Returns the unknown variables, and the mistake about `redact` that each likely is. The user who has
/// set one expects an effect.
pub(super) fn unknown(env: &Env) -> Vec<(Warning, Option<FaultKind>)> {
    let names = env.variables().map(|(name, _)| name.to_string_lossy().into_owned());
    let ours = names.filter(|name| name.starts_with(PREFIX) || almost_redact(name).is_some());
    let mut unknown: Vec<String> = ours.filter(|name| !name.starts_with(TESTS)).collect();
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

/// Returns the mistake about `redact` that a variable is, if it has almost the name of one about secrets.
fn almost_redact(name: &str) -> Option<FaultKind> {
    let kinds = [(Key::Redact, FaultKind::Variable), (Key::RedactPattern, FaultKind::Pattern)];
    let is_meant = |(key, _): &(Key, FaultKind)| {
        let variable = key.variable();
        // The difference in length is a cheap lower bound of the distance.
        name.len().abs_diff(variable.len()) <= SLIPS
            && strsim::osa_distance(&name.to_ascii_uppercase(), &variable) <= SLIPS
    };
    kinds.into_iter().find(is_meant).map(|(_, kind)| kind)
}

fn unknown_variable(name: String, known: &[String]) -> (Warning, Option<FaultKind>) {
    let own = name.strip_prefix(PREFIX).unwrap_or_default();
    let fault = almost_redact(&name).or_else(|| match FaultKind::of_key(own)? {
        FaultKind::Pattern => Some(FaultKind::Pattern),
        FaultKind::File | FaultKind::Value | FaultKind::Variable => Some(FaultKind::Variable),
    });
    let meant = match fault {
        None => similar(own, known),
        Some(FaultKind::Pattern) => Some(Key::RedactPattern.variable()),
        Some(_) => Some(Key::Redact.variable()),
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
