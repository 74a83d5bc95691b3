//! Snapshots of help texts and tables. After an intended change:
//! `INSTA_UPDATE=always cargo test snapshots`.

use crate::program::{Test, saved_run};

#[test]
fn help_of_every_command() {
    let top = Test::new(&["--help"]).run().code(0).text();
    // Each command has its own line, in groups.
    let commands: Vec<String> = top
        .lines()
        .take_while(|line| *line != "Examples:")
        .filter_map(|line| line.strip_prefix("  "))
        .map(|line| line.replace("CMD …, run", "run"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    assert!(commands.len() > 18, "{commands:?}");
    insta::assert_snapshot!("help", top);
    for command in &commands {
        let help = Test::new(&[command, "--help"]).run().code(0).text();
        insta::assert_snapshot!(format!("help-{command}"), help);
    }
    for topic in ["limits", "keep", "ids", "settings"] {
        let page = Test::new(&["help", topic]).run().code(0).text();
        insta::assert_snapshot!(format!("topic-{topic}"), page);
    }
}

#[test]
fn tables() {
    let done = saved_run();
    let id = done.id();
    let dir = done.test.dir.path().to_str().unwrap().to_owned();
    let folder = done.files()[0].parent().unwrap().to_str().unwrap().to_owned();
    let plain = |text: &str| {
        let words = text.replace(&id, "ID________________________");
        let words = words.replace(&folder, "DIR/store/FOLDER").replace(&dir, "DIR");
        let words = words.replace(&id[20..].to_lowercase(), "SHORT_");
        let words = words.replace(env!("CARGO_MANIFEST_DIR"), "HERE");
        // Times and ages differ between runs.
        let line = |line: &str| {
            let is_time = line.starts_with("saved ") || line.starts_with("last used ");
            let is_day = line.starts_with("20");
            match (is_time, is_day) {
                (true, _) => "(a time)".to_owned(),
                (_, true) => "(a day)".to_owned(),
                _ => line.to_owned(),
            }
        };
        let lines: Vec<String> = words.lines().map(line).collect();
        lines.join("\n").replace("  1 s  ", "  0 s  ").replace("  2 s  ", "  0 s  ")
    };
    insta::assert_snapshot!("list", plain(&done.then(&["list"]).1));
    insta::assert_snapshot!("info", plain(&done.then(&["info", &id]).1));
    // The notice has the path of the program, so its size differs between builds.
    let stats = plain(&done.then(&["stats"]).1);
    let is_sent = |line: &&str| {
        ["shown  ", "saved ", "run ", "sh ", "(not known)"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let digits = |line: &str| line.replace(|char: char| char.is_ascii_digit(), "#");
    let stats: Vec<String> = stats
        .lines()
        .map(|line| if is_sent(&line) { digits(line) } else { line.to_owned() })
        .collect();
    insta::assert_snapshot!("stats", stats.join("\n"));
    // The width of the columns depends on the path of the store.
    let settings = plain(&done.then(&["config", "list"]).1);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join("  ");
    let settings: Vec<String> = settings.lines().map(words).collect();
    insta::assert_snapshot!("config-list", settings.join("\n"));
}
