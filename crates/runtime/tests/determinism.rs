//! Evaluation is deterministic: the same plan, evaluation keys and inputs give the same file of results, with the same digest, on all
//! back-ends of kernels and numbers of threads, with little memory, and after an interruption.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path};

use asanoha_backends::Checkpoints;
use asanoha_kernels::Backend;
use asanoha_lattice::{FileReader, Source};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::Table,
    execute::{self, Contents, Encrypted, ExecuteError, Keys, unwatched},
    plan::{Plan, SchemeName, SecurityCheck},
};

use crate::{bootstrapping, golden, random_programs::Case};

const SCHEMES: [SchemeName; 4] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe];

/// Programs of the golden files: products, sums, means, divisions, comparisons, tables, order statistics, conditions, real functions.
const PROGRAMS: [&str; 40] = [
    "g + w",
    "2 * g - n / 7 + 1/3",
    "g * w * n",
    "w**2 + w**3 - w**7",
    "(g + w)**4 * (g - 1)",
    "p * p * q - 0.25",
    "sum(g)",
    "sum(p * q) / 4",
    "mean(n)",
    "var(w)",
    "cov(g, n)",
    "dot(g, n)",
    "dot(r, s)",
    "std(n)",
    "corr(g, w)",
    "ratio(sum(p), sum(g))",
    "mean_where(p, g > 2)",
    "least_squares(n, [g])",
    "histogram(g, 0, 7)",
    "count(w > 0)",
    "count(w > 0 and g < 3)",
    "quantile(g, 0.5)",
    "min(g)",
    "max(w)",
    "min(g, w)",
    "max(g, w, 3)",
    "abs(w)",
    "abs(p - q)",
    "sign(w)",
    "relu(w)",
    "clip(w, -2, 3)",
    "clip(p, 0.5, 2.25)",
    "where(g > 3, n, w)",
    "floor(n / 7)",
    "round(w / 3)",
    "g // 3",
    "n // (g + 1)",
    "p",
    "g * r",
    "g",
];

/// A plan of reduced rings that claims some security, as files of plans do.
fn claiming(plan: Plan) -> Plan {
    Plan { security: 128, ..plan }
}

/// Keys and inputs in files, as a server gets them.
struct Files {
    folder: tempfile::TempDir,
    /// The plan's file.
    plan: String,
}

/// A way of evaluating.
#[derive(Clone, Copy, Debug)]
struct Way {
    kernels: Backend,
    threads: usize,
    low_memory: bool,
    is_resumed: bool,
}

impl Files {
    fn new(plan: &Plan, data: &Table) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut sampler = Sampler::new(&Seed([9; 32]));
        let keys = execute::generate_keys(plan, &mut sampler);
        keys.write(plan, folder.path()).unwrap();
        let (inputs, _) = execute::encrypt(plan, &keys.public, data, &mut sampler).unwrap();
        inputs.write(plan, Contents::Inputs, &folder.path().join("in")).unwrap();
        Self { folder, plan: plan.to_json() }
    }

    /// Evaluates from the files and returns the digest of the file of results, how many operations it took over from an interrupted evaluation, and the file.
    fn evaluated(&self, way: Way) -> (String, usize, Vec<u8>) {
        let plan = Plan::from_json(self.plan.as_bytes(), "plan", SecurityCheck::Waived, way.kernels).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(way.threads).build().unwrap();
        let (results, kept) = pool.install(|| {
            let kept = way.is_resumed.then(|| self.interrupted(&plan));
            let (keys, inputs) = self.read(&plan, way.low_memory);
            let (results, resumed) =
                execute::evaluate_with_checkpoints(&plan, keys, inputs, kept.as_ref(), &unwatched).unwrap();
            (results, resumed.taken_over)
        });
        let path = self.folder.path().join("results");
        results.write(&plan, Contents::Outputs, &path).unwrap();
        (FileReader::summary(&*path).unwrap().digest, kept, std::fs::read(path).unwrap())
    }

    fn read(&self, plan: &Plan, low_memory: bool) -> (execute::EvaluationKey, Encrypted) {
        let folder = self.folder.path();
        let keys = if low_memory { Keys::open_evaluation } else { Keys::read_evaluation };
        (keys(plan, folder).unwrap(), Encrypted::read(plan, Contents::Inputs, &*folder.join("in")).unwrap())
    }

    /// A folder with what an evaluation kept that was stopped after half of its steps.
    fn interrupted(&self, plan: &Plan) -> Checkpoints {
        let open = |folder: &Path| Checkpoints::open(folder, |warning| panic!("{warning}")).unwrap().eager();
        let folder = self.folder.path().join("kept");
        let (keys, inputs) = self.read(plan, false);
        let stop =
            |done, steps| if 2 * done > steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let stopped = execute::evaluate_with_checkpoints(plan, keys, inputs, Some(&open(&folder)), &stop);
        assert!(matches!(stopped, Err(ExecuteError::Stopped)) || plan.circuit.steps.len() < 2);
        open(&folder)
    }
}

