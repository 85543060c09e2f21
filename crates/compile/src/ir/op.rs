//! The operations of graphs and of schedules: one set for both.

use asanoha_lang::{Function, Given};
use asanoha_numeric::number;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::{Serialize, Serializer};

use asanoha_lattice::Level;

use super::{WholeOperation, Width};

/// What the operations of a form hold beside the positions of their operands.
pub trait Form {
    /// What is added.
    type Constant;
    /// What a value is multiplied by.
    type Factor;
    /// How a sum over rows is made.
    type Stages;
    /// What integers are worked on in.
    type Width;
    /// The operations that no other form has.
    type Own: Operands;
}

/// The form of an arithmetic graph.
#[derive(Clone, Debug, PartialEq)]
pub struct InGraph;

impl Form for InGraph {
    type Constant = BigRational;
    type Factor = BigRational;
    type Stages = ();
    type Width = ();
    type Own = Carry;
}

/// The form of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct InSchedule;

impl Form for InSchedule {
    type Constant = Constant;
    type Factor = Factor;
    type Stages = Vec<usize>;
    type Width = Width;
    type Own = LevelOp;
}

/// An operation of a graph.
pub type Operation = Op<InGraph>;

/// One operation on encrypted columns and numbers. An operation on a column works on each of its ciphertexts; a number beside a
/// column stands beside each.
pub type Instruction = Op<InSchedule>;

/// An operation. Operands are positions of earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<F: Form> {
    /// An input column, by its position among the inputs. In a schedule a fresh encryption, of the highest level that anything
    /// takes it at.
    Input(usize),
    /// a + b.
    Add(usize, usize),
    /// a − b.
    Sub(usize, usize),
    /// −a.
    Neg(usize),
    /// a·b, or a² where the two are the same; relinearised.
    Mul(usize, usize),
    /// a + c: in the slots that hold rows where a is a column, everywhere where it's a number.
    AddConstant(usize, F::Constant),
    /// k·a.
    MulConstant(usize, F::Factor),
    /// a in the slots that hold rows, 0 in the others.
    MaskRows(usize),
    /// A number in one slot of every block, which has so many at least, 0 in the others: numbers in different slots share a
    /// ciphertext, which has the shape of a number.
    KeepSlot(usize, usize),
    /// The sum over the rows, in all slots; of what [`Op::KeepSlot`] kept, the number. In a schedule it's of one ciphertext, a
    /// column's total where that has several, and its stages sum over a block; in TFHE it's of any column.
    Sum(usize, F::Stages),
    /// a, as a ciphertext holds it: its noise is part of the value from here on (CKKS). What is next was fitted for it.
    AbsorbNoise {
        /// What absorbs its noise, of values of about 1.
        a: usize,
        /// Bound on its noise, beside values of about 1.
        within: f64,
        /// The bound on the noise that is left.
        left: f64,
    },
    /// Functions of the same whole numbers (BGV, BFV), whose results only [`Op::Result`] takes. Slots without rows hold anything
    /// afterwards.
    Functions(Vec<usize>, WholeOperation),
    /// One of the results of functions.
    Result(usize, usize),
    /// A function of whole numbers that is one operation of the scheme (TFHE). The width is what holds the operands, conditions
    /// and places aside, and the result.
    Integers(Function, Vec<IntegerOperand>, F::Width),
    /// An operation of this form alone.
    Own(F::Own),
}

/// What only a graph has: a polynomial of a value that absorbed its noise, which counts again, times the polynomial's slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carry {
    /// The polynomial's value.
    pub a: usize,
    /// The value that absorbed its noise.
    pub absorbed: usize,
    /// The largest slope of the polynomial.
    pub slope: f64,
}

/// What only a schedule has: operations that change levels, and those on the ciphertexts of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum LevelOp {
    /// Division by the last prime, with the scale (CKKS).
    Rescale(usize),
    /// A switch to a lower level: dividing by the primes above it (BGV, BFV), or forgetting them (CKKS).
    SwitchTo(usize, Level),
    /// A product that is relinearised and brought to a level below the operands' in the same step (BGV, BFV).
    MulTo(usize, usize, Level),
    /// Σ k·a of values of this level or higher ones, in one pass (CKKS).
    Multiples(Vec<Term>, Level),
    /// A bootstrapping of numbers of at most 1, from the lowest level that it's for: they get the levels of fresh ones (CKKS).
    Bootstrap(usize),
    /// The ciphertexts of a column, added up: what is done with the sum is done once.
    Total(usize),
}

/// A multiple of a step's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Position of the step.
    pub a: usize,
    /// What it's multiplied by.
    #[serde(flatten)]
    pub factor: Factor,
}

