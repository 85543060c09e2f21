//! Plans: all that client and server must agree on before anything is encrypted.

use std::path::Path;

use asanoha_bfv::{BfvLiteral, BfvParams};
use asanoha_bgv::{BgvLiteral, BgvParams};
use asanoha_circuits::sum_trace;
use asanoha_ckks::{CkksLiteral, CkksParams};
use asanoha_kernels::Backend;
use asanoha_lattice::{Encoding, KeyLevels, RlweParams};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    circuit::{Circuit, Instruction, Layout, Step},
    data::Schema,
    program::Program,
};

/// The version of plan files that this code writes and reads.
pub const PLAN_VERSION: u32 = 2;
/// The largest plan file that is read.
const MAX_PLAN_BYTES: u64 = 256 << 20;
/// What's said of parameters of exact schemes that programs can't run on.
const NO_SLOTS: &str = "its plaintexts have no slots, which programs compute on";

/// The schemes that programs run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Exact, on whole numbers.
    Bgv,
    /// Exact, on whole numbers.
    Bfv,
    /// Approximate, on real numbers.
    Ckks,
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bgv => "bgv",
            Self::Bfv => "bfv",
            Self::Ckks => "ckks",
        })
    }
}

/// Parameters of one scheme or another, as written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "scheme", rename_all = "lowercase")]
pub enum ParamsLiteral {
    /// BGV.
    Bgv(BgvLiteral),
    /// BFV.
    Bfv(BfvLiteral),
    /// CKKS.
    Ckks(CkksLiteral),
}

/// Checked parameters of one scheme or another.
#[derive(Clone, Debug)]
pub enum SchemeParams {
    /// BGV.
    Bgv(BgvParams),
    /// BFV.
    Bfv(BfvParams),
    /// CKKS.
    Ckks(CkksParams),
}

impl SchemeParams {
    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        match self {
            Self::Bgv(_) => Scheme::Bgv,
            Self::Bfv(_) => Scheme::Bfv,
            Self::Ckks(_) => Scheme::Ckks,
        }
    }

    /// The ring's parameters.
    pub fn rlwe(&self) -> &RlweParams {
        match self {
            Self::Bgv(params) => params.rlwe(),
            Self::Bfv(params) => params.rlwe(),
            Self::Ckks(params) => params.rlwe(),
        }
    }

    /// The digest that keys and ciphertexts carry.
    pub fn digest(&self) -> &str {
        match self {
            Self::Bgv(params) => params.digest(),
            Self::Bfv(params) => params.digest(),
            Self::Ckks(params) => params.digest(),
        }
    }

    /// The slots of a ciphertext.
    pub fn slots(&self) -> usize {
        match self {
            Self::Bgv(params) => params.slots(),
            Self::Bfv(params) => params.values(),
            Self::Ckks(params) => params.slots(),
        }
    }

    /// The slots that rotate among themselves.
    pub fn row_slots(&self) -> usize {
        match self {
            Self::Bgv(params) => params.row_slots(),
            Self::Bfv(params) => params.row_slots().unwrap_or(1),
            Self::Ckks(params) => params.slots(),
        }
    }

    /// The plaintext modulus, in BGV and BFV.
    pub fn plaintext_modulus(&self) -> Option<&BigUint> {
        match self {
            Self::Bgv(params) => Some(params.plaintext_modulus()),
            Self::Bfv(params) => Some(params.value_modulus()),
            Self::Ckks(_) => None,
        }
    }

    fn literal(&self) -> ParamsLiteral {
        match self {
            Self::Bgv(params) => ParamsLiteral::Bgv(params.literal().clone()),
            Self::Bfv(params) => ParamsLiteral::Bfv(params.literal().clone()),
            Self::Ckks(params) => ParamsLiteral::Ckks(params.literal().clone()),
        }
    }
}

/// What the client does about a divisor of zero in its data, which nobody sees once they're encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnZero {
    /// Refuses to encrypt them.
    #[default]
    Error,
    /// Encrypts them: x // 0 is 0, and x % 0 is x.
    Value,
}

/// What's predicted of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Seconds of the evaluation, on the machine and with the threads of the planning.
    pub evaluate_s: f64,
    /// Bytes of evaluation keys and ciphertexts in memory.
    pub bytes: u64,
    /// Bits of precision of the least precise output, relative to its range: `None` where it's exact.
    pub precision_bits: Option<f64>,
}

/// A program with everything that is needed to run it encrypted. Client and server both hold it; it's public.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub program: Program,
    /// The public facts about the data.
    pub schema: Schema,
    /// The security asked for, in bits.
    pub security: u32,
    /// The parameters.
    pub params: SchemeParams,
    /// The schedule.
    pub circuit: Circuit,
    /// Predicted time, memory, precision.
    pub prediction: Prediction,
    /// What encryption does about divisors of zero.
    pub on_zero: OnZero,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    version: u32,
    program: Program,
    schema: Schema,
    security: u32,
    params: ParamsLiteral,
    circuit: Circuit,
    prediction: Prediction,
    #[serde(default)]
    on_zero: OnZero,
}

/// Why a plan file can't be used.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The file can't be read or written.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// The file isn't a plan.
    #[error("{file}: not a plan: {problem} (line {line}, column {column})")]
    Format {
        /// The file.
        file: String,
        /// What's wrong.
        problem: String,
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// A plan of another version.
    #[error("{file}: a plan of version {found}; this program reads version {PLAN_VERSION}: make it anew")]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
    },
    /// A plan that doesn't hold together.
    #[error("{file}: {problem}: make it anew with `asanoha plan`")]
    Unsound {
        /// The file.
        file: String,
        /// What's wrong.
        problem: String,
    },
}

