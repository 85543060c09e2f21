//! The parameters of matrix triples, as published and under this library's promises:
//! `cargo run --release -p asanoha-scheme --example matrix_triples_table_1`.

use asanoha_scheme::candidates::{CandidateParams, TripleSetting, matrix_triples_table_1};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setting = TripleSetting::default();
    let columns = matrix_triples_table_1(&setting)?;
    let row = |name: &str, cell: &dyn Fn(&CandidateParams) -> String| {
        let [published, ours] = columns.each_ref().map(cell);
        println!("{name:<28} {published:>22} {ours:>22}");
    };
    println!("{:<28} {:>22} {:>22}", "", "as published", "asanoha");
    row("n", &|it| it.ring_degree.to_string());
    row("q", &|it| format!("{:.0} bit", it.log2_q()));
    row("P", &|it| format!("{:.0} bit", it.log2_p()));
    row("t", &|_| format!("{} bit", setting.modulus_bits));
    row("sw", &|it| join(&it.switches));
    row("primes of q and P", &|it| {
        format!("{} + {} of {} bit", it.q_primes.len(), it.p_primes.len(), it.prime_bits)
    });
    row("digits", &|it| it.digits.to_string());
    row("primes left, by segment", &|it| join(&it.segment_primes));
    row("noise in bits, by segment", &|it| {
        join(&it.segment_noise_bits.iter().map(|bits| bits.ceil()).collect::<Vec<_>>())
    });
    row("transforms of key switches", &|it| it.transforms.to_string());
    Ok(())
}

fn join(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
