//! Programs made again of other terms: with some operations replaced, or others in the columns' places.

use num_rational::BigRational;

use crate::{
    builder::{ProgramBuilder, apply::apply, terms::Terms},
    domain::{self, Arg, Argument, Domain, Outcome},
    error::BuildError,
    finished::Call,
    function::Function,
    ids::{NodeId, Term},
    node::Node,
    ops::{finished_corr, finished_std, formula, least_squares, ratio, ratio_root},
    program::Program,
};

/// What stands for some operations of a program in another; all others are made again.
pub(crate) trait Replace {
    /// What can be wrong.
    type Error: From<BuildError>;

    /// A column.
    fn input(&mut self, terms: &mut Terms, name: &str) -> Result<Term, Self::Error> {
        Ok(terms.input(name)?)
    }

    /// A function of operands; `at` is the operation in the program that's made again.
    fn function(
        &mut self,
        terms: &mut Terms,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Term>],
    ) -> Result<Term, Self::Error> {
        let _ = at;
        let arguments = arguments(terms, of)?;
        Ok(apply(terms, function.clone(), &arguments)?)
    }

    /// A quantile of a column.
    fn quantile(
        &mut self,
        terms: &mut Terms,
        a: Arg<'_, Term>,
        q: &BigRational,
    ) -> Result<Term, Self::Error> {
        Ok(terms.quantile(*a.value, q)?)
    }

    /// What an operation became.
    fn done(&mut self, terms: &mut Terms, at: NodeId, term: Term) -> Result<Term, Self::Error> {
        let _ = (terms, at);
        Ok(term)
    }
}

/// The terms of a function's operands.
pub(crate) fn arguments(terms: &mut Terms, of: &[Argument<'_, Term>]) -> Result<Vec<Term>, BuildError> {
    of.iter()
        .map(|of| match of {
            Argument::Value(arg) => Ok(*arg.value),
            Argument::Constant(constant) => terms.integer(*constant),
        })
        .collect()
}

/// The terms of all operations of a program in a builder, with some of them replaced.
///
/// # Errors
/// Those of the builder and of what is replaced, with the operation.
pub(crate) fn terms_of<R: Replace>(
    program: &Program,
    builder: &mut ProgramBuilder,
    replace: &mut R,
) -> Result<Vec<Term>, (NodeId, R::Error)> {
    builder.rounded = program.rounded.clone();
    domain::all(program, &mut Rebuild { program, builder, replace })
}

/// The same outputs of a program with some operations replaced.
///
/// # Errors
/// Those of the builder and of what is replaced.
pub(crate) fn rebuild<R: Replace>(program: &Program, replace: &mut R) -> Result<Program, R::Error> {
    let mut builder = ProgramBuilder::new();
    let terms = terms_of(program, &mut builder, replace).map_err(|(_, error)| error)?;
    Ok(with_terms(program, builder, &terms)?)
}

/// The same outputs in a builder that has every operation as a term.
pub(crate) fn with_terms(
    program: &Program,
    mut builder: ProgramBuilder,
    terms: &[Term],
) -> Result<Program, BuildError> {
    for (name, id) in program.shown_outputs() {
        builder.output(name, terms[id.0])?;
    }
    finish_again(program, &mut builder, |id| terms[id.0])?;
    for constant in program.constants() {
        let value = builder.constant(constant.value.clone())?;
        let value = match &constant.column {
            Some(column) => {
                let column = builder.input(column)?;
                let zeros = builder.sub(column, column)?;
                builder.add(zeros, value)?
            }
            None => value,
        };
        builder.output(&constant.name, value)?;
    }
    builder.set_order(program.result_names().to_vec());
    builder.finish()
}

/// Gives a builder, which has every operation of the program as a term, the same finished outputs.
fn finish_again(
    program: &Program,
    builder: &mut ProgramBuilder,
    term: impl Fn(NodeId) -> Term,
) -> Result<(), BuildError> {
    for finished in program.finished() {
        let unfinished = match program.call_of(finished) {
            Call::Formula(text, parts) => {
                formula(builder, &text, &parts.into_iter().map(&term).collect::<Vec<_>>())
            }
            Call::Ratio(a, b) => ratio(builder, term(a), term(b)),
            Call::RatioRoot(a, b) => ratio_root(builder, term(a), term(b)),
            Call::Std(a) => finished_std(builder, term(a)),
            Call::Corr(a, b) => finished_corr(builder, term(a), term(b)),
            Call::LeastSquares(y, columns) => {
                least_squares(builder, term(y), &columns.into_iter().map(&term).collect::<Vec<_>>())
            }
        };
        builder.finish_output(&finished.name, unfinished?)?;
    }
    Ok(())
}

struct Rebuild<'a, R> {
    program: &'a Program,
    builder: &'a mut ProgramBuilder,
    replace: &'a mut R,
}

type Of<'v> = Arg<'v, Term>;

impl<R: Replace> Rebuild<'_, R> {
    /// The builder, which notes where what is made now stands.
    fn at(&mut self, id: NodeId) -> &mut Terms {
        self.builder.set_origin(self.program.origin(id).cloned());
        self.builder
    }
}

impl<R: Replace> Domain for Rebuild<'_, R> {
    type Value = Term;
    type Error = R::Error;

    fn input(&mut self, at: NodeId, name: &str) -> Outcome<Self> {
        self.at(at);
        self.replace.input(self.builder, name)
    }

    fn add(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).add(*a.value, *b.value)?)
    }

    fn sub(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).sub(*a.value, *b.value)?)
    }

    fn mul(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).mul(*a.value, *b.value)?)
    }

    fn scale(&mut self, at: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        let k = self.at(at).constant(k.clone())?;
        Ok(self.builder.mul(*a.value, k)?)
    }

    fn offset(&mut self, at: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        let c = self.at(at).constant(c.clone())?;
        Ok(self.builder.add(*a.value, c)?)
    }

    fn neg(&mut self, at: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).neg(*a.value)?)
    }

    fn power(&mut self, at: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        Ok(self.at(at).power_whole(*a.value, exponent)?)
    }

    fn sum(&mut self, at: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).sum(*a.value)?)
    }

    fn mean(&mut self, at: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).mean(*a.value)?)
    }

    fn var(&mut self, at: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).var(*a.value)?)
    }

    fn cov(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).cov(*a.value, *b.value)?)
    }

    fn dot(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(self.at(at).dot(*a.value, *b.value)?)
    }

    fn assume(&mut self, at: NodeId, a: Of<'_>, [lo, hi]: [&BigRational; 2]) -> Outcome<Self> {
        let lo = self.at(at).constant(lo.clone())?;
        let hi = self.builder.constant(hi.clone())?;
        Ok(self.builder.assume(*a.value, lo, hi)?)
    }

    fn quantile(&mut self, at: NodeId, a: Of<'_>, q: &BigRational) -> Outcome<Self> {
        self.at(at);
        self.replace.quantile(self.builder, a, q)
    }

    fn function(&mut self, at: NodeId, function: &Function, of: &[Argument<'_, Term>]) -> Outcome<Self> {
        self.at(at);
        self.replace.function(self.builder, at, function, of)
    }

    fn done(&mut self, at: NodeId, _: &Node, term: Term) -> Outcome<Self> {
        self.replace.done(self.builder, at, term)
    }
}
