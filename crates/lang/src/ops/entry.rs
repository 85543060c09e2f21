//! What the language says of a function: its name, its arguments, a line of documentation, and what a call of it becomes.

use std::fmt;

use asanoha_numeric::date;

use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    finished::Unfinished,
    function::{Function, Meaning},
    ids::Term,
};

/// A function of the language, or of a program's own list ([`Functions`](crate::Functions)). The parser, the help and the tables of the
/// documentation read these.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it's called elsewhere, where that isn't its name.
    pub elsewhere: &'static [&'static str],
    /// The smallest and largest number of arguments.
    pub arguments: (usize, usize),
    /// How it's written, and what it gives.
    pub lines: &'static [Line],
    /// What to write, where there are too few or too many arguments.
    pub help: Option<&'static str>,
    /// Advice for data on which an operation that it's made of isn't defined.
    pub remedy: Option<&'static str>,
    /// What a call with as many arguments as it takes becomes.
    lower: Lower,
}

#[derive(Clone, Copy)]
enum Lower {
    /// A smooth function of its one argument.
    Smooth(&'static dyn Meaning),
    /// What this makes of it.
    By(fn(&mut Call<'_>) -> Result<Lowered, CallError>),
}

/// A row of the table of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The ways to write it.
    pub written: &'static [&'static str],
    /// What it takes.
    pub operands: &'static str,
    /// What it gives.
    pub result: &'static str,
}

/// A line of the table.
pub(crate) const fn line(
    written: &'static [&'static str],
    operands: &'static str,
    result: &'static str,
) -> Line {
    Line { written, operands, result }
}

impl fmt::Display for Line {
    /// The row in Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written: Vec<String> = self.written.iter().map(|written| format!("`{written}`")).collect();
        write!(f, "| {} | {} | {} |", written.join(", "), self.operands, self.result)
    }
}

impl Entry {
    /// A function that becomes other operations.
    ///
    /// `arguments` are the smallest and the largest number of arguments; `lower` is called with no other number of them. `lines` say how
    /// it's written and what it gives. See [`Functions`](crate::Functions) for an example.
    pub const fn new(
        name: &'static str,
        arguments: (usize, usize),
        lines: &'static [Line],
        lower: fn(&mut Call<'_>) -> Result<Lowered, CallError>,
    ) -> Self {
        Self { name, elsewhere: &[], arguments, lines, help: None, remedy: None, lower: Lower::By(lower) }
    }

    /// A smooth function of one number.
    pub(crate) const fn smooth(
        name: &'static str,
        lines: &'static [Line],
        meaning: &'static dyn Meaning,
    ) -> Self {
        let lower = Lower::Smooth(meaning);
        Self { name, elsewhere: &[], arguments: (1, 1), lines, help: None, remedy: None, lower }
    }

    /// The smooth function that it is, if it's one.
    pub fn smooth_function(&self) -> Option<Function> {
        if let Lower::Smooth(meaning) = self.lower { Some(Function::of(meaning)) } else { None }
    }

    /// What a call of it becomes.
    ///
    /// # Errors
    /// Too few or too many arguments, and what the function doesn't take.
    pub fn call(&self, terms: &mut Terms, arguments: Vec<Passed>) -> Result<Lowered, CallError> {
        let (least, most) = self.arguments;
        if arguments.len() < least || arguments.len() > most {
            let takes = match most - least {
                0 if least == 1 => "1 argument".to_owned(),
                0 => format!("{least} arguments"),
                1 => format!("{least} or {most} arguments"),
                _ if most > MOST_NAMED => {
                    format!("{least} argument{} or more", if least == 1 { "" } else { "s" })
                }
                _ => format!("{least} to {most} arguments"),
            };
            let message = format!("`{}` takes {takes}, and here are {}", self.name, arguments.len());
            return Err(CallError::new(message, self.help));
        }
        match self.lower {
            Lower::Smooth(meaning) => {
                Ok(apply(terms, Function::of(meaning), &[arguments[0].value()?])?.into())
            }
            Lower::By(lower) => lower(&mut Call { terms, arguments }),
        }
    }

    /// The same under other names elsewhere.
    #[must_use]
    pub const fn elsewhere(self, elsewhere: &'static [&'static str]) -> Self {
        Self { elsewhere, ..self }
    }

