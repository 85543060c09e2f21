//! Comparison of whole numbers in the arithmetic graph by their digits: those of columns are encrypted by
//! the client, those of all else come out of tables.

use asanoha_circuits::BinaryFunction;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::{
    CircuitInput, DigitFunction, DigitFunctionKind, VARIABLES, WholeOperation,
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
    sign::operand_range,
    whole_function::MAX_VALUES,
};
use crate::program::{
    BuildError, Node, NodeId, Operand, Program, ProgramBuilder, Range, Term,
    ops::{binary, with_constant},
    part, program_of,
};

/// The width of the digits that are compared, and of those of divisors.
pub(super) const COMPARED_BITS: u32 = 4;

impl Expander<'_> {
    /// A comparison, minimum or maximum of two values, by the difference where that has few values, else by digits.
    pub(super) fn comparison(
        &mut self,
        function: BinaryFunction,
        a: Operand,
        b: Operand,
        values: &Values,
    ) -> Result<Value, ExpandError> {
        if let (Operand::Value(id), Operand::Constant(0)) = (a, b)
            && let Node::Sub(x, y) = *self.program.node(id)
            && self.analysed.is_whole(x)
            && self.analysed.is_whole(y)
            && !function.adds_right()
        {
            return self.comparison(function, Operand::Value(x), Operand::Value(y), values);
        }
        let (left, right) = (operand_range(a, self.ranges), operand_range(b, self.ranges));
        let differences = left.sub(&right);
        let (lo, last) = left.union(&right).whole_ends();
        let digits = (last - &lo).bits().div_ceil(COMPARED_BITS.into()).max(1) as usize;
        let few = differences.whole_count() <= MAX_VALUES.into();
        let by_client = self.is_viewable(a) && self.is_viewable(b);
        let cheap = || cost_of_difference(&differences.whole_count()) <= cost_of_digits(digits);
        if few && (digits == 1 || !by_client || cheap()) {
            return self.of_difference(function, [a, b], &differences, values);
        }
        let compared = if let Some(&compared) = self.compared.get(&(a, b)) {
            compared
        } else {
            let compared = self.compared_digits(function, [a, b], (&lo, digits), values)?;
            self.compared.insert((a, b), compared);
            compared
        };
        let (less, equal) = (self.result(compared, 0), self.result(compared, 1));
        let not = |this: &mut Self, bit: &Value| {
            let negated = Value { factor: -bit.factor.clone(), ..bit.clone() };
            this.offset(&negated, &BigRational::one())
        };
        Ok(match function {
            BinaryFunction::Less => less,
            BinaryFunction::GreaterOrEqual => not(self, &less),
            BinaryFunction::Equal => equal,
            BinaryFunction::NotEqual => not(self, &equal),
            BinaryFunction::LessOrEqual => self.sum_of_two(&less, &equal, Operation::Add),
            BinaryFunction::Greater => {
                let at_most = self.sum_of_two(&less, &equal, Operation::Add);
                not(self, &at_most)
            }
            BinaryFunction::Minimum | BinaryFunction::Maximum => {
                let difference = self.difference([a, b], values);
                let chosen = self.mul(&less, &difference);
                match (function == BinaryFunction::Minimum, a, b) {
                    (true, _, b) => self.plus(&chosen, b, values),
                    (false, a, _) => {
                        let negated = Value { factor: -chosen.factor.clone(), ..chosen };
                        self.plus(&negated, a, values)
                    }
                }
            }
            BinaryFunction::Quotient | BinaryFunction::Remainder => unreachable!("they're no comparisons"),
        })
    }

    /// The functions \[a < b\] and \[a = b\] of a number of digits of a − lo and b − lo.
    fn compared_digits(
        &mut self,
        function: BinaryFunction,
        [a, b]: [Operand; 2],
        (lo, digits): (&BigInt, usize),
        values: &Values,
    ) -> Result<usize, ExpandError> {
        let name = binary(function).name();
        let kind = DigitFunctionKind::Comparison { digits, digit_bits: COMPARED_BITS };
        let compared = DigitFunction::new(kind, self.modulus())?;
        let x = self.digits_from(a, lo, digits, name, values)?;
        let y = self.digits_from(b, lo, digits, name, values)?;
        let one = BigRational::one();
        let mut operands = Vec::with_capacity(digits);
        for (x, y) in x.iter().zip(&y) {
            let difference = self.minus(x, y);
            operands.push(self.with_factor(&difference, &one));
        }
        Ok(self.digit_function(compared, operands))
    }

    /// A comparison, minimum or maximum by the sign of a − b; min(a, b) = b + min(a − b, 0).
    fn of_difference(
        &mut self,
        function: BinaryFunction,
        [a, b]: [Operand; 2],
        range: &Range,
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let difference = self.difference([a, b], values);
        let (name, program) = (binary(function).name(), against_zero(function));
        let value = self.tabulated(name, program, std::slice::from_ref(range), &[difference])?;
        Ok(if function.adds_right() { self.plus(&value, b, values) } else { value })
    }

    pub(super) fn digit_function(&mut self, function: DigitFunction, operands: Vec<usize>) -> usize {
        let operation = Operation::Functions(operands, WholeOperation::Digits(function));
        self.graph.find(&operation).unwrap_or_else(|| self.graph.push(operation))
    }

    /// The digits of a − lo.
    fn digits_from(
        &mut self,
        a: Operand,
        lo: &BigInt,
        digits: usize,
        name: &'static str,
        values: &Values,
    ) -> Result<Vec<Digit>, ExpandError> {
        let distance = |p: &mut ProgramBuilder, x| {
            let offset = p.constant(BigRational::from_integer(-lo))?;
            p.add(x, offset)
        };
        let one = |at: usize| match a {
            Operand::Constant(constant) => {
                let digit: BigInt = (BigInt::from(constant) - lo) >> (COMPARED_BITS as usize * at);
                let digit = digit % (1i64 << COMPARED_BITS);
                Ok(Digit::Constant(digit.to_i64().expect("it's a digit")))
            }
            Operand::Value(id) => {
                self.derived(name, id, digit(distance, at, digits, COMPARED_BITS), values).map(Digit::Value)
            }
        };
        (0..digits).map(one).collect()
    }

    /// What is made of an operation's value: encrypted by the client if that's computed from one column, else by a table.
    pub(super) fn derived(
        &mut self,
        name: &'static str,
        id: NodeId,
        make: impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError>,
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let column = self.column_of(id);
        let variable = column.as_ref().map_or(id, |(node, _)| *node);
        let program = part(self.program, id, &[(variable, VARIABLES[0])], make);
        let program = program.expect("parts of programs are programs");
        let Some((_, column)) = column else {
            let (range, value) = (self.ranges[id.0].clone(), values[&id].clone());
            return self.tabulated(name, program, &[range], &[value]);
        };
        let input = CircuitInput { column, view: Some(program) };
        let index = self.graph.inputs.iter().position(|other| *other == input).unwrap_or_else(|| {
            self.graph.inputs.push(input);
            self.graph.inputs.len() - 1
        });
        let operation = Operation::Input(index);
        let node = self.graph.find(&operation).unwrap_or_else(|| self.graph.push(operation));
        Ok(Value { node, factor: BigRational::one() })
    }

    /// The only column that an operation is computed from row by row, if it's whole.
    pub(super) fn column_of(&self, id: NodeId) -> Option<(NodeId, String)> {
        match self.analysed.support(id).variables[..] {
            [variable] if self.analysed.is_whole(variable) => match self.program.node(variable) {
                Node::Input(name) => Some((variable, name.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the client can encrypt an operand's digits.
    fn is_viewable(&self, operand: Operand) -> bool {
        operand.node().is_none_or(|id| self.column_of(id).is_some())
    }

    /// a − b, once for all functions of it.
    pub(super) fn difference(&mut self, [a, b]: [Operand; 2], values: &Values) -> Value {
        if let Some(difference) = self.differences.get(&(a, b)) {
            return difference.clone();
        }
        let digit = |operand| match operand {
            Operand::Value(id) => Digit::Value(values[&id].clone()),
            Operand::Constant(constant) => Digit::Constant(constant),
        };
        let difference = self.minus(&digit(a), &digit(b));
        self.differences.insert((a, b), difference.clone());
        difference
    }

    /// a − b, not both constants.
    fn minus(&mut self, a: &Digit, b: &Digit) -> Value {
        let constant = |c: i64| BigRational::from_integer(c.into());
        match (a, b) {
            (Digit::Value(a), Digit::Value(b)) => self.sum_of_two(a, b, Operation::Sub),
            (Digit::Value(a), Digit::Constant(0)) => a.clone(),
            (Digit::Value(a), &Digit::Constant(b)) => self.offset(a, &constant(-b)),
            (&Digit::Constant(a), Digit::Value(b)) => {
                let negated = Value { factor: -b.factor.clone(), ..b.clone() };
                self.offset(&negated, &constant(a))
            }
            (Digit::Constant(_), Digit::Constant(_)) => unreachable!("functions of constants are folded"),
        }
    }

    pub(super) fn plus(&mut self, a: &Value, b: Operand, values: &Values) -> Value {
        match b {
            Operand::Value(b) => self.sum_of_two(a, &values[&b].clone(), Operation::Add),
            Operand::Constant(0) => a.clone(),
            Operand::Constant(b) => self.offset(a, &BigRational::from_integer(b.into())),
        }
    }

    /// b + c·(a − b) for a bit c.
    pub(super) fn chosen(&mut self, c: &Value, a: &Value, b: &Value) -> Value {
        let difference = self.sum_of_two(a, b, Operation::Sub);
        let product = self.mul(c, &difference);
        self.sum_of_two(&product, b, Operation::Add)
    }
}

/// A digit, or a whole operand.
enum Digit {
    Value(Value),
    Constant(i64),
}

/// A digit of a number that isn't negative, which is made of a value.
pub(super) fn digit(
    number: impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError>,
    at: usize,
    digits: usize,
    digit_bits: u32,
) -> impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError> {
    move |p, x| {
        let mut digit = number(p, x)?;
        if at > 0 {
            digit = with_constant(p, BinaryFunction::Quotient, digit, 1 << (at as u32 * digit_bits))?;
        }
        if at + 1 < digits {
            digit = with_constant(p, BinaryFunction::Remainder, digit, 1 << digit_bits)?;
        }
        Ok(digit)
    }
}

/// The program of a function of the first variable and zero.
pub(super) fn against_zero(function: BinaryFunction) -> Program {
    let program = program_of(|p| {
        let a = p.input(VARIABLES[0])?;
        with_constant(p, function, a, 0)
    });
    program.expect("it's a program")
}

/// About what the polynomial of a difference costs, by the number of its values: products times the levels that they're at.
fn cost_of_difference(count: &BigInt) -> f64 {
    let depth = count.bits() as f64;
    3.0 * (depth / 2.0).exp2() * depth
}

/// And a comparison of digits, by their number, each of which is compared by two polynomials of 31 values.
fn cost_of_digits(digits: usize) -> f64 {
    let joins = f64::from(digits.next_power_of_two().ilog2());
    14.0 * digits as f64 * (f64::from(COMPARED_BITS) + 1.0 + joins)
}
