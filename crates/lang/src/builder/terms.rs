//! The values of a program that is being built: constants are folded and equal operations merged on the way.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use asanoha_numeric::number::{self, MAX_CONSTANT_BITS};
use num_rational::BigRational;
use num_traits::{One, Pow, ToPrimitive, Zero};

use crate::{
    error::BuildError,
    ids::{NodeId, Term},
    limits::{MAX_EXPONENT, MAX_NAME_LENGTH, MAX_NODES},
    names,
    node::{Node, quantile_name},
    origin::Origin,
    rounded::RoundedConstants,
    shape::Shape,
};

/// The stamp of the next term of any builder.
static NEXT_STAMP: AtomicU64 = AtomicU64::new(0);

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    Constant(BigRational),
    /// Its operands are indices of entries. Inside the builder `Scale` by zero may occur: a column of zeros.
    Node(Node),
}

/// A column whose rows are counted where no condition is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Counted {
    Numbers(String),
    /// A column of text, and a text that it's compared with.
    Text(String, String),
}

/// The values of a program that is being built, and its arithmetic. Functions are in [`ops`](crate::ops).
#[derive(Debug, Clone, Default)]
pub struct Terms {
    pub(crate) entries: Vec<Entry>,
    stamps: Vec<u64>,
    /// Where each was made.
    pub(crate) origins: Vec<Option<Origin>>,
    /// Where what is made now stands.
    origin: Option<Origin>,
    pub(crate) shapes: Vec<Option<Shape>>,
    /// What isn't defined for all data in each.
    partials: Vec<Option<&'static str>>,
    known: HashMap<Entry, Term>,
    pub(crate) rounded: RoundedConstants,
    /// A column of the program, whose rows are counted where no condition is given.
    counted: Option<Counted>,
}

impl Terms {
    /// Where the operations that are made from now on stand in a text. What is there already keeps its place.
    pub(crate) fn set_origin(&mut self, origin: Option<Origin>) {
        self.origin = origin;
    }

    /// Names a column, whose rows are counted where no condition is given.
    pub(crate) fn set_counted(&mut self, column: Option<Counted>) {
        self.counted = column;
    }

    /// The column whose rows are counted where no condition is given.
    pub(crate) fn counted(&self) -> Option<&Counted> {
        self.counted.as_ref()
    }

    /// A column of the data.
    ///
    /// # Errors
    /// [`BuildError::BadColumn`].
    pub fn input(&mut self, name: &str) -> Result<Term, BuildError> {
        check_column(name)?;
        self.intern(Node::Input(name.to_owned()))
    }

    /// An exact constant of at most [`MAX_CONSTANT_BITS`].
    ///
    /// # Errors
    /// [`BuildError::ConstantTooLarge`].
    pub fn constant(&mut self, value: BigRational) -> Result<Term, BuildError> {
        let value = bounded(value)?;
        self.intern_entry(Entry::Constant(value), None)
    }

    /// A whole constant.
    ///
    /// # Errors
    /// [`BuildError::TooManyNodes`].
    pub fn integer(&mut self, value: i64) -> Result<Term, BuildError> {
        self.constant(BigRational::from_integer(value.into()))
    }

