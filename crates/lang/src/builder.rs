//! Putting a program together, operation by operation; constants are folded and equal operations merged on the way.

mod comparison;
mod conditions;
mod finished;
mod functions;
mod statistics;

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicU64, Ordering},
};

use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::error::BuildError;
use super::finished::Finished;
use super::function::{Function, Operand};
use super::node::{Constant, Node, NodeId, Program, Shape, shown};
use super::origin::Origin;
use super::smooth::SmoothFunction;
use super::{MAX_CONSTANT_BITS, MAX_EXPONENT, MAX_NAME_LENGTH, MAX_NODES, names, number};

/// A value inside a [`ProgramBuilder`]: a constant, or something computed from the data. No other builder takes it, but copies
/// of this one that were made when it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Term {
    id: NodeId,
    /// No two terms of a process have the same.
    stamp: u64,
}

impl Term {
    /// Terms are numbered in the order of their making.
    pub(super) fn index(self) -> usize {
        self.id.0
    }
}

/// The stamp of the next term of any builder.
static NEXT_STAMP: AtomicU64 = AtomicU64::new(0);

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Entry {
    Constant(BigRational),
    /// Its operands are indices of entries. Inside the builder `Scale` by zero may occur: a column of zeros.
    Node(Node),
}

/// Builds a [`Program`].
///
/// ```
/// use asanoha_lang::{BuildError, ProgramBuilder};
///
/// let mut builder = ProgramBuilder::new();
/// let price = builder.input("price")?;
/// let count = builder.input("count")?;
/// let total = builder.dot(price, count)?;
/// builder.output("total", total)?;
/// let program = builder.finish()?;
/// assert_eq!(program.nodes().len(), 3);
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProgramBuilder {
    entries: Vec<Entry>,
    stamps: Vec<u64>,
    /// Where each was made.
    origins: Vec<Option<Origin>>,
    /// Where what is made now stands.
    origin: Option<Origin>,
    shapes: Vec<Option<Shape>>,
    /// What isn't defined for all data in each.
    partials: Vec<Option<&'static str>>,
    known: HashMap<Entry, Term>,
    outputs: Vec<(String, Term)>,
    /// Those that aren't shown.
    parts: Vec<(String, Term)>,
    finished: Vec<Finished>,
    output_names: HashSet<String>,
    /// The same in the order of their making.
    order: Vec<String>,
}

impl ProgramBuilder {
    /// A builder with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the operations that are made from now on stand in a text. What is there already keeps its place.
    pub(super) fn set_origin(&mut self, origin: Option<Origin>) {
        self.origin = origin;
    }

    /// A column of the data.
    pub fn input(&mut self, name: &str) -> Result<Term, BuildError> {
        check_column(name)?;
        self.intern(Node::Input(name.to_owned()))
    }

    /// An exact constant of at most [`MAX_CONSTANT_BITS`].
    pub fn constant(&mut self, value: BigRational) -> Result<Term, BuildError> {
        let value = bounded(value)?;
        self.intern_entry(Entry::Constant(value), None)
    }

    /// A whole constant.
    pub fn integer(&mut self, value: i64) -> Result<Term, BuildError> {
        self.constant(BigRational::from_integer(value.into()))
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let joined = self.joined_shape(a, b)?;
        if let Some(c) = self.absorbed(a, b, joined) {
            return self.offset(b, &c);
        }
        if let Some(c) = self.absorbed(b, a, joined) {
            return self.offset(a, &c);
        }
        if a == b {
            return self.scale(a, &BigRational::from_integer(2.into()));
        }
        match (self.node(a), self.node(b)) {
            (_, Some(&Node::Neg(y))) => self.sub(a, self.term(y)),
            (Some(&Node::Neg(x)), _) => self.sub(b, self.term(x)),
            _ => self.intern(Node::Add(a.id, b.id)),
        }
    }

