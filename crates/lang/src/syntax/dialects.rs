//! Forms of SQL, R, pandas and spreadsheets, as tokens of the language.
//!
//! A form becomes one of the language where it can mean nothing else. What means different things in different tools is refused.

use asanoha_numeric::date;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::lexer::Token;
use crate::{
    error::ProgramError,
    source::{Place, Source},
};

type Placed = (Token, Place);

/// Functions of a column that take a condition as their second argument.
const OF_ROWS: [&str; 7] = ["sum", "mean", "avg", "average", "std", "var", "stdev"];

/// The most tokens that are looked through for the other end of a form.
const MOST_LOOKED_THROUGH: usize = 4096;

/// A bracket that is open.
struct Open {
    /// The function before it, in small letters, and where that stands among the tokens that are made.
    function: Option<(String, usize)>,
    /// The commas after it.
    commas: usize,
    /// True after the `TRUE` that stands for all other rows: one value follows, and no more.
    is_last: bool,
    kind: Kind,
}

#[derive(PartialEq)]
enum Kind {
    Bracket,
    /// The rows that are picked of an argument, `x[c]`: they become the second argument.
    Picked,
    /// `case when … end`, with a mark if `else` was read.
    Case {
        has_else: bool,
    },
    /// `sum(x) where c`, which ends with its line.
    Where,
}

struct Translator<'a> {
    source: Source<'a>,
    tokens: Vec<Placed>,
    next: usize,
    made: Vec<Placed>,
    open: Vec<Open>,
}

/// The tokens of the language for those of a text.
pub(super) fn translated(source: Source<'_>, tokens: Vec<Placed>) -> Result<Vec<Placed>, ProgramError> {
    let made = Vec::with_capacity(tokens.len());
    let mut translator = Translator { source, tokens, next: 0, made, open: Vec::new() };
    while translator.next < translator.tokens.len() {
        translator.step()?;
    }
    Ok(translator.made)
}

