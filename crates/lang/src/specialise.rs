//! Programs on data of which the public facts are given: operations that depend on these in terms of others.

use std::collections::HashMap;

use asanoha_numeric::{BinaryFunction, Range, date};
use asanoha_table::{ColumnSchema, Schema, Written, nearest as nearest_names};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use crate::{
    builder::{ProgramBuilder, apply::apply, normal_form::fractions, terms::Terms},
    date_part::Part,
    domain::{
        Arg, Argument,
        denominators::denominators,
        ranges::{RangeError, ranges},
    },
    evaluate::columns::{numbers_among, quantile_rank},
    function::{Function, Given, Kind, Meaning},
    ids::{NodeId, Operand, Term},
    names,
    node::{Node, quantile_name},
    ops::{QUOTIENT, RECIPROCAL, binary, div, table},
    program::Program,
    ratios::Ratios,
    rebuild::{Replace, arguments, terms_of, with_terms},
    shape::Shape,
};

/// The most jumps of a rounded real number, each of which is a comparison.
const MOST_JUMPS: u32 = 16;
/// The most changes of a part of a date, each of which is a comparison: fifty years of months.
const MOST_CHANGES: u32 = 600;
/// The most values of a column that a quantile is of, for each of which rows are counted.
const MOST_VALUES: u32 = 128;

/// The same program in operations that all schemes compute, on data of a schema, or of fewer rows too:
///
/// * a whole number is its own floor, that of a sum of whole numbers times fractions is a quotient `//`, and that of a real
///   number in a range of at most 16 jumps the number of jumps that aren't above it, a comparison each;
/// * a quantile of a column of at most 128 whole values or decimals is the least value and as many more as there are values that too
///   few rows aren't above: counted for each value, and the counts compared. Nothing of these is an output;
/// * a part of a date is that of the first one of its range and as many more as there were changes, a comparison each;
/// * a comparison of quotients whose divisors are positive, or all negative, is one of products: `a / b < 200` is `a < 200 * b`;
/// * a comparison with text is one with the number of its category, and of two columns of different texts one of the first
///   with the second's texts numbered as the first's are.
///
/// # Errors
/// What can't be computed so, with the figures.
pub fn specialised(program: &Program, schema: &Schema, fewer_rows: bool) -> Result<Program, RangeError> {
    let ranges = ranges(program, schema)?;
    check_text(program, schema)?;
    let has_texts = |node: &Node| texts_compared(program, node, schema).is_some_and(|[a, b]| a != b);
    let has_ratios = |node: &Node| Ratios::compared(program, &ranges, node).is_some();
    if depends_on_data(program).is_none()
        && !program.nodes().iter().any(has_texts)
        && !program.nodes().iter().any(has_ratios)
    {
        return Ok(program.clone());
    }
    let mut facts = Facts {
        program,
        schema,
        fewer_rows,
        ranges,
        known: denominators(program, schema),
        terms: Vec::with_capacity(program.nodes().len()),
        denominators: HashMap::new(),
    };
    let mut builder = ProgramBuilder::new();
    let terms = terms_of(program, &mut builder, &mut facts);
    let terms = terms.map_err(|(id, error)| error.at(program.origin(id)))?;
    Ok(with_terms(program, builder, &terms)?)
}

/// The name of an operation that [`specialised`] makes others of, if there's any.
pub fn depends_on_data(program: &Program) -> Option<&'static str> {
    let depends = |node: &&Node| match node {
        Node::Quantile(..) => true,
        Node::Function(function, _) => {
            matches!(function.kind(), Kind::Floor | Kind::DatePart(_) | Kind::Text(_) | Kind::TextTable)
        }
        _ => false,
    };
    program.nodes().iter().find(depends).map(Node::operation)
}

/// A column of text that is compared with a text, or looked up by it.
fn text_column<'a>(
    program: &Program,
    column: NodeId,
    text: &str,
    schema: &'a Schema,
) -> Result<&'a ColumnSchema, RangeError> {
    let name = program.column(column).expect("text is compared with columns");
    schema.column(name).filter(|column| !column.categories.is_empty()).ok_or_else(|| RangeError::NotText {
        column: name.to_owned(),
        text: text.to_owned(),
        kind: schema.column(name).map_or_else(String::new, ToString::to_string),
    })
}

