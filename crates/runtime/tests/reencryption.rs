//! Key rotation: what was encrypted under old keys goes on under new ones, exact or within the bounds that are stated.

use std::ops::ControlFlow;

use asanoha_kernels::{Backend, is_prime, primes_congruent_to_one};
use asanoha_lattice::{RlweLiteral, Source};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{
        self, Confirmation, Contents, DecryptionKey, Encrypted, EncryptionKey, ExecuteError, InputSecrets,
        Keys, MOST_REENCRYPTIONS, ReencryptionError, ReencryptionKey, Reencryptions, unwatched,
    },
    plan::{OnZero, Plan, PlanOptions, PlanParts, SchemeName, choose},
    precision::Precision,
    program::Program,
    search::ScheduleHints,
};
use asanoha_testkit::OpenFile;
use serde_json::json;

/// Insecure, so that columns of a few dozen rows are of several ciphertexts.
const RING_DEGREE: usize = 64;
/// Primes are 1 modulo this.
const STEP: u64 = 2 * RING_DEGREE as u64;
const ROWS: usize = 75;
const SCHEMES: [SchemeName; 3] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks];
const PROGRAM: &str = "y = x * z - 2 * x\ns = sum(y)\nw = x + z";

/// Whole numbers at both ends of their ranges and 0, or reals there.
fn table(scheme: SchemeName) -> Table {
    let at = |ends: [f64; 4], row: usize| ends[row * row % 7 % 4];
    let column = |name: &str, ends: [f64; 4]| {
        let values = (0..ROWS).map(|row| at(ends, row + name.len()));
        let values = match scheme {
            SchemeName::Ckks => ColumnValues::Real(values.collect()),
            _ => ColumnValues::Whole(values.map(|value| value as i64).collect()),
        };
        Column { name: name.to_owned(), values }
    };
    let columns = match scheme {
        SchemeName::Ckks => {
            vec![column("x", [-1.0, 1.0, 1e-9, -0.0]), column("z", [0.999_999, -1.0, 0.5, 1.0])]
        }
        _ => vec![column("x", [-16.0, 15.0, 0.0, 1.0]), column("z", [15.0, -16.0, -1.0, 0.0])],
    };
    Table { columns, rows: ROWS }
}

/// A plan in a ring of 64 coefficients, with ciphertext primes of so many bits.
fn plan_of(scheme: SchemeName, text: &str, bits: &[u32]) -> Result<Plan, String> {
    let mut q_primes: Vec<u64> = Vec::new();
    for &bits in bits {
        q_primes.extend(primes_congruent_to_one(bits, STEP, 1, &q_primes).unwrap());
    }
    plan_in(scheme, text, q_primes)
}

/// A plan with these ciphertext primes.
fn plan_in(scheme: SchemeName, text: &str, q_primes: Vec<u64>) -> Result<Plan, String> {
    let digits = q_primes.len();
    let p_primes = primes_congruent_to_one(58, STEP, 1, &q_primes).unwrap();
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, digits).insecure();
    let params = match scheme {
        SchemeName::Bgv => asanoha_bgv::BgvLiteral::new(rlwe, 65_537u32).into(),
        SchemeName::Bfv => asanoha_bfv::BfvLiteral::new(rlwe, 65_537u64).into(),
        _ => asanoha_ckks::CkksLiteral::new(rlwe, 40.0).into(),
    };
    let schema = Schema::from_table(&table(scheme), &[]).unwrap();
    let parts = PlanParts {
        program: Program::parse(text).unwrap(),
        schema,
        security: 128,
        failure_bits: 96,
        precision: Precision::Relative { bits: 10 },
        params,
        hints: ScheduleHints::default(),
        on_zero: OnZero::Error,
    };
    parts.plan(Backend::detect().unwrap(), 0.0, 0.0)
}

fn plan(scheme: SchemeName) -> Plan {
    plan_of(scheme, PROGRAM, &[50, 40, 40]).unwrap()
}

fn keys(plan: &Plan, seed: u8) -> Keys {
    execute::generate_keys(plan, &mut Sampler::new(&Seed([seed; 32])))
}

fn secret(keys: &Keys) -> &DecryptionKey {
    keys.secret.as_ref().unwrap()
}

