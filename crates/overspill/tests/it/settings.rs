//! Tests of the settings of a call: the level that wins, and the values that a project may not set.

use overspill::core::{Keep, Policy};
use overspill::internal::settings::{
    CallSetting, CallValue, Effective, HttpAddress, Origin, RefusedSetting, Setting,
};
use overspill::{Layer, Limit, Profile, Settings};

const LINES: CallSetting = CallSetting::MaxLines;

fn lines(limit: u64) -> Layer {
    Layer::new().max_lines(limit)
}

fn at_most(limit: u64) -> CallValue {
    CallValue::Limit(Limit::AtMost(limit))
}

fn effective(settings: &Settings, tool: &str) -> Effective {
    settings.effective(&Profile::OWN, Some(tool), None, &Layer::new())
}

fn lines_of(settings: &Settings, tool: &str) -> CallValue {
    effective(settings, tool).get(LINES).value
}

#[test]
fn strongest_level_that_sets_a_value_wins() {
    let mut settings = Settings { user: lines(2), ..Settings::default() };
    let found = |settings: &Settings| {
        let Setting { value, origin } = effective(settings, "bash").get(LINES);
        (value, origin)
    };
    assert_eq!(found(&Settings::default()), (at_most(2000), Origin::Profile));
    assert_eq!(found(&settings), (at_most(2), Origin::User));
    settings.project = lines(1);
    assert_eq!(found(&settings), (at_most(1), Origin::Project));
    settings.environment = lines(4);
    assert_eq!(found(&settings), (at_most(4), Origin::Environment));
    settings.user = settings.user.tool("bash", lines(5));
    assert_eq!(found(&settings), (at_most(5), Origin::Tool));
    let called = settings.effective(&Profile::OWN, Some("bash"), None, &lines(6)).get(LINES);
    assert_eq!((called.value, called.origin), (at_most(6), Origin::Call));
}

#[test]
fn project_tightens_and_cannot_loosen() {
    let with = |project: Layer| {
        let settings = Settings { user: lines(10), project, ..Settings::default() };
        let effective = effective(&settings, "bash");
        assert!(effective.is_enabled());
        (effective.get(LINES), effective.refused)
    };
    let (set, refused) = with(lines(5).keep(Keep::Tail));
    assert_eq!((set.value, set.origin), (at_most(5), Origin::Project));
    assert_eq!(refused, []);
    for asked in [Limit::AtMost(11), Limit::Unlimited] {
        let (set, refused) = with(Layer::new().max_lines(asked));
        assert_eq!((set.value, set.origin), (at_most(10), Origin::User));
        let (asked, used) = (CallValue::Limit(asked), at_most(10));
        assert_eq!(refused, [RefusedSetting { tool: None, setting: LINES, asked, used }]);
    }
    let (_, refused) = with(Layer::new().enabled(false));
    assert_eq!(refused[0].setting, CallSetting::Enabled);
    let (_, refused) = with(Layer::new().tool("bash", Layer::new().enabled(false)));
    assert_eq!(refused[0].tool.as_deref(), Some("bash"));
    let (set, _) = with(Layer::new().tool("bash", lines(50)));
    assert_eq!((set.value, set.origin), (at_most(10), Origin::User));
}

#[test]
fn refused_has_the_general_settings_and_those_of_all_tools() {
    let project = lines(50).tool("a", lines(60)).tool("b", lines(3)).tool("c", lines(70));
    let settings = Settings { user: lines(10), project, ..Settings::default() };
    let refused = settings.refused(&Profile::OWN).into_iter();
    let refused: Vec<_> = refused.map(|one| (one.tool, one.asked)).collect();
    let of = |tool: &str, limit| (Some(tool.to_owned()), at_most(limit));
    assert_eq!(refused, [(None, at_most(50)), of("a", 60), of("c", 70)]);
}

#[test]
fn project_cannot_loosen_an_entry_for_a_tool_or_a_variable() {
    let bash = |layer: Layer| Layer::new().tool("bash", layer);
    let mut settings = Settings { user: bash(lines(10)), ..Settings::default() };
    settings.project = bash(lines(50));
    assert_eq!(lines_of(&settings, "bash"), at_most(10));
    settings.project = bash(Layer::new().keep(Keep::Tail));
    assert_eq!(lines_of(&settings, "bash"), at_most(10));
    settings.project = bash(lines(5));
    assert_eq!(lines_of(&settings, "bash"), at_most(5));
    let environment = lines(4);
    let settings = Settings { project: bash(lines(50)), environment, ..Settings::default() };
    assert_eq!(lines_of(&settings, "bash"), at_most(4));
}