/// The entries of a table by texts in the order of a column's categories, each of which must have one.
fn entries_in_order(
    program: &Program,
    column: NodeId,
    entries: &[(String, i64)],
    schema: &Schema,
) -> Result<Vec<i64>, RangeError> {
    let described = text_column(program, column, &entries[0].0, schema)?;
    let entry = |category: &String| {
        let found = entries.iter().find(|(text, _)| text == category);
        found.map(|(_, number)| *number).ok_or_else(|| RangeError::NoEntry {
            column: described.name.clone(),
            category: names::literal(category),
        })
    };
    described.categories.iter().map(entry).collect()
}

/// The number of a column's category.
fn category(program: &Program, column: NodeId, text: &str, schema: &Schema) -> Result<i64, RangeError> {
    let described = match text_column(program, column, text, schema) {
        // A date in quotes beside a column of dates, which are days.
        Err(error) => return date::days(text).ok_or(error),
        Ok(described) => described,
    };
    let (column, text) = (described.name.clone(), text.to_owned());
    let found = described.categories.iter().position(|category| *category == text);
    found.map(|place| place as i64).ok_or_else(|| {
        let nearest = nearest_names(&text, &described.categories);
        let nearest = nearest.into_iter().map(names::literal).collect();
        RangeError::UnknownCategory { column, text, nearest }
    })
}

/// The texts of two columns whose equality an operation is.
fn texts_compared<'a>(program: &Program, node: &Node, schema: &'a Schema) -> Option<[&'a [String]; 2]> {
    let Node::Function(function, operands) = node else { return None };
    let texts = |operand: &Operand| {
        let column = schema.column(program.column(operand.node()?)?);
        column.map(|column| &column.categories[..])
    };
    let [a, b] = &operands[..] else { return None };
    let compared = [texts(a)?, texts(b)?];
    (function.is_equality() && compared.iter().all(|texts| !texts.is_empty())).then_some(compared)
}

/// Refuses arithmetic on columns of text: they may be compared with text and with each other, looked up in tables, and be
/// outputs.
fn check_text(program: &Program, schema: &Schema) -> Result<(), RangeError> {
    for (id, node) in program.iter() {
        let is_for_text = node.function().is_some_and(|(function, _)| {
            matches!(function.kind(), Kind::Lookup | Kind::Text(_) | Kind::TextTable)
        });
        if is_for_text || texts_compared(program, node, schema).is_some() {
            continue;
        }
        for operand in node.operands() {
            let Some(name) = program.column(operand) else { continue };
            let texts = schema.column(name).map_or(&[][..], |column| &column.categories);
            let written = texts.iter().find_map(|text| Some((text, Written::of(text)?)));
            if let Some(example) = written.map(|(text, _)| text).or(texts.first()) {
                let (column, example, operation) = (name.to_owned(), example.clone(), node.operation());
                let written = written.map(|(_, written)| written);
                let error = RangeError::TextComputed { column, example, operation, written };
                return Err(error.at(program.origin(id)));
            }
        }
    }
    Ok(())
}

/// What is known of a program on data of a schema, and what its operations became.
struct Facts<'a> {
    program: &'a Program,
    schema: &'a Schema,
    fewer_rows: bool,
    ranges: Vec<Range>,
    /// What the program's values are whole multiples of a fraction of.
    known: Vec<Option<BigInt>>,
    /// What the operations became.
    terms: Vec<Term>,
    /// What these are whole multiples of a fraction of.
    denominators: HashMap<Term, Option<BigInt>>,
}

