//! Generated outputs with a structure, each with the texts that its preview must show.
//!
//! `count` is the number of items: tests, rows, lines of a hunk. Everything else is deterministic.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

/// An output, and the texts in it that a preview must show.
pub struct Fixture {
    pub output: String,
    pub wanted: Vec<String>,
}

pub type Generator = fn(usize) -> Fixture;

/// Every kind of output whose structure overspill reads line by line.
pub const LINES: [(&str, Generator); 10] = [
    ("junit", junit),
    ("tap", tap),
    ("csv", csv),
    ("ndjson", ndjson),
    ("diff", diff),
    ("log -p, 3 commits", |count| log_patches(3, count)),
    ("log -p, 10 commits", |count| log_patches(10, count)),
    ("kubectl get pods", pods),
    ("docker ps", containers),
    ("psql", psql),
];

/// A JUnit report in which two tests fail.
pub fn junit(count: usize) -> Fixture {
    let failing = [count / 3, count * 2 / 3];
    let mut output = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"unit\" tests=\"{count}\" failures=\"2\">\n"
    );
    let mut wanted = Vec::new();
    for at in 0..count {
        let test =
            format!("  <testcase classname=\"app.Parser\" name=\"case_{at}\" time=\"0.0{at}\"");
        if failing.contains(&at) {
            let failure = format!("<failure message=\"expected 3, got {at}\">");
            output.push_str(&format!(
                "{test}>\n    {failure}\n      at Parser.check (parser.js:{at}:7)\n    </failure>\n  </testcase>\n"
            ));
            wanted.extend([failure, format!("name=\"case_{at}\"")]);
        } else {
            output.push_str(&format!("{test}/>\n"));
        }
    }
    output.push_str("</testsuite>\n</testsuites>\n");
    Fixture { output, wanted }
}

/// A report of `node --test` in which one test fails.
pub fn tap(count: usize) -> Fixture {
    let mut output = "TAP version 13\n".to_owned();
    for at in 1..=count {
        let failed = at == count / 2 + 1;
        let result = if failed { "not ok" } else { "ok" };
        output.push_str(&format!(
            "# Subtest: parses case {at}\n{result} {at} - parses case {at}\n  ---\n  duration_ms: 0.{at}\n"
        ));
        if failed {
            output.push_str("  error: 'Expected values to be strictly equal'\n");
        }
        output.push_str("  type: 'test'\n  ...\n");
    }
    output.push_str(&format!("1..{count}\n# tests {count}\n# fail 1\n"));
    let wanted = [
        format!("not ok {} - parses", count / 2 + 1),
        "error: 'Expected values to be strictly equal'".into(),
        "# fail 1".into(),
    ];
    Fixture { output, wanted: wanted.into() }
}

/// A table of values in which one row has another status. The status is not a word of failure.
pub fn csv(count: usize) -> Fixture {
    let mut output = "id,customer,region,status,amount\n".to_owned();
    let row = |at: usize, status: &str| {
        format!(
            "{at},customer {},eu-west-{},{status},{}.50\n",
            at * 7919 % 10_007,
            at % 3,
            at % 997
        )
    };
    let other = count * 7 / 10;
    (0..count)
        .for_each(|at| output.push_str(&row(at, if at == other { "refunded" } else { "paid" })));
    let wanted = vec!["id,customer,region".into(), row(other, "refunded").trim_end().into()];
    Fixture { output, wanted }
}

/// Records in lines of JSON, one of them an error.
pub fn ndjson(count: usize) -> Fixture {
    let mut output = String::new();
    let error = "{\"level\":\"error\",\"msg\":\"upstream timed out\",\"id\":";
    for at in 0..count {
        output.push_str(&match at == count * 6 / 10 {
            true => format!("{error}{at}}}\n"),
            false => format!(
                "{{\"level\":\"info\",\"msg\":\"request served\",\"id\":{at},\"ms\":{}}}\n",
                at % 97
            ),
        });
    }
    Fixture { output, wanted: vec![error.into()] }
}

/// A diff of 20 files; `count` is the number of changed lines.
pub fn diff(count: usize) -> Fixture {
    let mut output = String::new();
    let wanted = (0..20).map(|file| push_file(&mut output, "src", file, count / 20 + 1)).collect();
    Fixture { output, wanted }
}

/// A diff of 99 files, each with some hunks.
pub fn large_diff() -> Fixture {
    let mut output = String::new();
    let wanted = (0..99).map(|file| push_file(&mut output, "src", file, 80)).collect();
    Fixture { output, wanted }
}

/// Appends the diff of one file. Returns the line that names the file.
fn push_file(output: &mut String, directory: &str, file: usize, changes: usize) -> String {
    let name = format!("diff --git a/{directory}/f{file}.rs b/{directory}/f{file}.rs");
    output.push_str(&format!(
        "{name}\nindex 1a2b3c..4d5e6f 100644\n--- a/{directory}/f{file}.rs\n+++ b/{directory}/f{file}.rs\n"
    ));
    for hunk in 0..changes.div_ceil(20) {
        let lines = (changes - hunk * 20).min(20);
        let from = hunk * 50 + 1;
        output.push_str(&format!("@@ -{from},{lines} +{from},{lines} @@ fn parse_{hunk}()\n"));
        for line in 0..lines {
            output.push_str(&format!(
                "-    let old_{line} = {hunk};\n+    let new_{line} = {hunk};\n"
            ));
        }
    }
    name
}

