//! What the programs in Rust share: the greeting, the answers to questions, and the numbers that are computed with.
//!
//! A program gets its depths as arguments, each as `DEPTH:LOG2_SCALE`, with the scale of CKKS. It prints a [`Greeting`] as a
//! line of JSON. Then it answers each line `SCHEME DEPTH OPERATION` with the milliseconds of one operation, or with
//! `error: ` and the cause. `protocol.py` and `lattigo/protocol.go` are the same in Python and Go.

use std::{
    collections::BTreeMap,
    fmt::Display,
    io::{self, BufRead, Write},
    process::ExitCode,
    time::Instant,
};

use serde::Serialize;

/// log2 of the ring degree.
pub const LOG2_N: u32 = 15;
/// The ring degree.
pub const RING_DEGREE: usize = 1 << LOG2_N;
/// The plaintext modulus of BGV and BFV.
pub const PLAINTEXT_MODULUS: u64 = 65_537;
/// The operations.
pub const OPERATIONS: [&str; 6] = ["product", "chain", "rotate", "encrypt", "decrypt", "encode"];
/// The largest error of CKKS's results. Ours promise 2^-16; OpenFHE's are less precise where it rescales by hand.
pub const LARGEST_ERROR: f64 = 1.0 / 4096.0;

/// A number of consecutive products, and the scale of CKKS for it.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// The number of products.
    pub depth: usize,
    /// log2 of the scale, of which ours is the model. Our own program gets none.
    pub log2_scale: Option<u32>,
}

/// The first line that a program prints.
#[derive(Serialize)]
pub struct Greeting {
    name: &'static str,
    version: String,
    sets: Vec<Offer>,
}

/// Parameters for one scheme and depth.
#[derive(Debug, Serialize)]
pub struct Parameters {
    /// log2 of the ring degree.
    pub log2_n: u32,
    /// log2 of the ciphertext modulus.
    pub log2_q: f64,
    /// log2 of the whole modulus QP.
    pub log2_qp: f64,
    /// The numbers of ciphertext primes and of special primes.
    pub primes: [usize; 2],
    /// log2 of the scale in CKKS; if levels differ, the mean.
    pub log2_scale: Option<f64>,
    /// The security, in the library's own words.
    pub security: String,
    /// The distribution of the secret.
    pub secret: &'static str,
    /// The operations that the library doesn't have, each with the reason.
    pub cannot: BTreeMap<&'static str, &'static str>,
}

/// Makes keys and operands.
pub type Make = Box<dyn Fn() -> Result<Box<dyn Subject>, String>>;

/// What a program can do for one scheme and depth.
#[derive(Serialize)]
pub struct Offer {
    /// `bgv`, `bfv` or `ckks`.
    pub scheme: &'static str,
    /// The number of consecutive products.
    pub depth: usize,
    #[serde(flatten)]
    parameters: Option<Parameters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip)]
    make: Option<Make>,
}

/// Keys and operands of one scheme and depth.
pub trait Subject {
    /// Returns the milliseconds of one of the [`OPERATIONS`], whose result it checks outside of the time.
    ///
    /// # Errors
    /// What failed, or that the result is wrong, in words.
    fn ms(&mut self, operation: &str) -> Result<f64, String>;
}

impl Offer {
    /// Offers parameters, or states why there are none.
    pub fn new(scheme: &'static str, depth: usize, parameters: Result<(Parameters, Make), String>) -> Self {
        match parameters {
            Ok((parameters, make)) => {
                Self { scheme, depth, parameters: Some(parameters), refused: None, make: Some(make) }
            }
            Err(refused) => Self { scheme, depth, parameters: None, refused: Some(refused), make: None },
        }
    }

    /// Refuses a scheme at one depth.
    pub fn refused(scheme: &'static str, depth: usize, reason: &str) -> Self {
        Self::new(scheme, depth, Err(reason.to_owned()))
    }
}

/// Returns the milliseconds of some work, and its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// Words an error.
pub fn text(error: impl Display) -> String {
    error.to_string()
}

