//! One operation, some times, for a program that counts instructions: `counted OPERATION TIMES`; without arguments the
//! operations, one a line. `cargo xtask count` calls it. All randomness is seeded, so that each run takes the same steps.

use std::{hint::black_box, process::ExitCode};

use asanoha_bench::{
    Operands, Operation, RING_DEGREE, ROTATION, bfv_party, bgv_party, ckks_party, primes, residues, transform,
};
use asanoha_kernels::{Backend, Modulus, NttTable};
use asanoha_lattice::Level;
use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{ClientKey, TfheLiteral};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// An operation: its name, and what does it so often.
type Counted = (&'static str, fn(Backend, usize) -> Outcome);

const OPERATIONS: [Counted; 13] = [
    ("forward transform", |backend, times| transforms(backend, times, Operation::NttForward)),
    ("inverse transform", |backend, times| transforms(backend, times, Operation::NttInverse)),
    ("inner product of 12", |backend, times| words(backend, times, Operation::InnerProduct)),
    ("weighted sum of 12", |backend, times| words(backend, times, Operation::WeightedSum)),
    ("BGV product", |backend, times| {
        let party = bgv_party(backend);
        repeated(times, || party.evaluator.multiply(&party.ciphertexts[0], &party.ciphertexts[1]))
    }),
    ("BGV rotation", |backend, times| {
        let party = bgv_party(backend);
        repeated(times, || party.evaluator.rotate(&party.ciphertexts[0], ROTATION))
    }),
    ("BGV encryption", |backend, times| {
        let (party, mut sampler) = (bgv_party(backend), Sampler::new(&Seed([3; 32])));
        repeated(times, || party.encryptor.encrypt(&party.public, &party.plaintext, &mut sampler))
    }),
    ("BFV product", |backend, times| {
        let party = bfv_party(6, backend);
        repeated(times, || party.evaluator.multiply(&party.ciphertexts[0], &party.ciphertexts[1]))
    }),
    ("CKKS product", |backend, times| {
        let party = ckks_party(backend);
        repeated(times, || party.evaluator.multiply(&party.ciphertexts[0], &party.ciphertexts[1]))
    }),
    ("CKKS rotation", |backend, times| {
        let party = ckks_party(backend);
        repeated(times, || party.evaluator.rotate(&party.ciphertexts[0], ROTATION))
    }),
    ("CKKS encoding", |backend, times| {
        let party = ckks_party(backend);
        repeated(times, || party.encode())
    }),
    ("CKKS decryption", |backend, times| {
        let party = ckks_party(backend);
        let low = party.evaluator.switch_to(&party.ciphertexts[0], Level(1))?;
        repeated(times, || party.decrypt(&low))
    }),
    ("TFHE bootstrapping", |backend, times| {
        let params = TfheLiteral::message_2_carry_2().check(backend)?;
        let mut sampler = Sampler::new(&Seed([5; 32]));
        let client = ClientKey::generate(&params, &mut sampler);
        let server = client.server_key(&mut sampler);
        let (table, number) = (params.table(|x| (5 * x + 3) % 16)?, client.encrypt(3, &mut sampler)?);
        repeated(times, || server.apply(&table, &number))
    }),
];

/// The width of the primes of kernels, in bits.
const PRIME_BITS: u32 = 46;

fn repeated<T, E: std::error::Error + 'static>(
    times: usize,
    mut work: impl FnMut() -> Result<T, E>,
) -> Outcome {
    for _ in 0..times {
        black_box(work()?);
    }
    Ok(())
}

fn transforms(backend: Backend, times: usize, operation: Operation) -> Outcome {
    let modulus = Modulus::new(primes(PRIME_BITS, 1)[0])?;
    let table = NttTable::new(modulus, RING_DEGREE)?;
    let mut values = residues(&modulus, RING_DEGREE, 1);
    let transform = transform(backend.kernels(PRIME_BITS), operation);
    (0..times).for_each(|_| transform(&mut values, &table));
    Ok(())
}

fn words(backend: Backend, times: usize, operation: Operation) -> Outcome {
    let modulus = Modulus::new(primes(PRIME_BITS, 1)[0])?;
    let mut operands = Operands::new(modulus, RING_DEGREE, 12);
    let mut call = operands.call(backend.kernels(PRIME_BITS), operation);
    (0..times).for_each(|_| call());
    Ok(())
}

fn run(name: &str, times: &str) -> Outcome {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let operation = OPERATIONS.iter().find(|(known, _)| *known == name);
    let (_, work) = operation.ok_or_else(|| format!("{name}: there is no such operation"))?;
    work(Backend::detect()?, times.parse()?)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &*arguments {
        [] => {
            OPERATIONS.iter().for_each(|(name, _)| println!("{name}"));
            ExitCode::SUCCESS
        }
        [name, times] => match run(name, times) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("error: usage: counted OPERATION TIMES");
            ExitCode::from(2)
        }
    }
}
