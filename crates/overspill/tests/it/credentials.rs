//! Tests that redaction finds the usual credentials and leaves ordinary lines unchanged.
//!
//! The credentials are made up at run time, so that no scanner takes this file for a leak.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::sync::Arc;

use overspill::Redaction;
use overspill::internal::redact::Redactor;

const ALL: &str = "aK3bQ9cZ0dX7eL2fR5gT8hW1iY6jU4kI0lO9mP3nA7oS2pD5qF8rG1sH6tJ4uV0vC9wB3xN7yM2zE5";
const HEX: &str = "0f3a9c5e1b7d2084f6ac8e0b4d6192573ea1c5f90b7d3e8264";
const UPPER: &str = "K3BQ7CZ2DX5EL4FR6GTHWIYJUKMOPNASDFGHJ2K4L6Q3W5E7R";

/// Returns `len` characters of an alphabet.
fn of(alphabet: &str, len: usize) -> String {
    alphabet.chars().cycle().take(len).collect()
}

/// The prefixes of vendors, the alphabet of the text after them, and its usual length.
const PREFIXES: &[(&str, &str, usize)] = &[
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("ghp_", ALL, 36),
    ("wandb_v1_", ALL, 77),
    ("snyk_uat.", ALL, 60),
    ("retool_01", ALL, 26),
    ("fc-", HEX, 32),
    ("sk.eyJ", ALL, 70),
    ("gho_", ALL, 36),
    ("ghu_", ALL, 36),
    ("ghs_", ALL, 36),
    ("ghr_", ALL, 36),
    ("github_pat_", ALL, 82),
    ("glpat-", ALL, 20),
    ("glrt-", ALL, 20),
    ("gldt-", ALL, 20),
    ("glcbt-64_", ALL, 20),
    ("glptt-", HEX, 40),
    ("glft-", ALL, 20),
    ("glsoat-", ALL, 20),
    ("glagent-", ALL, 50),
    ("gloas-", HEX, 64),
    ("glimt-", ALL, 25),
    ("glffct-", ALL, 20),
    ("xoxb-123456789012-123456789012-", ALL, 24),
    ("xoxp-123456789012-123456789012-", ALL, 24),
    ("xoxe-1-", UPPER, 140),
    ("xapp-1-A0123456789-1234567890123-", HEX, 64),
    ("xwfp-", ALL, 40),
    ("GOCSPX-", ALL, 28),
    ("ya29.", ALL, 120),
    ("AIza", ALL, 35),
    ("1//0", ALL, 60),
    ("sk-", ALL, 48),
    ("sk-svcacct-", ALL, 80),
    ("sk-admin-", ALL, 80),
    ("sk-proj-", ALL, 120),
    ("sk-None-", ALL, 48),
    ("sk-ant-api03-", ALL, 95),
    ("sk-ant-admin01-", ALL, 95),
    ("sk-ant-oat01-", ALL, 95),
    ("sk-or-v1-", HEX, 64),
    ("gsk_", ALL, 52),
    ("xai-", ALL, 80),
    ("pplx-", ALL, 48),
    ("r8_", ALL, 37),
    ("hf_", ALL, 34),
    ("api_org_", ALL, 34),
    ("csk-", ALL, 48),
    ("fw_", ALL, 24),
    ("nvapi-", ALL, 64),
    ("tvly-", ALL, 32),
    ("lsv2_pt_", HEX, 43),
    ("pcsk_", ALL, 70),
    ("sk_live_", ALL, 24),
    ("sk_test_", ALL, 24),
    ("rk_live_", ALL, 24),
    ("rk_test_", ALL, 24),
    ("whsec_", ALL, 32),
    ("dop_v1_", HEX, 64),
    ("doo_v1_", HEX, 64),
    ("dor_v1_", HEX, 64),
    ("SK", HEX, 32),
    ("AC", HEX, 32),
    ("key-", HEX, 32),
    ("xkeysib-", HEX, 81),
    ("shpat_", HEX, 32),
    ("shpss_", HEX, 32),
    ("shpca_", HEX, 32),
    ("shppa_", HEX, 32),
    ("sq0atp-", ALL, 22),
    ("sq0csp-", ALL, 43),
    ("EAAAE", ALL, 59),
    ("access_token$production$", HEX, 49),
    ("dapi", HEX, 32),
    ("hvs.", ALL, 90),
    ("hvb.", ALL, 140),
    ("hvr.", ALL, 90),
    ("aK3bQ9cZ0dX7eL.atlasv1.", ALL, 67),
    ("dp.pt.", ALL, 43),
    ("dp.st.dev.", ALL, 43),
    ("lin_api_", ALL, 40),
    ("ntn_", ALL, 46),
    ("secret_", ALL, 43),
    ("PMAK-", HEX, 59),
    ("glsa_", ALL, 41),
    ("glc_", ALL, 80),
    ("eyJrIjoi", ALL, 80),
    ("NRAK-", UPPER, 27),
    ("NRII-", ALL, 32),
    ("NRJS-", HEX, 19),
    ("sntrys_", ALL, 120),
    ("sntryu_", HEX, 64),
    ("abc8Q~", ALL, 34),
    ("AGE-SECRET-KEY-1", UPPER, 58),
    ("HRKU-", ALL, 60),
    ("sbp_", HEX, 40),
    ("sb_secret_", ALL, 31),
    ("fm1r_", ALL, 120),
    ("fm2_", ALL, 120),
    ("ATATT3", ALL, 180),
    ("ATCTT3", ALL, 180),
    ("ATBB", ALL, 32),
    ("AKCp8", ALL, 68),
    ("cmVmd", ALL, 59),
    ("dckr_pat_", ALL, 27),
    ("dckr_oat_", ALL, 32),
    ("rubygems_", HEX, 48),
    ("cio", ALL, 32),
    ("npm_", ALL, 36),
    ("pypi-AgEIcHlwaS5vcmc", ALL, 150),
    ("oy2", "k3b7cz2dx5el4fr6gthwiyju", 43),
    ("tskey-auth-", ALL, 40),
    ("ops_eyJ", ALL, 300),
    ("nfp_", ALL, 36),
    ("pscale_tkn_", ALL, 43),
    ("pscale_pw_", ALL, 43),
    ("pscale_oauth_", ALL, 43),
    ("pnu_", ALL, 36),
    ("pul-", HEX, 40),
    ("CFPAT-", ALL, 43),
    ("sl.", ALL, 135),
    ("EAAC", ALL, 180),
    ("12345678:AA", ALL, 33),
    ("figd_", ALL, 40),
    ("pataK3bQ9cZ0dX7eL.", HEX, 64),
    ("tfp_", ALL, 59),
    ("duffel_test_", ALL, 43),
    ("aio_", ALL, 28),
    ("LTAI", ALL, 20),
    ("AKID", ALL, 32),
    ("AQVN", ALL, 35),
    ("django-insecure-", ALL, 50),
    ("https://hooks.slack.com/services/T0123ABCD/B0123ABCD/", ALL, 24),
    ("https://discord.com/api/webhooks/123456789012345678/", ALL, 68),
    ("https://acme.webhook.office.com/webhookb2/", HEX, 120),
    ("https://a.test/f?sv=2022&sig=", ALL, 44),
    ("$2b$12$", ALL, 53),
    ("$6$aK3bQ9cZ$", ALL, 86),
];

