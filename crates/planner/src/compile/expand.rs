//! From a program to an arithmetic graph: powers, means, variances, dot products and functions become sums and
//! products.

use std::collections::HashMap;

use asanoha_circuits::{
    BinaryFunction,
    polynomial::{ApproximationError, Sign},
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::{
    CircuitInput, SmallFunctionError,
    approximation::approximation_errors,
    fitted::Fitted,
    graph::{Graph, GraphOutput, Operation},
    input::input_factor,
    packed_numbers::with_packed_numbers,
    small_function::Prepared,
};
use crate::{
    advice::{Advice, Advised},
    data::Schema,
    precision::Precision,
    program::{
        Analysed, BuildError, Function, Kind, Node, NodeId, Operand, Origin, Program, Range, RangeError,
        Shape, depends_on_data, number, ops::binary,
    },
};

/// Why a program has no arithmetic graph.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExpandError {
    /// Its ranges can't be found.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// It can't be put in whole numbers.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A function can't be approximated.
    #[error(transparent)]
    Approximation(#[from] ApproximationError),
    /// Exact arithmetic has no such function.
    #[error("`{0}` is approximated, which exact arithmetic on whole numbers can't do")]
    NotExact(&'static str),
    /// A function without an error for its polynomial.
    #[error("there's no error given for the polynomial of `{0}`")]
    MissingFit(&'static str),
    /// A function of whole numbers that may be of others, where arithmetic is real.
    #[error("`{0}` takes whole numbers, and an operand is not known to be one")]
    NotApproximate(&'static str),
    /// A function of too many whole numbers, where arithmetic is real.
    #[error(
        "`{0}` takes whole numbers of at most {most} values together where the rest of the program is approximated",
        most = super::interpolated::MOST_VALUES
    )]
    ManyValues(&'static str),
    /// An operation that depends on the data's ranges.
    #[error("`{0}` has to be made of other operations first, on the data's ranges: plan the program anew")]
    NotOnData(&'static str),
    /// A choice by something that may be neither 0 nor 1.
    #[error(
        "`where` chooses by a condition of 0 and 1 where numbers are approximated: write a comparison, such as `where(x > 0, a, b)`"
    )]
    NotACondition,
    /// A function of whole numbers of something else.
    #[error("`{0}` takes whole numbers, and an operand may be a fraction")]
    Fraction(&'static str),
    /// Ranges of too many values for a table.
    #[error(
        "`{function}` of {} values is too wide, a table of {} entries; one variable has at most {one} values, and each of two at most {two}",
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
    /// More work than a plan may ask of whoever reads it.
    #[error("the program takes {found} {what}, above the limit of {limit}: cut it into several programs")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much there is, at least.
        found: u64,
        /// How much there may be.
        limit: u64,
    },
    /// A column that exact arithmetic can't take.
    #[error("column `{0}` has values that aren't whole numbers")]
    NotWhole(String),
    /// What is wrong with an operation, with its place in the program's text.
    #[error("{}{error}", origin.prefix())]
    At {
        /// The place.
        origin: Box<Origin>,
        /// What is wrong.
        error: Box<Self>,
    },
}

impl ExpandError {
    /// What is wrong, without its place.
    pub(crate) fn without_place(&self) -> &Self {
        if let Self::At { error, .. } = self { error } else { self }
    }

    /// The place in the program's text, if it's an operation's.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::At { origin, .. } => origin.if_known(),
            Self::Range(error) => error.origin(),
            _ => None,
        }
    }

    /// The error of an operation that stands at a place, by the name that it has there.
    fn at(mut self, origin: Option<&Origin>) -> Self {
        let Some(origin) = origin.filter(|_| {
            !matches!(self, Self::Range(RangeError::At { .. }) | Self::NotWhole(_) | Self::At { .. })
        }) else {
            return self;
        };
        if let Some(written) = origin.name()
            && let Self::NotExact(name)
            | Self::MissingFit(name)
            | Self::NotApproximate(name)
            | Self::ManyValues(name)
            | Self::NotOnData(name)
            | Self::Fraction(name)
            | Self::TooWide { function: name, .. } = &mut self
        {
            *name = written;
        }
        Self::At { origin: Box::new(origin.clone()), error: Box::new(self) }
    }
}

