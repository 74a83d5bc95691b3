//! Recognizes fields that report a result, such as `status` or `error`, and values that report a
//! failure. The readers of JSON, tables and columns use them.

/// The role of a field, derived from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldRole {
    /// The field does not report a result.
    Plain,
    /// The field describes an error, if an error happened.
    Error,
    /// The field reports a status. It usually has few different values.
    Status,
    /// The field says whether something succeeded.
    Good,
}

/// Returns the role of a field with this name.
pub(super) fn role(name: &[u8]) -> FieldRole {
    let is = |names: &[&str]| names.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes()));
    // This runs for every name, so a look at the first letter avoids most comparisons.
    match name.first().map(u8::to_ascii_lowercase) {
        Some(b'e') if is(&["error", "errors", "err", "exception", "error_message"]) => {
            FieldRole::Error
        }
        Some(b'e') if is(&["errorMessage", "errorCode", "error_code", "exceptions"]) => {
            FieldRole::Error
        }
        Some(b'f') if is(&["failure", "failures", "failed", "fail", "fault"]) => FieldRole::Error,
        Some(b't') if is(&["traceback"]) => FieldRole::Error,
        Some(b's') if is(&["stacktrace", "stack_trace"]) => FieldRole::Error,
        Some(b's') if is(&["status", "state", "severity", "statusCode"]) => FieldRole::Status,
        Some(b's') if is(&["status_code"]) => FieldRole::Status,
        Some(b'l') if is(&["level", "loglevel", "log_level", "levelname", "lvl"]) => {
            FieldRole::Status
        }
        Some(b'r') if is(&["result"]) => FieldRole::Status,
        Some(b'o') if is(&["outcome"]) => FieldRole::Status,
        Some(b'a') if is(&["action"]) => FieldRole::Status,
        Some(b'c') if is(&["conclusion"]) => FieldRole::Status,
        Some(b'v') if is(&["verdict"]) => FieldRole::Status,
        Some(b'o') if is(&["ok"]) => FieldRole::Good,
        Some(b's') if is(&["success", "succeeded", "successful"]) => FieldRole::Good,
        Some(b'p') if is(&["passed"]) => FieldRole::Good,
        _ => FieldRole::Plain,
    }
}

/// The beginnings of status words that report a failure.
const BAD: [&str; 22] = [
    "fail",
    "err",
    "fatal",
    "crit",
    "panic",
    "except",
    "crash",
    "abort",
    "timeout",
    "timed",
    "denied",
    "reject",
    "broken",
    "severe",
    "emerg",
    "unhealthy",
    "invalid",
    "kill",
    // Statuses of Kubernetes pods that do not run.
    "imagepull",
    "oomkill",
    "evict",
    "notready",
];

/// Tells whether the value of a field with this role reports a failure.
///
/// A string value comes without its quotes.
pub(super) fn fails(role: FieldRole, value: &[u8]) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    match role {
        FieldRole::Plain => false,
        FieldRole::Error => {
            !value.is_empty() && !is(&["null", "false", "0", "none", "no", "ok", "-"])
        }
        FieldRole::Good => is(&["false"]),
        FieldRole::Status => {
            begins_badly(value) || ends_badly(value) || is_bad_number(value) || is_bad_exit(value)
        }
    }
}

fn begins_badly(value: &[u8]) -> bool {
    let begins = |word: &str| {
        value.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    BAD.iter().any(|word| begins(word))
}

/// Tells whether a code other than 0 stands in brackets after the first word:
/// `Exited (137) 2 hours ago`, `Restarting (1) 8 seconds ago`.
fn is_bad_exit(value: &[u8]) -> bool {
    let word = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let code = value[word..].strip_prefix(b" (").filter(|_| word > 0).unwrap_or_default();
    let digits = code.iter().take_while(|byte| byte.is_ascii_digit()).count();
    code.get(digits) == Some(&b')') && code[..digits].iter().any(|byte| *byte != b'0')
}

/// Tells whether the last word stands in brackets and reports a failure: `Up 3 days (unhealthy)`.
fn ends_badly(value: &[u8]) -> bool {
    let inner = value.strip_suffix(b")");
    let word = inner.and_then(|inner| Some(&inner[memchr::memrchr(b'(', inner)? + 1..]));
    word.is_some_and(begins_badly)
}

/// Tells whether a number is a log level of an error (50, 60) or an HTTP error status (4xx, 5xx).
fn is_bad_number(value: &[u8]) -> bool {
    match value {
        [b'5' | b'6', b'0'] => true,
        [b'4' | b'5', b, c] => b.is_ascii_digit() && c.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_reports_failure_by_its_name_and_value() {
        let fails = |name: &str, value: &str| fails(role(name.as_bytes()), value.as_bytes());
        for (name, value) in [
            ("error", "no such file"),
            ("errors", "3"),
            ("Status", "FAILED"),
            ("status", "503"),
            ("level", "error"),
            ("level", "50"),
            ("success", "false"),
            ("Action", "fail"),
            ("STATUS", "CrashLoopBackOff"),
            ("STATUS", "Exited (137) 2 hours ago"),
            ("STATUS", "Restarting (1) 8 seconds ago"),
            ("STATUS", "Up 3 days (unhealthy)"),
        ] {
            assert!(fails(name, value), "{name} {value}");
        }
        for (name, value) in [
            ("error", "null"),
            ("errors", "0"),
            ("error", ""),
            ("status", "200"),
            ("status", "passed"),
            ("level", "30"),
            ("name", "failure"),
            ("ok", "true"),
            ("STATUS", "Exited (0) 2 hours ago"),
            ("STATUS", "Up 3 days (healthy)"),
        ] {
            assert!(!fails(name, value), "{name} {value}");
        }
    }
}
