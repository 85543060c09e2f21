//! Advice on what stands where nothing is expected.

use super::lexer::Token;
use crate::names;

/// Advice on a token after a value that is all of its line.
pub(super) fn after_value(token: &Token) -> Option<&'static str> {
    match token {
        Token::Name(name) if names::KEYWORDS.contains(&name.as_str()) => names::keyword_help(name),
        Token::Name(_) => Some(
            "a product needs its `*`, and columns with spaces in their names stand in back-quotes, such as `body mass`",
        ),
        Token::Column(_) | Token::Number(_) | Token::Date(_) | Token::Weights(_) | Token::Symbol("(") => {
            Some("a product needs its `*`")
        }
        Token::Symbol("[") => Some("rows aren't picked by their numbers: results are of all rows"),
        Token::Symbol(",") => Some("a line has one result: give the others lines of their own"),
        Token::Symbol(":") => {
            Some("a line is an assignment, and a choice is written `a if condition else b`")
        }
        _ => None,
    }
}
