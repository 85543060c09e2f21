//! Programs on data of which the public facts are given: operations that depend on these in terms of others.

use std::collections::HashMap;

use asanoha_numeric::BinaryFunction;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::Range;
use super::builder::{ProgramBuilder, Term};
use super::function::{Function, Operand};
use super::names;
use super::node::{Node, NodeId, Program, Shape, quantile_name};
use super::range::RangeError;
use super::reference::quantile_rank;
use super::smooth::SmoothFunction;
use asanoha_table::{Schema, Written, nearest as nearest_names};

/// The most jumps of a rounded real number, each of which is a comparison.
const MOST_JUMPS: u32 = 16;
/// The most values of a column that a quantile is of, for each of which rows are counted.
const MOST_VALUES: u32 = 64;

impl Program {
    /// The same program in operations that all schemes compute, on data of a schema, or of fewer rows too:
    ///
    /// * a whole number is its own floor, that of a sum of whole numbers times fractions is a quotient `//`, and that of a real
    ///   number in a range of at most 16 jumps the number of jumps that aren't above it, a comparison each;
    /// * a quantile of a column of at most 64 whole values or decimals is the least value and as many more as there are values that too
    ///   few rows aren't above: counted for each value, and the counts compared. Nothing of these is an output;
    /// * a comparison with text is one with the number of its category, and of two columns of different texts one of the first
    ///   with the second's texts numbered as the first's are.
    ///
    /// # Errors
    /// What can't be computed so, with the figures.
    pub fn on(&self, schema: &Schema, fewer_rows: bool) -> Result<Self, RangeError> {
        let ranges = self.ranges(schema)?;
        self.check_text(schema)?;
        let has_texts = |node: &Node| self.texts_compared(node, schema).is_some_and(|[a, b]| a != b);
        if self.depends_on_data().is_none() && !self.nodes.iter().any(has_texts) {
            return Ok(self.clone());
        }
        let denominators = self.denominators(schema);
        let mut given = Given {
            builder: ProgramBuilder::new(),
            rows: schema.rows,
            fewer_rows,
            terms: Vec::with_capacity(self.nodes.len()),
            denominators: HashMap::new(),
        };
        for (id, node) in self.iter() {
            given.builder.set_origin(self.origin(id).cloned());
            let mut made = || -> Result<Term, RangeError> {
                Ok(match node {
                    Node::Function(Function::Floor, operands) => {
                        let of = operands[0].node().expect("constants are folded");
                        given.floor(self, of, &ranges[of.0])?
                    }
                    Node::Function(Function::Category(function, text), operands) => {
                        let column = operands[0].node().expect("columns are no constants");
                        let number = self.category(column, text, schema)?;
                        let operands = [given.term(column), given.builder.integer(number)?];
                        given.compared(*function, operands)?
                    }
                    Node::Quantile(a, q) => given.quantile(*a, &ranges[a.0], q)?,
                    Node::Function(function, operands) if has_texts(node) => {
                        let [a, b] = self.texts_compared(node, schema).expect("columns of text");
                        let numbered = Function::Table(numbers_among(a, b));
                        let [a, b] = [0, 1].map(|at| given.term(operands[at].node().expect("columns")));
                        let b = given.builder.function(numbered, &[b])?;
                        given.builder.function(function.clone(), &[a, b])?
                    }
                    _ => {
                        let Given { builder, terms, .. } = &mut given;
                        builder.same(node, |id| terms[id.0])?
                    }
                })
            };
            let term = made().map_err(|error| error.at(self.origin(id)))?;
            let term = given.in_every_row(self, id, term)?;
            given.terms.push(term);
            given.denominators.entry(term).or_insert(denominators[id.0].clone());
        }
        let Given { builder, terms, .. } = given;
        self.with_terms(builder, &terms)
    }

    /// The same outputs in a builder that has every operation as a term.
    pub(super) fn with_terms(&self, mut builder: ProgramBuilder, terms: &[Term]) -> Result<Self, RangeError> {
        for (name, id) in self.shown_outputs() {
            builder.output(name, terms[id.0])?;
        }
        self.finish_in(&mut builder, |id| terms[id.0])?;
        for constant in &self.constants {
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
        builder.set_order(self.order.clone());
        Ok(builder.finish()?)
    }
}

impl Program {
    /// The name of an operation that [`Self::on`] makes others of, if there's any.
    pub fn depends_on_data(&self) -> Option<&'static str> {
        let depends = |node: &&Node| {
            matches!(node, Node::Quantile(..) | Node::Function(Function::Floor | Function::Category(..), _))
        };
        self.nodes.iter().find(depends).map(Node::operation)
    }

