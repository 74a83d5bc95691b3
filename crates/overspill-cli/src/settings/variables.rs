//! Every variable that is ours: those of settings, and these.

use overspill::Warning;

use super::keys::{Key, meant};

/// What all of them begin with.
pub(crate) const PREFIX: &str = "OVERSPILL_";
/// Names the user's file of settings.
pub(crate) const CONFIG: &str = "OVERSPILL_CONFIG";
/// Says to which session outputs belong.
pub(crate) const SESSION: &str = "OVERSPILL_SESSION";
/// What clients of `mcp --listen` must know.
pub(crate) const MCP_TOKEN: &str = "OVERSPILL_MCP_TOKEN";
/// Says to what runs inside a bounded command that somebody bounds it: the number of that process.
pub(crate) const ACTIVE: &str = "OVERSPILL_ACTIVE";
/// Stands for the mark of a host that has none, where a host is tried out.
pub(crate) const NO_MARK: &str = "OVERSPILL_NONE";

const NO_SETTINGS: [&str; 5] = [CONFIG, SESSION, MCP_TOKEN, ACTIVE, NO_MARK];
/// What our tests are told begins so.
const TESTS: &str = "OVERSPILL_TEST_";

/// Returns a warning for each variable that begins as ours do, and is none: who has set it expects
/// something of it.
///
/// Looks at the whole environment, so it is asked only where settings are what it is about.
pub(super) fn unknown() -> Vec<Warning> {
    let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
    let names = set.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).collect();
    let known: Vec<String> = known().collect();
    names.retain(|name| !name.starts_with(TESTS) && !known.contains(name));
    names.sort_unstable();
    names.into_iter().map(|name| warning(name, &known)).collect()
}

fn known() -> impl Iterator<Item = String> {
    Key::all().flat_map(Key::variables).chain(NO_SETTINGS.map(str::to_owned))
}

fn warning(name: String, known: &[String]) -> Warning {
    // What all have in common would make all of them alike.
    let own = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_lowercase();
    let names: Vec<String> = known.iter().map(|name| own(name)).collect();
    let mut message = String::from("there is no such variable");
    if let Some(meant) = meant(&own(&name), names.iter().map(String::as_str)) {
        message.push_str(&format!("; did you mean {PREFIX}{}?", meant.to_uppercase()));
    }
    Warning { key: name, place: None, message }
}
