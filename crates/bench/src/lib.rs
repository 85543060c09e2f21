//! Measurements: the parameter sets that every figure of this repository refers to, parties with keys and ciphertexts
//! at these sets, and the benches of the program (`asanoha bench`), most of them functions from [`Settings`] to a
//! [`Report`].
//!
//! All sets have N = 2^15 and at least 128-bit security by the table of 2024. BGV and CKKS have a chain of 11
//! ciphertext primes (depth 10) and key switching with 3 digits; BFV has the primes that a depth needs, and 2 digits.
//! Other libraries are usually measured at such sets too.
//!
//! ```
//! use asanoha_bench::{RING_DEGREE, bgv_literal, ckks_literal};
//! use asanoha_ring::Backend;
//! use asanoha_scheme::Scheme;
//!
//! let bgv = bgv_literal().check(Backend::Scalar)?;
//! let ckks = ckks_literal().check(Backend::Scalar)?;
//! for rlwe in [bgv.rlwe(), ckks.rlwe()] {
//!     assert_eq!(rlwe.ring_degree(), RING_DEGREE);
//!     assert!(rlwe.security_bits() >= 128);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bootstrap;
mod bytes;
mod chain;
pub mod clock;
mod division;
mod document_search;
mod dram;
mod fma;
mod genome;
mod hoisted;
mod kernels;
mod large_moduli;
mod leak;
mod least;
pub mod limit;
mod machine;
mod measure;
mod memory;
mod ntt;
mod operation;
mod party;
mod plan;
mod program_run;
pub mod record;
mod report;
mod schemes;
mod tables;
mod tfhe;
mod trace;
mod trace_report;
mod triples;
mod vectors;
mod wide;

use asanoha_bfv::BfvLiteral;
use asanoha_bgv::BgvLiteral;
use asanoha_ckks::CkksLiteral;
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::RlweLiteral;

pub use bootstrap::{
    BootstrapBenchError, BootstrapKind, BootstrapReport, BootstrapRow, BootstrapSettings, bootstrap,
};
pub use bytes::{BytesCase, BytesError, BytesReport, BytesRow, bytes};
pub use chain::SchemeName;
pub use division::{
    DivisionCount, DivisionError, DivisionMethod, DivisionReport, DivisionRow, DivisionSettings, PeerRatio,
    division,
};
pub use document_search::SearchRow;
pub use dram::{
    CycleCount, DramCase, DramError, DramRefusal, DramReport, DramRow, DramScheme, DramSettings, MemoryGroup,
    dram, dram_row,
};
pub use fma::fma;
pub use genome::{
    GenomeError, GenomePhases, GenomePublished, GenomeReport, GenomeRow, GenomeSettings, genome,
};
pub use hoisted::HoistedRow;
pub use kernels::kernels;
pub use large_moduli::{
    ChainCase, ChainRow, Crossing, LargeModuliReport, LevelCost, Use, UseRow, chain_row, large_moduli,
};
pub use leak::{LeakRow, LeakVerdict, leak};
pub use least::LeastRow;
pub use machine::Machine;
use measure::best;
pub use measure::{Effort, Figures, compare, measure};
pub use ntt::{PRIME_BITS as NTT_PRIME_BITS, ntt};
pub use operation::{Operands, Operation, Words, residues, transform};
pub use party::{Party, ROTATION, bfv_party, bgv_party, ckks_party};
pub use plan::{PlanBenchError, PlanReport, PlanRow, plan};
pub use report::{Comparison, Report, Row, Settings, Tell};
pub use schemes::{SchemeRow, SchemesReport, schemes};
pub use tables::{TableCase, TableError, TableRow, TablesReport, table_row, tables};
pub use tfhe::{TfheBenchError, TfhePublished, TfheRatio, TfheReport, TfheRow, TfheSet, TfheSettings, tfhe};
pub use trace::trace;
pub use trace_report::{Method, RotationRow, TraceReport, TraceRow};
pub use triples::{TripleColumn, TripleError, TripleRow, TripleSettings, TriplesReport, triples};
pub use vectors::{
    VectorCase, VectorError, VectorMethod, VectorOperation, VectorReport, VectorRow, VectorScheme,
    VectorSettings, vectors,
};
pub use wide::WideRow;

