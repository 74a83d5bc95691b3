//! Streams an output through a window, and prints its preview or the speed.
//!
//! `cargo run --release -p overspill-bench --example structure -- report.json [bytes]` prints the preview of a file.
//! `cargo run --release -p overspill-bench --example structure -- --speed json|ndjson|csv|diff [megabytes]` creates an
//! output and prints its speed and the peak memory.

#![allow(clippy::print_stdout, reason = "its result")]

use std::io::Read;

use overspill_core::{Finished, Keep, Limits, Policy, Window, Wording};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|arg| arg.parse::<u64>().ok());
    match args.first().map(String::as_str) {
        Some("--speed") => {
            let format = args.get(1).map_or("json", String::as_str);
            speed(format, number(2).unwrap_or(100));
        }
        Some(file) => show(file, number(1).unwrap_or(51_200)),
        None => println!("name a file, or --speed"),
    }
}

fn show(file: &str, bytes: u64) {
    let Ok(mut file) = std::fs::File::open(file) else { return println!("no such file") };
    let mut window = Window::new(Policy::new(Limits::NONE.lines(2000).bytes(bytes), Keep::Auto));
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(len @ 1..) = file.read(&mut buffer) {
        window.push(&buffer[..len]);
    }
    match window.finish() {
        Finished::Whole(bytes) => println!("{}", String::from_utf8_lossy(&bytes)),
        Finished::Over(over) => {
            print!("{}", over.preview(&Wording::plain("3f9c2e")).text);
        }
    }
}

/// Pushes the same megabyte repeatedly, so that only the window takes memory and time.
fn speed(format: &str, megabytes: u64) {
    let keep = if format == "ends" { Keep::ENDS } else { Keep::Auto };
    let mut window = Window::new(Policy::new(Policy::LIMITS, keep));
    let (first, mut block, mut n) = (record(format, 0), String::new(), 0);
    while block.len() < 1 << 20 {
        n += 1;
        block.push_str(&record(format, n));
    }
    let start = processor_time();
    window.push(first.as_bytes());
    for _ in 0..megabytes {
        block.as_bytes().chunks(64 * 1024).for_each(|chunk| drop(window.push(chunk)));
    }
    if first.starts_with('[') {
        window.push(b"]");
    }
    let end = processor_time();
    let bytes = window.total().bytes;
    let Finished::Over(over) = window.finish() else { return };
    let answer = over.preview(&Wording::plain("3f9c2e"));
    let (spent, answered) = (end - start, processor_time() - end);
    println!(
        "{format}: {:.0} MB/s, then {:.1} ms for an answer of {} bytes; peak memory {}",
        bytes as f64 / spent / 1e6,
        answered * 1e3,
        answer.text.len(),
        peak_memory()
    );
}

/// Returns the CPU time of this process in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let spent = stat.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    spent.map_or(0.0, |nanoseconds| nanoseconds / 1e9)
}

fn record(format: &str, n: u64) -> String {
    let status = if n % 10_007 == 5_000 { "error" } else { "ok" };
    let comma = if n == 0 { '[' } else { ',' };
    let (x, y) = (n * 7919 % 100_003, n * 104_729 % 1_000);
    let fields = format!(
        "\"id\":{n},\"name\":\"item number {x}\",\"status\":\"{status}\",\"tags\":[\"a\",\"b{y}\"],\
         \"place\":{{\"x\":{x}.5,\"y\":-{y},\"zone\":null}},\"text\":\"some text that goes on for a while\""
    );
    match format {
        "json" => format!("{comma}{{{fields}}}"),
        "pretty" => format!("{comma}\n  {{\n    {}\n  }}", fields.replace(",\"", ",\n    \"")),
        "numbers" => format!("{comma}{x}"),
        "ndjson" => format!("{{{fields}}}\n"),
        "csv" if n == 0 => "id,name,status,x,y,text\n".into(),
        "csv" => format!("{n},item number {x},{status},{x},{y},\"some text, and more\"\n"),
        "diff" => format!(
            "diff --git a/src/f{n}.rs b/src/f{n}.rs\n--- a/src/f{n}.rs\n+++ b/src/f{n}.rs\n\
             @@ -{x},3 +{x},3 @@ fn f{y}()\n     let a = {x};\n-    let b = {y};\n+    let b = {x};\n     a + b\n"
        ),
        _ => format!("{n} {fields}\n"),
    }
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown".into(), |peak| peak.trim().to_owned())
}
