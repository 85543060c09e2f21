//! The cost of correcting the scaling factor at each product, as HElib-MP does, beside our products.

use std::{fmt, time::Instant};

use asanoha_bgv::{
    Bgv, BgvCiphertext, BgvPredictor, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator,
    PublicKey, Scheme, SchemeError, SecretKey,
};
use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{Exact, Operand, Operations, ParametersError};
use num_bigint::{BigInt, BigUint};
use serde::Serialize;

use super::chains::{REPEATS, modulus};

/// The chains: log2 of the plaintext modulus, and the depth. The search takes less than 1024 bits of headroom, so their product
/// must stay below.
const CASES: [(u32, usize); 3] = [(64, 4), (256, 2), (512, 1)];
const QUICK_CASES: [(u32, usize); 1] = [(64, 2)];
const SEED: Seed = Seed([12; 32]);
/// The number that is squared. The result is compared with its power.
const BASE: u32 = 3;
/// The largest ring degree that chains are searched in.
const LARGEST_RING_DEGREE: usize = 1 << 18;
/// The step of the search for a modulus that holds a chain with corrections, in bits.
const STEP_BITS: u32 = 8;
const FITS: &str = "the parameters were made for it";

/// A chain of squarings in BGV, without and with a correction of the scaling factor at each product. Each has the smallest
/// parameters that hold it.
///
/// A ciphertext of HElib-MP holds its message times its modulus q, modulo t. A product holds the message times q², so HElib-MP
/// multiplies it by q⁻¹ modulo t. That multiplies the noise by up to t/2. Our ciphertexts store the factor instead, and
/// decryption divides by it.
#[derive(Clone, Debug, Serialize)]
pub struct CorrectionRow {
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// The number of squarings one after another.
    pub depth: usize,
    /// The ring degree of our chain.
    pub ring_degree: usize,
    /// log2 of our chain's ciphertext modulus.
    pub log2_q: f64,
    /// The time of our chain, in milliseconds: squarings with relinearisation and modulus switching.
    pub chain_ms: f64,
    /// The ring degree of the chain with corrections.
    pub with_correction_ring_degree: usize,
    /// log2 of the ciphertext modulus of the chain with corrections.
    pub with_correction_log2_q: f64,
    /// The time of the chain with corrections, in milliseconds.
    pub with_correction_ms: f64,
    /// The part of that time that the multiplications by q⁻¹ take, in milliseconds.
    pub correction_ms: f64,
    /// The time of the chain with corrections divided by the time of our chain.
    pub ratio: f64,
}

impl fmt::Display for CorrectionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "log2 t {:>4}, depth {}: {:.1} ms (log2 N {}, log2 q {:.0}); with the correction {:.1} ms (log2 N {}, log2 q {:.0}), \
             of which {:.2} ms multiply by q^-1; {:.2} times as long",
            self.log2_t,
            self.depth,
            self.chain_ms,
            self.ring_degree.ilog2(),
            self.log2_q,
            self.with_correction_ms,
            self.with_correction_ring_degree.ilog2(),
            self.with_correction_log2_q,
            self.correction_ms,
            self.ratio
        )
    }
}

/// Returns the chains to measure: log2 of the plaintext modulus, and the depth.
pub(super) fn cases(is_quick: bool) -> &'static [(u32, usize)] {
    if is_quick { &QUICK_CASES } else { &CASES }
}

impl CorrectionRow {
    /// Measures both chains in turns, on the threads of the current pool.
    ///
    /// # Panics
    /// If no ring holds a chain, or a power is wrong: both are bugs.
    pub(super) fn measure((log2_t, depth): (u32, usize), backend: Backend) -> Self {
        let ours = Chain::new(&params(log2_t, depth, 0, backend).expect(FITS), depth, false);
        let corrected = Chain::new(&params_with_correction(log2_t, depth, backend).expect(FITS), depth, true);
        let run = || [ours.run(), corrected.run()];
        // A first pass, since tables are made at the first use.
        run();
        let mut fastest = run();
        for _ in 1..REPEATS {
            for (fastest, times) in fastest.iter_mut().zip(run()) {
                *fastest = fastest.min(times);
            }
        }
        let [fastest, fastest_corrected] = fastest;
        Self {
            log2_t,
            depth,
            ring_degree: ours.params().rlwe().ring_degree(),
            log2_q: log2_q(ours.params()),
            chain_ms: fastest.chain_ms,
            with_correction_ring_degree: corrected.params().rlwe().ring_degree(),
            with_correction_log2_q: log2_q(corrected.params()),
            with_correction_ms: fastest_corrected.chain_ms,
            correction_ms: fastest_corrected.correction_ms,
            ratio: fastest_corrected.chain_ms / fastest.chain_ms,
        }
    }
}

/// log2 of the ciphertext modulus.
fn log2_q(params: &Bgv) -> f64 {
    params.rlwe().q(params.max_level()).log2_product()
}