/// The number of coefficients N of all sets.
pub const RING_DEGREE: usize = 1 << 15;

/// The number of ciphertext primes of the BGV and CKKS sets: one more than the depth.
pub const CIPHERTEXT_PRIMES: usize = 11;

/// The number of digits of key switching in these sets: of 4, 4 and 3 primes.
pub const DIGITS: usize = 3;

/// The number of primes of P: as many as the widest digit has.
pub const SPECIAL_PRIMES: usize = CIPHERTEXT_PRIMES.div_ceil(DIGITS);

/// The plaintext modulus t of BGV and BFV.
pub const PLAINTEXT_MODULUS: u64 = 65_537;

/// log2 of the scale of CKKS.
pub const LOG2_SCALE: u32 = 40;

/// The width in bits of BGV's ciphertext primes and of CKKS's first one.
const PRIME_BITS: u32 = 46;

/// The width in bits of the special primes: 4 of them exceed 4 ciphertext primes by more than 4 bits.
const SPECIAL_BITS: u32 = 48;

/// The BGV set with t = 65537: 11 primes of 46 bits and 4 special primes of 48, log2(QP) = 698.
///
/// # Panics
/// Never: the primes exist.
pub fn bgv_literal() -> BgvLiteral {
    let rlwe = rlwe_literal(primes(PRIME_BITS, CIPHERTEXT_PRIMES));
    BgvLiteral::new(rlwe, PLAINTEXT_MODULUS)
}

/// The depths of the BFV sets.
pub const BFV_DEPTHS: [usize; 3] = [2, 6, 10];

/// The BFV set with t = 65537 for a depth: 3 primes of 34 bits, 5 of 49 or 8 of 48, and special primes of 46,
/// log2(QP) = 194, 429 or 614. A product takes 35 bits by the bound that fails with a probability of 2^−160.
///
/// # Panics
/// If the depth isn't one of [`BFV_DEPTHS`].
pub fn bfv_literal(depth: usize) -> BfvLiteral {
    let (bits, count) = match depth {
        2 => (34, 3),
        6 => (49, 5),
        10 => (48, 8),
        other => panic!("there is no set for depth {other}"),
    };
    // P is 4 bits wider than the wider one of two digits.
    let digit_bits = bits as usize * usize::div_ceil(count, 2);
    let p_primes = primes(46, (digit_bits + 4).div_ceil(45));
    let rlwe = RlweLiteral { p_primes, digits: 2, ..rlwe_literal(primes(bits, count)) };
    BfvLiteral::new(rlwe, PLAINTEXT_MODULUS)
}

/// The CKKS set with scale 2^40: a first prime of 46 bits, 10 of 40 and 4 special primes of 48, log2(QP) = 638.
///
/// # Panics
/// Never: the primes exist.
pub fn ckks_literal() -> CkksLiteral {
    let mut q_primes = primes(PRIME_BITS, 1);
    q_primes.extend(primes(LOG2_SCALE, CIPHERTEXT_PRIMES - 1));
    CkksLiteral::new(rlwe_literal(q_primes), f64::from(LOG2_SCALE))
}

fn rlwe_literal(q_primes: Vec<u64>) -> RlweLiteral {
    RlweLiteral::new(RING_DEGREE, q_primes, primes(SPECIAL_BITS, SPECIAL_PRIMES), DIGITS)
}

/// The `count` largest primes of `bits` bits that allow an NTT of [`RING_DEGREE`] coefficients.
///
/// # Panics
/// If there are fewer.
pub fn primes(bits: u32, count: usize) -> Vec<u64> {
    primes_congruent_to_one(bits, 2 * RING_DEGREE as u64, count, &[]).expect("there are enough of this width")
}
