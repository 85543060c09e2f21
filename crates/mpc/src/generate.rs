//! The homomorphic generation of triples, all parties in one process.

use std::{ops::Range, time::Instant};

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_lattice::{
    EvaluationKeys, ImageSums, KeyLevels, MissingKey, PublicKey, RlweCiphertext, SecretKey, SecretShare,
};
use asanoha_ring::{Coefficient, Poly, Sampler, Seed};
use num_bigint::{BigInt, BigUint};
use rayon::prelude::*;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::{PartyTriples, SharedMatrices, TripleParams, threshold::uniform_rows};

/// Columns of A, and rows of B, that are encrypted at a time.
pub(crate) const INNER_STEP: usize = 64;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A key that isn't there.
    #[error(transparent)]
    Key(#[from] MissingKey),
    /// Decryption gave garbage.
    #[error(
        "a decryption opened more noise than there can be: memory or keys are damaged; generate the block again"
    )]
    Noise,
}

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
    /// The MAC key, encrypted at the lower level.
    encrypted_mac_key: RlweCiphertext,
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

/// What the phases of generation take, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseSeconds {
    /// Drawing the parties' matrices.
    pub draw: f64,
    /// Packing, encoding and encrypting them, for all parties.
    pub encrypt: f64,
    /// The sums of products.
    pub product: f64,
    /// Dividing them to the lower level, and switching keys.
    pub switch: f64,
    /// The codes of A and B: products with the encrypted MAC key, and their decryption.
    pub authenticate: f64,
    /// Decrypting A·B and its codes, all parties' shares of the decryption included.
    pub decrypt: f64,
}

impl PhaseSeconds {
    /// All phases together.
    pub fn total(&self) -> f64 {
        let Self { draw, encrypt, product, switch, authenticate, decrypt } = self;
        draw + encrypt + product + switch + authenticate + decrypt
    }
}

/// Adds what some work takes, in seconds.
fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}

/// The seed of what one party draws for a purpose.
fn party_seed(seed: &Seed, party: usize, purpose: &str, numbers: &[usize]) -> Seed {
    let party = (party as u64).to_le_bytes();
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| (*number as u64).to_le_bytes()).collect();
    seed.derive(purpose, &[&party, &numbers])
}

