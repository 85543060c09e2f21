//! What the schedules of all schemes share.

use std::borrow::Cow;

use asanoha_compile::{Circuit, Instruction, Layout, LevelOp, Op, Step};
use asanoha_lang::Shape;
use asanoha_lattice::Level;
use asanoha_scheme::{Model, Predictor, State, sum_factors};

use crate::error::NoSchedule;
use crate::slots::engine::{Columns, Span, apply};
use crate::slots::numbers::Planned;

/// The steps of a schedule, with what the noise model knows of their values.
pub(crate) struct Schedule<S: Planned> {
    predictor: Columns<S, State<S>>,
    layout: Layout,
    pub steps: Vec<Step>,
    states: Vec<Vec<State<S>>>,
}

impl<S: Planned> Schedule<S> {
    /// An empty one, for columns of so many rows.
    pub(crate) fn new(scheme: &S, rows: usize) -> Self {
        let layout = Layout::new(rows, scheme.slots());
        let predictor = Columns::new(Predictor::new(scheme), layout);
        Self { predictor, layout, steps: Vec::new(), states: Vec::new() }
    }

    /// The noise model.
    pub(crate) fn model(&self) -> &Model<S> {
        self.predictor.operations().model()
    }

    /// Adds a step; its position. Inputs are of the highest level.
    pub(crate) fn push(
        &mut self,
        instruction: Instruction,
        bound: f64,
        shape: Shape,
    ) -> Result<usize, NoSchedule> {
        let highest = self.model().scheme().max_level();
        self.push_with(instruction, bound, shape, highest)
    }

    /// As [`Schedule::push`], with the level of an input.
    fn push_with(
        &mut self,
        instruction: Instruction,
        bound: f64,
        shape: Shape,
        level_of_input: Level,
    ) -> Result<usize, NoSchedule> {
        let mut step = Step {
            instruction,
            shape,
            bound,
            level: Level(0),
            noise_bits: 0.0,
            width: None,
            bootstraps: None,
        };
        let states = if let Op::Input(_) = step.instruction {
            self.predictor.fresh_column(bound, level_of_input)?
        } else {
            let operands = step.instruction.operands().map(|at| Cow::Borrowed(&self.states[at][..]));
            apply(&self.predictor, self.layout, self.span(), &step, operands.collect())?
        };
        step.level = states[0].level;
        self.steps.push(step);
        self.states.push(states);
        let last = self.steps.len() - 1;
        self.steps[last].noise_bits = self.noisiest(last).noise.log2();
        Ok(last)
    }

    fn span(&self) -> Span {
        Span::whole::<Columns<S, State<S>>>(self.layout)
    }

    /// The steps, which are to be added anew.
    pub(crate) fn restart(&mut self) -> Vec<Step> {
        self.states.clear();
        std::mem::take(&mut self.steps)
    }

    /// The state of the noisiest ciphertext of a step.
    pub(crate) fn noisiest(&self, step: usize) -> &State<S> {
        self.states[step].iter().max_by_key(|state| state.noise).expect("a value has a ciphertext")
    }

    /// The lowest level at which a step's value still decrypts: less to send and to decrypt.
    pub(crate) fn lowest_decryptable(&self, step: usize) -> Level {
        let state = self.noisiest(step);
        let mut level = state.level;
        while level.0 > 0 && self.predictor.operations().lowered(state, Level(level.0 - 1)).is_ok() {
            level.0 -= 1;
        }
        level
    }

    /// Whether columns have several ciphertexts, which have to be added up.
    pub(crate) fn has_totals(&self) -> bool {
        self.layout.chunks() > 1
    }

    /// The step that holds a column's ciphertexts, added up: the column itself where it has one.
    pub(crate) fn total(&mut self, a: usize) -> Result<usize, NoSchedule> {
        if !self.has_totals() {
            return Ok(a);
        }
        // Some rows' sum may be larger than that of all is known to be.
        let bound = (self.steps[a].bound * self.layout.chunks() as f64).min(f64::MAX);
        self.push(Op::Own(LevelOp::Total(a)), bound, Shape::Number)
    }

    /// The sum over the rows of a step that holds a column's ciphertexts, added up.
    pub(crate) fn sum(&self, a: usize) -> Instruction {
        Op::Sum(a, sum_factors(self.model().scheme().rlwe(), self.layout.block()))
    }
}

/// A schedule whose inputs are encrypted at the highest levels at which something takes them: fewer bytes for the client to send.
/// They are left at the highest level of all where the schedule doesn't hold otherwise, as fresh noise at a level may be above that
/// of a ciphertext that came down to it.
pub(crate) fn with_low_inputs<S: Planned>(circuit: Circuit, scheme: &S, rows: usize) -> Circuit {
    let levels = levels_of_uses(&circuit);
    let is_input = |step: &Step| matches!(step.instruction, Op::Input(_));
    if circuit.steps.iter().zip(&levels).all(|(step, &level)| !is_input(step) || level == step.level) {
        return circuit;
    }
    let mut schedule = Schedule::new(scheme, rows);
    let mut places = Vec::with_capacity(circuit.steps.len());
    for (step, &level) in circuit.steps.iter().zip(&levels) {
        let mut instruction = step.instruction.clone();
        instruction.each_operand(|operand| *operand = places[*operand]);
        let place = match instruction {
            // What is there already.
            Op::Own(LevelOp::SwitchTo(a, level)) if schedule.steps[a].level == level => Ok(a),
            instruction => schedule.push_with(instruction, step.bound, step.shape, level),
        };
        let Ok(place) = place else { return circuit };
        places.push(place);
    }
    let Circuit { inputs, mut outputs, .. } = circuit;
    outputs.iter_mut().for_each(|output| output.step = places[output.step]);
    Circuit { inputs, steps: schedule.steps, outputs }
}

/// The highest level at which every step's value is taken.
fn levels_of_uses(circuit: &Circuit) -> Vec<Level> {
    let mut levels = vec![Level(0); circuit.steps.len()];
    let mut take = |step: usize, level: Level| levels[step] = levels[step].max(level);
    for step in &circuit.steps {
        for operand in step.instruction.operands() {
            let own = circuit.steps[operand].level;
            take(
                operand,
                match step.instruction {
                    Op::Own(LevelOp::SwitchTo(_, level) | LevelOp::Multiples(_, level)) => level,
                    _ => own,
                },
            );
        }
    }
    circuit.outputs.iter().for_each(|output| take(output.step, circuit.steps[output.step].level));
    levels
}
