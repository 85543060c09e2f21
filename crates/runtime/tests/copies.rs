//! A server that adds (0, K) to results shows multiples of the secret key. Where it has no keys of automorphisms, slots that repeat give it
//! away.

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_ring::{Coefficient, Poly, Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Table},
    execute::{self, Encrypted, ExecuteError, Finding, InputSecrets, Keys, unwatched},
    plan::{Plan, SchemeName},
};
use asanoha_scheme::{Ciphertext, Exact, Scheme};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use crate::planning::planned;

const SCHEMES: [SchemeName; 3] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks];

/// Programs that need no key of an automorphism.
const PROGRAMS: [&str; 3] = ["y = 3 * a - b", "y = 3 * a - b + 7", "y = a * b + 7 * a"];

fn table(rows: usize) -> Table {
    let column = |name: &str, factor: i64| Column {
        name: name.into(),
        values: ColumnValues::Whole((0..rows as i64).map(|row| row * factor % 7).collect()),
    };
    Table { columns: vec![column("a", 3), column("b", 5)], rows }
}

/// A plan with keys and honest results.
struct Fixture {
    plan: Plan,
    keys: Keys,
    results: Encrypted,
}

impl Fixture {
    fn new(scheme: SchemeName, text: &str, rows: usize) -> Self {
        let table = table(rows);
        let plan = planned(Some(scheme), text, &table, &["a=-100:100", "b=-100:100"], 12).unwrap();
        let mut sampler = Sampler::new(&Seed([5; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let (inputs, _) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
        let results = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
        Self { plan, keys, results }
    }

    fn decrypt(&self, results: &Encrypted) -> Result<execute::Decrypted, ExecuteError> {
        execute::decrypt(&self.plan, self.keys.secret.as_ref().unwrap(), results, &InputSecrets::none())
    }

    /// The results with (0, c·X^power) added to each, where c shows a secret of small coefficients in the numbers.
    fn forged(&self, power: usize) -> Encrypted {
        let mut results = self.results.clone();
        match self.plan.params.scheme() {
            SchemeName::Bgv => add::<Bgv>(&mut results, power, |_| 1.into()),
            SchemeName::Bfv => add::<Bfv>(&mut results, power, |ciphertext| {
                let t: &BigUint = ciphertext.scheme().plaintext_modulus();
                let q = Scheme::rlwe(ciphertext.scheme()).q(ciphertext.level()).product();
                (q / t).into()
            }),
            _ => add::<Ckks>(&mut results, power, |ciphertext| {
                BigInt::from((ciphertext.scale() * ciphertext.bound() / 300.0) as i64)
            }),
        }
        results
    }
}

fn add<S: Scheme>(results: &mut Encrypted, power: usize, c: impl Fn(&Ciphertext<S>) -> BigInt)
where
    Vec<Vec<Ciphertext<S>>>: asanoha_backends::EncryptedValues,
{
    let values = results.values.get_mut::<Vec<Vec<Ciphertext<S>>>>().unwrap();
    for ciphertext in values.iter_mut().flatten() {
        let (scheme, mut rlwe) = (ciphertext.scheme().clone(), ciphertext.rlwe().clone());
        let ring = Scheme::rlwe(&scheme);
        let mut k = vec![BigInt::zero(); ring.ring_degree()];
        k[power] = c(ciphertext);
        rlwe.parts[1].add_assign(
            &Poly::<Coefficient>::from_integers(ring.q(ciphertext.level()), &k).into_evaluation(),
        );
        *ciphertext = Ciphertext::from_checked_parts(&scheme, rlwe, ciphertext.state().clone()).unwrap();
    }
}

fn assert_refused(found: Result<execute::Decrypted, ExecuteError>, of: &str) {
    let Err(error) = found else { panic!("{of}: the attack succeeds") };
    assert!(
        matches!(&error, ExecuteError::Altered(altered) if altered.place.output == "y" && altered.finding == Finding::Copies),
        "{of}: {error}"
    );
    let ExecuteError::Altered(altered) = &error else { unreachable!() };
    let message = error.to_string().replace(&altered.place.to_string(), "");
    assert!(message.contains("do not tell") && !message.contains(|c: char| c.is_ascii_digit()), "{message}");
}

#[test]
fn multiples_of_the_secret_in_repeated_slots_are_refused() {
    for scheme in SCHEMES {
        for text in PROGRAMS {
            let fixture = Fixture::new(scheme, text, 5);
            assert_eq!(fixture.decrypt(&fixture.results).unwrap().outputs[0].1.as_slice().len(), 5);
            for power in [0, 1, 37] {
                assert_refused(fixture.decrypt(&fixture.forged(power)), &format!("{scheme} {text} {power}"));
            }
        }
    }
}

#[test]
fn multiples_of_the_secret_in_slots_behind_the_rows_are_refused() {
    for scheme in SCHEMES {
        for text in PROGRAMS {
            // More than half of the slots: no row has a copy.
            let slots = Fixture::new(scheme, text, 5).plan.params.slots();
            let rows = slots - slots / 4;
            let fixture = Fixture::new(scheme, text, rows);
            assert_eq!((fixture.plan.layout().block(), fixture.plan.params.slots()), (slots, slots));
            fixture.decrypt(&fixture.results).unwrap();
            assert_refused(fixture.decrypt(&fixture.forged(1)), &format!("{scheme} {text}"));
        }
    }
}

/// Sums and numbers stand in every slot; packed numbers and columns beside them repeat with the block.
#[test]
fn honest_results_of_sums_and_numbers_repeat() {
    let text = "s = sum(a)\nm = mean(a) + mean(b)\nd = a - sum(b)\nr = d * d + 3\nv = sum(a * b) * 2 + 1";
    for scheme in SCHEMES {
        for rows in [1, 2, 5, 8, 300] {
            let fixture = Fixture::new(scheme, text, rows);
            let found =
                fixture.decrypt(&fixture.results).unwrap_or_else(|error| panic!("{scheme} {rows}: {error}"));
            assert_eq!(found.outputs.len(), 5);
        }
    }
}
