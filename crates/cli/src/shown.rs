//! Text that a terminal may show, whoever wrote the names in it.

use std::fmt::Write as _;

use asanoha::text::is_steering;

/// Returns a text of lines with `�` in place of each character that could steer a terminal or reorder the text around it.
pub(crate) fn shown(text: &str) -> String {
    let one = |c: char| if is_steering(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    text.chars().map(one).collect()
}

/// Returns the same JSON with an escape for each such character, which can only be within its texts.
pub(crate) fn escaped(json: &str) -> String {
    let one = |mut escaped: String, c: char| {
        if is_steering(c) {
            // A string takes all that is written.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
        escaped
    };
    json.chars().fold(String::with_capacity(json.len()), one)
}

#[cfg(test)]
mod tests {
    use super::{escaped, is_steering, shown};

    #[test]
    fn nothing_that_is_printed_steers_a_terminal_and_json_stays_the_same_value() {
        let text = "a\u{1b}[2J\u{202e}b\u{2066}\u{200f}\u{61c}\u{9b}c\r";
        assert_eq!(shown(&format!("{text}\n\td")), "a�[2J�b����c�\n\td");
        let value = serde_json::json!({ text: [text, "plain é"], "n": 1.5 });
        let json = escaped(&value.to_string());
        assert!(!json.contains(is_steering), "{json}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
    }
}
