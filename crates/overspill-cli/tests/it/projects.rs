//! Outputs of different projects are in different folders of one store.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{id_of, numbered, outputs, program};

/// A home with two projects and a directory that is not a project.
struct TwoProjects(tempfile::TempDir);

impl TwoProjects {
    fn new() -> TwoProjects {
        let dir = tempfile::tempdir().unwrap();
        for path in ["shop/.git", "shop/deep", "blog/.git", "loose"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        TwoProjects(dir)
    }

    #[track_caller]
    fn run(&self, below: &str, args: &[&str]) -> String {
        let output =
            program(self.0.path()).args(args).current_dir(self.0.path().join(below)).output();
        let output = output.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Saves an output with this number of lines in a directory, and returns its file.
    #[track_caller]
    fn save(&self, below: &str, lines: u32) -> PathBuf {
        let before = self.files();
        self.run(below, &["run", "--", "seq", "1", &lines.to_string()]);
        self.files().into_iter().find(|file| !before.contains(file)).unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        outputs(&self.0.path().join("store"))
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn each_project_gets_a_private_folder_in_the_store() {
    let two = TwoProjects::new();
    let [shop, deep, blog, loose] =
        ["shop", "shop/deep", "blog", "loose"].map(|below| two.save(below, 5000));
    assert_eq!(folder(&shop), folder(&deep));
    assert!(folder(&shop) != folder(&blog) && folder(&shop) != folder(&loose));
    for (file, name) in [(&shop, "shop-"), (&blog, "blog-"), (&loose, "loose-")] {
        assert_eq!(folder(folder(file)), two.0.path().join("store"));
        assert!(folder(file).file_name().unwrap().to_str().unwrap().starts_with(name));
        assert_eq!((mode(folder(file)), mode(file)), (0o700, 0o600));
        assert_eq!(fs::read_to_string(file).unwrap(), numbered(5000));
    }
}

#[test]
fn commands_find_outputs_of_all_projects() {
    let two = TwoProjects::new();
    let (shop, blog) = (two.save("shop", 5000), two.save("blog", 6000));
    for (below, last, other) in [("shop", &shop, &blog), ("blog", &blog, &shop)] {
        let info: Value =
            serde_json::from_str(&two.run(below, &["info", "--json", "last"])).unwrap();
        assert_eq!(info["path"], last.display().to_string());
        // By the short id, the id and the path.
        let id = id_of(other);
        for typed in [&id[20..], &id, other.to_str().unwrap()] {
            assert!(two.run(below, &["read", typed, "--lines", "4321"]).starts_with("4321\n"));
        }
        assert!(two.run(below, &["grep", "^4999$"]).contains(&crate::program::short(&id)));
    }
    assert_eq!(two.run("loose", &["list", "--json"]).lines().count(), 2);
    two.run("blog", &["rm", &id_of(&shop)]);
    assert!(!folder(&shop).exists() && blog.exists());
}

#[test]
fn flat_output_of_an_earlier_version_is_read_listed_and_removed() {
    let two = TwoProjects::new();
    let saved = two.save("shop", 5000);
    let old = two.0.path().join("store").join(saved.file_name().unwrap());
    fs::rename(&saved, &old).unwrap();
    let new = two.save("shop", 6000);
    let id = id_of(&old);
    assert!(two.run("shop", &["read", &id, "--lines", "17"]).starts_with("17\n"));
    assert!(two.run("blog", &["info", &id]).contains("whole, as it was saved"));
    assert_eq!(two.run("shop", &["list", "--json"]).lines().count(), 2);
    two.run("blog", &["rm", &id]);
    assert!(!old.exists() && new.exists());
}

#[test]
fn quota_counts_the_outputs_of_all_projects() {
    let two = TwoProjects::new();
    let (shop, blog) = (two.save("shop", 5000), two.save("blog", 6000));
    for (file, hours) in [(&shop, 5), (&blog, 3)] {
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3600 * hours);
        fs::File::options().append(true).open(file).unwrap().set_modified(then).unwrap();
    }
    two.run("loose", &["config", "set", "store.quota", "30000"]);
    assert_eq!(two.run("loose", &["gc"]), "1 output removed (23.3 KiB), 1 kept\n");
    assert!(!folder(&shop).exists() && blog.exists());
}

#[test]
fn rule_of_a_project_opens_the_folder_of_this_project_only() {
    let two = TwoProjects::new();
    let (shop, blog) = (two.save("shop", 5000), two.save("blog", 5000));
    two.run("shop/deep", &["init", "claude-code", "--project", "--force"]);
    let settings = two.0.path().join("shop/.claude/settings.local.json");
    let rules = || -> Vec<String> {
        let settings: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
        serde_json::from_value(settings["permissions"]["allow"].clone()).unwrap()
    };
    let rule = |folder: &Path| vec![format!("Read(/{}/**)", folder.display())];
    assert_eq!(rules(), rule(folder(&shop)));
    assert!(!blog.starts_with(folder(&shop)));
    // The user's own settings apply in every project.
    two.run("blog", &["init", "claude-code", "--force"]);
    let user = fs::read_to_string(two.0.path().join(".claude/settings.json")).unwrap();
    assert!(user.contains(&rule(&two.0.path().join("store"))[0]), "{user}");
    two.run("shop", &["uninstall", "claude-code"]);
    assert!(!settings.exists());
}

#[test]
fn wide_rule_of_an_earlier_version_becomes_the_rule_of_the_project() {
    let two = TwoProjects::new();
    let shop = two.save("shop", 5000);
    two.run("shop", &["init", "claude-code", "--project", "--force"]);
    // The rule and the receipt of the earlier version.
    let settings = two.0.path().join("shop/.claude/settings.local.json");
    let receipt = two.0.path().join("config/overspill/hosts/claude-code.json");
    let name = folder(&shop).file_name().unwrap().to_str().unwrap();
    for file in [&settings, &receipt] {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("/{name}/**")), "{text}");
        let text = text.replace(&format!("/{name}/**"), "/**");
        fs::File::create(file).unwrap().write_all(text.as_bytes()).unwrap();
    }
    two.run("shop", &["init", "claude-code", "--project", "--force"]);
    let text = fs::read_to_string(&settings).unwrap();
    assert_eq!(text.matches("Read(").count(), 1, "{text}");
    assert!(text.contains(&format!("/{name}/**)")), "{text}");
}

#[test]
fn result_of_a_hook_stands_in_the_folder_of_the_project() {
    let two = TwoProjects::new();
    let shop = two.save("shop", 5000);
    let payload = serde_json::json!({
        "hook_event_name": "PostToolUse", "tool_name": "mcp__x__y", "tool_input": {},
        "tool_response": [{ "type": "text", "text": numbered(40_000) }],
    });
    let input = two.0.path().join("payload");
    fs::write(&input, payload.to_string()).unwrap();
    let mut hook = program(two.0.path());
    hook.args(["hook", "claude-code"]).current_dir(two.0.path().join("shop/deep"));
    assert!(hook.stdin(fs::File::open(input).unwrap()).output().unwrap().status.success());
    let files = two.files();
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| folder(file) == folder(&shop)), "{files:?}");
}
