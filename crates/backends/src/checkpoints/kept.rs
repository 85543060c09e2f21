//! Files of finished parts.

use std::{collections::BTreeMap, path::Path};

use asanoha_compile::{Circuit, LevelOp, Op};
use asanoha_lang::Shape;
use asanoha_lattice::{FileError, FileHeader, FileReader, FileWriter, KeyId};
use serde::{Deserialize, Serialize};

use super::codec::{Codec, Form};
use super::evaluation::{Evaluation, KIND};
use super::folder::Checkpoints;
use super::keeper::Keeper;
use super::needed::Finished;
use super::pace::Clock;
use super::part::{Part, PartSlice, Parts};
use crate::params::Parameters;

/// The most values in a file: each has an entry in the header.
const MAX_PARTS: usize = 4096;
/// The size from which on a file gets no more values.
const FILE_BYTES: u64 = 64 << 20;

/// Whether a walk of a schedule, on columns of so many places, can finish a part.
fn is_part_of(circuit: &Circuit, places: usize, part: Part) -> bool {
    let Some(step) = circuit.steps.get(part.step()) else { return false };
    match (part, &step.instruction) {
        (_, Op::Input(_)) => false,
        (Part::Value { place, .. }, _) => place < if step.shape == Shape::Column { places } else { 1 },
        // Where a column has one ciphertext, a total is a step like others.
        (Part::Sum { count, .. }, Op::Own(LevelOp::Total(_))) => places > 1 && (1..=places).contains(&count),
        (Part::Sum { .. }, _) => false,
    }
}

/// What stands beside the values of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// The digest of all that decides the values.
    evaluation: String,
    step: usize,
    /// Whether the values are sums so far, and the places how many ciphertexts are summed.
    sums: bool,
    places: Vec<usize>,
}

impl Fields {
    fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let (step, sums) = (self.step, self.sums);
        self.places.iter().map(move |&number| {
            if sums { Part::Sum { step, count: number } } else { Part::Value { step, place: number } }
        })
    }
}

/// The name of a value of a part.
fn tensor_name(part: Part, index: usize) -> String {
    format!("{}.{index}", part.number())
}

/// An evaluation that keeps what it finishes in a folder.
pub(crate) struct Kept<'a, C> {
    checkpoints: &'a Checkpoints,
    circuit: &'a Circuit,
    params: &'a dyn Parameters,
    evaluation: String,
    key: KeyId,
    seeded: bool,
    codec: C,
}

impl<'a, C: Codec> Kept<'a, C> {
    /// Of values of a codec.
    pub(crate) fn new(
        (params, circuit): (&'a dyn Parameters, &'a Circuit),
        of: &Evaluation<'a>,
        codec: C,
    ) -> Self {
        let Evaluation { checkpoints, ref digest, key, seeded, .. } = *of;
        Self { checkpoints, circuit, params, evaluation: digest.clone(), key, seeded, codec }
    }

    /// Reads what is in the folder, as far as it's of this evaluation and whole.
    pub(crate) fn finished(&self) -> Finished<C::Value> {
        let mut finished = Finished::default();
        for path in self.checkpoints.leftovers() {
            match self.read(&path) {
                Ok(Some((parts, values))) => {
                    self.checkpoints.found(path, &parts);
                    for (part, values) in parts.into_iter().zip(values) {
                        match part {
                            Part::Value { step, place } => _ = finished.values.insert((step, place), values),
                            Part::Sum { step, count } => {
                                let sum = values.into_iter().next().map(|value| (count, value));
                                let sums: &mut BTreeMap<_, _> = &mut finished.sums;
                                if sums.get(&step).is_none_or(|&(before, _)| before < count) {
                                    sums.extend(sum.map(|sum| (step, sum)));
                                }
                            }
                        }
                    }
                }
                Ok(None) => self.checkpoints.foreign(path),
                Err(error) => self.checkpoints.damaged(path, &error),
            }
        }
        self.checkpoints.looked_through();
        finished
    }