impl Advised for ExpandError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Range(error) => error.advice(),
            Self::ManyValues(_) => vec![Advice::NarrowRanges, Advice::Clip],
            Self::TooWide { .. } | Self::Approximation(ApproximationError::OutOfReach { .. }) => {
                vec![Advice::NarrowRanges]
            }
            Self::NotApproximate("==" | "!=") => vec![Advice::Gap, Advice::Round],
            Self::Fraction(_) | Self::NotApproximate(_) => vec![Advice::Round],
            Self::At { error, .. } => error.advice(),
            Self::Approximation(ApproximationError::NoSign { .. }) => {
                vec![Advice::WiderGap, Advice::NarrowRanges]
            }
            _ => Vec::new(),
        }
    }
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
    /// Whole numbers as well, with functions that are operations of the scheme.
    Integers,
    /// Real numbers; functions are approximated.
    Real {
        /// log2 of the largest error of every approximated function's polynomial, in the program's order.
        fit_bits: &'a [i32],
        /// The precision that's asked of the outputs, by which comparisons tell numbers apart.
        precision: Precision,
    },
}

/// A value: a node's value times a public factor (1/denominator in exact arithmetic).
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) node: usize,
    pub(super) factor: BigRational,
}

/// What operations of a program became.
pub(super) type Values = HashMap<NodeId, Value>;

/// Expands a program on data of a schema; see [`specialised`](crate::program::specialised).
pub fn expand(analysed: &Analysed<'_>, expansion: Expansion) -> Result<Graph, ExpandError> {
    expand_sharing(analysed, expansion, &Prepared::default())
}

/// As [`expand`], with tables that other expansions share.
pub(crate) fn expand_sharing(
    analysed: &Analysed<'_>,
    expansion: Expansion,
    prepared: &Prepared,
) -> Result<Graph, ExpandError> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    if let Some(function) = depends_on_data(program) {
        return Err(ExpandError::NotOnData(function));
    }
    let (fitted, approximations) = match expansion {
        Expansion::Exact { .. } | Expansion::Integers => {
            (Fitted::none(program), vec![0.0; program.nodes().len()])
        }
        Expansion::Real { fit_bits, precision } => {
            let fitted = Fitted::new(analysed, precision);
            let errors = approximation_errors(analysed, &fitted, fit_bits);
            (fitted, errors)
        }
    };
    let inputs = program.input_names().iter().map(CircuitInput::column).collect();
    let graph = Graph { inputs, rows: analysed.rows(), ..Graph::default() };
    let mut expander = Expander {
        program,
        graph,
        schema: analysed.schema(),
        expansion,
        ranges,
        approximations: &approximations,
        fitted: &fitted,
        analysed,
        differences: HashMap::new(),
        signs: HashMap::new(),
        sign_polynomials: HashMap::new(),
        quotients: HashMap::new(),
        compared: HashMap::new(),
        multiples: HashMap::new(),
        entries: 0,
        views: false,
        prepared,
    };
    let needed = expander.needed();
    expander.views = expander.views_conditions(&needed);
    let mut values = Values::new();
    for (id, node) in program.iter().filter(|(id, _)| needed[id.0]) {
        let value = expander.node(id, node, &values).map_err(|error| error.at(program.origin(id)))?;
        expander.check_work()?;
        // What the program's ranges say of the value holds for the node, too, as far as nothing is approximated.
        let error = BigRational::from_float(approximations[id.0]);
        if let Some(error) = error.filter(|_| !value.factor.is_zero()) {
            let bound = (ranges[id.0].max_abs() + error) / value.factor.abs();
            expander.graph.tighten(value.node, number::to_f64(&bound));
        }
        if expander.on_integers() && !value.factor.is_zero() {
            expander.graph.state(value.node, ranges[id.0].scale(&value.factor.recip()));
        }
        values.insert(id, value);
    }
    expander.graph.domains = prepared.domains();
    expander.graph.outputs = program
        .outputs()
        .iter()
        .map(|(name, id)| {
            let Value { node, mut factor } = values[id].clone();
            // What can only be 0 has no noise either.
            let is_zero = ranges[id.0].log2_bound().is_none() && !expander.exact();
            if is_zero {
                factor = BigRational::zero();
            }
            let approximation = if is_zero { 0.0 } else { approximations[id.0] };
            GraphOutput { name: name.clone(), node, factor, approximation }
        })
        .collect();
    Ok(with_packed_numbers(expander.graph.pruned()))
}

