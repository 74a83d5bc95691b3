//! `mcp wrap` in a checkout with links, pipes and directories in place of files.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::home::put;
use crate::program::program;

const SERVERS: &str = r#"{"mcpServers":{"a":{"command":"x","env":{"KEY":"secret"}}}}"#;
const TOML: &str = "[mcp_servers.a]\ncommand = \"x\"\n";
const YAML: &str = "extensions:\n  a:\n    cmd: x\n";
/// The client files of a project: name and text.
const FILES: [(&str, &str); 3] =
    [(".mcp.json", SERVERS), (".codex/config.toml", TOML), ("goose/config.yaml", YAML)];

/// A home with a project in it.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    /// Creates a home whose project is a Git checkout.
    fn new() -> Home {
        let home = Home::without_git();
        fs::create_dir_all(home.path("work/.git")).unwrap();
        home
    }

    /// Creates a home whose project is a plain directory, as from an archive.
    fn without_git() -> Home {
        let home = Home { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.path("work")).unwrap();
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Runs `mcp wrap` or `mcp unwrap` in a directory. Kills a run that hangs.
    fn run_in(&self, directory: &str, action: &str, file: &str) -> Output {
        let mut command = program(self.dir.path());
        command.args(["mcp", action, file]).current_dir(self.path(directory));
        let mut child = command
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            if child.try_wait().unwrap().is_some() {
                return child.wait_with_output().unwrap();
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = child.kill();
        let _ = child.wait();
        panic!("`mcp {action} {file}` hangs");
    }

    #[track_caller]
    fn well(&self, action: &str, file: &str) {
        let output = self.run_in("work", action, file);
        assert!(output.status.success(), "{output:?}");
    }

    /// Returns the error of a run that must fail.
    #[track_caller]
    fn refused(&self, action: &str, file: &str) -> String {
        let output = self.run_in("work", action, file);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn backup(file: &Path) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(".before-overspill");
    name.into()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn is_wrapped(path: &Path) -> bool {
    read(path).contains(env!("CARGO_BIN_EXE_overspill"))
}

#[test]
fn wrap_backup_that_is_a_link_is_refused() {
    for (name, text) in FILES {
        for action in ["wrap", "unwrap"] {
            let home = Home::new();
            let (file, target) = (home.path("work").join(name), home.path(".bashrc"));
            put(&file, text);
            put(&target, "mine\n");
            set_mode(&target, 0o600);
            symlink(&target, backup(&file)).unwrap();
            let said = home.refused(action, name);
            assert!(said.contains(".before-overspill: it is a link"), "{said}");
            assert!(said.contains("hint: "), "{said}");
            assert_eq!((read(&target).as_str(), mode(&target)), ("mine\n", 0o600));
            assert_eq!(read(&file), text);
        }
    }
}

#[test]
fn wrap_backup_that_is_a_dangling_link_creates_nothing() {
    let home = Home::new();
    let file = home.path("work/.mcp.json");
    put(&file, SERVERS);
    symlink(home.path("new"), backup(&file)).unwrap();
    let said = home.refused("wrap", ".mcp.json");
    assert!(said.contains(".before-overspill: it is a link"), "{said}");
    assert!(!home.path("new").exists());
    assert_eq!(read(&file), SERVERS);
}

#[test]
fn wrap_backup_that_is_no_regular_file_is_refused() {
    for action in ["wrap", "unwrap"] {
        let home = Home::new();
        let file = home.path("work/.mcp.json");
        put(&file, SERVERS);
        let backup = backup(&file);
        assert!(std::process::Command::new("mkfifo").arg(&backup).status().unwrap().success());
        let said = home.refused(action, ".mcp.json");
        assert!(said.contains(".before-overspill: it is not a regular file"), "{said}");
        fs::remove_file(&backup).unwrap();
        fs::create_dir(&backup).unwrap();
        let said = home.refused(action, ".mcp.json");
        assert!(said.contains(".before-overspill: it is not a regular file"), "{said}");
        assert_eq!(read(&file), SERVERS);
    }
}

#[test]
fn wrap_file_that_links_out_of_the_project_is_refused() {
    for home in [Home::new(), Home::without_git()] {
        let target = home.path(".claude.json");
        put(&target, SERVERS);
        symlink(&target, home.path("work/.mcp.json")).unwrap();
        for (directory, file) in [("work", ".mcp.json"), ("", "work/.mcp.json")] {
            let output = home.run_in(directory, "wrap", file);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("leads out of the project"), "{said}");
            assert!(said.contains("hint: ") && said.contains(".claude.json"), "{said}");
        }
        assert_eq!(read(&target), SERVERS);
        // No copy with the user's secrets stays in the checkout.
        assert!(!backup(&home.path("work/.mcp.json")).exists());
    }
}

#[test]
fn wrap_directory_that_links_out_of_the_project_is_refused() {
    for home in [Home::new(), Home::without_git()] {
        // A `.git` at the target does not make the target part of this project.
        let target = home.path("dotfiles/config.toml");
        fs::create_dir_all(home.path("dotfiles/.git")).unwrap();
        put(&target, TOML);
        symlink(home.path("dotfiles"), home.path("work/.codex")).unwrap();
        for (directory, file) in [("work", ".codex/config.toml"), ("", "work/.codex/config.toml")] {
            for action in ["wrap", "unwrap"] {
                let output = home.run_in(directory, action, file);
                assert_eq!(output.status.code(), Some(1), "{output:?}");
                let said = String::from_utf8(output.stderr).unwrap();
                assert!(said.contains("leads out of the project"), "{said}");
            }
        }
        assert_eq!(read(&target), TOML);
        assert!(!backup(&target).exists());
    }
}

#[test]
fn wrap_file_that_is_no_regular_file_is_refused() {
    let home = Home::new();
    let file = home.path("work/.mcp.json");
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    for action in ["wrap", "unwrap"] {
        let said = home.refused(action, ".mcp.json");
        assert!(said.contains(".mcp.json: it is not a regular file"), "{said}");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let said = home.refused("wrap", ".mcp.json");
    assert!(said.contains(".mcp.json: it is not a regular file"), "{said}");
}

#[test]
fn wrap_file_that_is_missing_is_an_error() {
    let home = Home::new();
    symlink(home.path("nowhere"), home.path(".claude.json")).unwrap();
    symlink(home.path("nowhere"), home.path("work/.mcp.json")).unwrap();
    for (file, reason) in [
        ("none.json", "no such file or directory"),
        ("none/none.json", "no such file or directory"),
        ("../none.json", "no such file or directory"),
        ("../.claude.json", "no such file or directory"),
        (".mcp.json", "it is a link that leads out of the project, or nowhere"),
    ] {
        let said = home.refused("wrap", file);
        assert!(said.contains(&format!("{file}: {reason}")), "{said}");
    }
}

#[test]
fn wrap_file_that_links_inside_the_project_is_followed() {
    let home = Home::new();
    let (link, real) = (home.path("work/.cursor/mcp.json"), home.path("work/.mcp.json"));
    put(&real, SERVERS);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink("../.mcp.json", &link).unwrap();
    home.well("wrap", ".cursor/mcp.json");
    assert!(link.is_symlink() && is_wrapped(&real));
    assert_eq!(read(&backup(&link)), SERVERS);
    home.well("unwrap", ".cursor/mcp.json");
    assert_eq!(read(&real), SERVERS);
}

#[test]
fn wrap_file_of_the_user_that_is_a_link_stays_one() {
    let home = Home::new();
    let (link, real) = (home.path(".codex/config.toml"), home.path("dotfiles/codex.toml"));
    put(&real, TOML);
    set_mode(&real, 0o600);
    fs::create_dir_all(home.path("dotfiles/.git")).unwrap();
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    // The same applies from within a project: the path shows whose file it is.
    for file in [link.to_str().unwrap(), "../.codex/config.toml"] {
        home.well("wrap", file);
        assert!(link.is_symlink() && is_wrapped(&real));
        assert_eq!((mode(&real), mode(&backup(&link))), (0o600, 0o600));
        home.well("unwrap", file);
        assert!(link.is_symlink());
        assert_eq!(read(&real), TOML);
    }
}

#[test]
fn wrap_backup_gets_the_stricter_mode() {
    for (of_file, of_backup, expected) in
        [(0o644, 0o600, 0o600), (0o600, 0o644, 0o600), (0o640, 0o604, 0o600)]
    {
        let home = Home::new();
        let file = home.path("work/.mcp.json");
        put(&file, SERVERS);
        put(&backup(&file), "{}");
        set_mode(&file, of_file);
        set_mode(&backup(&file), of_backup);
        home.well("wrap", ".mcp.json");
        assert_eq!((mode(&file), mode(&backup(&file))), (of_file, expected));
        assert_eq!(read(&backup(&file)), SERVERS);
        // The backup stays when the file is wrapped again, but not with a looser mode.
        set_mode(&backup(&file), 0o644);
        set_mode(&file, 0o600);
        fs::write(&file, read(&file).replace("}}}}", "}},\"b\":{\"command\":\"y\"}}}")).unwrap();
        assert!(is_wrapped(&file));
        home.well("wrap", ".mcp.json");
        assert_eq!((read(&backup(&file)).as_str(), mode(&backup(&file))), (SERVERS, 0o600));
    }
}

#[test]
fn wrap_link_in_a_checkout_below_a_hidden_directory_is_refused() {
    for below in [".local/src/evil", ".cache/evil", "config/evil", "Library/evil", ".cursor/evil"] {
        let home = Home::without_git();
        let target = home.path("own.json");
        put(&target, SERVERS);
        let link = home.path(below).join(".cursor/mcp.json");
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&target, &link).unwrap();
        for (directory, file) in [
            (below, ".cursor/mcp.json"),
            ("", &*format!("{below}/.cursor/mcp.json")),
            ("work", link.to_str().unwrap()),
        ] {
            let output = home.run_in(directory, "wrap", file);
            assert_eq!(output.status.code(), Some(1), "{below}: {output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("leads out of the project"), "{said}");
        }
        assert_eq!(read(&target), SERVERS);
        assert!(!backup(&link).exists());
    }
}

#[test]
fn wrap_link_that_leads_out_of_a_checkout_of_any_kind_is_refused() {
    for kind in [".git", ".jj", ".hg", ".svn"] {
        let home = Home::without_git();
        // The directory is the place of a known settings file, but it is a checkout.
        let (link, target) = (home.path(".cursor/mcp.json"), home.path("own.json"));
        fs::create_dir_all(home.path(".cursor").join(kind)).unwrap();
        put(&target, SERVERS);
        symlink(&target, &link).unwrap();
        let said = home.refused("wrap", link.to_str().unwrap());
        assert!(said.contains("leads out of the project"), "{kind}: {said}");
        assert_eq!(read(&target), SERVERS);
    }
}

#[test]
fn wrap_link_in_place_of_a_known_settings_file_is_followed() {
    for file in [".claude.json", ".cursor/mcp.json", "config/goose/config.yaml"] {
        for link_at in Path::new(file).ancestors().filter(|path| path.components().count() > 0) {
            let home = Home::without_git();
            let text = if file.ends_with("yaml") { YAML } else { SERVERS };
            let link = home.path(link_at.to_str().unwrap());
            let rest = Path::new(file).strip_prefix(link_at).unwrap();
            let real = home.path("dotfiles/x").join(rest);
            let real = if rest.as_os_str().is_empty() { home.path("dotfiles/x") } else { real };
            put(&real, text);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(home.path("dotfiles/x"), &link).unwrap();
            home.well("wrap", home.path(file).to_str().unwrap());
            assert!(link.is_symlink() && is_wrapped(&real), "{file} by {link_at:?}");
        }
    }
}

#[test]
fn wrap_path_that_goes_up_from_a_link_is_refused() {
    for home in [Home::new(), Home::without_git()] {
        let target = home.path("outside/out/own.json");
        put(&target, SERVERS);
        fs::create_dir_all(home.path("outside/dir")).unwrap();
        fs::create_dir_all(home.path("work/sub/real")).unwrap();
        symlink(home.path("outside/dir"), home.path("work/sub/o")).unwrap();
        symlink("sub/o", home.path("work/p")).unwrap();
        for (directory, file) in [
            ("work", "sub/o/../out/own.json"),
            ("work", "sub/real/../o/../out/own.json"),
            ("work", "p/../out/own.json"),
            ("", "work/sub/o/../out/own.json"),
        ] {
            for action in ["wrap", "unwrap"] {
                let output = home.run_in(directory, action, file);
                assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
                let said = String::from_utf8(output.stderr).unwrap();
                assert!(said.contains("leads out of the project"), "{file}: {said}");
            }
        }
        assert_eq!(read(&target), SERVERS);
        assert!(!backup(&target).exists());
        // A path that goes up from a directory, or from a link inside the project, is fine.
        put(&home.path("work/.mcp.json"), SERVERS);
        symlink("sub/real", home.path("work/q")).unwrap();
        home.well("wrap", "sub/real/../../.mcp.json");
        home.well("unwrap", "q/../../.mcp.json");
        let said = home.refused("wrap", "none/../.mcp.json");
        assert!(said.contains("no such file or directory"), "{said}");
    }
}

#[test]
fn wrap_file_over_the_size_limit_is_refused() {
    let home = Home::new();
    let file = home.path("work/.mcp.json");
    fs::File::create(&file).unwrap().set_len(3 << 30).unwrap();
    for action in ["wrap", "unwrap"] {
        let said = home.refused(action, ".mcp.json");
        assert!(said.contains(".mcp.json: it is larger than 16 MiB"), "{said}");
    }
    // The copy beside the file has the same limit.
    put(&file, SERVERS);
    fs::File::create(backup(&file)).unwrap().set_len(3 << 30).unwrap();
    let said = home.refused("wrap", ".mcp.json");
    assert!(said.contains(".before-overspill: it is larger than 16 MiB"), "{said}");
    assert_eq!(read(&file), SERVERS);
}
