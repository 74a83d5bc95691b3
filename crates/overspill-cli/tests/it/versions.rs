//! The program, the libraries, the packages and the documents have the same version.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::DocumentMut;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn toml(path: &str) -> DocumentMut {
    file(path).parse().unwrap()
}

#[test]
fn workspace_and_requirements_have_the_version_of_the_program() {
    let workspace = toml("Cargo.toml");
    assert_eq!(workspace["workspace"]["package"]["version"].as_str(), Some(VERSION));
    let dependencies = workspace["workspace"]["dependencies"].as_table_like().unwrap();
    let ours = dependencies.iter().filter(|(name, _)| name.starts_with("overspill"));
    for (name, dependency) in ours {
        assert_eq!(dependency["version"].as_str(), Some(VERSION), "{name}");
    }
}

#[test]
fn every_crate_has_the_version_of_the_workspace() {
    let workspace = toml("Cargo.toml");
    let members = workspace["workspace"]["members"].as_array().unwrap();
    for member in members.iter().filter_map(|member| member.as_str()) {
        let manifest = toml(&format!("{member}/Cargo.toml"));
        let version = &manifest["package"]["version"];
        assert!(version["workspace"].as_bool() == Some(true), "{member}: {version}");
    }
    assert_eq!(toml("fuzz/Cargo.toml")["package"]["version"].as_str(), Some(VERSION));
}

#[test]
fn lock_files_have_the_version_of_the_program() {
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let lock_file = toml(lock);
        let packages = lock_file["package"].as_array_of_tables().unwrap();
        let ours = packages.iter().filter(|package| package.get("source").is_none());
        let ours =
            ours.filter(|package| package["name"].as_str().unwrap().starts_with("overspill"));
        for package in ours {
            assert_eq!(package["version"].as_str(), Some(VERSION), "{lock}: {}", package["name"]);
        }
    }
}

#[test]
fn node_package_and_its_lock_have_the_version_of_the_program() {
    let package: Value = serde_json::from_str(&file("bindings/node/package.json")).unwrap();
    let lock: Value = serde_json::from_str(&file("bindings/node/package-lock.json")).unwrap();
    assert_eq!(package["version"], VERSION);
    assert_eq!(lock["version"], VERSION);
    assert_eq!(lock["packages"][""]["version"], VERSION);
}

#[test]
fn packages_and_readme_have_the_description_of_the_program() {
    let said = env!("CARGO_PKG_DESCRIPTION");
    let described = |path: &str| {
        let json: Value = serde_json::from_str(&file(path)).unwrap();
        json["description"].as_str().map(str::to_owned)
    };
    let project = toml("bindings/python/pyproject.toml");
    assert_eq!(project["project"]["description"].as_str(), Some(said));
    for path in
        ["bindings/node/package.json", "crates/overspill-cli/src/hosts/files/claude-plugin.json"]
    {
        assert_eq!(described(path).as_deref(), Some(said), "{path}");
    }
    let first = |text: &str| {
        text.lines().find(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned)
    };
    assert_eq!(first(&file("README.md")).as_deref(), Some(said));
    for path in ["bindings/python/python/overspill/__init__.py", "bindings/node/lib/index.ts"] {
        assert!(file(path).lines().next().unwrap().contains(said), "{path}");
    }
    // tools/release/deb makes a short and a long description of the two sentences.
    assert_eq!(said.matches(". ").count(), 1);
    assert!(said.split(". ").next().unwrap().len() <= 80);
}

/// maturin takes the version from the crate.
#[test]
fn python_package_has_no_version_of_its_own() {
    let project = toml("bindings/python/pyproject.toml");
    assert!(project["project"].get("version").is_none());
    let dynamic = project["project"]["dynamic"].as_array().unwrap();
    assert!(dynamic.iter().any(|name| name.as_str() == Some("version")));
}

#[test]
fn changelog_begins_with_the_version_and_a_date() {
    let log = file("CHANGELOG.md");
    let newest = log.lines().find_map(|line| line.strip_prefix("## ")).unwrap();
    let date = newest.strip_prefix(&format!("{VERSION} (")).and_then(|rest| rest.strip_suffix(')'));
    let date = date.unwrap_or_else(|| panic!("{newest}"));
    assert!(date.parse::<jiff::civil::Date>().is_ok(), "{date}");
}

/// Release files that documents name have the current version.
#[test]
fn documents_name_files_of_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = vec![root.join("docs")];
    let mut files: Vec<PathBuf> = vec![root.join("README.md")];
    files.extend(["python", "node"].map(|name| root.join("bindings").join(name).join("README.md")));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false if entry.extension().is_some_and(|end| end == "md") => files.push(entry),
                false => {}
            }
        }
    }
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for name in
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter))
        {
            let version = name.strip_prefix("overspill").and_then(version_in);
            assert!(version.is_none_or(|version| version == VERSION), "{}: {name}", path.display());
        }
    }
}

/// Returns the first three numbers with dots between them in the name of a file.
fn version_in(name: &str) -> Option<&str> {
    let words = name.split(['-', '_']);
    words
        .filter_map(|word| {
            let end = word.match_indices('.').nth(2).map_or(word.len(), |(at, _)| at);
            let version = &word[..end];
            let is_number =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            (version.split('.').count() == 3 && version.split('.').all(is_number))
                .then_some(version)
        })
        .next()
}