fn key(plan: &Plan, from: &Keys, to: &Keys) -> ReencryptionKey {
    ReencryptionKey::generate(plan, secret(from), secret(to), &mut Sampler::from_os()).unwrap()
}

fn inputs(plan: &Plan, keys: &Keys, seeded: bool) -> Encrypted {
    let key = EncryptionKey::from(secret(keys));
    let key = if seeded { &key } else { &keys.public };
    let (encrypted, _) =
        execute::encrypt(plan, key, &table(plan.params.scheme()), &mut Sampler::from_os()).unwrap();
    stored(plan, Contents::Inputs, &encrypted)
}

fn bytes(plan: &Plan, contents: Contents, encrypted: &Encrypted) -> Vec<u8> {
    let mut bytes = Vec::new();
    encrypted.write(plan, contents, &mut bytes).unwrap();
    bytes
}

fn read(plan: &Plan, contents: Contents, bytes: &[u8]) -> Result<Encrypted, String> {
    let from = Source::Bytes { name: "values", bytes };
    Encrypted::read(plan, contents, from).map_err(|error| error.to_string())
}

/// Ciphertexts as they're read back.
fn stored(plan: &Plan, contents: Contents, encrypted: &Encrypted) -> Encrypted {
    let written = bytes(plan, contents, encrypted);
    let found = read(plan, contents, &written).unwrap();
    assert_eq!(found.described(), encrypted.described());
    found
}

fn evaluate(plan: &Plan, keys: &Keys, inputs: Encrypted) -> Encrypted {
    let results = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    stored(plan, Contents::Outputs, &results)
}

fn reencrypt(
    plan: &Plan,
    key: &ReencryptionKey,
    contents: Contents,
    encrypted: Encrypted,
) -> Result<Encrypted, ExecuteError> {
    let before = encrypted.reencryptions.count();
    let found = execute::reencrypt(plan, key, contents, encrypted, &unwatched)?;
    assert_eq!(found.reencryptions.count(), before + 1);
    assert_eq!((found.key, found.seeds.len()), (key.to(), 0));
    Ok(stored(plan, contents, &found))
}

/// The secrets of a client that replaced its keys so many times.
fn rotated(rotations: u32) -> InputSecrets {
    InputSecrets::none().after_rotations(rotations)
}

/// Decrypts as a client that replaced its keys as often as the results state, and holds everything against the plain computation. Returns the
/// largest error bound.
fn check(plan: &Plan, keys: &Keys, results: &Encrypted) -> f64 {
    let secrets = rotated(results.reencryptions.count());
    let found = execute::decrypt(plan, secret(keys), results, &secrets).unwrap();
    let right = plan.evaluate_real(&table(plan.params.scheme())).unwrap();
    let bounds = found.error_bounds.unwrap_or_else(|| vec![0.0; right.len()]);
    for (((name, found), (_, right)), bound) in found.outputs.iter().zip(&right).zip(&bounds) {
        assert_eq!(found.as_slice().len(), right.as_slice().len());
        for (row, (found, right)) in found.as_slice().iter().zip(right.as_slice()).enumerate() {
            let off = (found - right).abs();
            assert!(
                off <= bound + 1e-12,
                "{name}, row {row}: {found} for {right}, off by {off:e} of {bound:e}"
            );
        }
    }
    assert!(found.noise.budget_bits > 0.0);
    bounds.into_iter().fold(0.0, f64::max)
}

fn says<T: std::fmt::Debug>(result: Result<T, ExecuteError>) -> ReencryptionError {
    match result.unwrap_err() {
        ExecuteError::Reencryption(error) => error,
        error => panic!("{error}"),
    }
}

#[test]
fn a_rotated_key_decrypts_old_results() {
    for scheme in SCHEMES {
        let plan = plan(scheme);
        let (old, new) = (keys(&plan, 1), keys(&plan, 2));
        for seeded in [false, true] {
            let results = evaluate(&plan, &old, inputs(&plan, &old, seeded));
            let before = check(&plan, &old, &results);
            let origin = results.inputs.clone();
            let found = reencrypt(&plan, &key(&plan, &old, &new), Contents::Outputs, results).unwrap();
            assert_eq!(found.reencryptions, Reencryptions { inputs: 0, results: 1 });
            assert!(found.inputs == origin && origin.is_some());
            let after = check(&plan, &new, &found);
            assert!(if scheme == SchemeName::Ckks { after > before } else { after == before });
            let refused = execute::decrypt(&plan, secret(&old), &found, &rotated(1)).unwrap_err();
            assert!(matches!(refused, ExecuteError::OtherKeys { .. }));
            // Nor does it decrypt for the old key when it claims to be the old key's.
            let claimed = Encrypted { key: secret(&old).id(), ..found };
            assert!(execute::decrypt(&plan, secret(&old), &claimed, &rotated(1)).is_err());
        }
    }
}

