//! Forms of spreadsheets: `COUNTIF(math, ">50")` has a range, and in quotes what its cells are compared with; arguments may be separated by
//! semicolons.

use asanoha_numeric::number::{self, MAX_CONSTANT_BITS};
use num_traits::Signed;

use super::lexer::Token;
use crate::source::Place;

type Placed = (Token, Place);

/// The most tokens of a call that are looked through.
const MOST_TOKENS: usize = 4096;

/// The comparisons of criteria, the longer ones first, and those of the language.
const COMPARISONS: [(&str, &str); 6] =
    [(">=", ">="), ("<=", "<="), ("<>", "!="), (">", ">"), ("<", "<"), ("=", "==")];

/// The tokens with the forms of spreadsheets in the language's own.
pub(super) fn translated(tokens: Vec<Placed>) -> Vec<Placed> {
    compared(separated(tokens))
}

/// The tokens with commas for the semicolons in brackets. Where there are commas too, one of the two may stand in decimals, so that both stay
/// for a message.
fn separated(mut tokens: Vec<Placed>) -> Vec<Placed> {
    let (mut depth, mut from) = (0_usize, 0);
    for at in 0..tokens.len() {
        match tokens[at].0 {
            Token::Symbol("(" | "[" | "{") => {
                from = if depth == 0 { at } else { from };
                depth += 1;
            }
            Token::Symbol(")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                let inside = &mut tokens[from..at];
                if depth == 0 && !inside.iter().any(|(token, _)| *token == Token::Symbol(",")) {
                    let semicolons = inside.iter_mut().filter(|(token, _)| *token == Token::Symbol(";"));
                    semicolons.for_each(|(token, _)| *token = Token::Symbol(","));
                }
            }
            _ => {}
        }
    }
    tokens
}

/// The tokens with criteria that compare with numbers as conditions. Spreadsheets compare texts in other ways than the language, with any
/// case and `*` for any letters, so those stay as they are, for messages.
fn compared(mut tokens: Vec<Placed>) -> Vec<Placed> {
    let mut at = 0;
    while at < tokens.len() {
        if let Some((end, call)) = call(&tokens[at..]) {
            tokens.splice(at..at + end, call);
        }
        at += 1;
    }
    tokens
}

/// Translates a call at the first token. Returns the number of its tokens too.
fn call(tokens: &[Placed]) -> Option<(usize, Vec<Placed>)> {
    let [(Token::Name(name), at), (Token::Symbol("("), _), ..] = tokens else { return None };
    let lower = name.to_lowercase();
    let function = match lower.as_str() {
        "countif" | "countifs" => "count",
        "sumif" => "sum",
        "averageif" => "mean",
        _ => return None,
    };
    let (end, arguments) = arguments(tokens)?;
    let symbol = |symbol| (Token::Symbol(symbol), *at);
    let mut made = vec![(Token::Name(function.to_owned()), *at), symbol("(")];
    let (conditions, rest) = if function == "count" {
        (&arguments[..], None)
    } else {
        let (conditions, rest) = arguments.split_at_checked(2)?;
        let of = match rest {
            [] => arguments[0],
            [of] => of,
            _ => return None,
        };
        (conditions, Some(of))
    };
    if let Some(of) = rest {
        made.extend_from_slice(of);
        made.push(symbol(","));
    }
    if conditions.is_empty() || conditions.len() % 2 == 1 {
        return None;
    }
    for (pair, condition) in conditions.chunks_exact(2).enumerate() {
        if pair > 0 {
            made.push((Token::Name("and".to_owned()), *at));
        }
        made.push(symbol("("));
        made.extend_from_slice(condition[0]);
        made.extend(criterion(condition[1])?);
        made.push(symbol(")"));
    }
    made.push(symbol(")"));
    Some((end, made))
}

/// The arguments of a call, and how many tokens it has.
fn arguments(tokens: &[Placed]) -> Option<(usize, Vec<&[Placed]>)> {
    let (mut depth, mut from, mut arguments) = (0_usize, 2, Vec::new());
    for (at, (token, _)) in tokens.iter().enumerate().skip(1).take(MOST_TOKENS) {
        match token {
            Token::Symbol("(" | "[" | "{") => depth += 1,
            Token::Symbol(")" | "]" | "}") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    arguments.push(&tokens[from..at]);
                    return Some((at + 1, arguments));
                }
            }
            Token::Symbol(",") if depth == 1 => {
                arguments.push(&tokens[from..at]);
                from = at + 1;
            }
            Token::Newline | Token::End if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// A comparison with a number, after what is compared.
fn criterion(tokens: &[Placed]) -> Option<Vec<Placed>> {
    let [(Token::Text(text), at)] = tokens else { return None };
    let text = text.trim();
    let (comparison, number) = COMPARISONS
        .iter()
        .find_map(|(written, comparison)| Some((*comparison, text.strip_prefix(written)?)))
        .unwrap_or(("==", text));
    // Spreadsheets read 1/2 as a date.
    let number = number::parse_signed(number.trim(), MAX_CONSTANT_BITS).filter(|_| !number.contains('/'))?;
    let sign = number.is_negative().then_some((Token::Symbol("-"), *at));
    let tokens = std::iter::once((Token::Symbol(comparison), *at)).chain(sign);
    Some(tokens.chain([(Token::Number(number.abs()), *at)]).collect())
}
