//! Encrypted columns and results, in memory and in files.

use asanoha_bfv::BfvCiphertext;
use asanoha_bgv::BgvCiphertext;
use asanoha_ckks::CkksCiphertext;
use asanoha_lattice::{
    Destination, FileError, FileHeader, FileProblem, FileReader, FileSummary, FileWriter, KeyId, Norm,
    RlweCiphertext, Source,
};
use asanoha_numeric::approximately_equal;
use asanoha_ring::Seed;
use asanoha_scheme::{Ciphertext, JsonInteger, State};
use asanoha_tfhe::{EncryptedInteger, IntegerType, TfheError, TfheParams};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Canaries, Centres, Reencryptions, states};
use crate::plan::{Plan, SchemeParams};
use asanoha_backends::slots::{Columns, MessageFields, Planned, place_of};
use asanoha_backends::tfhe::integer_type;
use asanoha_compile::input_names;

/// The words of a digit of TFHE in a file where a seed stands for its mask.
const SEEDED_WORDS: usize = Seed::WORDS + 1;

/// Named values, each a list of ciphertexts: the input columns of a plan, or its outputs.
#[derive(Clone, Debug)]
pub struct Encrypted {
    /// The key generation that they belong to.
    pub key: KeyId,
    /// Whether their keys or their encryption were made from a given seed.
    pub seeded: bool,
    /// The digest of the file of encrypted inputs, if there is one: that holds these inputs, or that these results were
    /// computed from. Re-encrypted inputs keep that of the file that they were first in.
    pub inputs: Option<String>,
    /// How often they were re-encrypted.
    pub reencryptions: Reencryptions,
    /// What the client took away from columns before it encrypted them, where it's known: it stays with the client, and no file of
    /// ciphertexts has it.
    pub centres: Centres,
    /// The canaries among the rows, where they're known: as constants do, they stay with the client.
    pub canaries: Option<Canaries>,
    /// The ciphertexts of every value.
    pub values: Ciphertexts,
    /// Of inputs that the secret key encrypted: for every column, the seeds that its ciphertexts' uniform halves (in TFHE its digits'
    /// masks) are expanded from. A file has them in place of these.
    pub seeds: Vec<Vec<Seed>>,
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
    /// Under TFHE: an integer for each row.
    Tfhe(Vec<Vec<EncryptedInteger>>),
}

/// What stands beside the ciphertexts of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// Digest of program and schema, the rows included.
    plan: String,
    /// The rows, from which whoever has a plan for several numbers of rows derives the one that the digest is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<usize>,
    /// Of results: the digest of the file of inputs that they were computed from. Of re-encrypted inputs: that of the first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inputs: Option<String>,
    /// How often the ciphertexts were re-encrypted, from which the reader derives their noise.
    #[serde(default, skip_serializing_if = "Reencryptions::is_none")]
    reencryptions: Reencryptions,
    values: Vec<ValueFields>,
}

impl Fields {
    /// What a header states of a plan's values.
    ///
    /// # Errors
    /// What's wrong, in words, if they aren't the plan's.
    fn of(plan: &Plan, contents: Contents, header: &FileHeader) -> Result<Self, String> {
        let fields = Self::deserialize(&header.fields)
            .map_err(|error| format!("its header doesn't describe ciphertexts: {error}"))?;
        let rows = plan.schema.rows;
        if let Some(found) = fields.rows.filter(|&found| found != rows) {
            return Err(format!("it states {found} rows, and it should have {rows}"));
        }
        fields.reencryptions.check(plan, contents).map_err(|error| error.to_string())?;
        if fields.plan != plan.digest() {
            return Err("it was made for another program or other data than the plan's".to_owned());
        }
        let names = contents.names(plan);
        let counts = match plan.params {
            SchemeParams::Tfhe(_) => vec![0; names.len()],
            _ => contents.chunks(plan),
        };
        let fits = fields.values.len() == names.len()
            && fields.values.iter().zip(&names).all(|(value, name)| value.name == *name)
            && fields.values.iter().zip(&counts).all(|(value, count)| value.ciphertexts.len() == *count);
        if fits { Ok(fields) } else { Err("its values aren't those of the plan".to_owned()) }
    }
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

impl CiphertextFields {
    fn new<S: Planned>(state: &State<S>) -> Self {
        let MessageFields { factor, scale, bound } = S::fields(&state.message);
        Self { noise: state.noise, factor: factor.map(Into::into), scale, bound }
    }
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
    /// The kind that the header of such a file states.
    pub fn kind(self) -> &'static str {
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
    /// Every value's integers: none but in TFHE.
    fn integers(&self) -> &[Vec<EncryptedInteger>] {
        if let Self::Tfhe(values) = self { values } else { &[] }
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bgv(values) => values.len(),
            Self::Bfv(values) => values.len(),
            Self::Ckks(values) => values.len(),
            Self::Tfhe(values) => values.len(),
        }
    }

