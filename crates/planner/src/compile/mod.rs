//! Circuits: what a program becomes for a scheme. First an arithmetic graph of sums, products and constants
//! ([`Graph`]), then a schedule of scheme operations at levels ([`Circuit`]).

mod approximation;
mod digit_function;
mod digits;
mod engine;
mod expand;
mod few_divisors;
mod fitted;
mod graph;
mod input;
mod integer_engine;
mod integers;
mod interpolated;
mod known;
mod layout;
mod long_division;
mod multiples;
mod packed_numbers;
mod places;
mod plain;
mod real;
mod schedule;
mod schedule_ckks;
mod schedule_exact;
mod schedule_integers;
mod sign;
mod small_function;
mod steps;
mod viewed;
mod whole_function;
mod whole_operation;

use std::num::NonZeroU64;

use asanoha_ckks::{Ckks, Flooding, Scaled};
use asanoha_lattice::Level;
use asanoha_scheme::{Scheme, SchemeError};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use serde::Serialize;

pub(crate) use approximation::fit_bits;
pub(crate) use fitted::Fitted;
pub(crate) use input::{input_names, scaled_input};

pub use digit_function::{DigitFunction, DigitFunctionKind};
pub(crate) use engine::{Columns, Engine, Span, Values, apply, place_of, values_of_column};
pub(crate) use expand::expand_sharing;
pub use expand::{ExpandError, Expansion, expand};
pub use graph::{Graph, GraphNode, GraphOutput, Operation};
pub use input::CircuitInput;
pub(crate) use integer_engine::apply_integers;
pub use integers::{IntegerOperand, Width};
pub use layout::Layout;
pub(crate) use layout::SlotRange;
pub(crate) use places::{Taste, bootstrap_places};
pub(crate) use plain::PlainEngine;
pub use schedule_ckks::schedule_ckks;
pub(crate) use schedule_exact::schedule_exact;
pub(crate) use schedule_integers::schedule_integers;
pub(crate) use sign::gaps;
pub(crate) use small_function::Prepared;
pub use small_function::{
    FUNCTION_MODULUS, MAX_FUNCTION_MODULUS_BITS, SmallFunction, SmallFunctionError, VARIABLES,
};
pub use whole_operation::WholeOperation;

use crate::program::{Function, Shape, number};

/// Why there's no schedule at the given parameters.
#[derive(Debug)]
pub enum NoSchedule {
    /// More levels are needed.
    MoreLevels,
    /// An operation fails.
    Fails(SchemeError),
}

impl From<SchemeError> for NoSchedule {
    fn from(error: SchemeError) -> Self {
        Self::Fails(error)
    }
}

