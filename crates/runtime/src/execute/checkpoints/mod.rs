//! Checkpoints: what an evaluation has finished, in a folder, so that a later one on the same plan, keys and inputs goes on from it.
//!
//! A checkpoint is any set of values of steps that are needed still. Whatever of it is missing or can't be used is computed again, so
//! nothing depends on which files there are. Values are bound to the plan, the file of keys and the file of inputs by digests.

mod folder;
mod integers;
mod needed;
mod pace;
mod slots;

use std::{collections::BTreeMap, path::Path};

use asanoha_lattice::{FileError, FileHeader, FileReader, FileWriter, KeyId};
use serde::{Deserialize, Serialize};

pub use folder::{CheckpointError, Checkpoints};
pub(super) use integers::IntegerCodec;
pub(crate) use needed::{Finished, Needed};
pub(crate) use pace::Clock;
pub(super) use slots::SlotsCodec;

use super::reencryption::Reencryptions;
use crate::{
    plan::{Plan, SchemeParams},
    program::Shape,
};
use asanoha_backends::slots::Values;
use asanoha_compile::{LevelOp, Op};

/// The kind of the files.
const KIND: &str = "unfinished evaluation";
/// The most values in a file: each has an entry in the header.
const MAX_PARTS: usize = 4096;
/// The size from which on a file gets no more values.
const FILE_BYTES: u64 = 64 << 20;

/// Something that a walk finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The value of a step: of a ciphertext of a column (in TFHE a row), or of a number, whose place is 0.
    Value {
        /// The step.
        step: usize,
        /// The ciphertext or the row.
        place: usize,
    },
    /// The sum over the first ciphertexts of a column, for a total.
    Sum {
        /// The step of the total.
        step: usize,
        /// How many are summed.
        count: usize,
    },
}

impl Part {
    fn step(self) -> usize {
        match self {
            Self::Value { step, .. } | Self::Sum { step, .. } => step,
        }
    }

    fn is_sum(self) -> bool {
        matches!(self, Self::Sum { .. })
    }

    /// The place, or how many are summed.
    fn number(self) -> usize {
        match self {
            Self::Value { place: number, .. } | Self::Sum { count: number, .. } => number,
        }
    }
}

/// Parts, each with its values.
pub(crate) type Parts<'v, V> = Vec<(Part, &'v [V])>;

/// Some of them.
type PartSlice<'p, 'v, V> = &'p [(Part, &'v [V])];

/// Where a walk puts what it has finished.
pub(crate) trait Keeper<V>: Sync {
    /// Whether it keeps anything.
    fn keeps(&self) -> bool;

    /// Hears that there may be something to keep: `live` lists all that is needed still, `is_live` says whether something is that may
    /// have been kept before.
    fn offer<'v>(&self, clock: &mut Clock, live: &dyn Fn() -> Parts<'v, V>, is_live: &dyn Fn(Part) -> bool)
    where
        V: 'v;
}

/// Keeps nothing.
pub(crate) struct Unkept;

impl<V> Keeper<V> for Unkept {
    fn keeps(&self) -> bool {
        false
    }

    fn offer<'v>(&self, _: &mut Clock, _: &dyn Fn() -> Parts<'v, V>, _: &dyn Fn(Part) -> bool)
    where
        V: 'v,
    {
    }
}

/// How values of a scheme stand in files.
pub(crate) trait Codec: Sync {
    /// A ciphertext, or an integer.
    type Value: Clone + Send + Sync;

    /// What parts of a step are, if it can have any.
    fn form(&self, part: Part) -> Option<Form>;

    /// Whether a value can be read again.
    fn fits(&self, _value: &Self::Value) -> bool {
        true
    }

    /// Its length in bytes.
    fn bytes(&self, value: &Self::Value) -> u64;

    /// Adds a value to a file.
    fn put<'v>(&self, value: &'v Self::Value, file: &mut FileWriter<'v>, name: &str);

    /// Reads a value, whose state is what the plan gives.
    ///
    /// # Errors
    /// What isn't such a value.
    fn get(
        &self,
        file: &FileReader<'_>,
        name: &str,
        part: Part,
        index: usize,
    ) -> Result<Self::Value, FileError>;
}

/// The form of a part in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// How many values it has: more than one for functions that have several results.
    values: usize,
    /// The dimensions of each.
    shape: Vec<usize>,
}

/// The places of a column's values that a walk has apart: its ciphertexts, or its rows in TFHE.
fn places(plan: &Plan) -> usize {
    match plan.params {
        SchemeParams::Tfhe(_) => plan.schema.rows,
        _ => plan.layout().chunks(),
    }
}

/// Whether a walk of a plan can finish a part.
fn is_part_of(plan: &Plan, part: Part) -> bool {
    let Some(step) = plan.circuit.steps.get(part.step()) else { return false };
    let places = places(plan);
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

/// The digest of all that decides the values of an evaluation.
fn evaluation(plan: &Plan, key: KeyId, keys: &str, inputs: &str) -> String {
    let mut hash = blake3::Hasher::new();
    let version = env!("CARGO_PKG_VERSION");
    for part in [KIND, version, plan.params.digest(), &plan.digest(), &key.to_string(), keys, inputs] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

/// An evaluation that keeps what it finishes in a folder.
pub(super) struct Kept<'a, C> {
    checkpoints: &'a Checkpoints,
    plan: &'a Plan,
    evaluation: String,
    key: KeyId,
    seeded: bool,
    codec: C,
}

impl<'a, C: Codec> Kept<'a, C> {
    /// Of values of a codec.
    pub(super) fn new(plan: &'a Plan, of: &Evaluation<'a>, codec: C) -> Self {
        let Evaluation { checkpoints, ref digest, key, seeded, .. } = *of;
        Self { checkpoints, plan, evaluation: digest.clone(), key, seeded, codec }
    }

    /// Reads what is in the folder, as far as it's of this evaluation and whole.
    pub(super) fn finished(&self) -> Finished<C::Value> {
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
    fn read(&self, path: &Path) -> Result<Option<(Vec<Part>, Vec<Values<C::Value>>)>, FileError> {
        let summary = FileReader::summary(path)?;
        let params = self.plan.params.digest();
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
            fields.parts().zip(&forms).map(value).collect::<Result<Vec<Values<_>>, _>>()
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
        let form = |part: Part| self.codec.form(part).filter(|_| is_part_of(self.plan, part));
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
        let header = self.plan.params.file_header(self.key, KIND, fields);
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
    fn keeps(&self) -> bool {
        true
    }

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

/// What checkpoints are of.
pub(super) struct Evaluation<'a> {
    checkpoints: &'a Checkpoints,
    digest: String,
    key: KeyId,
    seeded: bool,
    reencryptions: Reencryptions,
}

impl<'a> Evaluation<'a> {
    /// Of an evaluation whose keys and inputs are files; `None` if they have no digests.
    pub(super) fn new(
        checkpoints: &'a Checkpoints,
        plan: &Plan,
        (key, seeded): (KeyId, bool),
        (keys, inputs): (Option<&str>, Option<&str>),
        reencryptions: Reencryptions,
    ) -> Option<Self> {
        // Re-encrypted inputs state the digest of those that were encrypted.
        let inputs = format!("{} {}", inputs?, reencryptions.inputs);
        let digest = evaluation(plan, key, keys?, &inputs);
        Some(Self { checkpoints, digest, key, seeded, reencryptions })
    }

    /// How often the inputs were re-encrypted.
    pub(super) fn reencryptions(&self) -> Reencryptions {
        self.reencryptions
    }
}
