//! Build one `Overspill` and pass every output to `process`. The whole output is saved and can be
//! read later.
//!
//! `cargo run -p overspill --example how_do_i_shorten_an_output`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use overspill::{Call, Overspill, Part};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A program uses a directory of its own.
    let directory = tempfile::tempdir()?;
    let overspill =
        Overspill::builder().directory(directory.path().join("outputs")).max_lines(10).build();

    // An output within the limit is unchanged.
    let short = overspill.process("2 tests passed\n", &Call::new("cargo test"));
    assert_eq!((short.text(), short.saved()), ("2 tests passed\n".into(), None));

    let output: String = (1..=5000).map(|n| format!("test case_{n} ... ok\n")).collect();
    let long = overspill.process(&output, &Call::new("cargo test"));
    println!("{}", long.text());
    assert!(long.text().lines().count() <= 10);

    // A model asks for more by the id or the path in the notice.
    let saved = long.saved().ok_or("the output was not saved")?;
    let page = overspill.read(&saved.id, Part::Lines(2500, 2502))?;
    println!("{}", page.text);
    assert_eq!(page.text.lines().count(), 3);
    assert_eq!(overspill.read(&saved.path, Part::Tail(1))?.text, "test case_5000 ... ok\n");
    Ok(())
}
