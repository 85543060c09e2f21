//! Checking triples.

use num_bigint::BigUint;

use super::{BlockReader, Run, StoreError};
use crate::{PartyTriples, arithmetic::product};

/// The wrong triples that are told one by one.
const TOLD: usize = 16;
const NAMES: [&str; 3] = ["A", "B", "A·B"];

/// A triple that isn't one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongTriple {
    /// Its number, from 0.
    pub triple: u64,
    /// What's wrong.
    pub what: String,
}

/// What was found out about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The triples that were checked.
    pub checked: u64,
    /// The triples that are wrong.
    pub wrong: u64,
    /// The first of these.
    pub told: Vec<WrongTriple>,
    /// The block files that are damaged or out of place, and how.
    pub damaged: Vec<String>,
}

impl Verdict {
    /// Whether all triples are there and right.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.damaged.is_empty()
    }
}

/// Adds up the shares of every triple, and checks that A·B = C and that every code is the MAC key times its entry. Blocks
/// are read piece by piece. `progress` is told how many blocks are done, of how many.
///
/// # Errors
/// [`StoreError::Unfinished`] if blocks are missing, and what can't be read.
pub fn verify(run: &Run, progress: &dyn Fn(usize, usize)) -> Result<Verdict, StoreError> {
    run.check_finished()?;
    let mut verdict = Verdict::default();
    let blocks = run.manifest().blocks();
    for block in 0..blocks {
        match check_block(run, block, &mut verdict) {
            Err(error) if error.is_damage() => verdict.damaged.push(error.to_string()),
            other => other?,
        }
        progress(block as usize + 1, blocks as usize);
    }
    Ok(verdict)
}

fn check_block(run: &Run, block: u64, verdict: &mut Verdict) -> Result<(), StoreError> {
    let parties = 0..run.manifest().parties;
    let mut readers =
        parties.map(|party| BlockReader::open(run, party, block)).collect::<Result<Vec<_>, _>>()?;
    let mac_key: BigUint = readers.iter().map(|reader| run.modulus().integer(reader.mac_key())).sum();
    let mut first = block * run.manifest().block_size as u64;
    loop {
        let mut sum: Option<PartyTriples> = None;
        for reader in &mut readers {
            let Some(share) = reader.next()? else { continue };
            match &mut sum {
                None => sum = Some(share),
                Some(sum) => add(run, sum, &share),
            }
        }
        let Some(sum) = sum else { return Ok(()) };
        check(run, &mac_key, first, &sum, verdict);
        first += sum.count() as u64;
    }
}

fn add(run: &Run, sum: &mut PartyTriples, share: &PartyTriples) {
    for (sum, share) in sum.matrices.iter_mut().zip(&share.matrices) {
        run.modulus().add_assign(sum.values.words_mut(), share.values.words());
        run.modulus().add_assign(sum.codes.words_mut(), share.codes.words());
    }
}

/// Checks opened triples, the first of which has the number `first`.
fn check(run: &Run, mac_key: &BigUint, first: u64, opened: &PartyTriples, verdict: &mut Verdict) {
    let [a, b, c] = &opened.matrices;
    let products = product(run.modulus(), &a.values, &b.values);
    let mut wrong = vec![None; opened.count()];
    let mut compare = |found: &[u64], expected: &[u64], what: &dyn Fn(usize) -> String| {
        if found == expected {
            return;
        }
        let limbs = run.modulus().limbs();
        let pairs = found.chunks_exact(limbs).zip(expected.chunks_exact(limbs)).enumerate();
        for (at, _) in pairs.filter(|(_, (found, expected))| found != expected) {
            wrong[at % opened.count()].get_or_insert_with(|| what(at / opened.count()));
        }
    };
    compare(c.values.words(), products.words(), &|_| "the shares don't add up to A·B".to_owned());
    for (matrices, name) in opened.matrices.iter().zip(NAMES) {
        let mut expected = matrices.values.clone();
        run.modulus().scale(expected.words_mut(), mac_key);
        let columns = matrices.values.shape()[1];
        compare(matrices.codes.words(), expected.words(), &|place| {
            format!(
                "the code of {name} at row {}, column {} is wrong",
                place / columns + 1,
                place % columns + 1
            )
        });
    }
    verdict.checked += opened.count() as u64;
    for (triple, what) in (first..).zip(wrong).filter_map(|(triple, what)| Some((triple, what?))) {
        verdict.wrong += 1;
        if verdict.told.len() < TOLD {
            verdict.told.push(WrongTriple { triple, what });
        }
    }
}
