//! Times of an encrypted walk of the PBWT, and its noise margin, on a random panel of 2,184 haplotypes: each argument is a number of
//! letters and a stride.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo run --release -p asanoha-genome --example walk_timing -- 6/1 10/1 32/8
//! ```

use std::{cell::RefCell, error::Error, time::Instant};

use asanoha_genome::{
    panel::{RandomPanel, longest_from},
    protocol::{Client, Phase, Search, SearchShape, Server, Window},
};
use asanoha_ring::Seed;
use asanoha_scheme::Scheme;

const HAPLOTYPES: usize = 2184;
/// Repetitions of every answer; all are printed.
const REPEATS: usize = 3;
/// The diagonals of a stride take up to two gigabytes.
const KEPT_BYTES: usize = 4 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    asanoha_ring::keep_unused_memory(KEPT_BYTES);
    for argument in std::env::args().skip(1) {
        let (letters, stride) = argument.split_once('/').ok_or("give letters and stride, such as 32/8")?;
        measure(letters.parse()?, stride.parse()?)?;
    }
    Ok(())
}

fn measure(letters: usize, stride: usize) -> Result<(), Box<dyn Error>> {
    let shape = SearchShape { letters, haplotypes: HAPLOTYPES, candidates: 1, counts: true };
    // Letters so far apart that hardly any haplotypes are equal in them.
    let panel = RandomPanel { haplotypes: HAPLOTYPES, sites: letters, recombination: 1.0, mutation: 0.2 };
    let panel = panel.generate(&Seed([1; 32]))?;
    let mut query = panel.letters(1000, 0..letters);
    query[letters * 3 / 4] ^= true;

    let search = Search::walk(shape, stride)?;
    let rlwe = search.params().rlwe();
    println!(
        "L = {letters} in strides of {stride}: {} primes of {:.0} bits and {} special ones, log2(QP) = {:.0}, {} bits of security, margin {:.1} bits",
        rlwe.max_level().0 + 1,
        rlwe.q(rlwe.max_level()).log2_product(),
        rlwe.p().len(),
        rlwe.log2_qp(),
        rlwe.security_bits(),
        search.margin_bits(),
    );
    let client = Client::new(&search);
    let (keys, public) = client.server_keys();
    println!(
        "  {} evaluation keys of {:.0} MB in memory",
        search.keys().iter().len(),
        keys.bytes() as f64 / 1e6
    );
    let server = Server::new(&search, keys, public)?;
    let message = client.query(&query, 0)?;
    let window = Window::new(&panel, &shape, &[0])?;
    println!("  query: {:.2} kB; {} haplotypes differ", message.len() as f64 / 1e3, window.distinct());

    let longest = longest_from(&panel, &query, 0)?;
    let expected = (longest.length, Some(longest.references.len()));
    for _ in 0..REPEATS {
        let walked: RefCell<[Option<Instant>; 2]> = RefCell::default();
        let start = Instant::now();
        let answer = server.answer_in_phases(&window, &message, &|phase| match phase {
            Phase::Match => walked.borrow_mut()[0] = Some(Instant::now()),
            Phase::Blind => walked.borrow_mut()[1] = Some(Instant::now()),
            _ => (),
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let [Some(begun), Some(ended)] = walked.into_inner() else { return Err("it walks".into()) };
        let walk = ended.duration_since(begun).as_secs_f64();
        let found = client.answer(&answer)?;
        println!(
            "  answer: {seconds:.2} s ({:.3} a letter), {walk:.2} of these the walk; {:.2} MB; length {}, count {:?}, as in the clear: {}",
            seconds / letters as f64,
            answer.len() as f64 / 1e6,
            found.length,
            found.count,
            (found.length, found.count) == expected
        );
    }
    Ok(())
}
