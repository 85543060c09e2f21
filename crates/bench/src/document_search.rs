//! The application of the trace paper: a search for the documents that are nearest to an encrypted query, on this machine.
//!
//! The documents are unit vectors in the clear. Coordinate d of document i of a block stands in slot d·B + i, for the B documents of
//! a block; a trace sums the slots that stand B apart, and a mask for each block puts the similarities of all documents into one
//! ciphertext.

use std::fmt;

use asanoha_ckks::{
    CkksCiphertext, CkksLiteral, CkksParams, CkksPlaintext, Decryptor, Encoder, Encryptor, EvaluationKeys,
    Evaluator,
};
use asanoha_kernels::{Backend, primes_congruent_to_one};
use asanoha_lattice::{
    Hoisting, Level, PublicKey, RlweLiteral, SecretKey, StageCost, Trace, choose_unrolling,
};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::Scheme;
use rayon::{ThreadPoolBuilder, prelude::*};
use serde::Serialize;

use crate::{Effort, compare};

/// The number of documents, and of the coordinates of each, a power of two.
const DOCUMENTS: usize = 1797;
const COORDINATES: usize = 64;
const RING_DEGREE: usize = 1 << 14;
/// The width in bits of the first prime and of the special ones.
const PRIME_BITS: u32 = 50;
/// log2 of the scale: at level 1 a product with a mask has twice as many bits.
const LOG2_SCALE: u32 = 38;
/// Two levels: one for the documents, one for the masks.
const LEVELS: usize = 2;
const SEED: Seed = Seed([29; 32]);

/// A search for the documents that are nearest to an encrypted query.
#[derive(Clone, Debug, Serialize)]
pub struct SearchRow {
    /// The number of documents.
    pub documents: usize,
    /// The number of coordinates of each.
    pub coordinates: usize,
    /// The number of encoded vectors that hold the documents.
    pub blocks: usize,
    /// The ring degree.
    pub ring_degree: usize,
    /// The number of threads, which share the blocks.
    pub threads: usize,
    /// The name of the kernels.
    pub kernels: &'static str,
    /// The factors of the trace's stages, which a short measurement chose.
    pub factors: Vec<usize>,
    /// The shortest time of a query's evaluation by that trace, in milliseconds.
    pub ms_min: f64,
    /// The median time, in milliseconds.
    pub ms_median: f64,
    /// The shortest time by repeated doubling, in milliseconds.
    pub doubling_ms_min: f64,
    /// The median time by repeated doubling, in milliseconds.
    pub doubling_ms_median: f64,
    /// The largest error of a similarity.
    pub largest_error: f64,
    /// The bound on it.
    pub error_bound: f64,
    /// The nearest document is that of the search in the clear.
    pub finds_nearest: bool,
}

/// Documents in the clear, and the keys that a client gave.
struct Server {
    evaluator: Evaluator,
    /// For each block of documents, their coordinates and the mask of their place in the result.
    blocks: Vec<(CkksPlaintext, CkksPlaintext)>,
}

/// A unit vector that looks random.
fn document(at: usize) -> Vec<f64> {
    let vector: Vec<f64> =
        (0..COORDINATES).map(|d| ((at * 97 + 1) as f64 * (d as f64 + 1.3)).sin()).collect();
    unit(&vector)
}

fn unit(vector: &[f64]) -> Vec<f64> {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.iter().map(|x| x / norm).collect()
}

fn params(backend: Backend) -> CkksParams {
    let step = 2 * RING_DEGREE as u64;
    let primes =
        |bits, count, not: &[u64]| primes_congruent_to_one(bits, step, count, not).expect("there are");
    let mut q_primes = primes(PRIME_BITS, 1, &[]);
    q_primes.extend(primes(LOG2_SCALE, LEVELS, &[]));
    let p_primes = primes(PRIME_BITS, 2, &q_primes);
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, 2);
    CkksLiteral::new(rlwe, f64::from(LOG2_SCALE)).check(backend).expect("the parameters are secure")
}

impl Server {
    fn new(params: &CkksParams, keys: EvaluationKeys, documents: &[Vec<f64>]) -> Self {
        let (encoder, block) = (Encoder::new(params), params.slots() / COORDINATES);
        let (top, below) = (Level(LEVELS), Level(LEVELS - 1));
        let encode = |(k, documents): (usize, &[Vec<f64>])| {
            let (mut slots, mut mask) = (vec![0.0; params.slots()], vec![0.0; params.slots()]);
            for (i, document) in documents.iter().enumerate() {
                document.iter().enumerate().for_each(|(d, &x)| slots[d * block + i] = x);
            }
            mask[k * block..k * block + documents.len()].fill(1.0);
            let encoded = |slots: &[f64], level| {
                encoder.encode_real(slots, 1.0, level, params.scale_at(level)).expect("they are at most 1")
            };
            (encoded(&slots, top), encoded(&mask, below))
        };
        let blocks = documents.chunks(block).enumerate().map(encode).collect();
        Self { evaluator: Evaluator::new(params, keys), blocks }
    }

