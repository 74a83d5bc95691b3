//! `init` and `uninstall` change only our own pieces, in any order of commands and hand edits.

mod sequences;
mod texts;

use super::{links, read, well, write};

const CODEX: &str = "[mcp_servers.big]\ncommand = \"python3\"\nargs = [\"x.py\"]\n";
const OPENCODE: &str =
    "{\n  \"mcp\": {\"big\": {\"type\": \"local\", \"command\": [\"python3\", \"x.py\"]}}\n}\n";
const HOSTS: [(&str, &str, &str); 2] = [
    ("codex", ".codex/config.toml", CODEX),
    ("opencode", ".config/opencode/opencode.json", OPENCODE),
];

#[test]
fn second_init_leaves_mcp_servers_alone() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host]);
        let once = read(&path);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), once, "{host}");
        assert!(!once.contains("\"mcp\", "), "{host}: {once}");
        // A server that is added later is wrapped only on request.
        well(dir.path(), &["init", host, "--mcp"]);
        let with = read(&path);
        let new = match host {
            "codex" => format!("{with}\n[mcp_servers.new]\ncommand = \"new\"\n"),
            _ => with.replacen("{\"big\"", "{\"new\": {\"command\": [\"new\"]}, \"big\"", 1),
        };
        assert!(new.len() > with.len());
        write(&path, &new);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), new, "{host}");
        well(dir.path(), &["init", host, "--mcp"]);
        assert_eq!(read(&path).matches("bin/overspill\"").count(), 2, "{host}: {}", read(&path));
    }
}

#[test]
fn proxy_of_the_user_survives_init_and_uninstall() {
    for (host, file, text) in HOSTS {
        for by_hand in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(file);
            write(&path, text);
            if by_hand {
                let text = match host {
                    "codex" => text.replace("python3", "overspill").replace(
                        "[\"x.py\"]",
                        "[\"mcp\", \"--name\", \"big\", \"--\", \"python3\", \"x.py\"]",
                    ),
                    _ => text.replace("\"python3\"", "\"overspill\", \"mcp\", \"--\", \"python3\""),
                };
                write(&path, &text);
            } else {
                well(dir.path(), &["mcp", "wrap", path.to_str().unwrap()]);
            }
            let wrapped = read(&path);
            for options in [&[][..], &["--mcp"]] {
                well(dir.path(), &[&["init", host], options].concat());
                let server = wrapped.lines().find(|line| line.contains("overspill")).unwrap();
                assert!(read(&path).contains(server), "{host}: {}", read(&path));
                let said = well(dir.path(), &["uninstall", host]);
                assert_eq!(read(&path), wrapped, "{host}");
                assert!(said.contains(": restored"), "{host}: {said}");
            }
        }
    }
}

#[test]
fn uninstall_names_the_pieces_that_the_user_changed() {
    let dir = tempfile::tempdir().unwrap();
    let settings = dir.path().join(".claude/settings.json");
    let rules = dir.path().join(".claude/CLAUDE.md");
    write(&rules, "# Mine\n");
    well(dir.path(), &["init", "claude-code", "--rules"]);
    write(&rules, &read(&rules).replace("## Long outputs", "## My own words"));
    write(&settings, &read(&settings).replace("overspill-sh\"", "overspill-sh --mine\""));
    let said = well(dir.path(), &["uninstall", "claude-code"]);
    assert!(said.contains("kept: env.CLAUDE_CODE_SHELL_PREFIX"), "{said}");
    assert!(said.contains("kept: a paragraph of rules"), "{said}");
    assert!(!said.contains(": restored"), "{said}");
    assert!(read(&rules).contains("## My own words"));
    assert!(read(&settings).contains("--mine") && !read(&settings).contains("Read("));
    // The settings still name a link of ours, so the link stays.
    assert!(links(dir.path()).join("overspill-sh").exists());
}

#[test]
fn plugin_that_the_user_changed_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".copilot/hooks/overspill.json");
    well(dir.path(), &["init", "copilot", "--force"]);
    let mine = read(&path).replace("30", "60");
    write(&path, &mine);
    std::fs::create_dir_all(dir.path().join(".copilot")).unwrap();
    let said = super::wrong(dir.path(), &["init", "copilot"], 1);
    assert!(said.contains("changed since") && said.contains("--force"), "{said}");
    assert_eq!(read(&path), mine);
    let said = well(dir.path(), &["uninstall", "copilot"]);
    assert!(said.contains("kept: a file that overspill writes"), "{said}");
    assert_eq!(read(&path), mine);
}

#[test]
fn lost_receipt_is_made_up_for_by_exact_shapes() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host, "--mcp"]);
        let with = read(&path);
        std::fs::remove_file(dir.path().join(format!(".config/overspill/hosts/{host}.json")))
            .unwrap();
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), with, "{host}");
        well(dir.path(), &["uninstall", host]);
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&read(&path)), squeezed(text), "{host}");
    }
}

#[test]
fn receipt_of_an_older_version_is_understood() {
    for (host, file, text) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        well(dir.path(), &["init", host, "--mcp"]);
        let receipt = dir.path().join(format!(".config/overspill/hosts/{host}.json"));
        let mut noted: serde_json::Value = serde_json::from_str(&read(&receipt)).unwrap();
        noted["files"][0].as_object_mut().unwrap().remove("pieces").unwrap();
        write(&receipt, &noted.to_string());
        let with = read(&path);
        well(dir.path(), &["init", host]);
        assert_eq!(read(&path), with, "{host}");
        write(&receipt, &noted.to_string());
        let comment = if host == "codex" { "# mine\n" } else { "// mine\n" };
        write(&path, &format!("{comment}{with}"));
        well(dir.path(), &["uninstall", host]);
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&read(&path)), squeezed(&format!("{comment}{text}")), "{host}");
    }
}

#[test]
fn rules_that_two_hosts_share_stay_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("work/AGENTS.md");
    std::fs::create_dir_all(dir.path().join("work/.git")).unwrap();
    for host in ["opencode", "pi"] {
        well(dir.path(), &["init", host, "--project", "--rules", "--force"]);
    }
    assert_eq!(read(&path).matches("overspill: begin").count(), 1);
    well(dir.path(), &["uninstall", "pi"]);
    assert_eq!(read(&path).matches("overspill: begin").count(), 1);
    well(dir.path(), &["uninstall", "opencode"]);
    assert!(!path.exists());
}