/// One operation on encrypted columns and numbers. Operands are positions of earlier instructions. An operation on
/// a column works on each of its ciphertexts; a number beside a column stands beside each.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Instruction {
    /// A fresh encryption of an input column, of the highest level that anything takes it at.
    Input {
        /// Its position in the circuit's inputs.
        input: usize,
    },
    /// a + b.
    Add {
        /// Position of a.
        a: usize,
        /// Position of b.
        b: usize,
    },
    /// a − b.
    Sub {
        /// Position of a.
        a: usize,
        /// Position of b.
        b: usize,
    },
    /// −a.
    Neg {
        /// Position of a.
        a: usize,
    },
    /// a·b, relinearised, and brought to a level below the operands' in the same step where one is given (BGV, BFV).
    Mul {
        /// Position of a.
        a: usize,
        /// Position of b.
        b: usize,
        /// The level.
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<Level>,
    },
    /// a + c: in the slots that hold rows where a is a column, everywhere where it's a number.
    AddConstant {
        /// Position of a.
        a: usize,
        /// The constant.
        c: Constant,
    },
    /// k·a. In CKKS the constant is rounded to a multiple of 1/scale, and the ciphertext's scale is multiplied.
    MulConstant {
        /// Position of a.
        a: usize,
        /// The constant.
        k: Constant,
        /// The constant's scale, 1 in exact schemes.
        scale: f64,
    },
    /// Σ k·a of values of this level or higher ones, in one pass (CKKS).
    Multiples {
        /// What is added up.
        terms: Vec<Term>,
        /// The level.
        level: Level,
    },
    /// a in the slots that hold rows, 0 in the others.
    MaskRows {
        /// Position of a.
        a: usize,
    },
    /// A number in one slot of every block, 0 in the others: numbers in different slots share a ciphertext.
    KeepSlot {
        /// Position of the number.
        a: usize,
        /// The slot, below the length of a block.
        slot: usize,
    },
    /// Division by the last prime, with the scale (CKKS).
    Rescale {
        /// Position of a.
        a: usize,
    },
    /// A switch to a lower level: dividing by the primes above it (BGV, BFV), or forgetting them (CKKS).
    SwitchTo {
        /// Position of a.
        a: usize,
        /// The level.
        level: Level,
    },
    /// A bootstrapping of numbers of at most 1, from the lowest level that it's for: they get the levels of fresh ones (CKKS).
    Bootstrap {
        /// Position of a.
        a: usize,
    },
    /// The ciphertexts of a column, added up: what is done with the sum is done once.
    Total {
        /// Position of a.
        a: usize,
    },
    /// The sum over all rows in every slot, of a column of one ciphertext or of a total; of any column in TFHE.
    Sum {
        /// Position of a.
        a: usize,
        /// The factors of the stages that sum over a block.
        factors: Vec<usize>,
    },
    /// a, whose noise is taken for a part of the value (CKKS): the operation that is next was fitted for it.
    Settle {
        /// Position of a.
        a: usize,
        /// Bound on the noise, relative to the scale.
        within: f64,
        /// The noise bound that is left, relative to the scale.
        left: f64,
    },
    /// Functions of the same whole numbers (BGV, BFV), whose results only [`Instruction::Result`] takes. Slots without
    /// rows hold anything afterwards.
    Functions {
        /// Positions of the operands.
        operands: Vec<usize>,
        /// The functions.
        operation: WholeOperation,
    },
    /// A result of some functions.
    Result {
        /// Position of the functions.
        a: usize,
        /// Which result.
        index: usize,
    },
    /// A function of integers (TFHE).
    Integers {
        /// The function.
        #[serde(serialize_with = "integers::serialize")]
        function: Function,
        /// What it's of.
        operands: Vec<IntegerOperand>,
        /// What holds the operands, conditions and places aside, and the result.
        width: Width,
    },
}

/// A multiple of a step's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Position of the step.
    pub a: usize,
    /// The constant, rounded to a multiple of 1/scale.
    pub k: Constant,
    /// What the ciphertext's scale is multiplied by.
    pub scale: f64,
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

impl Instruction {
    /// The positions of the operands.
    pub fn operands(&self) -> impl Iterator<Item = usize> + '_ {
        let (mut many, mut terms): (&[usize], &[Term]) = (&[], &[]);
        let mut integers: &[IntegerOperand] = &[];
        let (first, second) = match *self {
            Self::Input { .. } => (None, None),
            Self::Add { a, b } | Self::Sub { a, b } | Self::Mul { a, b, .. } => (Some(a), Some(b)),
            Self::Functions { ref operands, .. } => {
                many = operands;
                (None, None)
            }
            Self::Multiples { terms: ref summed, .. } => {
                terms = summed;
                (None, None)
            }
            Self::Integers { ref operands, .. } => {
                integers = operands;
                (None, None)
            }
            Self::Neg { a }
            | Self::AddConstant { a, .. }
            | Self::MulConstant { a, .. }
            | Self::MaskRows { a }
            | Self::KeepSlot { a, .. }
            | Self::Rescale { a }
            | Self::SwitchTo { a, .. }
            | Self::Bootstrap { a }
            | Self::Settle { a, .. }
            | Self::Result { a, .. }
            | Self::Total { a }
            | Self::Sum { a, .. } => (Some(a), None),
        };
        let integers = integers.iter().filter_map(|operand| operand.value());
        let many = many.iter().copied().chain(terms.iter().map(|term| term.a));
        first.into_iter().chain(second).chain(many).chain(integers)
    }

    /// Changes the positions of the operands.
    fn each_operand(&mut self, mut f: impl FnMut(&mut usize)) {
        match self {
            Self::Input { .. } => {}
            Self::Add { a, b } | Self::Sub { a, b } | Self::Mul { a, b, .. } => {
                f(a);
                f(b);
            }
            Self::Functions { operands, .. } => operands.iter_mut().for_each(f),
            Self::Multiples { terms, .. } => terms.iter_mut().for_each(|term| f(&mut term.a)),
            Self::Integers { operands, .. } => {
                operands.iter_mut().filter_map(IntegerOperand::value_mut).for_each(f);
            }
            Self::Neg { a }
            | Self::AddConstant { a, .. }
            | Self::MulConstant { a, .. }
            | Self::MaskRows { a }
            | Self::KeepSlot { a, .. }
            | Self::Rescale { a }
            | Self::SwitchTo { a, .. }
            | Self::Bootstrap { a }
            | Self::Settle { a, .. }
            | Self::Result { a, .. }
            | Self::Total { a }
            | Self::Sum { a, .. } => f(a),
        }
    }
}