    /// The number of a column's category.
    fn category(&self, column: NodeId, text: &str, schema: &Schema) -> Result<i64, RangeError> {
        let Node::Input(name) = self.node(column) else { unreachable!("text is compared with columns") };
        let (column, text) = (name.clone(), text.to_owned());
        let Some(described) = schema.column(name).filter(|column| !column.categories.is_empty()) else {
            let kind = schema.column(name).map_or_else(String::new, ToString::to_string);
            return Err(RangeError::NotText { column, text, kind });
        };
        let found = described.categories.iter().position(|category| *category == text);
        found.map(|place| place as i64).ok_or_else(|| {
            let nearest = nearest_names(&text, &described.categories);
            let nearest = nearest.into_iter().map(names::literal).collect();
            RangeError::UnknownCategory { column, text, nearest }
        })
    }

    /// The texts of two columns whose equality an operation is.
    fn texts_compared<'a>(&self, node: &Node, schema: &'a Schema) -> Option<[&'a [String]; 2]> {
        let Node::Function(function, operands) = node else { return None };
        let texts = |operand: &Operand| match self.node(operand.node()?) {
            Node::Input(name) => schema.column(name).map(|column| &column.categories[..]),
            _ => None,
        };
        let [a, b] = &operands[..] else { return None };
        let compared = [texts(a)?, texts(b)?];
        (function.is_equality() && compared.iter().all(|texts| !texts.is_empty())).then_some(compared)
    }

    /// Refuses arithmetic on columns of text: they may be compared with text and with each other, looked up in tables, and be
    /// outputs.
    fn check_text(&self, schema: &Schema) -> Result<(), RangeError> {
        for (id, node) in self.iter() {
            let is_for_text = matches!(
                node,
                Node::Function(Function::Table(_) | Function::Table2(_) | Function::Category(..), _)
            );
            if is_for_text || self.texts_compared(node, schema).is_some() {
                continue;
            }
            for operand in node.operands() {
                let Node::Input(name) = self.node(operand) else { continue };
                let texts = schema.column(name).map_or(&[][..], |column| &column.categories);
                let written = texts.iter().find_map(|text| Some((text, Written::of(text)?)));
                if let Some(example) = written.map(|(text, _)| text).or(texts.first()) {
                    let (column, example, operation) = (name.clone(), example.clone(), node.operation());
                    let written = written.map(|(_, written)| written);
                    let error = RangeError::TextComputed { column, example, operation, written };
                    return Err(error.at(self.origin(id)));
                }
            }
        }
        Ok(())
    }
}

/// The places of texts among others; beyond these where they aren't among them.
pub(super) fn numbers_among(texts: &[String], of: &[String]) -> Vec<i64> {
    let place = |(at, text): (usize, &String)| {
        texts.iter().position(|other| other == text).unwrap_or(texts.len() + at)
    };
    of.iter().enumerate().map(|text| place(text) as i64).collect()
}

/// A program that is being made of another's operations.
struct Given {
    builder: ProgramBuilder,
    rows: usize,
    fewer_rows: bool,
    /// What the operations became.
    terms: Vec<Term>,
    /// What these are whole multiples of a fraction of.
    denominators: HashMap<Term, Option<BigInt>>,
}

impl Given {
    fn term(&self, id: NodeId) -> Term {
        self.terms[id.0]
    }

    fn denominator(&self, term: Term) -> Option<&BigInt> {
        self.denominators.get(&term)?.as_ref()
    }

    fn is_whole(&self, term: Term) -> bool {
        self.denominator(term).is_some_and(One::is_one)
    }

    /// A term in place of an operation: a constant in place of a column stands in every row.
    fn in_every_row(&mut self, program: &Program, id: NodeId, term: Term) -> Result<Term, RangeError> {
        if program.shape(id) == Shape::Number || self.builder.is_column(term) {
            return Ok(term);
        }
        let operands = program.node(id).operands().map(|operand| self.terms[operand.0]);
        let column = operands.into_iter().find(|&operand| self.builder.is_column(operand));
        let column = column.expect("columns are made of columns");
        let zeros = self.builder.sub(column, column)?;
        Ok(self.builder.add(zeros, term)?)
    }

    /// ⌊a⌋ for numbers of a range.
    fn floor(&mut self, program: &Program, a: NodeId, range: &Range) -> Result<Term, RangeError> {
        let term = self.term(a);
        if self.is_whole(term) {
            return Ok(term);
        }
        if let Some(quotient) = self.quotient(program, a)? {
            return Ok(quotient);
        }
        let (least, most) = (range.lo().floor().to_integer(), range.hi().floor().to_integer());
        let jumps = &most - &least;
        if jumps > MOST_JUMPS.into() {
            return Err(RangeError::TooManySteps {
                function: "floor",
                of: "of real numbers jumps at whole ones",
                found: counted(&jumps),
                range: Box::new(range.clone()),
                most: MOST_JUMPS,
            });
        }
        let mut sum = self.builder.constant(BigRational::from_integer(least.clone()))?;
        for k in 1..=jumps.to_u32().unwrap_or(0) {
            let jump = self.builder.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let reached = self.compared(BinaryFunction::GreaterOrEqual, [term, jump])?;
            sum = self.builder.add(sum, reached)?;
        }
        Ok(sum)
    }

