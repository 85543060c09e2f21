//! Functions of terms, smooth ones and those of whole numbers.

use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::smooth::SmoothFunction;
use super::{BuildError, Entry, Function, Node, NodeId, Operand, ProgramBuilder, Shape, Term, number, shown};

impl ProgramBuilder {
    /// A smooth function, whose argument's range must be inside its domain
    /// ([`Program::ranges`](crate::Program::ranges) tells). The reciprocal of a constant is exact; any other
    /// function's value is the double nearest to it.
    ///
    /// # Errors
    /// [`BuildError::OutsideDomain`] of a constant.
    pub fn smooth(&mut self, function: SmoothFunction, a: Term) -> Result<Term, BuildError> {
        self.check(a)?;
        let Some(constant) = self.fixed_value(a) else { return self.intern(Node::Smooth(function, a.id)) };
        if function == SmoothFunction::Reciprocal && !constant.is_zero() {
            return self.fixed_like(&[a], constant.recip());
        }
        let value = function.value(number::to_f64(&constant));
        let value = BigRational::from_float(value).ok_or_else(|| BuildError::OutsideDomain {
            function: function.name(),
            constant: shown(&constant),
        })?;
        self.fixed_like(&[a], value)
    }

    /// 1 where `a < b`, else 0, where the two differ by no less than a constant gap: nearer ones are refused before they're
    /// encrypted for approximate arithmetic.
    ///
    /// # Errors
    /// [`BuildError::BadGap`].
    pub fn less(&mut self, a: Term, b: Term, gap: Term) -> Result<Term, BuildError> {
        match self.entry(gap)? {
            Entry::Constant(gap) if gap.is_positive() => self.function(Function::Less(gap.clone()), &[a, b]),
            _ => Err(BuildError::BadGap),
        }
    }

    /// The sign of a number, as 0 < x less x < 0; see [`Self::less`] for the gap.
    ///
    /// # Errors
    /// [`BuildError::BadGap`].
    pub fn sign(&mut self, x: Term, gap: Option<Term>) -> Result<Term, BuildError> {
        let zero = self.integer(0)?;
        let mut less = |a, b| match gap {
            Some(gap) => self.less(a, b, gap),
            None => self.function(Function::Binary(BinaryFunction::Less), &[a, b]),
        };
        let (positive, negative) = (less(zero, x)?, less(x, zero)?);
        self.sub(positive, negative)
    }

    /// A function of as many terms as it takes, one to three. Constants among them are whole for divisions and tables.
    ///
    /// # Errors
    /// [`BuildError::ConstantNotWhole`], [`BuildError::DivisionByZero`] by a constant zero, [`BuildError::BadTable`].
    pub fn function(&mut self, function: Function, arguments: &[Term]) -> Result<Term, BuildError> {
        if let (true, &[a, b]) = (function.is_comparison(), arguments) {
            return self.comparison(&function, [a, b]);
        }
        let arguments = &self.with_constants(arguments)?;
        if let (Function::Where, Some(condition)) = (&function, self.fixed_value(arguments[0])) {
            let chosen = arguments[if condition.is_zero() { 2 } else { 1 }];
            if let Some(value) = self.fixed_value(chosen) {
                return self.fixed_like(arguments, value);
            }
            let zeros = self.fixed_like(arguments, BigRational::zero())?;
            return self.add(chosen, zeros);
        }
        if let (Function::Where, &[_, a, b]) = (&function, &arguments[..])
            && let Some(value) = self.fixed_value(a)
            && self.fixed_value(b).as_ref() == Some(&value)
        {
            self.check_total(arguments[0])?;
            return self.fixed_like(arguments, value);
        }
        let constants: Vec<Option<BigRational>> =
            arguments.iter().map(|&term| self.fixed_value(term)).collect();
        let constants: Option<Vec<BigRational>> = constants.into_iter().collect();
        if constants.is_none()
            && function.takes_fractions()
            && let Some(moved) = self.without_fractions(&function, arguments)?
        {
            return Ok(moved);
        }
        let operands = match &constants {
            Some(_) if function.takes_fractions() => Vec::new(),
            Some(constants) => {
                constants.iter().map(|value| whole(&function, value)).collect::<Result<_, _>>()?
            }
            None => arguments.iter().map(|&term| self.operand(&function, term)).collect::<Result<_, _>>()?,
        };
        if function.is_division() && operands[1] == Operand::Constant(0) {
            return Err(BuildError::DivisionByZero);
        }
        if let Function::Table2(rows) = &function
            && rows.iter().any(|row| row.len() != rows[0].len() || row.is_empty())
        {
            return Err(BuildError::BadTable { function: "table2", wanted: "rows of one length" });
        }
        if matches!(&function, Function::Table(entries) if entries.is_empty())
            || matches!(&function, Function::Table2(rows) if rows.is_empty())
        {
            return Err(BuildError::BadTable { function: function.name(), wanted: "entries" });
        }
        if let Some(constants) = constants {
            return self.fixed_like(arguments, function.value(&constants));
        }
        self.intern(Node::Function(function, operands))
    }