/// The smallest parameters that hold a chain without corrections and leave headroom.
fn params(log2_t: u32, depth: usize, headroom_bits: u32, backend: Backend) -> Result<Bgv, ParametersError> {
    let options = || {
        let options = Bgv::parameters().plaintext_modulus(modulus(log2_t)).coefficients(1).depth(depth);
        options.headroom_bits(headroom_bits).backend(backend)
    };
    options().build().or_else(|_| options().ring_degree(LARGEST_RING_DEGREE).build())
}

/// The smallest parameters that hold a chain with corrections.
fn params_with_correction(log2_t: u32, depth: usize, backend: Backend) -> Result<Bgv, ParametersError> {
    // Each correction takes almost log2 t bits.
    let mut headroom_bits = depth as u32 * (log2_t - STEP_BITS);
    loop {
        let params = params(log2_t, depth, headroom_bits, backend)?;
        let predictor = BgvPredictor::new(&params);
        let fresh = predictor.model().fresh_public(params.max_level(), &());
        if fresh.and_then(|fresh| with_corrections(&predictor, fresh, depth, &mut 0.0)).is_ok() {
            return Ok(params);
        }
        headroom_bits += STEP_BITS;
    }
}

/// q⁻¹ modulo t, for the modulus q of a value.
fn inverse<V: Operand<Bgv>>(params: &Bgv, value: &V) -> BigUint {
    let q = params.rlwe().q(value.state().level).product();
    q.modinv(params.plaintext_modulus()).expect("t has no common factor with the modulus")
}

/// Squares a value `depth` times and multiplies each product by q⁻¹ modulo t, before its relinearisation. Adds the time of
/// these multiplications to `correction_ms`.
fn with_corrections<V: Operand<Bgv>>(
    operations: &Operations<Bgv, V>,
    mut value: V,
    depth: usize,
    correction_ms: &mut f64,
) -> Result<V, SchemeError> {
    for _ in 0..depth {
        let mut product = operations.multiply_without_relinearise(&value, &value)?;
        let inverse = BigInt::from(inverse(operations.params(), &product));
        let start = Instant::now();
        operations.mul_constant_assign_exact(&mut product, inverse)?;
        *correction_ms += start.elapsed().as_secs_f64() * 1e3;
        value = operations.relinearise_settled(product)?;
    }
    Ok(value)
}

/// The time of a chain, and of the corrections in it.
#[derive(Clone, Copy)]
struct Times {
    chain_ms: f64,
    correction_ms: f64,
}

impl Times {
    fn min(self, other: Self) -> Self {
        if other.chain_ms < self.chain_ms { other } else { self }
    }
}

/// A chain of squarings with its keys and its first ciphertext.
struct Chain {
    evaluator: Evaluator,
    secret: SecretKey,
    fresh: BgvCiphertext,
    depth: usize,
    is_corrected: bool,
}

impl Chain {
    fn new(params: &Bgv, depth: usize, is_corrected: bool) -> Self {
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(params, &secret).relinearise();
        let evaluator = Evaluator::new(params, keys.build_with(&mut sampler).expect(FITS));
        let top = params.max_level();
        let factor = if is_corrected { params.rlwe().q(top).product() } else { BigUint::from(1u32) };
        let message = BigInt::from(factor * BASE % params.plaintext_modulus());
        let message = Encoder::new(params).encode_constant(message, top).expect(FITS);
        let fresh = Encryptor::new(params).encrypt(&public, &message, &mut sampler).expect(FITS);
        Self { evaluator, secret, fresh, depth, is_corrected }
    }

    fn params(&self) -> &Bgv {
        self.evaluator.params()
    }

    /// Squares once through the chain and checks the result.
    fn run(&self) -> Times {
        let (fresh, mut correction_ms) = (self.fresh.clone(), 0.0);
        let start = Instant::now();
        let result = if self.is_corrected {
            with_corrections(&self.evaluator, fresh, self.depth, &mut correction_ms)
        } else {
            (0..self.depth).try_fold(fresh, |value, _| self.evaluator.multiply(&value, &value))
        };
        let chain_ms = start.elapsed().as_secs_f64() * 1e3;
        assert!(self.is_right(&result.expect(FITS)), "a power is wrong: {}", self.params().describe());
        Times { chain_ms, correction_ms }
    }

    /// Whether a ciphertext holds the power; with corrections, times its modulus q.
    fn is_right(&self, result: &BgvCiphertext) -> bool {
        let t = self.params().plaintext_modulus();
        let expected = BigUint::from(BASE).modpow(&(BigUint::from(1u32) << self.depth), t);
        let decrypted = Decryptor::new(self.params()).decrypt_unsigned(&self.secret, result).expect(FITS);
        if self.is_corrected {
            &decrypted[0] * result.message() * inverse(self.params(), result) % t == expected
        } else {
            decrypted[0] == expected
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_need_about_log2_t_more_bits_a_product() {
        let row = CorrectionRow::measure((64, 2), Backend::detect().unwrap());
        let more = row.with_correction_log2_q - row.log2_q;
        assert!((100.0..150.0).contains(&more), "{row}");
        assert!(row.with_correction_ring_degree >= row.ring_degree);
        assert!(row.correction_ms > 0.0 && row.correction_ms < row.with_correction_ms, "{row}");
        assert_eq!(row.ratio, row.with_correction_ms / row.chain_ms);
    }
}
