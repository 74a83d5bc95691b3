//! The token that clients of `mcp --listen` must send: from a variable, or from a private file.

use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use overspill::Places;
use subtle::ConstantTimeEq;

use crate::env::Env;
use crate::open::open_regular;
use crate::ui;

/// The number of characters of a generated token.
const LENGTH: usize = 64;

/// The token that clients must send as `Authorization: Bearer TOKEN`.
pub(crate) struct BearerToken(String);

impl BearerToken {
    /// Returns the token in an environment variable, unless the variable is empty or not set.
    pub(crate) fn from_variable(name: &str, env: &Env) -> Option<BearerToken> {
        let text = env.variable(name)?.to_string_lossy().trim().to_owned();
        Some(BearerToken(text)).filter(|token| !token.0.is_empty())
    }

    /// Returns the token in the private file of the user, and the path of the file. The first call
    /// makes the file.
    pub(crate) fn from_file(
        name: &str,
        variable: &str,
        env: &Env,
    ) -> anyhow::Result<(BearerToken, PathBuf)> {
        let path = Places::below(env.places().state.clone(), "overspill").join(name);
        let shown = ui::path(&path);
        if !path.is_absolute() {
            bail!("a token cannot be saved without a home directory\n\nhint: set {variable}");
        }
        if path.symlink_metadata().is_err()
            && let Err(error) = make(&path)
        {
            bail!("{shown}: cannot write a token: {}\n\nhint: set {variable}", ui::reason(&error));
        }
        match read(&path) {
            Ok(token) => Ok((token, path)),
            Err(error) => bail!(
                "{shown}: {}\n\nhint: delete this file and start again, or set {variable}",
                ui::reason(&error)
            ),
        }
    }

    /// Tells whether the value of the header `Authorization` has the token. The time for the
    /// comparison does not depend on the value.
    pub(super) fn is_in(&self, header: &[u8]) -> bool {
        let Some((scheme, sent)) = header.split_at_checked("Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && bool::from(sent.ct_eq(self.0.as_bytes()))
    }
}

/// Hides the token, so that no error or log shows it.
impl fmt::Debug for BearerToken {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("BearerToken(…)")
    }
}

#[cfg(any(test, feature = "fuzz"))]
impl From<&str> for BearerToken {
    fn from(text: &str) -> BearerToken {
        BearerToken(text.to_owned())
    }
}

/// Returns 256 random bits as hexadecimal digits: a token, or the name of a session.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; LENGTH / 2];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a new token to a file that only the user can read. It does not replace a file that
/// another process makes meanwhile.
fn make(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut folders = DirBuilder::new();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    folders.recursive(true).create(directory)?;
    let new = directory.join(format!(".{}.new", random()?));
    let text = format!("{}\n", random()?);
    let written = options.open(&new).and_then(|mut file| file.write_all(text.as_bytes()));
    // A hard link appears with its whole content, and never replaces a file.
    let linked = written.and_then(|()| fs::hard_link(&new, path));
    let _ = fs::remove_file(&new);
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    }
}

/// Reads a token from a file. It refuses a file that another user could have read or written.
fn read(path: &Path) -> io::Result<BearerToken> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    let (file, metadata) = open_regular(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return refused("this file belongs to another user");
        }
        if metadata.mode() & 0o077 != 0 {
            return refused("other users have rights to this file");
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text)?;
    match text.trim() {
        text if text.len() >= LENGTH / 2 => Ok(BearerToken(text.to_owned())),
        _ => refused("this file contains no token"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_counts_only_whole_and_as_a_bearer() {
        let token = BearerToken::from("secret");
        for good in ["Bearer secret", "bearer secret", "BEARER secret"] {
            assert!(token.is_in(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer secre",
            "Bearer secret ",
            "Bearer Secret",
            "Basic secret",
            "secret",
        ] {
            assert!(!token.is_in(bad.as_bytes()), "{bad}");
        }
        assert_eq!(format!("{token:?}"), "BearerToken(…)");
    }

    #[test]
    fn random_texts_have_256_bits_and_differ() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(one.len() == 64 && one != other, "{one} {other}");
    }
}
