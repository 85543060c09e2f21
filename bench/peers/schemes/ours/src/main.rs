//! Operations of asanoha, with the parameters of `asanoha bench schemes`.

use std::process::ExitCode;

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_lattice::{Level, PublicKey, SecretKey};
use asanoha_peer_protocol::{
    Depth, LARGEST_ERROR, LOG2_N, Make, Offer, PLAINTEXT_MODULUS, Parameters, RING_DEGREE, Subject, answer,
    real_numbers, rotated, text, timed, whole_numbers,
};
use asanoha_ring::Sampler;
use asanoha_scheme::{
    Ciphertext, EncodeFor, Encodes, Encryptor, EvaluationKeysBuilder, Evaluator, Holds, Parametrised, Scheme,
    SchemeError,
};

/// The precision of CKKS's results, in bits.
const PRECISION_BITS: u32 = 16;

/// A number of a slot.
trait Number: Copy + 'static {
    fn times(self, other: Self) -> Self;
    fn agrees(self, expected: Self) -> bool;
}

impl Number for i64 {
    fn times(self, other: Self) -> Self {
        self * other % PLAINTEXT_MODULUS as i64
    }

    fn agrees(self, expected: Self) -> bool {
        (self - expected) % PLAINTEXT_MODULUS as i64 == 0
    }
}

impl Number for f64 {
    fn times(self, other: Self) -> Self {
        self * other
    }

    fn agrees(self, expected: Self) -> bool {
        (self - expected).abs() <= LARGEST_ERROR
    }
}

