//! Keys of one set of parameters, and the operations that are measured with them.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use asanoha_ring::Sampler;
use asanoha_tfhe::{
    Ciphertext, ClientKey, EncryptedBit, EncryptedInteger, IntegerType, Integers, ServerKey, Table,
    TfheError, TfheParams,
};

use super::{Server, Set, TfheBenchError, TfheRow};
use crate::{
    measure::{shortest_and_median, steadiest},
    memory,
};

/// The samples of an operation: at least `LEAST_SAMPLES`, then as many as `PATIENCE` allows, up to `MOST_SAMPLES`.
const LEAST_SAMPLES: usize = 3;
const MOST_SAMPLES: usize = 50;
const PATIENCE: Duration = Duration::from_secs(2);

/// Operations that take microseconds are repeated this often in a sample.
const REPEATS: usize = 100;
/// The number that tables are applied to.
const NUMBER: u64 = 3;
/// The largest number of two bits.
const TWO_BITS: u64 = 3;

/// The time of a sample in milliseconds, and whether its result is right: that is decrypted and compared with the plain
/// one outside of the time.
type Sample = Result<(f64, bool), TfheBenchError>;

/// An operation on two encrypted integers.
type Binary = fn(&Integers<'_>, [&EncryptedInteger; 2]) -> Result<EncryptedInteger, TfheError>;

/// An operation that is measured one at a time: its name, and a sample of it.
pub(super) type Operation = (&'static str, fn(&Subject) -> Sample);

const OPERATIONS: [Operation; 15] = [
    ("bootstrap", |subject| subject.bootstrap(1)),
    ("secret key", Subject::secret_key),
    ("server key", Subject::server_key),
    ("encrypt", Subject::encrypt),
    ("decrypt", Subject::decrypt),
    ("and", |subject| subject.gate(ServerKey::and, |a, b| a & b)),
    ("or", |subject| subject.gate(ServerKey::or, |a, b| a | b)),
    ("xor", |subject| subject.gate(ServerKey::xor, |a, b| a ^ b)),
    ("nand", |subject| subject.gate(ServerKey::nand, |a, b| !(a & b))),
    ("multiply 2 bits", Subject::multiply),
    ("multiply 4 bits", |subject| subject.integers(2, |key, [a, b]| key.mul(a, b), |a, b| a * b)),
    ADD,
    MULTIPLY,
    COMPARE,
    DIVIDE,
];

/// The last of them, which need numbers of four bits.
const FOUR_BITS: usize = 6;

const ADD: Operation =
    ("add 8 bits", |subject| subject.integers(4, |key, [a, b]| key.add(a, b), |a, b| a + b));
const MULTIPLY: Operation =
    ("multiply 8 bits", |subject| subject.integers(4, |key, [a, b]| key.mul(a, b), |a, b| a * b));
const COMPARE: Operation = ("compare 8 bits", Subject::compare);
const DIVIDE: Operation =
    ("divide 8 bits", |subject| subject.integers(4, |key, [a, b]| key.div(a, b), |a, b| a / b));

/// What takes turns with a peer, and the rounds of it.
const IN_TURNS: [(Operation, usize); 5] =
    [(OPERATIONS[0], 40), (ADD, 8), (MULTIPLY, 4), (COMPARE, 8), (DIVIDE, 3)];
const QUICK_IN_TURNS: [(Operation, usize); 1] = [(OPERATIONS[0], 8)];

/// The integers that are computed with, modulo the size of their type.
const INTEGERS: [i128; 2] = [237, 11];

/// The keys of one set of parameters, a table and a number that it's applied to.
pub(super) struct Subject {
    set: Set,
    client: ClientKey,
    server: Server,
    table: Table,
    number: Ciphertext,
}

impl Subject {
    pub(super) fn new(set: &Set, memory_limit: Option<u64>) -> Result<Self, TfheBenchError> {
        let mut sampler = Sampler::from_os();
        let client = ClientKey::generate(&set.params, &mut sampler);
        let server = Server::new(&set.params, &client, memory_limit)?;
        let messages = set.params.messages();
        let table = set.params.table(|x| value(x, messages))?;
        let number = client.encrypt(NUMBER, &mut sampler)?;
        Ok(Self { set: set.clone(), client, server, table, number })
    }

    /// What is measured one at a time, in the order of the rows: bootstrapping alone for a quick look or with a key in its
    /// file, which has nothing else, and products where the numbers hold them.
    pub(super) fn operations(
        params: &TfheParams,
        memory_limit: Option<u64>,
        quick: bool,
    ) -> &'static [Operation] {
        let largest_pair = (TWO_BITS + 1) * TWO_BITS + TWO_BITS;
        if quick || !Server::fits(params, memory_limit) {
            &OPERATIONS[..1]
        } else if largest_pair < params.messages() {
            &OPERATIONS
        } else {
            &OPERATIONS[..OPERATIONS.len() - FOUR_BITS]
        }
    }

    /// What takes turns with a peer, and the rounds of it: bootstrapping alone for a quick look or with a key in its file.
    pub(super) fn in_turns(&self, quick: bool) -> &'static [(Operation, usize)] {
        let whole = matches!(self.server, Server::Whole(_));
        if quick { &QUICK_IN_TURNS } else { &IN_TURNS[..if whole { IN_TURNS.len() } else { 1 }] }
    }

    /// The times of an operation, or of a batch of them, on the threads of the current pool.
    pub(super) fn row(
        &self,
        operation: &'static str,
        batch: usize,
        sample: impl Fn(&Self) -> Sample,
    ) -> Result<TfheRow, TfheBenchError> {
        memory::mark();
        let round = || {
            let begun = Instant::now();
            let mut times = Vec::new();
            while times.len() < LEAST_SAMPLES || (times.len() < MOST_SAMPLES && begun.elapsed() < PATIENCE) {
                times.push(self.ms(operation, sample(self)?)?);
            }
            Ok(self.row_of(operation, batch, times))
        };
        steadiest(round, |row: &TfheRow| row.ms_median / row.ms_min)
    }

    /// The row of an operation of which all times are known.
    pub(super) fn row_of(&self, operation: &str, batch: usize, times: Vec<f64>) -> TfheRow {
        let (ms_min, ms_median) = shortest_and_median(times);
        let literal = self.set.params.literal();
        TfheRow {
            operation: operation.to_owned(),
            parameters: self.set.name.to_owned(),
            batch,
            threads: rayon::current_num_threads(),
            ms_min,
            ms_median,
            key_bytes: Some(self.set.params.server_key_bytes()),
            peak_bytes: memory::peak_bytes(),
            log2_failure: literal.log2_failure,
            insecure: literal.insecure,
        }
    }

    /// The time of a sample, if its result is right.
    pub(super) fn ms(
        &self,
        operation: &'static str,
        (ms, is_right): (f64, bool),
    ) -> Result<f64, TfheBenchError> {
        if is_right { Ok(ms) } else { Err(TfheBenchError::Wrong { operation, parameters: self.set.name }) }
    }

    /// Tables of that many numbers: key switches and programmable bootstrappings.
    pub(super) fn bootstrap(&self, batch: usize) -> Sample {
        if let (1, Server::Whole(server)) = (batch, &self.server) {
            let (result, ms) = timed(|| server.apply(&self.table, &self.number));
            return Ok((ms, self.is_value(&result?)?));
        }
        let mut sampler = Sampler::from_os();
        let numbers = (0..batch).map(|_| self.client.encrypt(NUMBER, &mut sampler));
        let numbers: Vec<Ciphertext> = numbers.collect::<Result<_, _>>()?;
        let jobs: Vec<_> = numbers.iter().map(|number| (&self.table, number)).collect();
        let (results, ms) = timed(|| self.server.apply_many(&jobs));
        let right =
            results?.iter().map(|result| self.is_value(result)).collect::<Result<Vec<_>, TfheError>>()?;
        Ok((ms, right.len() == batch && !right.contains(&false)))
    }

    fn secret_key(&self) -> Sample {
        let (key, ms) = timed(|| ClientKey::generate(&self.set.params, &mut Sampler::from_os()));
        let number = key.encrypt(NUMBER, &mut Sampler::from_os())?;
        Ok((ms, key.decrypt(&number)? == NUMBER))
    }

    fn server_key(&self) -> Sample {
        let (key, ms) = timed(|| self.client.server_key(&mut Sampler::from_os()));
        Ok((ms, self.is_value(&key.apply(&self.table, &self.number)?)?))
    }

    fn encrypt(&self) -> Sample {
        let mut sampler = Sampler::from_os();
        let (number, ms) = timed(|| repeated(|| self.client.encrypt(NUMBER, &mut sampler)));
        Ok((ms / REPEATS as f64, self.client.decrypt(&number?)? == NUMBER))
    }

    fn decrypt(&self) -> Sample {
        let (number, ms) = timed(|| repeated(|| self.client.decrypt(black_box(&self.number))));
        Ok((ms / REPEATS as f64, number? == NUMBER))
    }

    fn gate(
        &self,
        encrypted: fn(&ServerKey, &EncryptedBit, &EncryptedBit) -> Result<EncryptedBit, TfheError>,
        plain: fn(bool, bool) -> bool,
    ) -> Sample {
        let mut sampler = Sampler::from_os();
        let [a, b] = [true, false].map(|bit| self.client.encrypt_bit(bit, &mut sampler));
        let (a, b) = (a?, b?);
        let (result, ms) = timed(|| encrypted(self.whole(), &a, &b));
        Ok((ms, self.client.decrypt_bit(&result?)? == plain(true, false)))
    }

    fn multiply(&self) -> Sample {
        let mut sampler = Sampler::from_os();
        let [a, b] = [(); 2].map(|()| self.client.encrypt_up_to(TWO_BITS, TWO_BITS, &mut sampler));
        let (a, b) = (a?, b?);
        let (product, ms) = timed(|| self.whole().apply_two(|a, b| a * b, &a, &b));
        Ok((ms, self.client.decrypt(&product?)? == TWO_BITS * TWO_BITS))
    }

    /// Two integers of so many digits, encrypted, and what they hold.
    fn pair(&self, blocks: usize) -> Result<([EncryptedInteger; 2], [i128; 2]), TfheError> {
        let (integer_type, mut sampler) = (IntegerType::unsigned(blocks), Sampler::from_os());
        let values = INTEGERS.map(|value| value % (integer_type.largest() + 1));
        let [a, b] = values.map(|value| self.client.encrypt_integer(value, integer_type, &mut sampler));
        Ok(([a?, b?], values))
    }

    /// An operation on two integers, modulo 4^blocks.
    fn integers(&self, blocks: usize, encrypted: Binary, plain: fn(i128, i128) -> i128) -> Sample {
        let ([x, y], [a, b]) = self.pair(blocks)?;
        let integers = Integers::new(self.whole())?;
        let (result, ms) = timed(|| encrypted(&integers, [&x, &y]));
        let expected = plain(a, b) % (IntegerType::unsigned(blocks).largest() + 1);
        Ok((ms, self.client.decrypt_integer(&result?)? == expected))
    }

    fn compare(&self) -> Sample {
        let ([x, y], [a, b]) = self.pair(4)?;
        let integers = Integers::new(self.whole())?;
        let (result, ms) = timed(|| integers.lt(&x, &y));
        Ok((ms, self.client.decrypt_bit(&result?)? == (a < b)))
    }

    /// The key in memory, of operations that need it.
    fn whole(&self) -> &ServerKey {
        let Server::Whole(key) = &self.server else {
            unreachable!("operations() has only bootstrapping else")
        };
        key
    }

    /// Whether it holds the table's value.
    fn is_value(&self, result: &Ciphertext) -> Result<bool, TfheError> {
        Ok(self.client.decrypt(result)? == value(NUMBER, self.set.params.messages()))
    }
}

/// The table's value at a number.
fn value(x: u64, messages: u64) -> u64 {
    (5 * x + 3) % messages
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}

/// The last of [`REPEATS`] results.
fn repeated<T>(mut work: impl FnMut() -> T) -> T {
    (1..REPEATS).for_each(|_| drop(black_box(work())));
    work()
}
