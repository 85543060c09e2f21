//! The names that mean something to the language.

use asanoha_numeric::text::is_steering;

use crate::limits::MAX_NAME_LENGTH;

/// The functions whose names columns have in back-quotes where programs are printed. This list doesn't grow with the functions, for the
/// texts of programs, and all that's derived from these, would change.
const QUOTED: [&str; 32] = [
    "where",
    "abs",
    "min",
    "max",
    "less_than",
    "sign",
    "relu",
    "clip",
    "assume",
    "floor",
    "round",
    "sum",
    "count",
    "mean",
    "var",
    "std",
    "cov",
    "corr",
    "quantile",
    "histogram",
    "mean_where",
    "ratio",
    "least_squares",
    "linear",
    "dot",
    "table",
    "table2",
    "sigmoid",
    "exp",
    "tanh",
    "log",
    "sqrt",
];

/// Those of them whose names columns may also have without back-quotes: only what is called is a function.
const ALSO_NAMES: [&str; 14] = [
    "clip",
    "assume",
    "floor",
    "round",
    "count",
    "std",
    "cov",
    "corr",
    "quantile",
    "histogram",
    "mean_where",
    "ratio",
    "least_squares",
    "linear",
];

/// The words of Python that cannot be names.
pub(crate) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Words of Python that columns may have as names: none stands in an expression.
pub(crate) const COLUMNS: [&str; 20] = [
    "as", "assert", "break", "class", "continue", "def", "del", "elif", "except", "finally", "from",
    "global", "import", "nonlocal", "pass", "raise", "return", "try", "with", "while",
];

/// Those that stand between values or before one.
pub(crate) const OPERATORS: [&str; 5] = ["and", "or", "not", "if", "else"];

/// What to write instead of a word of Python, or how it's written.
pub(crate) fn keyword_help(keyword: &str) -> Option<&'static str> {
    match keyword {
        "if" | "else" => Some("a choice is written `a if condition else b`"),
        "True" => Some("write 1"),
        "False" => Some("write 0"),
        "and" | "or" => Some("it stands between two conditions: `a < b and b < 3`"),
        "not" => Some("it stands before a condition: `not (a < b)`"),
        _ => None,
    }
}

/// Returns true for a word of Python, which names no output and no value.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Returns true for a word that has a meaning in expressions, so that no result is named so.
pub(crate) fn is_reserved_word(name: &str) -> bool {
    is_keyword(name) && !COLUMNS.contains(&name)
}

/// What a name that isn't assigned means to the language, when it means something.
pub(crate) fn reserved(name: &str) -> Option<&'static str> {
    if QUOTED.contains(&name) && !ALSO_NAMES.contains(&name) {
        Some("a function")
    } else if is_keyword(name) {
        Some("a word of Python")
    } else {
        None
    }
}

/// Whether a column may have a name, in back-quotes if it isn't an identifier: anything that a CSV file's cell can hold, cut at
/// the ends.
pub fn is_column(name: &str) -> bool {
    let is_short = (1..=MAX_NAME_LENGTH).contains(&name.len());
    is_short && name.trim() == name && !name.contains(|c: char| c == '`' || is_steering(c))
}

/// A column's name as programs write it: in back-quotes if it isn't one word, or means something to the language.
///
/// ```
/// use asanoha_lang::quoted_column;
///
/// assert_eq!([quoted_column("bmi"), quoted_column("body mass")], ["bmi", "`body mass`"]);
/// ```
pub fn quoted(column: &str) -> String {
    let is_plain = is_identifier(column) && !KEYWORDS.contains(&column) && !QUOTED.contains(&column);
    if is_plain { column.to_owned() } else { format!("`{column}`") }
}

/// A text as programs write it.
///
/// ```
/// use asanoha_lang::text_literal;
///
/// assert_eq!(text_literal("it's"), r"'it\'s'");
/// ```
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Returns true for a name that the language reads as one word: letters, digits and `_`, not beginning with a digit.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::is_column;

    #[test]
    fn a_name_has_any_letters_but_nothing_that_steers_a_terminal_or_its_direction() {
        let plain = ["body mass", "größe", "\u{5d0}\u{5d1}", "\u{645}\u{6cc}\u{200c}\u{62e}"];
        assert!(plain.into_iter().all(is_column));
        for mark in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{1b}', '`'] {
            assert!(!is_column(&format!("a{mark}b")), "{mark:?}");
        }
    }
}