#[test]
fn only_one_entry_for_a_tool_applies() {
    let mut settings = Settings::default();
    let of = |settings: &Settings, declared: Option<&Layer>| {
        let effective =
            settings.effective(&Profile::AGENT_V2, Some("bash"), declared, &Layer::new());
        (effective.get(LINES).value, effective.layer().keep)
    };
    assert_eq!(of(&settings, None), (at_most(500), Some(Keep::Tail)));
    assert_eq!(of(&settings, Some(&lines(7))), (at_most(7), Some(Keep::Head)));
    settings.user = settings.user.tool("bash", lines(5));
    assert_eq!(of(&settings, Some(&lines(7))), (at_most(5), Some(Keep::Head)));
}

/// The levels from the weakest: profile, the profile's tool, user, environment, the user's tool,
/// call.
#[test]
fn built_in_entry_of_a_tool_ranks_below_user_settings() {
    let of = |settings: &Settings, tool: &str, call: &Layer| {
        let effective = settings.effective(&Profile::AGENT_V2, Some(tool), None, call);
        let Setting { value, origin } = effective.get(LINES);
        (value, origin, effective.layer().keep, effective.is_enabled())
    };
    let (none, tail) = (Layer::new(), Some(Keep::Tail));
    let mut settings = Settings::default();
    let built_in = (at_most(500), Origin::Profile, tail, true);
    assert_eq!(of(&settings, "bash", &none), built_in);
    assert_eq!(of(&settings, "other", &none).0, at_most(2000));
    settings.user = lines(10);
    assert_eq!(of(&settings, "bash", &none), (at_most(10), Origin::User, tail, true));
    assert_eq!(of(&settings, "grep", &none).0, at_most(10));
    assert!(!of(&settings, "read", &none).3, "nobody switched it on");
    settings.environment = lines(20).keep(Keep::Head);
    let from_variables = (at_most(20), Origin::Environment, Some(Keep::Head), true);
    assert_eq!(of(&settings, "bash", &none), from_variables);
    settings.user = lines(10).tool("bash", lines(30)).enabled(true);
    assert_eq!(of(&settings, "bash", &none).0, at_most(30));
    assert!(of(&settings, "read", &none).3, "the user switched everything on");
    assert_eq!(of(&settings, "bash", &lines(40)).0, at_most(40));
}

#[test]
fn entry_of_a_server_applies_to_its_tools_without_an_entry() {
    let user = Layer::new().tool("srv/*", lines(6)).tool("srv/own", Layer::new());
    let mut settings = Settings { user, ..Settings::default() };
    for tool in ["srv/t", "srv/a/b", "srv", "srv/*"] {
        assert_eq!(lines_of(&settings, tool), at_most(6), "{tool}");
    }
    for other in ["srv/own", "sr", "other/t"] {
        assert_eq!(lines_of(&settings, other), at_most(2000), "{other}");
    }
    settings.project = Layer::new().tool("srv/*", lines(50));
    assert_eq!(lines_of(&settings, "srv/t"), at_most(6));
    settings.project = Layer::new().tool("srv/*", lines(5));
    assert_eq!(lines_of(&settings, "srv/t"), at_most(5));
}

#[test]
fn every_setting_is_listed_set_and_read_back() {
    for (place, setting) in CallSetting::ALL.into_iter().enumerate() {
        assert_eq!(setting as usize, place);
        let mut layer = Layer::new();
        assert_eq!(layer.get(setting), None);
        layer.set(setting, Some(setting.field().default));
        assert_eq!(layer.get(setting), Some(setting.field().default), "{setting:?}");
        assert_eq!(Layer::new().updated(&layer), layer);
        layer.set(setting, None);
        assert_eq!(layer, Layer::new());
    }
}

#[test]
fn http_address_needs_a_valid_host_and_port() {
    let is_address = |text: &str| HttpAddress::parse(text).is_some_and(|it| it.login.is_none());
    for good in [
        "http://localhost:8333",
        "https://s3.example.com",
        "https://proxy/s3/?x=%20",
        "http://[::1]:9000/",
        "http://10.0.0.1",
        "https://xn--mnchen-3ya.example/mcp",
    ] {
        assert!(is_address(good), "{good}");
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
        assert!(!is_address(bad), "{bad}");
    }
}

#[test]
fn fill_of_the_profile_applies_unless_a_level_sets_it() {
    let policy = Policy { fill: true, ..Profile::OWN.policy };
    let profile = Profile { policy, ..Profile::OWN };
    let fill = |layer: &Layer| {
        let effective = Settings::default().effective(&profile, None, None, layer);
        effective.policy(&profile).fill
    };
    assert!(fill(&Layer::new()));
    assert!(!fill(&Layer::new().fill(false)));
}
