//! From a program to an arithmetic graph: powers, means, variances, dot products and functions become sums and
//! products.

use std::collections::HashMap;

use asanoha_circuits::polynomial::{self, ApproximationError, Chebyshev};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::{
    CircuitInput, SmallFunctionError,
    arithmetic::{Arithmetic, ArithmeticOutput, Operation},
};
use crate::{
    data::Schema,
    program::{Node, NodeId, Operand, Program, Range, RangeError, Shape, Support, number},
};

/// Why a program has no arithmetic graph.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExpandError {
    /// Its ranges can't be found.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A function can't be approximated.
    #[error(transparent)]
    Approximation(#[from] ApproximationError),
    /// Exact arithmetic has no such function.
    #[error("`{0}` is approximated, which exact arithmetic on whole numbers can't do")]
    NotExact(&'static str),
    /// A function without an error for its polynomial.
    #[error("there's no error given for the polynomial of `{0}`")]
    MissingFit(&'static str),
    /// Approximate arithmetic has no such function.
    #[error("`{0}` is computed exactly, on whole numbers: take --scheme bgv or bfv")]
    NotApproximate(&'static str),
    /// A function of whole numbers of something else.
    #[error(
        "`{0}` takes whole numbers, and an operand may be a fraction: multiply both sides by its denominator"
    )]
    Fraction(&'static str),
    /// Ranges of too many values for a table.
    #[error(
        "`{function}` of {} values is too wide: a table of {} entries; one variable has at most {one} values, and each of two at most {two}; narrow the ranges with --range",
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" times "),
        values.iter().product::<BigInt>(),
        one = (1 << 16) + 1,
        two = asanoha_circuits::MAX_TABLE_SIDE
    )]
    TooWide {
        /// The function.
        function: &'static str,
        /// How many values each variable has.
        values: Vec<BigInt>,
    },
    /// A table can't be had.
    #[error(transparent)]
    Function(#[from] SmallFunctionError),
    /// A column that exact arithmetic can't take.
    #[error("column `{0}` has values that aren't whole numbers")]
    NotWhole(String),
}

/// What arithmetic the graph is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expansion<'a> {
    /// Whole numbers: fractions are carried as whole numbers over a common denominator, which the decrypting side
    /// divides by.
    Exact {
        /// The plaintext modulus of functions.
        modulus: u64,
    },
    /// Real numbers; functions are approximated.
    Real {
        /// log2 of the largest error of every approximated function's polynomial, in the program's order.
        fit_bits: &'a [i32],
    },
}

/// A product of values that wait for a factor may take so many bits above the point; beyond, the factor is
/// multiplied in first, at the cost of a level.
const LARGEST_UNSCALED_BITS: f64 = 20.0;
/// And the factor may magnify the noise by so many bits.
const LARGEST_FACTOR_BITS: f64 = 4.0;

/// A value: a node's value times a public factor (1/denominator in exact arithmetic).
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) node: usize,
    pub(super) factor: BigRational,
}

/// What operations of a program became.
pub(super) type Values = HashMap<NodeId, Value>;

/// Expands a program on data of a schema.
pub fn expand(program: &Program, schema: &Schema, expansion: Expansion) -> Result<Arithmetic, ExpandError> {
    let ranges = program.ranges(schema)?;
    let inputs = program.input_names().iter().map(CircuitInput::column).collect();
    let graph = Arithmetic { inputs, rows: schema.rows, ..Arithmetic::default() };
    let mut expander = Expander {
        program,
        graph,
        schema,
        expansion,
        ranges: &ranges,
        whole: program.whole_nodes(|name| schema.column(name).is_some_and(|column| column.whole)),
        supports: program.supports(),
        uses: program.use_counts(),
        differences: HashMap::new(),
        quotients: HashMap::new(),
        compared: HashMap::new(),
    };
    let needed = expander.needed();
    let mut values = Values::new();
    for (id, node) in program.iter().filter(|(id, _)| needed[id.0]) {
        let value = expander.node(id, node, &values)?;
        // What the program's ranges say of the value holds for the node, too.
        let bound = ranges[id.0].max_abs() / value.factor.abs();
        expander.graph.tighten(value.node, number::to_f64(&bound));
        values.insert(id, value);
    }
    expander.graph.outputs = program
        .outputs()
        .iter()
        .map(|(name, id)| {
            let Value { node, factor } = values[id].clone();
            ArithmeticOutput { name: name.clone(), node, factor }
        })
        .collect();
    Ok(if expander.exact() { expander.graph.pruned() } else { expander.graph })
}