impl Replace for Facts<'_> {
    type Error = RangeError;

    fn function(
        &mut self,
        terms: &mut Terms,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Term>],
    ) -> Result<Term, RangeError> {
        let node = self.program.node(at);
        match (function.kind(), function.given()) {
            (Kind::DatePart(part), _) => {
                let of = of[0].node().expect("constants are folded");
                self.date_part(terms, of, part)
            }
            (Kind::Floor, _) => {
                let of = of[0].node().expect("constants are folded");
                self.floor(terms, of)
            }
            (_, Given::Texts(entries)) => {
                let column = of[0].node().expect("columns are no constants");
                let entries = entries_in_order(self.program, column, entries, self.schema)?;
                Ok(apply(terms, table(entries), &[self.term(column)])?)
            }
            (Kind::Text(equality), Given::Text(text)) => {
                let column = of[0].node().expect("columns are no constants");
                let number = category(self.program, column, text, self.schema)?;
                let operands = [self.term(column), terms.integer(number)?];
                Ok(apply(terms, binary(equality), &operands)?)
            }
            _ if let Some(ratios) = Ratios::compared(self.program, &self.ranges, node) => {
                ratios.multiplied_out(terms, function, |id| self.term(id))
            }
            _ => {
                let mut arguments = arguments(terms, of)?;
                if let Some([a, b]) = texts_compared(self.program, node, self.schema).filter(|[a, b]| a != b)
                {
                    arguments[1] = apply(terms, table(numbers_among(a, b)), &[arguments[1]])?;
                }
                Ok(apply(terms, function.clone(), &arguments)?)
            }
        }
    }

    fn quantile(&mut self, terms: &mut Terms, a: Arg<'_, Term>, q: &BigRational) -> Result<Term, RangeError> {
        self.counted_quantile(terms, a.node.expect("it's of an operation"), q)
    }

    fn done(&mut self, terms: &mut Terms, at: NodeId, term: Term) -> Result<Term, RangeError> {
        let term = self.in_every_row(terms, at, term)?;
        self.terms.push(term);
        self.denominators.entry(term).or_insert_with(|| self.known[at.0].clone());
        Ok(term)
    }
}