    /// `a − b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let joined = self.joined_shape(a, b)?;
        if let Some(c) = self.absorbed(a, b, joined) {
            let negated = self.neg(b)?;
            return self.offset(negated, &c);
        }
        if let Some(c) = self.absorbed(b, a, joined) {
            return self.offset(a, &-c);
        }
        if a == b {
            return self.scale(a, &BigRational::zero());
        }
        if let Some(&Node::Neg(y)) = self.node(b) {
            return self.add(a, self.term(y));
        }
        if let Some([x, y]) = self.covaried(a, b) {
            return self.cov(x, y);
        }
        self.intern(Node::Sub(a.id, b.id))
    }

    /// `−a`.
    pub fn neg(&mut self, a: Term) -> Result<Term, BuildError> {
        self.scale(a, &-BigRational::one())
    }

    /// `a · b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let joined = self.joined_shape(a, b)?;
        if let Some(k) = self.absorbed(a, b, joined) {
            return self.scale(b, &k);
        }
        if let Some(k) = self.absorbed(b, a, joined) {
            return self.scale(a, &k);
        }
        if a == b { self.power_whole(a, 2) } else { self.intern(Node::Mul(a.id, b.id)) }
    }

    /// `a / b`: exact for a constant `b`, and else `a` times the approximated `1 / b`.
    pub fn div(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        self.check(a)?;
        match self.entry(b)? {
            Entry::Constant(divisor) if divisor.is_zero() => Err(BuildError::DivisionByZero),
            Entry::Constant(divisor) => {
                let factor = divisor.recip();
                self.scale(a, &factor)
            }
            Entry::Node(_) => {
                let reciprocal = self.smooth(SmoothFunction::Reciprocal, b)?;
                self.mul(a, reciprocal)
            }
        }
    }

    /// `a ** exponent`: the exponent is a constant whole number, of magnitude up to [`MAX_EXPONENT`] on data, where a
    /// negative one is a power of the approximated `1 / a`. As in Python, anything to the power of 0 is 1.
    pub fn power(&mut self, a: Term, exponent: Term) -> Result<Term, BuildError> {
        let base_is_constant = matches!(self.entry(a)?, Entry::Constant(_));
        let Entry::Constant(exponent) = self.entry(exponent)? else {
            return Err(BuildError::ExponentNotConstant);
        };
        let text = shown(exponent);
        if !exponent.is_integer() {
            return Err(BuildError::ExponentNotWhole { exponent: text });
        }
        let magnitude = exponent.numer().abs().to_u32();
        let negative = exponent.is_negative();
        let Some(magnitude) = magnitude else {
            return Err(BuildError::ExponentTooLarge { exponent: text, limit: MAX_EXPONENT });
        };
        if negative && !base_is_constant {
            let reciprocal = self.smooth(SmoothFunction::Reciprocal, a)?;
            return self.power_whole(reciprocal, magnitude);
        }
        let powered = self.power_whole(a, magnitude)?;
        if negative {
            let one = self.integer(1)?;
            return self.div(one, powered);
        }
        Ok(powered)
    }

    /// `a ** exponent` for a whole exponent.
    pub fn power_whole(&mut self, a: Term, exponent: u32) -> Result<Term, BuildError> {
        if let Entry::Constant(base) = self.entry(a)? {
            let trivial = base.is_zero() || (base.is_integer() && base.numer().magnitude().is_one());
            // A number of b bits is at least 2^(b − 1).
            let least_bits = (number::bits(base) - u64::from(!trivial)).saturating_mul(exponent.into());
            if !trivial && least_bits > MAX_CONSTANT_BITS {
                return Err(BuildError::ConstantTooLarge { limit: MAX_CONSTANT_BITS });
            }
            let exponent = if trivial && exponent > 0 { 2 - exponent % 2 } else { exponent };
            let value = Pow::pow(base, exponent);
            return self.constant(value);
        }
        match exponent {
            0 => {
                let zeros = self.scale(a, &BigRational::zero())?;
                self.offset(zeros, &BigRational::one())
            }
            1 => Ok(a),
            2..=MAX_EXPONENT => self.intern(Node::Power(a.id, exponent)),
            _ => Err(BuildError::ExponentTooLarge { exponent: exponent.to_string(), limit: MAX_EXPONENT }),
        }
    }

    /// The sum over the rows of a column.
    pub fn sum(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "sum")?;
        self.intern(Node::Sum(a.id))
    }

    /// The mean over the rows of a column.
    pub fn mean(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "mean")?;
        if let Some(value) = self.fixed_value(a) {
            return self.constant(value);
        }
        self.intern(Node::Mean(a.id))
    }

    /// The population variance over the rows of a column.
    pub fn var(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "var")?;
        if self.fixed_value(a).is_some() {
            return self.integer(0);
        }
        let a = self.without_offset(a);
        self.intern(Node::Var(a.id))
    }

    /// The sum over the rows of the product of two columns.
    pub fn dot(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        self.check_column(a, "dot")?;
        self.check_column(b, "dot")?;
        for (a, b) in [(a, b), (b, a)] {
            if let Some(weight) = self.fixed_value(a) {
                let sum = self.sum(b)?;
                return self.scale(sum, &weight);
            }
        }
        self.intern(Node::Dot(a.id, b.id))
    }

    /// Names `a` as an output.
    pub fn output(&mut self, name: &str, a: Term) -> Result<(), BuildError> {
        self.check(a)?;
        self.claim(name)?;
        self.outputs.push((name.to_owned(), a));
        Ok(())
    }

    /// Takes a name for an output.
    fn claim(&mut self, name: &str) -> Result<(), BuildError> {
        check_name(name)?;
        if name.starts_with('_') {
            return Err(BuildError::HiddenOutput { name: name.to_owned() });
        }
        if !self.output_names.insert(name.to_owned()) {
            return Err(BuildError::DuplicateOutput { name: name.to_owned() });
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    /// Gives the outputs, which are there already, an order.
    pub(super) fn set_order(&mut self, order: Vec<String>) {
        self.order = order;
    }

    /// Names `a` as an output of a program that is never printed: under any name, such as that of a part.
    pub(super) fn encrypted_output(&mut self, name: &str, a: Term) {
        self.outputs.push((name.to_owned(), a));
    }

    /// The program: what the outputs need, renumbered in the order of a walk from the outputs. Outputs that are the same for
    /// all data aren't computed from any.
    pub fn finish(self) -> Result<Program, BuildError> {
        if self.outputs.is_empty() && self.finished.is_empty() {
            return Err(BuildError::NoOutputs);
        }
        let mut program =
            Program { finished: self.finished.clone(), order: self.order.clone(), ..Program::default() };
        let mut renumbered: Vec<Option<NodeId>> = vec![None; self.entries.len()];
        for (at, (name, root)) in self.outputs.iter().chain(&self.parts).enumerate() {
            if let Some(value) = self.fixed_value(*root).filter(|_| at < self.outputs.len()) {
                let column = self.column_under(*root);
                program.constants.push(Constant { name: name.clone(), value, column });
                continue;
            }
            self.walk(*root, &mut renumbered, &mut program)?;
            let id = renumbered[root.index()].unwrap_or(NodeId(0));
            program.outputs.push((name.clone(), id));
        }
        let results: HashSet<&String> = self
            .outputs
            .iter()
            .map(|(name, _)| name)
            .chain(self.finished.iter().flat_map(|finished| &finished.results))
            .collect();
        program.order.retain(|name| results.contains(name));
        if let Some(name) = program.inputs.iter().find(|name| self.output_names.contains(*name)) {
            return Err(BuildError::OutputIsInput { name: name.clone() });
        }
        Ok(program)
    }

    /// Moves what `root` needs into `program`, operands first.
    fn walk(
        &self,
        root: Term,
        renumbered: &mut [Option<NodeId>],
        program: &mut Program,
    ) -> Result<(), BuildError> {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            let Some(node) = self.node(term).filter(|_| renumbered[term.index()].is_none()) else {
                pending.pop();
                continue;
            };
            if let Some(value) = self.fixed_value(term) {
                return Err(BuildError::AlwaysConstant { term, value: shown(&value) });
            }
            let before = pending.len();
            pending.extend(node.operands().filter(|id| renumbered[id.0].is_none()).map(|id| self.term(id)));
            if pending.len() > before {
                pending[before..].reverse();
                continue;
            }
            pending.pop();
            let node = node.with_operands(|id| renumbered[id.0].unwrap_or(id));
            if let Node::Input(name) = &node {
                program.inputs.push(name.clone());
            }
            renumbered[term.index()] = Some(NodeId(program.nodes.len()));
            program.shapes.push(node.shape(|id| program.shapes[id.0]));
            program.nodes.push(node);
            program.origins.0.push(self.origins[term.index()].clone());
        }
        Ok(())
    }

    /// A column of the data that a column is made of.
    fn column_under(&self, a: Term) -> Option<String> {
        let mut at = a;
        loop {
            let node = self.node(at)?;
            if let Node::Input(name) = node {
                return Some(name.clone());
            }
            let is_column = |id: &NodeId| self.shapes[id.0] == Some(Shape::Column);
            at = self.term(node.operands().find(is_column).filter(|_| is_column(&at.id))?);
        }
    }

    /// The number of terms made so far.
    pub(super) fn term_count(&self) -> usize {
        self.entries.len()
    }

    /// `k · a`, with the chain of scalings and offsets under `a` kept in the form `offset(scale(x))`.
    fn scale(&mut self, a: Term, factor: &BigRational) -> Result<Term, BuildError> {
        if factor.is_one() {
            return Ok(a);
        }
        match self.entry(a)?.clone() {
            Entry::Constant(value) => self.constant(value * factor),
            Entry::Node(Node::Scale(_, inner)) if inner.is_zero() => Ok(a),
            Entry::Node(Node::Scale(x, inner)) => self.scale(self.term(x), &bounded(inner * factor)?),
            Entry::Node(Node::Neg(x)) => self.scale(self.term(x), &-factor),
            Entry::Node(Node::Offset(x, constant)) => {
                let scaled = self.scale(self.term(x), factor)?;
                self.offset(scaled, &(constant * factor))
            }
            Entry::Node(_) if factor.is_zero() => {
                self.check_total(a)?;
                self.zeros(a)
            }
            Entry::Node(_) if *factor == -BigRational::one() => self.intern(Node::Neg(a.id)),
            Entry::Node(_) => self.intern(Node::Scale(a.id, bounded(factor.clone())?)),
        }
    }

    /// `a + c`.
    fn offset(&mut self, a: Term, constant: &BigRational) -> Result<Term, BuildError> {
        if constant.is_zero() {
            return Ok(a);
        }
        match self.entry(a)?.clone() {
            Entry::Constant(value) => self.constant(value + constant),
            Entry::Node(Node::Offset(x, inner)) => self.offset(self.term(x), &bounded(inner + constant)?),
            Entry::Node(_) => self.intern(Node::Offset(a.id, bounded(constant.clone())?)),
        }
    }

    /// The constant that `a` is, when `b` already has the shape of the two together.
    fn absorbed(&self, a: Term, b: Term, joined: Option<Shape>) -> Option<BigRational> {
        self.fixed_value(a).filter(|_| self.shapes[b.index()] == joined)
    }

    /// The constant that a term is for all data, as far as folding knows.
    fn fixed_value(&self, a: Term) -> Option<BigRational> {
        match self.entry(a).ok()? {
            Entry::Constant(value) => Some(value.clone()),
            Entry::Node(Node::Scale(_, factor)) if factor.is_zero() => Some(BigRational::zero()),
            Entry::Node(Node::Offset(x, constant)) => match self.node(self.term(*x))? {
                Node::Scale(_, factor) if factor.is_zero() => Some(constant.clone()),
                _ => None,
            },
            Entry::Node(_) => None,
        }
    }

    /// A constant in the shape of some terms together.
    fn fixed_like(&mut self, terms: &[Term], value: BigRational) -> Result<Term, BuildError> {
        let column = terms.iter().find(|term| self.shapes[term.index()] == Some(Shape::Column));
        let Some(&column) = column else { return self.constant(value) };
        let zeros = self.zeros(column)?;
        self.offset(zeros, &value)
    }

    /// Zeros in the shape of a term: of a column those of a column of the data, so that nothing else is computed for them.
    fn zeros(&mut self, a: Term) -> Result<Term, BuildError> {
        let of = match self.column_under(a) {
            Some(name) => self.input(&name)?,
            None => a,
        };
        self.intern(Node::Scale(of.id, BigRational::zero()))
    }

    /// Refuses what isn't defined for all data: its zeros would be told where there's no answer.
    fn check_total(&self, a: Term) -> Result<(), BuildError> {
        match self.partial(a) {
            Some(function) => Err(BuildError::Undefined { function }),
            None => Ok(()),
        }
    }

    /// A function in a term that has no value for some data, if there's one.
    fn partial(&self, a: Term) -> Option<&'static str> {
        self.partials[a.index()]
    }

    /// The shape of an operation on two terms; `None` is the shape of constants.
    fn joined_shape(&self, a: Term, b: Term) -> Result<Option<Shape>, BuildError> {
        self.check(a)?;
        self.check(b)?;
        Ok(match (self.shapes[a.index()], self.shapes[b.index()]) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        })
    }

    fn entry(&self, a: Term) -> Result<&Entry, BuildError> {
        let is_of_this = self.stamps.get(a.index()) == Some(&a.stamp);
        if is_of_this { Ok(&self.entries[a.index()]) } else { Err(BuildError::ForeignTerm) }
    }

    /// The term of an entry.
    fn term(&self, id: NodeId) -> Term {
        Term { id, stamp: self.stamps[id.0] }
    }

    fn node(&self, a: Term) -> Option<&Node> {
        match self.entry(a).ok()? {
            Entry::Node(node) => Some(node),
            Entry::Constant(_) => None,
        }
    }

    fn check(&self, a: Term) -> Result<(), BuildError> {
        self.entry(a).map(|_| ())
    }

    /// Whether a term has a value per row.
    pub(super) fn is_column(&self, a: Term) -> bool {
        self.shapes[a.index()] == Some(Shape::Column)
    }

    fn check_column(&self, a: Term, function: &'static str) -> Result<(), BuildError> {
        self.check(a)?;
        match self.shapes[a.index()] {
            Some(Shape::Column) => Ok(()),
            Some(Shape::Number) => Err(BuildError::NotAColumn { function, found: "a number" }),
            None => Err(BuildError::NotAColumn { function, found: "a constant" }),
        }
    }

    fn intern(&mut self, node: Node) -> Result<Term, BuildError> {
        let shape = node.shape(|id| self.shapes[id.0].unwrap_or(Shape::Number));
        self.intern_entry(Entry::Node(node), Some(shape))
    }

    fn intern_entry(&mut self, entry: Entry, shape: Option<Shape>) -> Result<Term, BuildError> {
        let key = normalised(&entry);
        if let Some(&term) = self.known.get(&key) {
            return Ok(term);
        }
        if self.entries.len() >= MAX_NODES {
            return Err(BuildError::TooManyNodes { limit: MAX_NODES });
        }
        let term = Term { id: NodeId(self.entries.len()), stamp: NEXT_STAMP.fetch_add(1, Ordering::Relaxed) };
        self.partials.push(match &entry {
            Entry::Constant(_) => None,
            Entry::Node(node) if is_partial(node) => Some(node.operation()),
            Entry::Node(node) => node.operands().find_map(|id| self.partials[id.0]),
        });
        self.entries.push(entry);
        self.stamps.push(term.stamp);
        self.origins.push(self.origin.clone());
        self.shapes.push(shape);
        self.known.insert(key, term);
        Ok(term)
    }
}

