//! Random lines from a small grammar.

use proptest::prelude::*;

use super::{ours, plain};

/// Returns a stage of a pipeline that ends soon.
fn stage() -> impl Strategy<Value = String> + Clone {
    let first = prop_oneof![
        Just("seq 1 3"),
        Just("echo 'a | b'"),
        Just("sh -c 'echo x; exit 3'"),
        Just("false"),
        Just("true"),
        Just("printf 'a\\nb\\n'"),
        Just("nosuch"),
        Just("(echo s; exit 2)"),
        Just("cat <<<'h'"),
        Just("echo \"$(seq 2 | tail -1)\""),
        Just("sh -c 'kill -9 $$'"),
        Just("echo $_ $LINENO"),
        Just("x=1 env printenv x"),
        Just("! true"),
        Just("yes"),
    ];
    first.prop_map(str::to_owned)
}

fn filter() -> impl Strategy<Value = String> + Clone {
    let filter = prop_oneof![
        Just("cat"),
        Just("tail -1"),
        Just("head -1"),
        Just("grep x"),
        Just("grep -c a"),
        Just("wc -l"),
        Just("sort"),
        Just("sed -n 1p"),
        Just("tr a b"),
        Just("(cat; exit 4)"),
        Just("while read l; do echo \"<$l>\"; done"),
        Just("tee f"),
    ];
    filter.prop_map(str::to_owned)
}

/// Returns a line of one to three pipelines. The reader of `yes` always leaves.
pub(super) fn line() -> impl Strategy<Value = String> {
    let pipe = prop_oneof![4 => Just(" | "), 1 => Just(" |& ")];
    let pipeline =
        (stage(), proptest::collection::vec((pipe, filter()), 0..3)).prop_map(|(first, rest)| {
            let endless = first == "yes";
            let first = if endless { "yes | head -2".into() } else { first };
            rest.iter().fold(first, |line, (pipe, filter)| format!("{line}{pipe}{filter}"))
        });
    let join = prop_oneof![Just("; "), Just(" && "), Just(" || "), Just("\n")];
    (pipeline.clone(), proptest::collection::vec((join, pipeline), 0..3)).prop_map(
        |(first, rest)| rest.iter().fold(first, |line, (join, next)| format!("{line}{join}{next}")),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn random_lines_differ_only_in_the_notice(line in line()) {
        let expected = plain(&line);
        for mode in ["status", "full"] {
            prop_assert_eq!(&ours(&line, mode).without_notice(&expected), &expected, "{}: {}", mode, line);
        }
    }
}