    /// The parts in a file and their values; `None` if it's of another evaluation.
    #[expect(clippy::type_complexity, reason = "parts and values")]
    fn read(&self, path: &Path) -> Result<Option<(Vec<Part>, Vec<Vec<C::Value>>)>, FileError> {
        let summary = FileReader::summary(path)?;
        let params = self.params.digest();
        if summary.header.check(KIND, params).is_err() || !self.is_of(&summary.header) {
            return Ok(None);
        }
        // Before as much is read as the file is long.
        let (fields, forms) =
            self.forms(&summary.header).map_err(|problem| FileError::content(path, problem))?;
        let expected: BTreeMap<String, &[usize]> = fields
            .parts()
            .zip(&forms)
            .flat_map(|(part, form)| (0..form.values).map(move |at| (tensor_name(part, at), &*form.shape)))
            .collect();
        let mut found = summary.tensors.iter();
        if found.len() != expected.len()
            || !found.all(|(name, info)| expected.get(name) == Some(&&*info.shape))
        {
            return Err(FileError::content(path, "its values aren't those of the plan"));
        }
        let (_, values) = FileReader::read_beside(path, KIND, params, |file| {
            if self.forms(file.header()).ok().is_none_or(|(again, _)| again != fields) {
                return Err(file.error("it was changed while it was read"));
            }
            let value = |(part, form): (Part, &Form)| {
                (0..form.values).map(|at| self.codec.get(file, &tensor_name(part, at), part, at)).collect()
            };
            fields.parts().zip(&forms).map(value).collect::<Result<Vec<Vec<_>>, _>>()
        })?;
        Ok(Some((fields.parts().collect(), values)))
    }

    fn is_of(&self, header: &FileHeader) -> bool {
        header.fields.get("evaluation").and_then(|value| value.as_str()) == Some(&self.evaluation)
    }

    /// What a header of this evaluation states, and the form of every part.
    fn forms(&self, header: &FileHeader) -> Result<(Fields, Vec<Form>), String> {
        let fields = Fields::deserialize(&header.fields)
            .map_err(|error| format!("its header doesn't describe an evaluation: {error}"))?;
        let form = |part: Part| {
            self.codec.form(part).filter(|_| is_part_of(self.circuit, self.codec.places(), part))
        };
        let forms: Option<Vec<Form>> = fields.parts().map(form).collect();
        match forms {
            Some(forms) if header.key == self.key && fields.evaluation == self.evaluation => {
                Ok((fields, forms))
            }
            _ => Err("it states values that the evaluation hasn't".to_owned()),
        }
    }

    /// The bytes of a file of parts of one step.
    fn file(&self, parts: &[(Part, &[C::Value])]) -> Result<Vec<u8>, FileError> {
        let fields = serde_json::to_value(Fields {
            evaluation: self.evaluation.clone(),
            step: parts[0].0.step(),
            sums: parts[0].0.is_sum(),
            places: parts.iter().map(|(part, _)| part.number()).collect(),
        })
        .expect("plain data");
        let header = self.params.file_header(self.key, KIND, fields);
        let mut file = FileWriter::new(FileHeader { seeded: self.seeded || header.seeded, ..header });
        for &(part, values) in parts {
            for (at, value) in values.iter().enumerate() {
                self.codec.put(value, &mut file, &tensor_name(part, at));
            }
        }
        let mut bytes = Vec::new();
        file.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Parts that go into one file each time: of one step, and neither too many nor too large.
    fn files<'p, 'v>(&self, parts: PartSlice<'p, 'v, C::Value>) -> Vec<PartSlice<'p, 'v, C::Value>> {
        let (mut bytes, mut count) = (0, 0);
        let together = |a: &(Part, &[C::Value]), b: &(Part, &[C::Value])| {
            bytes += self.bytes(a.1);
            count += 1;
            let fits = bytes < FILE_BYTES && count < MAX_PARTS;
            let alike = (a.0.step(), a.0.is_sum()) == (b.0.step(), b.0.is_sum());
            if !(fits && alike) {
                (bytes, count) = (0, 0);
            }
            fits && alike
        };
        parts.chunk_by(together).collect()
    }

    fn bytes(&self, values: &[C::Value]) -> u64 {
        values.iter().map(|value| self.codec.bytes(value)).sum()
    }
}

impl<C: Codec> Keeper<C::Value> for Kept<'_, C> {
    fn offer<'v>(
        &self,
        clock: &mut Clock,
        live: &dyn Fn() -> Parts<'v, C::Value>,
        is_live: &dyn Fn(Part) -> bool,
    ) where
        C::Value: 'v,
    {
        if !self.checkpoints.is_time(clock) {
            return;
        }
        let readable = |values: &[C::Value]| values.iter().all(|value| self.codec.fits(value));
        let mut new = live();
        new.retain(|&(part, values)| self.checkpoints.is_new(part) && readable(values));
        new.sort_by_key(|&(part, _)| (part.step(), part));
        let bytes = new.iter().map(|(_, values)| self.bytes(values)).sum();
        if !self.checkpoints.pays(clock, bytes) {
            return;
        }
        self.checkpoints.keep(bytes, || {
            for parts in self.files(&new) {
                let of: Vec<Part> = parts.iter().map(|&(part, _)| part).collect();
                self.checkpoints.write(&of, &self.file(parts)?)?;
            }
            Ok(())
        });
        self.checkpoints.remove_dead(is_live);
        clock.restart();
    }
}