#[test]
fn inputs_under_old_keys_are_evaluated_under_new_ones_and_their_results_go_on() {
    for scheme in SCHEMES {
        let plan = plan(scheme);
        let [old, new, next] = [1, 2, 3].map(|seed| keys(&plan, seed));
        for seeded in [false, true] {
            let fresh = inputs(&plan, &old, seeded);
            let origin = fresh.inputs.clone();
            let moved = reencrypt(&plan, &key(&plan, &old, &new), Contents::Inputs, fresh.clone()).unwrap();
            assert_eq!(moved.reencryptions, Reencryptions { inputs: 1, results: 0 });
            // Results name the inputs that the client encrypted, not the re-encrypted file.
            assert!(moved.inputs == origin && origin.is_some());
            let stale = execute::evaluate(&plan, old.evaluation.clone(), moved.clone(), &unwatched);
            assert!(matches!(stale.unwrap_err(), ExecuteError::OtherKeys { .. }));
            let results = evaluate(&plan, &new, moved);
            assert_eq!(results.inputs, origin);
            let of_moved = check(&plan, &new, &results);
            let found = reencrypt(&plan, &key(&plan, &new, &next), Contents::Outputs, results).unwrap();
            assert_eq!(found.reencryptions, Reencryptions { inputs: 1, results: 1 });
            let twice = check(&plan, &next, &found);
            if scheme == SchemeName::Ckks {
                let direct = check(&plan, &old, &evaluate(&plan, &old, fresh));
                assert!(direct < of_moved && of_moved < twice, "{direct:e} {of_moved:e} {twice:e}");
            }
        }
    }
}

#[test]
fn eight_rotations_are_decrypted_and_a_ninth_is_refused() {
    for scheme in SCHEMES {
        let plan = plan(scheme);
        let mut last = keys(&plan, 0);
        let mut moved = inputs(&plan, &last, true);
        for seed in 1..=3 {
            let new = keys(&plan, seed);
            moved = reencrypt(&plan, &key(&plan, &last, &new), Contents::Inputs, moved).unwrap();
            last = new;
        }
        let mut results = evaluate(&plan, &last, moved);
        for seed in 4..=8 {
            let new = keys(&plan, seed);
            results = reencrypt(&plan, &key(&plan, &last, &new), Contents::Outputs, results).unwrap();
            check(&plan, &new, &results);
            last = new;
        }
        assert_eq!(results.reencryptions, Reencryptions { inputs: 3, results: 5 });
        let new = keys(&plan, 9);
        let refused = says(reencrypt(&plan, &key(&plan, &last, &new), Contents::Outputs, results));
        assert!(matches!(refused, ReencryptionError::TooMany), "{refused}");
    }
}

