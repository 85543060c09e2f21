//! A program in the making as an arithmetic graph, and what the arithmetic of a scheme owes it.

use std::collections::HashMap;

use asanoha_lang::{Analysed, Arg, Function, NodeId, Operand, Range, Shape, View};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{
    error::ExpandError,
    factors::common_factor,
    ir::{CircuitInput, Graph, Op, Operation},
};

/// A value: a node's value times a public factor (1/denominator in exact arithmetic).
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) node: usize,
    pub(super) factor: BigRational,
}

impl Value {
    /// −a.
    pub(super) fn negated(&self) -> Self {
        Self { node: self.node, factor: -&self.factor }
    }
}

/// The arithmetic that a program is expanded for.
///
/// What is provided is arithmetic on whole numbers: fractions are whole numbers over a common denominator, which the decrypting
/// side divides by.
pub(super) trait Target: Sized {
    /// Whether values of opposite factors are added by subtracting their nodes.
    const TURNS_SUMS: bool = false;
    /// Whether ciphertexts have slots without rows.
    const HAS_SLOTS: bool = true;

    /// What is to be known before the first operation is expanded, of those that are needed.
    fn begin(_e: &mut Expander<'_, Self>, _needed: &[bool]) {}

    /// A column.
    fn input(e: &mut Expander<'_, Self>, _at: NodeId, column: &str) -> Result<Value, ExpandError> {
        let whole = e.analysed.schema().column(column).is_some_and(|column| column.whole);
        if !whole {
            return Err(ExpandError::NotWhole(column.to_owned()));
        }
        Ok(e.column(column, BigRational::one()))
    }

    /// The node that holds a value with another factor.
    fn with_factor(e: &mut Expander<'_, Self>, a: &Value, factor: &BigRational) -> usize {
        let k = &a.factor / factor;
        if k.is_one() { a.node } else { e.graph.push(Op::MulConstant(a.node, k)) }
    }

    /// A factor that two values that are added are brought to.
    fn common_factor(_e: &Expander<'_, Self>, a: &Value, b: &Value) -> BigRational {
        common_factor(&a.factor, &b.factor)
    }

    /// a·b.
    fn mul(e: &mut Expander<'_, Self>, a: &Value, b: &Value) -> Value {
        e.push(Op::Mul(a.node, b.node), &a.factor * &b.factor)
    }

    /// a + c.
    fn offset(e: &mut Expander<'_, Self>, a: &Value, c: &BigRational) -> Value {
        let factor = common_factor(&a.factor, c);
        let node = Self::with_factor(e, a, &factor);
        e.push(Op::AddConstant(node, c / &factor), factor)
    }

    /// k·a, of which nothing else may be computed.
    fn scale(_e: &mut Expander<'_, Self>, a: &Value, k: &BigRational, _only_use: bool) -> Value {
        Value { node: a.node, factor: &a.factor * k }
    }

    /// 0 in the shape of a node.
    fn zeros(e: &mut Expander<'_, Self>, like: usize) -> usize {
        e.graph.push(Op::MulConstant(like, BigRational::zero()))
    }

    /// What moments are taken from, of values in a range.
    fn middle(_range: &Range) -> BigRational {
        BigRational::zero()
    }

    /// A product that isn't computed as one, if it isn't.
    fn product(_e: &mut Expander<'_, Self>, _at: NodeId) -> Result<Option<Value>, ExpandError> {
        Ok(None)
    }

    /// A function.
    fn function(
        e: &mut Expander<'_, Self>,
        at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError>;

    /// Whether a function is one table of all that it's computed from.
    fn is_folded(_e: &Expander<'_, Self>, _at: NodeId) -> bool {
        false
    }

    /// How far approximations put an operation's value off.
    fn error(&self, _at: NodeId) -> f64 {
        0.0
    }

    /// What an operation's value is stated to be in.
    fn state(_e: &mut Expander<'_, Self>, _at: NodeId, _value: &Value) {}

    /// The factor of an output, and how far approximations put it off.
    fn output(e: &Expander<'_, Self>, at: NodeId, value: &Value) -> (BigRational, f64) {
        (value.factor.clone(), e.target.error(at))
    }
}

/// What a program has become so far.
pub(super) struct Expander<'a, T> {
    /// What is known of every operation.
    pub(super) analysed: &'a Analysed<'a>,
    pub(super) graph: Graph,
    /// The arithmetic.
    pub(super) target: T,
    /// What operations became.
    values: Vec<Option<Value>>,
    /// The differences that comparisons have taken.
    pub(super) differences: HashMap<(Operand, Operand), Value>,
    /// The entries of all tables.
    pub(super) entries: u64,
}

/// The most operations of a graph.
const MAX_OPERATIONS: u64 = 1 << 20;
/// The most entries of all tables of a graph together.
const MAX_ENTRIES: u64 = 1 << 23;
/// The most ciphertexts that the sums of a graph add up, in rings of the fewest slots.
const MAX_SUMMANDS: u64 = 1 << 24;
/// The fewest slots that a ciphertext has.
const FEWEST_SLOTS: usize = 1 << 11;

impl<'a, T: Target> Expander<'a, T> {
    /// One that has nothing but the columns.
    pub(super) fn new(analysed: &'a Analysed<'a>, target: T) -> Self {
        let input = |name: &String| match analysed.view(name) {
            Some(View { column, program, .. }) => {
                CircuitInput { column: column.clone(), view: Some(program.clone()) }
            }
            None => CircuitInput::column(name),
        };
        let inputs = analysed.program().input_names().iter().map(input).collect();
        Self {
            graph: Graph { inputs, rows: analysed.rows(), ..Graph::default() },
            target,
            values: vec![None; analysed.program().nodes().len()],
            differences: HashMap::new(),
            entries: 0,
            analysed,
        }
    }

    /// The value of an operation before the present one.
    pub(super) fn value(&self, id: NodeId) -> Value {
        self.values[id.0].clone().expect("what is needed is computed before")
    }

    /// Keeps the value of an operation.
    pub(super) fn keep(&mut self, id: NodeId, value: Value) {
        self.values[id.0] = Some(value);
    }

    /// The range of an operation.
    pub(super) fn range(&self, id: NodeId) -> &'a Range {
        self.analysed.range(id)
    }

    /// The range of what an operation is of.
    pub(super) fn range_of(&self, a: Arg<'_, Value>) -> &'a Range {
        self.range(a.node.expect("operations are of operations"))
    }

    /// Refuses programs that take too long to plan, or to derive a plan's schedule of: a plan out of a file may hold any.
    pub(super) fn check_work(&self) -> Result<(), ExpandError> {
        let operations = self.graph.nodes.len() as u64;
        let summands = self.graph.sums * (self.analysed.rows().div_ceil(FEWEST_SLOTS) as u64);
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

    /// Adds an operation whose result has a factor.
    pub(super) fn push(&mut self, operation: Operation, factor: BigRational) -> Value {
        Value { node: self.graph.push(operation), factor }
    }

    /// The position of an operation, which is added unless it's there.
    pub(super) fn shared(&mut self, operation: Operation) -> usize {
        self.graph.find(&operation).unwrap_or_else(|| self.graph.push(operation))
    }

    /// A column as it is.
    pub(super) fn column(&mut self, name: &str, factor: BigRational) -> Value {
        let names = self.analysed.program().input_names();
        // Other inputs are listed after the program's.
        let index = names.iter().position(|input| input == name).expect("inputs are listed");
        self.push(Op::Input(index), factor)
    }

    /// The node that holds a value with another factor.
    pub(super) fn with_factor(&mut self, a: &Value, factor: &BigRational) -> usize {
        T::with_factor(self, a, factor)
    }

    /// a + b or a − b.
    pub(super) fn sum_of_two(&mut self, a: &Value, b: &Value, make: fn(usize, usize) -> Operation) -> Value {
        let factor = T::common_factor(self, a, b);
        // A factor of opposite sign turns the sum around.
        let add = matches!(make(0, 0), Op::Add(..));
        let opposite = T::TURNS_SUMS && a.factor == -&b.factor;
        let (a_node, b_node) = if opposite {
            (a.node, b.node)
        } else {
            (self.with_factor(a, &factor), self.with_factor(b, &factor))
        };
        match (opposite, add) {
            (false, _) => self.push(make(a_node, b_node), factor),
            // −f·a + f·b = f·(b − a); −f·a − f·b = −f·(a + b).
            (true, true) => self.push(Op::Sub(b_node, a_node), b.factor.clone()),
            (true, false) => self.push(Op::Add(a_node, b_node), a.factor.clone()),
        }
    }

    /// a·b.
    pub(super) fn mul(&mut self, a: &Value, b: &Value) -> Value {
        T::mul(self, a, b)
    }

    /// a + c.
    pub(super) fn offset(&mut self, a: &Value, c: &BigRational) -> Value {
        T::offset(self, a, c)
    }

    /// A constant in the shape of a value.
    pub(super) fn constant_like(&mut self, a: &Value, constant: &BigRational) -> Value {
        let zeros = Value { node: T::zeros(self, a.node), factor: BigRational::one() };
        self.offset(&zeros, constant)
    }

    /// a^e with the least depth: a^e = a^⌈e/2⌉·a^⌊e/2⌋.
    pub(super) fn power(&mut self, a: &Value, exponent: u32) -> Value {
        self.known_power(a, exponent, &mut HashMap::new())
    }

    fn known_power(&mut self, a: &Value, exponent: u32, known: &mut HashMap<u32, Value>) -> Value {
        if exponent == 1 {
            return a.clone();
        }
        if let Some(value) = known.get(&exponent) {
            return value.clone();
        }
        // The largest power of two below first: its depth is the same, and a constant finds room beside the rest.
        let high = if exponent.is_power_of_two() { exponent / 2 } else { 1 << exponent.ilog2() };
        let first = self.known_power(a, high, known);
        let second = self.known_power(a, exponent - high, known);
        let product = self.mul(&first, &second);
        known.insert(exponent, product.clone());
        product
    }

    /// Zeros in the slots without rows.
    pub(super) fn padded(&mut self, a: &Value) -> Value {
        let node = &self.graph.nodes[a.node];
        if node.is_padded() || node.shape == Shape::Number || !T::HAS_SLOTS {
            return a.clone();
        }
        self.push(Op::MaskRows(a.node), a.factor.clone())
    }

    /// The sum over the rows.
    pub(super) fn sum(&mut self, a: &Value) -> Value {
        // Σ (x ± n) = Σ x ± rows·n for a number n: no mask is needed.
        let (x, y, make): (_, _, fn(usize, usize) -> Operation) = match self.graph.nodes[a.node].operation {
            Op::Add(x, y) => (x, y, Op::Add),
            Op::Sub(x, y) => (x, y, Op::Sub),
            _ => (a.node, a.node, Op::Add),
        };
        let shape = |node: usize| self.graph.nodes[node].shape;
        if shape(x) != shape(y) {
            let rows = BigRational::from_integer(BigInt::from(self.graph.rows));
            let mut total = |node: usize| match self.graph.nodes[node].shape {
                Shape::Number => self.graph.push(Op::MulConstant(node, rows.clone())),
                Shape::Column => {
                    let padded = self.padded(&Value { node, factor: BigRational::one() });
                    self.graph.push(Op::Sum(padded.node, ()))
                }
            };
            let (x, y) = (total(x), total(y));
            return self.push(make(x, y), a.factor.clone());
        }
        let padded = self.padded(a);
        self.push(Op::Sum(padded.node, ()), padded.factor)
    }

    /// The mean over the rows.
    pub(super) fn mean(&mut self, a: &Value) -> Value {
        let sum = self.sum(a);
        let rows = BigInt::from(self.graph.rows);
        Value { factor: sum.factor / rows, ..sum }
    }

    /// The distances of values from the middle of their range, which keep the numbers of moments small, with zeros in the slots
    /// without rows; in exact arithmetic the values.
    fn centred(&mut self, a: &Value, range: &Range) -> Value {
        let middle = T::middle(range);
        let centred = if middle.is_zero() { a.clone() } else { self.offset(a, &-middle) };
        self.padded(&centred)
    }

    /// mean((a − c)·(b − d)) − mean(a − c)·mean(b − d) for any c and d.
    pub(super) fn covariance(&mut self, columns: [(&Value, &Range); 2]) -> Value {
        let [a, b] = columns.map(|(value, range)| self.centred(value, range));
        let product = self.mul(&a, &b);
        let (of_product, a, b) = (self.mean(&product), self.mean(&a), self.mean(&b));
        let of_means = self.mul(&a, &b);
        self.sum_of_two(&of_product, &of_means, Op::Sub)
    }

    /// mean((a − c)²) − mean(a − c)² for any c.
    pub(super) fn variance(&mut self, a: &Value, range: &Range) -> Value {
        let centred = self.centred(a, range);
        let square = self.mul(&centred, &centred);
        let (mean_square, mean) = (self.mean(&square), self.mean(&centred));
        let square_mean = self.mul(&mean, &mean);
        self.sum_of_two(&mean_square, &square_mean, Op::Sub)
    }

    /// Refuses operands that may be fractions.
    pub(super) fn of_whole_numbers(
        &self,
        function: &Function,
        operands: &[Operand],
    ) -> Result<(), ExpandError> {
        let mut nodes = operands.iter().filter_map(|operand| operand.node());
        if nodes.all(|node| self.analysed.is_whole(node)) {
            Ok(())
        } else {
            Err(ExpandError::Fraction(function.name()))
        }
    }
}
