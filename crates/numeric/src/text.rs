//! Characters that steer a terminal.

/// Whether a character of a text from outside could steer a terminal or show the text around it in another order: control
/// characters, marks and overrides of the direction of writing, and separators of lines.
pub fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns at most so many characters of a text, without those that steer a terminal.
pub fn without_steering(text: &str, most: usize) -> String {
    text.chars().filter(|&c| !is_steering(c)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_steering, without_steering};

    #[test]
    fn every_mark_of_direction_steers_and_letters_joiners_and_accents_do_not() {
        let marks =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        let lines = "\u{2028}\u{2029}\n\r\t\0\u{1b}\u{7f}\u{9b}";
        assert!(marks.chars().chain(lines.chars()).all(is_steering));
        // A Persian word needs a non-joiner, and an emoji a joiner.
        let plain = "aZ9 é e\u{301} \u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f52c} \u{5e9}";
        assert!(!plain.chars().any(is_steering));
        assert_eq!(without_steering(&format!("\u{1b}[31m\u{202e}{plain}"), 500), format!("[31m{plain}"));
        assert_eq!(without_steering("\u{2066}abc", 2), "ab");
    }
}
