//! Private search: which of a server's documents are nearest to a query that the server mustn't see?
//!
//! The documents are 1797 handwritten digits of 8×8 pixels (`examples/data/digits.csv`), the queries some of them with
//! noise. The client encrypts a query; the server multiplies it by its documents and sums each product's 64 coordinates
//! by a trace; the client decrypts all similarities at once and reads off the best.
//!
//! Documents stand across a ciphertext: coordinate d of document i in slot d·B + i, for the B documents of a block.
//! The trace then sums slots that stand B apart, and every one of the 64 blocks of the result holds all B sums; so a
//! mask for each block of documents puts the results of all of them into one ciphertext.
//!
//! ```sh
//! cargo run --release -p asanoha --example document_search
//! ```

use std::{error::Error, sync::Arc, time::Instant};

use asanoha::{
    ckks::{
        CkksCiphertext, CkksLiteral, CkksParams, CkksPlaintext, Decryptor, Encoder, Encryptor, Evaluator,
    },
    kernels::{Backend, primes_congruent_to_one},
    lattice::{
        EvaluationKeys, Hoisting, PublicKey, RlweLiteral, SecretKey, StageCost, Trace, choose_unrolling,
    },
    ring::Sampler,
    scheme::Scheme,
};
use rayon::prelude::*;

const RING_DEGREE: usize = 1 << 14;
/// At level 1 a product with a mask has twice as many bits, and its bound has ten more, beside 50 of the first prime.
const LOG2_SCALE: u32 = 38;
/// Coordinates of a document, a power of two.
const COORDINATES: usize = 64;
/// How many answers are shown.
const BEST: usize = 5;
const QUERIES: usize = 3;

/// A unit vector and what it shows.
struct Document {
    label: String,
    vector: Vec<f64>,
}

fn read_documents(path: &str) -> Result<Vec<Document>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let document = |(at, line): (usize, &str)| {
        let (label, pixels) = line.split_once(',').ok_or(format!("{path}:{}: no pixels", at + 1))?;
        let vector: Vec<f64> = pixels
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("{path}:{}: {error}", at + 1))?;
        if vector.len() != COORDINATES {
            return Err(format!("{path}:{}: {} pixels, not {COORDINATES}", at + 1, vector.len()));
        }
        Ok(Document { label: label.to_owned(), vector: unit(vector) })
    };
    Ok(text.lines().enumerate().skip(1).map(document).collect::<Result<_, String>>()?)
}

fn unit(vector: Vec<f64>) -> Vec<f64> {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.into_iter().map(|x| x / norm.max(f64::MIN_POSITIVE)).collect()
}

/// Two levels above the first: one for the documents, one for the masks.
fn params() -> Result<CkksParams, Box<dyn Error>> {
    let step = 2 * RING_DEGREE as u64;
    let mut q_primes = primes_congruent_to_one(50, step, 1, &[])?;
    q_primes.extend(primes_congruent_to_one(LOG2_SCALE, step, 2, &[])?);
    let p_primes = primes_congruent_to_one(50, step, 2, &q_primes)?;
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, 2);
    Ok(CkksLiteral::new(rlwe, f64::from(LOG2_SCALE)).check(Backend::detect()?)?)
}

/// The server: documents in the clear, the keys that a client gave it.
struct Server {
    evaluator: Evaluator,
    trace: Trace,
    /// For each block of documents, their coordinates and the mask of their block in the result.
    blocks: Vec<(CkksPlaintext, CkksPlaintext)>,
}

impl Server {
    fn new(
        params: &CkksParams,
        documents: &[Document],
        keys: EvaluationKeys,
        trace: Trace,
    ) -> Result<Self, Box<dyn Error>> {
        let (encoder, block) = (Encoder::new(params), params.slots() / COORDINATES);
        let (top, below) = (params.max_level(), asanoha::lattice::Level(params.max_level().0 - 1));
        let encode = |(k, documents): (usize, &[Document])| {
            let mut slots = vec![0.0; params.slots()];
            for (i, document) in documents.iter().enumerate() {
                document.vector.iter().enumerate().for_each(|(d, &x)| slots[d * block + i] = x);
            }
            let coordinates = encoder.encode_real(&slots, 1.0, top, params.scale_at(top))?;
            let mut mask = vec![0.0; params.slots()];
            mask[k * block..k * block + documents.len()].fill(1.0);
            Ok((coordinates, encoder.encode_real(&mask, 1.0, below, params.scale_at(below))?))
        };
        let blocks =
            documents.chunks(block).enumerate().map(encode).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        if blocks.len() > COORDINATES {
            return Err(format!("{} documents are too many for one result", documents.len()).into());
        }
        let evaluator = Evaluator::new(params, Arc::new(keys));
        Ok(Self { evaluator, trace, blocks })
    }

