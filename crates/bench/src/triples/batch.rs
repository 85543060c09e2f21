//! Whole triples by batch products: encryption by all parties, products, codes, and decryption to shares.

use asanoha_kernels::Backend;
use asanoha_mpc::{Generator, PhaseSeconds, TripleOptions, TripleParams, TripleShape};
use asanoha_ring::{Seed, keep_unused_memory};

use super::{
    TripleError, TripleRow,
    measured::{Measured, modulus},
};
use crate::memory;

/// The parties, all of which are computed for.
pub(super) const PARTIES: usize = 2;
/// The rows and columns of blocks.
const OUTER: usize = 128;
/// The memory that is kept between blocks, in bytes.
pub(super) const KEPT: usize = 4 << 30;

/// The phases of the second block of triples: the first finds the memory that the second uses again.
pub(super) fn measure(dimension: usize, backend: Backend) -> Result<Vec<TripleRow>, TripleError> {
    memory::mark();
    keep_unused_memory(KEPT);
    let params = TripleParams::choose(&TripleOptions {
        modulus: modulus(),
        shape: TripleShape::square(dimension),
        parties: PARTIES,
        outer: OUTER,
        insecure_ring_degree: None,
        backend: Some(backend),
    })?;
    let modulus_bits = params.modulus().value().bits();
    let generator = Generator::new(params, Seed([5; 32]));
    drop(generator.block(0)?);
    let mut seconds = PhaseSeconds::default();
    drop(generator.timed_block(1, &mut seconds)?);
    let PhaseSeconds { draw, encrypt, product, switch, authenticate, decrypt, others } = seconds;
    let measured = Measured {
        table: 2,
        method: format!("batch, {PARTIES} parties"),
        dim: dimension,
        modulus_bits,
        products: generator.params().block_size(),
        peak_bytes: memory::peak_bytes(),
        phases: &[
            ("draw", draw),
            ("encrypt", encrypt),
            ("multiply", product),
            ("switch keys", switch),
            ("codes of A, B", authenticate),
            ("decrypt", decrypt),
        ],
    };
    let mut rows: Vec<TripleRow> = measured.rows().collect();
    if rayon::current_num_threads() == 1 {
        rows.push(measured.row("one party", seconds.total() - others));
    }
    Ok(rows)
}