    /// Every value's ciphertexts: the ring's, and what a file says of each. TFHE's aren't of the ring.
    fn all(&self) -> Vec<Vec<(&RlweCiphertext, CiphertextFields)>> {
        fn of<S: Planned>(values: &[Vec<Ciphertext<S>>]) -> Vec<Vec<(&RlweCiphertext, CiphertextFields)>> {
            let one = |ciphertext| (Ciphertext::rlwe(ciphertext), CiphertextFields::new(ciphertext.state()));
            values.iter().map(|value| value.iter().map(one).collect()).collect()
        }
        match self {
            Self::Bgv(values) => of(values),
            Self::Bfv(values) => of(values),
            Self::Ckks(values) => of(values),
            Self::Tfhe(values) => values.iter().map(|_| Vec::new()).collect(),
        }
    }

    /// What a file says of every ciphertext.
    fn fields(&self) -> Vec<Vec<CiphertextFields>> {
        self.all().into_iter().map(|value| value.into_iter().map(|(_, fields)| fields).collect()).collect()
    }
}

impl Encrypted {
    /// Bytes of the ciphertexts' words.
    pub fn bytes(&self) -> u64 {
        let bytes =
            |rlwe: &RlweCiphertext| rlwe.parts.iter().map(|part| size_of_val(part.words())).sum::<usize>();
        let digits = self.values.integers().iter().flatten().flat_map(EncryptedInteger::blocks);
        let of_digits: u64 = digits.map(|digit| size_of_val(digit.words()) as u64).sum();
        self.values.all().into_iter().flatten().map(|(rlwe, _)| bytes(rlwe) as u64).sum::<u64>() + of_digits
    }

    /// The number of ciphertexts; in TFHE those of all digits.
    pub fn count(&self) -> usize {
        let digits = self.values.integers().iter().flatten().map(|integer| integer.blocks().len());
        self.values.all().iter().map(Vec::len).chain(digits).sum()
    }

