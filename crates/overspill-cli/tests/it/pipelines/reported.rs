//! The failures that are reported, and the words of the report.

use super::ours;

/// The lines, and the exit code that overspill must report.
const REPORTED: &[(&str, Option<i32>)] = &[
    ("(seq 9; exit 101) 2>&1 | tail -5", Some(101)),
    ("sh -c 'seq 9; exit 101' 2>&1 | tail -5", Some(101)),
    ("sh -c 'seq 9; exit 0' 2>&1 | tail -5", None),
    ("sh -c 'seq 9; exit 3' | tail -c 20", Some(3)),
    ("yes | head -1", None),
    ("true | false", None),
    ("set -o pipefail; false | cat", None),
    ("false; true", None),
    ("false || true", None),
    ("false | cat || true", None),
    ("false | cat || echo no", None),
    ("false | grep zzz", None),
    ("git describe --tags 2>/dev/null | cat", None),
    ("for d in a b; do ls $d 2>/dev/null; done | wc -l", None),
    ("(cat /dev/null; [ -f b ] && cat b) | sort", None),
    ("mkdir d; echo foo > x; grep foo * 2>&1 | cat", None),
    (
        "x=$(printf %0200000d 1); for i in 1 2 3 4 5 6 7 8; do : \"$x\"; false | cat; done; echo done",
        Some(1),
    ),
    ("! false | true", None),
    ("(exit 7) | cat | cat", Some(7)),
    ("x=$(false | cat); echo $x", None),
    ("for i in 1 2; do false | cat; done; echo done", Some(1)),
    ("sh -c 'echo a; exit 2' > out.txt 2>&1 | tail -2; cat out.txt | wc -l", None),
    ("cat <<'E' | tail -1\na | b\nE", None),
    ("echo 'a | tail -1'", None),
    ("echo \"x $(seq 3 | tail -1)\" | cat", None),
    ("seq 1 100000 | grep 99999", None),
    ("seq 1 10 | grep zzz", None),
    ("seq 1 10 | grep zzz | cat", None),
    ("false |& tail -1", Some(1)),
    ("sh -c 'echo hi; exit 9' | tee t.txt | tail -1", Some(9)),
    ("seq 5 | while read x; do echo $x; done | tail -2", None),
    ("trap 'echo bye' EXIT; false | cat", Some(1)),
    ("set -e; false | cat; echo after", Some(1)),
    ("exec true", None),
    ("false | while read x; do echo $x; done", None),
    ("(sleep 0.1; echo late) & seq 3 | tail -1; wait", None),
    ("cat <(false) | tail -1", None),
    ("printf '%s\\n' a b c | sort -r | head -1", None),
    ("false | cat > /dev/null; true", Some(1)),
    ("seq 1 300000 | tail -3; exit 4", None),
    ("{ echo a; exit 5; } | cat", Some(5)),
    ("bash -c 'kill -9 $$' | cat", Some(137)),
    ("python3 -c 'import sys; print(\"x\" * 100000); sys.exit(8)' | tail -c 10", Some(8)),
    ("shopt -s lastpipe; echo a | read v; echo $v", None),
    ("echo ok | sed -n '1p'", None),
    ("ls /nonexistent 2>/dev/null | wc -l", None),
    ("nosuchcommand 2>/dev/null | wc -l", Some(127)),
    ("ls /nonexistent | wc -l", Some(2)),
    ("grep -q x /dev/null | cat; echo hi", None),
    ("diff /etc/passwd /dev/null | tail -1", None),
    ("git diff --no-index /etc/passwd /dev/null | tail -1", None),
    ("a=1 env sh -c 'exit 6' | sort | uniq -c", Some(6)),
    ("cd / && sh -c 'exit 6' | cat && echo ok", Some(6)),
    ("f() { false | cat; }; f", None),
    ("(false | cat)", None),
    ("eval 'false | cat; true'", Some(1)),
    ("sh -c 'exit 3' | cat & wait", None),
    ("seq 3 | xargs -n1 sh -c 'exit 2' | cat", Some(123)),
    ("find . -exec grep -q zzz {} + | cat", None),
    // A runner answers only if its command does.
    ("bash -c 'npm() { return 1; }; npm test' | tail -1", Some(1)),
    ("sh -c 'grep zzz /dev/null' | tail -1", None),
    // A reader that left says nothing about the stages after it, nor about another pipeline.
    ("yes | sh -c 'exit 3' | tail -1", Some(3)),
    ("seq 200000 | sh -c 'exit 3' | tail -1", Some(3)),
    ("seq 200000 | nosuch 2>&1 | tail -1", Some(127)),
    ("seq 100000 | head -1; echo y | sh -c 'exit 3' | tail -1", Some(3)),
    // The last command does not run.
    ("sh -c 'exit 3' | tail -3 || exit 1", Some(3)),
    ("sh -c 'exit 3' | tail -3 || echo failed >&2", None),
    // bash replaces itself by `cat`, so it cannot report.
    ("sh -c 'exit 3' | tail -3 || cat build.log", None),
    ("true && sh -c 'exit 3' | tail -3 || exit 1", Some(3)),
    // `|| true` belongs to one pipeline.
    ("sh -c 'exit 3' | tail -5; sh -c 'exit 4' | tail -5 || true", Some(3)),
    ("sh -c 'exit 3' | tail -1; true || echo \"tail -1 || echo\"", Some(3)),
    ("for i in 1; do sh -c 'exit 3' | tail -1 || true; done", None),
    ("sh -c 'exit 3' | tail -1; (exit 4) | tail -1 || true", Some(3)),
    // The reader leaves.
    ("python3 -c 'print(\"x\\n\" * 200000)' 2>&1 | sed 's/x/y/;5q' | wc -l", None),
    ("python3 -c 'print(\"x\\n\" * 200000)' 2>&1 | dd bs=1 count=3 2>&1 | wc -l", None),
    ("python3 -c 'print(\"x\\n\" * 200000)' 2>&1 | perl -ne 'print; last'", None),
    ("echo a | python3 -c 'print(\"x\\n\" * 200000)' 2>&1 | perl -ne 'print; last'", None),
    // The line asks for this exit code.
    ("timeout -s KILL 0.1 sleep 2 | cat", None),
    ("timeout --preserve-status 0.1 sleep 2 | cat", None),
    ("mkdir d; echo foo > x; for f in d x d; do grep foo $f 2>&1; done | sort", None),
    ("sh -c 'exit 3' 2>\"/dev/null\" | tail -1", None),
    ("printf 'b\\na\\n' | sort -c 2>&1 | cat", None),
    // Two pipelines end with the same codes.
    ("grep zzz /dev/null | wc -l; sh -c 'exit 1' | tail -1", Some(1)),
    ("grep zzz /dev/null | wc -l; grep yyy /dev/null | wc -c; sh -c 'exit 1' | tail -1", Some(1)),
    ("grep zzz /dev/null | wc -l; seq 3 | cat | cat | tail -1", None),
    ("grep zzz /dev/null | cat | wc -l; sh -c 'exit 0' | cat | cat | cat", None),
    ("grep zzz /dev/null | wc -l; sh -c 'exit 0' | tail -1 | cat; sh -c 'exit 0' | tail -1", None),
    ("grep zzz /dev/null | wc -l; sh -c 'exit 1' |& tail -1", Some(1)),
    ("grep zzz /dev/null | wc -l; true | tail -1 & wait", None),
    ("ls /nonexistent 2>/dev/null | cat; for i in 1; do true | tail -1 & wait; done", None),
    // Code 1 of a stage in parentheses, or of a function, may be an answer.
    ("f() { grep zzz /dev/null; }; f | cat", None),
    ("f() { return 4; }; f | cat", Some(4)),
    ("(find . -name zzz -o -name . | xargs grep -s zzz) | cat", None),
    ("(cd .; grep y /nonexistent) | cat", None),
    ("(cd . && grep zzz /dev/null) | cat", None),
    ("(cd . && sh -c 'exit 1') 2>&1 | tail -5", None),
    ("(cd . && sh -c 'exit 4') 2>&1 | tail -5", Some(4)),
    // This pipe has only compound commands.
    ("true | tail -1; (grep zzz /dev/null) | (cat)", None),
    ("true | tail -1; for f in a b; do false; done | while read f; do echo $f; done", None),
    ("true | tail -1; { (exit 5); } | { cat; }; echo x", None),
    // Functions in other spellings, and functions that the line does not define.
    ("function chk { grep zzz /dev/null; }; chk | cat", None),
    ("echo 'chk() { grep zzz /dev/null; }' > lib.sh; . ./lib.sh; chk | cat", None),
    ("echo 'chk() { return 4; }' > lib.sh; . ./lib.sh; chk | cat", Some(4)),
    ("chk() { grep zzz /dev/null; }; X=1 chk | cat", None),
    ("chk() { grep zzz /dev/null; }; \"chk\" | cat; \\chk | cat", None),
    ("grep() { return 1; }; export -f grep; LC_ALL=C grep | cat", None),
    // A line has room for some dozen reports.
    (
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do grep zzz /dev/null | head -1; done; sh -c 'exit 3' | tail -1",
        Some(3),
    ),
    ("echo 'grep zzz /dev/null' > part.sh; . ./part.sh | cat", None),
    ("shopt -s expand_aliases; alias g=grep\ng zzz /dev/null | cat", None),
    // Answers.
    ("printf 'exit 4' > jq; chmod +x jq; ./jq -e '.[]' e.json | wc -l", None),
    ("sh -c 'command -v nosuch' | cat", None),
    ("printf 'exit 1' > dash; chmod +x dash; ./dash -c 'grep zzz /dev/null' | cat", None),
    ("`which grep` zzz /dev/null | cat", None),
    ("printf 'exit 1' > dpkg-query; chmod +x dpkg-query; ./dpkg-query -W nosuch | cat", None),
    ("tty | cat", None),
    ("sh -c 'exit 3' | cat || printf 'no\\n'", None),
    // The line handles the failure, or throws the errors away.
    ("if ! sh -c 'exit 3' 2>&1 | tail -1; then echo failed; fi", None),
    ("while ! sh -c 'exit 3' 2>&1 | tail -1; do break; done; echo x", None),
    ("while ! for f in a; do sh -c 'exit 3'; done | tail -1 | cat; do break; done; echo x", None),
    ("exec 2>/dev/null; ls x | wc -l", None),
    ("exec 3>&1 2>/dev/null; ls x | wc -l", None),
    ("(exec 2>/dev/null; true); sh -c 'exit 3' | tail -1", Some(3)),
    ("find . ! \\( -name x \\) | wc -l; (exit 3) 2>&1 | tail -1; for i in 1; do :; done", Some(3)),
    ("N=/dev/null; ls x 2>$N | wc -l", None),
    // Quotes, line breaks and comments after a loop.
    ("for i in 1; do :; done; sh -c 'exit 3' 2>&1 | grep -v 'x;y' | wc -l", Some(3)),
    ("if [ -d s ]; then cd s; fi\nsh -c 'exit 3' 2>&1 |\n tail -5", Some(3)),
    ("arr=(a b); sh -c 'exit 3' \"${arr[@]}\" 2>&1 | sed 's/;/x/'", Some(3)),
    ("for d in a b; do :; done; sh -c 'exit 3' 2>&1 | tail -1 # see a; b", Some(3)),
    ("for d in a b; do :; done; cd . && sh -c 'exit 3' 2>&1 | tail -1 || exit 1", Some(3)),
    // A here-document belongs to the first command.
    ("python3 - <<EOF 2>&1 | tail -5\nraise ValueError('x')\nEOF", Some(1)),
    ("sh <<'EOF' | tail -5\nexit 1\nEOF", Some(1)),
    // The redirection belongs to another command.
    ("bash -c 'cd . 2>/dev/null; exit 5' | tail -1", Some(5)),
    ("timeout 60 bash -c 'kill -SEGV $$' x -k foo | tail -1", Some(139)),
];

