//! Tests of the builder: an engine is built from its parts and reads its saved outputs.

use std::path::Path;

use overspill::core::Keep;
use overspill::store::Memory;
use overspill::{Call, Error, Layer, Limit, Overspill, Part, Places, Profile};

fn numbered(lines: u64) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn builder_limits_apply_and_the_page_is_read_by_id_or_path() {
    for profile in Profile::ALL {
        let dir = tempfile::tempdir().unwrap();
        let name = profile.name;
        let builder = Overspill::builder().profile(profile).max_lines(20);
        let on_disk = builder.clone().directory(dir.path().join("outputs")).build();
        let in_memory = builder.store(Memory::default()).build();
        for overspill in [on_disk, in_memory] {
            let output = numbered(100_000);
            let outcome = overspill.process(&output, &Call::new("make"));
            assert!(outcome.text().len() < output.len(), "{name}");
            let saved = outcome.saved().unwrap_or_else(|| panic!("{name}: not saved"));
            for id in [saved.id.as_str(), &saved.path] {
                let page = overspill.read(id, Part::Tail(2)).unwrap();
                assert_eq!(page.text, "line 99999\nline 100000\n", "{name}: {id}");
            }
        }
    }
}

#[test]
fn output_is_read_by_the_beginning_of_its_id_and_of_its_short_id() {
    let overspill = Overspill::builder().store(Memory::default()).max_lines(20).build();
    let output = numbered(100);
    let outcome = overspill.process(&output, &Call::new("make"));
    let id = outcome.saved().unwrap().id.clone();
    let (whole, lower, short) = (id.as_str(), id.as_str().to_lowercase(), id.short_id());
    for part in [&whole[..12], &*lower, &*short, &short[..4]] {
        let page = overspill.read(part, Part::Tail(1)).unwrap();
        assert_eq!(page.text, "line 100\n", "{part}");
    }
    assert!(overspill.read(&short[..3], Part::Tail(1)).is_err());
}

#[test]
fn read_of_unknown_id_or_path_fails() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    for text in ["01KA3F9C2E", "/etc/passwd", "../../outside.txt", "C:\\outputs\\01KA.txt"] {
        let error = overspill.read(text, Part::Tail(1)).unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{text}: {error}");
    }
    for text in ["", "/", "..", "/tmp/"] {
        let error = overspill.read(text, Part::Tail(1)).unwrap_err();
        assert!(matches!(error, Error::BadId { .. }), "{text}: {error}");
    }
}

#[test]
fn pages_of_every_profile_are_limited() {
    for profile in Profile::ALL {
        let name = profile.name;
        let overspill = Overspill::new(profile, Memory::default());
        let outcome = overspill.process(&numbered(200_000), &Call::new("make")).text().into_owned();
        let [entry] = &overspill.store().list().unwrap()[..] else { panic!("{name}: {outcome}") };
        let page = overspill.read(&entry.name, Part::Lines(1, u64::MAX)).unwrap();
        assert!(page.text.len() <= 51_200 && page.next.is_some(), "{name}");
    }
}

#[test]
fn builder_without_store_shortens_and_reports_the_missing_store() {
    let overspill = Overspill::builder().max_lines(10).keep(Keep::Tail).build();
    let output = numbered(50);
    let outcome = overspill.process(&output, &Call::new("make"));
    assert_eq!(outcome.saved(), None);
    assert!(
        outcome.text().contains("could not be saved: no store is set")
            && outcome.text().ends_with("line 50\n"),
        "{}",
        outcome.text()
    );
    assert_eq!(overspill.settings().user.max_lines, Some(Limit::AtMost(10)));
}

#[test]
fn builder_settings_replace_earlier_limits_and_later_ones_add_to_them() {
    let layer = Layer::new().max_lines(30);
    let replaced = Overspill::builder().max_lines(10).max_bytes(99).settings(layer.clone()).build();
    assert_eq!(replaced.settings().user, layer);
    let added = Overspill::builder().settings(layer).max_tokens(500).build();
    let Layer { max_lines, max_tokens, .. } = added.settings().user.clone();
    assert_eq!((max_lines, max_tokens), (Some(Limit::AtMost(30)), Some(Limit::AtMost(500))));
}

#[test]
fn places_decide_about_the_directory_in_any_order_of_calls() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let variable = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
    let places = Places::from_env(variable, dir.path().join("work"));
    for builder in [
        Overspill::builder().profile(Profile::OWN).places(places.clone()),
        Overspill::builder().places(places).profile(Profile::OWN),
    ] {
        let overspill = builder.build();
        let output = numbered(5_000);
        let outcome = overspill.process(&output, &Call::new("make"));
        let path = &outcome.saved().unwrap().path;
        assert!(Path::new(path).starts_with(home.join(".local/state/overspill")), "{path}");
    }
    let homeless = Places::from_env(|_| None, dir.path().join("work"));
    let overspill = Overspill::builder().places(homeless).build();
    let output = numbered(5_000);
    let outcome = overspill.process(&output, &Call::new("make"));
    assert!(outcome.text().contains("there is no home directory"));
}
