//! Colours: decides whether to use them, and gives each meaning of a text its colour.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};

/// The values of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    // The values have no help texts, which would double the length of every help page.
    #[default]
    Auto,
    Always,
    Never,
}

/// Whether text gets colours. JSON never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colors {
    on: bool,
}

/// The meaning of a piece of text. Each meaning has one colour in all commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// A failure.
    Failure,
    /// A success.
    Success,
    /// A fact that the reader should know.
    Caution,
    /// A match of a search.
    Match,
    /// The id of an output.
    Id,
    /// The number of a line.
    LineNumber,
    Added,
    Removed,
    /// A heading, or a place in a file.
    Heading,
    /// A text that is less important than the others.
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        let colored = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Tone::Failure | Tone::Removed => colored(AnsiColor::Red),
            Tone::Success | Tone::Added | Tone::LineNumber => colored(AnsiColor::Green),
            Tone::Caution => colored(AnsiColor::Yellow),
            Tone::Match => colored(AnsiColor::Red).bold(),
            Tone::Id => colored(AnsiColor::Magenta),
            Tone::Heading => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
        }
    }
}

impl Colors {
    pub(crate) const OFF: Colors = Colors { on: false };

    /// Decides by the option first, then by the variables, then by the terminal.
    pub(crate) fn decide(
        choice: ColorChoice,
        variable: impl Fn(&str) -> Option<OsString>,
        is_terminal: bool,
    ) -> Colors {
        let is_on = |name: &str| variable(name).map(|value| value != "0");
        let on = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if variable("NO_COLOR").is_some() => false,
            ColorChoice::Auto if is_on("CLICOLOR_FORCE") == Some(true) => true,
            ColorChoice::Auto if is_on("CLICOLOR") == Some(false) => false,
            ColorChoice::Auto => is_terminal && variable("TERM").is_none_or(|term| term != "dumb"),
        };
        Colors { on }
    }

    /// Returns the text in the colour of its meaning. A line feed at its end stays outside.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let line = text.strip_suffix('\n').unwrap_or(text);
        if !self.on || line.is_empty() {
            return text.to_owned();
        }
        let style = tone.style();
        format!("{style}{line}{style:#}{}", &text[line.len()..])
    }

    /// Paints each line for which `tone` returns a meaning.
    pub(crate) fn paint_lines(self, text: &str, tone: impl Fn(&str) -> Option<Tone>) -> String {
        if !self.on {
            return text.to_owned();
        }
        let line = |line: &str| match tone(line) {
            Some(tone) => self.paint(tone, line),
            None => line.to_owned(),
        };
        text.split_inclusive('\n').map(line).collect()
    }

    pub(crate) fn is_on(self) -> bool {
        self.on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(choice: ColorChoice, variables: &[(&str, &str)], is_terminal: bool) -> bool {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Colors::decide(choice, variable, is_terminal).on
    }

    #[test]
    fn colors_follow_option_then_variables_then_terminal() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, is_terminal, expected) in [
            (Auto, &[][..], true, true),
            (Auto, &[], false, false),
            (Auto, &[("NO_COLOR", "1")], true, false),
            (Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
            (Auto, &[("CLICOLOR", "0")], true, false),
            (Auto, &[("TERM", "dumb")], true, false),
            (Always, &[("NO_COLOR", "1")], false, true),
            (Never, &[("CLICOLOR_FORCE", "1")], true, false),
        ] {
            let decided = decided(choice, variables, is_terminal);
            assert_eq!(decided, expected, "{choice:?} {variables:?} {is_terminal}");
        }
    }

    #[test]
    fn paint_leaves_the_line_feed_outside() {
        let on = Colors { on: true };
        assert_eq!(on.paint(Tone::Failure, "no\n"), "\u{1b}[31mno\u{1b}[0m\n");
        assert_eq!(on.paint(Tone::Failure, ""), "");
        assert_eq!(Colors::OFF.paint(Tone::Failure, "no"), "no");
    }
}
