//! Settings as values, and where each of them comes from.
//!
//! A value is looked up from the innermost layer outwards:
//! default < profile < user < project < environment < tool < call.
//! Nothing here reads a file or the environment; the edge does, and hands the layers in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use overspill_core::{Keep, Limits, Policy};

use crate::Profile;

/// The parts of an output that can be kept: name, meaning, and what is said of it.
pub const KEEPS: &[(&str, Keep, &str)] = &[
    ("head", Keep::Head, "The start"),
    ("tail", Keep::Tail, "The end"),
    ("ends", Keep::ENDS, "Both ends"),
    ("signal", Keep::Signal, "The lines that matter, from anywhere, and the end"),
    ("structure", Keep::Structure, "JSON, tables, diffs and test reports by their structure"),
    ("auto", Keep::Auto, "Structure where there is one, otherwise signal"),
];

/// Tells whether a text is the address of an HTTP server, as every client takes it: names beyond ASCII
/// are written as they are asked for (`xn--…`). With less some clients panic.
pub fn is_http_address(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or(text.strip_prefix("http://")) else {
        return false;
    };
    let (server, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // Brackets of an address of version 6 have colons inside.
    let colon = server.rfind(':').filter(|&colon| !server[colon..].contains(']'));
    let (host, port) = server.split_at(colon.unwrap_or(server.len()));
    let is_host = match host.strip_prefix('[').map(|host| host.strip_suffix(']')) {
        Some(inner) => inner.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok()),
        None => {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            host.starts_with(|c: char| c.is_ascii_alphanumeric()) && host.chars().all(plain)
        }
    };
    let is_port = port.is_empty() || port[1..].parse::<u16>().is_ok();
    let of_path = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    is_host && is_port && path.chars().all(of_path)
}

/// One level of settings: what it does not set is left to the level below.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Whether outputs are bounded at all.
    pub enabled: Option<bool>,
    /// The limit on lines.
    pub max_lines: Option<Limit>,
    /// The limit on bytes.
    pub max_bytes: Option<Limit>,
    /// The limit on characters.
    pub max_chars: Option<Limit>,
    /// The limit on tokens.
    pub max_tokens: Option<Limit>,
    /// What is kept.
    pub keep: Option<Keep>,
    /// Settings of single tools, and of all tools of a server under `server/*`.
    pub tools: BTreeMap<String, Layer>,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At most so many.
    AtMost(u64),
    /// Any number.
    Unlimited,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The profile; it sets everything.
    Profile,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// The environment.
    Environment,
    /// An entry for the tool: the user's, the tool's own or the profile's.
    Tool,
    /// The call itself.
    Call,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Profile => "profile",
            Origin::User => "user",
            Origin::Project => "project",
            Origin::Environment => "environment",
            Origin::Tool => "tool",
            Origin::Call => "call",
        })
    }
}

/// A setting that could not be used; what holds is the level below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The key, or the variable.
    pub key: String,
    /// The file and line, where there is one.
    pub place: Option<String>,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

/// The layers between the profile and the call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The user's.
    pub user: Layer,
    /// The project's. It comes with a checkout and is not trusted: it may lower limits and choose
    /// what is kept. Its `enabled` is ignored.
    pub project: Layer,
    /// The environment's; it has no entries for tools.
    pub environment: Layer,
}

/// What holds for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Whether its output is bounded.
    pub enabled: Setting<bool>,
    /// The limit on lines.
    pub max_lines: Setting<Limit>,
    /// The limit on bytes.
    pub max_bytes: Setting<Limit>,
    /// The limit on characters.
    pub max_chars: Setting<Limit>,
    /// The limit on tokens.
    pub max_tokens: Setting<Limit>,
    /// What is kept.
    pub keep: Setting<Keep>,
}