    /// What a file says of the ciphertexts: their levels aside, all that bounds and decryption depend on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::to_value(self.values.fields()).expect("plain data")
    }

    /// Writes the values of a plan to a file or to memory; the length.
    pub fn write<'d>(
        &self,
        plan: &Plan,
        contents: Contents,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let names = contents.names(plan);
        let values = self.values.fields().into_iter().zip(&names);
        let values =
            values.map(|(ciphertexts, name)| ValueFields { name: name.clone(), ciphertexts }).collect();
        let has_inputs = contents == Contents::Outputs || !self.reencryptions.is_none();
        let fields = serde_json::to_value(Fields {
            plan: plan.digest(),
            rows: Some(plan.schema.rows),
            inputs: self.inputs.clone().filter(|_| has_inputs),
            reencryptions: self.reencryptions,
            values,
        })
        .expect("plain data");
        let header = plan.params.file_header(self.key, contents.kind(), fields);
        let header = FileHeader { seeded: self.seeded || header.seeded, ..header };
        let seeds: Vec<Vec<_>> =
            self.seeds.iter().map(|of| of.iter().map(Seed::to_words).collect()).collect();
        let mut file = FileWriter::new(header);
        for (at, (value, name)) in self.values.all().iter().zip(&names).enumerate() {
            for (chunk, (ciphertext, _)) in value.iter().enumerate() {
                let name = tensor_name(name, chunk);
                match seeds.get(at).and_then(|seeds| seeds.get(chunk)) {
                    Some(seed) => ciphertext.put_seeded(seed, &mut file, &name),
                    None => ciphertext.put(&mut file, &name),
                }
            }
        }
        for (at, (rows, name)) in self.values.integers().iter().zip(&names).enumerate() {
            let digits = rows.iter().flat_map(EncryptedInteger::blocks);
            let words: Vec<&[u64]> = digits.map(asanoha_tfhe::Ciphertext::words).collect();
            let blocks = rows.first().map_or(0, |row| row.blocks().len());
            let mask = words.first().map_or(0, |words| words.len() - 1);
            // Seed and body of every digit.
            let seeded = |seeds: &'_ Vec<[u64; Seed::WORDS]>| seeds.len() == words.len();
            let (pieces, each) = match seeds.get(at).filter(|seeds| seeded(seeds)) {
                Some(seeds) => {
                    let pieces =
                        words.iter().zip(seeds).flat_map(|(words, seed)| [&seed[..], &words[mask..]]);
                    (pieces.collect(), SEEDED_WORDS)
                }
                None => (words, mask + 1),
            };
            file.tensor(name.clone(), &[rows.len(), blocks, each], pieces);
        }
        file.write(to)
    }

    /// Reads the values of a plan from a file or from memory. Levels, scales, factors, bounds and noise are what the plan gives, and a
    /// file that states others is refused: nothing that decryption or flooding goes by comes from a file.
    pub fn read<'s>(plan: &Plan, contents: Contents, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let (kind, params) = (contents.kind(), plan.params.digest());
        let (file, (fields, values, seeds)) =
            FileReader::read_beside(from, kind, params, |file| Self::values_of(plan, contents, file))?;
        let reencryptions = fields.reencryptions;
        let inputs = match contents {
            Contents::Inputs if reencryptions.is_none() => Some(file.digest().to_owned()),
            Contents::Inputs | Contents::Outputs => fields.inputs,
        };
        let FileHeader { key, seeded, .. } = *file.header();
        let (centres, canaries) = (Centres::default(), None);
        Ok(Self { key, seeded, inputs, reencryptions, centres, canaries, values, seeds })
    }

    /// Checks the header of a file of a plan's values without reading the values: its kind, parameters, rows, names and counts, and that the
    /// file is as long as it says. Returns the header.
    ///
    /// # Errors
    /// Those of [`Encrypted::read`] that the header shows.
    pub fn check_header<'s>(
        plan: &Plan,
        contents: Contents,
        from: impl Into<Source<'s>>,
    ) -> Result<FileSummary, FileError> {
        let from = from.into();
        let summary = FileReader::summary(from)?;
        let checked = || {
            summary.header.check(contents.kind(), plan.params.digest())?;
            Fields::of(plan, contents, &summary.header).map_err(FileProblem::Content)
        };
        match checked() {
            Ok(_) => Ok(summary),
            Err(problem) => Err(FileError { path: from.name(), problem }),
        }
    }

    /// The values in a file whose digest isn't known to be right yet.
    fn values_of(
        plan: &Plan,
        contents: Contents,
        file: &FileReader<'_>,
    ) -> Result<(Fields, Ciphertexts, Vec<Vec<Seed>>), FileError> {
        let fields = Fields::of(plan, contents, file.header()).map_err(|problem| file.error(problem))?;
        let reader = ValueReader { plan, contents, file, fields: &fields };
        let (values, seeds) = match &plan.params {
            SchemeParams::Bgv(params) => {
                let (values, seeds) = reader.read(params)?;
                (Ciphertexts::Bgv(values), seeds)
            }
            SchemeParams::Bfv(params) => {
                let (values, seeds) = reader.read(params)?;
                (Ciphertexts::Bfv(values), seeds)
            }
            SchemeParams::Ckks(params) => {
                let (values, seeds) = reader.read(params)?;
                (Ciphertexts::Ckks(values), seeds)
            }
            SchemeParams::Tfhe(params) => {
                let (values, seeds) = reader.read_integers(params)?;
                (Ciphertexts::Tfhe(values), seeds)
            }
        };
        Ok((fields, values, seeds))
    }
}

/// Returns the plan for the rows that a file of ciphertexts states, of a plan for several numbers of rows. It is for
/// whoever evaluates: a client takes the rows of results from its own record ([`super::ClientRecord`]), as whoever made the
/// results could state any.
pub fn plan_of<'s>(plan: &Plan, inputs: impl Into<Source<'s>>) -> Result<Plan, FileError> {
    let inputs = inputs.into();
    let header = FileReader::summary(inputs)?.header;
    let rows = header.fields.get("rows").and_then(serde_json::Value::as_u64).map(|rows| rows as usize);
    let derived = rows.filter(|_| plan.hints.fewer_rows).map(|rows| plan.for_rows(rows));
    derived
        .unwrap_or_else(|| Ok(plan.clone()))
        .map_err(|error| FileError { path: inputs.name(), problem: FileProblem::Content(error.to_string()) })
}

/// A file of ciphertexts that is being read.
struct ValueReader<'a> {
    plan: &'a Plan,
    contents: Contents,
    file: &'a FileReader<'a>,
    fields: &'a Fields,
}