impl Generator {
    /// The keys and the shares of them, out of a secret seed that came from the operating system.
    pub fn new(params: TripleParams, seed: Seed) -> Self {
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
        let secret_shares = secret.share(rlwe, params.low, params.parties, &mut sampler("shares"));
        let mac_key: Vec<_> = (0..params.parties)
            .map(|party| {
                let sampler = &mut Sampler::again(&party_seed(&seed, party, "MAC key", &[]));
                uniform_rows(&params.modulus, 1, sampler)
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
        Self { params, seed, public, keys, secret_shares, mac_key, encrypted_mac_key }
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
        let mut parties: Vec<PartyTriples> =
            (0..self.params.parties).map(|party| self.random_matrices(party, index, count)).collect();
        let all: Vec<Slot> = (0..count)
            .flat_map(|triple| {
                (0..rows).flat_map(move |row| (0..columns).map(move |column| Slot { triple, row, column }))
            })
            .collect();
        seconds.draw += start.elapsed().as_secs_f64();
        for (batch, slots) in all.chunks(self.params.packing.batch()).enumerate() {
            Batch { generator: self, numbers: [index, batch], slots }.run(&mut parties, seconds)?;
        }
        Ok(parties)
    }

    /// A party's random A and B, and zeros in place of all that is still to come.
    fn random_matrices(&self, party: usize, block: usize, count: usize) -> PartyTriples {
        let modulus = &self.params.modulus;
        let mut matrices = self.params.shape.matrices().map(|shape| {
            let zero = || MatrixBatch::zero(modulus, shape, count);
            SharedMatrices { values: zero(), codes: zero() }
        });
        for (which, matrices) in matrices[..2].iter_mut().enumerate() {
            let seed = party_seed(&self.seed, party, "matrices", &[block, which]);
            let words = matrices.values.words_mut();
            let entries = words.len() / modulus.limbs();
            words.copy_from_slice(&uniform_rows(modulus, entries, &mut Sampler::again(&seed)));
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
            sums = Some(timed(&mut seconds.product, || {
                ImageSums::new(params.packing.automorphisms(), &left, &right, sums.take())
            }));
            timed(&mut seconds.authenticate, || {
                self.authenticate(parties, What::LeftCodes, left, &range)?;
                self.authenticate(parties, What::RightCodes, right, &range)
            })?;
        }
        let sums = sums.expect("the inner dimension isn't 0");
        let sums = timed(&mut seconds.switch, || sums.switch_to(&params.rlwe, params.low, keys))?;
        let start = Instant::now();
        let values = self.decrypt(What::Values, 0, &sums, false)?;
        let codes = self.decrypt(What::Codes, 0, &sums, true)?;
        drop(sums);
        for ((party, values), codes) in parties.iter_mut().zip(values).zip(codes) {
            let SharedMatrices { values: value_place, codes: code_place } = &mut party.matrices[2];
            self.put_products(value_place, values);
            self.put_products(code_place, codes);
        }
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
        let pack = |party: &PartyTriples| {
            let blocks = Zeroizing::new(self.gather(&party.matrices[which].values, which, range));
            let packed = match which {
                0 => params.packing.pack_columns(&blocks),
                _ => params.packing.pack_rows(&blocks),
            };
            Zeroizing::new(packed)
        };
        let packed: Vec<Zeroizing<Vec<Vec<u64>>>> = parties.iter().map(pack).collect();
        let encrypt = |place: usize| {
            let own = packed.iter().enumerate().map(|(party, packed)| {
                let plain = Poly::<Coefficient>::from_rows(basis, &packed[place], &params.modulus);
                let numbers = [self.numbers[0], self.numbers[1], which, range.start + place];
                let seed = party_seed(seed, party, "encryption", &numbers);
                public.encrypt(rlwe, &plain.into_evaluation(), &mut Sampler::again(&seed))
            });
            sum(own)
        };
        (0..range.len()).into_par_iter().map(encrypt).collect()
    }

    /// The slots' blocks of some columns of A (0) or rows of B (1), with zeros where a block is smaller than others.
    fn gather(&self, matrices: &MatrixBatch, which: usize, range: &Range<usize>) -> MatrixBatch {
        let largest = self.largest(which);
        let shape = if which == 0 { [largest[0], range.len()] } else { [range.len(), largest[1]] };
        let mut blocks = MatrixBatch::zero(&self.generator.params.modulus, shape, self.slots.len());
        let places = self.places(which, Some(range));
        for_each_entry(&places, shape, |index, [i, j], (triple, [row, column])| {
            blocks.entry_mut(index, i, j).copy_from_slice(matrices.entry(triple, row, column));
        });
        blocks
    }

    /// The triples and places of the slots' blocks of a matrix, or of some columns of A (0) or rows of B (1).
    fn places(&self, which: usize, range: Option<&Range<usize>>) -> Vec<(usize, [Range<usize>; 2])> {
        let place = |slot: &Slot| {
            let mut place = self.place(slot, which);
            if let Some(range) = range {
                place[1 - which] = range.clone();
            }
            (slot.triple, place)
        };
        self.slots.iter().map(place).collect()
    }

    /// Decrypts the codes of encrypted columns of A or rows of B.
    fn authenticate(
        &self,
        parties: &mut [PartyTriples],
        what: What,
        ciphertexts: Vec<RlweCiphertext>,
        range: &Range<usize>,
    ) -> Result<(), GenerateError> {
        let params = &self.generator.params;
        let which = what as usize;
        let low = |ciphertext: RlweCiphertext| ciphertext.divide_to(&params.rlwe, params.low);
        let ciphertexts: Vec<RlweCiphertext> = ciphertexts.into_par_iter().map(low).collect();
        let shares = self.decrypt(what, range.start, &ciphertexts, true)?;
        let [rows, columns] = self.largest(which);
        for (party, polys) in parties.iter_mut().zip(shares) {
            let (packing, count) = (&params.packing, self.slots.len());
            let mut blocks = match which {
                0 => packing.unpack_columns(&polys, rows, count),
                _ => packing.unpack_rows(&polys, columns, count),
            };
            params.modulus.scale(blocks.words_mut(), &self.dropped());
            // Slots that share a block have shares of the same codes: the last one's are taken.
            scatter(&mut party.matrices[which].codes, &blocks, &self.places(which, Some(range)));
        }
        Ok(())
    }

    /// The number that division to the lower level leaves plaintexts divided by, modulo t.
    fn dropped(&self) -> BigUint {
        let params = &self.generator.params;
        let top = params.rlwe.q(params.rlwe.max_level());
        let dropped: BigUint = top.primes().skip(params.low.0 + 1).map(BigUint::from).product();
        params.modulus.residue(&BigInt::from(dropped))
    }

    /// All parties' shares of ciphertexts of the lower level, or of their products with the MAC key.
    fn decrypt(
        &self,
        what: What,
        first: usize,
        ciphertexts: &[RlweCiphertext],
        times_mac_key: bool,
    ) -> Result<Vec<Vec<Vec<u64>>>, GenerateError> {
        let Generator { params, seed, secret_shares, encrypted_mac_key, .. } = self.generator;
        let decrypt = |(place, ciphertext): (usize, &RlweCiphertext)| {
            let numbers = [self.numbers[0], self.numbers[1], what as usize, first + place];
            let samplers = (0..params.parties)
                .map(|party| Sampler::again(&party_seed(seed, party, "decryption", &numbers)));
            if times_mac_key {
                params.decrypt_to_shares(&ciphertext.tensor(encrypted_mac_key), secret_shares, samplers)
            } else {
                params.decrypt_to_shares(ciphertext, secret_shares, samplers)
            }
        };
        let by_ciphertext: Vec<Vec<Vec<u64>>> =
            ciphertexts.par_iter().enumerate().map(decrypt).collect::<Result<_, _>>()?;
        let mut by_party: Vec<Vec<Vec<u64>>> = (0..params.parties).map(|_| Vec::new()).collect();
        for shares in by_ciphertext {
            by_party.iter_mut().zip(shares).for_each(|(all, share)| all.push(share));
        }
        Ok(by_party)
    }

    /// Puts a party's shares of the products to their places.
    fn put_products(&self, place: &mut MatrixBatch, sums: Vec<Vec<u64>>) {
        let params = &self.generator.params;
        let mut blocks = params.packing.unpack(sums, self.largest(2), self.slots.len());
        params.modulus.scale(blocks.words_mut(), &self.dropped());
        scatter(place, &blocks, &self.places(2, None));
    }
}

/// Copies every block to its place in another matrix.
fn scatter(to: &mut MatrixBatch, blocks: &MatrixBatch, places: &[(usize, [Range<usize>; 2])]) {
    for_each_entry(places, blocks.shape(), |index, [i, j], (triple, [row, column])| {
        to.entry_mut(triple, row, column).copy_from_slice(blocks.entry(index, i, j));
    });
}

/// Every entry of blocks of at most a shape, in the order in which batches hold them: its block and place there, and its triple
/// and place in the whole matrix.
fn for_each_entry(
    places: &[(usize, [Range<usize>; 2])],
    [rows, columns]: [usize; 2],
    mut f: impl FnMut(usize, [usize; 2], (usize, [usize; 2])),
) {
    for i in 0..rows {
        for j in 0..columns {
            for (index, (triple, [rows, columns])) in places.iter().enumerate() {
                if i < rows.len() && j < columns.len() {
                    f(index, [i, j], (*triple, [rows.start + i, columns.start + j]));
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
