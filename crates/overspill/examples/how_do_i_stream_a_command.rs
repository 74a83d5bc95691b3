//! Open a `Spill`, push the chunks of the output as they arrive, and finish it with the exit code.
//! The memory stays small for an output of any length.
//!
//! `cargo run -p overspill --example how_do_i_stream_a_command`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use std::io::Read;
use std::process::{Command, Stdio};

use overspill::core::Keep;
use overspill::{Call, CallEnd, CallOptions, Overspill};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let overspill = Overspill::builder()
        .directory(directory.path().join("outputs"))
        .max_lines(20)
        .keep(Keep::Tail)
        .build();

    // Any command with a long output will do.
    let mut child = Command::new("cargo").args(["--list"]).stdout(Stdio::piped()).spawn()?;
    let mut stdout = child.stdout.take().ok_or("the command has no stdout")?;
    let mut spill = overspill.spill(Call::new("cargo --list"), CallOptions::default());
    let mut chunk = [0; 64 * 1024];
    loop {
        match stdout.read(&mut chunk)? {
            0 => break,
            len => spill.push(&chunk[..len]),
        }
    }
    let end = child.wait()?.code().map_or(CallEnd::default(), CallEnd::exited);
    let outcome = spill.finish(end);
    println!("{}", outcome.text());
    assert!(outcome.text().lines().count() <= 20 && outcome.saved().is_some());
    Ok(())
}