impl Settings {
    /// Looks up what holds for a call of `tool`, which may have `declared` settings of its own.
    pub fn effective(
        &self,
        profile: &Profile,
        tool: Option<&str>,
        declared: Option<&Layer>,
        call: &Layer,
    ) -> Effective {
        let built_in = tool.and_then(|tool| profile.tool(tool));
        let base = Layer::of(profile);
        let trusted = base.updated(&self.user);
        let own =
            |layer: &Layer| entries_of(tool?).find_map(|entry| layer.tools.get(&*entry)).cloned();
        // One entry applies, not a mixture of several: what a tool needs is said in one place.
        let mut entry =
            own(&self.user).or_else(|| declared.cloned()).or(built_in).unwrap_or_default();
        // But for a project's: it may tighten what would hold without it, and not do away with it.
        if let Some(project) = own(&self.project) {
            let without = trusted.updated(&self.environment).updated(&entry);
            entry = entry.updated(&project.no_looser_than(&without));
        }
        let project = self.project.no_looser_than(&trusted);
        let layers = [
            (Origin::Call, call),
            (Origin::Tool, &entry),
            (Origin::Environment, &self.environment),
            (Origin::Project, &project),
            (Origin::User, &self.user),
            (Origin::Profile, &base),
        ];
        Effective {
            enabled: pick(&layers, |layer| layer.enabled, true),
            max_lines: pick(&layers, |layer| layer.max_lines, Limit::Unlimited),
            max_bytes: pick(&layers, |layer| layer.max_bytes, Limit::Unlimited),
            max_chars: pick(&layers, |layer| layer.max_chars, Limit::Unlimited),
            max_tokens: pick(&layers, |layer| layer.max_tokens, Limit::Unlimited),
            keep: pick(&layers, |layer| layer.keep, profile.policy.keep),
        }
    }
}

/// Returns the names under which something may be set for a tool, the nearest first: its own, and
/// that of all of its server, `server/*` for `server/tool`. A server as a whole is one, too.
pub fn entries_of(tool: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let whole = (!tool.contains('/')).then_some(tool.len());
    let ends = tool.rmatch_indices('/').map(|(at, _)| at).chain(whole);
    std::iter::once(Cow::from(tool)).chain(ends.map(|at| format!("{}/*", &tool[..at]).into()))
}

/// Returns the value of the first layer that sets it.
fn pick<T>(
    layers: &[(Origin, &Layer)],
    get: impl Fn(&Layer) -> Option<T>,
    otherwise: T,
) -> Setting<T> {
    layers
        .iter()
        .find_map(|(origin, layer)| get(layer).map(|value| Setting { value, origin: *origin }))
        .unwrap_or(Setting { value: otherwise, origin: Origin::Profile })
}

impl Layer {
    /// What a profile sets.
    fn of(profile: &Profile) -> Layer {
        let limits = &profile.policy.limits;
        Layer {
            enabled: Some(true),
            max_lines: Some(Limit::from(limits.lines)),
            max_bytes: Some(Limit::from(limits.bytes)),
            max_chars: Some(Limit::from(limits.chars)),
            max_tokens: Some(Limit::from(limits.tokens)),
            keep: Some(profile.policy.keep),
            tools: BTreeMap::new(),
        }
    }

    /// Returns these settings as far as they do not loosen `other`, which sets everything.
    fn no_looser_than(&self, other: &Layer) -> Layer {
        let tighter = |mine: Option<Limit>, theirs: Option<Limit>| match (mine, theirs) {
            (Some(Limit::AtMost(mine)), Some(Limit::AtMost(theirs))) => {
                Some(Limit::AtMost(mine.min(theirs)))
            }
            (Some(Limit::Unlimited), theirs) => theirs,
            (mine, _) => mine,
        };
        Layer {
            // Switched off, an output of 512,000 bytes is shown: that is the user's choice alone.
            enabled: None,
            max_lines: tighter(self.max_lines, other.max_lines),
            max_bytes: tighter(self.max_bytes, other.max_bytes),
            max_chars: tighter(self.max_chars, other.max_chars),
            max_tokens: tighter(self.max_tokens, other.max_tokens),
            keep: self.keep,
            tools: self.tools.clone(),
        }
    }

