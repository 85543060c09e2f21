//! The choice of the blocks that matrices are multiplied in.

use crate::{GeneratorSettings, MpcError, TripleOptions, TripleParams, generate::INNER_STEP};

/// The largest blocks: an evaluation key for each row of them.
const LARGEST_OUTER: usize = 128;
/// The memory of everything but the computation itself, in bytes: the program, tables, and what threads work in.
const OTHERS: u64 = 200 << 20;

/// The rows of blocks on the left and the columns on the right: a power of two as large as the matrices, but at most 128,
/// halved while the memory doesn't suffice. Smaller blocks take less memory and more time.
///
/// # Errors
/// As [`GeneratorSettings::check`], [`MpcError::Params`] if no ring holds the computation, and [`MpcError::Memory`] if the memory doesn't
/// suffice.
pub fn choose_outer(settings: &GeneratorSettings) -> Result<usize, MpcError> {
    settings.check()?;
    let longest = settings.shape.rows.max(settings.shape.columns);
    let mut outer = longest.next_power_of_two().min(LARGEST_OUTER);
    let Some(limit) = settings.memory_limit else { return Ok(outer) };
    loop {
        let needed = memory(&params(settings, outer)?);
        if needed <= limit {
            return Ok(outer);
        }
        if outer == 1 {
            return Err(MpcError::Memory { needed, limit });
        }
        outer /= 2;
    }
}

/// The parameters for blocks of `outer` rows and columns.
pub(crate) fn params(settings: &GeneratorSettings, outer: usize) -> Result<TripleParams, MpcError> {
    let modulus = settings.check()?.value().clone();
    let GeneratorSettings { shape, parties, .. } = *settings;
    let options = TripleOptions { modulus, shape, parties, outer, insecure_ring_degree: None, backend: None };
    Ok(TripleParams::choose(&options)?)
}

/// About the bytes at the generation's peak: up to a tenth more than measured with 2 parties, at 1 to 128 rows.
fn memory(params: &TripleParams) -> u64 {
    // N: ring degree; a word is one residue of one prime.
    let rlwe = &params.rlwe;
    let words = |primes: usize| primes * rlwe.ring_degree();
    let (all, low) = (words(rlwe.q(rlwe.max_level()).len()), rlwe.q(params.low).len());
    let (outer, inner) = (params.packing.outer(), params.shape.inner.min(INNER_STEP));
    let (ciphertexts, sums) = (4 * all * inner, 4 * all * outer);
    // Two keys of two parts for each row, in packed words.
    let special = rlwe.special(params.low).len();
    let bits = rlwe.q(params.low).max_bits().max(rlwe.p().max_bits()) as usize;
    let keys = 4 * low.div_ceil(special) * words(low + special) * outer * bits / 64;
    // Shares of decryptions, and packed blocks.
    let limbs = params.modulus.limbs();
    let shares = params.parties * words(limbs + 1) * outer.max(inner);
    let blocks = params.parties * words(limbs) * inner;
    let matrices = params.parties * params.block_size() * 2 * limbs * params.shape.entries();
    let computed = 8 * (ciphertexts + sums + keys + shares + blocks + matrices) as u64;
    OTHERS + computed + computed / 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModulusChoice, TripleShape};

    #[test]
    fn blocks_are_as_large_as_matrices_and_memory_allow() {
        let settings = |dimension, memory_limit| GeneratorSettings {
            modulus: ModulusChoice::Bits(64),
            shape: TripleShape::square(dimension),
            parties: 2,
            memory_limit,
        };
        let outer = |dimension| choose_outer(&settings(dimension, None)).unwrap();
        assert_eq!([1, 2, 3, 64, 100, 200].map(outer), [1, 2, 4, 64, 128, 128]);
        let within = |limit| choose_outer(&settings(128, Some(limit)));
        assert_eq!(within(64 << 30).unwrap(), 128);
        assert!(within(2 << 30).unwrap() < 128);
        assert!(matches!(within(1 << 20), Err(MpcError::Memory { limit: 1048576, .. })));
    }
}