/// Lines with the name of a secret. `@@` stands for its value.
const TOKENS: &[&str] = &[
    "aws_secret_access_key = @@",
    "aws_secret_access_key                      = @@",
    "AWS_SECRET_ACCESS_KEY=@@",
    "\"SecretAccessKey\": \"@@\"",
    "secretAccessKey: @@",
    "aws-secret-access-key: @@",
    "{\\\"SecretAccessKey\\\":\\\"@@\\\"}",
    "AWS_SESSION_TOKEN=@@",
    "AccountName=acme;AccountKey=@@;EndpointSuffix=core.windows.net",
    "Endpoint=sb://a.test/;SharedAccessKeyName=Root;SharedAccessKey=@@",
    "Authorization: Bearer @@",
    "authorization: bearer  @@",
    "Authorization: token @@",
    "Proxy-Authorization: Basic @@",
    "X-Api-Key: @@",
    "api-key: @@",
    "X-Auth-Token: @@",
    "PRIVATE-TOKEN: @@",
    "curl -H 'Private-Token: @@' https://a.test",
    "api_key=@@",
    "apiKey: '@@',",
    "client_secret=@@",
    "https://a.test/?access_token=@@&page=2",
    "refresh_token: @@",
    "--token @@",
    "--api-key=@@",
    "CLOUDFLARE_API_TOKEN=@@",
    "    token: @@",
    "https://@@@github.com/a/b",
    "//registry.test/:_authToken=@@",
    "Set-Cookie: sessionid=@@; Path=/; HttpOnly",
    "Cookie: a=b; session=@@",
    "SECRET_KEY_BASE=@@",
    "SECRET_KEY = \"@@\"",
    "    client-key-data: @@",
    "PrivateKey = @@",
    "{\"name\": \"API_TOKEN\", \"value\": \"@@\"}",
    "- name: API_TOKEN\n  value: @@",
    "<apiKey>@@</apiKey>",
];

