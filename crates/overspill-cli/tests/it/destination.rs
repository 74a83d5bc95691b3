//! Invalid store settings: no output goes to the provider's own server instead.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::process::Stdio;

use crate::program::{Test, numbered};

/// A machine with a bucket, and a proxy that sees every connection.
struct Machine {
    test: Test,
    proxy: TcpListener,
    variables: Vec<(&'static str, OsString)>,
}

impl Machine {
    fn new(file: &str) -> Machine {
        let test = Test::new(&[]);
        let directory = test.dir.path().join("config/overspill");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.toml"), file).unwrap();
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        proxy.set_nonblocking(true).unwrap();
        Machine { test, proxy, variables: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Machine {
        self.variables.push((name, value.into()));
        self
    }

    fn run(&self, args: &[&str]) -> (String, String) {
        let mut command = crate::program::program(self.test.dir.path());
        for (name, _) in std::env::vars() {
            let is_cloud =
                ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|start| name.starts_with(start));
            if is_cloud || name.to_lowercase().ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        let proxy = format!("http://{}", self.proxy.local_addr().unwrap());
        for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] {
            command.env(name, &proxy);
        }
        command.envs([("AWS_ACCESS_KEY_ID", "k"), ("AWS_SECRET_ACCESS_KEY", "s")]);
        command.env("OVERSPILL_UPLOAD_WAIT", "1s");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = command.args(args).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    fn save(&self) -> (String, String) {
        self.run(&["run", "--", "seq", "1", "5000"])
    }

    fn was_asked(&self) -> bool {
        self.proxy.accept().is_ok()
    }

    /// Saves an output, and expects this reason for a pending upload.
    #[track_caller]
    fn expect_pending(&self, reason: &str) {
        let (stdout, stderr) = self.save();
        assert!(!self.was_asked(), "{stdout}{stderr}");
        assert!(stdout.contains(&format!("upload pending: {reason}")), "{stdout}{stderr}");
        self.expect_saved_here(&stdout);
    }

    #[track_caller]
    fn expect_saved_here(&self, stdout: &str) {
        let id = stdout.split(" read ").nth(1).unwrap().split([' ', ']']).next().unwrap();
        let (all, stderr) = self.run(&["read", id, "--raw"]);
        assert_eq!(all, numbered(5000), "{stderr}");
        assert!(!self.was_asked(), "{stderr}");
    }
}

fn file(store: &str) -> String {
    format!("[store]\nbucket = \"s3://team/outputs\"\n{store}\n")
}

#[test]
fn store_setting_that_is_invalid_stops_uploads() {
    for (line, key) in [
        ("endpoint = \"htps://minio.lan:9000\"", "store.endpoint"),
        ("endpoint = \"minio.lan:9000\"", "store.endpoint"),
        ("endpoint = \"\"", "store.endpoint"),
        ("endpoint = 9000", "store.endpoint"),
        ("endpoint = [\"https://minio.lan\"]", "store.endpoint"),
        ("region = \"eu west\"", "store.region"),
        ("tenant = \"team a\"", "store.tenant"),
        ("tenant = \"../../x\"", "store.tenant"),
        // The user probably meant one of these keys.
        ("endpont = \"https://minio.lan:9000\"", "store.endpont"),
        ("Endpoint = \"https://minio.lan:9000\"", "store.Endpoint"),
    ] {
        let machine = Machine::new(&file(line));
        machine.expect_pending(&format!("{key} is invalid"));
        let (_, stderr) = machine.save();
        let said = "no output is uploaded until this is fixed";
        assert!(stderr.contains(key) && stderr.contains(said), "{line}: {stderr}");
        let (stdout, _) = machine.run(&["config", "check"]);
        assert!(stdout.contains(&format!("{key} is invalid")), "{stdout}");
        let (stdout, stderr) = machine.run(&["push"]);
        assert!(stdout.contains(&format!("{key} is invalid")), "{stdout}{stderr}");
        assert!(!machine.was_asked());
    }
}

#[test]
fn store_variable_that_is_invalid_does_not_fall_back_to_the_file() {
    let machine = Machine::new(&file("endpoint = \"https://other.lan:9000\""))
        .with("OVERSPILL_STORE_ENDPOINT", "htps://minio.lan");
    machine.expect_pending("OVERSPILL_STORE_ENDPOINT is invalid");
    let machine = Machine::new(&file("")).with("OVERSPILL_BUCKET", "s3:/private");
    let (stdout, stderr) = machine.save();
    assert!(!machine.was_asked(), "{stdout}{stderr}");
    assert!(stderr.contains("OVERSPILL_BUCKET"), "{stderr}");
    assert!(stderr.contains("outputs are saved on this machine until this is fixed"), "{stderr}");
    assert!(!stdout.contains("upload pending"), "{stdout}");
    machine.expect_saved_here(&stdout);
}

#[test]
fn bucket_address_that_is_invalid_saves_on_this_machine() {
    let machine = Machine::new("[store]\nbucket = \"S3://team\"\n");
    let (stdout, stderr) = machine.save();
    assert!(stderr.contains("outputs are saved on this machine until this is fixed"), "{stderr}");
    assert!(!machine.was_asked());
    machine.expect_saved_here(&stdout);
}

#[test]
fn settings_file_that_is_broken_stops_uploads_to_a_bucket_of_a_variable() {
    let machine = Machine::new("[store]\nendpoint = \"https://minio.lan:9000\"\nbroken\n")
        .with("OVERSPILL_BUCKET", "s3://team/outputs");
    machine.expect_pending("the settings file is invalid");
}

#[test]
fn variable_that_is_valid_is_stronger_than_an_invalid_file() {
    let machine = Machine::new(&file("endpoint = \"htps://minio.lan\""))
        .with("OVERSPILL_STORE_ENDPOINT", "https://minio.lan:9000");
    let (stdout, stderr) = machine.save();
    assert!(machine.was_asked(), "{stdout}{stderr}");
    assert!(!stdout.contains("is invalid") && !stderr.contains("is uploaded"), "{stdout}{stderr}");
    let machine = Machine::new(&file("endpoint = \"htps://minio.lan\""))
        .with("AWS_ENDPOINT_URL", "https://minio.lan:9000");
    let (stdout, stderr) = machine.save();
    assert!(machine.was_asked(), "{stdout}{stderr}");
}

#[test]
fn endpoint_scheme_in_upper_case_is_http() {
    let machine = Machine::new(&file("endpoint = \"HTTP://minio.lan:9000\""));
    machine.expect_pending("store.endpoint begins with http://");
    let machine = machine.with("AWS_ALLOW_HTTP", "true");
    let (stdout, stderr) = machine.save();
    assert!(machine.was_asked(), "{stdout}{stderr}");
    assert!(!stdout.contains("store.endpoint") && stderr.is_empty(), "{stdout}{stderr}");
}

#[test]
fn refused_endpoint_is_named_as_it_was_set() {
    let lan = "http://minio.lan:9000";
    let machine = Machine::new(&file(&format!("endpoint = \"{lan}\"")));
    machine.expect_pending("store.endpoint begins with http://");
    let machine = Machine::new(&file("")).with("OVERSPILL_STORE_ENDPOINT", lan);
    machine.expect_pending("OVERSPILL_STORE_ENDPOINT begins with http://");
    let machine = Machine::new(&file("")).with("AWS_ENDPOINT_URL", lan);
    machine.expect_pending("AWS_ENDPOINT_URL begins with http://");
}

#[cfg(unix)]
#[test]
fn variable_that_is_not_utf8_does_not_stop_a_program_with_a_bucket() {
    let value: OsString = std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]);
    let machine = Machine::new(&file("endpoint = \"minio.lan:9000\"")).with("LATIN1", value);
    machine.expect_pending("store.endpoint is invalid");
}
