//! Text to tokens.

use asanoha_numeric::{
    date,
    number::{self, LiteralError, MAX_CONSTANT_BITS},
};
use num_rational::BigRational;

use crate::{
    error::ProgramError,
    limits::{MAX_NAME_LENGTH, MAX_SOURCE_BYTES},
    names,
    source::{Place, Source},
};

/// What a piece of text is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// The name of a column, in back-quotes.
    Column(String),
    Number(BigRational),
    /// The days from 1970-01-01 to a date.
    Date(i64),
    /// Text in quotes.
    Text(String),
    /// The name after an `@`.
    Weights(String),
    /// An operator or bracket.
    Symbol(&'static str),
    /// The end of a line that is not inside brackets.
    Newline,
    End,
}

impl Token {
    /// The token in words, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Name(name) | Self::Column(name) => format!("`{name}`"),
            Self::Number(value) => {
                let text = number::format(value);
                if text.len() > 40 { "a number".to_owned() } else { format!("`{text}`") }
            }
            Self::Date(_) => "a date".to_owned(),
            Self::Text(text) => names::literal(text),
            Self::Weights(name) => format!("`@{name}`"),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::Newline => "the end of the line".to_owned(),
            Self::End => "the end of the program".to_owned(),
        }
    }
}

/// Longest first, so that `**` is not two `*`.
const SYMBOLS: [&str; 34] = [
    "%in%", "%/%", "%%", "**", "//", "<=", ">=", "==", "!=", "<>", "&&", "||", "+", "-", "*", "/", "%", "<",
    ">", "=", "&", "|", "~", "!", "^", "(", ")", "[", "]", "{", "}", ",", ":", ";",
];

/// The function of R that makes a date of a text: the one name with a dot in it.
const AS_DATE: &str = "as.Date";

struct Lexer<'a> {
    source: Source<'a>,
    rest: &'a str,
    place: Place,
    open_brackets: usize,
    tokens: Vec<(Token, Place)>,
}

/// Cuts the text into tokens; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, ProgramError> {
    let source = Source(text);
    let place = Place { line: 1, column: 1 };
    if text.len() > MAX_SOURCE_BYTES {
        let message = format!("the program has {} bytes, above the limit of {MAX_SOURCE_BYTES}", text.len());
        return Err(ProgramError {
            line: 1,
            column: 1,
            source_line: String::new(),
            message,
            help: None,
            advice: Vec::new(),
        });
    }
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lexer = Lexer { source, rest, place, open_brackets: 0, tokens: Vec::new() };
    while let Some(c) = lexer.rest.chars().next() {
        lexer.step(c)?;
    }
    let end = lexer.place;
    lexer.tokens.push((Token::Newline, end));
    lexer.tokens.push((Token::End, end));
    Ok(lexer.tokens)
}

impl<'a> Lexer<'a> {
    fn step(&mut self, c: char) -> Result<(), ProgramError> {
        let at = self.place;
        match c {
            '\n' => {
                self.rest = &self.rest[1..];
                if self.open_brackets == 0 {
                    self.tokens.push((Token::Newline, at));
                }
                self.place = Place { line: at.line + 1, column: 1 };
            }
            ' ' | '\t' | '\r' | '\u{c}' => {
                self.take(c.len_utf8());
            }
            '#' => {
                let length = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(length);
            }
            '\\' if self.rest[1..].starts_with('\n') || self.rest[1..].starts_with("\r\n") => {
                self.rest = &self.rest[self.rest.find('\n').map_or(self.rest.len(), |at| at + 1)..];
                self.place = Place { line: at.line + 1, column: 1 };
            }
            c if c == '_' || c.is_alphabetic() => {
                let name = self.name()?;
                self.tokens.push((Token::Name(name), at));
            }
            '@' if self.rest[1..].starts_with(|c: char| c == '_' || c.is_alphabetic()) => {
                self.take(1);
                let name = self.name()?;
                self.tokens.push((Token::Weights(name), at));
            }
            '`' => self.column()?,
            '\'' | '"' => self.text(c)?,
            c if c.is_ascii_digit()
                || (c == '.' && self.rest[1..].starts_with(|d: char| d.is_ascii_digit())) =>
            {
                self.number()?;
            }
            _ => self.symbol(c)?,
        }
        Ok(())
    }

