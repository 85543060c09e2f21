//! What can be wrong with a program, each with its place.

use asanoha_numeric::{number, text::is_steering};
use asanoha_table::advice::{self, Advice, Advised};
use num_rational::BigRational;

use crate::ids::Term;

/// A program that cannot be taken, with the place in its text.
///
/// `Display` is one line, `line L, column C: message`; [`ProgramError::render`] shows the source line and a caret.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ProgramError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted in characters from 1.
    pub column: usize,
    /// The text of the line.
    pub source_line: String,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it, when something can be said.
    pub help: Option<String>,
    /// The same as data, where an interface has an option for it.
    pub advice: Vec<Advice>,
}

impl Advised for ProgramError {
    fn advice(&self) -> Vec<Advice> {
        self.advice.clone()
    }
}

/// How many characters of a long source line are shown on either side of the caret.
const SHOWN_EACH_SIDE: usize = 60;

impl ProgramError {
    /// The error with its source line and a caret under the place.
    ///
    /// ```
    /// use asanoha_lang::Program;
    /// let error = Program::parse("y = sigmod(x)").unwrap_err();
    /// assert_eq!(
    ///     error.render("risk.asa"),
    ///     "risk.asa:1:5: there is no function `sigmod`\n\
    ///      1 | y = sigmod(x)\n  \
    ///        |     ^\n  \
    ///        = help: did you mean `sigmoid`?"
    /// );
    /// ```
    pub fn render(&self, file_name: &str) -> String {
        let place = self.column.saturating_sub(1);
        let start = place.saturating_sub(SHOWN_EACH_SIDE);
        let total = self.source_line.chars().count();
        let end = total.min(place + SHOWN_EACH_SIDE);
        let mut shown = String::new();
        let mut padding = String::new();
        if start > 0 {
            shown.push('…');
            padding.push(' ');
        }
        for (index, c) in self.source_line.chars().enumerate().skip(start).take(end.saturating_sub(start)) {
            let printed = printable(c);
            if index < place {
                padding.extend(std::iter::repeat_n(' ', printed.chars().map(width).sum()));
            }
            shown.push_str(&printed);
        }
        if end < total {
            shown.push('…');
        }
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let mut text = format!(
            "{file_name}:{}:{}: {}\n{number} | {shown}\n{margin} | {padding}^",
            self.line, self.column, self.message
        );
        let advice = || advice::in_words(&self.advice, |advice| Some(advice.to_string()));
        if let Some(help) = self.help.clone().or_else(advice) {
            text = format!("{text}\n{margin} = help: {help}");
        }
        text
    }
}

/// A character as it is shown: tabs as four spaces, what could steer a terminal as `�`.
fn printable(c: char) -> String {
    match c {
        '\t' => "    ".to_owned(),
        c if is_steering(c) => "\u{fffd}".to_owned(),
        c => c.to_string(),
    }
}

