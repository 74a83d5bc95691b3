//! Exact limits on tokens, of a program that has the vocabularies.

#[path = "it/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;

use program::Test;

#[test]
fn exact_token_limit_is_never_exceeded() {
    let text = [
        "error: something went wrong at https://example.com/a/b?c=d\n".repeat(3000),
        "日本語のテキストと絵文字 🚀🚀\n".repeat(3000),
        "0123456789abcdef".repeat(10_000),
    ]
    .concat();
    let counters = [("o200k", bpe_openai::o200k_base()), ("cl100k", bpe_openai::cl100k_base())];
    for (name, vocabulary) in counters {
        for most in [20, 100, 1_000, 5_000] {
            let words = ["cut", "--max-tokens", &most.to_string(), "--tokenizer", name];
            let none = ["--max-bytes", "none", "--max-lines", "none"];
            let done = Test::new(&[&words[..], &none].concat()).stdin(text.clone()).run().code(0);
            let count = vocabulary.count(&done.text());
            assert!(count <= most && count > most / 3, "{name}: {count} of {most}");
        }
    }
}

#[test]
fn ten_megabytes_without_a_break_are_counted() {
    let words = ["cut", "--max-tokens", "1000", "--tokenizer", "o200k", "--max-bytes", "none"];
    let done = Test::new(&words).stdin("x".repeat(10 << 20)).run().code(0);
    assert!(bpe_openai::o200k_base().count(&done.text()) <= 1000);
}
