//! Turns the errors of a bucket into plain sentences.
//!
//! The answer of a server can contain keys and signatures. Only the error code, the HTTP status and
//! known causes are passed on, never the body of an answer.

use std::time::Duration;

use crate::error::without_number;

/// The beginning of the sentence for a missing right.
const DENIED: &str = "access denied";

/// The reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The object does not exist.
    NotFound,
    /// An object of that name already exists.
    Exists,
    /// The object ends before the requested range.
    OutOfRange,
    /// The server did not answer within this time.
    Late(Duration),
    /// The time ran out, and the last answer had this status.
    Refused(u16),
    /// Another reason.
    Other(String),
}

impl Failure {
    /// Tells whether a right is missing.
    pub(super) fn is_denial(&self) -> bool {
        self.to_string().starts_with(DENIED)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NotFound => f.write_str("there is no such object"),
            Failure::Exists => f.write_str("there is an object of that name already"),
            Failure::OutOfRange => f.write_str("the object is shorter than expected"),
            Failure::Late(wait) => {
                let wait = (wait.as_millis() as f64 / 1e3 * 10.0).round() / 10.0;
                write!(f, "no answer within {wait} s")
            }
            Failure::Refused(status) => write!(f, "{}, status {status}", status_means(*status)),
            Failure::Other(reason) => f.write_str(&without_number(reason)),
        }
    }
}

impl From<object_store::Error> for Failure {
    fn from(error: object_store::Error) -> Failure {
        use object_store::Error;
        let text = chain(&error);
        let said = said(&text);
        let missing_bucket = text.contains("NoSuchBucket") || text.contains("ContainerNotFound");
        match error {
            Error::NotFound { .. } if !missing_bucket => Failure::NotFound,
            _ if is_out_of_range(&text, said) => Failure::OutOfRange,
            Error::AlreadyExists { .. } | Error::Precondition { .. } => Failure::Exists,
            _ => match silence(&text) {
                Some(wait) => Failure::Late(wait),
                None => Failure::Other(plain(&text, said)),
            },
        }
    }
}

/// Returns how long the server gave no answer, if this is the reason. Returns `None` if a source of
/// credentials gave no answer: then the reason is missing credentials.
fn silence(text: &str) -> Option<Duration> {
    if is_without_credentials(text) {
        return None;
    }
    let (_, rest) = text.split_once("no answer within ")?;
    let seconds = rest.split(' ').next()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn is_without_credentials(text: &str) -> bool {
    [
        "169.254.",
        "metadata.google.internal",
        "MetadataError",
        "MissingAccessKeyId",
        "MissingSecretAccessKey",
    ]
    .iter()
    .any(|part| text.contains(part))
}

/// Returns the text of an error and of all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

/// Tells whether the requested range begins after the end of the object. Every range of an empty
/// object does.
fn is_out_of_range(text: &str, code: Option<&str>) -> bool {
    code == Some("InvalidRange")
        || status(text) == Some(416)
        || text.contains("Wanted range starting at")
}

/// Returns the error code in a server's answer.
fn said(text: &str) -> Option<&str> {
    let from = text.find("<Code>")? + "<Code>".len();
    let code = &text[from..from + text[from..].find('<')?];
    (code.len() < 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(code)
}

/// Returns the HTTP status of a server's answer.
fn status(text: &str) -> Option<u16> {
    let from = text.find("status code: ")? + "status code: ".len();
    text.get(from..from + 3)?.parse().ok()
}

fn status_means(status: u16) -> &'static str {
    match status {
        403 => DENIED,
        301 | 307 => "the bucket is in another region",
        404 => "there is no such bucket",
        429 | 503 => "the server is overloaded",
        _ => "the server failed",
    }
}

fn plain(text: &str, code: Option<&str>) -> String {
    let has = |part: &str| text.contains(part);
    let known = match code {
        Some("NoSuchBucket" | "ContainerNotFound") => Some("there is no such bucket"),
        Some(
            "AccessDenied"
            | "AuthorizationFailure"
            | "AuthorizationPermissionMismatch"
            | "InsufficientAccountPermissions",
        ) => Some(DENIED),
        Some("InvalidAccessKeyId") => Some("the access key is not known there"),
        Some("SignatureDoesNotMatch") => Some("the secret key does not fit the access key"),
        Some("ExpiredToken") => Some("the credentials have expired"),
        Some("RequestTimeTooSkewed") => Some("the clock of this machine is wrong"),
        // Azure does not tell a wrong key from a wrong account or signature.
        Some("AuthenticationFailed" | "InvalidAuthenticationInfo") => {
            Some("the credentials do not fit the account")
        }
        Some("SlowDown" | "ServiceUnavailable" | "ServerBusy") => Some("the server is overloaded"),
        Some("BadDigest" | "XAmzContentSHA256Mismatch" | "InvalidDigest" | "Md5Mismatch") => {
            Some("the bytes arrived damaged")
        }
        Some(
            "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraint",
        ) => Some("the bucket is in another region"),
        Some("QuotaExceeded" | "EntityTooLarge") => Some("the bucket has no room for it"),
        _ => None,
    };
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    if let Some(known) = known {
        return format!("{known}{code}");
    }
    if has("Account must be specified") {
        return "no storage account is named: neither AZURE_STORAGE_ACCOUNT nor store.account"
            .into();
    }
    if is_without_credentials(text) {
        return "there are no credentials: neither variables, nor a profile, nor an instance role"
            .into();
    }
    if has("Received redirect") {
        return "the bucket is in another region".into();
    }
    if let Some(status) = status(text) {
        return format!("{}, status {status}{code}", status_means(status));
    }
    let network = [
        ("dns error", "its name could not be resolved"),
        ("failed to lookup address", "its name could not be resolved"),
        ("Connection refused", "the connection was refused"),
        ("certificate", "its certificate is not trusted"),
        ("Connection reset", "the connection was reset"),
        ("connection closed", "the connection was closed"),
        ("IncompleteMessage", "the connection was closed"),
        ("timed out", "no answer in time"),
        ("timeout", "no answer in time"),
        ("URL scheme is not allowed", "http:// works only for an endpoint that you set"),
    ];
    match network.iter().find(|(part, _)| has(part)) {
        Some((_, what)) => format!("{what}{code}"),
        None if !code.is_empty() => format!("the server failed{code}"),
        None => format!("the request failed: {}", last_cause(text)),
    }
}

/// Returns the last cause of an error, which is the reason, without the body of an answer.
fn last_cause(text: &str) -> String {
    let text = text.split('<').next().unwrap_or_default();
    let last = text.trim_end_matches([' ', ':']).rsplit(": ").next().unwrap_or_default();
    last.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_text_contains_no_secrets_of_the_answer() {
        let body = "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\
            <Error><Code>SignatureDoesNotMatch</Code><Message>x</Message><AWSAccessKeyId>AKIDSECRET\
            </AWSAccessKeyId><StringToSign>abc</StringToSign></Error>";
        let told = plain(body, said(body));
        assert_eq!(told, "the secret key does not fit the access key (SignatureDoesNotMatch)");
        let odd = "Generic S3 error: Server returned error response: <Error><Odd>AKIDSECRET</Odd>";
        assert!(!plain(odd, said(odd)).contains("AKIDSECRET"));
        let late = Failure::Late(Duration::from_millis(4_960));
        assert_eq!(late.to_string(), "no answer within 5 s");
    }
}
