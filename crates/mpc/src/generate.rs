//! The homomorphic generation of triples, all parties in one process.

use std::{ops::Range, time::Instant};

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_lattice::{
    EvaluationKeys, ImageSums, KeyLevels, ProductShare, PublicKey, RlweCiphertext, SecretKey, SecretShare,
};
use asanoha_ring::{Coefficient, Poly, Sampler, Seed, WidePlanes};
use num_bigint::BigUint;
use num_traits::One;
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::{
    GenerateError, PartyTriples, PhaseSeconds, SharedMatrices, TripleParams,
    phases::{Others, timed},
    threshold::{fill_uniform, open_to_shares},
};

/// Columns of A, and rows of B, that are encrypted at a time.
pub(crate) const INNER_STEP: usize = 64;

/// All parties with their keys: the secret key and the MAC key are shared, and what one party couldn't know is used by
/// no other. The zero-knowledge proofs that protect against parties who encrypt what they shouldn't aren't part of it.
///
/// Everything follows from a seed: a block that is generated again is the same, and no party gives two different decryption
/// shares of one ciphertext.
pub struct Generator {
    params: TripleParams,
    seed: Seed,
    public: PublicKey,
    keys: EvaluationKeys,
    secret_shares: Vec<SecretShare>,
    /// Every party's share of the MAC key, as a row.
    mac_key: Vec<Zeroizing<Vec<u64>>>,
    /// Shares of products with the MAC key, which is encrypted at the lower level.
    product_shares: Vec<ProductShare>,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").field("params", &self.params).finish_non_exhaustive()
    }
}

/// A block of A times a block of B, in one slot: of which triple, and which rows and columns of its product.
#[derive(Clone, Copy, Debug)]
struct Slot {
    triple: usize,
    row: usize,
    column: usize,
}

/// The seed of what one party draws for a purpose.
fn party_seed(seed: &Seed, party: usize, purpose: &str, numbers: &[usize]) -> Seed {
    let party = (party as u64).to_le_bytes();
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| (*number as u64).to_le_bytes()).collect();
    seed.derive(purpose, &[&party, &numbers])
}

impl Generator {
    /// The keys and the shares of them, out of a secret seed that came from the operating system. A seed gives independent values for
    /// other parameters ([`TripleParams::digest`]).
    pub fn new(params: TripleParams, mut seed: Seed) -> Self {
        seed = seed.derive("generator of triples", &[params.digest().as_bytes()]);
        let rlwe = &params.rlwe;
        let sampler = |purpose: &str| Sampler::again(&seed.derive(purpose, &[rlwe.digest().as_bytes()]));
        let secret = SecretKey::generate(rlwe, &mut sampler("secret key"));
        let public = PublicKey::generate(rlwe, &secret, &mut sampler("public key"));
        let mut levels = KeyLevels::default();
        let automorphisms = params.packing.automorphisms();
        for k in 0..automorphisms.count() {
            levels.add_image_product(rlwe, automorphisms.element(k), params.low);
        }
        let keys = EvaluationKeys::generate_levels(rlwe, &secret, &levels, &mut sampler("evaluation keys"));
        let secret_shares =
            SecretShare::deal(&secret, rlwe, params.low, params.parties, &mut sampler("shares"));
        let mac_key: Vec<_> = (0..params.parties)
            .map(|party| {
                let sampler = &mut Sampler::again(&party_seed(&seed, party, "MAC key", &[]));
                let mut row = Zeroizing::new(vec![0; params.modulus.limbs()]);
                fill_uniform(&params.modulus, &mut row, sampler);
                row
            })
            .collect();
        let encrypted = mac_key.iter().enumerate().map(|(party, share)| {
            let mut rows = Zeroizing::new(vec![0; rlwe.ring_degree() * params.modulus.limbs()]);
            rows[..share.len()].copy_from_slice(share);
            let plain = Poly::<Coefficient>::from_rows(rlwe.q(params.low), &rows, &params.modulus);
            let seed = party_seed(&seed, party, "encryption of the MAC key", &[]);
            public.encrypt(rlwe, &plain.into_evaluation(), &mut Sampler::again(&seed))
        });
        let encrypted_mac_key = sum(encrypted);
        let product_shares =
            secret_shares.iter().map(|share| share.of_products(&encrypted_mac_key)).collect();
        Self { params, seed, public, keys, secret_shares, mac_key, product_shares }
    }

    /// The parameters.
    pub fn params(&self) -> &TripleParams {
        &self.params
    }

    /// Every party's share of the MAC key, as rows of residues.
    pub fn mac_key_shares(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.mac_key.iter().map(|share| share.as_slice())
    }