#[test]
fn a_file_with_other_counts_than_its_noise_has_is_refused() {
    for scheme in SCHEMES {
        let plan = plan(scheme);
        let (old, new) = (keys(&plan, 1), keys(&plan, 2));
        let key = key(&plan, &old, &new);
        let fresh = inputs(&plan, &old, false);
        let results = evaluate(&plan, &old, fresh.clone());
        for (contents, encrypted) in [(Contents::Inputs, fresh), (Contents::Outputs, results)] {
            let whole = bytes(&plan, contents, &reencrypt(&plan, &key, contents, encrypted).unwrap());
            let with = |counts: serde_json::Value| {
                let mut file = OpenFile::parse(&whole).unwrap();
                let mut fields = file.fields();
                match counts {
                    serde_json::Value::Null => drop(fields.as_object_mut().unwrap().remove("reencryptions")),
                    counts => fields["reencryptions"] = counts,
                }
                file.set_fields(&fields);
                read(&plan, contents, &file.sealed())
            };
            let counts = |inputs: u64, results: u64| json!({ "inputs": inputs, "results": results });
            // The noise that the file states is that of one.
            let other = [
                serde_json::Value::Null,
                counts(0, 0),
                counts(2, 0),
                counts(0, 2),
                counts(0, 8),
                counts(8, 0),
            ];
            for counts in other {
                let refused = with(counts.clone()).unwrap_err();
                let known = ["than the plan gives", "re-encrypted 8 times", "the modulus"];
                assert!(known.iter().any(|known| refused.contains(known)), "{counts}: {refused}");
            }
            let most = u64::from(MOST_REENCRYPTIONS);
            let beyond = [
                counts(most, 1),
                counts(1, most),
                counts(most + 1, 0),
                counts(0, u64::from(u32::MAX)),
                counts(u64::from(u32::MAX), 1),
            ];
            for counts in beyond {
                let refused = with(counts.clone()).unwrap_err();
                assert!(refused.contains("re-encrypted 8 times"), "{counts}: {refused}");
            }
            for counts in [
                json!(1),
                json!({ "inputs": -1, "results": 0 }),
                json!({ "inputs": 1.5, "results": 0 }),
                counts(1 << 32, 0),
                json!({ "inputs": 1 }),
            ] {
                let refused = with(counts.clone()).unwrap_err();
                assert!(refused.contains("doesn't describe ciphertexts"), "{counts}: {refused}");
            }
        }
    }
}

/// The file of results with the counts and the noise that a server states: those that it gets when it re-encrypts under keys of its own.
fn stating(plan: &Plan, results: &Encrypted, count: u64) -> Vec<u8> {
    let own: Vec<Keys> = (100..=100 + count as u8).map(|seed| keys(plan, seed)).collect();
    let mut widened = Encrypted { key: secret(&own[0]).id(), ..results.clone() };
    for keys in own.windows(2) {
        let key = key(plan, &keys[0], &keys[1]);
        widened = execute::reencrypt(plan, &key, Contents::Outputs, widened, &unwatched).unwrap();
    }
    let widened = OpenFile::parse(&bytes(plan, Contents::Outputs, &widened)).unwrap().fields();
    let mut file = OpenFile::parse(&bytes(plan, Contents::Outputs, results)).unwrap();
    let mut fields = file.fields();
    for name in ["reencryptions", "values"] {
        fields[name] = widened[name].clone();
    }
    file.set_fields(&fields);
    file.sealed()
}

#[test]
fn results_that_state_other_reencryptions_than_the_client_knows_of_are_refused() {
    for scheme in SCHEMES {
        let plan = plan(scheme);
        let (old, new) = (keys(&plan, 1), keys(&plan, 2));
        let results = evaluate(&plan, &old, inputs(&plan, &old, false));
        let honest = check(&plan, &old, &results);
        for count in [1, 4, 8] {
            let forged = read(&plan, Contents::Outputs, &stating(&plan, &results, count)).unwrap();
            let refused = says(execute::decrypt(&plan, secret(&old), &forged, &rotated(0)));
            let expected = |known| ReencryptionError::Rotations { stated: count as u32, known };
            assert_eq!(refused.to_string(), expected(0).to_string(), "{scheme}");
            // A client that replaced its keys less often, or more often, does not believe it either.
            for known in [count as u32 - 1, count as u32 + 1] {
                let refused = says(execute::decrypt(&plan, secret(&old), &forged, &rotated(known)));
                assert_eq!(refused.to_string(), expected(known).to_string(), "{scheme}");
            }
            let published = says(execute::publish_once(&plan, secret(&old), &forged, &rotated(0), 30));
            assert_eq!(matches!(published, ReencryptionError::Published), scheme == SchemeName::Ckks);
            // The bounds that it would be checked by are wider.
            let widened = check(&plan, &old, &forged);
            assert!(if scheme == SchemeName::Ckks { widened > honest } else { widened == honest });
        }
        // Re-encrypted results that state that they aren't, and others than they are.
        let moved = reencrypt(&plan, &key(&plan, &old, &new), Contents::Outputs, results).unwrap();
        for (inputs, results) in [(0, 0), (1, 1), (0, 2)] {
            let stated = Encrypted { reencryptions: Reencryptions { inputs, results }, ..moved.clone() };
            let refused = says(execute::decrypt(&plan, secret(&new), &stated, &rotated(1)));
            assert!(matches!(refused, ReencryptionError::Rotations { known: 1, .. }), "{refused}");
        }
        check(&plan, &new, &moved);
    }
}

