//! The kinds of outputs that are easily taken for failing logs or source: settings files, plans,
//! descriptions, translations, disassemblies, searches without line numbers.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Kind, Limits, Policy};

fn kind_and_preview(output: &str, chars: u64) -> (Kind, String) {
    let policy = Policy::new(Limits::NONE.chars(chars), Keep::Auto);
    let output = policy.measure(output.as_bytes()).unwrap();
    (output.kind().unwrap(), output.preview(&common::saved()).text)
}

fn kind(output: &str) -> Kind {
    kind_and_preview(output, 2000).0
}

/// Returns a fixture of `tests/kinds`.
fn fixture(name: &str) -> String {
    let path = format!("{}/tests/kinds/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn settings_files_are_source() {
    let yaml = many(40, |n| {
        format!(
            "- name: step {n}\n  uses: tools/check_{n}@v4\n  with:\n    on_error: fail\n    path: src/part_{n}\n    script: |\n      \
             test -e part || echo \"fatal error: no such file\"\n      exit 1\n  if: failure()\n"
        )
    });
    let toml = many(40, |n| {
        format!(
            "[dependencies.error-{n}]\nversion = \"1.{n}\"\nfeatures = [\n  \"failed\",\n  \"std\",\n]\non_error = \"abort\"\n\n"
        )
    });
    let ini = many(60, |n| {
        format!("; part {n}\n[remote \"part_{n}\"]\nurl=https://example.org/error/{n}\nfailed=0\n")
    });
    for output in [format!("jobs:\n  steps:\n{yaml}"), toml, ini] {
        assert_eq!(kind(&output), Kind::Source, "{output}");
    }
}

#[test]
fn languages_without_brackets_are_source() {
    let haskell = many(30, |n| {
        format!(
            "-- | Reads part {n}, or fails with an error.\nreadPart{n} :: FilePath -> IO (Either Error Part)\n\
             readPart{n} path = do\n  text <- readFile path\n  case parse text of\n    Left err -> throwIO (Failed err)\n\
             \x20   Right part\n      | null part -> error \"fatal: no part\"\n      | otherwise -> pure $ Right part\n  \
             where parse = runParser {n}\n\n"
        )
    });
    let cobol = many(40, |n| {
        format!(
            "       READ-PART-{n}.\n           READ PART-FILE\n               AT END MOVE 'Y' TO ERROR-FLAG\n           \
             END-READ.\n           IF ERROR-FLAG = 'Y'\n               DISPLAY 'fatal error: part failed'\n               \
             PERFORM ABORT-RUN\n           END-IF.\n"
        )
    });
    for output in [haskell, cobol] {
        assert_eq!(kind(&output), Kind::Source, "{output}");
    }
}

#[test]
fn translations_are_source() {
    let output = many(200, |n| {
        format!(
            "#: src/part_{n}.c:12\nmsgid \"fatal error {n}: cannot open file\"\nmsgstr \"\"\n\"Schwerer Fehler: \"\n\"die Datei fehlt\"\n\n"
        )
    });
    assert_eq!(kind(&output), Kind::Source);
}

#[test]
fn plan_shows_every_change_and_the_summary() {
    let (kind, preview) = kind_and_preview(&fixture("terraform-plan.txt"), 9500);
    assert_eq!(kind, Kind::Plain);
    for n in 0..30 {
        let heading = format!("  # terraform_data.error_worker_{n} will be created\n");
        assert!(preview.contains(&heading), "{n}: {preview}");
    }
    assert!(preview.contains("Plan: 30 to add, 0 to change, 0 to destroy.\n"), "{preview}");
}

#[test]
fn passed_run_under_headings_with_failure_words_is_a_test_run() {
    let run = fixture("jest-passed.txt");
    let (kind, preview) = kind_and_preview(&run, 600);
    assert_eq!(kind, Kind::TestRun);
    assert!(preview.contains("Tests:       325 passed, 325 total\n"), "{preview}");
    let crash = "Segmentation fault (core dumped)\n";
    let (kind, preview) =
        kind_and_preview(&run.replace("\nPASS ./p9", &format!("\n{crash}PASS ./p9")), 600);
    assert_eq!(kind, Kind::FailingLog);
    assert!(preview.contains(crash), "{preview}");
}

/// Returns the description of a pod as `kubectl describe` prints it, with an event.
fn pod(n: usize, reason: &str, event: &str) -> String {
    format!(
        "Name:             web-{n}-7d4b9c6f8\nNamespace:        shop\nPriority:         0\nService Account:  default\n\
         Node:             node-3/10.0.0.{n}\nStatus:           Running\nIP:               10.1.2.{n}\nContainers:\n  web:\n    \
         Container ID:   containerd://3f{n}a9c0b1\n    Image:          registry.example.com/web:1.4.{n}\n    \
         Port:           8080/TCP\n    State:          Running\n      Started:      Tue, 17 Nov 2026 16:02:15 +0000\n    \
         Last State:     Terminated\n      Reason:       {reason}\n      Exit Code:    0\n    Ready:          True\n    \
         Liveness:       http-get http://:8080/healthz delay=5s #success=1 #failure=3\n    Environment:\n      \
         ERROR_REPORTING:  enabled\nConditions:\n  Type              Status\n  Initialized       True\n  Ready             True\n\
         Volumes:\n  kube-api-access-{n}h:\n    Type:                    Projected\n    TokenExpirationSeconds:  3607\n    \
         ConfigMapOptional:       <nil>\n    DownwardAPI:             true\nQoS Class:                   Burstable\nEvents:\n  \
         Type     Reason     Age   From     Message\n  ----     ------     ----  ----     -------\n{event}\n\n\n"
    )
}

#[test]
fn description_with_fields_is_no_failing_log() {
    let pulled = "  Normal   Pulled     12m   kubelet  Container image is present";
    let reason = |n: usize| if n == 4 { "Error" } else { "Completed" };
    let output = many(12, |n| pod(n, reason(n), pulled));
    assert_eq!(kind(&output), Kind::Plain, "{output}");
    let failed =
        "  Warning  Failed     2m    kubelet  Failed to pull image \"web:1.4.17\": not found";
    let output = many(12, |n| pod(n, reason(n), if n == 7 { failed } else { pulled }));
    let (_, preview) = kind_and_preview(&output, 2000);
    assert!(preview.contains(failed), "{preview}");
}

#[test]
fn disassembly_is_no_failing_log() {
    let output = many(900, |n| match n % 300 {
        0 | 100 | 200 => format!("\n{:016x} <check_{n}@@Base>:\n", 0x4000 + n * 5),
        17 => {
            format!("    {:x}:\te8 f9 55 ff ff       \tcall   4530 <error@plt>\n", 0x4000 + n * 5)
        }
        18 => "    aaae:\t29 c6                \tcall   4540 <abort@plt>\n".to_owned(),
        _ => {
            format!("    {:x}:\t8b 3d fb 55 01 00    \tmov    0x155fb(%rip),%edi\n", 0x4000 + n * 5)
        }
    });
    assert_ne!(kind(&output), Kind::FailingLog);
}

#[test]
fn search_without_line_numbers_is_a_search() {
    let first = many(300, |n| format!("src/first.rs:    let error_{n} = open_{n}(path)?;\n"));
    let others =
        many(12, |n| format!("src/part_{n}.rs:    return Err(Error::Failed(\"part_{n}\"));\n"));
    let (kind, preview) = kind_and_preview(&(first.clone() + &others + &first), 2000);
    assert_eq!(kind, Kind::Search, "{preview}");
    for n in 0..12 {
        assert!(preview.contains(&format!("src/part_{n}.rs:")), "{n}: {preview}");
    }
    let messages = many(300, |n| format!("src/part_{}.c: In function 'read_{n}':\n", n / 9));
    assert_ne!(self::kind(&messages), Kind::Search);
}

#[test]
fn notes_without_headings_are_prose() {
    let output = many(12, |n| {
        format!(
            "What I found in part {n}:\n\n- **Cause**: `read_{n}()` in `src/part_{n}.rs:88` swallows a fatal error, so the test failed.\n\
             - The assertion in `test_{n}.rs` cannot fail.\n\n1. `open_{n}()` returns an error: the build failed.\n2. The handler logs `undefined`.\n\n"
        )
    });
    assert_eq!(kind(&output), Kind::Prose, "{output}");
}

#[test]
fn access_log_shows_server_errors() {
    let output = many(1500, |n| {
        let status = if n % 100 == 42 { 502 } else { [200, 304, 404][n % 3] };
        format!(
            "10.0.{}.{} - - [17/Nov/2026:16:{:02}:{:02} +0000] \"GET /api/orders/{n} HTTP/1.1\" {status} 4379 \"-\" \"curl/8.1\"\n",
            n % 7,
            n % 250,
            n / 60 % 60,
            n % 60
        )
    });
    let (_, preview) = kind_and_preview(&output, 4000);
    let shown = preview.lines().filter(|line| line.contains("HTTP/1.1\" 502 ")).count();
    assert!(shown >= 12, "{shown}: {preview}");
}
