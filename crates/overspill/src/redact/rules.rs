//! The table of rules: each kind of secret has a unique beginning and a shape that follows.
//!
//! The beginning of a rule is never the start of another beginning. So at most one rule applies at
//! a position.

use super::context::{Found, LONGEST, Window};
use super::runs::Class::{
    self, Alphanumeric, Asana, Base64, Dollars, Dotted, Graphic, Hex, Lower, Upper, UpperGroups,
    Word,
};
use super::runs::{JUDGED, hex, judged};
use super::value::is_placeholder;

/// The rule for one kind of secret.
pub(super) struct Rule {
    /// The text with which the secret, or its name, begins.
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
    /// The token of a Telegram bot: digits and a colon stand before it.
    Telegram,
    Name,
    Scheme,
    Pgpass,
    User,
    Option,
    /// The password of the option `-a` of `redis-cli`.
    Redis,
    /// The new value after the arrow in a Terraform plan.
    Change,
}

/// A run of characters after the beginning.
struct Token {
    of: Class,
    least: usize,
    most: usize,
    tells: fn(&[u8]) -> bool,
    /// Words and random text may have the same beginning, so it must not follow a joining
    /// character.
    is_weak: bool,
}

const fn token(start: &'static str, of: Class, least: usize) -> Rule {
    Rule {
        start,
        shape: Shape::Token(Token { of, least, most: LONGEST, tells: has_number, is_weak: false }),
    }
}

/// Returns a rule like [`token`] for which small and capital letters without digits are enough.
const fn letters(start: &'static str, least: usize) -> Rule {
    Rule {
        start,
        shape: Shape::Token(Token {
            of: Class::Alphanumeric,
            least,
            most: LONGEST,
            tells: is_mixed,
            is_weak: false,
        }),
    }
}

const fn weak(
    start: &'static str,
    of: Class,
    least: usize,
    most: usize,
    tells: fn(&[u8]) -> bool,
) -> Rule {
    Rule { start, shape: Shape::Token(Token { of, least, most, tells, is_weak: true }) }
}