/// Lines with a password. `@@` stands for it.
const PASSWORDS: &[&str] = &[
    "password=@@",
    "DB_PASSWORD=@@",
    "MYSQL_PWD=@@",
    "PGPASSWORD=@@ psql -h db",
    "password: @@",
    "\"password\": \"@@\"",
    "'password' => '@@'",
    "--password @@",
    "--password=@@",
    "<password>@@</password>",
    "spring.datasource.password=@@",
    "Server=db;User Id=sa;Password=@@;",
    "Server=db;Uid=sa;Pwd=@@;",
    "machine a.test login ada password @@",
    "curl -u ada:@@ https://a.test",
    "curl --user 'ada:@@' https://a.test",
    "postgres://ada:@@@db/x",
    "mongodb+srv://ada:@@@c.test/?w=1",
    "redis://:@@@cache:6379/0",
    "sshpass -p '@@' ssh a@b",
    "mysql -uroot -p@@ db",
    "docker login -u ada -p @@ a.test",
    "db:5432:app:ada:@@",
    "CREATE USER x IDENTIFIED BY '@@'",
    "<add key=\"Password\" value=\"@@\" />",
    "_password=@@",
];

/// Lines with a password in less usual places. `@@` stands for it.
const PLACES: &[&str] = &[
    "ADMIN_PASSWORD=\"correct horse battery @@\"",
    "ENV SECRET_KEY @@",
    "ENV DB_PASSWORD @@",
    "set -x API_TOKEN @@",
    "set -gx API_TOKEN @@",
    "  ~ master_password = \"old\" -> \"@@\"",
    "  ~ master_password = \"@@\" -> \"new\"",
    "\"api_secret\": {\n  \"sensitive\": true,\n  \"type\": \"string\",\n  \"value\": \"@@\"\n}",
    "\"api_secret\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"@@\"}",
    "https://@@@@:x-oauth-basic@github.com/a",
    "https://@@@@:@github.com/a",
    "DB_PASSWORD=xxx@@",
    "DB_PASSWORD=changeme@@!Q",
    "DB_PASSWORD=example@@",
    "DB_PASSWORD=your-@@",
    "postgres://a:xxx@@@h/d",
    "postgres://a:${abc}@@@h/d",
    "postgres://a:x\"@@@h/d",
    "postgres://a:x\\@@@h/d",
    "DB_PASSWORD=/@@+/x=",
    "password: Kx9mQ.@@",
    "password: (@@)",
    "ALTER USER app WITH PASSWORD '@@';",
    "ALTER ROLE app PASSWORD '@@';",
    "psk=\"@@\"",
    "ldap_bind_pw: @@",
    "SecretString: @@",
    "openssl rsa -in a.pem -pass pass:@@",
    "redis-cli -h cache -a @@ ping",
    "| password | @@ |",
    "Password for admin: @@",
    "postgres:\\/\\/ada:@@@db\\/x",
    "{\"url\":\"postgres:\\/\\/ada:@@@db\\/x\"}",
    "(postgres://ada:p)@@@db/x)",
    "const dsn = \"host=db password=@@ sslmode=off\"",
    "password=b'@@'",
    "{'password': u'@@'}",
    "password=b\"@@\"",
    "password: 'x''@@'",
    "<Password><![CDATA[@@]]></Password>",
    "<wsse:Password Type=\"text\">@@</wsse:Password>",
    "<password encrypted=\"false\">@@</password>",
    "{\"Name\": \"API_TOKEN\", \"Value\": \"@@\"}",
    "{\"ParameterKey\":\"DbPassword\",\"ParameterValue\":\"@@\"}",
    "- ParameterKey: DbPassword\n  ParameterValue: @@",
    "set DB_PASS \"@@\"",
];

/// A function that lays out a line of a key, given its number.
type Form = fn(usize, &str) -> String;