    /// The same with what to write where an operation that it's made of isn't defined.
    #[must_use]
    pub(crate) const fn remedy(self, remedy: &'static str) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// The same with help.
    #[must_use]
    pub const fn help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

/// Functions of more arguments than this take any number of them.
const MOST_NAMED: usize = 8;

/// What is passed to a function.
#[derive(Debug, Clone)]
pub enum Passed {
    /// A value.
    Value(Term),
    /// A list.
    List(Vec<Self>),
    /// Texts and the numbers that stand beside them.
    Entries(Vec<(Self, Self)>),
    /// A text in quotes.
    Text(String),
    /// The counts of a histogram.
    Counts,
    /// What is an output only.
    Output,
}

/// A call of a function.
#[derive(Debug)]
pub struct Call<'a> {
    /// The values of the program so far.
    pub terms: &'a mut Terms,
    /// What is passed.
    pub arguments: Vec<Passed>,
}

impl Call<'_> {
    /// An argument that is a value.
    ///
    /// # Errors
    /// What isn't one.
    pub fn value(&self, at: usize) -> Result<Term, CallError> {
        self.arguments[at].value()
    }

    /// Some arguments that are values.
    ///
    /// # Errors
    /// What isn't one.
    pub fn values<const N: usize>(&self) -> Result<[Term; N], CallError> {
        let mut values = [None; N];
        for (at, value) in values.iter_mut().enumerate() {
            *value = Some(self.value(at)?);
        }
        Ok(values.map(|value| value.expect("each is set")))
    }

    /// Some arguments that are values, or dates in quotes.
    ///
    /// # Errors
    /// Any other argument.
    pub fn dated_values<const N: usize>(&mut self) -> Result<[Term; N], CallError> {
        for argument in &mut self.arguments {
            *argument = argument.as_date(self.terms)?;
        }
        self.values()
    }

    /// The items of an argument that is a list.
    pub fn list(&self, at: usize) -> Option<&[Passed]> {
        if let Passed::List(items) = &self.arguments[at] { Some(items) } else { None }
    }

    /// The entries of a list of constant whole numbers, if it's one.
    ///
    /// # Errors
    /// Values of another builder.
    pub fn entries(&self, list: &Passed) -> Result<Option<Vec<i64>>, CallError> {
        let Passed::List(items) = list else { return Ok(None) };
        let mut entries = Vec::with_capacity(items.len());
        for item in items {
            let Passed::Value(term) = item else { return Ok(None) };
            let Some(entry) = self.terms.whole_constant(*term)? else { return Ok(None) };
            entries.push(entry);
        }
        Ok(Some(entries))
    }
}

impl Passed {
    /// The date that a text is, `'2026-11-23'`, as the days from 1970-01-01; any other argument as it is.
    pub(super) fn as_date(&self, terms: &mut Terms) -> Result<Self, CallError> {
        match self {
            Self::Text(text) if let Some(days) = date::days(text) => Ok(Self::Value(terms.integer(days)?)),
            other => Ok(other.clone()),
        }
    }

    /// The value that it is.
    ///
    /// # Errors
    /// What isn't one.
    pub fn value(&self) -> Result<Term, CallError> {
        let (message, help) = match self {
            Self::Value(term) => return Ok(*term),
            Self::Text(_) => return Err(BuildError::MisplacedText.into()),
            Self::List(_) | Self::Entries(_) | Self::Counts => (
                "this is done with a list, which is not a value",
                "lists stand in `table`, `table2`, `dot` and `least_squares` only, and a histogram is an output of its own",
            ),
            Self::Output => (
                "this is done with what is an output only",
                "`mean_where`, `ratio` and `least_squares` are finished after decryption, and a histogram is several outputs: nothing is computed from these",
            ),
        };
        Err(CallError::new(message, Some(help)))
    }
}

/// What a call became.
#[derive(Debug, Clone)]
pub enum Lowered {
    /// A value.
    Value(Term),
    /// What is finished after decryption if it's an output, and the value that it's in other places, if it may stand there.
    Finished(Unfinished, Option<Term>),
    /// Several outputs, with what follows the name in each one's name.
    Several(Vec<(String, Term)>),
}

impl From<Term> for Lowered {
    fn from(term: Term) -> Self {
        Self::Value(term)
    }
}

/// Why there's no such call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// What the builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// What the function isn't called with.
    #[error("{message}")]
    Misused {
        /// What is wrong, in one line.
        message: String,
        /// What to do about it, when something can be said.
        help: Option<String>,
    },
}

impl CallError {
    /// The fault of a call, in one line, and what to do about it.
    pub fn new(message: impl Into<String>, help: Option<&str>) -> Self {
        Self::Misused { message: message.into(), help: help.map(str::to_owned) }
    }

    /// What to do about it, when something can be said.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Build(error) => error.help(),
            Self::Misused { help, .. } => help.clone(),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
