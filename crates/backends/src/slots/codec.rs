//! Ciphertexts of schemes with slots in checkpoints.

use std::sync::OnceLock;

use asanoha_lattice::{FileError, FileReader, FileWriter, RlweCiphertext};
use asanoha_scheme::{Ciphertext, Predictor, SchemeError, State};

use asanoha_compile::{Circuit, Layout, Op, Output};
use asanoha_lang::Shape;

use crate::checkpoints::codec::{Codec, Form};
use crate::checkpoints::part::Part;
use crate::reencryptions::Reencryptions;
use crate::slots::engine::{CiphertextsOf, Columns, Engine, place_of, values_of_column};
use crate::slots::numbers::Planned;
use crate::slots::states::states_of;

/// Ciphertexts of the steps of a plan.
pub(crate) struct SlotsCodec<'a, S: Planned> {
    circuit: &'a Circuit,
    layout: Layout,
    scheme: &'a S,
    reencryptions: Reencryptions,
    /// What the plan gives of the values of every step.
    states: OnceLock<Option<Vec<CiphertextsOf<State<S>>>>>,
}

impl<'a, S: Planned> SlotsCodec<'a, S> {
    /// For inputs that were re-encrypted so often.
    pub(crate) fn new(
        scheme: &'a S,
        circuit: &'a Circuit,
        layout: Layout,
        reencryptions: Reencryptions,
    ) -> Self {
        Self { circuit, layout, scheme, reencryptions, states: OnceLock::new() }
    }

    /// How many values a part of a step has.
    fn values(&self, step: usize) -> usize {
        match &self.circuit.steps[step].instruction {
            Op::Functions(_, operation) => operation.results(),
            _ => 1,
        }
    }

    fn states(&self) -> Option<&[CiphertextsOf<State<S>>]> {
        let derive = || {
            let circuit = self.circuit;
            let output = |step| Output {
                name: String::new(),
                step,
                factor: num_traits::One::one(),
                approximation: 0.0,
            };
            let outputs = (0..circuit.steps.len()).map(output).collect();
            let of_all = Circuit { outputs, ..circuit.clone() };
            states_of(self.scheme, &of_all, self.layout, self.reencryptions).ok()
        };
        self.states.get_or_init(derive).as_deref()
    }

    /// What the plan gives of a value.
    fn state(&self, part: Part, index: usize) -> Option<State<S>> {
        let layout = self.layout;
        let place = |chunk| place_of::<Columns<S, State<S>>>(layout, chunk);
        match part {
            Part::Value { step, place: chunk } => {
                let is_column = self.circuit.steps.get(step)?.shape == Shape::Column;
                let count = if is_column { values_of_column::<Columns<S, State<S>>>(layout) } else { 1 };
                let chunk = if is_column { place(chunk) } else { 0 };
                self.states()?.get(step)?.get(index * count + chunk).cloned()
            }
            Part::Sum { step, count } => {
                let of = self.circuit.steps.get(step)?.instruction.operands().next()?;
                let states = self.states()?.get(of)?;
                self.sum(states, count, place).ok()
            }
        }
    }

    fn sum(
        &self,
        states: &[State<S>],
        count: usize,
        place: impl Fn(usize) -> usize,
    ) -> Result<State<S>, SchemeError> {
        let predictor = Columns::new(Predictor::new(self.scheme), self.layout);
        let mut sum = states[0].clone();
        (1..count).try_for_each(|chunk| predictor.add(&mut sum, &states[place(chunk)]))?;
        Ok(sum)
    }
}

impl<S: Planned> Codec for SlotsCodec<'_, S> {
    type Value = Ciphertext<S>;

    fn places(&self) -> usize {
        self.layout.chunks()
    }

    fn form(&self, part: Part) -> Option<Form> {
        let level = self.state(part, 0)?.level;
        let shape = vec![2, level.0 + 1, self.scheme.rlwe().ring_degree()];
        Some(Form { values: self.values(part.step()), shape })
    }

    fn fits(&self, value: &Ciphertext<S>) -> bool {
        value.parts() == 2
    }

    fn bytes(&self, value: &Ciphertext<S>) -> u64 {
        value.rlwe().parts.iter().map(|part| size_of_val(part.words()) as u64).sum()
    }

    fn put<'v>(&self, value: &'v Ciphertext<S>, file: &mut FileWriter<'v>, name: &str) {
        value.rlwe().put(file, name);
    }

    fn get(
        &self,
        file: &FileReader<'_>,
        name: &str,
        part: Part,
        index: usize,
    ) -> Result<Ciphertext<S>, FileError> {
        let (rlwe, _) = RlweCiphertext::get(self.scheme.rlwe(), file, name)?;
        let state =
            self.state(part, index).ok_or_else(|| file.error("the plan has no state for its values"))?;
        Ciphertext::from_checked_parts(self.scheme, rlwe, state)
            .map_err(|error| file.error(format!("{name}: {error}")))
    }
}
