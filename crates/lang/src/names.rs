//! The names that mean something to the language.

use asanoha_table::edit_distance;

use super::MAX_NAME_LENGTH;

/// A function of the language.
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The smallest and largest number of arguments.
    pub(super) arguments: (usize, usize),
}

const fn taking(name: &'static str, least: usize, most: usize) -> Function {
    Function { name, arguments: (least, most) }
}

/// Every function of the language.
pub(super) static FUNCTIONS: [Function; 32] = [
    taking("where", 3, 3),
    taking("abs", 1, 1),
    taking("min", 1, usize::MAX),
    taking("max", 1, usize::MAX),
    taking("less_than", 3, 3),
    taking("sign", 1, 2),
    taking("relu", 1, 1),
    taking("clip", 3, 3),
    taking("assume", 3, 3),
    taking("floor", 1, 1),
    taking("round", 1, 1),
    taking("sum", 1, 1),
    taking("count", 1, 1),
    taking("mean", 1, 1),
    taking("var", 1, 1),
    taking("std", 1, 3),
    taking("cov", 2, 2),
    taking("corr", 2, 4),
    taking("quantile", 2, 2),
    taking("histogram", 3, 3),
    taking("mean_where", 2, 2),
    taking("ratio", 2, 2),
    taking("least_squares", 2, 2),
    taking("linear", 1, 1),
    taking("dot", 2, 2),
    taking("table", 2, 2),
    taking("table2", 3, 3),
    taking("sigmoid", 1, 1),
    taking("exp", 1, 1),
    taking("tanh", 1, 1),
    taking("log", 1, 1),
    taking("sqrt", 1, 1),
];

/// The function of a name.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

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

/// Whether a name is an identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// What functions are called elsewhere.
const ELSEWHERE: [(&str, &str); 26] = [
    ("average", "mean"),
    ("avg", "mean"),
    ("variance", "var"),
    ("stdev", "std"),
    ("stddev", "std"),
    ("sd", "std"),
    ("median", "quantile"),
    ("percentile", "quantile"),
    ("ceil", "floor"),
    ("int", "floor"),
    ("trunc", "floor"),
    ("clamp", "clip"),
    ("logistic", "sigmoid"),
    ("ln", "log"),
    ("total", "sum"),
    ("if_else", "where"),
    ("select", "where"),
    ("ifelse", "where"),
    ("iif", "where"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("absolute", "abs"),
    ("covariance", "cov"),
    ("correlation", "corr"),
    ("sumproduct", "dot"),
    ("hist", "histogram"),
];

/// The function whose name is nearest to `name`, in the language or elsewhere, when one is near.
pub(super) fn nearest_function(name: &str) -> Option<&'static str> {
    let own = FUNCTIONS.iter().map(|function| (function.name, function.name));
    let lower = name.to_lowercase();
    own.chain(ELSEWHERE)
        .map(|(called, function)| (edit_distance(&lower, called), function))
        .filter(|&(distance, _)| distance <= 2.min(name.chars().count() / 2))
        .min()
        .map(|(_, candidate)| candidate)
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
            ("averge", Some("mean")),
            ("SUM", Some("sum")),
            ("Average", Some("mean")),
            ("stdv", Some("std")),
            ("fourier", None),
            ("x", None),
        ] {
            assert_eq!(nearest_function(given), expected, "{given}");
        }
    }
}
