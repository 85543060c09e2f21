//! Tokens to a syntax tree, with the precedence of Python.
//!
//! The parser recurses to a bounded depth.

use std::collections::BTreeMap;

use super::{
    advice, dialects,
    lexer::{self, Token},
    parser_state::{Joined, Parsed, Parser},
    spreadsheets,
    weights::Weights,
};
use crate::{
    error::ProgramError,
    limits::MAX_NESTING,
    names,
    source::{Place, Source},
    tree::{Assignment, Expression, ExpressionId, Syntax},
};

/// Reads a whole program.
pub(super) fn parse(text: &str, weights: &BTreeMap<String, Weights>) -> Result<Syntax, ProgramError> {
    let tokens = dialects::translated(Source(text), spreadsheets::translated(lexer::tokens(text)?))?;
    let end = tokens.last().map_or(Place { line: 1, column: 1 }, |&(_, at)| at);
    let expressions = Vec::new();
    let joined = Joined::default();
    let (source, modulus) = (Source(text), None);
    let mut parser = Parser { source, tokens, next: 0, depth: 0, expressions, joined, weights, modulus };
    let mut assignments = Vec::new();
    loop {
        match parser.peek() {
            Token::End => break,
            Token::Newline => parser.advance(),
            _ if parser.is_at_modulus() => {
                parser.modulus_line(assignments.is_empty()).map_err(|error| *error)?;
            }
            _ => assignments.push(parser.assignment().map_err(|error| *error)?),
        }
    }
    Ok(Syntax { expressions: parser.expressions, assignments, end })
}