fn redaction() -> Arc<Redaction> {
    Arc::new(Redaction::new(None).unwrap())
}

/// Checks that the last 8 characters of a secret are masked, in one piece and in chunks.
#[track_caller]
fn is_masked(line: &str, secret: &str) {
    let redaction = redaction();
    let (masked, count) = redaction.text(line);
    let start = secret.char_indices().rev().nth(7).map_or(0, |(at, _)| at);
    assert!(count > 0 && !masked.contains(&secret[start..]), "{line}\n{masked}");
    for size in [1, 3, 16, 50] {
        let mut redactor = Redactor::new(redaction.clone());
        let mut out = Vec::new();
        for chunk in line.as_bytes().chunks(size) {
            redactor.push(chunk, |bytes| out.extend_from_slice(bytes));
        }
        redactor.finish(|bytes| out.extend_from_slice(bytes));
        assert_eq!(String::from_utf8(out).unwrap(), masked, "{line} by {size}");
    }
}

#[test]
fn vendor_tokens_are_masked_in_every_position() {
    for (prefix, alphabet, len) in PREFIXES {
        // One character more or less than usual makes no difference.
        for len in [*len - 1, *len, *len + 1] {
            let secret = format!("{prefix}{}", of(alphabet, len));
            for line in [
                "@@",
                "the token @@ is",
                "{\"k\":\"@@\"}",
                "X=@@",
                "(@@), ok",
                "\\n@@\\n",
                "at @@.",
            ] {
                is_masked(&line.replace("@@", &secret), &secret);
            }
        }
    }
    for prefix in ["ghp_", "npm_", "glpat-", "hf_"] {
        let secret = format!("{prefix}{}", of(ALL, 36));
        is_masked(&format!("TOKEN_{secret}"), &secret);
    }
}

#[test]
fn tokens_of_several_parts_are_masked() {
    let secrets = [
        format!("SG.{}.{}", of(ALL, 22), of(ALL, 43)),
        format!("eyJ{}.eyJ{}.{}", of(ALL, 30), of(ALL, 60), of(ALL, 43)),
        format!("eyJ{}..{}.{}.{}", of(ALL, 60), of(ALL, 16), of(ALL, 80), of(ALL, 22)),
        format!("eyJ{0}.{0}.{1}.{0}.{2}", of(ALL, 80), of(ALL, 16), of(ALL, 22)),
        format!("MTA{}.{}.{}", of(ALL, 21), of(ALL, 6), of(ALL, 38)),
        format!("1/1200123412341234:{}", of(HEX, 32)),
        format!("A3-{0}-{0}-{1}-{1}-{1}-{1}", of(UPPER, 6), of(UPPER, 5)),
    ];
    for secret in secrets {
        for line in ["@@", "the token @@ is", "\"@@\"", "X=@@"] {
            is_masked(&line.replace("@@", &secret), &secret);
        }
    }
    let key = format!("{}-us12", of(HEX, 32));
    assert_eq!(redaction().text(&key).0, format!("{}-us12", "*".repeat(32)));
}

#[test]
fn value_after_secret_name_is_masked_in_every_style() {
    for line in TOKENS {
        for secret in [of(ALL, 40), of(HEX, 32), of(ALL, 24)] {
            is_masked(&line.replace("@@", &secret), &secret);
        }
    }
    for line in PASSWORDS {
        for secret in ["hunter2", "S3cr3t!pass", "correct-horse-42"] {
            is_masked(&line.replace("@@", secret), secret);
        }
    }
    for line in
        ["Authorization: Basic @@", "\"auth\": \"@@\"", "_auth=@@", "authorization: basic @@"]
    {
        let secret = "YWRhOmh1bnRlcjIy";
        is_masked(&line.replace("@@", secret), secret);
    }
}

#[test]
fn password_is_masked_in_less_usual_places() {
    let secret = "Kx9mQ2sa77";
    let missed: Vec<String> = PLACES
        .iter()
        .map(|line| line.replace("@@", secret))
        .filter(|line| redaction().text(line).0.contains(secret))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for line in PLACES {
        is_masked(&line.replace("@@", secret), secret);
    }
}

