//! How much work attacks on keys take.

mod shown;
mod sparse;

pub use shown::{SPARSE_SHOWN_BITS, shown_bits_limit};
pub(crate) use sparse::largest_kept_sparse_log2_modulus;
pub use sparse::{SPARSE_WEIGHT, largest_sparse_log2_modulus, sparse_security_bits};

/// Largest log2(QP) for a uniform ternary secret and σ = 3.19, classical attacks, for 128, 192 and 256 bits.
/// Source: Bossuat and others, "Security Guidelines for Implementing Homomorphic Encryption" (ePrint 2024/463), Table
/// 5.2.
/// The row of 2^18 isn't in that table: it's twice the one of 2^17, less 1 %.
const TABLE: [(usize, [u32; 3]); 9] = [
    (1 << 10, [26, 0, 0]),
    (1 << 11, [53, 36, 27]),
    (1 << 12, [106, 73, 56]),
    (1 << 13, [214, 147, 114]),
    (1 << 14, [430, 297, 230]),
    (1 << 15, [868, 597, 462]),
    (1 << 16, [1747, 1199, 929]),
    (1 << 17, [3523, 2411, 1866]),
    (EXTRAPOLATED_DEGREE, [6975, 4773, 3694]),
];

/// The ring degree at which the bounds are extrapolated.
const EXTRAPOLATED_DEGREE: usize = 1 << 18;

/// The security levels of the table, in bits.
const LEVELS: [u32; 3] = [128, 192, 256];

/// The largest log2(QP) that has at least the given security at a ring degree; `None` if the table has none.
///
/// ```
/// assert_eq!(asanoha_lattice::largest_log2_modulus(1 << 14, 128), Some(430));
/// assert_eq!(asanoha_lattice::largest_log2_modulus(1 << 9, 128), None);
/// ```
pub fn largest_log2_modulus(ring_degree: usize, security: u32) -> Option<u32> {
    let column = LEVELS.iter().position(|&level| security <= level)?;
    let (_, row) = TABLE.iter().find(|(n, _)| *n == ring_degree)?;
    (row[column] > 0).then_some(row[column])
}

/// Whether the bounds of a ring degree are extrapolated from the table: at 2^18 they're twice those of 2^17, less 1 %,
/// since at every doubling of the ring degree in the table they grow a little more than twofold.
///
/// ```
/// assert!(asanoha_lattice::security_is_extrapolated(1 << 18) && !asanoha_lattice::security_is_extrapolated(1 << 17));
/// ```
pub fn security_is_extrapolated(ring_degree: usize) -> bool {
    ring_degree == EXTRAPOLATED_DEGREE
}

/// The security of a modulus in bits: the level of the table that it reaches, 256, 192 or 128; below 128 an estimate,
/// since security is about inversely proportional to log2 of the modulus; 0 for ring degrees that aren't in the table.
pub fn security_bits(ring_degree: usize, log2_modulus: f64) -> u32 {
    let reached = LEVELS.iter().rev().find(|&&level| {
        largest_log2_modulus(ring_degree, level).is_some_and(|largest| log2_modulus <= f64::from(largest))
    });
    reached.copied().unwrap_or_else(|| {
        largest_log2_modulus(ring_degree, 128)
            .map_or(0, |largest| (128.0 * f64::from(largest) / log2_modulus).min(127.0) as u32)
    })
}

/// Exponents of the cost of lattice sieving in the block size β: 2^(0.292·β) classically, with which the table is made
/// (Becker, Ducas, Gama, Laarhoven, "New directions in nearest neighbor searching with applications to lattice
/// sieving", SODA 2016), and 2^(0.257·β) on a quantum computer (Chailloux, Loyer, "Lattice sieving via quantum random
/// walks", ASIACRYPT 2021).
const CLASSICAL_EXPONENT: f64 = 0.292;
const QUANTUM_EXPONENT: f64 = 0.257;
/// The rest of the classical estimate in bits: 16.4 for the work of one sieve, and log2(8d) for the number of its calls
/// at a lattice of dimension d. That is 14 for d = 2^11, the dimension in the smallest ring, and up to 8 more in the
/// largest ring.
const SIEVING_BITS: f64 = 16.4 + 14.0;

/// The approximate security in bits, against an attacker with a quantum computer, of a classical security level.
///
/// The classical level is 0.292·β + 16.4 + log2(8d) bits for the block size β of the best attack. With the quantum
/// sieve's exponent and all else equal it's 0.035·β bits less: 116 bits for 128, 172 for 192, 228 for 256. This is an
/// estimate and no promise: it assumes a quantum memory of 2^(0.2·β) words. If the calls and the work of one sieve cost
/// an attacker nothing, the attack would take 2^(0.257·β) steps, about 2^80 at the classical level of 128 bits.
///
/// ```
/// assert_eq!(asanoha_lattice::quantum_security_bits(128), 116);
/// ```
pub fn quantum_security_bits(classical: u32) -> u32 {
    let classical = f64::from(classical);
    let block = ((classical - SIEVING_BITS) / CLASSICAL_EXPONENT).max(0.0);
    (classical - (CLASSICAL_EXPONENT - QUANTUM_EXPONENT) * block) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_steps_at_the_table_bounds() {
        assert_eq!(security_bits(1 << 15, 868.0), 128);
        assert_eq!(security_bits(1 << 15, 868.1), 127);
        assert_eq!(security_bits(1 << 15, 597.0), 192);
        assert_eq!(security_bits(1 << 15, 462.0), 256);
        assert_eq!(security_bits(1 << 15, 1736.0), 64);
        assert_eq!(security_bits(1 << 9, 20.0), 0);
        assert_eq!(security_bits(1 << 10, 26.0), 128);
    }

    #[test]
    fn extrapolated_bounds_stay_below_the_trend_of_the_table() {
        for (column, &level) in LEVELS.iter().enumerate() {
            let bound = |log2: usize| f64::from(largest_log2_modulus(1 << log2, level).unwrap());
            assert_eq!(bound(18), (bound(17) * 1.98).floor(), "{column}");
            assert!(bound(18) / bound(17) < bound(17) / bound(16));
        }
    }

    #[test]
    fn quantum_levels_are_below_the_classical_ones_and_never_negative() {
        assert_eq!([128, 192, 256].map(quantum_security_bits), [116, 172, 228]);
        assert_eq!([0, 30, 64].map(quantum_security_bits), [0, 30, 59]);
        assert!((0..=256).all(|bits| quantum_security_bits(bits) <= bits));
    }

    #[test]
    fn asked_levels_round_up_and_stop_at_256() {
        assert_eq!(largest_log2_modulus(1 << 14, 129), Some(297));
        assert_eq!(largest_log2_modulus(1 << 10, 192), None);
        assert_eq!(largest_log2_modulus(1 << 14, 257), None);
    }
}