/// What a schedule multiplies by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// The constant. In CKKS it's rounded to a multiple of 1/scale.
    pub k: Constant,
    /// What the ciphertext's scale is multiplied by, 1 in exact schemes.
    pub scale: f64,
}

impl Factor {
    /// A factor that leaves the scale as it is.
    pub fn unscaled(k: Constant) -> Self {
        Self { k, scale: 1.0 }
    }
}

/// A constant, exact for the exact schemes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Constant {
    /// A whole number.
    Whole(BigInt),
    /// A real number.
    Real(f64),
}

impl Constant {
    /// The value of a whole constant.
    ///
    /// # Panics
    /// If it's a real one.
    pub fn to_integer(&self) -> BigInt {
        match self {
            Self::Whole(value) => value.clone(),
            Self::Real(_) => unreachable!("exact schedules have whole constants"),
        }
    }

    /// The value, rounded to a double.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Whole(value) => number::integer_to_f64(value),
            Self::Real(value) => *value,
        }
    }
}

/// What a function of integers is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegerOperand {
    /// The position of what computes it.
    Value(usize),
    /// A public number.
    Constant(i64),
}

impl IntegerOperand {
    /// The position of what computes it, if it isn't public.
    pub fn value(self) -> Option<usize> {
        match self {
            Self::Value(at) => Some(at),
            Self::Constant(_) => None,
        }
    }
}

/// The operands of a form's own operations, visited in one order.
pub trait Operands {
    /// The positions of the operands.
    fn operands(&self) -> Positions<'_>;

    /// Calls `f` for the position of every operand, which may change it.
    fn each_operand(&mut self, f: &mut dyn FnMut(&mut usize));
}

/// The positions of an operation's operands, one after another.
#[derive(Clone, Debug)]
pub enum Positions<'a> {
    /// At most two.
    Few([Option<usize>; 2]),
    /// Those of functions.
    Many(std::slice::Iter<'a, usize>),
    /// Those of a sum.
    Terms(std::slice::Iter<'a, Term>),
    /// Those of a function of integers, of which some may be public.
    Integers(std::slice::Iter<'a, IntegerOperand>),
}

impl Positions<'_> {
    const NONE: Self = Self::Few([None; 2]);

    fn one(a: usize) -> Self {
        Self::Few([Some(a), None])
    }

    fn two(a: usize, b: usize) -> Self {
        Self::Few([Some(a), Some(b)])
    }
}

impl Iterator for Positions<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Few([first, second]) => first.take().or_else(|| second.take()),
            Self::Many(positions) => positions.next().copied(),
            Self::Terms(terms) => terms.next().map(|term| term.a),
            Self::Integers(operands) => operands.find_map(|operand| operand.value()),
        }
    }
}

impl<F: Form> Op<F> {
    /// The positions of the operands.
    pub fn operands(&self) -> Positions<'_> {
        match *self {
            Self::Input(_) => Positions::NONE,
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => Positions::two(a, b),
            Self::Neg(a)
            | Self::AddConstant(a, _)
            | Self::MulConstant(a, _)
            | Self::MaskRows(a)
            | Self::KeepSlot(a, _)
            | Self::Sum(a, _)
            | Self::AbsorbNoise { a, .. }
            | Self::Result(a, _) => Positions::one(a),
            Self::Functions(ref operands, _) => Positions::Many(operands.iter()),
            Self::Integers(_, ref operands, _) => Positions::Integers(operands.iter()),
            Self::Own(ref own) => own.operands(),
        }
    }

    /// Calls `f` for the position of every operand, which may change it.
    pub fn each_operand(&mut self, mut f: impl FnMut(&mut usize)) {
        match self {
            Self::Input(_) => {}
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => [a, b].into_iter().for_each(f),
            Self::Neg(a)
            | Self::AddConstant(a, _)
            | Self::MulConstant(a, _)
            | Self::MaskRows(a)
            | Self::KeepSlot(a, _)
            | Self::Sum(a, _)
            | Self::AbsorbNoise { a, .. }
            | Self::Result(a, _) => f(a),
            Self::Functions(operands, _) => operands.iter_mut().for_each(f),
            Self::Integers(_, operands, _) => {
                for operand in operands {
                    if let IntegerOperand::Value(at) = operand {
                        f(at);
                    }
                }
            }
            Self::Own(own) => own.each_operand(&mut f),
        }
    }
}

impl Operands for Carry {
    fn operands(&self) -> Positions<'_> {
        Positions::two(self.a, self.absorbed)
    }

    fn each_operand(&mut self, f: &mut dyn FnMut(&mut usize)) {
        f(&mut self.a);
        f(&mut self.absorbed);
    }
}