/// How many columns of a terminal a character takes.
fn width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// What a [`ProgramBuilder`](super::ProgramBuilder) refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A function over the rows of a column was given something with no rows.
    #[error("`{function}` takes a column, and this is {found}")]
    NotAColumn {
        /// The function.
        function: &'static str,
        /// What was given: "a number" or "a constant".
        found: &'static str,
    },
    /// Text that isn't compared with a column.
    #[error("text stands beside `==` or `!=` of a column only")]
    MisplacedText,
    /// A function of a constant that it has no value at.
    #[error("`{function}` has no value in double precision at {constant}")]
    OutsideDomain {
        /// The function.
        function: &'static str,
        /// The constant.
        constant: String,
    },
    /// A constant in a function of whole numbers that is a fraction, or too large.
    #[error("`{function}` takes whole numbers of at most 63 bits, and this constant is {constant}")]
    ConstantNotWhole {
        /// The function.
        function: &'static str,
        /// The constant.
        constant: String,
    },
    /// A table that isn't one.
    #[error("`{function}` takes a list of {wanted}, all of them constant whole numbers")]
    BadTable {
        /// The function.
        function: &'static str,
        /// What the list should hold.
        wanted: &'static str,
    },
    /// Constants that aren't what a function takes beside a value.
    #[error("`{function}` takes {wanted}")]
    BadConstants {
        /// The function.
        function: &'static str,
        /// What it takes.
        wanted: &'static str,
    },
    /// A gap of a comparison that isn't one.
    #[error("the gap of `less_than` and `sign` is a constant above 0")]
    BadGap,
    /// A divisor that is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An exponent that depends on the data.
    #[error("the exponent of `**` must be a constant")]
    ExponentNotConstant,
    /// An exponent that is not a whole number.
    #[error("the exponent of `**` must be a whole number, and this is {exponent}")]
    ExponentNotWhole {
        /// The exponent.
        exponent: String,
    },
    /// An exponent above [`MAX_EXPONENT`](super::MAX_EXPONENT).
    #[error("the exponent {exponent} is above the limit of {limit}")]
    ExponentTooLarge {
        /// The exponent.
        exponent: String,
        /// The limit.
        limit: u32,
    },
    /// A constant above [`MAX_CONSTANT_BITS`](super::MAX_CONSTANT_BITS).
    #[error("a constant here needs more than {limit} bits as an exact fraction")]
    ConstantTooLarge {
        /// The limit.
        limit: u64,
    },
    /// More operations than [`MAX_NODES`](super::MAX_NODES).
    #[error("the program has more than {limit} operations")]
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
    /// A name that no column can have.
    #[error(
        "{name:?} is not the name of a column: it has 1 to {most} bytes, no spaces at its ends, no control characters and no back-quotes"
    )]
    BadColumn {
        /// The name.
        name: String,
        /// The most bytes.
        most: usize,
    },
    /// A name that is not an identifier.
    #[error("`{name}` is not a name: names are letters, digits and `_`, and do not begin with a digit")]
    BadName {
        /// The name.
        name: String,
    },
    /// A name that the language keeps for itself.
    #[error("`{name}` is {what} and cannot name a value")]
    ReservedName {
        /// The name.
        name: String,
        /// What it is: "a function" or "a word of Python".
        what: &'static str,
    },
    /// An output whose name begins with `_`.
    #[error("`{name}` begins with `_`, and such names are kept inside")]
    HiddenOutput {
        /// The name.
        name: String,
    },
    /// Two outputs of one name.
    #[error("`{name}` is assigned twice")]
    DuplicateOutput {
        /// The name.
        name: String,
    },
    /// An output named like a column that the program reads.
    #[error("`{name}` is already a column of the data, read by this program")]
    OutputIsInput {
        /// The name.
        name: String,
    },
    /// A program that computes nothing.
    #[error("the program has no outputs")]
    NoOutputs,
    /// A part of the program that is the same for all data, where a column or number of the data is needed.
    #[error("this is the same for all data: {value} in every row")]
    AlwaysConstant {
        /// The part.
        term: Term,
        /// Its value.
        value: String,
    },
    /// What is the same for all data only where a part of it is defined.
    #[error(
        "this is the same for all data, but only where `{function}` is defined in it, which is then not computed"
    )]
    Undefined {
        /// The function.
        function: &'static str,
    },
    /// A [`Term`] of another builder.
    #[error("a term of another builder was used")]
    ForeignTerm,
}

impl BuildError {
    /// What to do about it, when something can be said.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            Self::NotAColumn { found: "a number", .. } => "it is one value already: use it as it is",
            Self::MisplacedText => "a comparison with text is written `region == 'north'`",
            Self::ExponentNotWhole { .. } => "a square root is written `sqrt(x)`",
            Self::NoOutputs => {
                "assign to a name that does not begin with `_`, such as `score = mean(x)`; names beginning with `_` are kept inside"
            }
            Self::OutputIsInput { .. } => "give the result another name",
            Self::BadTable { function: "table", .. } => "a table is written `table(x, [3, 1, 4])`",
            Self::BadTable { .. } => "a table of two is written `table2(x, y, [[3, 1], [4, 1]])`",
            Self::AlwaysConstant { .. } | Self::Undefined { .. } => "write the constant in its place",
            _ => return None,
        };
        Some(text.to_owned())
    }
}

/// A constant in words, for messages.
pub(crate) fn shown(value: &BigRational) -> String {
    let text = number::format(value);
    if text.len() > 40 { format!("a constant of {} bits", number::bits(value)) } else { text }
}
