//! Comparisons of columns of text with a text.

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Term,
    names,
};

struct Text(BinaryFunction);

static IS: Text = Text(BinaryFunction::Equal);
static IS_NOT: Text = Text(BinaryFunction::NotEqual);

/// Whether a column of the data is a text, or isn't, which is 1 or 0. The column's categories are known once data are.
///
/// # Errors
/// [`BuildError::MisplacedText`] of what isn't a column of the data.
pub fn category(terms: &mut Terms, column: Term, text: &str, equal: bool) -> Result<Term, BuildError> {
    let meaning = if equal { &IS } else { &IS_NOT };
    apply(terms, Function::new(meaning, Given::Text(text.to_owned())), &[column])
}

impl Meaning for Text {
    fn name(&self) -> &'static str {
        self.0.symbol()
    }

    fn kind(&self) -> Kind {
        Kind::Text(self.0)
    }

    /// It's of texts, not of numbers.
    fn value(&self, _: &Given, _: &[BigRational]) -> Option<BigRational> {
        None
    }

    fn range(&self, _: &Given, _: &[Range]) -> Option<Range> {
        Range::whole(0, 1)
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }

    fn written(&self, given: &Given, of: Vec<String>) -> String {
        let text = if let Given::Text(text) = given { names::literal(text) } else { String::new() };
        format!("{} {} {text}", of.join(""), self.name())
    }
}