impl Operands for LevelOp {
    fn operands(&self) -> Positions<'_> {
        match *self {
            Self::Rescale(a) | Self::SwitchTo(a, _) | Self::Bootstrap(a) | Self::Total(a) => {
                Positions::one(a)
            }
            Self::MulTo(a, b, _) => Positions::two(a, b),
            Self::Multiples(ref terms, _) => Positions::Terms(terms.iter()),
        }
    }

    fn each_operand(&mut self, f: &mut dyn FnMut(&mut usize)) {
        match self {
            Self::Rescale(a) | Self::SwitchTo(a, _) | Self::Bootstrap(a) | Self::Total(a) => f(a),
            Self::MulTo(a, b, _) => [a, b].into_iter().for_each(f),
            Self::Multiples(terms, _) => terms.iter_mut().for_each(|term| f(&mut term.a)),
        }
    }
}

/// The words of a schedule's operations, which plans are told apart by: they stay, however the operations are called.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Words<'a> {
    Input {
        input: usize,
    },
    Add {
        a: usize,
        b: usize,
    },
    Sub {
        a: usize,
        b: usize,
    },
    Neg {
        a: usize,
    },
    Mul {
        a: usize,
        b: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<Level>,
    },
    AddConstant {
        a: usize,
        c: &'a Constant,
    },
    MulConstant {
        a: usize,
        k: &'a Constant,
        scale: f64,
    },
    Multiples {
        terms: &'a [Term],
        level: Level,
    },
    MaskRows {
        a: usize,
    },
    KeepSlot {
        a: usize,
        slot: usize,
    },
    Rescale {
        a: usize,
    },
    SwitchTo {
        a: usize,
        level: Level,
    },
    Bootstrap {
        a: usize,
    },
    Total {
        a: usize,
    },
    Sum {
        a: usize,
        factors: &'a [usize],
    },
    #[serde(rename = "settle")]
    AbsorbNoise {
        a: usize,
        within: f64,
        left: f64,
    },
    Functions {
        operands: &'a [usize],
        operation: &'a WholeOperation,
    },
    Result {
        a: usize,
        index: usize,
    },
    Integers {
        #[serde(serialize_with = "function_in_words")]
        function: &'a Function,
        operands: &'a [IntegerOperand],
        width: Width,
    },
}

impl<'a> From<&'a Instruction> for Words<'a> {
    fn from(op: &'a Instruction) -> Self {
        match *op {
            Op::Input(input) => Self::Input { input },
            Op::Add(a, b) => Self::Add { a, b },
            Op::Sub(a, b) => Self::Sub { a, b },
            Op::Neg(a) => Self::Neg { a },
            Op::Mul(a, b) => Self::Mul { a, b, level: None },
            Op::AddConstant(a, ref c) => Self::AddConstant { a, c },
            Op::MulConstant(a, Factor { ref k, scale }) => Self::MulConstant { a, k, scale },
            Op::MaskRows(a) => Self::MaskRows { a },
            Op::KeepSlot(a, slot) => Self::KeepSlot { a, slot },
            Op::Sum(a, ref factors) => Self::Sum { a, factors },
            Op::AbsorbNoise { a, within, left } => Self::AbsorbNoise { a, within, left },
            Op::Functions(ref operands, ref operation) => Self::Functions { operands, operation },
            Op::Result(a, index) => Self::Result { a, index },
            Op::Integers(ref function, ref operands, width) => Self::Integers { function, operands, width },
            Op::Own(LevelOp::Rescale(a)) => Self::Rescale { a },
            Op::Own(LevelOp::SwitchTo(a, level)) => Self::SwitchTo { a, level },
            Op::Own(LevelOp::MulTo(a, b, level)) => Self::Mul { a, b, level: Some(level) },
            Op::Own(LevelOp::Multiples(ref terms, level)) => Self::Multiples { terms, level },
            Op::Own(LevelOp::Bootstrap(a)) => Self::Bootstrap { a },
            Op::Own(LevelOp::Total(a)) => Self::Total { a },
        }
    }
}

impl Serialize for Instruction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Words::from(self).serialize(serializer)
    }
}