#[test]
fn other_keys_are_refused_and_say_what_is_wrong() {
    let plan = plan(SchemeName::Bgv);
    let [old, new, next] = [1, 2, 3].map(|seed| keys(&plan, seed));
    let forward = key(&plan, &old, &new);
    let fresh = inputs(&plan, &old, true);
    let moved = reencrypt(&plan, &forward, Contents::Inputs, fresh.clone()).unwrap();
    let again = says(reencrypt(&plan, &forward, Contents::Inputs, moved.clone()));
    assert!(matches!(again, ReencryptionError::Already(id) if id == secret(&new).id()), "{again}");
    let later = key(&plan, &new, &next);
    let refused = says(reencrypt(&plan, &later, Contents::Inputs, fresh));
    let (from, ciphertexts) = (secret(&new).id(), secret(&old).id());
    let expected = |error: &ReencryptionError| matches!(error, ReencryptionError::OtherKeys { from: a, ciphertexts: b } if *a == from && *b == ciphertexts);
    assert!(expected(&refused), "{refused}");
    assert!(reencrypt(&plan, &later, Contents::Inputs, moved).is_ok());

    let same = ReencryptionKey::generate(&plan, secret(&old), secret(&old), &mut Sampler::from_os());
    assert!(matches!(says(same), ReencryptionError::SameKeys(_)));
    let other = plan_of(SchemeName::Bgv, PROGRAM, &[51, 41, 40]).unwrap();
    let of_other = keys(&other, 2);
    let mixed = ReencryptionKey::generate(&plan, secret(&old), secret(&of_other), &mut Sampler::from_os());
    assert!(mixed.unwrap_err().to_string().contains("other primes"));
    let mut written = Vec::new();
    forward.write(&plan, &mut written).unwrap();
    let read = |plan: &Plan, bytes: &[u8]| {
        ReencryptionKey::read(plan, Source::Bytes { name: "key", bytes }).map_err(|error| error.to_string())
    };
    let found = read(&plan, &written).unwrap();
    assert_eq!([found.from(), found.to()], [secret(&old).id(), secret(&new).id()]);
    assert!(read(&other, &written).unwrap_err().contains("other parameters"));
    for length in [0, 20, written.len() / 3, written.len() - 8] {
        assert!(read(&plan, &written[..length]).is_err());
    }
}

#[test]
fn what_has_no_room_for_the_noise_is_refused_before_it_is_written() {
    let text = "y = x + z";
    // Of fresh ciphertexts' noise, that of a key switch is one part in fifty.
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let prime = |least: u64| {
            (least / STEP..u64::MAX / STEP).map(|k| k * STEP + 1).find(|&q| is_prime(q)).unwrap()
        };
        let (mut refused, mut planned) = (1 << 20, 1 << 45);
        while planned - refused > STEP {
            let middle = u64::midpoint(refused, planned);
            *(if plan_in(scheme, text, vec![prime(middle)]).is_ok() { &mut planned } else { &mut refused }) =
                middle;
        }
        for (q, has_room) in [(planned, false), (planned + planned / 1000, false), (4 * planned, true)] {
            let plan = plan_in(scheme, text, vec![prime(q)]).unwrap();
            let (old, new) = (keys(&plan, 1), keys(&plan, 2));
            let key = key(&plan, &old, &new);
            let fresh = inputs(&plan, &old, true);
            let results = evaluate(&plan, &old, fresh.clone());
            let moved = reencrypt(&plan, &key, Contents::Outputs, results.clone());
            let moved_inputs = reencrypt(&plan, &key, Contents::Inputs, fresh.clone());
            if has_room {
                check(&plan, &new, &moved.unwrap());
                check(&plan, &new, &evaluate(&plan, &new, moved_inputs.unwrap()));
                continue;
            }
            for refused in [says(moved), says(moved_inputs)] {
                assert!(matches!(refused, ReencryptionError::NoRoom { .. }), "{refused}");
            }
            // A server that re-encrypts nonetheless isn't believed: neither its inputs nor its results are taken.
            let claimed = |encrypted: Encrypted, inputs, results| Encrypted {
                reencryptions: Reencryptions { inputs, results },
                key: secret(&new).id(),
                ..encrypted
            };
            let inputs = claimed(fresh, 1, 0);
            let refused = execute::evaluate(&plan, new.evaluation.clone(), inputs, &unwatched);
            assert!(matches!(says(refused), ReencryptionError::NoRoom { .. }));
            let results = bytes(&plan, Contents::Outputs, &claimed(results, 0, 1));
            let refused = read(&plan, Contents::Outputs, &results).unwrap_err();
            assert!(refused.contains("the modulus"), "{refused}");
        }
    }
}

