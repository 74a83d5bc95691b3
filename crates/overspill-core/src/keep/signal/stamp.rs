//! Recognizes the prefix that a CI system or a logger puts before a line: time stamps and columns.
//! The score ignores the prefix.

/// The largest number of bytes of a time stamp, without a bracket and a blank after it.
const LONGEST_TIME: usize = 48;

/// The largest number of bytes of the names of a job and its step, tabs included.
const LONGEST_NAMES: usize = 128;

/// The largest number of bytes of the columns of syslog: the machine, the program and its process.
const LONGEST_SENDER: usize = 64;

/// The largest number of bytes of a prefix. The prefix of `gh run view --log` is the longest.
pub(super) const LONGEST: usize = LONGEST_NAMES + BYTE_ORDER_MARK.len() + LONGEST_TIME + 2;

/// GitHub begins the log of each step with this mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The number of bytes of the stream column of GitLab.
const STREAM: usize = 4;

const _: () =
    assert!(LONGEST <= u8::MAX as usize, "a line holds the length of its prefix in a byte");

/// Returns the number of bytes of the prefix of `line`, with the blank after it.
///
/// `gh run view --log` prints the job, the step and the time of each line, GitLab the time and the
/// stream, BuildKit the number of the step and the seconds, syslog the time, the machine and the
/// program, checkers of memory the number of the process.
pub(crate) fn len(line: &[u8]) -> usize {
    match line.first() {
        Some(b'#') => step_len(line),
        Some(b'=' | b'-') => process_len(line),
        Some(_) => match time_len(line) {
            0 => match month_len(line) {
                0 => names_len(line),
                time => time + sender_len(&line[time..]),
            },
            time if line.get(DATE) == Some(&b'T') => match stream_len(&line[time..]) {
                0 => time + sender_len(&line[time..]),
                stream => time + stream,
            },
            time => time,
        },
        None => 0,
    }
}

/// The number of bytes of a date: `2024-05-01`.
const DATE: usize = 10;

/// The months as syslog names them.
const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// Returns the number of bytes of a time stamp that begins with a month: `Mar  4 10:00:00 `.
fn month_len(line: &[u8]) -> usize {
    let form = b"aaa 99 99:99:99 ";
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'9' => byte.is_ascii_digit() || *byte == b' ',
        b'a' => true,
        form => byte == form,
    };
    let is_time = line.len() > form.len() && line.iter().zip(form).all(fits);
    if is_time && MONTHS.contains(&&line[..3]) { form.len() } else { 0 }
}

/// Returns the number of bytes of the columns that syslog prints after the time: the machine and
/// the program with its process, `host sshd[123]: `.
fn sender_len(text: &[u8]) -> usize {
    let names = &text[..text.len().min(LONGEST_SENDER)];
    let mut words = names.split(|byte| *byte == b' ');
    let (Some(host), Some(program)) = (words.next(), words.next()) else { return 0 };
    let is_process = program.ends_with(b"]:") && program.contains(&b'[') || program == b"kernel:";
    let len = host.len() + 1 + program.len() + 1;
    if is_process && !host.is_empty() && len <= names.len() { len } else { 0 }
}

/// Tells whether a line begins with the name of a job, the name of a step and the time, as
/// `gh run view --log` prints them.
pub(crate) fn has_job_columns(line: &[u8]) -> bool {
    names_len(line) > 0
}

/// Returns the number of bytes of a time stamp.
///
/// A stamp begins with a digit, perhaps in a bracket. It consists of digits and the characters
/// between them in dates and times, and it has at least four digits and two separators.
fn time_len(line: &[u8]) -> usize {
    let bracket = usize::from(line.first() == Some(&b'['));
    if !line.get(bracket).is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let (mut at, mut digits, mut separators) = (bracket, 0, 0);
    for &byte in line.iter().take(LONGEST_TIME).skip(bracket) {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'-' | b':' | b'/' => separators += 1,
            b'.' | b',' | b'T' | b'Z' | b'+' => {}
            // A date and a time are one stamp. The letter Z ends the time.
            b' ' if separators > 0
                && line[at - 1] != b'Z'
                && line.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            _ => break,
        }
        at += 1;
    }
    if digits < 4 || separators < 2 {
        return 0;
    }
    let closed = match line.get(at) {
        Some(b']') if bracket == 1 => at + 1,
        None | Some(b' ' | b'\t') if bracket == 0 => at,
        _ => return 0,
    };
    // One blank belongs to the stamp. More blanks are the indentation of the line.
    closed + usize::from(line.get(closed).is_some_and(|byte| matches!(byte, b' ' | b'\t')))
}

