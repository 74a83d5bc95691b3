//! One bucket for many machines. `tools/buckets` starts a server for these tests.

#[path = "../../../overspill/tests/bucket/fault.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, reason = "another test uses the rest")]
mod fault;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fault::{Fault, FaultServer};

use serde_json::json;

use crate::mcp::client::{Client, chaos, id_in, lines, text_of};
use crate::program::{numbered, program, skip};

/// A team: a server, and a folder of its bucket.
struct Team {
    server: String,
    folder: String,
    homes: tempfile::TempDir,
    next: AtomicU32,
}

/// A machine of a team.
struct Machine {
    home: PathBuf,
    variables: Vec<(String, String)>,
}

impl Team {
    fn find() -> Option<Team> {
        let Ok(server) = std::env::var("OVERSPILL_TEST_S3") else {
            skip("OVERSPILL_TEST_S3 names no S3 server; `tools/buckets cargo test` starts one");
            return None;
        };
        let homes = tempfile::tempdir().unwrap();
        let folder = homes.path().file_name().unwrap().to_str().unwrap().replace('.', "");
        Some(Team { server, folder: format!("team-{folder}"), homes, next: AtomicU32::default() })
    }

    fn machine(&self) -> Machine {
        self.machine_by(&self.server)
    }

    fn machine_by(&self, endpoint: &str) -> Machine {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let home = self.homes.path().join(format!("machine-{number}"));
        fs::create_dir(&home).unwrap();
        let variables = [
            ("OVERSPILL_BUCKET", format!("s3://fleet/{}", self.folder)),
            ("AWS_ENDPOINT_URL", endpoint.to_owned()),
            ("AWS_ACCESS_KEY_ID", "fleetkey".into()),
            ("AWS_SECRET_ACCESS_KEY", "fleetsecret".into()),
            ("OVERSPILL_UPLOAD_WAIT", "30s".into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        Machine { home, variables }
    }
}

impl Machine {
    fn with(mut self, name: &str, value: &str) -> Machine {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.into(), value.into()));
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(&self.home);
        for (name, _) in std::env::vars() {
            let is_cloud =
                ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|start| name.starts_with(start));
            if is_cloud || name.to_lowercase().ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        command.args(args).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Runs a command that prints `lines` numbers, and returns the notice and the id in it.
    #[track_caller]
    fn save(&self, lines: u32) -> (String, String) {
        let (code, stdout, stderr) = self.run(&["run", "--", "seq", "1", &lines.to_string()]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let (notice, short) = notice_and_id(&stdout);
        (notice, self.full_id(&short))
    }

    /// Returns the 26 characters of the id that ends with `short`.
    #[track_caller]
    fn full_id(&self, short: &str) -> String {
        let (code, stdout, stderr) = self.run(&["info", short, "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let record: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        record["id"].as_str().unwrap().to_owned()
    }
}

#[track_caller]
fn notice_and_id(stdout: &str) -> (String, String) {
    let notice = stdout.lines().next().unwrap().to_owned();
    let id = notice.split(" read ").nth(1).unwrap().split_whitespace().next().unwrap();
    let id = id.trim_end_matches(']').to_owned();
    (notice, id)
}

fn files(directory: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, all),
            false => all.push(fs::read_to_string(&path).unwrap_or_default()),
        }
    }
}

#[test]
fn output_of_one_machine_is_readable_on_every_other() {
    let Some(team) = Team::find() else { return };
    let (notice, id) = team.machine().with("OVERSPILL_SESSION", "s1").save(50_000);
    assert!(notice.contains("; in the bucket: ") && !notice.contains(".txt"), "{notice}");
    let there = team.machine();
    let (code, page, _) = there.run(&["read", &id, "--lines", "40000:40002"]);
    assert_eq!((code, page.lines().next()), (0, Some("40000")));
    assert!(page.contains("lines 40000–40002 of 50000; next: "), "{page}");
    assert_eq!(there.run(&["read", &id, "--raw"]).1, numbered(50_000));
    assert_eq!(there.run(&["grep", "^4999.$", &id[..12]]).1.lines().count(), 10);
    let (_, info, _) = there.run(&["info", &id]);
    assert!(info.contains("whole, as it was saved") && info.contains("s3://fleet/"), "{info}");
    let (_, listed, _) = there.run(&["list"]);
    let short = id[20..].to_lowercase();
    assert!(listed.contains(&short) && listed.contains("seq 1 50000"), "{listed}");
    let (_, listed, _) = there.run(&["list", "--session", "s1", "--tool", "run", "--json"]);
    assert_eq!(listed.lines().count(), 1);
    let path =
        |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap()["path"].clone();
    assert_eq!(path(&listed), path(&there.run(&["info", &id, "--json"]).1));
    let short = id[20..].to_lowercase();
    assert!(team.machine().run(&["info", &short]).1.contains(&id), "{short}");
    assert_eq!(
        there.run(&["list", "--session", "s2"]).1,
        "No saved output matches. `overspill list` lists the newest outputs.\n"
    );
    let (_, stats, _) = there.run(&["stats", "--json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["outputs"], &stats["produced_bytes"]), (&1.into(), &288_894.into()));
    let (_, other) = team.machine().save(50_001);
    let (_, diff, _) = there.run(&["diff", &id, &other]);
    assert!(diff.contains("+50001") && diff.contains("1 line added, 0 lines removed"), "{diff}");
    assert_eq!(there.run(&["pin", &id]).0, 0);
    assert!(team.machine().run(&["list"]).1.contains("pinned"));
    assert_eq!(there.run(&["rm", "--force", &id]).0, 0);
    let (code, _, stderr) = team.machine().run(&["read", &id]);
    assert!(code == 1 && stderr.contains("there is no output"), "{stderr}");
    let (code, _, stderr) = team.machine().run(&["gc"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn proxy_result_is_in_the_bucket_and_the_notice_names_no_path() {
    let Some(team) = Team::find() else { return };
    let machine = team.machine();
    let server = chaos();
    let mut client = Client::with(&[], &[server.to_str().unwrap()], |command| {
        command.envs(machine.variables.iter().map(|(name, value)| (name, value)));
    });
    let text = text_of(&client.call("text", json!({"text": lines(5_000)})));
    assert!(text.contains("in the bucket: ") && text.contains("overspill_read {"), "{text}");
    let notice = text.lines().next().unwrap();
    assert!(!notice.contains("s3://") && !notice.contains(".txt"), "{notice}");
    let there = team.machine().run(&["read", &id_in(&text), "--raw"]);
    assert_eq!(there.1, lines(5_000));
}

#[test]
fn local_output_is_readable_without_a_network_by_any_form_of_its_id() {
    let Some(team) = Team::find() else { return };
    let between = FaultServer::before(&team.server, Fault::Pass);
    let here = team.machine_by(&between.endpoint);
    let (_, sent) = here.save(5_000);
    between.now(Fault::Answer(503, "SlowDown"));
    let here = here.with("OVERSPILL_UPLOAD_WAIT", "1s");
    let (_, pending) = here.save(6_000);
    for (id, last) in [(&sent, "5000"), (&pending, "6000")] {
        for id in [&id[..], &id[..20], &id[20..]] {
            let (code, stdout, stderr) = here.run(&["read", id, "--tail", "1"]);
            assert_eq!((code, stdout.lines().next()), (0, Some(last)), "{stderr}");
        }
        let (code, info, stderr) = here.run(&["info", id]);
        assert!(code == 0 && info.contains("whole, as it was saved"), "{info}{stderr}");
    }
}

#[test]
fn invalid_endpoint_or_tenant_is_refused() {
    let Some(team) = Team::find() else { return };
    for (setting, value) in [
        ("store.endpoint", "localhost:8333"),
        ("store.endpoint", "http://"),
        ("store.tenant", "a/b"),
        ("store.tenant", "../x"),
    ] {
        let (code, _, stderr) = team.machine().run(&["config", "set", setting, value]);
        assert!(code == 2 && stderr.contains(setting), "{code}: {stderr}");
    }
    let machine = team.machine_by("localhost:8333").with("OVERSPILL_STORE", "s3://fleet/other");
    let (code, stdout, stderr) = machine.run(&["run", "--", "seq", "1", "5000"]);
    let reason = "upload pending: AWS_ENDPOINT_URL is not an address";
    assert!(code == 0 && stdout.contains(reason) && stderr.is_empty(), "{stdout}{stderr}");
}

#[test]
fn azure_bucket_needs_only_an_address_and_an_account() {
    let Some(team) = Team::find() else { return };
    let Ok(server) = std::env::var("OVERSPILL_TEST_AZURE") else {
        skip("OVERSPILL_TEST_AZURE names no server; `tools/buckets cargo test` starts one");
        return;
    };
    // Azurite has an account with this key by default; its manual names it.
    let key =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
    let machine = || {
        let mut machine = team.machine();
        machine
            .variables
            .retain(|(name, _)| !name.starts_with("AWS_") && name != "OVERSPILL_BUCKET");
        let machine = machine.with("AZURE_STORAGE_KEY", key);
        let address = format!("az://fleet/{}", team.folder);
        for (setting, value) in [
            ("store", address.as_str()),
            ("store.account", "devstoreaccount1"),
            ("store.endpoint", &server),
        ] {
            let (code, _, stderr) = machine.run(&["config", "set", setting, value]);
            assert_eq!(code, 0, "{stderr}");
        }
        machine
    };
    let (code, stdout, _) = machine().run(&["config", "check"]);
    assert_eq!((code, stdout.matches("works").count()), (0, 5), "{stdout}");
    let (notice, id) = machine().save(50_000);
    assert!(notice.contains("; in the bucket: "), "{notice}");
    let there = machine();
    assert_eq!(there.run(&["read", &id, "--raw"]).1, numbered(50_000));
    let (_, info, _) = there.run(&["info", &id]);
    assert!(info.contains("whole, as it was saved") && info.contains("az://fleet/"), "{info}");
    let (code, rule, _) = there.run(&["gc", "--lifecycle"]);
    assert!(code == 0 && rule.contains("daysAfterModificationGreaterThan"), "{rule}");
    let wrong = there.with("AZURE_STORAGE_KEY", "d3Jvbmc=");
    let (code, stdout, _) = wrong.run(&["config", "check"]);
    assert!(code == 1 && stdout.contains("access denied (AuthorizationFailure)"), "{stdout}");
}

#[test]
fn output_saved_before_the_bucket_was_set_is_still_readable() {
    let Some(team) = Team::find() else { return };
    let mut machine = team.machine();
    let bucket = machine.variables.remove(0);
    let (notice, id) = machine.save(5_000);
    assert!(!notice.contains("bucket"), "{notice}");
    machine.variables.push(bucket);
    assert_eq!(machine.run(&["read", &id, "--raw"]).1, numbered(5_000));
    assert_eq!(machine.run(&["read", &id[20..], "--tail", "1"]).1.lines().next(), Some("5000"));
    assert_eq!(machine.run(&["push"]).1, "0 sent (0 B)\n");
    let (code, _, stderr) = team.machine().run(&["read", &id]);
    assert!(code == 1 && stderr.contains("there is no output"), "{stderr}");
    // The output also expires.
    let place = machine.run(&["info", &id, "--json"]).1;
    let info: serde_json::Value = serde_json::from_str(&place).unwrap();
    let file = fs::File::options().write(true).open(info["path"].as_str().unwrap()).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(8 * 86_400)).unwrap();
    assert_eq!(machine.run(&["gc"]).1, "1 output removed (23.3 KiB), 0 kept\n");
    assert_eq!(machine.run(&["read", &id]).0, 1);
}

#[test]
fn silent_name_server_delays_no_run() {
    use std::net::UdpSocket;
    let Some(team) = Team::find() else { return };
    // The test's own `resolv.conf`, which only this program sees, names a server that never
    // answers.
    let Ok(_deaf) = UdpSocket::bind("127.0.0.9:53") else {
        return skip("a name server that never answers: port 53 is not for this user");
    };
    let machine = team.machine_by("http://s3.nowhere.example:9000");
    let machine = machine.with("OVERSPILL_UPLOAD_WAIT", "1s").with("AWS_ALLOW_HTTP", "true");
    let names = machine.home.join("resolv.conf");
    fs::write(&names, "nameserver 127.0.0.9\noptions timeout:30 attempts:1\n").unwrap();
    let mount = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"";
    let inner = machine.command(&[]);
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", mount]).arg(&names).arg(inner.get_program());
    command.args(["run", "--", "seq", "1", "5000"]).stdin(Stdio::null());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let text = command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let Some(text) = text.ok().filter(|text| text.starts_with("[overspill")) else {
        return skip("a name server that never answers: no file can be put in another's place");
    };
    let (notice, id) = notice_and_id(&text);
    assert!(notice.contains("upload pending: no answer within 1 s"), "{notice}");
    assert_eq!(machine.run(&["read", &id, "--tail", "1"]).1.lines().next(), Some("5000"));
}

#[test]
fn output_for_a_bucket_that_is_no_longer_set_is_readable_and_sent_on_request() {
    let Some(team) = Team::find() else { return };
    let machine = team.machine_by("http://127.0.0.1:9").with("OVERSPILL_UPLOAD_WAIT", "1s");
    let (_, id) = machine.save(5_000);
    let machine = machine.with("AWS_ENDPOINT_URL", &team.server);
    for typed in [&id[..], &id[..20], &id[20..]] {
        let (code, stdout, stderr) = machine.run(&["read", typed, "--tail", "1"]);
        assert_eq!((code, stdout.lines().next()), (0, Some("5000")), "{typed}: {stderr}");
    }
    let name = format!("s3@127.0.0.1,9+fleet+{}+all", team.folder);
    let said = format!("1 output for another bucket ({name}), never sent");
    let (code, stdout, stderr) = machine.run(&["push"]);
    assert_eq!((code, stdout.as_str()), (0, "0 sent (0 B)\n"));
    assert!(stderr.contains(&said), "{stderr}");
    let (_, stdout, _) = machine.run(&["doctor"]);
    assert!(stdout.contains(&said), "{stdout}");
    let (code, _, stderr) = machine.run(&["push", "--from", "s3+nowhere+all"]);
    assert!(code == 1 && stderr.contains(&format!("hint: outputs wait for {name}")), "{stderr}");
    assert_eq!(team.machine().run(&["read", &id]).0, 1);

    let (code, stdout, stderr) = machine.run(&["push", "--from", &name]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "1 sent (23.3 KiB)\n", ""));
    assert_eq!(team.machine().run(&["read", &id, "--raw"]).1, numbered(5_000));
    assert_eq!(machine.run(&["push"]).2, "");
}

#[test]
fn list_without_its_bucket_shows_the_outputs_of_this_machine() {
    let Some(team) = Team::find() else { return };
    let between = FaultServer::before(&team.server, Fault::Pass);
    let here = team.machine_by(&between.endpoint);
    let (_, sent) = here.save(5_000);
    team.machine().save(5_000);
    assert_eq!(here.run(&["list", "--json"]).1.lines().count(), 2);
    between.now(Fault::Answer(403, "AccessDenied"));
    let (_, pending) = here.save(6_000);
    let (code, stdout, stderr) = here.run(&["list"]);
    assert_eq!((code, stdout.lines().count()), (1, 3), "{stdout}");
    let short = |id: &str| id[20..].to_lowercase();
    assert!(stdout.contains(&short(&sent)) && stdout.contains(&short(&pending)), "{stdout}");
    assert!(
        stderr.contains("access denied") && stderr.contains("hint: the list has only outputs"),
        "{stderr}"
    );
}

#[test]
fn run_with_a_failed_upload_goes_on_and_push_sends_it() {
    let Some(team) = Team::find() else { return };
    let between = FaultServer::before(&team.server, Fault::Hang);
    let here = team.machine_by(&between.endpoint).with("OVERSPILL_UPLOAD_WAIT", "1s");
    let (code, stdout, stderr) = here.run(&["run", "--", "sh", "-c", "seq 1 5000; exit 3"]);
    assert_eq!((code, stderr.as_str()), (3, ""));
    let (notice, id) = notice_and_id(&stdout);
    assert!(notice.contains("upload pending: no answer within 1 s"), "{notice}");
    assert!(stdout.ends_with("4999\n5000\n"));
    assert_eq!(here.run(&["read", &id, "--tail", "1"]).1.lines().next(), Some("5000"));
    between.now(Fault::Answer(403, "AccessDenied"));
    let (code, stdout, _) = here.run(&["push"]);
    assert_eq!(
        (code, stdout.as_str()),
        (1, "0 sent (0 B); 1 on this machine only: access denied (AccessDenied)\n")
    );
    between.now(Fault::Pass);
    assert_eq!(here.run(&["push"]).1, "1 sent (23.3 KiB)\n");
    assert_eq!(team.machine().run(&["read", &id, "--raw"]).1, numbered(5_000));
    let (_, stdout, _) = here.run(&["push", "--json"]);
    assert_eq!(
        stdout,
        "{\"version\":1,\"sent\":0,\"bytes\":0,\"left\":0,\"reason\":null,\"stranded\":[]}\n"
    );
}

#[test]
fn ended_run_does_not_wait_for_the_bucket() {
    let Some(team) = Team::find() else { return };
    let between = FaultServer::before(&team.server, Fault::Hang);
    let here = team.machine_by(&between.endpoint).with("OVERSPILL_UPLOAD_WAIT", "10m");
    let line = "seq 1 5000; : > ready; exec sleep 60";
    let mut command = here.command(&["run", "--", "sh", "-c", line]);
    let child = command.current_dir(&here.home).stdout(Stdio::piped()).spawn().unwrap();
    while !here.home.join("ready").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let (notice, _) = notice_and_id(&String::from_utf8_lossy(&output.stdout));
    assert!(notice.contains("upload pending: no answer within 1 s"), "{notice}");
}

#[test]
fn output_without_credentials_or_a_server_stays_on_this_machine() {
    let Some(team) = Team::find() else { return };
    let nobody = team.machine_by("http://127.0.0.1:9");
    let (notice, id) = nobody.with("OVERSPILL_UPLOAD_WAIT", "2s").save(5_000);
    // The pauses between the tries are random, so that the last try can end before the wait.
    let reasons =
        ["upload pending: no answer within 2 s", "upload pending: the connection was refused"];
    assert!(reasons.iter().any(|reason| notice.contains(reason)), "{notice}");
    let mut machine = team.machine().with("OVERSPILL_UPLOAD_WAIT", "1s");
    machine.variables.retain(|(name, _)| !name.contains("KEY"));
    // The address of the instance role does not answer.
    let machine = machine.with("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9");
    let (notice, other) = machine.save(5_000);
    assert!(notice.contains("upload pending: "), "{notice}");
    assert_eq!(machine.run(&["read", &other, "--tail", "1"]).1.lines().next(), Some("5000"));
    assert_ne!(id, other);
}

#[test]
fn aws_profile_and_http_proxy_are_used_and_no_secret_is_stored() {
    let Some(team) = Team::find() else { return };
    let proxy = FaultServer::before(&team.server, Fault::Pass);
    let mut machine = team.machine_by("http://s3.example.test:9000");
    machine.variables.retain(|(name, _)| !name.contains("KEY") && name != "NO_PROXY");
    let machine = machine.with("HTTP_PROXY", &proxy.endpoint).with("http_proxy", &proxy.endpoint);
    let machine = machine.with("AWS_PROFILE", "ci").with("AWS_ALLOW_HTTP", "true");
    fs::create_dir(machine.home.join(".aws")).unwrap();
    let keys = "[other]\naws_access_key_id = x\n[ci]\naws_access_key_id = fleetkey\naws_secret_access_key = fleetsecret\n";
    fs::write(machine.home.join(".aws/credentials"), keys).unwrap();
    let (notice, id) = machine.save(5_000);
    assert!(notice.contains("in the bucket: "), "{notice}");
    assert_eq!(team.machine().run(&["read", &id, "--raw"]).1, numbered(5_000));
    let mut kept = Vec::new();
    files(&machine.home.join("store"), &mut kept);
    assert!(!kept.is_empty() && kept.iter().all(|text| !text.contains("fleetsecret")));
    let (_, listed, _) = machine.run(&["config", "list"]);
    assert!(!listed.contains("fleetsecret") && !listed.contains("fleetkey"), "{listed}");
}

#[test]
fn endpoint_without_tls_is_named_by_config_check_and_list() {
    let Some(team) = Team::find() else { return };
    let machine = team.machine_by("http://minio.lan:9000");
    let expected = "AWS_ENDPOINT_URL begins with http://";
    let (code, stdout, _) = machine.run(&["config", "check"]);
    assert!(code == 1 && stdout.contains(expected), "{stdout}");
    let (code, _, stderr) = machine.run(&["list"]);
    assert!(code == 1 && stderr.contains(expected), "{stderr}");
    assert!(stderr.contains("AWS_ALLOW_HTTP=true"), "{stderr}");
}

#[test]
fn config_check_tests_rights_and_prints_a_lifecycle_rule() {
    let Some(team) = Team::find() else { return };
    let (code, stdout, _) = team.machine().run(&["config", "check"]);
    assert_eq!((code, stdout.matches("works").count()), (0, 5), "{stdout}");
    let reader = team.machine().with("AWS_ACCESS_KEY_ID", "readkey");
    let reader = reader.with("AWS_SECRET_ACCESS_KEY", "readsecret");
    let (code, stdout, _) = reader.run(&["config", "check"]);
    assert!(code == 1 && stdout.contains("access denied (AccessDenied)"), "{stdout}");
    assert!(!stdout.contains("readsecret"));
    let (code, stdout, _) = team.machine().run(&["doctor"]);
    assert_eq!((code, stdout.matches("✓ bucket: ").count()), (0, 5), "{stdout}");
    assert_eq!(team.machine().run(&["list", "--json"]).1, "", "a trial leaves nothing behind");
    let (code, stdout, _) = reader.run(&["doctor"]);
    assert!(code == 1 && stdout.contains("access denied (AccessDenied); needed for"), "{stdout}");
    let (code, rule, _) = team.machine().run(&["gc", "--lifecycle"]);
    let rule: serde_json::Value = serde_json::from_str(&rule).unwrap();
    assert_eq!((code, &rule["Rules"][0]["Expiration"]["Days"]), (0, &7.into()));
    let (code, _, stderr) = crate::program::Test::new(&["config", "check"]).run().then(&["push"]);
    assert!(code == 1 && stderr.contains("config set store s3://"), "{stderr}");
}

#[test]
fn secrets_do_not_leave_the_machine() {
    let Some(team) = Team::find() else { return };
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let script = format!("seq 1 3000; echo token {token}; echo corp-4711; seq 1 3000");
    let here = team.machine().with("OVERSPILL_REDACT_PATTERN", "corp-[0-9]+");
    let (_, stdout, _) = here.run(&["run", "--", "sh", "-c", &script]);
    let (notice, id) = notice_and_id(&stdout);
    assert!(notice.contains("; 2 secrets masked"), "{notice}");
    let (_, raw, _) = team.machine().run(&["read", &id, "--raw"]);
    assert!(raw.contains("token ghp_****") && !raw.contains(&token) && !raw.contains("4711"));
    let (_, listed, _) = team.machine().run(&["list", "--json"]);
    assert!(listed.contains("ghp_****") && !listed.contains(&token), "{listed}");
    let mut kept = Vec::new();
    files(&here.home.join("store"), &mut kept);
    assert!(kept.iter().all(|text| !text.contains(&token)));

    let all = team.machine().with("OVERSPILL_REDACT", "all");
    let (_, stdout, _) = all.run(&["run", "--", "echo", &token]);
    assert_eq!(stdout, format!("ghp_{}\n", "*".repeat(40)));
    let off = team.machine().with("OVERSPILL_REDACT", "off");
    let (_, stdout, _) = off.run(&["run", "--", "sh", "-c", &script]);
    let (notice, id) = notice_and_id(&stdout);
    assert!(!notice.contains("masked"));
    assert!(team.machine().run(&["read", &id, "--raw"]).1.contains(&token));
}

#[test]
fn sixteen_machines_some_of_them_killed_lose_and_mix_nothing() {
    let Some(team) = Team::find() else { return };
    let machines: Vec<Machine> = (0..16).map(|_| team.machine()).collect();
    let mut saved: Vec<(String, String)> = Vec::new();
    std::thread::scope(|scope| {
        let work = |(number, machine)| {
            let (number, machine): (usize, &Machine) = (number, machine);
            let mut saved = Vec::new();
            for round in 0..3 {
                let lines = 5_000 + number as u32 * 100 + round;
                let last = lines.to_string();
                let mut command = machine.command(&["run", "--", "seq", "1", &last]);
                let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
                if number % 4 == 3 {
                    // The kill comes at any time; every notice printed before it must be true.
                    std::thread::sleep(std::time::Duration::from_millis(20 * u64::from(round + 1)));
                    let _ = child.kill();
                }
                let output = child.wait_with_output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                if text.starts_with("[overspill") && text.contains('\n') {
                    let (notice, id) = notice_and_id(&text);
                    assert!(notice.contains("in the bucket: "), "{notice}");
                    saved.push((id, numbered(lines)));
                }
                assert_eq!(machine.run(&["list"]).0, 0);
            }
            // The next commands send everything that a kill has left.
            let (code, _, stderr) = machine.run(&["gc"]);
            assert_eq!(code, 0, "{stderr}");
            assert_eq!(machine.run(&["push"]).0, 0);
            saved
        };
        let threads: Vec<_> = machines
            .iter()
            .enumerate()
            .map(|(number, machine)| scope.spawn(move || work((number, machine))))
            .collect();
        threads.into_iter().for_each(|thread| saved.extend(thread.join().unwrap()));
    });
    assert!(saved.len() >= 36, "{}", saved.len());
    let there = team.machine();
    for (id, output) in &saved {
        assert!(there.run(&["read", id, "--raw"]).1 == *output, "{id}");
    }
    let (_, listed, _) = there.run(&["list", "--json", "--limit", "1000"]);
    let id_of = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["id"].as_str().unwrap().to_owned()
    };
    let mut ids: Vec<String> = listed.lines().map(id_of).collect();
    ids.sort_unstable();
    let all = ids.len();
    ids.dedup();
    assert!(all == ids.len() && all >= saved.len() && all <= 48, "{all}");
    let listed = |short: &str| ids.iter().any(|id| id.to_lowercase().ends_with(short));
    assert!(saved.iter().all(|(short, _)| listed(short)));
}