impl Parser<'_> {
    fn assignment(&mut self) -> Parsed<Assignment> {
        const FORM: &str = "every line is an assignment, such as `score = 2 * x + 1`";
        const NAME: &str = "a name is one word, such as `body_mass`; columns with spaces stand in back-quotes, on the right of the `=`";
        let at = self.place();
        let name = match self.peek() {
            Token::Name(name) => name.clone(),
            other => {
                return Err(
                    self.error(format!("a name was expected here, not {}", other.describe()), Some(FORM))
                );
            }
        };
        let is_assigned = matches!(self.tokens.get(self.next + 1), Some((Token::Symbol("="), _)));
        if names::is_reserved_word(&name) || names::is_keyword(&name) && !is_assigned {
            let help = match name.as_str() {
                "import" | "from" => Some("the functions are there without: leave the line out"),
                "def" | "return" | "lambda" => Some(FORM),
                "if" | "elif" | "else" => Some("a choice is written `y = a if condition else b`"),
                "for" | "while" => Some("every operation is of all rows of a column: no loop is needed"),
                _ => None,
            };
            return Err(self.error(format!("`{name}` is a word of Python and cannot name a value"), help));
        }
        self.advance();
        if self.symbol(&["="]).is_none() {
            let message = format!("`=` was expected here, not {}", self.peek().describe());
            let help = if matches!(self.peek(), Token::Name(_)) { NAME } else { FORM };
            return Err(self.error(message, Some(help)));
        }
        self.advance();
        let value = self.expression()?;
        let value = self.reduced_result(value)?;
        match self.peek() {
            Token::Newline | Token::End => Ok(Assignment { name, at, value }),
            Token::Symbol("=") => {
                Err(self.error("a second `=` in one assignment", Some("equality is written `==`")))
            }
            Token::Symbol(";") => Err(self.error("`;` is not used", Some("begin a new line"))),
            Token::Symbol(close @ (")" | "]" | "}")) => {
                Err(self.error(format!("`{close}` closes nothing"), None))
            }
            other => {
                let message =
                    format!("an operator or the end of the line was expected here, not {}", other.describe());
                let help = advice::after_value(other);
                Err(self.error(message, help))
            }
        }
    }

    /// Runs `parse` one level deeper, or refuses to.
    fn deeper(&mut self, parse: fn(&mut Self) -> Parsed<ExpressionId>) -> Parsed<ExpressionId> {
        if self.depth >= MAX_NESTING {
            let help = "give parts of the expression names of their own";
            return Err(
                self.error(format!("expressions are nested more than {MAX_NESTING} deep"), Some(help))
            );
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// A choice `a if c else b`, or what's between.
    fn expression(&mut self) -> Parsed<ExpressionId> {
        let chosen = self.alternatives()?;
        let at = self.place();
        if !self.word("if") {
            return Ok(chosen);
        }
        let condition = self.alternatives()?;
        if !self.word("else") {
            let message = format!("`else` was expected here, not {}", self.peek().describe());
            return Err(self.error(message, Some("a choice is written `a if condition else b`")));
        }
        let other = self.deeper(Self::expression)?;
        self.push(Expression::Call("where".to_owned(), vec![condition, chosen, other]), at)
    }

    /// Conditions one of which holds.
    fn alternatives(&mut self) -> Parsed<ExpressionId> {
        let outer = std::mem::take(&mut self.joined);
        let all = self.joined(["or", "|"], |this| this.joined(["and", "&"], Self::condition))?;
        let joined = std::mem::replace(&mut self.joined, outer);
        if joined.by_signs && (joined.by_words || joined.compared && joined.bare) {
            let help = "put every condition in brackets: `(a > 3) & (b < 2)`, or write `a > 3 and b < 2`";
            return Err(self.error("tools differ in what `&` and `|` join here", Some(help)));
        }
        Ok(all)
    }

    /// One condition, or several with a word or a sign between them.
    fn joined(
        &mut self,
        [word, sign]: [&'static str; 2],
        parse: impl Fn(&mut Self) -> Parsed<ExpressionId>,
    ) -> Parsed<ExpressionId> {
        let mut left = parse(self)?;
        loop {
            let at = self.place();
            let operator = if self.symbol(&[sign]).is_some() {
                self.advance();
                self.joined.by_signs = true;
                sign
            } else if self.word(word) {
                self.joined.by_words = true;
                word
            } else {
                return Ok(left);
            };
            let right = parse(self)?;
            left = self.push(Expression::Binary(operator, left, right), at)?;
        }
    }

    /// A condition that doesn't hold, or comparisons.
    fn condition(&mut self) -> Parsed<ExpressionId> {
        let at = self.place();
        // A column may be called NOT, and stands before an operator or the end of a line.
        let is_column = matches!(self.peek(), Token::Name(name) if name == "NOT")
            && match self.tokens.get(self.next + 1) {
                Some((Token::Symbol(symbol), _)) => *symbol != "(",
                Some((Token::Newline | Token::End, _)) | None => true,
                _ => false,
            };
        if is_column || !self.word("not") {
            let is_closed = self.symbol(&["(", "!"]).is_some();
            let before = std::mem::take(&mut self.joined.compared);
            let value = self.comparisons()?;
            self.joined.bare |= !is_closed && !self.joined.compared;
            self.joined.compared |= before;
            return Ok(value);
        }
        self.joined.by_words = true;
        let value = self.deeper(Self::condition)?;
        self.push(Expression::Not("not", value), at)
    }

    /// Comparisons of each sum with the next, all of which hold; or one sum.
    fn comparisons(&mut self) -> Parsed<ExpressionId> {
        const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
        let mut left = self.sum()?;
        let mut all = None;
        while let Some(operator) = self.symbol(&COMPARISONS) {
            let at = self.place();
            self.advance();
            let right = self.sum()?;
            let comparison = self.binary(operator, left, right, at)?;
            all = Some(match all {
                None => comparison,
                Some(before) => self.push(Expression::Binary("and", before, comparison), at)?,
            });
            left = right;
        }
        let at = self.place();
        self.joined.compared |= all.is_some();
        if all.is_none() && self.word("between") {
            self.joined.compared = true;
            let lo = self.sum()?;
            if !self.word("and") {
                let message = format!("`and` was expected here, not {}", self.peek().describe());
                return Err(
                    self.error(message, Some("a range is written `x between 3 and 5` or `3 <= x <= 5`"))
                );
            }
            let hi = self.sum()?;
            return self.push(Expression::Call("between".to_owned(), vec![left, lo, hi]), at);
        }
        if all.is_none() {
            return self.among(left);
        }
        Ok(all.unwrap_or(left))
    }

    /// Reads `in [3, 5]` or `not in ['a', 'b']` after a value, if it's there, as a comparison with each.
    fn among(&mut self, value: ExpressionId) -> Parsed<ExpressionId> {
        let at = self.place();
        let is_negated = matches!(self.peek(), Token::Name(name) if name == "not" || name == "NOT")
            && matches!(self.tokens.get(self.next + 1), Some((Token::Name(name), _)) if name.eq_ignore_ascii_case("in"));
        if is_negated {
            self.advance();
        }
        if !self.word("in") {
            return Ok(value);
        }
        self.joined.compared = true;
        let opened = self.place();
        let Some(open) = self.symbol(&["[", "("]) else {
            let message = format!("a list was expected here, not {}", self.peek().describe());
            return Err(self.error(message, Some("`in` takes a list, as in `x in [3, 5]`")));
        };
        self.advance();
        let items = self.items(opened, open, if open == "[" { "]" } else { ")" })?;
        let (comparison, joined) = if is_negated { ("!=", "and") } else { ("==", "or") };
        let mut all = None;
        for item in items {
            let one = self.binary(comparison, value, item, at)?;
            all = Some(match all {
                None => one,
                Some(before) => self.push(Expression::Binary(joined, before, one), at)?,
            });
        }
        all.ok_or_else(|| {
            let help = "an empty list holds nothing: name at least one value".to_owned();
            self.source.error(opened, "this list is empty", Some(help)).into()
        })
    }

    /// Takes a word of Python, if it's next.
    fn word(&mut self, word: &str) -> bool {
        let is_next =
            matches!(self.peek(), Token::Name(name) if name == word || *name == word.to_uppercase());
        if is_next {
            self.advance();
        }
        is_next
    }

    fn sum(&mut self) -> Parsed<ExpressionId> {
        let mut left = self.product()?;
        while let Some(operator) = self.symbol(&["+", "-"]) {
            let at = self.place();
            self.advance();
            let right = self.product()?;
            left = self.push(Expression::Binary(operator, left, right), at)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<ExpressionId> {
        let mut left = self.signed()?;
        while let Some(operator) = self.symbol(&["*", "/", "//", "%"]) {
            let at = self.place();
            self.advance();
            let power = if operator == "%" { self.power_of_modulus(left) } else { None };
            let right = self.signed()?;
            left = match power {
                Some([base, exponent]) => {
                    self.push(Expression::Call("pow".to_owned(), vec![base, exponent, right]), at)?
                }
                None => self.binary(operator, left, right, at)?,
            };
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed<ExpressionId> {
        let at = self.place();
        let Some(sign) = self.symbol(&["+", "-", "!", "~"]) else { return self.power() };
        self.advance();
        let value = self.deeper(Self::signed)?;
        if matches!(sign, "!" | "~") {
            return self.turned(sign, value, at);
        }
        self.push(if sign == "-" { Expression::Minus(value) } else { Expression::Plus(value) }, at)
    }

    /// A condition after `!` or `~`, which tools differ in the reach of: `!(a == b)` or `!a`, but not `!a == b`.
    fn turned(&mut self, sign: &'static str, value: ExpressionId, at: Place) -> Parsed<ExpressionId> {
        let value = if sign == "!" { self.among(value)? } else { value };
        if let Some(operator) = self.symbol(&["<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "**"]) {
            let help = format!("write brackets: `not (a {operator} b)`");
            return Err(self.error(
                format!("tools differ in what `{sign}` before `{operator}` turns around"),
                Some(&help),
            ));
        }
        self.push(Expression::Not(sign, value), at)
    }

    fn power(&mut self) -> Parsed<ExpressionId> {
        let base = self.atom()?;
        let Some(operator) = self.symbol(&["**"]) else { return Ok(base) };
        let at = self.place();
        self.advance();
        let exponent = self.deeper(Self::signed)?;
        self.binary(operator, base, exponent, at)
    }

    fn atom(&mut self) -> Parsed<ExpressionId> {
        let at = self.place();
        match self.peek() {
            Token::Number(value) => {
                let value = value.clone();
                self.advance();
                self.push(Expression::Number(value), at)
            }
            &Token::Date(days) => {
                self.advance();
                self.push(Expression::Date(days), at)
            }
            Token::Name(name) => {
                let name = name.clone();
                let is_called = matches!(self.tokens.get(self.next + 1), Some((Token::Symbol("("), _)));
                if is_called && ["if", "and", "or"].contains(&name.as_str()) {
                    self.advance();
                    let opened = self.place();
                    self.advance();
                    let arguments = self.items(opened, "(", ")")?;
                    return self.push(Expression::Call(name, arguments), at);
                }
                if names::OPERATORS.contains(&name.as_str()) {
                    let message = format!("a value was expected here, not `{name}`");
                    return Err(self.error(message, names::keyword_help(&name)));
                }
                if names::KEYWORDS.contains(&name.as_str()) && !names::COLUMNS.contains(&name.as_str()) {
                    return Err(self
                        .error(format!("`{name}` is not part of the language"), names::keyword_help(&name)));
                }
                self.advance();
                if self.symbol(&["("]).is_some() {
                    let opened = self.place();
                    self.advance();
                    if let (true, Token::Weights(weights)) = (name == "linear", self.peek()) {
                        let weights = self.weights_of(&weights.clone())?;
                        self.advance();
                        self.close(opened, "(", ")")?;
                        return self.linear(weights, at);
                    }
                    // All rows, as SQL counts them.
                    let is_of_all = matches!(self.tokens.get(self.next + 1), Some((Token::Symbol(")"), _)));
                    if is_of_all && name.eq_ignore_ascii_case("count") && self.symbol(&["*"]).is_some() {
                        self.advance();
                    }
                    let arguments = self.items(opened, "(", ")")?;
                    return self.push(Expression::Call(name, arguments), at);
                }
                self.push(Expression::Name(name), at)
            }
            Token::Column(name) => {
                let name = name.clone();
                self.advance();
                self.push(Expression::Column(name), at)
            }
            Token::Text(text) => {
                let text = text.clone();
                self.advance();
                self.push(Expression::Text(text), at)
            }
            Token::Weights(name) => {
                let weights = self.weights_of(&name.clone())?;
                self.advance();
                self.constants(weights.values.iter(), at)
            }
            Token::Symbol("(") => {
                self.advance();
                let value = self.deeper(Self::expression)?;
                self.close(at, "(", ")")?;
                Ok(value)
            }
            Token::Symbol("[") => {
                self.advance();
                let items = self.items(at, "[", "]")?;
                self.push(Expression::List(items), at)
            }
            Token::Symbol("{") => self.entries(at),
            other => {
                let message = format!("a value was expected here, not {}", other.describe());
                // `5% * x` is a remainder without a divisor.
                let before = self.next.checked_sub(1).map(|at| &self.tokens[at].0);
                let help = matches!(before, Some(Token::Symbol("%"))).then_some(
                    "`%` is the remainder of a division: a percentage is written as a number, 0.05 for 5%",
                );
                Err(self.error(message, help))
            }
        }
    }

    /// A list of numbers by texts, `{'east': 1.5, 'North': 2}`, of which the brace is next.
    fn entries(&mut self, at: Place) -> Parsed<ExpressionId> {
        self.advance();
        let mut items = Vec::new();
        while self.symbol(&["}"]).is_none() {
            let key = self.deeper(Self::expression)?;
            if self.symbol(&[":"]).is_none() {
                let message = format!("`:` was expected here, not {}", self.peek().describe());
                return Err(self.error(message, Some("entries are written `{'east': 1.5, 'North': 2}`")));
            }
            self.advance();
            let value = self.deeper(Self::expression)?;
            items.extend([key, value]);
            if self.symbol(&[","]).is_none() {
                break;
            }
            self.advance();
        }
        self.close(at, "{", "}")?;
        self.push(Expression::Entries(items), at)
    }

    /// The items of a call or list up to its closing bracket; a comma may follow the last.
    fn items(&mut self, opened: Place, open: &'static str, close: &'static str) -> Parsed<Vec<ExpressionId>> {
        let mut items = Vec::new();
        while self.symbol(&[close]).is_none() {
            items.push(self.deeper(Self::expression)?);
            if self.symbol(&[","]).is_none() {
                break;
            }
            self.advance();
        }
        self.close(opened, open, close)?;
        Ok(items)
    }
}
