//! Tests the types that the packages declare.

use std::path::Path;

use overspill::Profile;
use overspill::internal::settings::{CallSetting, CallValue, KEEPS};

const PYTHON: &str = "bindings/python/python/overspill/_native.pyi";
const NODE: &str = "bindings/node/lib/types.ts";

fn text_of(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(file)).unwrap()
}

fn has_all<'a>(file: &str, wanted: impl Iterator<Item = String> + 'a) {
    let text = text_of(file);
    let missing: Vec<String> = wanted.filter(|name| !text.contains(name)).collect();
    assert_eq!(missing, Vec::<String>::new(), "{file} lacks them");
}

/// Converts `max_lines` into `maxLines`, as in JavaScript.
fn in_camel_case(name: &str) -> String {
    let mut words = name.split('_').map(str::to_owned);
    let mut joined = words.next().unwrap_or_default();
    for word in words {
        joined.push_str(&word[..1].to_uppercase());
        joined.push_str(&word[1..]);
    }
    joined
}

#[test]
fn types_of_the_packages_name_every_keep_and_profile() {
    let names = || {
        let profiles = Profile::ALL.into_iter().map(|profile| profile.name);
        KEEPS.iter().map(|(name, ..)| *name).chain(profiles)
    };
    has_all(PYTHON, names().map(|name| format!("\"{name}\"")));
    has_all(NODE, names().map(|name| format!("'{name}'")));
}

#[test]
fn types_of_the_packages_name_every_setting_of_a_call() {
    let names = || CallSetting::ALL.into_iter().map(CallSetting::name);
    has_all(PYTHON, names().map(|name| format!(" {name}: ")));
    has_all(NODE, names().map(|name| format!(" {}?: ", in_camel_case(name))));
}

#[test]
fn value_of_keep_prints_the_name_that_it_was_read_from() {
    for (name, ..) in KEEPS {
        let value = CallValue::keep_named(name).unwrap();
        assert_eq!(value.to_string(), *name);
    }
}
