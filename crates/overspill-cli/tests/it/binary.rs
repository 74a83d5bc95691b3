//! Binary output: notices, `read`, `read --hex` and `grep`.

use crate::program::{Done, Test, program};
use crate::terminal::run_on_terminal;

/// Saves 8,000 bytes that begin like a program.
fn saved() -> Done {
    let mut bytes = b"\x7fELF\x02\x01\x01\0".to_vec();
    bytes.extend((0..8_000_u32 - 8).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8));
    Test::new(&["cut", "--max-bytes", "1000"]).stdin(bytes).run().code(0)
}

#[test]
fn notice_of_binary_output_has_commands_to_read_it() {
    let done = saved();
    let text = done.text();
    assert!(text.contains(": binary (ELF), ") && text.contains(" not shown; "), "{text}");
    assert!(text.contains(" --hex 0:256; ") && text.contains("grep -a RE "), "{text}");
}

#[test]
fn read_hex_shows_offsets_of_the_output_and_the_next_command() {
    let done = saved();
    let (code, text, _) = done.then(&["read", "--hex", "0:32"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("00000000  7f 45 4c 46 02 01 01 00  "), "{text}");
    assert!(lines[0].contains("  |.ELF"), "{text}");
    assert!(lines[1].starts_with("00000010  "), "{text}");
    assert!(lines[2].contains(": bytes 0–32 of 8000; next: "), "{text}");
    assert!(lines[2].ends_with(" --hex 32:64]"), "{text}");
    let (_, text, _) = done.then(&["read", "--hex", "7990:"]);
    assert!(
        text.starts_with("00001f36  ") && text.ends_with("bytes 7990–8000 of 8000]\n"),
        "{text}"
    );
}

#[test]
fn read_hex_beyond_the_end_tells_the_size() {
    let done = saved();
    let (_, text, _) = done.then(&["read", "--hex", "9000:"]);
    assert!(text.ends_with(": the output has 8000 bytes]\n"), "{text}");
}

#[test]
fn read_hex_of_a_large_range_is_one_page() {
    let done = saved();
    let (_, all, _) = done.then(&["read", "--hex", "0:"]);
    assert_eq!(all.lines().count(), 501, "{all}");
    let test = Test::new(&["cut"]).stdin([0_u8; 200_000]).run();
    let (_, text, _) = test.then(&["read", "--hex", "0:"]);
    assert!(text.len() <= 50 << 10 && text.contains("next: "), "{}", text.len());
}

#[test]
fn read_hex_numbers_bytes_as_in_the_original() {
    let test = Test::new(&["cut", "--max-bytes", "1000"]).stdin([7_u8; 9_000]);
    let mut command = test.command();
    command.env("OVERSPILL_MAX_OUTPUT", "4000").stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &[7; 9_000]).unwrap();
    child.wait().unwrap();
    let output = program(test.dir.path()).args(["read", "--hex", "1984:8000"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("000007c0  07 07 "), "{text}");
    assert!(text.contains("bytes 2000–7000 were not kept\n00001b58  07 07 "), "{text}");
    assert!(text.contains("bytes 1984–8000 of 9000"), "{text}");
}

#[test]
fn grep_a_searches_binary_output() {
    let done = saved();
    let (code, text, _) = done.then(&["grep", "-a", "ELF"]);
    assert!(code == 0 && text.starts_with("1:␡ELF"), "{text}");
}

#[test]
fn read_of_binary_output_says_what_it_is_and_how_to_look() {
    let done = saved();
    let (code, text, error) = done.then(&["read"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(text.contains(": binary (ELF), 7.8 KiB, not shown; "), "{text}");
    let id = done.id()[20..].to_lowercase();
    for way in
        [format!("read {id} --hex 0:256"), format!("read {id} --raw"), format!("grep -a RE {id}")]
    {
        assert!(text.contains(&way), "{way}: {text}");
    }
    assert_eq!(text.lines().count(), 1, "{text}");
    let mut command = program(done.test.dir.path());
    command.arg("read").env("TERM", "xterm").env("PAGER", "cat");
    let (seen, code) = run_on_terminal(command, (33, 500));
    assert_eq!((seen, code), (text, Some(0)));
}

#[test]
fn read_of_binary_output_is_exact_with_raw_and_shows_asked_parts() {
    let done = saved();
    let output = program(done.test.dir.path()).args(["read", "--raw"]).output().unwrap();
    assert_eq!(output.stdout, done.test.stdin);
    let (_, text, _) = done.then(&["read", "--bytes", "0:4"]);
    assert!(text.starts_with("␡ELF"), "{text}");
}

#[test]
fn read_of_binary_output_kept_by_its_ends_is_named_too() {
    let bytes: Vec<u8> =
        (0..9_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let done = Test::new(&["cut", "--keep", "ends", "--max-bytes", "1000"]).stdin(bytes).run();
    let (_, text, _) = done.then(&["read"]);
    assert!(text.contains(": binary, 8.8 KiB, not shown; "), "{text}");
}

#[test]
fn read_hex_masks_secrets() {
    let text = "a ghp_0123456789abcdefghijABCDEFGHIJ012345 b\n".repeat(100);
    let done = Test::new(&["cut", "--max-bytes", "1000"]).stdin(text).run();
    let mut command = program(done.test.dir.path());
    let output = command.args(["read", "--hex", "0:48"]).env("OVERSPILL_REDACT", "all").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(text.contains("|a ghp_**********|") && !text.contains("abcdef"), "{text}");
}