/// The output of `git log -p`; every commit changes three files.
pub fn log_patches(commits: usize, count: usize) -> Fixture {
    let (mut output, mut wanted) = (String::new(), Vec::new());
    for commit in 0..commits {
        let heading =
            format!("commit {:040x}", 0x9e37_79b9_7f4a_7c15_u64.rotate_left(commit as u32));
        output.push_str(&format!(
            "{heading}\nAuthor: A Person <a@example.org>\nDate:   Mon May 4 12:00:00 2026 +0000\n\n    area: change number {commit}\n\n    Some words on why this is so.\n\n"
        ));
        wanted.push(heading);
        for file in 0..3 {
            let changes = count / (3 * commits) + 1;
            wanted.push(push_file(&mut output, &format!("c{commit}"), file, changes));
        }
        output.push('\n');
    }
    Fixture { output, wanted }
}

/// Pods, one of which crashes and one of which is pending.
pub fn pods(count: usize) -> Fixture {
    let row = |name: &str, ready: &str, status: &str, restarts: &str, age: &str| {
        format!("{name:<34} {ready:<7} {status:<18} {restarts:<10} {age}\n")
    };
    let mut output = row("NAME", "READY", "STATUS", "RESTARTS", "AGE");
    let mut wanted = vec!["NAME ".to_owned()];
    for at in 0..count {
        let name = format!("api-{:08x}-{at}", (at * 7919) % 0xffff);
        let line = match at {
            _ if at == count / 3 => row(&name, "0/1", "CrashLoopBackOff", "31", "2d"),
            _ if at == count / 2 => row(&name, "0/1", "Pending", "0", "2d"),
            _ => row(&name, "1/1", "Running", "0", &format!("{}d", at % 9)),
        };
        wanted.extend(
            (!line.contains("Running")).then(|| line.trim_end().to_owned()).filter(|_| at > 0),
        );
        output.push_str(&line);
    }
    Fixture { output, wanted }
}

/// Containers, one of which has exited. Some have no ports.
pub fn containers(count: usize) -> Fixture {
    let row = |id: &str, image: &str, status: &str, ports: &str, names: &str| {
        format!("{id:<15}{image:<18}{status:<28}{ports:<24}{names}\n")
    };
    let mut output = row("CONTAINER ID", "IMAGE", "STATUS", "PORTS", "NAMES");
    let mut wanted = vec!["CONTAINER ID ".to_owned()];
    for at in 0..count {
        let id =
            format!("{:012x}", (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a) & 0xffff_ffff_ffff);
        let ports = if at % 3 == 0 { "" } else { "0.0.0.0:80->80/tcp" };
        let name = format!("web_{at}");
        if at == count * 2 / 3 {
            let line = row(&id, "nginx:1.27", "Exited (137) 2 hours ago", "", &name);
            wanted.push(line.trim_end().to_owned());
            output.push_str(&line);
        } else {
            output.push_str(&row(
                &id,
                "nginx:1.27",
                &format!("Up {} hours", at % 40 + 2),
                ports,
                &name,
            ));
        }
    }
    Fixture { output, wanted }
}

/// A table as `psql` prints it, in which one job has failed.
pub fn psql(count: usize) -> Fixture {
    let mut output =
        " id     | name             | status\n--------+------------------+----------\n".to_owned();
    let row = |at: usize, status: &str| format!(" {at:>6} | job {at:<12} | {status}\n");
    (0..count)
        .for_each(|at| output.push_str(&row(at, if at == count / 2 { "failed" } else { "done" })));
    let wanted = vec![" id     | name".into(), row(count / 2, "failed").trim_end().into()];
    Fixture { output, wanted }
}

/// One JSON text in which one item has failed.
pub fn json(count: usize) -> Fixture {
    let item = |at: usize| match at == count * 3 / 5 {
        true => format!("{{\"id\":{at},\"status\":\"failed\",\"error\":\"disk full\"}}"),
        false => format!("{{\"id\":{at},\"status\":\"ok\",\"name\":\"item {at}\"}}"),
    };
    let items: Vec<String> = (0..count).map(item).collect();
    Fixture {
        output: format!("{{\"items\":[{}]}}\n", items.join(",")),
        wanted: vec!["disk full".into()],
    }
}

/// A build log with one failure.
pub fn log(count: usize) -> Fixture {
    let mut output = String::new();
    for at in 0..count {
        output.push_str(&match at == count * 4 / 7 {
            true => "error[E0308]: mismatched types\n --> src/parse.rs:31:9\n".to_owned(),
            false => format!("   Compiling module_{at} v0.{}.0 (/src/module_{at})\n", at % 7),
        });
    }
    Fixture { output, wanted: vec!["error[E0308]: mismatched types".into()] }
}

/// Paths, all equally important.
pub fn listing(count: usize) -> Fixture {
    let output = (0..count).map(|at| format!("/usr/share/doc/package-{at}/README\n")).collect();
    Fixture { output, wanted: Vec::new() }
}