const fn exact(
    start: &'static str,
    of: Class,
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

/// Tells whether a token has small letters, capital letters and digits, without long repetitions.
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

/// Tells whether a text after `sk-` is a key. OpenAI, Anthropic, many others and style sheets use
/// `sk-`.
fn is_sk(token: &[u8]) -> bool {
    const KINDS: [&[u8]; 9] =
        [b"ant-", b"proj-", b"svcacct-", b"admin-", b"None-", b"or-", b"lf-", b"live-", b"test-"];
    let is_long =
        token.split(|byte| b"-_".contains(byte)).any(|part| part.len() >= 20 && has_number(part));
    has_number(token) && (is_long || KINDS.iter().any(|kind| token.starts_with(kind)))
}

/// Tells whether a text after `sk_` or `rk_` is a key of Stripe or of a service that follows it.
fn is_stripe(token: &[u8]) -> bool {
    const KINDS: [&[u8]; 4] = [b"live_", b"test_", b"prod_", b"org_"];
    match KINDS.iter().find_map(|kind| token.strip_prefix(*kind)) {
        Some(rest) => rest.len() >= 10 && is_mixed(rest),
        None => token.len() >= 40 && token.iter().all(u8::is_ascii_hexdigit) && has_number(token),
    }
}

/// Tells whether a token is a personal access token of Airtable or of Harness.
fn is_pat(token: &[u8]) -> bool {
    let mut parts = token.split(|byte| *byte == b'.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_airtable = (12..=16).contains(&first.len()) && second.len() >= 60;
    (is_airtable || first.is_empty() && second.len() >= 20) && has_number(token)
}

/// Tells whether a token is one of Asana: `1/1234567890123456:` and 32 hexadecimal digits.
fn is_asana(token: &[u8]) -> bool {
    let secret = token.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    token.contains(&b':') && token.len() - secret.len() >= 12 && secret.len() >= 31
}

/// Tells whether a token is the bot token of Discord, which has three parts.
fn is_discord(token: &[u8]) -> bool {
    let lens: Vec<usize> = token.split(|byte| *byte == b'.').map(<[u8]>::len).collect();
    matches!(lens[..], [first, 5..=7, last] if (18..=30).contains(&first) && last >= 25)
}

/// Tells whether a token is the secret key of 1Password: groups of capital letters and digits.
fn is_one_password(token: &[u8]) -> bool {
    token.iter().filter(|byte| **byte == b'-').count() >= 4 && has_number(token)
}

/// Tells whether a token is a key of Resend, which has two parts.
fn is_resend(token: &[u8]) -> bool {
    matches!(token.iter().position(|byte| *byte == b'_'), Some(7..=9)) && is_dense(token)
}

/// The rules, by vendor. Lengths are a little shorter than documented, because vendors change them.
pub(super) const RULES: &[Rule] = &[
    // Clouds: AWS, Google, Azure, Alibaba, Tencent, Yandex, DigitalOcean, Cloudflare.
    exact("AKIA", Upper, 15, 20, any),
    exact("ASIA", Upper, 15, 20, has_number),
    exact("ABIA", Upper, 15, 20, has_number),
    weak("ABSK", Base64, 60, LONGEST, is_dense),
    token("bedrock-api-key-", Base64, 24),
    exact("AIza", Word, 30, 60, is_mixed),
    token("GOCSPX-", Word, 20),
    token("ya29.", Dotted, 20),
    weak("1//0", Word, 30, LONGEST, is_dense),
    token("GOOG1", Alphanumeric, 18),
    rule("Q~", Shape::Azure),
    weak("LTAI", Alphanumeric, 12, 28, is_dense),
    weak("AKID", Alphanumeric, 28, 40, is_dense),
    weak("AQVN", Word, 30, 48, is_mixed),
    weak("t1.", Dotted, 80, LONGEST, is_dense),
    weak("y0_", Word, 40, LONGEST, is_dense),
    token("dop_v1_", Alphanumeric, 40),
    token("doo_v1_", Alphanumeric, 40),
    token("dor_v1_", Alphanumeric, 40),
    weak("v1.0-", Word, 100, LONGEST, has_number),
    token("cfut_", Word, 36),
    token("cfat_", Word, 36),
    // Forges and packages.
    letters("ghp_", 30),
    letters("gho_", 30),
    letters("ghu_", 30),
    letters("ghs_", 30),
    letters("ghr_", 30),
    token("github_pat_", Word, 40),
    token("glpat-", Dotted, 18),
    token("glrt-", Dotted, 18),
    token("glrtr-", Dotted, 18),
    token("gldt-", Dotted, 18),
    token("glcbt-", Dotted, 18),
    token("glptt-", Dotted, 18),
    token("glft-", Dotted, 18),
    token("glsoat-", Dotted, 18),
    token("glagent-", Dotted, 18),
    token("gloas-", Dotted, 18),
    token("glimt-", Dotted, 18),
    token("glffct-", Dotted, 18),
    token("glwt-", Dotted, 18),
    token("GR1348941", Word, 16),
    exact("ATBB", Alphanumeric, 28, LONGEST, is_mixed),
    token("ATATT3", Dotted, 40),
    token("ATCTT3", Dotted, 40),
    token("BBDC-", Base64, 36),
    letters("npm_", 30),
    token("pypi-Ag", Word, 50),
    token("rubygems_", Hex, 40),
    weak("cio", Alphanumeric, 31, 34, is_dense),
    weak("oy2", Lower, 40, 46, has_number),
    token("CLOJARS_", Hex, 50),
    token("dckr_pat_", Word, 20),
    token("dckr_oat_", Word, 20),
    weak("AKCp", Alphanumeric, 60, LONGEST, is_dense),
    weak("cmVmd", Alphanumeric, 50, LONGEST, is_dense),
    token("squ_", Hex, 36),
    token("sqp_", Hex, 36),
    token("sqa_", Hex, 36),
    token("sgp_", Word, 36),
    token("bkua_", Hex, 36),
    token("CCIPAT_", Word, 36),
    token("CCIPRJ_", Word, 36),
    // Models.
    exact("sk-", Word, 20, LONGEST, is_sk),
    token("xai-", Alphanumeric, 40),
    token("pplx-", Alphanumeric, 30),
    token("gsk_", Alphanumeric, 30),
    letters("r8_", 30),
    letters("hf_", 30),
    letters("api_org_", 30),
    token("csk-", Alphanumeric, 30),
    weak("fw_", Alphanumeric, 20, 48, is_dense),
    token("nvapi-", Word, 40),
    token("tvly-", Word, 20),
    token("lsv2_", Word, 30),
    token("pcsk_", Word, 30),
    token("tgp_v1_", Word, 30),
    token("e2b_", Hex, 36),
    token("wandb_v1_", Word, 40),
    weak("fc-", Hex, 31, 33, has_number),
    token("jina_", Word, 40),
    token("apify_api_", Alphanumeric, 28),
    token("rpa_", Alphanumeric, 36),
    token("ctx7sk-", Word, 20),
    // Money.
    exact("sk_", Word, 14, LONGEST, is_stripe),
    exact("rk_", Word, 14, LONGEST, is_stripe),
    token("whsec_", Base64, 20),
    token("rzp_live_", Alphanumeric, 12),
    token("rzp_test_", Alphanumeric, 12),
    token("sq0atp-", Word, 18),
    token("sq0csp-", Word, 18),
    weak("EAA", Word, 50, LONGEST, is_dense),
    token("access_token$", Dollars, 30),
    token("EZAK", Alphanumeric, 50),
    token("EZTK", Alphanumeric, 50),
    token("FLWSECK", Word, 16),
    token("shippo_live_", Hex, 36),
    token("shippo_test_", Hex, 36),
    token("shpat_", Hex, 30),
    token("shpss_", Hex, 30),
    token("shpca_", Hex, 30),
    token("shppa_", Hex, 30),
    token("shptka_", Hex, 30),
    token("duffel_test_", Word, 36),
    token("duffel_live_", Word, 36),
    // Messages and mail.
    token("xoxa-", Dotted, 16),
    token("xoxb-", Dotted, 16),
    token("xoxc-", Dotted, 16),
    token("xoxd-", Dotted, 16),
    token("xoxe-", Dotted, 16),
    token("xoxo-", Dotted, 16),
    token("xoxp-", Dotted, 16),
    token("xoxr-", Dotted, 16),
    token("xoxs-", Dotted, 16),
    token("xapp-", Word, 16),
    token("xwfp-", Word, 16),
    rule("hooks.slack.com/", Shape::Webhook(20)),
    rule("/api/webhooks/", Shape::Webhook(50)),
    rule(".webhook.office.com/", Shape::Webhook(50)),
    rule("hooks.zapier.com/hooks/catch/", Shape::Webhook(10)),
    rule(":AA", Shape::Telegram),
    weak("MTA", Dotted, 50, 90, is_discord),
    weak("MTE", Dotted, 50, 90, is_discord),
    weak("MTI", Dotted, 50, 90, is_discord),
    weak("MTM", Dotted, 50, 90, is_discord),
    weak("SK", Hex, 31, 33, has_number),
    weak("AC", Hex, 31, 33, has_number),
    token("SG.", Dotted, 50),
    token("xkeysib-", Word, 50),
    token("xsmtpsib-", Word, 50),
    token("mlsn.", Hex, 50),
    weak("re_", Word, 28, 44, is_resend),
    // Infrastructure.
    token("dapi", Hex, 31),
    token("hvs.", Word, 20),
    token("hvb.", Word, 20),
    token("hvr.", Word, 20),
    token(".atlasv1.", Dotted, 50),
    token("dp.pt.", Dotted, 36),
    token("dp.st.", Dotted, 36),
    token("dp.ct.", Dotted, 36),
    token("dp.sa.", Dotted, 36),
    token("dp.scim.", Dotted, 36),
    token("dp.audit.", Dotted, 36),
    token("PMAK-", Word, 40),
    token("glsa_", Word, 30),
    token("glc_", Base64, 30),
    token("NRAK-", Alphanumeric, 24),
    token("NRII-", Word, 24),
    token("NRIQ-", Word, 24),
    token("NRJS-", Hex, 17),
    token("sntrys_", Base64, 36),
    token("sntryu_", Hex, 50),
    token("sntryi_", Hex, 50),
    token("dt0c01.", Dotted, 60),
    token("dt0s01.", Dotted, 60),
    token("HRKU-", Word, 30),
    token("sbp_", Alphanumeric, 36),
    token("sb_secret_", Word, 20),
    token("fm1r_", Base64, 40),
    token("fm1a_", Base64, 40),
    token("fm2_", Base64, 40),
    token("fo1_", Word, 36),
    token("tskey-", Word, 16),
    token("nfp_", Alphanumeric, 30),
    token("vercel_blob_rw_", Word, 28),
    token("pscale_tkn_", Dotted, 28),
    token("pscale_pw_", Dotted, 28),
    token("pscale_oauth_", Dotted, 28),
    token("pnu_", Alphanumeric, 30),
    token("pnb_", Alphanumeric, 30),
    token("pul-", Hex, 36),
    token("napi_", Alphanumeric, 40),
    token("rnd_", Alphanumeric, 26),
    token("sha256~", Word, 40),
    weak("API-", Upper, 25, 34, has_number),
    token("dnkey-", Word, 50),
    weak("ico-", Alphanumeric, 31, 34, is_dense),
    token("ops_eyJ", Base64, 60),
    weak("A3-", UpperGroups, 26, 44, is_one_password),
    token("AGE-SECRET-KEY-1", Upper, 50),
    token("signkey-", Word, 32),
    token("snyk_uat.", Dotted, 30),
    token("retool_01", Alphanumeric, 20),
    token("sk.eyJ", Dotted, 60),
    // Work.
    letters("lin_api_", 30),
    letters("lin_oauth_", 30),
    letters("ntn_", 40),
    token("CFPAT-", Word, 36),
    weak("sl.", Dotted, 60, LONGEST, is_dense),
    token("figd_", Word, 34),
    token("figo_", Word, 34),
    weak("1/1", Asana, 40, 90, is_asana),
    weak("2/1", Asana, 40, 90, is_asana),
    weak("pat", Dotted, 60, 100, is_pat),
    token("tfp_", Dotted, 36),
    token("aio_", Alphanumeric, 26),
    token("phx_", Alphanumeric, 36),
    token("rdme_", Alphanumeric, 60),
    token("waka_", Word, 36),
    token("p8e-", Alphanumeric, 31),
    token("fio-u-", Word, 50),
    token("tk-us-", Word, 40),
    token("django-insecure-", Graphic, 20),
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
    /// Tells whether this rule is a word in the name of a secret.
    #[cfg(test)]
    pub(super) fn is_name(&self) -> bool {
        matches!(self.shape, Shape::Name)
    }

    /// Looks for a secret at `at`, the position of the beginning of this rule.
    pub(super) fn look(&self, window: Window, at: usize) -> Found {
        let from = at + self.start.len();
        match &self.shape {
            Shape::Token(token) => token.look(window, at, from),
            Shape::Jwt if window.is_inside_word(at) => Found::Nothing,
            Shape::Jwt => window.jwt(at),
            Shape::Login => window.login(at, from),
            Shape::Webhook(least) => window.webhook(from, *least),
            Shape::Signature => window.signature(at, from),
            Shape::Pem => window.pem(from),
            Shape::Putty => window.putty(from),
            Shape::Crypt => window.crypt(from),
            Shape::Azure => window.azure(at, from),
            Shape::Telegram => window.telegram(at),
            Shape::Name => window.name(at, from),
            Shape::Scheme if window.is_inside_word(at) => Found::Nothing,
            Shape::Scheme => window.scheme(from),
            Shape::Pgpass => window.pgpass(from),
            Shape::User if window.last(at).is_none_or(|byte| byte.is_ascii_whitespace()) => {
                window.user(at, from)
            }
            Shape::User => window.mailchimp(at),
            Shape::Option if window.last(at) == Some(b' ') => window.option(at, from),
            Shape::Option => Found::Nothing,
            Shape::Redis => window.redis(at, from),
            Shape::Change => window.changed(at, from - 1),
        }
    }
}

impl Token {
    fn look(&self, window: Window, at: usize, from: usize) -> Found {
        let begins_word = window.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if begins_word && window.is_inside_word(at) {
            return Found::Nothing;
        }
        let last = window.last(at).unwrap_or(b' ');
        if self.is_weak && b"_-+/.".contains(&last) && !window.is_escape_before(at) {
            return Found::Nothing;
        }
        let (end, goes_on) = window.class(from, self.of, self.most + 1);
        if goes_on {
            return Found::Undecided(at);
        }
        if self.most < LONGEST && end - from > self.most {
            return Found::Nothing;
        }
        // A dot at the end of a sentence is not part of a token.
        let dots = window.text[from..end]
            .iter()
            .rev()
            .take(JUDGED)
            .take_while(|byte| **byte == b'.')
            .count();
        let token = &window.text[from..end - dots];
        let head = judged(token);
        match token.len() >= self.least && (self.tells)(head) && !is_placeholder(head) {
            true => Found::Secret { hold: at, bytes: from..end - dots },
            false => Found::Nothing,
        }
    }
}

/// Returns the number of last bytes that may be the digits of a key that ends with its region.
pub(super) fn hex_tail(text: &[u8]) -> usize {
    let tail = &text[text.len().saturating_sub(37)..];
    let region = tail.iter().rev().take_while(|byte| b"-us".contains(byte)).count();
    let region = if b"-us".starts_with(&tail[tail.len() - region..]) { region } else { 0 };
    let digits = tail[..tail.len() - region].iter().rev().take_while(|byte| hex(**byte)).count();
    if (8..=32).contains(&digits) { digits + region } else { 0 }
}