type Square<S> = fn(&Evaluator<S>, &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError>;

/// Keys, two operands, and the result of a chain.
struct Party<S: Scheme, T> {
    params: S,
    depth: usize,
    square: Square<S>,
    numbers: [Vec<T>; 2],
    sampler: Sampler,
    secret: SecretKey,
    public: PublicKey,
    encryptor: Encryptor<S>,
    evaluator: Evaluator<S>,
    plaintext: S::Plaintext,
    operands: [Ciphertext<S>; 2],
    last: Ciphertext<S>,
}

impl<S: Encodes<T> + Holds<T>, T: Number> Party<S, T> {
    fn new(params: &S, depth: usize, square: Square<S>, numbers: [Vec<T>; 2]) -> Result<Self, SchemeError> {
        let mut sampler = Sampler::from_os();
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(params, &secret).relinearise().rotate([1]);
        let evaluator = Evaluator::new(params, keys.build_with(&mut sampler)?);
        let encryptor = Encryptor::new(params);
        let plaintext = encode(params, &numbers[0])?;
        let first = encryptor.encrypt(&public, &plaintext, &mut sampler)?;
        let second = encryptor.encrypt(&public, &encode(params, &numbers[1])?, &mut sampler)?;
        let last = chain(&evaluator, square, &first, depth)?;
        let params = params.clone();
        let operands = [first, second];
        Ok(Self {
            params,
            depth,
            square,
            numbers,
            sampler,
            secret,
            public,
            encryptor,
            evaluator,
            plaintext,
            operands,
            last,
        })
    }

    fn power(&self) -> Vec<T> {
        let power = |number: &T| (0..self.depth).fold(*number, |x, _| x.times(x));
        self.numbers[0].iter().map(power).collect()
    }

    fn decrypt(&self, ciphertext: &Ciphertext<S>) -> Result<Vec<T>, SchemeError> {
        self.params.decrypt(&self.secret, ciphertext)
    }

    /// Runs an operation, and returns its milliseconds, its result and the expected numbers.
    fn run(&mut self, operation: &str) -> Result<(f64, Vec<T>, Vec<T>), SchemeError> {
        let [a, b] = &self.operands;
        let [x, y] = &self.numbers;
        let (ms, result, expected) = match operation {
            "product" => {
                let (ms, result) = timed(|| self.evaluator.multiply(a, b));
                (ms, result, x.iter().zip(y).map(|(x, y)| x.times(*y)).collect())
            }
            "chain" => {
                let (ms, result) = timed(|| chain(&self.evaluator, self.square, a, self.depth));
                (ms, result, self.power())
            }
            "rotate" => {
                let (ms, result) = timed(|| self.evaluator.rotate(a, 1));
                (ms, result, rotated(x))
            }
            "encrypt" => {
                let sampler = &mut self.sampler;
                let (ms, result) = timed(|| self.encryptor.encrypt(&self.public, &self.plaintext, sampler));
                (ms, result, x.clone())
            }
            "encode" => {
                let (ms, plaintext) = timed(|| encode(&self.params, x));
                let result = self.encryptor.encrypt(&self.public, &plaintext?, &mut self.sampler);
                (ms, result, x.clone())
            }
            _ => {
                let (ms, found) = timed(|| self.decrypt(&self.last));
                return Ok((ms, found?, self.power()));
            }
        };
        Ok((ms, self.decrypt(&result?)?, expected))
    }
}

impl<S: Encodes<T> + Holds<T>, T: Number> Subject for Party<S, T> {
    fn ms(&mut self, operation: &str) -> Result<f64, String> {
        let (ms, found, expected) = self.run(operation).map_err(text)?;
        let is_right = found.iter().zip(expected).all(|(found, expected)| found.agrees(expected));
        is_right.then_some(ms).ok_or_else(|| "the result is wrong".to_owned())
    }
}

/// Encodes numbers of absolute value at most 1 in CKKS.
fn encode<S: Encodes<T>, T>(params: &S, numbers: &[T]) -> Result<S::Plaintext, SchemeError> {
    params.encode_for(numbers, EncodeFor::Fresh { level: params.max_level(), bound: Some(1.0) })
}

fn chain<S: Scheme>(
    evaluator: &Evaluator<S>,
    square: Square<S>,
    a: &Ciphertext<S>,
    depth: usize,
) -> Result<Ciphertext<S>, SchemeError> {
    let first = square(evaluator, a)?;
    (1..depth).try_fold(first, |x, _| square(evaluator, &x))
}

fn offer<S: Encodes<T> + Holds<T> + Parametrised, T: Number>(
    scheme: &'static str,
    depth: usize,
    built: Result<S, impl std::fmt::Display>,
    square: Square<S>,
    numbers: [Vec<T>; 2],
    log2_scale: impl Fn(&S) -> Option<f64>,
) -> Offer {
    Offer::new(
        scheme,
        depth,
        built.map_err(text).map(|params| {
            let rlwe = params.rlwe();
            let parameters = Parameters {
                log2_n: LOG2_N,
                log2_q: rlwe.q(rlwe.max_level()).log2_product(),
                log2_qp: rlwe.log2_qp(),
                primes: [rlwe.max_level().0 + 1, rlwe.p().len()],
                log2_scale: log2_scale(&params),
                security: format!("{} bits", rlwe.security_bits()),
                secret: "ternary",
                cannot: [].into(),
            };
            let make: Make = Box::new(move || {
                let party = Party::new(&params, depth, square, numbers.clone()).map_err(text)?;
                Ok(Box::new(party))
            });
            (parameters, make)
        }),
    )
}

fn offers(Depth { depth, .. }: Depth) -> Vec<Offer> {
    let t = PLAINTEXT_MODULUS;
    let half = t / 2;
    let centred = |x: u64| if x > half { x as i64 - t as i64 } else { x as i64 };
    let whole = || whole_numbers().map(|numbers| numbers.into_iter().map(centred).collect::<Vec<_>>());
    let bgv = Bgv::parameters().plaintext_modulus(t).slots(1).depth(depth).ring_degree(RING_DEGREE).build();
    let bfv = Bfv::parameters().plaintext_modulus(t).slots(1).depth(depth).ring_degree(RING_DEGREE).build();
    let ckks =
        Ckks::parameters().precision_bits(PRECISION_BITS).depth(depth).ring_degree(RING_DEGREE).build();
    vec![
        offer("bgv", depth, bgv, |evaluator, a| evaluator.multiply(a, a), whole(), |_| None),
        offer("bfv", depth, bfv, Evaluator::square_exact, whole(), |_| None),
        offer("ckks", depth, ckks, Evaluator::square, real_numbers(depth), |params| {
            let levels = 1..=params.max_level().0;
            Some(levels.map(|level| params.scale_at(Level(level)).log2()).sum::<f64>() / depth as f64)
        }),
    ]
}

fn main() -> ExitCode {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing ran before");
    answer("asanoha", "of this checkout", offers)
}
