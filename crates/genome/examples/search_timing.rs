//! Times of the phases of an encrypted search, its messages' bytes and its noise margin, on a random panel of 2,184 haplotypes.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo run --release -p asanoha-genome --example search_timing -- 32 1000
//! RAYON_NUM_THREADS=1 cargo run --release -p asanoha-genome --example search_timing -- --candidates 16 32
//! ```

use std::{cell::RefCell, error::Error, time::Instant};

use asanoha_genome::{
    panel::{Panel, RandomPanel, longest_from},
    protocol::{Client, Phase, Search, SearchShape, Server, Window},
};
use asanoha_ring::Seed;
use asanoha_scheme::Scheme;

const HAPLOTYPES: usize = 2184;
/// Repetitions of every answer; the fastest counts.
const REPEATS: usize = 3;

/// A search of a thousand letters drops and takes ciphertexts of gigabytes.
const KEPT_BYTES: usize = 8 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    asanoha_ring::keep_unused_memory(KEPT_BYTES);
    let (mut candidates, mut lengths) = (1, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--candidates" {
            candidates = arguments.next().ok_or("--candidates takes a number")?.parse()?;
        } else {
            lengths.push(argument.parse()?);
        }
    }
    if lengths.is_empty() {
        lengths.push(32);
    }
    for letters in lengths {
        let shape = SearchShape { letters, haplotypes: HAPLOTYPES, candidates, counts: true };
        measure(shape)?;
    }
    Ok(())
}

fn measure(shape: SearchShape) -> Result<(), Box<dyn Error>> {
    let sites = shape.letters + 8 * shape.candidates;
    let panel = RandomPanel { haplotypes: HAPLOTYPES, sites, recombination: 0.01, mutation: 0.002 };
    let panel: Panel = panel.generate(&Seed([1; 32]))?;
    let starts: Vec<usize> = (0..shape.candidates).map(|i| 8 * i).collect();
    let chosen = shape.candidates / 2;
    let mut query = panel.letters(1000, starts[chosen]..starts[chosen] + shape.letters);
    if let Some(letter) = query.get_mut(shape.letters * 3 / 4) {
        *letter = !*letter;
    }

    let start = Instant::now();
    let search = Search::new(shape)?;
    let rlwe = search.params().rlwe();
    println!(
        "L = {}, {} candidate starts: {} primes of {:.0} bits and {} special ones, log2(QP) = {:.0}, {} bits of security; chosen in {:.2} s",
        shape.letters,
        shape.candidates,
        rlwe.max_level().0 + 1,
        rlwe.q(rlwe.max_level()).log2_product(),
        rlwe.p().len(),
        rlwe.log2_qp(),
        rlwe.security_bits(),
        start.elapsed().as_secs_f64(),
    );
    println!("  margin after flooding: {:.1} bits", search.margin_bits());
    let start = Instant::now();
    let client = Client::new(&search);
    let (keys, public) = client.server_keys();
    println!(
        "  {} evaluation keys of {:.0} MB in memory, generated in {:.2} s",
        search.keys().iter().len(),
        keys.bytes() as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
    let server = Server::new(&search, keys, public)?;
    let start = Instant::now();
    let message = client.query(&query, chosen)?;
    println!("  query: {:.2} kB in {:.3} s", message.len() as f64 / 1e3, start.elapsed().as_secs_f64());
    let start = Instant::now();
    let window = Window::new(&panel, &shape, &starts)?;
    println!(
        "  {} haplotypes differ in the window, found in {:.3} s",
        window.distinct(),
        start.elapsed().as_secs_f64()
    );

    let mut fastest: Option<(f64, String, Vec<u8>)> = None;
    for _ in 0..REPEATS {
        let phases: RefCell<Vec<(Phase, Instant)>> = RefCell::default();
        let start = Instant::now();
        let answer = server.answer_in_phases(&window, &message, &|phase| {
            phases.borrow_mut().push((phase, Instant::now()));
        })?;
        let end = Instant::now();
        let phases = phases.into_inner();
        let ends = phases[1..].iter().map(|(_, begun)| *begun).chain([end]);
        let times = phases.iter().zip(ends).map(|((phase, begun), end)| {
            format!("{phase:?} {:.3}", end.duration_since(*begun).as_secs_f64()).to_lowercase()
        });
        let seconds = start.elapsed().as_secs_f64();
        if fastest.as_ref().is_none_or(|(least, ..)| seconds < *least) {
            fastest = Some((seconds, times.collect::<Vec<_>>().join(", "), answer));
        }
    }
    let (seconds, times, answer) = fastest.ok_or("it is repeated")?;
    println!("  answer: {seconds:.3} s ({times}), {:.2} MB", answer.len() as f64 / 1e6);
    let start = Instant::now();
    let found = client.answer(&answer)?;
    println!("  decryption: {:.3} s", start.elapsed().as_secs_f64());
    let longest = longest_from(&panel, &query, starts[chosen])?;
    let expected = (longest.length, Some(longest.references.len()));
    println!(
        "  length {}, count {:?}, as in the clear: {}",
        found.length,
        found.count,
        (found.length, found.count) == expected
    );
    Ok(())
}