impl Plan {
    /// Where rows stand in the ciphertexts.
    pub fn layout(&self) -> Layout {
        Layout::new(self.schema.rows, self.params.slots())
    }

    /// The keys that the evaluation needs, up to the levels where it does: those of the products and of the sums.
    pub fn key_levels(&self) -> KeyLevels {
        let n = self.params.rlwe().ring_degree();
        let mut levels = KeyLevels::default();
        for Step { instruction, level, .. } in &self.circuit.steps {
            // Key switches leave their operand's level as it is.
            match instruction {
                Instruction::Mul { .. } => levels.add_relinearisation(*level),
                Instruction::Functions { operands, .. } => {
                    let highest = operands.iter().map(|&at| self.circuit.steps[at].level).max();
                    levels.add_relinearisation(highest.unwrap_or(*level));
                }
                Instruction::Sum { factors, .. } => {
                    sum_trace(n, factors).elements().for_each(|g| levels.add_automorphism(g, *level));
                }
                _ => {}
            }
        }
        levels
    }

    /// The number of keys that the evaluation needs.
    pub fn key_count(&self) -> usize {
        self.key_levels().iter().len()
    }

    /// Writes the plan as JSON, beside its place and then renamed.
    pub fn write(&self, path: &Path) -> Result<u64, PlanError> {
        let at = |error: std::io::Error| PlanError::Io(path.display().to_string(), error);
        let file = PlanFile {
            version: PLAN_VERSION,
            program: self.program.clone(),
            schema: self.schema.clone(),
            security: self.security,
            params: self.params.literal(),
            circuit: self.circuit.clone(),
            prediction: self.prediction.clone(),
            on_zero: self.on_zero,
        };
        let text = serde_json::to_string_pretty(&file).expect("plans are plain data");
        crate::output::write_whole(path, text.as_bytes()).map_err(at)?;
        Ok(text.len() as u64)
    }

    /// Reads a plan and checks that it holds together; the parameters are checked for security again.
    pub fn read(path: &Path, backend: Backend) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let at = |error: std::io::Error| PlanError::Io(name.clone(), error);
        let length = std::fs::metadata(path).map_err(at)?.len();
        let format =
            |problem: String, line, column| PlanError::Format { file: name.clone(), problem, line, column };
        if length > MAX_PLAN_BYTES {
            return Err(format(format!("{length} bytes are too many"), 1, 1));
        }
        let bytes = std::fs::read(path).map_err(at)?;
        let json = |error: serde_json::Error| {
            let text = error.to_string();
            let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
            format(problem.to_owned(), error.line(), error.column())
        };
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(json)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(PLAN_VERSION) => {}
            Some(found) => return Err(PlanError::Version { file: name, found }),
            None => return Err(format("it has no version".to_owned(), 1, 1)),
        }
        let file: PlanFile = serde_json::from_slice(&bytes).map_err(json)?;
        Self::from_file(file, backend).map_err(|problem| PlanError::Unsound { file: name, problem })
    }

    fn from_file(file: PlanFile, backend: Backend) -> Result<Self, String> {
        let params = match file.params {
            ParamsLiteral::Bgv(literal) => {
                let params = literal.check(backend).map_err(|error| error.to_string())?;
                if params.space().encoding() != Encoding::Slots {
                    return Err(NO_SLOTS.to_owned());
                }
                SchemeParams::Bgv(params)
            }
            ParamsLiteral::Bfv(literal) => {
                let params = literal.check(backend).map_err(|error| error.to_string())?;
                if params.row_slots().is_none() {
                    return Err(NO_SLOTS.to_owned());
                }
                SchemeParams::Bfv(params)
            }
            ParamsLiteral::Ckks(literal) => {
                SchemeParams::Ckks(literal.check(backend).map_err(|error| error.to_string())?)
            }
        };
        let plan = Self {
            program: file.program,
            schema: file.schema,
            security: file.security,
            params,
            circuit: file.circuit,
            prediction: file.prediction,
            on_zero: file.on_zero,
        };
        let names =
            |circuit: &Circuit| circuit.outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        let outputs: Vec<String> = plan.program.outputs().iter().map(|(name, _)| name.clone()).collect();
        let sound = plan.circuit.is_well_formed()
            && names(&plan.circuit) == outputs
            && plan.circuit.inputs.iter().all(|input| {
                plan.program.input_names().contains(&input.column)
                    && plan.schema.column(&input.column).is_some()
            })
            && plan.circuit.steps.iter().all(|step| step.instruction.sums_over(plan.layout().block()));
        if !sound {
            return Err("its schedule doesn't fit its program and schema".to_owned());
        }
        let t = plan.params.plaintext_modulus();
        let other_modulus = |instruction: &Instruction| match instruction {
            Instruction::Functions { operation, .. } => t != Some(&operation.modulus().into()),
            _ => false,
        };
        if plan.circuit.any(other_modulus) {
            return Err("its functions have another plaintext modulus".to_owned());
        }
        crate::execute::replay(&plan)?;
        Ok(plan)
    }
}

impl Plan {
    /// A digest of the program, the schema and the schedule, which ciphertexts carry beside the parameters'.
    pub fn digest(&self) -> String {
        let text = serde_json::to_string(&(&self.program, &self.schema, &self.circuit)).expect("plain data");
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}
