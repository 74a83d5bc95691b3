//! Compares the token estimate with the exact o200k count.

#![allow(clippy::print_stdout, reason = "the ratios are worth seeing")]

use overspill_core::Tokens;

#[track_caller]
fn within_15_percent(what: &str, text: &str) {
    let exact = bpe_openai::o200k_base().count(text) as f64;
    let estimate = Tokens::Estimate.count(text.as_bytes()) as f64;
    let by_four = text.chars().count() as f64 / 4.0;
    let ratio = estimate / exact;
    println!("{what}: {ratio:.2} of {exact} tokens (characters / 4: {:.2})", by_four / exact);
    assert!((0.85..=1.15).contains(&ratio), "{what}: {ratio:.2} of the exact count");
}

#[test]
fn estimate_of_english_logs_is_within_15_percent() {
    within_15_percent("cargo log", include_str!("../data/cargo.log"));
    within_15_percent("pytest log", include_str!("../data/pytest.log"));
    within_15_percent("npm log", include_str!("../data/npm.log"));
}

#[test]
fn estimate_of_source_code_is_within_15_percent() {
    within_15_percent("rust", include_str!("../../src/text/clean.rs"));
    within_15_percent("more rust", include_str!("../../src/cut.rs"));
    within_15_percent("toml", include_str!("../../../../Cargo.toml"));
}

#[test]
fn estimate_of_prose_in_other_scripts_is_within_15_percent() {
    for (index, text) in include_str!("../data/prose.txt").split("\n\n").enumerate() {
        within_15_percent(&format!("paragraph {index}"), text);
    }
}

/// Returns bytes that look random.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn estimate_of_base64_is_within_15_percent() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let line: String = noise(20_000).iter().map(|&b| ALPHABET[b as usize % 64] as char).collect();
    within_15_percent("base64 on one line", &line);
    let lines: Vec<&str> = (0..line.len() / 76).map(|i| &line[i * 76..(i + 1) * 76]).collect();
    within_15_percent("base64 in lines", &lines.join("\n"));
}

#[test]
fn progress_bars_are_not_underestimated() {
    for bar in ["🟩", "🚀", "✅", "░", "⠋", "→"] {
        let text = bar.repeat(200);
        let exact = bpe_openai::o200k_base().count(&text) as u64;
        let estimate = Tokens::Estimate.count(text.as_bytes());
        assert!(estimate * 10 >= exact * 8, "{bar}: {estimate} of {exact}");
    }
}

#[test]
fn estimate_of_hex_is_within_15_percent() {
    let hex: Vec<String> = noise(8_000).iter().map(|byte| format!("{byte:02x}")).collect();
    let dump: Vec<String> = hex.chunks(16).map(|row| row.join(" ")).collect();
    within_15_percent("hex dump", &dump.join("\n"));
    let sums: Vec<String> =
        hex.chunks(32).enumerate().map(|(i, row)| format!("{}  file{i}", row.concat())).collect();
    within_15_percent("checksums", &sums.join("\n"));
}
