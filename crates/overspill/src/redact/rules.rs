//! The table of secrets: a beginning that nothing else has, and how it goes on.
//!
//! No beginning is the beginning of another, so that one place has one rule.

use super::context::{Came, Found, LONGEST};
use super::value::is_placeholder;

/// One kind of secret.
pub(super) struct Rule {
    /// How it begins.
    pub(super) start: &'static str,
    shape: Shape,
}

enum Shape {
    Token(Token),
    Jwt,
    Login,
    Webhook(usize),
    Signature,
    Pem,
    Putty,
    /// A password hash of `crypt`.
    Crypt,
    /// The secret of an Azure application: three characters and a digit stand before `Q~`.
    Azure,
    /// Digits and a colon stand before the token of a Telegram bot.
    Telegram,
    Name,
    Scheme,
    Pgpass,
    User,
    Option,
    /// The option `-a` of `redis-cli`.
    Redis,
    /// The arrow of a change in a plan of Terraform.
    Change,
}

/// A run of characters after the beginning.
struct Token {
    of: fn(u8) -> bool,
    least: usize,
    most: usize,
    tells: fn(&[u8]) -> bool,
    /// Words and random text may have the same beginning: it must stand by itself.
    is_weak: bool,
}

const fn token(start: &'static str, of: fn(u8) -> bool, least: usize) -> Rule {
    Rule {
        start,
        shape: Shape::Token(Token { of, least, most: LONGEST, tells: has_number, is_weak: false }),
    }
}

/// Like [`token`]; small and capital letters without any digit are enough.
const fn letters(start: &'static str, least: usize) -> Rule {
    Rule {
        start,
        shape: Shape::Token(Token {
            of: alphanumeric,
            least,
            most: LONGEST,
            tells: is_mixed,
            is_weak: false,
        }),
    }
}

const fn weak(
    start: &'static str,
    of: fn(u8) -> bool,
    least: usize,
    most: usize,
    tells: fn(&[u8]) -> bool,
) -> Rule {
    Rule { start, shape: Shape::Token(Token { of, least, most, tells, is_weak: true }) }
}

const fn exact(
    start: &'static str,
    of: fn(u8) -> bool,
    least: usize,
    most: usize,
    tells: fn(&[u8]) -> bool,
) -> Rule {
    Rule { start, shape: Shape::Token(Token { of, least, most, tells, is_weak: false }) }
}

const fn rule(start: &'static str, shape: Shape) -> Rule {
    Rule { start, shape }
}

fn has_number(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_digit)
}

pub(super) fn is_mixed(token: &[u8]) -> bool {
    let has_both =
        token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase);
    has_both || has_number(token)
}

/// Small letters, capital letters and digits, without long runs of one of them.
fn is_dense(token: &[u8]) -> bool {
    let is_run = token.windows(6).any(|run| run.iter().all(|byte| *byte == run[0]));
    token.iter().any(u8::is_ascii_lowercase)
        && token.iter().any(u8::is_ascii_uppercase)
        && has_number(token)
        && !is_run
}

fn any(_: &[u8]) -> bool {
    true
}

/// `sk-` is used by OpenAI, Anthropic and many others, and by style sheets.
fn is_sk(token: &[u8]) -> bool {
    const KINDS: [&[u8]; 9] =
        [b"ant-", b"proj-", b"svcacct-", b"admin-", b"None-", b"or-", b"lf-", b"live-", b"test-"];
    let is_long =
        token.split(|byte| b"-_".contains(byte)).any(|part| part.len() >= 20 && has_number(part));
    has_number(token) && (is_long || KINDS.iter().any(|kind| token.starts_with(kind)))
}

/// `sk_` and `rk_` are used by Stripe and by services that follow it.
fn is_stripe(token: &[u8]) -> bool {
    const KINDS: [&[u8]; 4] = [b"live_", b"test_", b"prod_", b"org_"];
    match KINDS.iter().find_map(|kind| token.strip_prefix(*kind)) {
        Some(rest) => rest.len() >= 10 && is_mixed(rest),
        None => token.len() >= 40 && token.iter().all(u8::is_ascii_hexdigit) && has_number(token),
    }
}