/// Returns two vectors of whole numbers below the plaintext modulus.
pub fn whole_numbers() -> [Vec<u64>; 2] {
    let slots = 0..RING_DEGREE as u64;
    [
        slots.clone().map(|slot| (slot * slot + 3) % PLAINTEXT_MODULUS).collect(),
        slots.map(|slot| (5 * slot + 7) % PLAINTEXT_MODULUS).collect(),
    ]
}

/// Returns two vectors of real numbers of absolute value at most 1 whose power 2^depth is at least 1/2.
pub fn real_numbers(depth: usize) -> [Vec<f64>; 2] {
    let power = (1u64 << depth) as f64;
    [97, 89].map(|period| {
        let number = |slot: usize| {
            let size = (-((slot % period) as f64) / period as f64 / power).exp2();
            if slot.is_multiple_of(3) { -size } else { size }
        };
        (0..RING_DEGREE / 2).map(number).collect()
    })
}

/// Returns numbers rotated to the left by one slot, in rows of half the ring degree.
pub fn rotated<T: Copy>(numbers: &[T]) -> Vec<T> {
    let mut numbers = numbers.to_vec();
    numbers.chunks_mut(RING_DEGREE / 2).for_each(|row| row.rotate_left(1));
    numbers
}

/// Reads the depths from the program's arguments.
fn depths() -> Result<Vec<Depth>, String> {
    let parsed = |argument: String| {
        let (depth, scale) = argument.split_once(':').map_or((&*argument, None), |(d, s)| (d, Some(s)));
        let log2_scale = scale.map(str::parse).transpose().ok()?;
        Some(Depth { depth: depth.parse().ok().filter(|depth| (1..=30).contains(depth))?, log2_scale })
    };
    let depths: Option<Vec<_>> = std::env::args().skip(1).map(parsed).collect();
    let usage =
        "the arguments are depths from 1 to 30, as DEPTH:LOG2_SCALE for a peer; bench.py starts this program";
    depths.filter(|depths| !depths.is_empty()).ok_or_else(|| usage.to_owned())
}

/// Prints the greeting and answers questions until there are no more.
pub fn answer(name: &'static str, version: &str, offers: impl Fn(Depth) -> Vec<Offer>) -> ExitCode {
    let talked = depths().and_then(|depths| {
        let sets = depths.into_iter().flat_map(offers).collect();
        talk(&Greeting { name, version: version.to_owned(), sets }).map_err(text)
    });
    match talked {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn talk(greeting: &Greeting) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(greeting)?)?;
    out.flush()?;
    // Only one set of keys at a time.
    let mut current: Option<(&Offer, Box<dyn Subject>)> = None;
    for line in io::stdin().lock().lines() {
        match greeting.reply(&line?, &mut current) {
            Ok(ms) => writeln!(out, "{ms}")?,
            Err(error) => writeln!(out, "error: {}", error.replace('\n', " "))?,
        }
        out.flush()?;
    }
    Ok(())
}

impl Greeting {
    fn reply<'g>(
        &'g self,
        line: &str,
        current: &mut Option<(&'g Offer, Box<dyn Subject>)>,
    ) -> Result<f64, String> {
        let words: Vec<_> = line.split(' ').collect();
        let [scheme, depth, operation] = words[..] else {
            return Err(format!("{line}: the question isn't SCHEME DEPTH OPERATION"));
        };
        if !OPERATIONS.contains(&operation) {
            return Err(format!("{line}: there's no such operation"));
        }
        let is_asked = |offer: &&Offer| offer.scheme == scheme && offer.depth.to_string() == depth;
        let offer = self.sets.iter().find(is_asked).ok_or_else(|| format!("{line}: there's no such set"))?;
        if current.as_ref().is_none_or(|(kept, _)| !std::ptr::eq(*kept, offer)) {
            *current = None;
            let make = offer.make.as_ref().ok_or_else(|| format!("{line}: the set was refused"))?;
            *current = Some((offer, make()?));
        }
        current.as_mut().expect("it was just made").1.ms(operation)
    }
}