/// Returns the number of bytes of the columns that `gh run view --log` prints: the name of the job,
/// the name of the step and the time.
fn names_len(line: &[u8]) -> usize {
    let names = &line[..line.len().min(LONGEST_NAMES)];
    let Some(job) = memchr::memchr(b'\t', names) else { return 0 };
    let Some(step) = memchr::memchr(b'\t', &names[job + 1..]) else { return 0 };
    let mut from = job + 1 + step + 1;
    from += if line[from..].starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    match time_len(&line[from..]) {
        0 => 0,
        time => from + time,
    }
}

/// Returns the number of bytes of the column that GitLab prints after the time: two digits of the
/// stream, `O` for stdout or `E` for stderr, and `+` if the line continues the line before.
fn stream_len(text: &[u8]) -> usize {
    match text {
        [high, low, b'O' | b'E', b' ' | b'+', ..]
            if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
        {
            STREAM
        }
        _ => 0,
    }
}

/// Returns the number of bytes of the number of a process between marks, as checkers of memory print
/// it before their lines: `==2227== `.
fn process_len(line: &[u8]) -> usize {
    let mark = &line[..line.len().min(2)];
    let digits = line.iter().skip(2).take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = line.get(2 + digits..).and_then(|rest| rest.strip_prefix(mark));
    let is_process = digits > 0 && matches!(mark, b"==" | b"--");
    if is_process && rest.is_some_and(|rest| rest.starts_with(b" ")) { 2 + digits + 3 } else { 0 }
}

/// Returns the number of bytes of the columns that BuildKit prints: `#12 3.456 `.
fn step_len(line: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = line.get(from..).unwrap_or_default();
        rest.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count()
    };
    let step = digits(1);
    let seconds = digits(step + 2);
    let parts = digits(step + 2 + seconds + 1);
    let end = step + 2 + seconds + 1 + parts;
    let is_column = step > 0 && seconds > 0 && parts > 0;
    let is_separated = |at: usize, byte: u8| line.get(at) == Some(&byte);
    let is_whole = is_separated(step + 1, b' ')
        && is_separated(step + 2 + seconds, b'.')
        && is_separated(end, b' ');
    if is_column && is_whole { end + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_stamps_are_distinguished_from_other_numbers() {
        let stamped = [
            "2024-05-01T12:00:00.1234567Z error",
            "2024-05-01 12:00:00,123 error",
            "[2024-05-01 12:00:00] error",
            "[12:34:56] error",
            "12:34:56.789 error",
            "2024/05/01 12:34:56 error",
            "test (3.12)\tRun tests\t2024-05-01T12:00:00.1234567Z error",
            "test\tSet up job\t\u{feff}2024-05-01T12:00:00.1234567Z error",
            "2024-05-01T12:00:00.123456Z 01O error",
            "2024-05-01T12:00:00.123456Z 0aE+error",
            "#12 3.456 error",
            "Mar  4 10:00:00 host sshd[123]: error",
            "Mar 14 10:00:00 host kernel: error",
            "2024-05-01T10:00:00+0000 host app[9]: error",
            "Mar 14 10:00:00 error",
            "==2227== error",
            "--2227-- error",
        ];
        for line in stamped {
            assert_eq!(&line[super::len(line.as_bytes())..], "error", "{line}");
        }
        for line in ["12 passed", "[1/3] x", "127.0.0.1 - x", "3:14: x", "[12%] x", "1-2-3", ""] {
            assert_eq!(super::len(line.as_bytes()), 0, "{line}");
        }
        for line in
            ["#12 error", "#12 3 error", "#x 3.4 error", "a\tb\terror", "a\t2024-05-01 x", "==9==x"]
        {
            assert_eq!(super::len(line.as_bytes()), 0, "{line}");
        }
        let deep = b"2024-05-01T12:00:00Z     at main";
        assert_eq!(&deep[super::len(deep)..], b"    at main");
    }
}
