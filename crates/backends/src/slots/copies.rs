//! The slots of honest results whose values are known from others: copies of rows, and zeros behind the rows.
//!
//! All operations but sums and kept slots work slot by slot, inputs repeat after a block of slots, and a sum over a block stands in every slot.
//! So honest results repeat, too. What a server adds to a ciphertext without the keys of automorphisms, such as a multiple of the secret key,
//! repeats only if its polynomial happens to lie in a subring.

use asanoha_ckks::Complex64;
use asanoha_compile::{Circuit, Instruction, Layout, LevelOp, Op, Output};
use asanoha_lang::Shape;

use crate::altered::{AlteredResult, Finding, ResultPlace};
use crate::backend_error::BackendError;

/// The known slots of every output.
#[derive(Debug)]
pub(crate) struct Copies {
    layout: Layout,
    outputs: Vec<Known>,
    /// Whether every column of the schedule has zeros behind its rows, and the noise of every value keeps its bound in all slots.
    is_plain: bool,
}

/// The known slots of an output.
#[derive(Debug)]
struct Known {
    name: String,
    /// The values repeat after so many slots.
    period: usize,
    is_column: bool,
    /// Whether slots behind the rows hold zeros.
    zeros: bool,
}

impl Copies {
    pub(crate) fn new(circuit: &Circuit, layout: Layout) -> Self {
        let (periods, zeros) = (periods(circuit, layout.block()), zeros(circuit));
        let is_column = |at: usize| circuit.steps[at].shape == Shape::Column;
        let adds_noise =
            |op: &Instruction| matches!(op, Op::AbsorbNoise { .. } | Op::Own(LevelOp::Bootstrap(_)));
        let is_plain = (0..circuit.steps.len())
            .all(|at| !adds_noise(&circuit.steps[at].instruction) && (zeros[at] || !is_column(at)));
        let known = |output: &Output| {
            let (name, at) = (output.name.clone(), output.step);
            Known { name, period: periods[at], is_column: is_column(at), zeros: zeros[at] }
        };
        let outputs = circuit.outputs.iter().map(known).collect();
        Self { layout, outputs, is_plain }
    }

    /// Compares all slots of an output's ciphertext with those that they repeat, and with zero behind the rows.
    ///
    /// # Errors
    /// [`Finding::Copies`].
    pub(crate) fn check_all<T: PartialEq + Default>(
        &self,
        output: usize,
        chunk: usize,
        slots: &[T],
    ) -> Result<(), BackendError> {
        let Known { period, is_column, zeros, .. } = self.outputs[output];
        let repeat = slots.iter().enumerate().skip(period).all(|(at, slot)| *slot == slots[at % period]);
        let mut behind_rows = slots[..period].iter().skip(self.layout.chunk(chunk).len());
        let vanish = !(is_column && zeros) || behind_rows.all(|slot| *slot == T::default());
        if repeat && vanish { Ok(()) } else { Err(self.altered(output, chunk)) }
    }

    /// Compares the slots that hold rows of an output's ciphertext with those that they repeat: both are within a bound of the right value.
    /// If [`Copies::is_plain`], imaginary parts and slots behind the rows are also compared with zero; elsewhere noise that polynomials
    /// absorbed has another bound there.
    ///
    /// # Errors
    /// [`Finding::Copies`].
    pub(crate) fn check_within(
        &self,
        output: usize,
        chunk: usize,
        slots: &[Complex64],
        bound: f64,
    ) -> Result<(), BackendError> {
        let Known { period, is_column, .. } = self.outputs[output];
        let rows = if is_column { self.layout.chunk(chunk).len() } else { 1 };
        let agrees = |(at, slot): (usize, &Complex64)| {
            let place = at % period;
            let has_row = place < rows;
            let repeats = !has_row || (slot.re - slots[place].re).abs() <= 2.0 * bound;
            let vanishes = !self.is_plain
                || (slot.im.abs() <= bound && (has_row || !is_column || slot.re.abs() <= bound));
            repeats && vanishes
        };
        let agree = slots.iter().enumerate().all(agrees);
        if agree { Ok(()) } else { Err(self.altered(output, chunk)) }
    }

    fn altered(&self, output: usize, chunk: usize) -> BackendError {
        let Known { ref name, is_column, .. } = self.outputs[output];
        let place = ResultPlace::of_chunk(name, is_column, self.layout, chunk);
        AlteredResult { place, finding: Finding::Copies }.into()
    }
}

/// After how many slots the values of each step repeat: 1, or those of a block.
fn periods(circuit: &Circuit, block: usize) -> Vec<usize> {
    let mut periods: Vec<usize> = Vec::with_capacity(circuit.steps.len());
    for step in &circuit.steps {
        let period = match step.instruction {
            Op::Input(_) | Op::KeepSlot(..) | Op::MaskRows(_) => block,
            Op::Sum(..) => 1,
            _ if step.shape == Shape::Column => block,
            _ => step.instruction.operands().map(|operand| periods[operand]).max().unwrap_or(block),
        };
        periods.push(period);
    }
    periods
}

/// Whether each step is a column with zeros in the slots behind its rows.
fn zeros(circuit: &Circuit) -> Vec<bool> {
    let mut zeros: Vec<bool> = Vec::with_capacity(circuit.steps.len());
    for step in &circuit.steps {
        let mut operands = step.instruction.operands().map(|operand| zeros[operand]);
        let zero = match step.instruction {
            Op::Input(_) | Op::MaskRows(_) => true,
            Op::Mul(..) | Op::Own(LevelOp::MulTo(..)) => operands.any(|zero| zero),
            Op::Add(..)
            | Op::Sub(..)
            | Op::Neg(_)
            | Op::AddConstant(..)
            | Op::MulConstant(..)
            | Op::Own(LevelOp::Rescale(_) | LevelOp::SwitchTo(..) | LevelOp::Multiples(..)) => {
                operands.all(|zero| zero)
            }
            _ => false,
        };
        zeros.push(zero && step.shape == Shape::Column);
    }
    zeros
}