    /// Returns these settings with those of `other` on top.
    #[must_use]
    pub fn updated(&self, other: &Layer) -> Layer {
        let mut tools = self.tools.clone();
        tools.extend(other.tools.clone());
        Layer {
            enabled: other.enabled.or(self.enabled),
            max_lines: other.max_lines.or(self.max_lines),
            max_bytes: other.max_bytes.or(self.max_bytes),
            max_chars: other.max_chars.or(self.max_chars),
            max_tokens: other.max_tokens.or(self.max_tokens),
            keep: other.keep.or(self.keep),
            tools,
        }
    }
}

impl Effective {
    /// Returns the policy that these settings make of a profile's.
    pub fn policy(&self, profile: &Profile) -> Policy {
        let limits = Limits {
            bytes: self.max_bytes.value.into(),
            lines: self.max_lines.value.into(),
            chars: self.max_chars.value.into(),
            tokens: self.max_tokens.value.into(),
        };
        // A profile that waits longer than it shows keeps waiting, unless told what to show.
        let told = limits != profile.policy.limits;
        let trigger = if told { limits } else { profile.policy.trigger };
        Policy { trigger, limits, keep: self.keep.value, ..profile.policy.clone() }
    }
}

impl From<Option<u64>> for Limit {
    fn from(limit: Option<u64>) -> Limit {
        limit.map_or(Limit::Unlimited, Limit::AtMost)
    }
}