/// An instruction with what is known of its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The operation.
    #[serde(flatten)]
    pub instruction: Instruction,
    /// A column or a number.
    pub shape: Shape,
    /// Bound on the values, as the program's ranges give it.
    pub bound: f64,
    /// The level of the result.
    pub level: Level,
    /// log2 of the bound on the noise of the result.
    pub noise_bits: f64,
    /// The width of the integers of TFHE, which have no levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// The bootstrappings of it in TFHE: for one row of a column, or in all for a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstraps: Option<usize>,
}

/// A result: a step's value times a factor that the decrypting side multiplies by, in the clear.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The step that computes it.
    pub step: usize,
    /// The factor.
    pub factor: BigRational,
    /// How far approximated functions put the result off at most, noise not counted.
    pub approximation: f64,
}

/// A schedule of operations, each after its operands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Circuit {
    /// What is encrypted of the columns.
    pub inputs: Vec<CircuitInput>,
    /// The operations.
    pub steps: Vec<Step>,
    /// The results.
    pub outputs: Vec<Output>,
}

impl Circuit {
    /// A bound on every output's error under CKKS: that of approximated functions, the noise, and what decryption
    /// loses in double precision.
    pub fn output_errors(&self, params: &Ckks) -> Vec<f64> {
        self.errors_with(params, |_| 0.0)
    }

    /// As [`Circuit::output_errors`], of results that are published under a new key with so many bits of statistical
    /// security, if any: the flooding counts too, of the last of their ciphertexts. It's infinite where there's none so wide.
    pub fn published_errors(&self, params: &Ckks, layout: Layout, statistical_bits: Option<u32>) -> Vec<f64> {
        let Some(bits) = statistical_bits else { return self.output_errors(params) };
        let chunks = |output: &Output| match self.steps[output.step].shape {
            Shape::Column => layout.chunks() as u64,
            Shape::Number => 1,
        };
        let last = NonZeroU64::new(self.outputs.iter().map(chunks).sum()).unwrap_or(NonZeroU64::MIN);
        self.errors_with(params, |noise| {
            Flooding::new(params, noise, last, bits).map_or(f64::INFINITY, |flooding| flooding.norm)
        })
    }

    /// A bound on every output's error, with what is added to a noise at decryption.
    fn errors_with(&self, params: &Ckks, flooding: impl Fn(f64) -> f64) -> Vec<f64> {
        let error = |output: &Output| {
            let step = &self.steps[output.step];
            // Outputs are of degree 1 and may stand below the level of their scale.
            let scale = self.scale_of(params, output.step);
            let decoding = params.encoding_error(Scaled { scale, bound: step.bound });
            let noise = step.noise_bits.exp2();
            let noise = (noise + flooding(noise) + decoding) / scale;
            number::times(noise, &output.factor.abs()) + output.approximation
        };
        self.outputs.iter().map(error).collect()
    }

    /// Whether it bootstraps ciphertexts of CKKS.
    pub fn bootstraps(&self) -> bool {
        self.any(|instruction| matches!(instruction, Instruction::Bootstrap { .. }))
    }