/// Whether an operation has no value for some numbers.
fn is_partial(node: &Node) -> bool {
    match node {
        Node::Smooth(function, _) => {
            matches!(function, SmoothFunction::Reciprocal | SmoothFunction::Log | SmoothFunction::Sqrt)
        }
        Node::Function(function, operands) if function.is_division() => {
            matches!(operands[1], Operand::Value(_))
        }
        Node::Function(function, _) => matches!(function, Function::Table(_) | Function::Table2(_)),
        _ => false,
    }
}

/// The entry under which equal operations meet: the operands of a commutative one in order. The operation itself keeps
/// them as they were written, so that printing and reading again changes nothing.
fn normalised(entry: &Entry) -> Entry {
    match entry {
        Entry::Node(Node::Add(a, b)) => Entry::Node(Node::Add(*a.min(b), *a.max(b))),
        Entry::Node(Node::Mul(a, b)) => Entry::Node(Node::Mul(*a.min(b), *a.max(b))),
        Entry::Node(Node::Cov(a, b)) => Entry::Node(Node::Cov(*a.min(b), *a.max(b))),
        Entry::Node(Node::Dot(a, b)) => Entry::Node(Node::Dot(*a.min(b), *a.max(b))),
        other => other.clone(),
    }
}

fn bounded(value: BigRational) -> Result<BigRational, BuildError> {
    if number::bits(&value) > MAX_CONSTANT_BITS {
        return Err(BuildError::ConstantTooLarge { limit: MAX_CONSTANT_BITS });
    }
    Ok(value)
}

fn check_column(name: &str) -> Result<(), BuildError> {
    if names::is_column(name) {
        return Ok(());
    }
    Err(BuildError::BadColumn { name: name.chars().take(60).collect(), most: MAX_NAME_LENGTH })
}

fn check_name(name: &str) -> Result<(), BuildError> {
    if !names::is_identifier(name) || name.len() > MAX_NAME_LENGTH {
        return Err(BuildError::BadName { name: name.chars().take(60).collect() });
    }
    match names::is_keyword(name).then_some("a word of Python") {
        Some(what) => Err(BuildError::ReservedName { name: name.to_owned(), what }),
        None => Ok(()),
    }
}
