//! Functions that a program has beside those of the language.

use crate::{
    names,
    ops::{self, Entry},
};

/// A program's own list of functions, for [`parse_with_functions`](crate::parse_with_functions).
///
/// A function takes the place of the operations that it becomes, so any scheme computes it, and the program's text holds these operations.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use asanoha_lang::{
///     Functions, Program,
///     ops::{Call, CallError, Entry, Line, Lowered},
///     parse_with_functions,
/// };
///
/// /// `middle(x, y)`: the mean of two numbers.
/// fn middle(call: &mut Call<'_>) -> Result<Lowered, CallError> {
///     let [x, y] = call.values()?;
///     let sum = call.terms.add(x, y)?;
///     let half = call.terms.constant("1/2".parse().expect("it's a fraction"))?;
///     Ok(call.terms.mul(half, sum)?.into())
/// }
///
/// const LINES: [Line; 1] =
///     [Line { written: &["middle(x, y)"], operands: "any numbers", result: "their mean" }];
/// static MIDDLE: Entry = Entry::new("middle", (2, 2), &LINES, middle);
///
/// let functions = Functions::new(&[&MIDDLE])?;
/// let program = parse_with_functions("z = middle(a, b)", &BTreeMap::new(), &functions)?;
/// assert_eq!(program, Program::parse("z = 0.5 * (a + b)")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Functions(Vec<&'static Entry>);

/// The reason why a function can't be in a program's own list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionsError {
    /// A name that the language has.
    #[error("`{name}` is a function of the language: give the program's own function another name")]
    OfLanguage {
        /// The name.
        name: &'static str,
    },
    /// A name that stands in the list twice.
    #[error("the list has two functions `{name}`: give one of them another name")]
    Twice {
        /// The name.
        name: &'static str,
    },
    /// A name that programs can't call.
    #[error(
        "`{name}` can't name a function: a name is one word of letters, digits and `_`, and no word of Python"
    )]
    BadName {
        /// The name.
        name: &'static str,
    },
}

impl Functions {
    /// A list of functions.
    ///
    /// # Errors
    /// Names that the language has, that programs can't call, and that stand in the list twice.
    pub fn new(entries: &[&'static Entry]) -> Result<Self, FunctionsError> {
        let mut functions = Self::default();
        for &entry in entries {
            let name = entry.name;
            if !names::is_identifier(name) || names::is_keyword(name) {
                return Err(FunctionsError::BadName { name });
            }
            if ops::entry(name).is_some() {
                return Err(FunctionsError::OfLanguage { name });
            }
            if functions.entry(name).is_some() {
                return Err(FunctionsError::Twice { name });
            }
            functions.0.push(entry);
        }
        Ok(functions)
    }

    /// The function of a name.
    pub(crate) fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.entries().find(|entry| entry.name == name)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &'static Entry> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