    /// log2 of how far the noise is above what settling it allows, where it's farthest; negative where it's within.
    pub(crate) fn unsettled_bits(&self, params: &Ckks) -> f64 {
        let above = |step: &Step| match step.instruction {
            Instruction::Settle { a, within, .. } => {
                Some(self.steps[a].noise_bits - self.scale_of(params, a).log2() - within.log2())
            }
            _ => None,
        };
        self.steps.iter().filter_map(above).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether some instruction is of a kind.
    pub fn any(&self, is: impl Fn(&Instruction) -> bool) -> bool {
        self.steps.iter().any(|step| is(&step.instruction))
    }

    /// With every product that nothing but one switch takes relinearised to the switch's level in one step.
    fn merged(mut self) -> Self {
        let uses = self.use_counts();
        let mut switches = vec![None; self.steps.len()];
        for (at, step) in self.steps.iter().enumerate() {
            if let Instruction::SwitchTo { a, .. } = step.instruction {
                let is_product = matches!(self.steps[a].instruction, Instruction::Mul { .. });
                switches[a] = (is_product && uses[a] == 1).then_some(at);
            }
        }
        let (mut steps, mut places) = (Vec::new(), Vec::with_capacity(self.steps.len()));
        for (at, step) in self.steps.iter().enumerate() {
            let mut step = match (&step.instruction, switches[at]) {
                (&Instruction::Mul { a, b, .. }, Some(switch)) => {
                    let switched = self.steps[switch].clone();
                    Step { instruction: Instruction::Mul { a, b, level: Some(switched.level) }, ..switched }
                }
                (&Instruction::SwitchTo { a, .. }, _) if switches[a] == Some(at) => {
                    places.push(places[a]);
                    continue;
                }
                _ => step.clone(),
            };
            step.instruction.each_operand(|operand| *operand = places[*operand]);
            places.push(steps.len());
            steps.push(step);
        }
        self.outputs.iter_mut().for_each(|output| output.step = places[output.step]);
        Self { steps, ..self }
    }

    /// The columns that are encrypted, each once.
    pub fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for input in &self.inputs {
            if !columns.contains(&input.column) {
                columns.push(input.column.clone());
            }
        }
        columns
    }

    /// For every step, the position of the last step that uses it: itself if none does, the end for outputs.
    pub fn last_uses(&self) -> Vec<usize> {
        let mut last: Vec<usize> = (0..self.steps.len()).collect();
        for (at, step) in self.steps.iter().enumerate() {
            step.instruction.operands().for_each(|operand| last[operand] = at);
        }
        for output in &self.outputs {
            last[output.step] = self.steps.len();
        }
        last
    }

    /// How often every step's value is used, by other steps and as an output.
    pub(crate) fn use_counts(&self) -> Vec<usize> {
        let mut uses = vec![0; self.steps.len()];
        self.steps.iter().flat_map(|step| step.instruction.operands()).for_each(|operand| uses[operand] += 1);
        self.outputs.iter().for_each(|output| uses[output.step] += 1);
        uses
    }

    /// The step of every input.
    pub(crate) fn input_steps(&self) -> Vec<usize> {
        let mut steps = vec![0; self.inputs.len()];
        for (at, step) in self.steps.iter().enumerate() {
            if let Instruction::Input { input } = step.instruction {
                steps[input] = at;
            }
        }
        steps
    }

    /// The steps in waves: those of a wave depend on earlier waves only, and can be carried out side by side.
    pub fn waves(&self) -> Vec<Vec<usize>> {
        self.waves_of(&(0..self.steps.len()).collect::<Vec<_>>())
    }

    /// Some steps, in rising order, in waves.
    pub(crate) fn waves_of(&self, steps: &[usize]) -> Vec<Vec<usize>> {
        let mut next = vec![0; self.steps.len()];
        let mut waves: Vec<Vec<usize>> = Vec::new();
        for &at in steps {
            let wave = self.steps[at].instruction.operands().map(|operand| next[operand]).max().unwrap_or(0);
            next[at] = wave + 1;
            waves.resize_with(waves.len().max(wave + 1), Vec::new);
            waves[wave].push(at);
        }
        waves
    }

    /// The scale of an output's ciphertext: that of the level where its last rescaling (or encryption) left it.
    pub fn scale_of(&self, params: &Ckks, step: usize) -> f64 {
        match self.steps[step].instruction {
            Instruction::SwitchTo { a, .. }
            | Instruction::Neg { a }
            | Instruction::AddConstant { a, .. }
            | Instruction::Add { a, .. }
            | Instruction::Sub { a, .. }
            | Instruction::Total { a }
            | Instruction::Sum { a, .. }
            | Instruction::Settle { a, .. }
            | Instruction::Result { a, .. } => self.scale_of(params, a),
            Instruction::Functions { ref operands, .. } => self.scale_of(params, operands[0]),
            Instruction::Multiples { ref terms, .. } => self.scale_of(params, terms[0].a) * terms[0].scale,
            Instruction::MulConstant { a, scale, .. } => self.scale_of(params, a) * scale,
            Instruction::Integers { .. } => unreachable!("integers have no scale"),
            Instruction::Mul { .. } | Instruction::MaskRows { .. } | Instruction::KeepSlot { .. } => {
                params.scale_at(self.steps[step].level).powi(2)
            }
            Instruction::Input { .. } => params.scale_at(params.max_level()),
            Instruction::Rescale { .. } | Instruction::Bootstrap { .. } => {
                params.scale_at(self.steps[step].level)
            }
        }
    }
}