/// A personal access token of Airtable or of Harness.
fn is_pat(token: &[u8]) -> bool {
    let mut parts = token.split(|byte| *byte == b'.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_airtable = (12..=16).contains(&first.len()) && second.len() >= 60;
    (is_airtable || first.is_empty() && second.len() >= 20) && has_number(token)
}

/// A token of Asana: `1/1234567890123456:` and 32 hexadecimal digits.
fn is_asana(token: &[u8]) -> bool {
    let secret = token.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    token.contains(&b':') && token.len() - secret.len() >= 12 && secret.len() >= 31
}

/// The bot token of Discord: three parts.
fn is_discord(token: &[u8]) -> bool {
    let lens: Vec<usize> = token.split(|byte| *byte == b'.').map(<[u8]>::len).collect();
    matches!(lens[..], [first, 5..=7, last] if (18..=30).contains(&first) && last >= 25)
}

/// The secret key of 1Password: groups of capital letters and digits.
fn is_one_password(token: &[u8]) -> bool {
    token.iter().filter(|byte| **byte == b'-').count() >= 4 && has_number(token)
}

/// A key of Resend: two parts.
fn is_resend(token: &[u8]) -> bool {
    matches!(token.iter().position(|byte| *byte == b'_'), Some(7..=9)) && is_dense(token)
}

pub(super) fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn upper_groups(byte: u8) -> bool {
    upper(byte) || byte == b'-'
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

pub(super) fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

pub(super) fn dotted(byte: u8) -> bool {
    word(byte) || b".=%".contains(&byte)
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte)
}

fn dollars(byte: u8) -> bool {
    alphanumeric(byte) || byte == b'$'
}

fn asana(byte: u8) -> bool {
    hex(byte) || b"/:".contains(&byte)
}

fn graphic(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`\\<".contains(&byte)
}

/// By vendor. Lengths are a little shorter than the documented ones, since vendors change them.
pub(super) const RULES: &[Rule] = &[
    // Clouds: AWS, Google, Azure, Alibaba, Tencent, Yandex, DigitalOcean, Cloudflare.
    exact("AKIA", upper, 15, 20, any),
    exact("ASIA", upper, 15, 20, has_number),
    exact("ABIA", upper, 15, 20, has_number),
    weak("ABSK", base64, 60, LONGEST, is_dense),
    token("bedrock-api-key-", base64, 24),
    exact("AIza", word, 30, 60, is_mixed),
    token("GOCSPX-", word, 20),
    token("ya29.", dotted, 20),
    weak("1//0", word, 30, LONGEST, is_dense),
    token("GOOG1", alphanumeric, 18),
    rule("Q~", Shape::Azure),
    weak("LTAI", alphanumeric, 12, 28, is_dense),
    weak("AKID", alphanumeric, 28, 40, is_dense),
    weak("AQVN", word, 30, 48, is_mixed),
    weak("t1.", dotted, 80, LONGEST, is_dense),
    weak("y0_", word, 40, LONGEST, is_dense),
    token("dop_v1_", alphanumeric, 40),
    token("doo_v1_", alphanumeric, 40),
    token("dor_v1_", alphanumeric, 40),
    weak("v1.0-", word, 100, LONGEST, has_number),
    token("cfut_", word, 36),
    token("cfat_", word, 36),
    // Forges and packages.
    letters("ghp_", 30),
    letters("gho_", 30),
    letters("ghu_", 30),
    letters("ghs_", 30),
    letters("ghr_", 30),
    token("github_pat_", word, 40),
    token("glpat-", dotted, 18),
    token("glrt-", dotted, 18),
    token("glrtr-", dotted, 18),
    token("gldt-", dotted, 18),
    token("glcbt-", dotted, 18),
    token("glptt-", dotted, 18),
    token("glft-", dotted, 18),
    token("glsoat-", dotted, 18),
    token("glagent-", dotted, 18),
    token("gloas-", dotted, 18),
    token("glimt-", dotted, 18),
    token("glffct-", dotted, 18),
    token("glwt-", dotted, 18),
    token("GR1348941", word, 16),
    exact("ATBB", alphanumeric, 28, LONGEST, is_mixed),
    token("ATATT3", dotted, 40),
    token("ATCTT3", dotted, 40),
    token("BBDC-", base64, 36),
    letters("npm_", 30),
    token("pypi-Ag", word, 50),
    token("rubygems_", hex, 40),
    weak("cio", alphanumeric, 31, 34, is_dense),
    weak("oy2", lower, 40, 46, has_number),
    token("CLOJARS_", hex, 50),
    token("dckr_pat_", word, 20),
    token("dckr_oat_", word, 20),
    weak("AKCp", alphanumeric, 60, LONGEST, is_dense),
    weak("cmVmd", alphanumeric, 50, LONGEST, is_dense),
    token("squ_", hex, 36),
    token("sqp_", hex, 36),
    token("sqa_", hex, 36),
    token("sgp_", word, 36),
    token("bkua_", hex, 36),
    token("CCIPAT_", word, 36),
    token("CCIPRJ_", word, 36),
    // Models.
    exact("sk-", word, 20, LONGEST, is_sk),
    token("xai-", alphanumeric, 40),
    token("pplx-", alphanumeric, 30),
    token("gsk_", alphanumeric, 30),
    letters("r8_", 30),
    letters("hf_", 30),
    letters("api_org_", 30),
    token("csk-", alphanumeric, 30),
    weak("fw_", alphanumeric, 20, 48, is_dense),
    token("nvapi-", word, 40),
    token("tvly-", word, 20),
    token("lsv2_", word, 30),
    token("pcsk_", word, 30),
    token("tgp_v1_", word, 30),
    token("e2b_", hex, 36),
    token("wandb_v1_", word, 40),
    weak("fc-", hex, 31, 33, has_number),
    token("jina_", word, 40),
    token("apify_api_", alphanumeric, 28),
    token("rpa_", alphanumeric, 36),
    token("ctx7sk-", word, 20),
    // Money.
    exact("sk_", word, 14, LONGEST, is_stripe),
    exact("rk_", word, 14, LONGEST, is_stripe),
    token("whsec_", base64, 20),
    token("rzp_live_", alphanumeric, 12),
    token("rzp_test_", alphanumeric, 12),
    token("sq0atp-", word, 18),
    token("sq0csp-", word, 18),
    weak("EAA", word, 50, LONGEST, is_dense),
    token("access_token$", dollars, 30),
    token("EZAK", alphanumeric, 50),
    token("EZTK", alphanumeric, 50),
    token("FLWSECK", word, 16),
    token("shippo_live_", hex, 36),
    token("shippo_test_", hex, 36),
    token("shpat_", hex, 30),
    token("shpss_", hex, 30),
    token("shpca_", hex, 30),
    token("shppa_", hex, 30),
    token("shptka_", hex, 30),
    token("duffel_test_", word, 36),
    token("duffel_live_", word, 36),
    // Messages and mail.
    token("xoxa-", dotted, 16),
    token("xoxb-", dotted, 16),
    token("xoxc-", dotted, 16),
    token("xoxd-", dotted, 16),
    token("xoxe-", dotted, 16),
    token("xoxo-", dotted, 16),
    token("xoxp-", dotted, 16),
    token("xoxr-", dotted, 16),
    token("xoxs-", dotted, 16),
    token("xapp-", word, 16),
    token("xwfp-", word, 16),
    rule("hooks.slack.com/", Shape::Webhook(20)),
    rule("/api/webhooks/", Shape::Webhook(50)),
    rule(".webhook.office.com/", Shape::Webhook(50)),
    rule("hooks.zapier.com/hooks/catch/", Shape::Webhook(10)),
    rule(":AA", Shape::Telegram),
    weak("MTA", dotted, 50, 90, is_discord),
    weak("MTE", dotted, 50, 90, is_discord),
    weak("MTI", dotted, 50, 90, is_discord),
    weak("MTM", dotted, 50, 90, is_discord),
    weak("SK", hex, 31, 33, has_number),
    weak("AC", hex, 31, 33, has_number),
    token("SG.", dotted, 50),
    token("xkeysib-", word, 50),
    token("xsmtpsib-", word, 50),
    token("mlsn.", hex, 50),
    weak("re_", word, 28, 44, is_resend),
    // Infrastructure.
    token("dapi", hex, 31),
    token("hvs.", word, 20),
    token("hvb.", word, 20),
    token("hvr.", word, 20),
    token(".atlasv1.", dotted, 50),
    token("dp.pt.", dotted, 36),
    token("dp.st.", dotted, 36),
    token("dp.ct.", dotted, 36),
    token("dp.sa.", dotted, 36),
    token("dp.scim.", dotted, 36),
    token("dp.audit.", dotted, 36),
    token("PMAK-", word, 40),
    token("glsa_", word, 30),
    token("glc_", base64, 30),
    token("NRAK-", alphanumeric, 24),
    token("NRII-", word, 24),
    token("NRIQ-", word, 24),
    token("NRJS-", hex, 17),
    token("sntrys_", base64, 36),
    token("sntryu_", hex, 50),
    token("sntryi_", hex, 50),
    token("dt0c01.", dotted, 60),
    token("dt0s01.", dotted, 60),
    token("HRKU-", word, 30),
    token("sbp_", alphanumeric, 36),
    token("sb_secret_", word, 20),
    token("fm1r_", base64, 40),
    token("fm1a_", base64, 40),
    token("fm2_", base64, 40),
    token("fo1_", word, 36),
    token("tskey-", word, 16),
    token("nfp_", alphanumeric, 30),
    token("vercel_blob_rw_", word, 28),
    token("pscale_tkn_", dotted, 28),
    token("pscale_pw_", dotted, 28),
    token("pscale_oauth_", dotted, 28),
    token("pnu_", alphanumeric, 30),
    token("pnb_", alphanumeric, 30),
    token("pul-", hex, 36),
    token("napi_", alphanumeric, 40),
    token("rnd_", alphanumeric, 26),
    token("sha256~", word, 40),
    weak("API-", upper, 25, 34, has_number),
    token("dnkey-", word, 50),
    weak("ico-", alphanumeric, 31, 34, is_dense),
    token("ops_eyJ", base64, 60),
    weak("A3-", upper_groups, 26, 44, is_one_password),
    token("AGE-SECRET-KEY-1", upper, 50),
    token("signkey-", word, 32),
    token("snyk_uat.", dotted, 30),
    token("retool_01", alphanumeric, 20),
    token("sk.eyJ", dotted, 60),
    // Work.
    letters("lin_api_", 30),
    letters("lin_oauth_", 30),
    letters("ntn_", 40),
    token("CFPAT-", word, 36),
    weak("sl.", dotted, 60, LONGEST, is_dense),
    token("figd_", word, 34),
    token("figo_", word, 34),
    weak("1/1", asana, 40, 90, is_asana),
    weak("2/1", asana, 40, 90, is_asana),
    weak("pat", dotted, 60, 100, is_pat),
    token("tfp_", dotted, 36),
    token("aio_", alphanumeric, 26),
    token("phx_", alphanumeric, 36),
    token("rdme_", alphanumeric, 60),
    token("waka_", word, 36),
    token("p8e-", alphanumeric, 31),
    token("fio-u-", word, 50),
    token("tk-us-", word, 40),
    token("django-insecure-", graphic, 20),
    // Any service.
    rule("eyJ", Shape::Jwt),
    rule("://", Shape::Login),
    rule(":\\/\\/", Shape::Login),
    rule("-----BEGIN", Shape::Pem),
    rule("---- BEGIN", Shape::Pem),
    rule("Private-Lines:", Shape::Putty),
    rule("$2a$", Shape::Crypt),
    rule("$2b$", Shape::Crypt),
    rule("$2y$", Shape::Crypt),
    rule("$5$", Shape::Crypt),
    rule("$6$", Shape::Crypt),
    rule("$y$", Shape::Crypt),
    rule("$apr1$", Shape::Crypt),
    rule("$argon2", Shape::Crypt),
    rule("sig=", Shape::Signature),
    rule("Signature=", Shape::Signature),
    rule("bearer", Shape::Scheme),
    rule("Bearer", Shape::Scheme),
    rule("BEARER", Shape::Scheme),
    rule(":5432:", Shape::Pgpass),
    rule("-u", Shape::User),
    rule("--user", Shape::User),
    rule("-p", Shape::Option),
    rule("-a ", Shape::Redis),
    rule("-> \"", Shape::Change),
    // Names of secrets, as they are usually written.
    rule("pass", Shape::Name),
    rule("Pass", Shape::Name),
    rule("PASS", Shape::Name),
    rule("pwd", Shape::Name),
    rule("Pwd", Shape::Name),
    rule("PWD", Shape::Name),
    rule("_pw", Shape::Name),
    rule("_PW", Shape::Name),
    rule("bindpw", Shape::Name),
    rule("rootpw", Shape::Name),
    rule("psk", Shape::Name),
    rule("PSK", Shape::Name),
    rule("secret", Shape::Name),
    rule("Secret", Shape::Name),
    rule("SECRET", Shape::Name),
    rule("token", Shape::Name),
    rule("Token", Shape::Name),
    rule("TOKEN", Shape::Name),
    rule("Key", Shape::Name),
    rule("KEY", Shape::Name),
    rule("key", Shape::Name),
    rule("auth", Shape::Name),
    rule("Auth", Shape::Name),
    rule("AUTH", Shape::Name),
    rule("credential", Shape::Name),
    rule("Credential", Shape::Name),
    rule("CREDENTIAL", Shape::Name),
    rule("cookie", Shape::Name),
    rule("Cookie", Shape::Name),
    rule("COOKIE", Shape::Name),
    rule("identified by", Shape::Name),
    rule("IDENTIFIED BY", Shape::Name),
    rule("SecureString", Shape::Name),
];

impl Rule {
    /// Looks at `at`, where the beginning of this rule stands.
    pub(super) fn look(&self, came: Came, at: usize) -> Found {
        let from = at + self.start.len();
        match &self.shape {
            Shape::Token(token) => token.look(came, at, from),
            Shape::Jwt if came.is_inside_word(at) => Found::Nothing,
            Shape::Jwt => came.jwt(at),
            Shape::Login => came.login(at, from),
            Shape::Webhook(least) => came.webhook(from, *least),
            Shape::Signature => came.signature(at, from),
            Shape::Pem => came.pem(from),
            Shape::Putty => came.putty(from),
            Shape::Crypt => came.crypt(from),
            Shape::Azure => came.azure(at, from),
            Shape::Telegram => came.telegram(at),
            Shape::Name => came.name(at, from),
            Shape::Scheme if came.is_inside_word(at) => Found::Nothing,
            Shape::Scheme => came.scheme(from),
            Shape::Pgpass => came.pgpass(from),
            Shape::User if came.last(at).is_none_or(|byte| byte.is_ascii_whitespace()) => {
                came.user(at, from)
            }
            Shape::User => came.mailchimp(at),
            Shape::Option if came.last(at) == Some(b' ') => came.option(at, from),
            Shape::Option => Found::Nothing,
            Shape::Redis => came.redis(at, from),
            Shape::Change => came.changed(at, from - 1),
        }
    }
}

impl Token {
    fn look(&self, came: Came, at: usize, from: usize) -> Found {
        let begins_word = came.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if begins_word && came.is_inside_word(at) {
            return Found::Nothing;
        }
        let last = came.last(at).unwrap_or(b' ');
        if self.is_weak && b"_-+/.".contains(&last) && !came.is_escape_before(at) {
            return Found::Nothing;
        }
        let (end, goes_on) = came.run(from, self.of, self.most + 1);
        if goes_on {
            return Found::Undecided(at);
        }
        if self.most < LONGEST && end - from > self.most {
            return Found::Nothing;
        }
        // A dot at the end of a sentence is no part of a token.
        let dots = came.text[from..end].iter().rev().take_while(|byte| **byte == b'.').count();
        let token = &came.text[from..end - dots];
        match token.len() >= self.least && (self.tells)(token) && !is_placeholder(token) {
            true => Found::Secret { hold: at, bytes: from..end - dots },
            false => Found::Nothing,
        }
    }
}

/// Returns how many of the last bytes may be the digits of a key that ends with its region.
pub(super) fn hex_tail(text: &[u8]) -> usize {
    let tail = &text[text.len().saturating_sub(37)..];
    let region = tail.iter().rev().take_while(|byte| b"-us".contains(byte)).count();
    let region = if b"-us".starts_with(&tail[tail.len() - region..]) { region } else { 0 };
    let digits = tail[..tail.len() - region].iter().rev().take_while(|byte| hex(**byte)).count();
    if (8..=32).contains(&digits) { digits + region } else { 0 }
}