/// Evaluates a plan in every way and returns how many finished operations resumed evaluations began with.
fn assert_same_in_every_way(name: &str, plan: &Plan, data: &Table, threads: &[usize]) -> usize {
    let files = Files::new(plan, data);
    let detected = Backend::detect().unwrap();
    let plain = Way { kernels: detected, threads: 1, low_memory: false, is_resumed: false };
    let mut ways =
        vec![Way { low_memory: true, threads: 2, ..plain }, Way { is_resumed: true, threads: 2, ..plain }];
    for kernels in Backend::available() {
        ways.extend(threads.iter().map(|&threads| Way { kernels, threads, ..plain }));
    }
    let (expected, _, bytes) = files.evaluated(plain);
    let mut resumed = 0;
    for way in ways {
        let (digest, kept, found) = files.evaluated(way);
        assert!(digest == expected && found == bytes, "{name}: other results in {way:?}");
        resumed += kept;
    }
    resumed
}

/// Checks programs in all schemes and returns how many each scheme evaluated, and how many operations were taken over.
fn check(programs: &[&str], threads: &[usize]) -> (BTreeMap<&'static str, usize>, usize) {
    let cases: BTreeMap<String, Case> = golden::cases().into_iter().collect();
    let (mut evaluated, mut resumed) = (BTreeMap::new(), 0);
    for program in programs {
        for scheme in SCHEMES {
            // Schemes that refuse a program, and those that take long for it, are left out.
            let Ok((plan, data)) = golden::planned(&cases[*program], scheme, 0) else { continue };
            let plan = claiming(plan.for_rows(data.table.rows).unwrap());
            if golden::is_small(&plan) {
                resumed +=
                    assert_same_in_every_way(&format!("{program} in {scheme}"), &plan, &data.table, threads);
                *evaluated.entry(scheme.name()).or_default() += 1;
            }
        }
    }
    (evaluated, resumed)
}

#[test]
fn results_of_some_programs_have_one_digest_however_they_are_evaluated() {
    let (evaluated, resumed) = check(&["g + w", "sum(p * q) / 4", "max(g, w, 3)"], &[2]);
    assert!(evaluated.len() == 4 && evaluated.values().sum::<usize>() >= 8, "{evaluated:?}");
    assert!(resumed > 0);
}

#[test]
#[ignore = "slow"]
fn results_of_forty_programs_have_one_digest_on_all_kernels_and_threads() {
    let (evaluated, resumed) = check(&PROGRAMS, &[1, 2, 3]);
    println!("{evaluated:?}, {resumed} operations taken over");
    assert!(evaluated.len() == 4 && evaluated.values().all(|&count| count >= 10), "{evaluated:?}");
    assert!(resumed > 100, "{resumed}");
}

#[test]
#[ignore = "slow"]
fn bootstrapped_results_have_one_digest() {
    let (plan, data) = bootstrapping::bootstrapped_chain();
    assert_same_in_every_way("a chain of products", &plan, &data, &[1, 3]);
}

/// The digest covers what decryption takes from the header. (Its tests in `asanoha-lattice` flip every bit of a file.)
#[test]
fn digests_of_results_cover_inputs_and_reencryptions() {
    let cases: BTreeMap<String, Case> = golden::cases().into_iter().collect();
    for scheme in SCHEMES {
        let (plan, data) = golden::planned(&cases["g + w"], scheme, 0).unwrap();
        let plan = claiming(plan);
        let files = Files::new(&plan, &data.table);
        let kernels = Backend::detect().unwrap();
        let way = Way { kernels, threads: 1, low_memory: false, is_resumed: false };
        let (digest, _, bytes) = files.evaluated(way);
        let mut results =
            Encrypted::read(&plan, Contents::Outputs, Source::Bytes { name: "results", bytes: &bytes })
                .unwrap();
        let written = |results: &Encrypted| {
            let path = files.folder.path().join("others");
            results.write(&plan, Contents::Outputs, &path).unwrap();
            FileReader::summary(&*path).unwrap().digest
        };
        assert_eq!(written(&results), digest);
        let inputs = results.inputs.replace("0".repeat(64));
        assert_ne!(written(&results), digest);
        results.inputs = inputs;
        results.reencryptions.results += 1;
        assert_ne!(written(&results), digest);
    }
}