    /// Takes `length` bytes, all of one line.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.place.column += taken.chars().count();
        taken
    }

    fn name(&mut self) -> Result<String, ProgramError> {
        let at = self.place;
        let is_date = self.rest.strip_prefix(AS_DATE).is_some_and(|rest| rest.starts_with('('));
        let end = self.rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(self.rest.len());
        let name = self.take(if is_date { AS_DATE.len() } else { end });
        if name.len() > MAX_NAME_LENGTH {
            let message = format!("a name of {} bytes, above the limit of {MAX_NAME_LENGTH}", name.len());
            return Err(self.source.error(at, message, None));
        }
        Ok(name.to_owned())
    }

    /// The name of a column in back-quotes, which may have spaces and signs in it.
    fn column(&mut self) -> Result<(), ProgramError> {
        let at = self.place;
        let line = self.rest[1..].find('\n').map_or(&self.rest[1..], |end| &self.rest[1..=end]);
        let Some(length) = line.find('`') else {
            let help = "the name of a column stands between two, such as `body mass`".to_owned();
            return Err(self.source.error(at, "this back-quote isn't closed on its line", Some(help)));
        };
        let name = self.take(length + 2)[1..=length].trim();
        if !names::is_column(name) {
            let message = format!(
                "a column's name has 1 to {MAX_NAME_LENGTH} bytes, and no control characters: not `{}`",
                name.chars().take(60).collect::<String>().escape_debug()
            );
            return Err(self.source.error(at, message, None));
        }
        self.tokens.push((Token::Column(name.to_owned()), at));
        Ok(())
    }

    /// Text between two quotes; a backslash stands before a quote or a backslash that is part of it.
    fn text(&mut self, quote: char) -> Result<(), ProgramError> {
        let at = self.place;
        let line = self.rest.lines().next().unwrap_or_default();
        let (mut text, mut escaped) = (String::new(), false);
        for (index, c) in line.char_indices().skip(1) {
            if c == quote && !escaped {
                self.take(index + 1);
                if text.len() > MAX_NAME_LENGTH {
                    let message = format!("a text of more than {MAX_NAME_LENGTH} bytes");
                    return Err(self.source.error(at, message, None));
                }
                self.tokens.push((Token::Text(text), at));
                return Ok(());
            }
            escaped = c == '\\' && !escaped;
            if !escaped {
                text.push(c);
            }
        }
        let help = "text stands between two, such as 'north'".to_owned();
        Err(self.source.error(at, "this quote isn't closed on its line", Some(help)))
    }

    /// A date, `2026-11-23`, if there is one: three numbers of two or four digits that are joined by `-` without spaces.
    fn date(&mut self) -> Result<bool, ProgramError> {
        let at = self.place;
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (mut parts, mut text) = (Vec::new(), self.rest);
        while parts.len() < 3 {
            let (part, rest) = text.split_at(digits(text));
            let Some(rest) = rest.strip_prefix(if parts.len() < 2 { "-" } else { "" }) else { break };
            parts.push(part);
            text = rest;
        }
        let goes_on = text.starts_with(|c: char| c == '.' || c == '_' || c.is_alphanumeric());
        if parts.len() < 3 || goes_on || !parts.iter().all(|part| matches!(part.len(), 2 | 4)) {
            return Ok(false);
        }
        let text = &self.rest[..self.rest.len() - text.len()];
        let Some(days) = date::days(text) else {
            let is_in_order = parts[0].len() == 4 && parts[1].len() == 2 && parts[2].len() == 2;
            let message = if is_in_order {
                format!("`{text}` is no day of the calendar")
            } else {
                format!("`{text}` is no date as programs have them: year, month and day, such as 2026-11-23")
            };
            let help = format!("a subtraction has spaces: `{}`", parts.join(" - "));
            return Err(self.source.error(at, message, Some(help)));
        };
        self.take(text.len());
        self.tokens.push((Token::Date(days), at));
        Ok(true)
    }

    fn number(&mut self) -> Result<(), ProgramError> {
        let at = self.place;
        if self.date()? {
            return Ok(());
        }
        let mut previous = '0';
        let length = self
            .rest
            .char_indices()
            .find(|&(_, c)| {
                let sign_of_exponent = matches!(c, '+' | '-')
                    && matches!(previous, 'e' | 'E')
                    && number::hexadecimal(self.rest).is_none();
                let inside = c == '.' || c == '_' || c.is_alphanumeric() || sign_of_exponent;
                previous = c;
                !inside
            })
            .map_or(self.rest.len(), |(index, _)| index);
        let text = self.take(length);
        let digits = text.trim_start_matches('0');
        if text.len() > digits.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            let help = format!("write `{digits}`; a column of such codes is text: `code == '{text}'`");
            return Err(self.source.error(at, format!("`{text}` begins with a zero"), Some(help)));
        }
        match number::parse_literal(text, MAX_CONSTANT_BITS) {
            Ok(value) => self.tokens.push((Token::Number(value), at)),
            Err(LiteralError::TooLarge) => {
                let message =
                    format!("a number that needs more than {MAX_CONSTANT_BITS} bits as an exact fraction");
                return Err(self.source.error(at, message, None));
            }
            Err(LiteralError::Malformed) => {
                let shown: String = text.chars().take(40).collect();
                let help = "numbers are written like `12`, `0.5`, `1e-3`, `1_000` or `0xff`; a product needs its `*`";
                return Err(self.source.error(
                    at,
                    format!("`{shown}` is not a number"),
                    Some(help.to_owned()),
                ));
            }
        }
        Ok(())
    }

    fn symbol(&mut self, c: char) -> Result<(), ProgramError> {
        let at = self.place;
        let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol)) else {
            let help = match c {
                '@' => Some("weights have a name, such as `@weights`".to_owned()),
                '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{b4}' => {
                    Some("text stands between straight quotes, such as 'north'".to_owned())
                }
                '.' => Some("functions stand alone: `mean(x)`, without a module before them".to_owned()),
                '$' | '€' | '£' | '¥' => {
                    Some("amounts are written without the sign of a currency".to_owned())
                }
                '≤' | '≥' | '≠' => Some("comparisons are written `<=`, `>=` and `!=`".to_owned()),
                '\u{2212}' | '\u{2013}' => Some("minus is written `-`".to_owned()),
                '×' | '·' | '∗' => Some("a product is written `*`".to_owned()),
                _ => None,
            };
            return Err(self.source.error(at, format!("unexpected character `{}`", c.escape_debug()), help));
        };
        match symbol {
            "(" | "[" | "{" => self.open_brackets += 1,
            ")" | "]" | "}" => self.open_brackets = self.open_brackets.saturating_sub(1),
            _ => {}
        }
        self.take(symbol.len());
        // Operators of SQL and R.
        let token = match symbol {
            "<>" => Token::Symbol("!="),
            "%%" => Token::Symbol("%"),
            "%/%" => Token::Symbol("//"),
            "%in%" => Token::Name("in".to_owned()),
            other => Token::Symbol(other),
        };
        self.tokens.push((token, at));
        Ok(())
    }
}