pub(super) struct Expander<'a> {
    pub(super) program: &'a Program,
    pub(super) graph: Graph,
    pub(super) schema: &'a Schema,
    pub(super) expansion: Expansion<'a>,
    pub(super) ranges: &'a [Range],
    /// How far approximations put every operation's value off.
    pub(super) approximations: &'a [f64],
    /// What is known of every function before it's fitted.
    pub(super) fitted: &'a Fitted,
    /// What is known of every operation.
    pub(super) analysed: &'a Analysed<'a>,
    /// The differences that comparisons have taken.
    pub(super) differences: HashMap<(Operand, Operand), Value>,
    /// The signs of differences of real numbers, with their gaps and errors.
    pub(super) signs: HashMap<(Operand, Operand), (f64, f64, Value)>,
    /// The polynomials of signs, by the bits of their gap and their error.
    pub(super) sign_polynomials: HashMap<[u64; 2], Sign>,
    /// The quotients by long division.
    pub(super) quotients: HashMap<(NodeId, NodeId), Value>,
    /// The comparisons by digits.
    pub(super) compared: HashMap<(Operand, Operand), usize>,
    /// The multiples of nodes in real arithmetic.
    pub(super) multiples: HashMap<(usize, BigRational), usize>,
    /// The entries of all tables.
    pub(super) entries: u64,
    /// Whether the client encrypts conditions of single columns.
    pub(super) views: bool,
    pub(super) prepared: &'a Prepared,
}

/// The most operations of a graph.
const MAX_OPERATIONS: u64 = 1 << 20;
/// The most entries of all tables of a graph together.
const MAX_ENTRIES: u64 = 1 << 23;
/// The most ciphertexts that the sums of a graph add up, in rings of the fewest slots.
const MAX_SUMMANDS: u64 = 1 << 24;
/// The fewest slots that a ciphertext has.
const FEWEST_SLOTS: usize = 1 << 11;