    /// `a + b`.
    ///
    /// # Errors
    /// [`BuildError::ForeignTerm`], and constants that become too large.
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
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn sub(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        let joined = self.joined_shape(a, b)?;
        if let Some(c) = self.absorbed(a, b, joined) {
            let negated = self.neg(b)?;
            return self.offset(negated, &c);
        }
        if let Some(c) = self.absorbed(b, a, joined) {
            let negated = self.rounded.negated(&c);
            return self.offset(a, &negated);
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
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn neg(&mut self, a: Term) -> Result<Term, BuildError> {
        self.scale(a, &-BigRational::one())
    }

    /// `a · b`.
    ///
    /// # Errors
    /// As for [`Self::add`].
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

    /// `a ** exponent` for a whole exponent.
    ///
    /// # Errors
    /// [`BuildError::ExponentTooLarge`] on data, [`BuildError::ConstantTooLarge`] of a constant.
    pub fn power_whole(&mut self, a: Term, exponent: u32) -> Result<Term, BuildError> {
        if let Entry::Constant(base) = self.entry(a)?.clone() {
            let trivial = base.is_zero() || (base.is_integer() && base.numer().magnitude().is_one());
            // A number of b bits is at least 2^(b − 1).
            let least_bits = (number::bits(&base) - u64::from(!trivial)).saturating_mul(exponent.into());
            if !trivial && least_bits > MAX_CONSTANT_BITS {
                return Err(BuildError::ConstantTooLarge { limit: MAX_CONSTANT_BITS });
            }
            let exponent = if trivial && exponent > 0 { 2 - exponent % 2 } else { exponent };
            let value = Pow::pow(&base, exponent);
            self.rounded.note_power(&value, &base, exponent);
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
    ///
    /// # Errors
    /// [`BuildError::NotAColumn`].
    pub fn sum(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "sum")?;
        self.intern(Node::Sum(a.id))
    }

    /// The mean over the rows of a column.
    ///
    /// # Errors
    /// [`BuildError::NotAColumn`].
    pub fn mean(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "mean")?;
        if let Some(value) = self.fixed_value(a) {
            return self.constant(value);
        }
        self.intern(Node::Mean(a.id))
    }

    /// The population variance over the rows of a column.
    ///
    /// # Errors
    /// [`BuildError::NotAColumn`].
    pub fn var(&mut self, a: Term) -> Result<Term, BuildError> {
        self.check_column(a, "var")?;
        if self.fixed_value(a).is_some() {
            return self.integer(0);
        }
        let a = self.without_offset(a);
        self.intern(Node::Var(a.id))
    }

    /// `cov(a, b)`: the population covariance, the mean of (a − mean(a))·(b − mean(b)).
    ///
    /// # Errors
    /// [`BuildError::NotAColumn`].
    pub fn cov(&mut self, a: Term, b: Term) -> Result<Term, BuildError> {
        self.check_column(a, "cov")?;
        self.check_column(b, "cov")?;
        let [a, b] = [a, b].map(|column| self.without_offset(column));
        if a == b {
            return self.var(a);
        }
        if self.fixed_value(a).or_else(|| self.fixed_value(b)).is_some() {
            return self.integer(0);
        }
        self.intern(Node::Cov(a.id, b.id))
    }

    /// The sum over the rows of the product of two columns.
    ///
    /// # Errors
    /// [`BuildError::NotAColumn`].
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

    /// `assume(a, lo, hi)`: a, which lies between two constants by the author's word.
    ///
    /// # Errors
    /// [`BuildError::BadConstants`].
    pub fn assume(&mut self, a: Term, lo: Term, hi: Term) -> Result<Term, BuildError> {
        let bad =
            BuildError::BadConstants { function: "assume", wanted: "two constants, the lower one first" };
        let (Entry::Constant(lo), Entry::Constant(hi)) = (self.entry(lo)?, self.entry(hi)?) else {
            return Err(bad);
        };
        if lo > hi {
            return Err(bad);
        }
        let (lo, hi) = (lo.clone(), hi.clone());
        match self.fixed_value(a) {
            Some(value) if value < lo || value > hi => Err(bad),
            Some(_) => Ok(a),
            None => {
                self.check(a)?;
                self.intern(Node::Assume(a.id, lo, hi))
            }
        }
    }

    /// `quantile(a, q)`: the least value of a column that as large a part of the rows as q, a constant from 0 to 1, isn't above;
    /// the minimum for 0, the maximum for 1.
    ///
    /// # Errors
    /// [`BuildError::BadConstants`].
    pub fn quantile(&mut self, a: Term, q: &BigRational) -> Result<Term, BuildError> {
        self.check_column(a, quantile_name(q))?;
        if *q < BigRational::zero() || *q > BigRational::one() {
            return Err(BuildError::BadConstants { function: "quantile", wanted: "a constant from 0 to 1" });
        }
        match self.fixed_value(a) {
            Some(value) => self.constant(value),
            None => self.intern(Node::Quantile(a.id, q.clone())),
        }
    }

    /// The number that a term is, if it's a constant.
    pub(crate) fn constant_value(&self, term: Term) -> Result<Option<BigRational>, BuildError> {
        self.check(term)?;
        Ok(self.fixed_value(term))
    }

    /// The whole number that a term is, if it's a constant.
    pub(crate) fn whole_constant(&self, term: Term) -> Result<Option<i64>, BuildError> {
        Ok(match self.entry(term)? {
            Entry::Constant(value) if value.is_integer() => value.to_integer().to_i64(),
            _ => None,
        })
    }

    /// Whether a term has a value per row.
    pub(crate) fn is_column(&self, a: Term) -> bool {
        self.shapes[a.index()] == Some(Shape::Column)
    }

    /// An operation of a program on terms in place of its operands.
    pub(crate) fn node_of(&mut self, node: &Node, term: impl Fn(NodeId) -> Term) -> Result<Term, BuildError> {
        self.intern(node.with_operands(|id| term(id).id))
    }

    /// The number of terms made so far.
    pub(crate) fn term_count(&self) -> usize {
        self.entries.len()
    }

    /// `k · a`, with the chain of scalings and offsets under `a` kept in the form `offset(scale(x))`.
    pub(crate) fn scale(&mut self, a: Term, factor: &BigRational) -> Result<Term, BuildError> {
        if factor.is_one() {
            return Ok(a);
        }
        match self.entry(a)?.clone() {
            Entry::Constant(value) => {
                let product = self.rounded.times(&value, factor);
                self.constant(product)
            }
            Entry::Node(Node::Scale(_, inner)) if inner.is_zero() => Ok(a),
            Entry::Node(Node::Scale(x, inner)) => {
                let product = bounded(self.rounded.times(&inner, factor))?;
                self.scale(self.term(x), &product)
            }
            Entry::Node(Node::Neg(x)) => {
                let negated = self.rounded.negated(factor);
                self.scale(self.term(x), &negated)
            }
            Entry::Node(Node::Offset(x, constant)) => {
                let scaled = self.scale(self.term(x), factor)?;
                let product = self.rounded.times(&constant, factor);
                self.offset(scaled, &product)
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
    pub(crate) fn offset(&mut self, a: Term, constant: &BigRational) -> Result<Term, BuildError> {
        if constant.is_zero() {
            return Ok(a);
        }
        match self.entry(a)?.clone() {
            Entry::Constant(value) => {
                let sum = self.rounded.plus(&value, constant);
                self.constant(sum)
            }
            Entry::Node(Node::Offset(x, inner)) => {
                let sum = bounded(self.rounded.plus(&inner, constant))?;
                self.offset(self.term(x), &sum)
            }
            Entry::Node(_) => self.intern(Node::Offset(a.id, bounded(constant.clone())?)),
        }
    }

    /// The constant that `a` is, when `b` already has the shape of the two together.
    fn absorbed(&self, a: Term, b: Term, joined: Option<Shape>) -> Option<BigRational> {
        self.fixed_value(a).filter(|_| self.shapes[b.index()] == joined)
    }

    /// The constant that a term is for all data, as far as folding knows.
    pub(crate) fn fixed_value(&self, a: Term) -> Option<BigRational> {
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
    pub(crate) fn fixed_like(&mut self, terms: &[Term], value: BigRational) -> Result<Term, BuildError> {
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

    /// A column less what is added to all its rows, which has the same moments about its mean; but one of constants.
    pub(crate) fn without_offset(&self, a: Term) -> Term {
        match self.node(a) {
            Some(&Node::Offset(x, _)) if self.fixed_value(a).is_none() => self.term(x),
            _ => a,
        }
    }

    /// The columns whose covariance is `a − b`, written as mean(x·y) − mean(x)·mean(y).
    pub(crate) fn covaried(&self, a: Term, b: Term) -> Option<[Term; 2]> {
        let mean_of = |term: NodeId| match self.node(self.term(term)) {
            Some(&Node::Mean(of)) => Some(of),
            _ => None,
        };
        let factors = |term: Term| match self.node(term) {
            Some(&Node::Mul(x, y)) => Some([x, y]),
            Some(&Node::Power(x, 2)) => Some([x, x]),
            _ => None,
        };
        let [x, y] = factors(self.term(mean_of(a.id)?))?;
        let [of_x, of_y] = factors(b)?;
        let [of_x, of_y] = [mean_of(of_x)?, mean_of(of_y)?];
        ([x, y] == [of_x, of_y] || [y, x] == [of_x, of_y]).then_some([self.term(x), self.term(y)])
    }

    /// A column of the data that a column is made of.
    pub(crate) fn column_under(&self, a: Term) -> Option<String> {
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

    /// Refuses what isn't defined for all data: its zeros would be told where there's no answer.
    pub(crate) fn check_total(&self, a: Term) -> Result<(), BuildError> {
        match self.partial(a) {
            Some(function) => Err(BuildError::Undefined { function }),
            None => Ok(()),
        }
    }

    /// A function in a term that has no value for some data, if there's one.
    pub(crate) fn partial(&self, a: Term) -> Option<&'static str> {
        self.partials[a.index()]
    }

    /// The shape of an operation on two terms; `None` is the shape of constants.
    pub(crate) fn joined_shape(&self, a: Term, b: Term) -> Result<Option<Shape>, BuildError> {
        self.check(a)?;
        self.check(b)?;
        Ok(match (self.shapes[a.index()], self.shapes[b.index()]) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        })
    }

    pub(crate) fn entry(&self, a: Term) -> Result<&Entry, BuildError> {
        let is_of_this = self.stamps.get(a.index()) == Some(&a.stamp);
        if is_of_this { Ok(&self.entries[a.index()]) } else { Err(BuildError::ForeignTerm) }
    }

    /// The term of an entry.
    pub(crate) fn term(&self, id: NodeId) -> Term {
        Term { id, stamp: self.stamps[id.0] }
    }

    pub(crate) fn node(&self, a: Term) -> Option<&Node> {
        match self.entry(a).ok()? {
            Entry::Node(node) => Some(node),
            Entry::Constant(_) => None,
        }
    }

    pub(crate) fn check(&self, a: Term) -> Result<(), BuildError> {
        self.entry(a).map(|_| ())
    }

    pub(crate) fn check_column(&self, a: Term, function: &'static str) -> Result<(), BuildError> {
        self.check(a)?;
        match self.shapes[a.index()] {
            Some(Shape::Column) => Ok(()),
            Some(Shape::Number) => Err(BuildError::NotAColumn { function, found: "a number" }),
            None => Err(BuildError::NotAColumn { function, found: "a constant" }),
        }
    }

    pub(crate) fn intern(&mut self, node: Node) -> Result<Term, BuildError> {
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
            Entry::Node(node) if node.function().is_some_and(|(f, of)| f.is_partial(of)) => {
                Some(node.operation())
            }
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

/// A constant that isn't too long.
pub(crate) fn bounded(value: BigRational) -> Result<BigRational, BuildError> {
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
