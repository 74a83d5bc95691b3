//! The ways to count tokens: an estimate, or exact counting with a vocabulary.
//!
//! A vocabulary has tens of megabytes, so exact counting is a feature of the build. The program
//! loads a vocabulary only if a setting or an option names it.

use overspill::core::Tokens;

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tokenizer {
    /// The estimate of overspill.
    #[default]
    Estimate,
    /// Exact counting with the vocabulary o200k.
    #[cfg(feature = "tokenizers")]
    O200k,
    /// Exact counting with the vocabulary cl100k.
    #[cfg(feature = "tokenizers")]
    Cl100k,
}

impl Tokenizer {
    /// The tokenizers of this build, by name.
    pub(crate) const NAMES: &[(&str, Tokenizer)] = &[
        ("estimate", Tokenizer::Estimate),
        #[cfg(feature = "tokenizers")]
        ("o200k", Tokenizer::O200k),
        #[cfg(feature = "tokenizers")]
        ("cl100k", Tokenizer::Cl100k),
    ];

    /// Returns a text that names the tokenizers of this build.
    pub(crate) fn allowed() -> &'static str {
        if cfg!(feature = "tokenizers") {
            r#""estimate", "o200k" or "cl100k""#
        } else {
            r#""estimate"; "o200k" and "cl100k" need a build with the feature `tokenizers`"#
        }
    }

    /// Returns the tokenizer of this name.
    pub(crate) fn named(name: &str) -> Option<Tokenizer> {
        Tokenizer::NAMES.iter().find(|(known, _)| *known == name).map(|(_, tokenizer)| *tokenizer)
    }

    pub(crate) fn name(self) -> &'static str {
        let known = Tokenizer::NAMES.iter().find(|(_, tokenizer)| *tokenizer == self);
        known.map_or("estimate", |(name, _)| name)
    }

    /// Returns the counting method for the engine.
    pub(crate) fn tokens(self) -> Tokens {
        match self {
            Tokenizer::Estimate => Tokens::Estimate,
            #[cfg(feature = "tokenizers")]
            Tokenizer::O200k => exact(bpe_openai::o200k_base),
            #[cfg(feature = "tokenizers")]
            Tokenizer::Cl100k => exact(bpe_openai::cl100k_base),
        }
    }
}

#[cfg(feature = "tokenizers")]
fn exact(vocabulary: fn() -> &'static bpe_openai::Tokenizer) -> Tokens {
    Tokens::exact(move |text| vocabulary().count(&*String::from_utf8_lossy(text)) as u64)
}