    /// Bytes of the evaluation keys.
    pub fn key_bytes(&self) -> usize {
        self.keys.bytes()
    }

    /// All parties' shares of the triples of a block.
    ///
    /// # Errors
    /// [`GenerateError`].
    pub fn block(&self, index: usize) -> Result<Vec<PartyTriples>, GenerateError> {
        self.timed_block(index, &mut PhaseSeconds::default())
    }

    /// As [`Generator::block`]; adds what its phases take.
    ///
    /// # Errors
    /// [`GenerateError`].
    pub fn timed_block(
        &self,
        index: usize,
        seconds: &mut PhaseSeconds,
    ) -> Result<Vec<PartyTriples>, GenerateError> {
        let start = Instant::now();
        let (count, [rows, columns]) = (self.params.block_size(), self.params.grid());
        let others = Others::default();
        let draw = |party| others.timed(party, || self.random_matrices(party, index, count));
        let mut parties: Vec<PartyTriples> = (0..self.params.parties).map(draw).collect();
        // Triples innermost, so that what's alike is copied together.
        let all: Vec<Slot> = (0..rows * columns)
            .flat_map(|place| {
                let (row, column) = (place / columns, place % columns);
                (0..count).map(move |triple| Slot { triple, row, column })
            })
            .collect();
        seconds.draw += start.elapsed().as_secs_f64();
        for (batch, slots) in all.chunks(self.params.packing.batch()).enumerate() {
            let numbers = [index, batch];
            Batch { generator: self, numbers, slots, others: &others }.run(&mut parties, seconds)?;
        }
        seconds.others += others.seconds();
        Ok(parties)
    }

    /// A party's random A and B. All that's still to come has no matrices yet, so that it takes no memory.
    fn random_matrices(&self, party: usize, block: usize, count: usize) -> PartyTriples {
        let modulus = &self.params.modulus;
        let mut matrices = self.params.shape.matrices().map(|shape| {
            let none = || MatrixBatch::zero(modulus, shape, 0);
            SharedMatrices { values: none(), codes: none() }
        });
        for (which, matrices) in matrices[..2].iter_mut().enumerate() {
            let seed = party_seed(&self.seed, party, "matrices", &[block, which]);
            matrices.values = MatrixBatch::zero(modulus, matrices.values.shape(), count);
            fill_uniform(modulus, matrices.values.words_mut(), &mut Sampler::again(&seed));
        }
        PartyTriples { matrices }
    }
}

/// Some slots of a block, which are computed with together.
struct Batch<'a> {
    generator: &'a Generator,
    /// The numbers of the block and of the batch in it.
    numbers: [usize; 2],
    slots: &'a [Slot],
    others: &'a Others,
}

/// Whose shares are decrypted, for the numbering of what parties draw.
#[derive(Clone, Copy)]
enum What {
    LeftCodes,
    RightCodes,
    Values,
    Codes,
}