#[test]
fn password_in_an_address_is_masked_up_to_the_last_at_sign() {
    let long = "x1".repeat(200);
    for secret in
        ["p@ss-word1", "pa'ssword", "$ecret99", "{abcdefg", "pässwörd", "p:a:s:s:1", &long]
    {
        for line in ["postgres://u:@@@h/db", "\"postgres://u:@@@h\"", "see postgres://u:@@@h now"] {
            let text = line.replace("@@", secret);
            is_masked(&text, secret);
            let stars = line.replace("@@", &"*".repeat(secret.len()));
            assert_eq!(redaction().text(&text).0, stars);
        }
    }
}

#[test]
fn escaped_quote_or_backslash_in_the_password_of_a_quoted_address_is_masked() {
    for (quote, secret) in [
        ("\"", r#"pa\"ss9Q"#),
        ("\"", r"pa\\ss9Q"),
        ("\"", r#"\"\\\"9Qss"#),
        ("'", r"pa\'ss9Q"),
        (r#"\""#, r#"pa\\\"ss9Q"#),
        (r#"\""#, r"pa\\\\ss9Q"),
    ] {
        for line in [
            "\"url\": @postgres://u:$$@h/db@",
            "DATABASE_URL=@postgres://u:$$@h/db@",
            "{url: @jdbc:postgresql://u:$$@h/db@}",
        ] {
            let line = line.replace("@postgres", &format!("{quote}postgres"));
            let line = line
                .replace("@jdbc", &format!("{quote}jdbc"))
                .replace("db@", &format!("db{quote}"));
            is_masked(&line.replace("$$", secret), secret);
            let expected = line.replace("$$", &"*".repeat(secret.len()));
            assert_eq!(redaction().text(&line.replace("$$", secret)).0, expected);
        }
    }
}

#[test]
fn private_key_is_masked_in_every_layout() {
    for kind in ["RSA PRIVATE", "OPENSSH PRIVATE", "EC PRIVATE", "PRIVATE", "ENCRYPTED PRIVATE"] {
        let (begin, end) =
            (format!("-----BEGIN {kind} KEY-----"), format!("-----END {kind} KEY-----"));
        let (line, last) = (of(ALL, 64), format!("{}==", of(ALL, 22)));
        let lines = [&begin, &line, &line, &last, &end];
        let with = |form: Form, lines: &[&String], glue: &str| {
            let lines = lines.iter().enumerate().map(|(at, line)| form(at, line));
            lines.collect::<Vec<_>>().join(glue)
        };
        for lines in [&lines[..], &lines[..4]] {
            let forms: [(Form, &str); 6] = [
                (|_, line| line.into(), "\n"),
                (|_, line| format!("    {line}"), "\n"),
                (|at, line| format!("{}:{line}", at + 7), "\n"),
                (|at, line| format!("2024-01-01T00:00:0{at}Z app | {line}"), "\n"),
                (|_, line| format!("+{line}"), "\r\n"),
                (|_, line| line.into(), "\\n"),
            ];
            for (form, glue) in forms {
                let text = format!("{}{glue}", with(form, lines, glue));
                is_masked(&text, &last);
                assert!(!redaction().text(&text).0.contains(&line[..12]), "{text}");
            }
        }
    }
}

#[test]
fn ordinary_lines_are_not_masked() {
    let lines = include_str!("../vectors/ordinary.txt").lines();
    let changed: Vec<String> = lines
        .map(|line| (line, redaction().text(line).0))
        .filter(|(line, masked)| line != masked)
        .map(|(line, masked)| format!("{line}\n{masked}"))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn private_key_marks_without_a_key_are_not_masked() {
    let text = format!("-----BEGIN {} KEY-----\n", "PRIVATE").repeat(20_000);
    let mut redactor = Redactor::new(redaction());
    let mut len = 0;
    for chunk in text.as_bytes().chunks(4096) {
        redactor.push(chunk, |bytes| len += bytes.len());
        // Only the last line waits.
        assert!(len + 64 >= chunk.len());
    }
    redactor.finish(|bytes| len += bytes.len());
    assert_eq!((len, redactor.masked()), (text.len(), 0));
}

/// Returns values of letters, digits and the symbols that password generators use.
fn random_values(count: usize, len: usize, alphabet: &str) -> Vec<String> {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % alphabet.len()
    };
    let indexes: Vec<usize> = (0..count * len).map(|_| next()).collect();
    indexes.chunks(len).map(|chunk| chunk.iter().map(|at| alphabet[*at]).collect()).collect()
}

const LETTERS_AND_DIGITS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

#[test]
fn random_value_without_quotes_is_masked_to_its_end() {
    let values = random_values(1000, 16, &format!("{LETTERS_AND_DIGITS}!@#$%^&*"));
    for line in
        ["DB_PASSWORD=@@", "password: @@", "secret: @@", "API_TOKEN=@@", "tool --password @@"]
    {
        let leaked: Vec<String> = values
            .iter()
            .map(|value| (value, line.replace("@@", value)))
            .map(|(value, text)| (value, redaction().text(&text).0.into_owned()))
            .filter(|(value, masked)| !masked.ends_with("****") || masked.contains(&value[..4]))
            .map(|(value, masked)| format!("{value} {masked}"))
            .collect();
        assert!(leaked.len() < 20, "{line} {}\n{}", leaked.len(), leaked.join("\n"));
    }
}

#[test]
fn random_value_with_any_punctuation_is_rarely_left_whole() {
    let values =
        random_values(1000, 16, &format!("{LETTERS_AND_DIGITS}!#$%&()*+,-./:;<=>?@[]^_{{|}}~"));
    for line in [
        "DB_PASSWORD=@@",
        "export DB_PASSWORD=@@",
        "password: @@",
        "secret: @@",
        "API_TOKEN=@@",
        "tool --password @@",
    ] {
        let missed: Vec<&String> = values
            .iter()
            .filter(|value| {
                let masked = redaction().text(&line.replace("@@", value)).0.into_owned();
                !masked.ends_with("****") && !masked[..masked.len() - 3].ends_with("****")
            })
            .collect();
        assert!(missed.len() < 100, "{line} {}\n{missed:?}", missed.len());
    }
}

#[test]
fn value_without_quotes_is_masked_beyond_a_punctuation_mark() {
    for line in
        ["DB_PASSWORD=@@", "export DB_PASSWORD=@@", "PASSWORD=@@ psql", "<password>@@</password>"]
    {
        for secret in [
            "Tr0ub4dor.3xyz",
            "abc,Def5ghij",
            "Tr0ub4dor&3xyz",
            "Tr0ub'4dor3xyz",
            "Tr0ub\"4dor3xyz",
            "Tr0ub4\\dor3xyz",
            "Tr0ub4(dor3xyz",
            "H-hbjlCq&WpN_W",
        ] {
            let text = line.replace("@@", secret);
            let expected = line.replace("@@", &"*".repeat(secret.len()));
            assert_eq!(redaction().text(&text).0, expected);
            is_masked(&text, secret);
        }
    }
    for (text, expected) in [
        ("PASSWORD=Tr0ub4;dor3xyz", "PASSWORD=**************"),
        ("PASSWORD=Tr0ub4<dor3xyz", "PASSWORD=**************"),
        ("password: KumtyD.JK5nq~5", "password: **************"),
        ("https://a.test/?token=aK3bQ9cZ0dX7&page", "https://a.test/?token=************&page"),
        ("password=hunter22&user=ada", "password=********&user=ada"),
        ("password=hunter22&amp;user=ada", "password=********&amp;user=ada"),
        ("Password=hunter22;Database=x", "Password=********;Database=x"),
        ("Password=hunter22;User Id=x", "Password=********;User Id=x"),
        ("sh -c 'PASSWORD=hunter22' x", "sh -c 'PASSWORD=********' x"),
        ("PASSWORD=hunter22 && ls", "PASSWORD=******** && ls"),
        ("PASSWORD=hunter22; ls", "PASSWORD=********; ls"),
        ("{\"a\": \"password=hunter22\\nuser=x\"}", "{\"a\": \"password=********\\nuser=x\"}"),
    ] {
        assert_eq!(redaction().text(text).0, expected);
    }
}

#[test]
fn random_secret_key_of_aws_is_masked() {
    let keys = random_values(1500, 40, &format!("{LETTERS_AND_DIGITS}+/"));
    for line in [
        "aws_secret_access_key = @@",
        "aws_secret_access_key          =   @@",
        "AWS_SECRET_ACCESS_KEY=@@",
        "aws-secret-access-key @@",
        "aws configure set aws_secret_access_key @@",
        "SecretAccessKey: @@",
    ] {
        let missed: Vec<&String> = keys
            .iter()
            .filter(|key| !redaction().text(&line.replace("@@", key)).0.ends_with(&"*".repeat(40)))
            .collect();
        assert!(missed.is_empty(), "{line} {missed:?}");
    }
}
