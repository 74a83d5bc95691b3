//! Limits in tokens, in a build without vocabularies.

use crate::program::Test;

#[test]
fn exact_tokenizer_without_vocabularies_is_an_error_with_a_hint() {
    let test = Test::new(&["cut", "--max-tokens", "5", "--tokenizer", "o200k"]).stdin("a\n");
    test.run().code(2).stderr_contains("need a build with the feature `tokenizers`");
    let test = Test::new(&["cut", "--max-tokens", "500", "--tokenizer", "estimate"]);
    let done = test.stdin("some words\n".repeat(5000)).run().code(0);
    assert!(done.text().contains("overspill read "), "{}", done.text());
}