impl From<Limit> for Option<u64> {
    fn from(most: Limit) -> Option<u64> {
        match most {
            Limit::AtMost(limit) => Some(limit),
            Limit::Unlimited => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(most: u64) -> Layer {
        Layer { max_lines: Some(Limit::AtMost(most)), ..Layer::default() }
    }

    #[test]
    fn an_address_has_a_server_that_can_be_asked() {
        for good in [
            "http://localhost:8333",
            "https://s3.example.com",
            "https://proxy/s3/?x=%20",
            "http://[::1]:9000/",
            "http://10.0.0.1",
            "https://xn--mnchen-3ya.example/mcp",
        ] {
            assert!(is_http_address(good), "{good}");
        }
        for bad in [
            "localhost:8333",
            "http://",
            "http:///x",
            "ftp://host",
            "http://münchen",
            "http://a b",
            "http://host:99999",
            "http://host:x",
            "http://[::1",
            "http://me@host",
            "http://host/ü",
            "http://-host",
            "http://a\nb",
            "https://:80",
        ] {
            assert!(!is_http_address(bad), "{bad}");
        }
    }

    #[test]
    fn the_innermost_layer_that_speaks_has_its_way() {
        let call = lines(6);
        let mut settings = Settings { user: lines(2), ..Settings::default() };
        let found = |settings: &Settings, call: &Layer| {
            let effective = settings.effective(&Profile::OWN, Some("bash"), None, call);
            (effective.max_lines.value, effective.max_lines.origin)
        };
        let nothing = Layer::default();
        assert_eq!(found(&Settings::default(), &nothing), (Limit::AtMost(2000), Origin::Profile));
        assert_eq!(found(&settings, &nothing), (Limit::AtMost(2), Origin::User));
        settings.project = lines(1);
        assert_eq!(found(&settings, &nothing), (Limit::AtMost(1), Origin::Project));
        settings.environment = lines(4);
        assert_eq!(found(&settings, &nothing), (Limit::AtMost(4), Origin::Environment));
        settings.user.tools.insert("bash".into(), lines(5));
        assert_eq!(found(&settings, &nothing), (Limit::AtMost(5), Origin::Tool));
        assert_eq!(found(&settings, &call), (Limit::AtMost(6), Origin::Call));
    }

    #[test]
    fn a_project_may_tighten_and_not_loosen() {
        let settings = Settings { user: lines(10), ..Settings::default() };
        let with = |project: Layer| {
            let settings = Settings { project, ..settings.clone() };
            let effective =
                settings.effective(&Profile::OWN, Some("bash"), None, &Layer::default());
            (effective.max_lines.value, effective.enabled.value)
        };
        assert_eq!(with(lines(5)), (Limit::AtMost(5), true));
        assert_eq!(with(lines(50)), (Limit::AtMost(10), true));
        assert_eq!(
            with(Layer { max_lines: Some(Limit::Unlimited), ..Layer::default() }).0,
            Limit::AtMost(10)
        );
        let off = Layer { enabled: Some(false), ..Layer::default() };
        assert!(with(off.clone()).1);
        let tools = [("bash".to_owned(), off)].into();
        assert!(with(Layer { tools, ..Layer::default() }).1);
        let tools = [("bash".to_owned(), lines(50))].into();
        assert_eq!(with(Layer { tools, ..Layer::default() }).0, Limit::AtMost(10));
    }

    #[test]
    fn a_project_does_not_loosen_what_is_said_of_a_tool_or_in_the_environment() {
        let bash =
            |layer: Layer| Layer { tools: [("bash".to_owned(), layer)].into(), ..Layer::default() };
        let lines_of = |settings: &Settings| {
            let nothing = Layer::default();
            settings.effective(&Profile::OWN, Some("bash"), None, &nothing).max_lines.value
        };
        let mut settings = Settings { user: bash(lines(10)), ..Settings::default() };
        settings.project = bash(lines(50));
        assert_eq!(lines_of(&settings), Limit::AtMost(10));
        settings.project = bash(Layer { keep: Some(Keep::Tail), ..Layer::default() });
        assert_eq!(lines_of(&settings), Limit::AtMost(10));
        settings.project = bash(lines(5));
        assert_eq!(lines_of(&settings), Limit::AtMost(5));
        let environment = lines(4);
        let settings = Settings { project: bash(lines(50)), environment, ..Settings::default() };
        assert_eq!(lines_of(&settings), Limit::AtMost(4));
    }

    #[test]
    fn one_entry_for_a_tool_applies_not_a_mixture() {
        let mut settings = Settings::default();
        let of = |settings: &Settings, declared: Option<&Layer>| {
            let nothing = Layer::default();
            let effective =
                settings.effective(&Profile::AGENT_V2, Some("bash"), declared, &nothing);
            (effective.max_lines.value, effective.keep.value)
        };
        assert_eq!(of(&settings, None), (Limit::AtMost(500), Keep::Tail));
        assert_eq!(of(&settings, Some(&lines(7))), (Limit::AtMost(7), Keep::Head));
        settings.user.tools.insert("bash".into(), lines(5));
        assert_eq!(of(&settings, Some(&lines(7))), (Limit::AtMost(5), Keep::Head));
    }

    #[test]
    fn what_is_said_of_a_server_holds_for_its_tools_that_have_no_entry() {
        let tools = [("srv/*".to_owned(), lines(6)), ("srv/own".to_owned(), Layer::default())];
        let user = Layer { tools: tools.into(), ..Layer::default() };
        let mut settings = Settings { user, ..Settings::default() };
        let of = |settings: &Settings, tool| {
            let nothing = Layer::default();
            settings.effective(&Profile::OWN, Some(tool), None, &nothing).max_lines.value
        };
        for tool in ["srv/t", "srv/a/b", "srv", "srv/*"] {
            assert_eq!(of(&settings, tool), Limit::AtMost(6), "{tool}");
        }
        for other in ["srv/own", "sr", "other/t"] {
            assert_eq!(of(&settings, other), Limit::AtMost(2000), "{other}");
        }
        settings.project.tools.insert("srv/*".into(), lines(50));
        assert_eq!(of(&settings, "srv/t"), Limit::AtMost(6));
        settings.project.tools.insert("srv/*".into(), lines(5));
        assert_eq!(of(&settings, "srv/t"), Limit::AtMost(5));
    }
}
