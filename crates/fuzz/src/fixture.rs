//! Small plans with their keys, inputs and results, against which files are read.

use std::sync::OnceLock;

use asanoha::{
    bfv::BfvLiteral,
    bgv::BgvLiteral,
    ckks::CkksLiteral,
    data::{Schema, Table, read_csv},
    execute::{self, Contents, Encrypted, EncryptionKey, Keys, ReencryptionKey},
    kernels::primes_congruent_to_one,
    lattice::RlweLiteral,
    plan::{OnZero, ParamsLiteral, Plan, PlanParts},
    precision::Precision,
    program::Program,
    ring::{Sampler, Seed},
    search::ScheduleHints,
};

use crate::{backend, tfhe::literal as tfhe_literal};

/// The ring degree: insecure, so that files have a few thousand bytes only.
const RING_DEGREE: usize = 64;

/// The schemes that have a fixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// BGV.
    Bgv,
    /// BFV.
    Bfv,
    /// CKKS.
    Ckks,
    /// TFHE.
    Tfhe,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bgv, Self::Bfv, Self::Ckks, Self::Tfhe];
}

/// A plan with keys, inputs and results.
#[derive(Debug)]
pub struct Fixture {
    /// The plan, with insecure parameters.
    pub plan: Plan,
    /// The keys of the plan.
    pub keys: Keys,
    /// The inputs.
    pub table: Table,
    /// Encrypted inputs.
    pub inputs: Encrypted,
    /// The same, encrypted by the secret key, with seeds.
    pub seeded_inputs: Encrypted,
    /// Encrypted results computed from these inputs.
    pub outputs: Encrypted,
    /// The same under other keys; none in TFHE.
    pub rotated: Option<Rotated>,
}

/// Keys that take the place of a fixture's, and what was re-encrypted under them.
#[derive(Debug)]
pub struct Rotated {
    /// The new keys.
    pub keys: Keys,
    /// The key from the old ones to these.
    pub key: ReencryptionKey,
    /// The fixture's inputs.
    pub inputs: Encrypted,
    /// The fixture's results.
    pub outputs: Encrypted,
}

/// The fixture of a scheme, made once.
pub fn fixture(scheme: Scheme) -> &'static Fixture {
    static FIXTURES: [OnceLock<Fixture>; Scheme::ALL.len()] = [const { OnceLock::new() }; Scheme::ALL.len()];
    FIXTURES[scheme as usize].get_or_init(|| Fixture::new(scheme))
}

impl Fixture {
    fn new(scheme: Scheme) -> Self {
        let (text, data) = match scheme {
            Scheme::Ckks => ("y = x * z + 0.5 * x\ns = sum(y)", "x,z\n0.5,1.25\n-0.75,0.125\n1,0.5\n"),
            Scheme::Bgv | Scheme::Bfv | Scheme::Tfhe => {
                ("y = x * z - 2 * x\ns = sum(y)", "x,z\n5,1\n7,-3\n2,3\n")
            }
        };
        let program = Program::parse(text).expect("a program");
        let table = read_csv(data.as_bytes(), "d.csv", program.input_names()).expect("a table");
        let schema = Schema::from_table(&table, &[]).expect("a schema");
        let plan = PlanParts {
            program,
            schema,
            security: 128,
            failure_bits: if scheme == Scheme::Tfhe { 40 } else { 96 },
            precision: Precision::Relative { bits: 10 },
            params: params(scheme),
            hints: ScheduleHints { threads: usize::from(scheme == Scheme::Tfhe), ..ScheduleHints::default() },
            on_zero: OnZero::Error,
        };
        let plan = plan.plan(backend(), 0.0, 0.0).expect("a plan");
        let mut sampler = Sampler::new(&Seed([7; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let (mut inputs, _) =
            execute::encrypt(&plan, &keys.public, &table, &mut sampler).expect("the data fit");
        // TFHE encrypts with seeds always.
        inputs.seeds.clear();
        let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs.clone(), &execute::unwatched)
            .expect("the plan holds");
        let secret = EncryptionKey::from(keys.secret.as_ref().expect("it was just made"));
        let (seeded_inputs, _) =
            execute::encrypt(&plan, &secret, &table, &mut sampler).expect("the data fit");
        let rotated = (scheme != Scheme::Tfhe).then(|| Rotated::new(&plan, &keys, [&inputs, &outputs]));
        Self { plan, keys, table, inputs, seeded_inputs, outputs, rotated }
    }
}

impl Rotated {
    fn new(plan: &Plan, old: &Keys, [inputs, outputs]: [&Encrypted; 2]) -> Self {
        let mut sampler = Sampler::new(&Seed([8; 32]));
        let keys = execute::generate_keys(plan, &mut sampler);
        let [from, to] = [old, &keys].map(|keys| keys.secret.as_ref().expect("it was just made"));
        let key =
            ReencryptionKey::generate(plan, from, to, &mut sampler).expect("the plan has key switching");
        let reencrypt = |contents, old: &Encrypted| {
            execute::reencrypt(plan, &key, contents, old.clone(), &execute::unwatched).expect("there is room")
        };
        let (inputs, outputs) = (reencrypt(Contents::Inputs, inputs), reencrypt(Contents::Outputs, outputs));
        Self { keys, key, inputs, outputs }
    }
}

pub(crate) fn params(scheme: Scheme) -> ParamsLiteral {
    let primes = |bits, count, excluded: &[u64]| {
        primes_congruent_to_one(bits, 2 * RING_DEGREE as u64, count, excluded).expect("there are such primes")
    };
    let q_primes = primes(40, 3, &[]);
    let p_primes = primes(50, 1, &q_primes);
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, 3).insecure();
    match scheme {
        Scheme::Bgv => BgvLiteral::new(rlwe, 257u32).into(),
        Scheme::Bfv => BfvLiteral::new(rlwe, 257u64).into(),
        Scheme::Ckks => CkksLiteral::new(rlwe, 40.0).into(),
        Scheme::Tfhe => tfhe_literal().into(),
    }
}
