//! The names that mean something to the language.

use super::MAX_NAME_LENGTH;

/// A function of the language.
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The smallest and largest number of arguments.
    pub(super) arguments: (usize, usize),
}

const fn function(name: &'static str, least: usize, most: usize) -> Function {
    Function { name, arguments: (least, most) }
}

/// Every function of the language.
pub(super) const FUNCTIONS: [Function; 32] = [
    function("where", 3, 3),
    function("abs", 1, 1),
    function("min", 1, usize::MAX),
    function("max", 1, usize::MAX),
    function("less_than", 3, 3),
    function("sign", 1, 2),
    function("relu", 1, 1),
    function("clip", 3, 3),
    function("assume", 3, 3),
    function("floor", 1, 1),
    function("round", 1, 1),
    function("sum", 1, 1),
    function("count", 1, 1),
    function("mean", 1, 1),
    function("var", 1, 1),
    function("std", 1, 3),
    function("cov", 2, 2),
    function("corr", 2, 4),
    function("quantile", 2, 2),
    function("histogram", 3, 3),
    function("mean_where", 2, 2),
    function("ratio", 2, 2),
    function("least_squares", 2, 2),
    function("linear", 1, 1),
    function("dot", 2, 2),
    function("table", 2, 2),
    function("table2", 3, 3),
    function("sigmoid", 1, 1),
    function("exp", 1, 1),
    function("tanh", 1, 1),
    function("log", 1, 1),
    function("sqrt", 1, 1),
];

/// Functions whose names columns may have without back-quotes: only what's called is a function. Results may have those of all.
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
pub(super) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Those that stand between values or before one.
pub(super) const OPERATORS: [&str; 5] = ["and", "or", "not", "if", "else"];

/// What to write instead of a word of Python, or how it's written.
pub(super) fn keyword_help(keyword: &str) -> Option<&'static str> {
    match keyword {
        "if" | "else" => Some("a choice is written `a if condition else b`"),
        "True" => Some("write 1"),
        "False" => Some("write 0"),
        "and" | "or" => Some("it stands between two conditions: `a < b and b < 3`"),
        "not" => Some("it stands before a condition: `not (a < b)`"),
        _ => None,
    }
}

/// Whether a name is a word of Python.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// What a name that isn't assigned means to the language, when it means something.
pub(super) fn reserved(name: &str) -> Option<&'static str> {
    if FUNCTIONS.iter().any(|function| function.name == name) && !ALSO_NAMES.contains(&name) {
        Some("a function")
    } else if is_keyword(name) {
        Some("a word of Python")
    } else {
        None
    }
}

/// Whether a column may have a name, in back-quotes if it isn't an identifier: anything that a CSV file's cell can hold, cut at
/// the ends.
pub(super) fn is_column(name: &str) -> bool {
    let is_short = (1..=MAX_NAME_LENGTH).contains(&name.len());
    is_short && name.trim() == name && !name.contains(|c: char| c == '`' || c.is_control())
}

/// A column's name as programs write it.
pub(super) fn quoted(column: &str) -> String {
    let is_plain = is_identifier(column)
        && !KEYWORDS.contains(&column)
        && !FUNCTIONS.iter().any(|function| function.name == column);
    if is_plain { column.to_owned() } else { format!("`{column}`") }
}

/// A text as programs write it.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The three of some names that are nearest to a text, the nearest first.
pub(super) fn nearest<'a>(text: &str, names: &'a [String]) -> Vec<&'a str> {
    let mut nearest: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest.sort_by_cached_key(|name| edit_distance(&text.to_lowercase(), &name.to_lowercase()));
    nearest.truncate(3);
    nearest
}

/// Whether a name is an identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// The function whose name is nearest to `name`, when one is near.
pub(super) fn nearest_function(name: &str) -> Option<&'static str> {
    let by_meaning = match name {
        "average" | "avg" => Some("mean"),
        "variance" => Some("var"),
        "stdev" | "sd" => Some("std"),
        "median" | "percentile" => Some("quantile"),
        "ceil" => Some("floor"),
        "clamp" => Some("clip"),
        "logistic" => Some("sigmoid"),
        "ln" => Some("log"),
        "total" => Some("sum"),
        "if_else" | "select" | "ifelse" => Some("where"),
        _ => None,
    };
    by_meaning.or_else(|| {
        FUNCTIONS
            .iter()
            .map(|function| (edit_distance(name, function.name), function.name))
            .filter(|&(distance, _)| distance <= 2.min(name.chars().count() / 2))
            .min()
            .map(|(_, candidate)| candidate)
    })
}

/// The smallest number of insertions, deletions and replacements that turns `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_functions_find_the_nearest() {
        for (given, expected) in [
            ("sigmod", Some("sigmoid")),
            ("summ", Some("sum")),
            ("avg", Some("mean")),
            ("fourier", None),
            ("x", None),
        ] {
            assert_eq!(nearest_function(given), expected, "{given}");
        }
    }
}