    /// All similarities: document i of block k in slot k·B + i.
    fn answer(&self, query: &CkksCiphertext) -> Result<CkksCiphertext, Box<dyn Error + Send + Sync>> {
        let e = &self.evaluator;
        let masked = |(coordinates, mask): &(CkksPlaintext, CkksPlaintext)| {
            let products = e.rescale(&e.mul_plain_exact(query, coordinates)?)?;
            e.mul_plain_exact(&e.trace(&products, &self.trace)?, mask)
        };
        let masked: Vec<CkksCiphertext> = self.blocks.par_iter().map(masked).collect::<Result<_, _>>()?;
        let (first, rest) = masked.split_first().ok_or("no documents")?;
        let mut sum = first.clone();
        for other in rest {
            e.add_assign(&mut sum, other)?;
        }
        Ok(e.rescale(&sum)?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let documents = read_documents("examples/data/digits.csv")?;
    let params = params()?;
    let block = params.slots() / COORDINATES;

    // Blocks are answered side by side, so each trace has one thread.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let below = asanoha::lattice::Level(params.max_level().0 - 1);
    let cost = one.install(|| StageCost::measure(params.rlwe(), below));
    let factors = choose_unrolling(COORDINATES.ilog2(), cost, 1, u64::MAX);
    let trace = Trace::strided(RING_DEGREE, block, &factors, Hoisting::Lazy);

    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(params.rlwe(), &mut sampler);
    let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
    let doubling = Trace::strided(RING_DEGREE, block, &[2; COORDINATES.ilog2() as usize], Hoisting::Separate);
    let elements = trace.elements().chain(doubling.elements());
    let keys = EvaluationKeys::generate(params.rlwe(), &secret, elements, false, &mut sampler);
    let mut server = Server::new(&params, &documents, keys, trace)?;
    println!(
        "{} documents of {COORDINATES} coordinates, {} ciphertexts of {} slots; N = {RING_DEGREE}, {}-bit security",
        documents.len(),
        server.blocks.len(),
        params.slots(),
        params.rlwe().security_bits(),
    );
    println!("trace over {COORDINATES} slots in stages of {factors:?}");

    let (encoder, encryptor, decryptor) =
        (Encoder::new(&params), Encryptor::new(&params), Decryptor::new(&params));
    for k in 0..QUERIES {
        let of = &documents[k * documents.len() / QUERIES + 17];
        let smudged = of.vector.iter().enumerate().map(|(d, x)| x + 0.03 * (d as f64 * 1.7 + k as f64).sin());
        let query = unit(smudged.collect());

        // Coordinate d in all slots of block d.
        let slots: Vec<f64> = query.iter().flat_map(|&x| std::iter::repeat_n(x, block)).collect();
        let level = params.max_level();
        let plain = encoder.encode_real(&slots, 1.0, level, params.scale_at(level))?;
        let encrypted = encryptor.encrypt(&public, &plain, &mut sampler)?;

        let start = Instant::now();
        let answer = server.answer(&encrypted).map_err(|error| error.to_string())?;
        let unrolled = start.elapsed();
        let chosen = std::mem::replace(&mut server.trace, doubling.clone());
        let start = Instant::now();
        server.answer(&encrypted).map_err(|error| error.to_string())?;
        let repeated = start.elapsed();
        server.trace = chosen;

        let found = decryptor.decrypt_real(&secret, &answer)?;
        let exact: Vec<f64> = documents
            .iter()
            .map(|document| document.vector.iter().zip(&query).map(|(a, b)| a * b).sum())
            .collect();
        let error = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
        let best: Vec<String> =
            order[..BEST].iter().map(|&i| format!("{} ({:.4})", documents[i].label, found[i])).collect();
        println!(
            "a smudged {}: nearest {}; largest error {error:.1e}; {:.1} ms, by repeated doubling {:.1} ms",
            of.label,
            best.join(", "),
            unrolled.as_secs_f64() * 1e3,
            repeated.as_secs_f64() * 1e3,
        );
        // Similarities that differ by less than the errors may change places.
        let largest = exact.iter().copied().fold(0.0, f64::max);
        if error > answer.error_bound() || exact[order[0]] < largest - 2.0 * error {
            return Err("the encrypted search disagrees with the plain one".into());
        }
    }
    Ok(())
}