/// Values of a kind, each a list, and their seeds.
type Seeded<T> = (Vec<Vec<T>>, Vec<Vec<Seed>>);

impl ValueReader<'_> {
    /// The integers of every value, as wide and as noisy as the plan gives.
    fn read_integers(&self, params: &TfheParams) -> Result<Seeded<EncryptedInteger>, FileError> {
        let Self { plan, contents, file, fields } = *self;
        let (rows, key) = (contents.chunks(plan), file.header().key);
        let steps = match contents {
            Contents::Inputs => plan.circuit.input_steps(),
            Contents::Outputs => plan.circuit.outputs.iter().map(|output| output.step).collect(),
        };
        let value = |((value, step), rows): ((&ValueFields, usize), usize)| {
            let step = &plan.circuit.steps[step];
            let found = integer_type(step.width.expect("integers have a width"));
            let variance = params.variance(step.noise_bits);
            let largest = IntegerType::LARGEST_DIGIT;
            let seeded = file.tensor(&value.name)?.0.last() == Some(&SEEDED_WORDS);
            let each = if seeded { SEEDED_WORDS } else { params.ciphertext_words() };
            let words = file.words(&value.name, &[rows, found.blocks, each])?;
            let seed_of = |words: &[u64]| Seed::from_words(&words[..Seed::WORDS]);
            let digit = |words: &[u64]| {
                if seeded {
                    let body = words[Seed::WORDS];
                    asanoha_tfhe::Ciphertext::from_seed(
                        params,
                        key,
                        (&seed_of(words), body),
                        largest,
                        variance,
                    )
                } else {
                    asanoha_tfhe::Ciphertext::from_words(params, key, words, largest, variance)
                }
            };
            let integer = |words: &[u64]| {
                let digits = words.chunks_exact(each).map(digit).collect::<Result<_, _>>()?;
                EncryptedInteger::from_blocks(digits, found.signed)
            };
            let integers: Result<_, TfheError> =
                words.par_chunks_exact(each * found.blocks).map(integer).collect();
            let seeds = words.chunks_exact(each).filter(|_| seeded).map(seed_of).collect();
            Ok((integers.map_err(|error| file.error(error.to_string()))?, seeds))
        };
        let values = fields.values.iter().zip(steps).zip(rows).map(value);
        Ok(values.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip())
    }

    /// The ciphertexts of every value, made of what the file holds and of the states that the plan gives.
    fn read<S: Planned>(&self, scheme: &S) -> Result<Seeded<Ciphertext<S>>, FileError> {
        let Self { plan, contents, file, fields } = *self;
        let states = states(plan, scheme, contents, fields.reencryptions)
            .map_err(|error| file.error(error.to_string()))?;
        let (layout, rlwe) = (plan.layout(), scheme.rlwe());
        let ciphertext = |name: &str, stated: &CiphertextFields, state: &State<S>| {
            let (rlwe, seed) = RlweCiphertext::get(rlwe, file, name)?;
            let (found, planned) = (rlwe.level().0, state.level.0);
            if found != planned {
                let message = format!("{name} is of level {found}, and the plan gives level {planned}");
                return Err(file.error(message));
            }
            let ciphertext = Ciphertext::from_checked_parts(scheme, rlwe, state.clone())
                .map_err(|error| file.error(format!("{name}: {error}")))?;
            if approximately_equal(&json(stated), &json(&CiphertextFields::new(state))) {
                return Ok((ciphertext, seed));
            }
            Err(file
                .error(format!("{name} states another scale, factor, bound or noise than the plan gives")))
        };
        let value = |(value, states): (&ValueFields, &Vec<State<S>>)| {
            let ciphertexts = value.ciphertexts.par_iter().enumerate();
            let ciphertexts = ciphertexts.map(|(chunk, stated)| {
                let place =
                    if states.len() == 1 { 0 } else { place_of::<Columns<S, State<S>>>(layout, chunk) };
                ciphertext(&tensor_name(&value.name, chunk), stated, &states[place])
            });
            let (ciphertexts, seeds): (_, Vec<Option<Seed>>) =
                ciphertexts.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip();
            Ok((ciphertexts, seeds.into_iter().flatten().collect()))
        };
        let values = fields.values.par_iter().zip(&states).map(value);
        Ok(values.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip())
    }
}

fn json(fields: &CiphertextFields) -> serde_json::Value {
    serde_json::to_value(fields).expect("plain data")
}

fn tensor_name(name: &str, chunk: usize) -> String {
    format!("{name}.{chunk}")
}