#[test]
fn ciphertexts_without_key_switching_are_refused() {
    let options = PlanOptions { scheme: Some(SchemeName::Tfhe), ..PlanOptions::default() };
    let table = Table {
        columns: vec![Column { name: "x".to_owned(), values: ColumnValues::Whole(vec![1, 2]) }],
        rows: 2,
    };
    let schema = Schema::from_table(&table, &[]).unwrap();
    let tfhe = choose(&Program::parse("y = x + 1").unwrap(), &schema, &options).unwrap();
    let tfhe = tfhe.into_plan(&options).unwrap();
    let refused = ReencryptionKey::check(&tfhe).unwrap_err();
    assert!(refused.to_string().contains("TFHE"), "{refused}");
    let options = PlanOptions { scheme: Some(SchemeName::Bgv), ..PlanOptions::default() };
    let sums = choose(&Program::parse("y = x + 1").unwrap(), &schema, &options).unwrap();
    let sums = sums.into_plan(&options).unwrap();
    assert_eq!(sums.params.rlwe().unwrap().literal().digits, 0, "plans of sums have no key switching");
    let refused = ReencryptionKey::check(&sums).unwrap_err();
    assert!(refused.to_string().contains("without key switching"), "{refused}");
    // A file can't claim it either.
    let keys = keys(&sums, 1);
    let (encrypted, _) = execute::encrypt(&sums, &keys.public, &table, &mut Sampler::from_os()).unwrap();
    let mut file = OpenFile::parse(&bytes(&sums, Contents::Inputs, &encrypted)).unwrap();
    let mut fields = file.fields();
    fields["reencryptions"] = json!({ "inputs": 1, "results": 0 });
    file.set_fields(&fields);
    let refused = read(&sums, Contents::Inputs, &file.sealed()).unwrap_err();
    assert!(refused.contains("without key switching"), "{refused}");
}

#[test]
fn approximate_results_of_reencrypted_ciphertexts_are_not_published() {
    let plan = plan(SchemeName::Ckks);
    let (old, new) = (keys(&plan, 1), keys(&plan, 2));
    let key = key(&plan, &old, &new);
    let folder = tempfile::tempdir().unwrap();
    new.write(&plan, folder.path()).unwrap();
    let fresh = inputs(&plan, &old, false);
    let results = evaluate(&plan, &old, fresh.clone());
    let moved = reencrypt(&plan, &key, Contents::Inputs, fresh).unwrap();
    let of_inputs = evaluate(&plan, &new, moved);
    let of_results = reencrypt(&plan, &key, Contents::Outputs, results).unwrap();
    for results in [of_inputs, of_results] {
        let counted = execute::publish(
            &plan,
            &plan,
            secret(&new),
            (&results, &rotated(1)),
            (Some(30), Confirmation::TrustedServer),
            folder.path(),
        );
        assert!(matches!(says(counted), ReencryptionError::Published));
        let once = execute::publish_once(&plan, secret(&new), &results, &rotated(1), 30);
        assert!(matches!(says(once), ReencryptionError::Published));
    }
}

#[test]
fn a_reencryption_that_is_stopped_ends() {
    let plan = plan(SchemeName::Bfv);
    let (old, new) = (keys(&plan, 1), keys(&plan, 2));
    let fresh = inputs(&plan, &old, false);
    for last in 0..2 {
        let stop = |done, _| if done > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let key = key(&plan, &old, &new);
        let stopped = execute::reencrypt(&plan, &key, Contents::Inputs, fresh.clone(), &stop);
        assert!(matches!(stopped.unwrap_err(), ExecuteError::Stopped));
    }
}
