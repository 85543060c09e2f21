//! Encrypted columns and results, in memory and in files.

use asanoha_backends::{BackendError, Ciphertexts, Contents, Fresh, Reencryptions, Stated, StatedValue};
use asanoha_lattice::{
    Destination, FileError, FileHeader, FileProblem, FileReader, FileSummary, FileWriter, KeyId, Source,
};
use asanoha_ring::Seed;
use serde::{Deserialize, Serialize};

use super::reencryption_counts::check_counts;
use crate::plan::Plan;

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
    /// The digest of the file that they were read from: the same for the results of every evaluation of the same inputs.
    pub digest: Option<String>,
    /// Number of re-encryptions, as the file states it.
    pub reencryptions: Reencryptions,
    /// The ciphertexts of every value.
    pub values: Ciphertexts,
    /// Of inputs that the secret key encrypted: for every column, the seeds that its ciphertexts' uniform halves (in TFHE its digits'
    /// masks) are expanded from. A file has them in place of these.
    pub seeds: Vec<Vec<Seed>>,
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
    values: Vec<StatedValue>,
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
        check_counts(plan, fields.reencryptions, contents).map_err(|error| error.to_string())?;
        if fields.plan != plan.digest() {
            return Err("it was made for another program or other data than the plan's".to_owned());
        }
        let names = contents.names(&plan.circuit);
        let counts = if plan.params.backend().states_ciphertexts() {
            contents.chunks(&plan.circuit, plan.layout())
        } else {
            vec![0; names.len()]
        };
        let fits = fields.values.len() == names.len()
            && fields.values.iter().zip(&names).all(|(value, name)| value.name == *name)
            && fields.values.iter().zip(&counts).all(|(value, count)| value.ciphertexts.len() == *count);
        if fits { Ok(fields) } else { Err("its values aren't those of the plan".to_owned()) }
    }
}

impl Encrypted {
    /// Bytes of the ciphertexts' words.
    pub fn bytes(&self) -> u64 {
        self.values.bytes()
    }

    /// The number of ciphertexts; in TFHE those of all digits.
    pub fn count(&self) -> usize {
        self.values.count()
    }

    /// What a file says of the ciphertexts: their levels aside, all that bounds and decryption depend on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::to_value(self.values.stated()).expect("plain data")
    }

    /// Writes the values of a plan to a file or to memory. Returns its length in bytes.
    pub fn write<'d>(
        &self,
        plan: &Plan,
        contents: Contents,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        self.write_digested(plan, contents, to).map(|(bytes, _)| bytes)
    }

    /// Writes the values of a plan to a file or to memory. Returns its length in bytes, and its digest.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    pub fn write_digested<'d>(
        &self,
        plan: &Plan,
        contents: Contents,
        to: impl Into<Destination<'d>>,
    ) -> Result<(u64, String), FileError> {
        let names = contents.names(&plan.circuit);
        let values = self.values.stated().into_iter().zip(&names);
        let values =
            values.map(|(ciphertexts, name)| StatedValue { name: name.clone(), ciphertexts }).collect();
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
        self.values.put(&names, &seeds, &mut file);
        file.write_digested(to)
    }

    /// Returns the digest of the file that holds these results of a plan.
    pub(super) fn digest_of_results(&self, plan: &Plan) -> Result<String, BackendError> {
        if let Some(digest) = &self.digest {
            return Ok(digest.clone());
        }
        Ok(self.write_digested(plan, Contents::Outputs, &mut Vec::new())?.1)
    }

    /// Reads the values of a plan from a file or from memory. Levels, scales, factors, bounds and noise are what the plan gives, and a
    /// file that states others is refused: nothing that decryption or flooding goes by comes from a file.
    pub fn read<'s>(plan: &Plan, contents: Contents, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let (kind, params) = (contents.kind(), plan.params.digest());
        let (file, (fields, Fresh { values, seeds })) =
            FileReader::read_beside(from, kind, params, |file| Self::values_of(plan, contents, file))?;
        let reencryptions = fields.reencryptions;
        let inputs = match contents {
            Contents::Inputs if reencryptions.is_none() => Some(file.digest().to_owned()),
            Contents::Inputs | Contents::Outputs => fields.inputs,
        };
        let digest = Some(file.digest().to_owned());
        let FileHeader { key, seeded, .. } = *file.header();
        Ok(Self { key, seeded, inputs, digest, reencryptions, values, seeds })
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
    ) -> Result<(Fields, Fresh), FileError> {
        let fields = Fields::of(plan, contents, file.header()).map_err(|problem| file.error(problem))?;
        let Fields { reencryptions, ref values, .. } = fields;
        let stated = Stated { contents, reencryptions, values };
        let values = plan.params.backend().read(plan.scheduled(), stated, file)?;
        Ok((fields, values))
    }
}

/// Returns the plan for the rows that a file of ciphertexts states, of a plan for several numbers of rows. It is for
/// whoever evaluates: a client takes the rows of results from its own record ([`crate::client::ClientRecord`]), as whoever made the
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
