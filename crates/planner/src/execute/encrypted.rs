//! Encrypted columns and results, in memory and in files.

use std::path::Path;

use asanoha_bfv::{BfvCiphertext, Noise};
use asanoha_bgv::BgvCiphertext;
use asanoha_ckks::CkksCiphertext;
use asanoha_lattice::{
    FileError, FileHeader, FileReader, FileWriter, JsonInteger, KeyId, Norm, RlweCiphertext,
};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    circuit::input_names,
    plan::{Plan, SchemeParams},
};

/// Named values, each a list of ciphertexts: the input columns of a plan, or its outputs.
#[derive(Clone, Debug)]
pub struct Encrypted {
    /// The key generation that they belong to.
    pub key: KeyId,
    /// Whether their keys or their encryption were made from a given seed.
    pub seeded: bool,
    /// The ciphertexts of every value.
    pub values: Ciphertexts,
}

/// Ciphertexts of one scheme or another.
#[derive(Clone, Debug)]
pub enum Ciphertexts {
    /// Under BGV.
    Bgv(Vec<Vec<BgvCiphertext>>),
    /// Under BFV.
    Bfv(Vec<Vec<BfvCiphertext>>),
    /// Under CKKS.
    Ckks(Vec<Vec<CkksCiphertext>>),
}

/// What stands beside the ciphertexts of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// Digest of program and schema.
    plan: String,
    values: Vec<ValueFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueFields {
    name: String,
    ciphertexts: Vec<CiphertextFields>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CiphertextFields {
    noise: Norm,
    /// BFV's noise at every order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    orders: Option<Noise>,
    /// BGV's correction factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factor: Option<JsonInteger>,
    /// CKKS's scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    /// CKKS's bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bound: Option<f64>,
}

/// Why a file of ciphertexts can't be used.
#[derive(Debug, Error)]
pub enum CiphertextFileError {
    /// The file itself.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a file of ciphertexts holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The input columns.
    Inputs,
    /// The results.
    Outputs,
}

impl Contents {
    fn kind(self) -> &'static str {
        match self {
            Self::Inputs => "encrypted inputs",
            Self::Outputs => "encrypted outputs",
        }
    }

    fn names(self, plan: &Plan) -> Vec<String> {
        match self {
            Self::Inputs => input_names(&plan.circuit.inputs),
            Self::Outputs => plan.circuit.outputs.iter().map(|output| output.name.clone()).collect(),
        }
    }

    /// How many ciphertexts each value has.
    fn chunks(self, plan: &Plan) -> Vec<usize> {
        let chunks = plan.layout().chunks();
        match self {
            Self::Inputs => vec![chunks; plan.circuit.inputs.len()],
            Self::Outputs => {
                let shape = |step: usize| plan.circuit.steps[step].shape;
                let count = |step| if shape(step) == crate::program::Shape::Column { chunks } else { 1 };
                plan.circuit.outputs.iter().map(|output| count(output.step)).collect()
            }
        }
    }
}

impl Ciphertexts {
    /// The ring's ciphertexts of every value.
    fn rlwe(&self) -> Vec<Vec<&RlweCiphertext>> {
        fn of<C>(values: &[Vec<C>], rlwe: impl Fn(&C) -> &RlweCiphertext) -> Vec<Vec<&RlweCiphertext>> {
            values.iter().map(|value| value.iter().map(&rlwe).collect()).collect()
        }
        match self {
            Self::Bgv(values) => of(values, |ciphertext| ciphertext.rlwe()),
            Self::Bfv(values) => of(values, |ciphertext| ciphertext.rlwe()),
            Self::Ckks(values) => of(values, |ciphertext| ciphertext.rlwe()),
        }
    }

    /// What a file says of every ciphertext.
    fn fields(&self) -> Vec<Vec<CiphertextFields>> {
        fn of<C>(values: &[Vec<C>], fields: impl Fn(&C) -> CiphertextFields) -> Vec<Vec<CiphertextFields>> {
            values.iter().map(|value| value.iter().map(&fields).collect()).collect()
        }
        let plain =
            |noise: Norm| CiphertextFields { noise, orders: None, factor: None, scale: None, bound: None };
        match self {
            Self::Bgv(values) => of(values, |c| CiphertextFields {
                factor: Some(c.factor().clone().into()),
                ..plain(c.noise())
            }),
            Self::Bfv(values) => {
                of(values, |c| CiphertextFields { orders: Some(c.noise()), ..plain(c.noise().bounds.norm()) })
            }
            Self::Ckks(values) => of(values, |c| CiphertextFields {
                scale: Some(c.scale()),
                bound: Some(c.bound()),
                ..plain(c.noise().into())
            }),
        }
    }
}

impl Encrypted {
    /// Bytes of the ciphertexts' words.
    pub fn bytes(&self) -> u64 {
        let bytes =
            |rlwe: &RlweCiphertext| rlwe.parts.iter().map(|part| size_of_val(part.words())).sum::<usize>();
        let total: usize = self.values.rlwe().into_iter().flatten().map(bytes).sum();
        total as u64
    }

