//! Programmable bootstrapping and operations on integers of 8 bits by `tfhe`, one at a time and on one thread, whenever
//! the caller asks for one: so that a caller who measures its own in between hits the same disturbances of the machine.

use std::{
    io::{self, BufRead, Write},
    time::Instant,
};

use serde::Serialize;
use tfhe::{
    ClientKey, ConfigBuilder, FheUint8, ServerKey,
    prelude::*,
    set_server_key,
    shortint::{
        self, AtomicPatternParameters, Ciphertext, gen_keys,
        parameters::{
            PARAM_MESSAGE_2_CARRY_2, PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128,
            PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128,
        },
        server_key::LookupTableOwned,
    },
};

/// The integers of 8 bits that are computed with.
const INTEGERS: [u8; 2] = [237, 11];

/// The parameters of 2 + 2 bits, all of 128-bit security and a failure probability of 2^-128: the default, with
/// Gaussian noise, and with a key switch in 32-bit words.
fn parameters() -> [(&'static str, AtomicPatternParameters); 3] {
    [
        ("PARAM_MESSAGE_2_CARRY_2", PARAM_MESSAGE_2_CARRY_2.into()),
        (
            "PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128",
            PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128.into(),
        ),
        (
            "PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128",
            PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128.into(),
        ),
    ]
}

/// The first line of the answers.
#[derive(Serialize)]
struct Greeting {
    version: &'static str,
    sets: Vec<&'static str>,
}

/// A table and a number to apply it to, and two integers, with the keys of both.
struct Subject {
    client: shortint::ClientKey,
    server: shortint::ServerKey,
    table: LookupTableOwned,
    number: Ciphertext,
    integer_client: ClientKey,
    integer_server: ServerKey,
    integers: [FheUint8; 2],
}

/// The milliseconds of some work, and its result.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

impl Subject {
    fn new(parameters: AtomicPatternParameters) -> Self {
        let (client, server) = gen_keys(parameters);
        let table = server.generate_lookup_table(|x| (5 * x + 3) % 16);
        let number = client.unchecked_encrypt(3);
        let config = ConfigBuilder::with_custom_parameters(parameters);
        let integer_client = ClientKey::generate(config);
        let integer_server = ServerKey::new(&integer_client);
        let integers = INTEGERS.map(|integer| FheUint8::encrypt(integer, &integer_client));
        Self { client, server, table, number, integer_client, integer_server, integers }
    }

    /// The milliseconds of an operation; `None` if there is none of that name.
    ///
    /// # Panics
    /// If the result is wrong.
    fn ms(&self, operation: &str) -> Option<f64> {
        let ([x, y], [a, b]) = (&self.integers, INTEGERS);
        set_server_key(self.integer_server.clone());
        let integer = |expected: u8, work: fn(&FheUint8, &FheUint8) -> FheUint8| {
            let (ms, result) = timed(|| work(x, y));
            let result: u8 = result.decrypt(&self.integer_client);
            assert_eq!(result, expected);
            ms
        };
        Some(match operation {
            "bootstrap" => {
                let (ms, result) = timed(|| self.server.apply_lookup_table(&self.number, &self.table));
                assert_eq!(self.client.decrypt_message_and_carry(&result), 2);
                ms
            }
            "add 8 bits" => integer(a.wrapping_add(b), |x, y| x + y),
            "multiply 8 bits" => integer(a.wrapping_mul(b), |x, y| x * y),
            "divide 8 bits" => integer(a / b, |x, y| x / y),
            "compare 8 bits" => {
                let (ms, result) = timed(|| x.lt(y));
                assert_eq!(result.decrypt(&self.integer_client), a < b);
                ms
            }
            _ => return None,
        })
    }
}

/// Prints a line of JSON that names the sets of parameters, and then, for each line of the input, which is the number
/// of a set and the name of an operation, a line with the milliseconds of that operation.
pub(crate) fn answer(version: &'static str) -> io::Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing ran before");
    let (sets, parameters): (Vec<_>, Vec<_>) = parameters().into_iter().unzip();
    let all: Vec<Subject> = parameters.into_iter().map(Subject::new).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(&Greeting { version, sets })?)?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let asked = line.split_once(' ').and_then(|(set, operation)| {
            all.get(set.parse::<usize>().ok()?)?.ms(operation)
        });
        let ms = asked.ok_or_else(|| io::Error::other(format!("{line}: no such set or operation")))?;
        writeln!(out, "{ms}")?;
        out.flush()?;
    }
    Ok(())
}
