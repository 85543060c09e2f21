//! Operations of BFV by the crate `fhe`.

use std::{process::ExitCode, sync::Arc};

use asanoha_peer_protocol::{
    Depth, LOG2_N, Make, Offer, PLAINTEXT_MODULUS, Parameters, RING_DEGREE, Subject, answer, rotated, text,
    timed, whole_numbers,
};
use fhe::bfv::{
    BfvParameters, BfvParametersBuilder, Ciphertext, Encoding, EvaluationKey, EvaluationKeyBuilder,
    Multiplicator, Plaintext, PublicKey, RelinearizationKey, SecretKey,
};
use fhe_traits::{FheDecoder, FheDecrypter, FheEncoder, FheEncrypter};
use rand::rng;

const VERSION: &str = "0.1.1";
/// The size in bits of a prime; the crate takes up to 62.
const PRIME_BITS: usize = 60;
/// What the plaintext and the first noise take of the modulus, and what each product takes, in bits: as few primes as give
/// right results.
const FIRST_BITS: usize = 56;
const PRODUCT_BITS: usize = 32;

/// Keys, two operands, and the result of a chain.
struct Party {
    params: Arc<BfvParameters>,
    depth: usize,
    numbers: [Vec<u64>; 2],
    secret: SecretKey,
    public: PublicKey,
    multiplicator: Multiplicator,
    rotation: EvaluationKey,
    plaintext: Plaintext,
    operands: [Ciphertext; 2],
    last: Ciphertext,
}

impl Party {
    fn new(params: &Arc<BfvParameters>, depth: usize) -> fhe::Result<Self> {
        let rng = &mut rng();
        let secret = SecretKey::random(params, rng);
        let public = PublicKey::new(&secret, rng);
        let multiplicator = Multiplicator::default(&RelinearizationKey::new(&secret, rng)?)?;
        let rotation = EvaluationKeyBuilder::new(&secret)?.enable_column_rotation(1)?.build(rng)?;
        let numbers = whole_numbers();
        let plaintext = encode(params, &numbers[0])?;
        let operands =
            [public.try_encrypt(&plaintext, rng)?, public.try_encrypt(&encode(params, &numbers[1])?, rng)?];
        let last = chain(&multiplicator, &operands[0], depth)?;
        let params = params.clone();
        Ok(Self {
            params,
            depth,
            numbers,
            secret,
            public,
            multiplicator,
            rotation,
            plaintext,
            operands,
            last,
        })
    }

    fn power(&self) -> Vec<u64> {
        let power = |number: &u64| (0..self.depth).fold(*number, |x, _| x * x % PLAINTEXT_MODULUS);
        self.numbers[0].iter().map(power).collect()
    }

    fn decrypt(&self, ciphertext: &Ciphertext) -> fhe::Result<Vec<u64>> {
        Vec::<u64>::try_decode(&self.secret.try_decrypt(ciphertext)?, Encoding::simd())
    }

    /// Runs an operation, and returns its milliseconds, its result and the expected numbers.
    fn run(&self, operation: &str) -> fhe::Result<(f64, Vec<u64>, Vec<u64>)> {
        let [a, b] = &self.operands;
        let [x, y] = &self.numbers;
        let (ms, result, expected) = match operation {
            "product" => {
                let (ms, result) = timed(|| self.multiplicator.multiply(a, b));
                (ms, result, x.iter().zip(y).map(|(x, y)| x * y % PLAINTEXT_MODULUS).collect())
            }
            "chain" => {
                let (ms, result) = timed(|| chain(&self.multiplicator, a, self.depth));
                (ms, result, self.power())
            }
            "rotate" => {
                let (ms, result) = timed(|| self.rotation.rotates_columns_by(a, 1));
                (ms, result, rotated(x))
            }
            "encrypt" => {
                let (ms, result) = timed(|| self.public.try_encrypt(&self.plaintext, &mut rng()));
                (ms, result, x.clone())
            }
            "encode" => {
                let (ms, plaintext) = timed(|| encode(&self.params, x));
                (ms, self.public.try_encrypt(&plaintext?, &mut rng()), x.clone())
            }
            _ => {
                let (ms, found) = timed(|| self.decrypt(&self.last));
                return Ok((ms, found?, self.power()));
            }
        };
        Ok((ms, self.decrypt(&result?)?, expected))
    }
}

impl Subject for Party {
    fn ms(&mut self, operation: &str) -> Result<f64, String> {
        let (ms, found, expected) = self.run(operation).map_err(text)?;
        (found == expected).then_some(ms).ok_or_else(|| "the result is wrong".to_owned())
    }
}

fn encode(params: &Arc<BfvParameters>, numbers: &[u64]) -> fhe::Result<Plaintext> {
    Plaintext::try_encode(numbers, Encoding::simd(), params)
}

fn chain(multiplicator: &Multiplicator, a: &Ciphertext, depth: usize) -> fhe::Result<Ciphertext> {
    let first = multiplicator.multiply(a, a)?;
    (1..depth).try_fold(first, |x, _| multiplicator.multiply(&x, &x))
}

fn parameters(depth: usize) -> Result<(Parameters, Make), String> {
    let primes = (FIRST_BITS + PRODUCT_BITS * depth).div_ceil(PRIME_BITS);
    let mut builder = BfvParametersBuilder::new();
    builder.set_degree(RING_DEGREE).set_plaintext_modulus(PLAINTEXT_MODULUS);
    let params = builder.set_moduli_sizes(&vec![PRIME_BITS; primes]).build_arc().map_err(text)?;
    let log2_q = params.moduli().iter().map(|&q| (q as f64).log2()).sum();
    let parameters = Parameters {
        log2_n: LOG2_N,
        log2_q,
        log2_qp: log2_q,
        primes: [primes, 0],
        log2_scale: None,
        security: "not checked by the crate".to_owned(),
        secret: "centred binomial, variance 10",
        cannot: [].into(),
    };
    Ok((parameters, Box::new(move || Ok(Box::new(Party::new(&params, depth).map_err(text)?)))))
}

fn offers(Depth { depth, .. }: Depth) -> Vec<Offer> {
    vec![
        Offer::refused("bgv", depth, "fhe has BFV only"),
        Offer::new("bfv", depth, parameters(depth)),
        Offer::refused("ckks", depth, "fhe has BFV only"),
    ]
}

fn main() -> ExitCode {
    answer("fhe", VERSION, offers)
}