pub(super) struct Expander<'a> {
    pub(super) program: &'a Program,
    pub(super) graph: Arithmetic,
    pub(super) schema: &'a Schema,
    expansion: Expansion<'a>,
    pub(super) ranges: &'a [Range],
    /// Which operations give whole numbers.
    pub(super) whole: Vec<bool>,
    pub(super) supports: Vec<Support>,
    uses: Vec<usize>,
    /// The differences that comparisons have taken.
    pub(super) differences: HashMap<(Operand, Operand), Value>,
    /// The quotients by long division.
    pub(super) quotients: HashMap<(NodeId, NodeId), Value>,
    /// The comparisons by digits.
    pub(super) compared: HashMap<(Operand, Operand), usize>,
}

impl Expander<'_> {
    pub(super) fn exact(&self) -> bool {
        matches!(self.expansion, Expansion::Exact { .. })
    }

    /// The plaintext modulus of functions.
    pub(super) fn modulus(&self) -> u64 {
        match self.expansion {
            Expansion::Exact { modulus } => modulus,
            Expansion::Real { .. } => unreachable!("real expansions refuse functions of whole numbers"),
        }
    }

    pub(super) fn push(&mut self, operation: Operation, factor: BigRational) -> Value {
        Value { node: self.graph.push(operation), factor }
    }

    fn node(&mut self, id: NodeId, node: &Node, values: &Values) -> Result<Value, ExpandError> {
        let of = |id: &NodeId| values[id].clone();
        Ok(match node {
            Node::Input(name) => self.input(name, &self.ranges[id.0].clone())?,
            Node::Add(a, b) => self.sum_of_two(&of(a), &of(b), Operation::Add),
            Node::Sub(a, b) => self.sum_of_two(&of(a), &of(b), Operation::Sub),
            Node::Neg(a) => Value { factor: -of(a).factor, ..of(a) },
            Node::Mul(a, b) => self.mul(&of(a), &of(b)),
            Node::Scale(a, k) => self.scale(&of(a), k, self.uses[a.0] == 1),
            Node::Offset(a, c) => self.offset(&of(a), c),
            Node::Power(a, exponent) => self.power(&of(a), *exponent, &mut HashMap::new()),
            Node::Sum(a) => self.sum(&of(a)),
            Node::Mean(a) => self.mean(&of(a)),
            Node::Var(a) => self.variance(&of(a), &self.ranges[a.0].clone()),
            Node::Dot(a, b) => {
                let product = self.mul(&of(a), &of(b));
                self.sum(&product)
            }
            Node::Sigmoid(a) => self.function(id, "sigmoid", |x| 1.0 / (1.0 + (-x).exp()), &of(a), *a)?,
            Node::Exp(a) => self.function(id, "exp", f64::exp, &of(a), *a)?,
            Node::Function(function, operands) => self.whole_function(id, function, operands, values)?,
        })
    }

    fn input(&mut self, name: &str, range: &Range) -> Result<Value, ExpandError> {
        let whole = self.schema.column(name).is_some_and(|column| column.whole);
        if self.exact() && !whole {
            return Err(ExpandError::NotWhole(name.to_owned()));
        }
        let index = self.graph.inputs.iter().position(|input| input.view.is_none() && input.column == name);
        let index = index.expect("inputs are listed");
        let value = self.push(Operation::Input(index), BigRational::one());
        self.graph.tighten(value.node, range.max_abs_f64());
        Ok(value)
    }

    /// k·a. In real arithmetic a constant that isn't whole costs a level, so it's kept as a factor where it can be,
    /// and moved into the operand of a product that has a level to spare.
    pub(super) fn scale(&mut self, a: &Value, k: &BigRational, only_use: bool) -> Value {
        let is_last = a.node + 1 == self.graph.nodes.len();
        if let Operation::Mul(x, y) = self.graph.nodes[a.node].operation
            && !self.exact()
            && only_use
            && is_last
            && self.graph.nodes[x].depth != self.graph.nodes[y].depth
        {
            self.graph.nodes.pop();
            let (shallow, deep) =
                if self.graph.nodes[x].depth < self.graph.nodes[y].depth { (x, y) } else { (y, x) };
            let scaled = self.graph.push(Operation::MulConstant(shallow, k * &a.factor));
            return self.push(Operation::Mul(scaled, deep), BigRational::one());
        }
        Value { node: a.node, factor: &a.factor * k }
    }

    /// The value with factor 1 (or, in exact arithmetic, one over a whole number).
    pub(super) fn with_factor(&mut self, a: &Value, factor: &BigRational) -> usize {
        let k = &a.factor / factor;
        if k.is_one() { a.node } else { self.graph.push(Operation::MulConstant(a.node, k)) }
    }

    /// A factor that both values can be brought to: the same in real arithmetic; in exact arithmetic one that makes
    /// both constants whole.
    fn common_factor(&self, a: &BigRational, b: &BigRational) -> BigRational {
        if a == b {
            a.clone()
        } else if self.exact() {
            // gcd(p/q, r/s) = gcd(p, r)/lcm(q, s).
            BigRational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
        } else if a == &-b {
            b.clone()
        } else {
            BigRational::one()
        }
    }

    pub(super) fn sum_of_two(&mut self, a: &Value, b: &Value, make: fn(usize, usize) -> Operation) -> Value {
        let factor = self.common_factor(&a.factor, &b.factor);
        // A factor of opposite sign turns the sum around.
        let add = matches!(make(0, 0), Operation::Add(..));
        let opposite = a.factor == -&b.factor && !self.exact();
        let (a_node, b_node) = if opposite {
            (a.node, b.node)
        } else {
            (self.with_factor(a, &factor), self.with_factor(b, &factor))
        };
        match (opposite, add) {
            (false, _) => self.push(make(a_node, b_node), factor),
            // −f·a + f·b = f·(b − a); −f·a − f·b = −f·(a + b).
            (true, true) => self.push(Operation::Sub(b_node, a_node), b.factor.clone()),
            (true, false) => self.push(Operation::Add(a_node, b_node), a.factor.clone()),
        }
    }

    pub(super) fn mul(&mut self, a: &Value, b: &Value) -> Value {
        let factor = &a.factor * &b.factor;
        let (x, y) = (&self.graph.nodes[a.node], &self.graph.nodes[b.node]);
        if self.exact() || factor.is_integer() && factor.abs().is_one() {
            return self.push(Operation::Mul(a.node, b.node), factor);
        }
        if x.depth != y.depth {
            // The shallower operand takes the factor at no cost.
            let (shallow, deep) = if x.depth < y.depth { (a.node, b.node) } else { (b.node, a.node) };
            let scaled = self.graph.push(Operation::MulConstant(shallow, factor));
            return self.push(Operation::Mul(scaled, deep), BigRational::one());
        }
        let size = (x.bound() * y.bound()).log2();
        if size <= LARGEST_UNSCALED_BITS && number::to_f64(&factor.abs()).log2() <= LARGEST_FACTOR_BITS {
            return self.push(Operation::Mul(a.node, b.node), factor);
        }
        let one = BigRational::one();
        let (x, y) = (self.with_factor(a, &one), self.with_factor(b, &one));
        self.push(Operation::Mul(x, y), one)
    }

    pub(super) fn offset(&mut self, a: &Value, c: &BigRational) -> Value {
        if self.exact() {
            let factor = self.common_factor(&a.factor, c);
            let node = self.with_factor(a, &factor);
            return self.push(Operation::AddConstant(node, c / &factor), factor);
        }
        // f·a + c = f·(a + c/f), unless c/f dwarfs a.
        let inside = c / &a.factor;
        if number::to_f64(&inside.abs()) <= 1024.0 * self.graph.nodes[a.node].bound().max(1.0) {
            return self.push(Operation::AddConstant(a.node, inside), a.factor.clone());
        }
        let node = self.with_factor(a, &BigRational::one());
        self.push(Operation::AddConstant(node, c.clone()), BigRational::one())
    }

    /// a^e with the least depth: a^e = a^⌈e/2⌉·a^⌊e/2⌋.
    fn power(&mut self, a: &Value, exponent: u32, known: &mut HashMap<u32, Value>) -> Value {
        if exponent == 1 {
            return a.clone();
        }
        if let Some(value) = known.get(&exponent) {
            return value.clone();
        }
        // The largest power of two below first: its depth is the same, and a constant finds room beside the rest.
        let high = if exponent.is_power_of_two() { exponent / 2 } else { 1 << exponent.ilog2() };
        let first = self.power(a, high, known);
        let second = self.power(a, exponent - high, known);
        let product = self.mul(&first, &second);
        known.insert(exponent, product.clone());
        product
    }

    /// Zeros in the slots without rows.
    fn padded(&mut self, a: &Value) -> Value {
        let node = &self.graph.nodes[a.node];
        if node.is_padded() || node.shape == Shape::Number {
            return a.clone();
        }
        self.push(Operation::MaskRows(a.node), a.factor.clone())
    }

    fn sum(&mut self, a: &Value) -> Value {
        // Σ (x ± n) = Σ x ± rows·n for a number n: no mask is needed.
        let (x, y, make): (_, _, fn(usize, usize) -> Operation) = match self.graph.nodes[a.node].operation {
            Operation::Add(x, y) => (x, y, Operation::Add),
            Operation::Sub(x, y) => (x, y, Operation::Sub),
            _ => (a.node, a.node, Operation::Add),
        };
        let shape = |node: usize| self.graph.nodes[node].shape;
        if shape(x) != shape(y) {
            let rows = BigRational::from_integer(BigInt::from(self.graph.rows));
            let mut total = |node: usize| match self.graph.nodes[node].shape {
                Shape::Number => self.graph.push(Operation::MulConstant(node, rows.clone())),
                Shape::Column => {
                    let padded = self.padded(&Value { node, factor: BigRational::one() });
                    self.graph.push(Operation::Sum(padded.node))
                }
            };
            let (x, y) = (total(x), total(y));
            return self.push(make(x, y), a.factor.clone());
        }
        let padded = self.padded(a);
        self.push(Operation::Sum(padded.node), padded.factor)
    }

    fn mean(&mut self, a: &Value) -> Value {
        let sum = self.sum(a);
        let rows = BigInt::from(self.graph.rows);
        Value { factor: sum.factor / rows, ..sum }
    }

    /// mean((a − c)²) − mean(a − c)² for any c; the middle of the range keeps the numbers small.
    fn variance(&mut self, a: &Value, range: &Range) -> Value {
        let middle = if self.exact() {
            BigRational::zero()
        } else {
            (range.lo() + range.hi()) / BigRational::from_integer(2.into())
        };
        let centred = if middle.is_zero() { a.clone() } else { self.offset(a, &-middle) };
        let centred = self.padded(&centred);
        let square = self.mul(&centred, &centred);
        let (mean_square, mean) = (self.mean(&square), self.mean(&centred));
        let square_mean = self.mul(&mean, &mean);
        self.sum_of_two(&mean_square, &square_mean, Operation::Sub)
    }

    fn function(
        &mut self,
        id: NodeId,
        name: &'static str,
        f: impl Fn(f64) -> f64,
        a: &Value,
        operand: NodeId,
    ) -> Result<Value, ExpandError> {
        let Expansion::Real { fit_bits } = self.expansion else {
            return Err(ExpandError::NotExact(name));
        };
        let before = self.program.nodes()[..id.0].iter().filter(|node| node.is_approximate()).count();
        let bits = fit_bits.get(before).ok_or(ExpandError::MissingFit(name))?;
        let error = f64::from(*bits).exp2();
        // Outside of the interval a series grows without bound: no slot may hold anything else.
        let a = &self.padded(a);
        let series = Chebyshev::fit(name, f, self.ranges[operand.0].to_f64(), error)?;
        let exactly = |x: f64| BigRational::from_float(x).expect("ranges are finite");
        let mut centred = a.clone();
        if series.middle != 0.0 {
            centred = self.offset(a, &-exactly(series.middle));
        }
        centred.factor /= exactly(series.half);
        let y = Value { node: self.with_factor(&centred, &BigRational::one()), factor: BigRational::one() };
        self.graph.tighten(y.node, 1.0);
        polynomial::evaluate(self, &series, &y)
    }
}

/// Polynomials are evaluated on the graph as on anything else.
impl asanoha_circuits::Arithmetic for Expander<'_> {
    type Value = Value;
    type Error = ExpandError;

    fn add(&mut self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.sum_of_two(a, b, Operation::Add))
    }

    fn sub(&mut self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.sum_of_two(a, b, Operation::Sub))
    }

    fn mul(&mut self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(Expander::mul(self, a, b))
    }

    fn mul_constant(&mut self, a: &Value, k: f64) -> Result<Value, ExpandError> {
        let k = BigRational::from_float(k).expect("series have finite coefficients");
        Ok(Value { node: a.node, factor: &a.factor * k })
    }

    fn add_constant(&mut self, a: &Value, c: f64) -> Result<Value, ExpandError> {
        let c = BigRational::from_float(c).expect("series have finite coefficients");
        Ok(if c.is_zero() { a.clone() } else { self.offset(a, &c) })
    }

    fn bounded(&mut self, a: &Value, bound: f64) {
        let bound = bound / number::to_f64(&a.factor.abs());
        self.graph.tighten(a.node, bound);
    }
}
