//! The homomorphic generation of triples, all parties in one process.

use std::ops::Range;

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
pub(crate) const INNER_STEP: usize = 128;

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
        let encrypted: Vec<RlweCiphertext> = mac_key
            .iter()
            .enumerate()
            .map(|(party, share)| {
                let mut rows = Zeroizing::new(vec![0; rlwe.ring_degree() * params.modulus.limbs()]);
                rows[..share.len()].copy_from_slice(share);
                let plain = Poly::<Coefficient>::from_rows(rlwe.q(params.low), &rows, &params.modulus);
                let seed = party_seed(&seed, party, "encryption of the MAC key", &[]);
                public.encrypt(rlwe, &plain.into_evaluation(), &mut Sampler::again(&seed))
            })
            .collect();
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
        let (count, [rows, columns]) = (self.params.block_size(), self.params.grid());
        let mut parties: Vec<PartyTriples> =
            (0..self.params.parties).map(|party| self.random_matrices(party, index, count)).collect();
        let all: Vec<Slot> = (0..count)
            .flat_map(|triple| {
                (0..rows).flat_map(move |row| (0..columns).map(move |column| Slot { triple, row, column }))
            })
            .collect();
        for (batch, slots) in all.chunks(self.params.packing.batch()).enumerate() {
            Batch { generator: self, numbers: [index, batch], slots }.run(&mut parties)?;
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
    fn run(&self, parties: &mut [PartyTriples]) -> Result<(), GenerateError> {
        let Generator { params, keys, .. } = self.generator;
        let inner = params.shape.inner;
        let mut sums: Option<ImageSums> = None;
        for start in (0..inner).step_by(INNER_STEP) {
            let range = start..inner.min(start + INNER_STEP);
            let left = self.encrypt(parties, 0, &range);
            let right = self.encrypt(parties, 1, &range);
            sums = Some(ImageSums::new(params.packing.automorphisms(), &left, &right, sums.take()));
            self.authenticate(parties, What::LeftCodes, left, &range)?;
            self.authenticate(parties, What::RightCodes, right, &range)?;
        }
        let sums = sums.expect("the inner dimension isn't 0").switch_to(&params.rlwe, params.low, keys)?;
        let values = self.decrypt(What::Values, 0, &sums, false)?;
        let codes = self.decrypt(What::Codes, 0, &sums, true)?;
        drop(sums);
        for ((party, values), codes) in parties.iter_mut().zip(values).zip(codes) {
            let SharedMatrices { values: value_place, codes: code_place } = &mut party.matrices[2];
            self.put_products(value_place, values);
            self.put_products(code_place, codes);
        }
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
        let mut encrypted: Vec<RlweCiphertext> = Vec::new();
        for (index, party) in parties.iter().enumerate() {
            let blocks = self.gather(&party.matrices[which].values, which, range);
            let packed = match which {
                0 => params.packing.pack_columns(&blocks),
                _ => params.packing.pack_rows(&blocks),
            };
            let encrypt = |(place, rows): (usize, Vec<u64>)| {
                let rows = Zeroizing::new(rows);
                let plain = Poly::<Coefficient>::from_rows(basis, &rows, &params.modulus).into_evaluation();
                let numbers = [self.numbers[0], self.numbers[1], which, range.start + place];
                let seed = party_seed(seed, index, "encryption", &numbers);
                public.encrypt(rlwe, &plain, &mut Sampler::again(&seed))
            };
            let own: Vec<RlweCiphertext> = packed.into_par_iter().enumerate().map(encrypt).collect();
            if encrypted.is_empty() {
                encrypted = own;
            } else {
                encrypted.iter_mut().zip(&own).for_each(|(sum, own)| sum.add_assign(own));
            }
        }
        encrypted
    }

    /// The slots' blocks of some columns of A (0) or rows of B (1), with zeros where a block is smaller than others.
    fn gather(&self, matrices: &MatrixBatch, which: usize, range: &Range<usize>) -> MatrixBatch {
        let largest = self.largest(which);
        let shape = if which == 0 { [largest[0], range.len()] } else { [range.len(), largest[1]] };
        let mut blocks = MatrixBatch::zero(&self.generator.params.modulus, shape, self.slots.len());
        for (index, slot) in self.slots.iter().enumerate() {
            let [mut rows, mut columns] = self.place(slot, which);
            *(if which == 0 { &mut columns } else { &mut rows }) = range.clone();
            for (i, row) in rows.enumerate() {
                for (j, column) in columns.clone().enumerate() {
                    blocks.entry_mut(index, i, j).copy_from_slice(matrices.entry(slot.triple, row, column));
                }
            }
        }
        blocks
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
            for (index, slot) in self.slots.iter().enumerate() {
                let [mut rows, mut columns] = self.place(slot, which);
                *(if which == 0 { &mut columns } else { &mut rows }) = range.clone();
                scatter(&mut party.matrices[which].codes, &blocks, slot.triple, index, [rows, columns]);
            }
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
        for (index, slot) in self.slots.iter().enumerate() {
            scatter(place, &blocks, slot.triple, index, self.place(slot, 2));
        }
    }
}

/// Copies one matrix of blocks to rows and columns of another.
fn scatter(
    to: &mut MatrixBatch,
    blocks: &MatrixBatch,
    triple: usize,
    index: usize,
    [rows, columns]: [Range<usize>; 2],
) {
    for (i, row) in rows.enumerate() {
        for (j, column) in columns.clone().enumerate() {
            to.entry_mut(triple, row, column).copy_from_slice(blocks.entry(index, i, j));
        }
    }
}

/// The sum of ciphertexts, at least one.
fn sum(ciphertexts: Vec<RlweCiphertext>) -> RlweCiphertext {
    let mut ciphertexts = ciphertexts.into_iter();
    let mut sum = ciphertexts.next().expect("there are parties");
    ciphertexts.for_each(|ciphertext| sum.add_assign(&ciphertext));
    sum
}
