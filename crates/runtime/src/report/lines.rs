//! Aligned lines.

use std::fmt::{Display, Write as _};

use asanoha_numeric::text::is_steering;

/// Words as lines of at most so many characters; a longer word has a line of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Lines of a name and a text, aligned.
#[derive(Debug, Default)]
pub struct Lines {
    text: String,
    width: Option<usize>,
}

/// The characters before the texts.
const NAMES: usize = 12;
/// Texts are never wrapped to fewer characters.
const NARROWEST: usize = 20;

impl Lines {
    /// Lines of at most so many characters, where that is given.
    pub fn new(width: Option<usize>) -> Self {
        Self { text: String::new(), width }
    }

    /// Adds a text, on as many lines as it takes, and its name before the first.
    pub fn line(&mut self, name: &str, text: impl Display) -> &mut Self {
        // Names in it may be of a file or server that isn't trusted.
        let text = text.to_string().replace(is_steering, "\u{fffd}");
        let most = self.width.map_or(usize::MAX, |width| width.saturating_sub(NAMES).max(NARROWEST));
        for (at, part) in wrapped(&text, most).iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let _ = writeln!(self.text, "{name:<11} {part}");
        }
        self
    }

    /// The lines.
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, wrapped};

    #[test]
    fn lines_are_as_long_as_they_may_be_and_lose_no_word() {
        let text = "one two three fourteen five";
        for most in 1..30 {
            let lines = wrapped(text, most);
            assert_eq!(lines.join(" "), text);
            assert!(lines.iter().all(|line| line.chars().count() <= most || !line.contains(' ')));
        }
        assert_eq!(wrapped(text, 13), ["one two three", "fourteen five"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn a_text_from_outside_makes_no_line_of_its_own() {
        let mut lines = Lines::new(None);
        lines.line("kind", "x\nsecurity    256 bits\u{1b}[2J\u{202e}");
        assert_eq!(lines.text(), "kind        x�security    256 bits�[2J�\n");
    }
}