#[test]
fn hidden_failures_are_reported_as_in_the_table() {
    let mut wrong = Vec::new();
    for (line, expected) in REPORTED {
        for mode in ["status", "full"] {
            let seen = ours(line, mode);
            let is_unnamed =
                mode == "status" && line.starts_with(['(', '{']) && *expected == Some(1);
            let expected = if is_unnamed { None } else { *expected };
            if seen.reported() != expected {
                wrong.push(format!("{mode}: {line}: {seen:?}"));
            }
        }
        assert_eq!(ours(line, "off").notice, None, "{line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn last_command_is_named_only_if_its_name_is_a_word() {
    for line in ["sh -c 'exit 3' | $(echo tail) -1", "sh -c 'exit 3' | $X tail -1"] {
        for mode in ["status", "full"] {
            let notice = ours(line, mode).notice.unwrap();
            assert!(notice.contains("the exit code 0 is the last command's."), "{mode}: {notice}");
        }
    }
}

#[test]
fn redirections_before_the_command_are_read_with_full() {
    for line in [
        "</dev/null sh -c 'exit 1' | tail -5",
        "2>&1 sh -c 'exit 1' | tail -1",
        "time -p sh -c 'exit 1' 2>&1 | tail -1",
    ] {
        let seen = ours(line, "full");
        assert_eq!(seen.reported(), Some(1), "{line}: {seen:?}");
    }
}