impl Batch<'_> {
    fn run(&self, parties: &mut [PartyTriples], seconds: &mut PhaseSeconds) -> Result<(), GenerateError> {
        let Generator { params, keys, .. } = self.generator;
        let inner = params.shape.inner;
        let mut sums: Option<ImageSums> = None;
        for start in (0..inner).step_by(INNER_STEP) {
            let range = start..inner.min(start + INNER_STEP);
            let [left, right] =
                timed(&mut seconds.encrypt, || [0, 1].map(|which| self.encrypt(parties, which, &range)));
            timed(&mut seconds.authenticate, || {
                self.authenticate(parties, What::LeftCodes, &left, &range)?;
                self.authenticate(parties, What::RightCodes, &right, &range)
            })?;
            // Sums are as large as all ciphertexts, so nothing else is kept with them.
            sums = Some(timed(&mut seconds.product, || {
                ImageSums::new(params.packing.automorphisms(), &left, &right, sums.take())
            }));
        }
        let sums = sums.expect("the inner dimension isn't 0");
        let sums = timed(&mut seconds.switch, || sums.switch_to(&params.rlwe, params.low, keys))?;
        let start = Instant::now();
        // One after the other, as the shares of all sums are large.
        let factor = self.sum_factor();
        for (what, factor) in [(What::Values, factor.clone()), (What::Codes, factor * self.code_factor())] {
            let shares = self.decrypt(what, 0, &sums, &factor)?;
            for (number, (party, shares)) in parties.iter_mut().zip(shares).enumerate() {
                let SharedMatrices { values, codes } = &mut party.matrices[2];
                let place = if matches!(what, What::Values) { values } else { codes };
                self.others.timed(number, || self.put_products(place, shares));
            }
        }
        drop(sums);
        seconds.decrypt += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// The rows and columns of a slot's block of a matrix: A has blocks of rows, B of columns, A·B of both.
    fn place(&self, slot: &Slot, which: usize) -> [Range<usize>; 2] {
        let (params, outer) = (&self.generator.params, self.generator.params.packing.outer());
        let [rows, columns] = params.shape.matrices()[which];
        let part = |index: usize, all: usize| index * outer..all.min((index + 1) * outer);
        match which {
            0 => [part(slot.row, rows), 0..columns],
            1 => [0..rows, part(slot.column, columns)],
            _ => [part(slot.row, rows), part(slot.column, columns)],
        }
    }

    /// The largest numbers of rows and columns of the slots' blocks of a matrix.
    fn largest(&self, which: usize) -> [usize; 2] {
        let places = self.slots.iter().map(|slot| self.place(slot, which).map(|range| range.len()));
        places.fold([0, 0], |[rows, columns], [r, c]| [rows.max(r), columns.max(c)])
    }

    /// The sum of all parties' encryptions of some columns of A (0) or rows of B (1), packed.
    fn encrypt(&self, parties: &[PartyTriples], which: usize, range: &Range<usize>) -> Vec<RlweCiphertext> {
        let Generator { params, public, seed, .. } = self.generator;
        let (rlwe, basis) = (&params.rlwe, params.rlwe.q(params.rlwe.max_level()));
        let gather = |(number, party): (usize, &PartyTriples)| {
            self.others.timed(number, || self.gather(&party.matrices[which].values, which, range))
        };
        let blocks: Vec<MatrixBatch> = parties.iter().enumerate().map(gather).collect();
        let secret = basis.secret();
        let encrypt = |place: usize| {
            let own = |(party, blocks): (usize, &MatrixBatch)| {
                let plain = match which {
                    0 => params.packing.pack_column(blocks, place, &secret),
                    _ => params.packing.pack_row(blocks, place, &secret),
                };
                let numbers = [self.numbers[0], self.numbers[1], which, range.start + place];
                let seed = party_seed(seed, party, "encryption", &numbers);
                public.encrypt_coefficients(rlwe, &plain, &mut Sampler::again(&seed))
            };
            sum(blocks.iter().enumerate().map(|blocks| self.others.timed(blocks.0, || own(blocks))))
        };
        (0..range.len()).into_par_iter().map(encrypt).collect()
    }

    /// The slots' blocks of some columns of A (0) or rows of B (1), with zeros where a block is smaller than others.
    fn gather(&self, matrices: &MatrixBatch, which: usize, range: &Range<usize>) -> MatrixBatch {
        let largest = self.largest(which);
        let shape = if which == 0 { [largest[0], range.len()] } else { [range.len(), largest[1]] };
        let mut blocks = MatrixBatch::zero(&self.generator.params.modulus, shape, self.slots.len());
        for_each_place(&self.runs(which, Some(range)), shape, |run, [i, j], [row, column]| {
            let entries = matrices.entries(run.triples(), row, column);
            blocks.entries_mut(run.slots.clone(), i, j).copy_from_slice(entries);
        });
        blocks
    }

    /// The slots' blocks of a matrix, or of some columns of A (0) or rows of B (1).
    fn runs(&self, which: usize, range: Option<&Range<usize>>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let mut place = self.place(slot, which);
            if let Some(range) = range {
                place[1 - which] = range.clone();
            }
            match runs.last_mut() {
                Some(run) if run.place == place && run.triples().end == slot.triple => run.slots.end += 1,
                _ => runs.push(Run { slots: index..index + 1, first_triple: slot.triple, place }),
            }
        }
        runs
    }

    /// Decrypts the codes of encrypted columns of A or rows of B.
    fn authenticate(
        &self,
        parties: &mut [PartyTriples],
        what: What,
        ciphertexts: &[RlweCiphertext],
        range: &Range<usize>,
    ) -> Result<(), GenerateError> {
        let params = &self.generator.params;
        let which = what as usize;
        let shares = self.decrypt(what, range.start, ciphertexts, &self.code_factor())?;
        let [rows, columns] = self.largest(which);
        let (packing, count) = (&params.packing, self.slots.len());
        for (number, (party, polys)) in parties.iter_mut().zip(shares).enumerate() {
            self.others.timed(number, || {
                let blocks = match which {
                    0 => packing.unpack_columns(&polys, rows, count),
                    _ => packing.unpack_rows(&polys, columns, count),
                };
                // Slots that share a block have shares of the same codes: the last one's are taken.
                self.scatter(&mut party.matrices[which].codes, &blocks, &self.runs(which, Some(range)));
            });
        }
        Ok(())
    }

    /// What opening leaves codes divided by, modulo t.
    fn code_factor(&self) -> BigUint {
        let params = &self.generator.params;
        params
            .codes
            .divider
            .as_ref()
            .map_or_else(BigUint::one, |divider| divider.dropped().product() % params.modulus.value())
    }

    /// What the sums of products are divided by: they come to a lower level by division, and packing takes them divided by the
    /// rows of blocks.
    fn sum_factor(&self) -> BigUint {
        let params = &self.generator.params;
        let top = params.rlwe.q(params.rlwe.max_level());
        let dropped: BigUint = top.primes().skip(params.low.0 + 1).map(BigUint::from).product();
        dropped * params.packing.outer_inverse() % params.modulus.value()
    }

    /// All parties' shares of a factor times the plaintexts of ciphertexts, or times their products with the MAC key.
    fn decrypt(
        &self,
        what: What,
        first: usize,
        ciphertexts: &[RlweCiphertext],
        factor: &BigUint,
    ) -> Result<Vec<Vec<WidePlanes>>, GenerateError> {
        let Generator { params, seed, secret_shares, product_shares, .. } = self.generator;
        let decrypt = |(place, ciphertext): (usize, &RlweCiphertext)| {
            let numbers = [self.numbers[0], self.numbers[1], what as usize, first + place];
            let sampler = |party| Sampler::again(&party_seed(seed, party, "decryption", &numbers));
            let (opening, others) =
                (if matches!(what, What::Values) { &params.values } else { &params.codes }, self.others);
            open_to_shares(params, opening, factor, others, sampler, |party| match what {
                What::Values => secret_shares[party].decryption_share(ciphertext, params.value_level),
                _ => product_shares[party].decryption_share(ciphertext),
            })
        };
        let by_ciphertext: Vec<Vec<WidePlanes>> =
            ciphertexts.par_iter().enumerate().map(decrypt).collect::<Result<_, _>>()?;
        let mut by_party: Vec<Vec<WidePlanes>> = (0..params.parties).map(|_| Vec::new()).collect();
        for shares in by_ciphertext {
            by_party.iter_mut().zip(shares).for_each(|(all, share)| all.push(share));
        }
        Ok(by_party)
    }

    /// Puts a party's shares of the products to their places.
    fn put_products(&self, place: &mut MatrixBatch, sums: Vec<WidePlanes>) {
        let packing = &self.generator.params.packing;
        let blocks = packing.unpack(sums, self.largest(2), self.slots.len());
        self.scatter(place, &blocks, &self.runs(2, None));
    }

    /// Copies every block to its place in another matrix, which is made if this is the first of it.
    fn scatter(&self, to: &mut MatrixBatch, blocks: &MatrixBatch, runs: &[Run]) {
        let params = &self.generator.params;
        if to.count() == 0 {
            *to = MatrixBatch::zero(&params.modulus, to.shape(), params.block_size());
        }
        for_each_place(runs, blocks.shape(), |run, [i, j], [row, column]| {
            let entries = blocks.entries(run.slots.clone(), i, j);
            to.entries_mut(run.triples(), row, column).copy_from_slice(entries);
        });
    }
}

/// Slots one after the other that hold the same rows and columns of a matrix, of one triple after the other.
struct Run {
    slots: Range<usize>,
    first_triple: usize,
    place: [Range<usize>; 2],
}

impl Run {
    fn triples(&self) -> Range<usize> {
        self.first_triple..self.first_triple + self.slots.len()
    }
}

/// Every entry of blocks of at most a shape, run by run: its place there, and in the whole matrix.
fn for_each_place(
    runs: &[Run],
    [rows, columns]: [usize; 2],
    mut f: impl FnMut(&Run, [usize; 2], [usize; 2]),
) {
    for i in 0..rows {
        for j in 0..columns {
            for run in runs {
                let [rows, columns] = &run.place;
                if i < rows.len() && j < columns.len() {
                    f(run, [i, j], [rows.start + i, columns.start + j]);
                }
            }
        }
    }
}

/// The sum of ciphertexts, at least one.
fn sum(mut ciphertexts: impl Iterator<Item = RlweCiphertext>) -> RlweCiphertext {
    let mut sum = ciphertexts.next().expect("there are parties");
    ciphertexts.for_each(|ciphertext| sum.add_assign(&ciphertext));
    sum
}