    /// The same extreme or choice with constants that aren't whole, or have more than 63 bits, out of its arguments: what is
    /// chosen is shifted. `None` where all constants are as they should be.
    fn without_fractions(
        &mut self,
        function: &Function,
        arguments: &[Term],
    ) -> Result<Option<Term>, BuildError> {
        let mut constants = Vec::with_capacity(arguments.len());
        for &term in arguments {
            let constant = match self.entry(term)? {
                Entry::Constant(value) => Some(value.clone()),
                Entry::Node(_) => None,
            };
            constants.push(constant);
        }
        let is_whole = |value: &BigRational| value.is_integer() && value.numer().to_i64().is_some();
        if constants.iter().flatten().all(is_whole) {
            return Ok(None);
        }
        let zero = self.integer(0)?;
        let function = function.clone();
        let moved = match (arguments, &constants[..]) {
            (&[condition, a, b], [None, Some(_), Some(_)]) => {
                let one = self.integer(1)?;
                let chosen = self.function(function, &[condition, one, zero])?;
                let difference = self.sub(a, b)?;
                let scaled = self.mul(chosen, difference)?;
                self.add(scaled, b)?
            }
            (&[condition, a, b], [_, Some(_), _]) => {
                let difference = self.sub(b, a)?;
                let chosen = self.function(function, &[condition, zero, difference])?;
                self.add(chosen, a)?
            }
            (&[condition, a, b], _) => {
                let difference = self.sub(a, b)?;
                let chosen = self.function(function, &[condition, difference, zero])?;
                self.add(chosen, b)?
            }
            (&[a, b], [constant, _]) => {
                let (shift, operands) = match constant {
                    Some(_) => (a, [zero, self.sub(b, a)?]),
                    None => (b, [self.sub(a, b)?, zero]),
                };
                let value = self.function(function, &operands)?;
                self.add(value, shift)?
            }
            _ => unreachable!("the only argument of a function isn't constant here"),
        };
        Ok(Some(moved))
    }

    /// The arguments of a function, with columns that are the same number for all data as constants, unless there's no other
    /// column among them.
    fn with_constants(&mut self, arguments: &[Term]) -> Result<Vec<Term>, BuildError> {
        arguments.iter().try_for_each(|&term| self.check(term))?;
        let depends = |term: &&Term| self.fixed_value(**term).is_none();
        let shape_of = |term: &Term| self.shapes[term.index()];
        let joined = arguments.iter().filter_map(shape_of).reduce(Shape::join);
        if arguments.iter().filter(depends).filter_map(shape_of).reduce(Shape::join) != joined {
            return Ok(arguments.to_vec());
        }
        let mut terms = Vec::with_capacity(arguments.len());
        for &term in arguments {
            terms.push(match self.fixed_value(term) {
                Some(value) => self.constant(value)?,
                None => term,
            });
        }
        Ok(terms)
    }