    /// All similarities: document i of block k in slot k·B + i.
    fn answer(&self, query: &CkksCiphertext, trace: &Trace) -> CkksCiphertext {
        let (e, keys) = (&self.evaluator, "two levels and all keys are there");
        let masked = |(coordinates, mask): &(CkksPlaintext, CkksPlaintext)| {
            let products = e.rescale(&e.mul_plain_exact(query, coordinates)?)?;
            e.mul_plain_exact(&e.trace(&products, trace)?, mask)
        };
        let masked: Vec<CkksCiphertext> =
            self.blocks.par_iter().map(masked).collect::<Result<_, _>>().expect(keys);
        let (first, rest) = masked.split_first().expect("there are documents");
        let mut sum = first.clone();
        rest.iter().for_each(|other| e.add_assign(&mut sum, other).expect("they're alike"));
        e.rescale(&sum).expect(keys)
    }
}

impl SearchRow {
    /// Measures a search on the threads of the current pool.
    pub(crate) fn measure(backend: Backend, effort: Effort) -> Self {
        let params = params(backend);
        let (rlwe, block) = (params.rlwe(), params.slots() / COORDINATES);
        // Blocks are answered side by side, so each trace has one thread.
        let one = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be had");
        let cost = one.install(|| StageCost::measure(rlwe, Level(LEVELS - 1)));
        let factors = choose_unrolling(COORDINATES.ilog2(), cost, 1, u64::MAX);
        let doubling = [2; COORDINATES.ilog2() as usize];
        let chosen = Trace::strided(RING_DEGREE, block, &factors, Hoisting::Lazy);
        let doubling = Trace::strided(RING_DEGREE, block, &doubling, Hoisting::Separate);

        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(rlwe, &mut sampler);
        let public = PublicKey::generate(rlwe, &secret, &mut sampler);
        let elements = chosen.elements().chain(doubling.elements());
        let keys = EvaluationKeys::generate(rlwe, &secret, elements, false, &mut sampler);
        let documents: Vec<Vec<f64>> = (0..DOCUMENTS).map(document).collect();
        let server = Server::new(&params, keys, &documents);

        let asked = &documents[DOCUMENTS / 3];
        let query: Vec<f64> =
            asked.iter().enumerate().map(|(d, x)| x + 0.03 * (d as f64 * 1.7).sin()).collect();
        let query = unit(&query);
        // Coordinate d in all slots of block d.
        let slots: Vec<f64> = query.iter().flat_map(|&x| std::iter::repeat_n(x, block)).collect();
        let level = params.max_level();
        let plain = Encoder::new(&params).encode_real(&slots, 1.0, level, params.scale_at(level));
        let plain = plain.expect("they are at most 1");
        let encrypted = Encryptor::new(&params).encrypt(&public, &plain, &mut sampler);
        let encrypted = encrypted.expect("the highest level has room");

        let by = |trace| _ = std::hint::black_box(server.answer(&encrypted, trace));
        let [unrolled, repeated] = compare(effort, [&mut || by(&chosen), &mut || by(&doubling)]);
        let answer = server.answer(&encrypted, &chosen);
        let found = Decryptor::new(&params).decrypt_real(&secret, &answer).expect("it's the key");
        let similarity = |document: &Vec<f64>| document.iter().zip(&query).map(|(a, b)| a * b).sum::<f64>();
        let exact: Vec<f64> = documents.iter().map(similarity).collect();
        let nearest = |values: &[f64]| {
            let of = |at: &usize| values[*at];
            (0..DOCUMENTS).max_by(|a, b| of(a).total_cmp(&of(b)))
        };
        Self {
            documents: DOCUMENTS,
            coordinates: COORDINATES,
            blocks: server.blocks.len(),
            ring_degree: RING_DEGREE,
            threads: rayon::current_num_threads(),
            kernels: backend.name(),
            factors,
            ms_min: unrolled.ns_min / 1e6,
            ms_median: unrolled.ns_median / 1e6,
            doubling_ms_min: repeated.ns_min / 1e6,
            doubling_ms_median: repeated.ns_median / 1e6,
            largest_error: found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            error_bound: answer.error_bound(),
            finds_nearest: nearest(&found) == nearest(&exact),
        }
    }
}

impl fmt::Display for SearchRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "search of {} documents of {} coordinates, {} threads: {:.1} ms by stages of {:?}, {:.1} ms by repeated doubling; error {:.1e}",
            self.documents,
            self.coordinates,
            self.threads,
            self.ms_min,
            self.factors,
            self.doubling_ms_min,
            self.largest_error
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_document_is_found_within_the_bound_on_errors() {
        let row = SearchRow::measure(Backend::detect().unwrap(), Effort::QUICK);
        assert!(row.finds_nearest && row.error_bound < 0.01, "{row:?}");
        assert!(row.largest_error > 0.0 && row.largest_error <= row.error_bound, "{row:?}");
        assert_eq!((row.blocks, row.factors.iter().product()), (15, COORDINATES));
        assert!(row.ms_min > 0.0 && row.doubling_ms_min > 0.0);
    }
}