impl Facts<'_> {
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
    fn in_every_row(&self, terms: &mut Terms, id: NodeId, term: Term) -> Result<Term, RangeError> {
        if self.program.shape(id) == Shape::Number || terms.is_column(term) {
            return Ok(term);
        }
        let operands = self.program.node(id).operands().map(|operand| self.terms[operand.0]);
        let column = operands.into_iter().find(|&operand| terms.is_column(operand));
        let column = column.expect("columns are made of columns");
        let zeros = terms.sub(column, column)?;
        Ok(terms.add(zeros, term)?)
    }

    /// ⌊a⌋ for numbers of a range.
    fn floor(&self, terms: &mut Terms, a: NodeId) -> Result<Term, RangeError> {
        let range = &self.ranges[a.0];
        let term = self.term(a);
        if self.is_whole(term) {
            return Ok(term);
        }
        if let Some(quotient) = self.quotient(terms, a)? {
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
        let mut sum = terms.constant(BigRational::from_integer(least.clone()))?;
        for k in 1..=jumps.to_u32().unwrap_or(0) {
            let jump = terms.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let reached = apply(terms, binary(BinaryFunction::GreaterOrEqual), &[term, jump])?;
            sum = terms.add(sum, reached)?;
        }
        Ok(sum)
    }

    /// A part of a date: that of the first day of its range, and every change up to the date.
    fn date_part(&self, terms: &mut Terms, a: NodeId, part: Part) -> Result<Term, RangeError> {
        let (function, range) = (self.program.node(a).operation(), &self.ranges[a.0]);
        let days = self.term(a);
        if !self.is_whole(days) {
            return Err(RangeError::Fraction { function });
        }
        let too_many = |found: String| RangeError::TooManySteps {
            function: part.name(),
            of: "of dates changes with each",
            found,
            range: Box::new(range.clone()),
            most: MOST_CHANGES,
        };
        let [lo, hi] = [range.lo(), range.hi()].map(|end| end.to_integer().to_i64());
        let ends = lo.zip(hi).and_then(|(lo, hi)| Some((lo, hi, part.of(lo)?, part.of(hi)?)));
        let Some((lo, hi, first, _)) = ends else {
            return Err(too_many("years beyond four digits".to_owned()));
        };
        let changes: Vec<(i64, i64)> = part.changes(lo, hi).collect();
        if changes.len() > MOST_CHANGES as usize {
            return Err(too_many(changes.len().to_string()));
        }
        let mut sum = terms.integer(first)?;
        for (day, change) in changes {
            let day = terms.integer(day)?;
            let reached = apply(terms, binary(BinaryFunction::GreaterOrEqual), &[days, day])?;
            let change = terms.scale(reached, &BigRational::from_integer(change.into()))?;
            sum = terms.add(sum, change)?;
        }
        Ok(sum)
    }

    /// ⌊a⌋ as a quotient of whole numbers, if a is one.
    fn quotient(&self, terms: &mut Terms, a: NodeId) -> Result<Option<Term>, RangeError> {
        let reciprocal = |id: NodeId| match self.program.node(id) {
            Node::Function(function, of) if *function == RECIPROCAL => of[0].node(),
            _ => None,
        };
        let ratio = match *self.program.node(a) {
            Node::Mul(x, y) => reciprocal(y).map(|y| (x, y)).or_else(|| reciprocal(x).map(|x| (y, x))),
            _ => None,
        };
        if let Some([x, y]) = ratio.map(|(x, y)| [self.term(x), self.term(y)]) {
            let are_whole = self.is_whole(x) && self.is_whole(y);
            return Ok(are_whole.then(|| apply(terms, QUOTIENT, &[x, y])).transpose()?);
        }
        let Some(fractions) = fractions(terms, self.term(a)) else { return Ok(None) };
        let mut denominator = BigInt::one();
        for (term, factor) in &fractions {
            let Some(term) = term else { continue };
            let Some(of_term) = self.denominator(*term) else { return Ok(None) };
            denominator = denominator.lcm((factor / of_term).denom());
        }
        // ⌊n/q + c⌋ = ⌊(n + ⌊q·c⌋)/q⌋ for a whole n.
        let scale = BigRational::from_integer(denominator);
        let mut numerator = terms.integer(0)?;
        for (term, factor) in fractions {
            let scaled = terms.rounded.times(&factor, &scale);
            let scaled = terms.constant(if term.is_some() { scaled } else { scaled.floor() })?;
            let product = term.map_or(Ok(scaled), |term| terms.mul(term, scaled))?;
            numerator = terms.add(numerator, product)?;
        }
        if scale.is_one() {
            return Ok(Some(numerator));
        }
        let denominator = terms.constant(scale)?;
        Ok(Some(apply(terms, QUOTIENT, &[numerator, denominator])?))
    }

    /// The quantile of a column: its least value, and one more for every value that fewer rows than the rank aren't above.
    fn counted_quantile(&self, terms: &mut Terms, a: NodeId, q: &BigRational) -> Result<Term, RangeError> {
        let (function, range) = (quantile_name(q), &self.ranges[a.0]);
        // Of decimals, that of their digits.
        let denominator = self.denominator(self.term(a)).cloned().ok_or(RangeError::Fraction { function })?;
        let unit = BigRational::from_integer(denominator);
        let (digits, unit) = (range.scale(&unit), terms.constant(unit)?);
        let column = terms.mul(self.term(a), unit)?;
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
        let rank = quantile_rank(q, self.schema.rows);
        // The largest value is told by the rows above others, however many rows there are.
        let by_rows_above = self.fewer_rows && q.is_one();
        if self.fewer_rows && rank != quantile_rank(q, 1) && !by_rows_above {
            return Err(RangeError::UnknownRank { function });
        }
        let rank = terms.constant(BigRational::from_integer(rank.into()))?;
        let mut sum = terms.constant(BigRational::from_integer(least.clone()))?;
        for k in 0..values.to_u32().unwrap_or(1) - 1 {
            let value = terms.constant(BigRational::from_integer(&least + BigInt::from(k)))?;
            let is_below = apply(terms, binary(BinaryFunction::LessOrEqual), &[column, value])?;
            let (a, b) = if by_rows_above {
                let one = terms.integer(1)?;
                let is_above = terms.sub(one, is_below)?;
                (terms.integer(0)?, terms.sum(is_above)?)
            } else {
                (terms.sum(is_below)?, rank)
            };
            let is_larger = apply(terms, binary(BinaryFunction::Less), &[a, b])?;
            sum = terms.add(sum, is_larger)?;
        }
        Ok(div(terms, sum, unit)?)
    }
}

/// A number, in words where it has many digits.
fn counted(number: &BigInt) -> String {
    if number.bits() <= 64 { number.to_string() } else { format!("about 2^{}", number.bits()) }
}