/// A function as plans state it: its name, with the entries of a table.
fn function_in_words<S: Serializer>(function: &Function, serializer: S) -> Result<S::Ok, S::Error> {
    match function.given() {
        Given::Entries(entries) => (function.name(), entries).serialize(serializer),
        Given::Rows(rows) => (function.name(), rows).serialize(serializer),
        _ => function.name().serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(op: &Instruction) -> String {
        serde_json::to_string(op).expect("it's plain data")
    }

    #[test]
    fn plans_state_operations_in_the_same_words_as_ever() {
        let level = Level(3);
        let real = || Constant::Real(0.5);
        let factor = || Factor { k: real(), scale: 8.0 };
        let divide = asanoha_lang::ops::binary(asanoha_circuits::BinaryFunction::Quotient);
        let operands = vec![IntegerOperand::Value(4), IntegerOperand::Constant(-7)];
        let width = Width { blocks: 5, signed: true };
        for (op, expected) in [
            (Op::Input(2), r#"{"input":{"input":2}}"#),
            (Op::Add(0, 1), r#"{"add":{"a":0,"b":1}}"#),
            (Op::Sub(1, 0), r#"{"sub":{"a":1,"b":0}}"#),
            (Op::Neg(9), r#"{"neg":{"a":9}}"#),
            (Op::Mul(3, 3), r#"{"mul":{"a":3,"b":3}}"#),
            (Op::Own(LevelOp::MulTo(3, 2, level)), r#"{"mul":{"a":3,"b":2,"level":3}}"#),
            (Op::AddConstant(1, Constant::Whole((-12).into())), r#"{"add_constant":{"a":1,"c":[-1,[12]]}}"#),
            (Op::MulConstant(1, factor()), r#"{"mul_constant":{"a":1,"k":0.5,"scale":8.0}}"#),
            (
                Op::Own(LevelOp::Multiples(vec![Term { a: 6, factor: factor() }], level)),
                r#"{"multiples":{"terms":[{"a":6,"k":0.5,"scale":8.0}],"level":3}}"#,
            ),
            (Op::MaskRows(5), r#"{"mask_rows":{"a":5}}"#),
            (Op::KeepSlot(5, 17), r#"{"keep_slot":{"a":5,"slot":17}}"#),
            (Op::Own(LevelOp::Rescale(5)), r#"{"rescale":{"a":5}}"#),
            (Op::Own(LevelOp::SwitchTo(5, level)), r#"{"switch_to":{"a":5,"level":3}}"#),
            (Op::Own(LevelOp::Bootstrap(5)), r#"{"bootstrap":{"a":5}}"#),
            (Op::Own(LevelOp::Total(5)), r#"{"total":{"a":5}}"#),
            (Op::Sum(5, vec![4, 2]), r#"{"sum":{"a":5,"factors":[4,2]}}"#),
            (
                Op::AbsorbNoise { a: 5, within: 0.25, left: 0.0 },
                r#"{"settle":{"a":5,"within":0.25,"left":0.0}}"#,
            ),
            (Op::Result(5, 1), r#"{"result":{"a":5,"index":1}}"#),
            (
                Op::Integers(divide, operands, width),
                r#"{"integers":{"function":"//","operands":[{"value":4},{"constant":-7}],"width":{"blocks":5,"signed":true}}}"#,
            ),
        ] {
            assert_eq!(words(&op), expected);
        }
    }

    #[test]
    fn operands_are_visited_in_one_order_whether_they_are_read_or_changed() {
        let term = |a| Term { a, factor: Factor::unscaled(Constant::Real(1.0)) };
        let integers = [IntegerOperand::Constant(3), IntegerOperand::Value(8), IntegerOperand::Value(2)];
        let function = asanoha_lang::ops::binary(asanoha_circuits::BinaryFunction::Less);
        let ops: Vec<(Instruction, Vec<usize>)> = vec![
            (Op::Input(7), vec![]),
            (Op::Sub(4, 1), vec![4, 1]),
            (Op::Mul(4, 4), vec![4, 4]),
            (Op::KeepSlot(4, 9), vec![4]),
            (Op::Result(4, 9), vec![4]),
            (Op::Own(LevelOp::MulTo(9, 4, Level(1))), vec![9, 4]),
            (Op::Own(LevelOp::Multiples(vec![term(5), term(3)], Level(1))), vec![5, 3]),
            (Op::Integers(function, integers.to_vec(), Width { blocks: 1, signed: false }), vec![8, 2]),
        ];
        for (mut op, expected) in ops {
            assert_eq!(op.operands().collect::<Vec<_>>(), expected, "{op:?}");
            let mut seen = Vec::new();
            op.each_operand(|operand| {
                seen.push(*operand);
                *operand += 100;
            });
            assert_eq!(seen, expected, "{op:?}");
            let moved: Vec<usize> = expected.iter().map(|at| at + 100).collect();
            assert_eq!(op.operands().collect::<Vec<_>>(), moved, "{op:?}");
        }
        let carry = Operation::Own(Carry { a: 3, absorbed: 1, slope: 2.0 });
        assert_eq!(carry.operands().collect::<Vec<_>>(), [3, 1]);
    }
}