impl Translator<'_> {
    fn peek(&self, ahead: usize) -> &Token {
        self.tokens.get(self.next + ahead).map_or(&Token::End, |(token, _)| token)
    }

    fn is_symbol(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek(ahead), Token::Symbol(found) if *found == symbol)
    }

    /// The word at a place, in small letters, if one stands there in small or in capital letters.
    fn word(&self, ahead: usize) -> Option<String> {
        match self.peek(ahead) {
            Token::Name(name) if name == "True" => Some("true".to_owned()),
            Token::Name(name) => {
                let lower = name.to_lowercase();
                (*name == lower || *name == name.to_uppercase()).then_some(lower)
            }
            _ => None,
        }
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.word(ahead).as_deref() == Some(word)
    }

    fn error(&self, message: impl Into<String>, help: &str) -> ProgramError {
        let at = self.tokens[self.next.min(self.tokens.len() - 1)].1;
        self.source.error(at, message, Some(help.to_owned()))
    }

    /// Takes some tokens, and makes others in their place.
    fn replace(&mut self, count: usize, by: impl IntoIterator<Item = Token>) {
        let at = self.tokens[self.next].1;
        self.made.extend(by.into_iter().map(|token| (token, at)));
        self.next += count;
    }

    fn keep(&mut self) {
        self.made.push(self.tokens[self.next].clone());
        self.next += 1;
    }

    fn step(&mut self) -> Result<(), ProgramError> {
        match self.peek(0).clone() {
            Token::Name(_) => self.name(),
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Newline => {
                match self.open.last().map(|open| &open.kind) {
                    // A case goes on in the next line.
                    Some(Kind::Case { .. }) => self.next += 1,
                    Some(Kind::Where) => {
                        self.open.pop();
                        self.replace(0, [Token::Symbol(")")]);
                        self.keep();
                    }
                    _ => self.keep(),
                }
                Ok(())
            }
            Token::End => {
                if matches!(self.open.last(), Some(Open { kind: Kind::Case { .. }, .. })) {
                    return Err(
                        self.error("`case` is not ended", "it's written `case when a > 3 then 1 else 0 end`")
                    );
                }
                self.keep();
                Ok(())
            }
            _ => {
                self.keep();
                Ok(())
            }
        }
    }

    fn name(&mut self) -> Result<(), ProgramError> {
        let Some(word) = self.word(0).or_else(|| self.is_called_date().then(|| "date".to_owned())) else {
            self.keep();
            return Ok(());
        };
        let is_called = self.is_symbol(1, "(");
        match word.as_str() {
            "date" | "to_date" if let Some((text, count)) = self.date(is_called) => {
                self.replace(count, [Token::Text(text)]);
                return Ok(());
            }
            "case" if self.is_word(1, "when") => {
                self.replace(2, [Token::Name("case_when".to_owned()), Token::Symbol("(")]);
                let kind = Kind::Case { has_else: false };
                self.open.push(Open { function: None, commas: 0, is_last: false, kind });
                return Ok(());
            }
            "when" | "then" | "else" | "end" if let Some(open) = self.open.last_mut() => {
                if let Kind::Case { has_else } = &mut open.kind {
                    *has_else |= word == "else";
                    let has_else = *has_else;
                    return self.in_case(&word, has_else);
                }
            }
            "count" if is_called && self.is_word(2, "distinct") && !self.is_symbol(3, ")") => {
                let help = "the rows of each whole number are counted by `histogram(x, 0, 9)`, and those of a text by `count(region == 'north')`";
                return Err(self.error("different values aren't counted", help));
            }
            "in" if self.is_word(1, "c") && self.is_symbol(2, "(") => {
                self.keep();
                self.next += 1;
                return Ok(());
            }
            "true" if self.is_last_condition() => {
                if let Some(open) = self.open.last_mut() {
                    open.is_last = true;
                }
                self.next += 2;
                return Ok(());
            }
            _ => {}
        }
        self.keep();
        Ok(())
    }

    /// Returns true before `as.Date`, which R writes.
    fn is_called_date(&self) -> bool {
        matches!(self.peek(0), Token::Name(name) if name == "as.Date")
    }

    /// A date in quotes after a word that says so, and how many tokens that is.
    fn date(&self, is_called: bool) -> Option<(String, usize)> {
        let (at, count) = if is_called { (2, 4) } else { (1, 2) };
        let Token::Text(text) = self.peek(at) else { return None };
        let is_closed = !is_called || self.is_symbol(3, ")");
        (is_closed && date::days(text).is_some()).then(|| (text.clone(), count))
    }

    /// A word of `case when … then … else … end`.
    fn in_case(&mut self, word: &str, has_else: bool) -> Result<(), ProgramError> {
        if word != "end" {
            self.replace(1, [Token::Symbol(",")]);
            return Ok(());
        }
        if !has_else {
            let help = "give them one: `case when a > 3 then 1 else 0 end`";
            return Err(self.error("`case` has no value for rows in which no condition holds", help));
        }
        self.open.pop();
        self.replace(1, [Token::Symbol(")")]);
        Ok(())
    }

    /// Returns true for a `TRUE` in the place of a condition, which stands for all other rows in a choice of several.
    fn is_last_condition(&self) -> bool {
        let of_several = |open: &Open| {
            let is_condition =
                self.is_symbol(1, "~") || self.is_symbol(1, ",") && open.commas.is_multiple_of(2);
            is_condition && matches!(open.function(), Some("case_when" | "ifs"))
        };
        self.open.last().is_some_and(of_several)
            && matches!(self.made.last(), Some((Token::Symbol("," | "("), _)))
    }

    fn symbol(&mut self, symbol: &'static str) -> Result<(), ProgramError> {
        match symbol {
            "(" | "[" | "{" => self.opens(symbol),
            ")" | "]" | "}" => self.closes(symbol),
            "," => {
                if let Some(open) = self.open.last_mut() {
                    open.commas += 1;
                    if open.is_last {
                        let help = "move it to the end, before the value of all other rows";
                        return Err(
                            self.error("`TRUE` holds in all rows: no condition after it decides", help)
                        );
                    }
                }
                self.keep();
            }
            "=" if !self.open.is_empty() => return self.equality(),
            "&&" => self.replace(1, [Token::Symbol("&")]),
            "||" => self.replace(1, [Token::Symbol("|")]),
            "~" if matches!(self.open.last().and_then(Open::function), Some("case_when"))
                && self.is_after_value() =>
            {
                self.replace(1, [Token::Symbol(",")]);
            }
            "^" => return self.power(),
            // `x <- y` of R, at the beginning of a line.
            "<" if self.is_arrow() => self.replace(2, [Token::Symbol("=")]),
            _ => self.keep(),
        }
        Ok(())
    }

    fn opens(&mut self, symbol: &'static str) {
        let function = match self.made.last() {
            Some((Token::Name(name), _)) if symbol == "(" => Some((name.to_lowercase(), self.made.len() - 1)),
            _ => None,
        };
        if symbol == "[" && self.picks_rows() {
            self.open.push(Open { function: None, commas: 0, is_last: false, kind: Kind::Picked });
            self.replace(1, [Token::Symbol(",")]);
            return;
        }
        self.open.push(Open { function, commas: 0, is_last: false, kind: Kind::Bracket });
        self.keep();
    }

    /// Returns true for the bracket of `mean(x[c])`: of the only argument of a function of rows, and all of that.
    fn picks_rows(&self) -> bool {
        let [.., (Token::Symbol("("), _), (Token::Name(_) | Token::Column(_), _)] = &self.made[..] else {
            return false;
        };
        let is_of_rows = |open: &Open| open.function().is_some_and(|name| OF_ROWS.contains(&name));
        self.open.last().is_some_and(is_of_rows)
            && self
                .closing(self.next)
                .is_some_and(|end| matches!(self.tokens.get(end + 1), Some((Token::Symbol(")"), _))))
    }

    /// The place at which the bracket that is opened at a token is closed.
    fn closing(&self, from: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, (token, _)) in self.tokens.iter().enumerate().skip(from).take(MOST_LOOKED_THROUGH) {
            match token {
                Token::Symbol("(" | "[" | "{") => depth += 1,
                Token::Symbol(")" | "]" | "}") => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn closes(&mut self, symbol: &'static str) {
        let Some(open) = self.open.last() else { return self.keep() };
        match open.kind {
            Kind::Picked if symbol == "]" => {
                self.open.pop();
                self.next += 1;
            }
            Kind::Bracket if symbol == ")" && self.is_word(1, "where") && self.is_whole_line() => {
                let is_empty = matches!(self.made.last(), Some((Token::Symbol("(" | "*"), _)));
                if let Some((Token::Symbol("*"), _)) = self.made.last() {
                    self.made.pop();
                }
                if let Some(open) = self.open.last_mut() {
                    open.kind = Kind::Where;
                }
                self.replace(2, (!is_empty).then_some(Token::Symbol(",")));
            }
            Kind::Bracket => {
                self.open.pop();
                self.keep();
            }
            _ => self.keep(),
        }
    }

    /// Returns true if the call that's closed here is all of its line so far, of one argument, and takes a condition beside it.
    fn is_whole_line(&self) -> bool {
        let [Open { function: Some((name, at)), commas: 0, .. }] = &self.open[..] else { return false };
        let is_first = matches!(self.made[..*at], [.., (Token::Name(_), _), (Token::Symbol("="), _)]);
        let is_empty = matches!(self.made.last(), Some((Token::Symbol("(" | "*"), _)));
        is_first && if is_empty { name == "count" } else { OF_ROWS.contains(&name.as_str()) }
    }

    /// Returns true if a line begins with a name and `<-` without a space.
    fn is_arrow(&self) -> bool {
        let adjacent =
            |(_, at): &Placed, (_, next): &Placed| at.line == next.line && at.column + 1 == next.column;
        let is_first =
            matches!(&self.made[..], [.., (Token::Newline, _), (Token::Name(_), _)] | [(Token::Name(_), _)]);
        is_first && self.is_symbol(1, "-") && adjacent(&self.tokens[self.next], &self.tokens[self.next + 1])
    }

    /// Returns true after a value, which an operator of two follows.
    fn is_after_value(&self) -> bool {
        matches!(
            self.made.last(),
            Some((
                Token::Name(_)
                    | Token::Column(_)
                    | Token::Number(_)
                    | Token::Date(_)
                    | Token::Text(_)
                    | Token::Symbol(")" | "]"),
                _
            ))
        )
    }

    /// `=` in brackets: equality, or the name of an argument.
    fn equality(&mut self) -> Result<(), ProgramError> {
        let named = match &self.made[..] {
            [.., (Token::Symbol("(" | ","), _), (Token::Name(name), _)] => name.clone(),
            _ => String::new(),
        };
        let function = self.open.last().and_then(Open::function).unwrap_or_default();
        match (function, named.as_str()) {
            ("clip", "lower" | "upper") => return self.clipped(&named),
            ("var" | "std", "ddof") => return self.with_ddof(),
            ("round", "digits" | "decimals" | "ndigits") | ("quantile", "q" | "probs") => {
                self.made.pop();
                self.next += 1;
            }
            _ => self.replace(1, [Token::Symbol("==")]),
        }
        Ok(())
    }

    /// `clip(x, lower=a)`, `clip(x, upper=b)` or `clip(x, lower=a, upper=b)`, as pandas writes it.
    fn clipped(&mut self, named: &str) -> Result<(), ProgramError> {
        let help = "write `clip(x, lo, hi)`, `max(x, lo)` or `min(x, hi)`";
        let error = self.error(format!("`{named}` stands in another place of `clip`"), help);
        let Some(Open { function: Some((_, at)), commas, .. }) = self.open.last() else { return Err(error) };
        let at = *at;
        let depth =
            self.tokens[self.next..].iter().take(MOST_LOOKED_THROUGH).scan(1_isize, |depth, (token, _)| {
                match token {
                    Token::Symbol("(" | "[") => *depth += 1,
                    Token::Symbol(")" | "]") => *depth -= 1,
                    _ => {}
                }
                (*depth > 0).then_some((*depth, token))
            });
        let follows = depth.filter(|(depth, token)| *depth == 1 && **token == Token::Symbol(",")).count();
        let alone = match (named, *commas, follows) {
            ("lower", 1, 0) => Some("max"),
            ("upper", 1, 0) => Some("min"),
            ("lower", 1, 1) | ("upper", 2, 0) => None,
            _ => return Err(error),
        };
        if let Some(alone) = alone {
            self.made[at].0 = Token::Name(alone.to_owned());
        }
        self.made.pop();
        self.next += 1;
        Ok(())
    }

    /// `var(x, ddof=1)`: of a sample, and with 0 of the rows.
    fn with_ddof(&mut self) -> Result<(), ProgramError> {
        let help = "write `var(x)` and `std(x)`, which divide by the number of rows, or `var_samp(x)` and `stdev(x)`, which divide by one less";
        let error = self.error("`ddof` is 0 or 1 here", help);
        let Some(Open { function: Some((name, at)), commas: 1, .. }) = self.open.last() else {
            return Err(error);
        };
        let sample = if name == "var" { "var_samp" } else { "stdev" };
        let is = |value: &BigRational| matches!(self.peek(1), Token::Number(found) if found == value);
        if !self.is_symbol(2, ")") || !(is(&BigRational::one()) || is(&BigRational::zero())) {
            return Err(error);
        }
        if is(&BigRational::one()) {
            self.made[*at].0 = Token::Name(sample.to_owned());
        }
        // The comma and the name.
        self.made.truncate(self.made.len() - 2);
        self.next += 2;
        Ok(())
    }

    /// `x^2`, a power in spreadsheets and R. Between conditions it is another operator in Python, and below a sign another number in
    /// spreadsheets.
    fn power(&mut self) -> Result<(), ProgramError> {
        let is_small = |value: &BigRational| value.is_zero() || value.is_one();
        if !matches!(self.peek(1), Token::Number(exponent) if !is_small(exponent)) {
            return Err(self.error(
                "`^` stands before a constant only",
                "a power is written `**`, and one of two conditions `xor(a, b)`",
            ));
        }
        let Some(operand) = self.operand() else {
            return Err(self.error("`^` follows a very long expression", "a power is written `**`"));
        };
        let before = self.made.len() - operand;
        let is_sign = |token: &Token| matches!(token, Token::Symbol("-"));
        let is_unary = |token: Option<&Placed>| {
            !matches!(
                token,
                Some((Token::Name(_) | Token::Column(_) | Token::Number(_) | Token::Symbol(")" | "]"), _))
            )
        };
        let is_signed = before > 0
            && is_sign(&self.made[before - 1].0)
            && is_unary(before.checked_sub(2).map(|at| &self.made[at]));
        let is_chained = before > 0 && matches!(self.made[before - 1].0, Token::Symbol("**"));
        if is_signed || is_chained {
            return Err(self.error(
                "`^` after a sign or another power means different things in different tools",
                "write `-(x ** 2)` or `(-x) ** 2`",
            ));
        }
        self.replace(1, [Token::Symbol("**")]);
        Ok(())
    }

    /// The number of the last tokens that are the operand that ends here.
    fn operand(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for (count, (token, _)) in self.made.iter().rev().enumerate().take(MOST_LOOKED_THROUGH) {
            match token {
                Token::Symbol(")" | "]" | "}") => depth += 1,
                Token::Symbol("(" | "[" | "{") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                let before = self.made.len().checked_sub(count + 2).map(|at| &self.made[at].0);
                let is_call = *token == Token::Symbol("(") && matches!(before, Some(Token::Name(_)));
                return Some(count + 1 + usize::from(is_call));
            }
        }
        None
    }
}

impl Open {
    fn function(&self) -> Option<&str> {
        self.function.as_ref().map(|(name, _)| name.as_str())
    }
}