impl Expander<'_> {
    pub(super) fn exact(&self) -> bool {
        !matches!(self.expansion, Expansion::Real { .. })
    }

    /// Whether functions of whole numbers are operations of the scheme.
    pub(super) fn on_integers(&self) -> bool {
        self.expansion == Expansion::Integers
    }

    /// Refuses programs that take too long to plan, or to derive a plan's schedule of: a plan out of a file may hold any.
    pub(super) fn check_work(&self) -> Result<(), ExpandError> {
        let operations = self.graph.nodes.len() as u64;
        let summands = self.graph.sums * (self.schema.rows.div_ceil(FEWEST_SLOTS) as u64);
        let too_much = [
            ("operations", operations, MAX_OPERATIONS),
            ("entries in its tables", self.entries, MAX_ENTRIES),
            ("ciphertexts in its sums", summands, MAX_SUMMANDS),
        ];
        match too_much.into_iter().find(|(_, found, limit)| found > limit) {
            Some((what, found, limit)) => Err(ExpandError::TooMuch { what, found, limit }),
            None => Ok(()),
        }
    }

    /// The plaintext modulus of functions.
    pub(super) fn modulus(&self) -> u64 {
        match self.expansion {
            Expansion::Exact { modulus } => modulus,
            Expansion::Integers | Expansion::Real { .. } => {
                unreachable!("these expansions have no functions by polynomials")
            }
        }
    }

    pub(super) fn push(&mut self, operation: Operation, factor: BigRational) -> Value {
        Value { node: self.graph.push(operation), factor }
    }

    fn node(&mut self, id: NodeId, node: &Node, values: &Values) -> Result<Value, ExpandError> {
        if let Some(known) = self.known_value(id, values) {
            return Ok(known);
        }
        let of = |id: &NodeId| values[id].clone();
        Ok(match node {
            Node::Input(name) => self.input(name, &self.ranges[id.0].clone())?,
            Node::Add(a, b) => self.sum_of_two(&of(a), &of(b), Operation::Add),
            Node::Sub(a, b) => self.sum_of_two(&of(a), &of(b), Operation::Sub),
            Node::Neg(a) => Value { factor: -of(a).factor, ..of(a) },
            Node::Mul(a, b) => match self.viewed("*", id, values)? {
                Some(viewed) => viewed,
                None => self.mul(&of(a), &of(b)),
            },
            Node::Scale(a, k) => self.scale(&of(a), k, self.analysed.uses(*a) == 1),
            Node::Offset(a, c) => self.offset(&of(a), c),
            Node::Power(a, exponent) => self.power(&of(a), *exponent, &mut HashMap::new()),
            Node::Sum(a) => self.sum(&of(a)),
            Node::Mean(a) => self.mean(&of(a)),
            Node::Var(a) => self.variance(&of(a), &self.ranges[a.0].clone()),
            Node::Cov(a, b) => self.covariance([(&of(a), &self.ranges[a.0]), (&of(b), &self.ranges[b.0])]),
            Node::Dot(a, b) => {
                let product = self.mul(&of(a), &of(b));
                self.sum(&product)
            }
            Node::Assume(a, ..) => of(a),
            Node::Quantile(..) => unreachable!("programs are expanded on data"),
            Node::Function(function, operands) if function.is_approximate() => {
                let (smooth, a) = function.smooth().zip(operands[0].node()).expect("it's of a value");
                self.smooth(id, smooth, &of(&a), a)?
            }
            Node::Function(function, operands) if !self.exact() => {
                self.by_sign(id, function, operands, values)?
            }
            Node::Function(function, operands) if function.kind() == Kind::Less => {
                self.exact_function(id, &binary(BinaryFunction::Less), operands, values)?
            }
            Node::Function(function, operands) => self.exact_function(id, function, operands, values)?,
        })
    }

    fn exact_function(
        &mut self,
        id: NodeId,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        if self.on_integers() {
            self.integer_function(function, operands, values)
        } else {
            self.whole_function(id, function, operands, values)
        }
    }

    fn input(&mut self, name: &str, range: &Range) -> Result<Value, ExpandError> {
        let whole = self.schema.column(name).is_some_and(|column| column.whole);
        if self.exact() && !whole {
            return Err(ExpandError::NotWhole(name.to_owned()));
        }
        let index = self.graph.inputs.iter().position(|input| input.view.is_none() && input.column == name);
        let index = index.expect("inputs are listed");
        let factor = if self.exact() { BigRational::one() } else { input_factor(range) };
        Ok(self.push(Operation::Input(index), factor))
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
            return self.scaled_product(shallow, deep, &(k * &a.factor));
        }
        Value { node: a.node, factor: &a.factor * k }
    }

    /// The node that holds a value with another factor.
    pub(super) fn with_factor(&mut self, a: &Value, factor: &BigRational) -> usize {
        let k = &a.factor / factor;
        if !self.exact() {
            self.multiplied(a.node, k)
        } else if k.is_one() {
            a.node
        } else {
            self.graph.push(Operation::MulConstant(a.node, k))
        }
    }

    /// A factor that both values can be brought to; in exact arithmetic one that makes both constants whole.
    pub(super) fn common_factor(a: &BigRational, b: &BigRational) -> BigRational {
        if a == b {
            a.clone()
        } else {
            // gcd(p/q, r/s) = gcd(p, r)/lcm(q, s).
            BigRational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
        }
    }

    pub(super) fn sum_of_two(&mut self, a: &Value, b: &Value, make: fn(usize, usize) -> Operation) -> Value {
        let factor = if self.exact() {
            Self::common_factor(&a.factor, &b.factor)
        } else {
            self.real_common_factor(a, b)
        };
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
        if self.exact() {
            self.push(Operation::Mul(a.node, b.node), &a.factor * &b.factor)
        } else {
            self.real_mul(a, b)
        }
    }

    pub(super) fn offset(&mut self, a: &Value, c: &BigRational) -> Value {
        if !self.exact() {
            return self.real_offset(a, c);
        }
        let factor = Self::common_factor(&a.factor, c);
        let node = self.with_factor(a, &factor);
        self.push(Operation::AddConstant(node, c / &factor), factor)
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
    pub(super) fn padded(&mut self, a: &Value) -> Value {
        let node = &self.graph.nodes[a.node];
        if node.is_padded() || node.shape == Shape::Number || self.on_integers() {
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

    /// The distances of values from the middle of their range, which keep the numbers of moments small, with zeros in the slots
    /// without rows; in exact arithmetic the values.
    fn centred(&mut self, a: &Value, range: &Range) -> Value {
        let middle = if self.exact() {
            BigRational::zero()
        } else {
            (range.lo() + range.hi()) / BigRational::from_integer(2.into())
        };
        let centred = if middle.is_zero() { a.clone() } else { self.offset(a, &-middle) };
        self.padded(&centred)
    }

    /// mean((a − c)·(b − d)) − mean(a − c)·mean(b − d) for any c and d.
    fn covariance(&mut self, columns: [(&Value, &Range); 2]) -> Value {
        let [a, b] = columns.map(|(value, range)| self.centred(value, range));
        let product = self.mul(&a, &b);
        let (of_product, a, b) = (self.mean(&product), self.mean(&a), self.mean(&b));
        let of_means = self.mul(&a, &b);
        self.sum_of_two(&of_product, &of_means, Operation::Sub)
    }

    /// mean((a − c)²) − mean(a − c)² for any c.
    fn variance(&mut self, a: &Value, range: &Range) -> Value {
        let centred = self.centred(a, range);
        let square = self.mul(&centred, &centred);
        let (mean_square, mean) = (self.mean(&square), self.mean(&centred));
        let square_mean = self.mul(&mean, &mean);
        self.sum_of_two(&mean_square, &square_mean, Operation::Sub)
    }
}