    /// A digest of the ciphertexts' words.
    pub(super) fn digest(&self) -> blake3::Hash {
        let mut hash = blake3::Hasher::new();
        let parts = self.values.rlwe().into_iter().flatten().flat_map(|rlwe| &rlwe.parts);
        parts.for_each(|part| _ = hash.update(bytemuck::cast_slice(part.words())));
        hash.finalize()
    }

    /// The number of ciphertexts.
    pub fn count(&self) -> usize {
        self.values.rlwe().iter().map(Vec::len).sum()
    }

    /// Writes the values of a plan to a file; its length.
    pub fn write(&self, plan: &Plan, contents: Contents, path: &Path) -> Result<u64, CiphertextFileError> {
        let names = contents.names(plan);
        let values = self.values.fields().into_iter().zip(&names);
        let values =
            values.map(|(ciphertexts, name)| ValueFields { name: name.clone(), ciphertexts }).collect();
        let fields = serde_json::to_value(Fields { plan: plan.digest(), values }).expect("plain data");
        let header = plan.params.rlwe().file_header(plan.params.digest(), self.key, contents.kind(), fields);
        let header = FileHeader { seeded: self.seeded || header.seeded, ..header };
        let mut file = FileWriter::new(header);
        for (value, name) in self.values.rlwe().iter().zip(&names) {
            for (chunk, ciphertext) in value.iter().enumerate() {
                ciphertext.put(&mut file, &tensor_name(name, chunk));
            }
        }
        Ok(file.write(path)?)
    }

    /// Reads the values of a plan from a file.
    pub fn read(plan: &Plan, contents: Contents, path: &Path) -> Result<Self, CiphertextFileError> {
        let file = FileReader::read(path, contents.kind(), plan.params.digest())?;
        let fields: Fields = serde_json::from_value(file.header().fields.clone())
            .map_err(|error| file.error(format!("its header doesn't describe ciphertexts: {error}")))?;
        if fields.plan != plan.digest() {
            return Err(file.error("it was made for another program or other data than the plan's").into());
        }
        let (names, chunks) = (contents.names(plan), contents.chunks(plan));
        let fits = fields.values.len() == names.len()
            && fields.values.iter().zip(&names).all(|(value, name)| value.name == *name)
            && fields.values.iter().zip(&chunks).all(|(value, chunks)| value.ciphertexts.len() == *chunks);
        if !fits {
            return Err(file.error("its values aren't those of the plan").into());
        }
        let rlwe = plan.params.rlwe();
        let values = match &plan.params {
            SchemeParams::Bgv(params) => read_values(&fields, |name, fields| {
                let rlwe = RlweCiphertext::get(rlwe, &file, name)?;
                let factor = fields.factor.clone().map_or(BigUint::ZERO, |factor| factor.0);
                let state = asanoha_bgv::NoiseState { level: rlwe.level(), factor, noise: fields.noise };
                let ciphertext = BgvCiphertext::from_checked_parts(params, rlwe, state);
                ciphertext.map_err(|error| file.error(format!("{name}: {error}")))
            })
            .map(Ciphertexts::Bgv),
            SchemeParams::Bfv(params) => read_values(&fields, |name, fields| {
                let rlwe = RlweCiphertext::get(rlwe, &file, name)?;
                let noise = fields.orders.ok_or_else(|| file.error(format!("{name} has no noise bounds")))?;
                let state = asanoha_bfv::NoiseState { level: rlwe.level(), noise };
                let ciphertext = BfvCiphertext::from_checked_parts(params, rlwe, state);
                ciphertext.map_err(|error| file.error(format!("{name}: {error}")))
            })
            .map(Ciphertexts::Bfv),
            SchemeParams::Ckks(params) => read_values(&fields, |name, fields| {
                let rlwe = RlweCiphertext::get(rlwe, &file, name)?;
                let (scale, bound) = (fields.scale.unwrap_or(0.0), fields.bound.unwrap_or(-1.0));
                let noise = fields.noise.to_f64();
                let state = asanoha_ckks::NoiseState { level: rlwe.level(), scale, bound, noise };
                let ciphertext = CkksCiphertext::from_checked_parts(params, rlwe, state);
                ciphertext.map_err(|error| file.error(format!("{name}: {error}")))
            })
            .map(Ciphertexts::Ckks),
        };
        let FileHeader { key, seeded, .. } = *file.header();
        Ok(Self { key, seeded, values: values? })
    }
}

fn tensor_name(name: &str, chunk: usize) -> String {
    format!("{name}.{chunk}")
}

fn read_values<C>(
    fields: &Fields,
    read: impl Fn(&str, &CiphertextFields) -> Result<C, FileError>,
) -> Result<Vec<Vec<C>>, CiphertextFileError> {
    let value = |value: &ValueFields| {
        let ciphertexts = value.ciphertexts.iter().enumerate();
        ciphertexts.map(|(chunk, fields)| read(&tensor_name(&value.name, chunk), fields)).collect()
    };
    Ok(fields.values.iter().map(value).collect::<Result<_, FileError>>()?)
}