    /// What a function is of: constants are whole and of at most 63 bits.
    pub(super) fn operand(&self, function: &Function, term: Term) -> Result<Operand, BuildError> {
        match self.entry(term)? {
            Entry::Constant(value) => whole(function, value),
            Entry::Node(_) => Ok(Operand::Value(term.id)),
        }
    }

    /// A function of a term and a whole constant.
    pub fn with_constant(
        &mut self,
        function: BinaryFunction,
        a: Term,
        constant: i64,
    ) -> Result<Term, BuildError> {
        let constant = self.integer(constant)?;
        self.function(Function::Binary(function), &[a, constant])
    }

    /// An operation of a program on terms in place of its operands.
    pub(crate) fn node_of(
        &mut self,
        node: &Node,
        term: impl Fn(NodeId) -> Term,
    ) -> Result<Term, BuildError> {
        self.intern(node.with_operands(|id| term(id).id))
    }

    /// An operation of another program again, of terms in its operands' places.
    pub(crate) fn same(
        &mut self,
        node: &Node,
        of: impl Fn(NodeId) -> Term,
    ) -> Result<Term, BuildError> {
        match node {
            Node::Input(name) => self.input(name),
            Node::Add(a, b) => self.add(of(*a), of(*b)),
            Node::Sub(a, b) => self.sub(of(*a), of(*b)),
            Node::Neg(a) => self.neg(of(*a)),
            Node::Mul(a, b) => self.mul(of(*a), of(*b)),
            Node::Scale(a, k) => self.constant(k.clone()).and_then(|k| self.mul(of(*a), k)),
            Node::Offset(a, c) => self.constant(c.clone()).and_then(|c| self.add(of(*a), c)),
            Node::Power(a, exponent) => self.power_whole(of(*a), *exponent),
            Node::Sum(a) => self.sum(of(*a)),
            Node::Mean(a) => self.mean(of(*a)),
            Node::Var(a) => self.var(of(*a)),
            Node::Cov(a, b) => self.cov(of(*a), of(*b)),
            Node::Dot(a, b) => self.dot(of(*a), of(*b)),
            Node::Smooth(function, a) => self.smooth(*function, of(*a)),
            Node::Assume(a, lo, hi) => {
                let (lo, hi) = (self.constant(lo.clone())?, self.constant(hi.clone())?);
                self.assume(of(*a), lo, hi)
            }
            Node::Quantile(a, q) => self.quantile(of(*a), q),
            Node::Function(function, operands) => {
                let arguments = self.arguments(operands, of)?;
                self.function(function.clone(), &arguments)
            }
        }
    }

    /// The terms of a function's operands.
    pub(crate) fn arguments(
        &mut self,
        operands: &[Operand],
        of: impl Fn(NodeId) -> Term,
    ) -> Result<Vec<Term>, BuildError> {
        let term = |operand: &Operand| match operand {
            Operand::Value(id) => Ok(of(*id)),
            Operand::Constant(constant) => self.integer(*constant),
        };
        operands.iter().map(term).collect()
    }

    /// The number that a term is, if it's a constant.
    pub(crate) fn constant_value(&self, term: Term) -> Result<Option<BigRational>, BuildError> {
        self.check(term)?;
        Ok(self.fixed_value(term))
    }

    /// The whole number that a term is, if it's a constant.
    pub(crate) fn whole_constant(&self, term: Term) -> Option<i64> {
        match self.entry(term).ok()? {
            Entry::Constant(value) if value.is_integer() => value.to_integer().to_i64(),
            _ => None,
        }
    }
}

/// A constant as an operand.
fn whole(function: &Function, value: &BigRational) -> Result<Operand, BuildError> {
    let word = value.is_integer().then(|| value.to_integer().to_i64()).flatten();
    word.map(Operand::Constant)
        .ok_or_else(|| BuildError::ConstantNotWhole { function: function.name(), constant: shown(value) })
}