    /// ⌊a⌋ as a quotient of whole numbers, if a is one.
    fn quotient(&mut self, program: &Program, a: NodeId) -> Result<Option<Term>, RangeError> {
        let reciprocal = |id: NodeId| match program.node(id) {
            Node::Smooth(SmoothFunction::Reciprocal, of) => Some(*of),
            _ => None,
        };
        let ratio = match *program.node(a) {
            Node::Mul(x, y) => reciprocal(y).map(|y| (x, y)).or_else(|| reciprocal(x).map(|x| (y, x))),
            _ => None,
        };
        if let Some([x, y]) = ratio.map(|(x, y)| [self.term(x), self.term(y)]) {
            let are_whole = self.is_whole(x) && self.is_whole(y);
            return are_whole.then(|| self.compared(BinaryFunction::Quotient, [x, y])).transpose();
        }
        let Some(fractions) = self.builder.fractions(self.term(a)) else { return Ok(None) };
        let mut denominator = BigInt::one();
        for (term, factor) in &fractions {
            let Some(term) = term else { continue };
            let Some(of_term) = self.denominator(*term) else { return Ok(None) };
            denominator = denominator.lcm((factor / of_term).denom());
        }
        // ⌊n/q + c⌋ = ⌊(n + ⌊q·c⌋)/q⌋ for a whole n.
        let scale = BigRational::from_integer(denominator);
        let mut numerator = self.builder.integer(0)?;
        for (term, factor) in fractions {
            let scaled = self.builder.constant(match term {
                Some(_) => factor * &scale,
                None => (factor * &scale).floor(),
            })?;
            let product = term.map_or(Ok(scaled), |term| self.builder.mul(term, scaled))?;
            numerator = self.builder.add(numerator, product)?;
        }
        if scale.is_one() {
            return Ok(Some(numerator));
        }
        let denominator = self.builder.constant(scale)?;
        self.compared(BinaryFunction::Quotient, [numerator, denominator]).map(Some)
    }

    fn compared(&mut self, function: BinaryFunction, operands: [Term; 2]) -> Result<Term, RangeError> {
        Ok(self.builder.function(Function::Binary(function), &operands)?)
    }

    /// The quantile of a column: its least value, and one more for every value that fewer rows than the rank aren't above.
    fn quantile(&mut self, a: NodeId, range: &Range, q: &BigRational) -> Result<Term, RangeError> {
        let function = quantile_name(q);
        // Of decimals, that of their digits.
        let denominator = self.denominator(self.term(a)).cloned().ok_or(RangeError::Fraction { function })?;
        let unit = BigRational::from_integer(denominator);
        let (digits, unit) = (range.scale(&unit), self.builder.constant(unit)?);
        let column = self.builder.mul(self.term(a), unit)?;
        let (least, most) = (digits.lo().ceil().to_integer(), digits.hi().floor().to_integer());
        let values = &most - &least + BigInt::one();
        if values > MOST_VALUES.into() {
            return Err(RangeError::TooManySteps {
                function,
                of: "counts the rows of every value",
                found: counted(&values),
                range: Box::new(range.clone()),
                most: MOST_VALUES,
            });
        }
        let rank = quantile_rank(q, self.rows);
        // The largest value is told by the rows above others, however many rows there are.
        let by_rows_above = self.fewer_rows && q.is_one();
        if self.fewer_rows && rank != quantile_rank(q, 1) && !by_rows_above {
            return Err(RangeError::UnknownRank { function });
        }
        let rank = self.builder.constant(BigRational::from_integer(rank.into()))?;
        let mut sum = self.builder.constant(BigRational::from_integer(least.clone()))?;
        for k in 0..values.to_u32().unwrap_or(1) - 1 {
            let value = self.builder.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let is_below = self.compared(BinaryFunction::LessOrEqual, [column, value])?;
            let (a, b) = if by_rows_above {
                let one = self.builder.integer(1)?;
                let is_above = self.builder.sub(one, is_below)?;
                (self.builder.integer(0)?, self.builder.sum(is_above)?)
            } else {
                (self.builder.sum(is_below)?, rank)
            };
            let is_larger = self.compared(BinaryFunction::Less, [a, b])?;
            sum = self.builder.add(sum, is_larger)?;
        }
        Ok(self.builder.div(sum, unit)?)
    }
}

/// A number, in words where it has many digits.
fn counted(number: &BigInt) -> String {
    if number.bits() <= 64 { number.to_string() } else { format!("about 2^{}", number.bits()) }
}
