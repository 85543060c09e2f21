//! Keys under a sparse secret.

/// The number of coefficients of the sparse ephemeral secret of bootstrapping that aren't 0.
pub const SPARSE_WEIGHT: usize = 32;

/// Largest log2 of the modulus of keys under a secret of weight [`SPARSE_WEIGHT`] for 128 bits.
/// Source: the limits for h = 32 of ePrint 2026/279.
const LIMITS: [(usize, u32); 2] = [(1 << 15, 162), (1 << 16, 345)];

/// Ring degree, log2 of the modulus, and log2 of the operations of the cheapest hybrid dual attack for σ = √10.5. `security/sparse.py`
/// made these rows; it names its sources.
const ESTIMATES: [(usize, f64, f64); 20] = [
    (1 << 15, 50.0, 170.7),
    (1 << 15, 75.0, 156.8),
    (1 << 15, 100.0, 147.2),
    (1 << 15, 120.0, 141.1),
    (1 << 15, 140.0, 135.9),
    (1 << 15, 150.0, 133.7),
    (1 << 15, 162.0, 131.2),
    (1 << 15, 175.0, 128.7),
    (1 << 15, 190.0, 126.1),
    (1 << 15, 220.0, 120.9),
    (1 << 16, 100.0, 172.2),
    (1 << 16, 150.0, 158.8),
    (1 << 16, 200.0, 149.3),
    (1 << 16, 250.0, 142.3),
    (1 << 16, 290.0, 137.5),
    (1 << 16, 320.0, 133.7),
    (1 << 16, 345.0, 131.1),
    (1 << 16, 370.0, 128.7),
    (1 << 16, 400.0, 126.1),
    (1 << 16, 460.0, 121.4),
];

/// By how much the lattice estimator is below `security/sparse.py` at most: at the limits it has 130.1 and 129.7 bits where the script has
/// 131.2 and 131.1.
const MARGIN: f64 = 1.5;

/// The largest log2 of the modulus that keys under a sparse secret of weight [`SPARSE_WEIGHT`] may have for 128-bit security;
/// `None` for ring degrees without a figure.
pub fn largest_sparse_log2_modulus(ring_degree: usize) -> Option<u32> {
    LIMITS.iter().find(|(n, _)| *n == ring_degree).map(|(_, largest)| *largest)
}

/// The classical security in bits of keys under a secret of weight [`SPARSE_WEIGHT`], by an estimate of hybrid attacks: they guess where most
/// of the zeros are, which the table for dense secrets leaves out. 0 for ring degrees without figures.
///
/// ```
/// use asanoha_lattice::sparse_security_bits;
///
/// assert!(sparse_security_bits(1 << 16, 345.0) >= 128 && sparse_security_bits(1 << 16, 400.0) < 128);
/// ```
pub fn sparse_security_bits(ring_degree: usize, log2_modulus: f64) -> u32 {
    let rows: Vec<(f64, f64)> =
        ESTIMATES.iter().filter(|row| row.0 == ring_degree).map(|row| (row.1, row.2 - MARGIN)).collect();
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return 0 };
    let bits = match rows.iter().position(|row| log2_modulus <= row.0) {
        Some(0) => first.1,
        Some(above) => {
            let (low, high) = (rows[above - 1], rows[above]);
            low.1 + (log2_modulus - low.0) / (high.0 - low.0) * (high.1 - low.1)
        }
        // Below in any case.
        None => last.1 * last.0 / log2_modulus,
    };
    bits as u32
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn larger_moduli_are_less_secure_and_the_limits_are_those_of_128_bits() {
        for (ring_degree, largest) in LIMITS {
            let at = |log2_modulus: u32| sparse_security_bits(ring_degree, log2_modulus.into());
            assert!((1..2000).all(|log2_modulus| at(log2_modulus) >= at(log2_modulus + 1)), "{ring_degree}");
            assert!((128..132).contains(&at(largest)) && at(largest + largest / 12) < 128, "{ring_degree}");
        }
        assert_eq!(sparse_security_bits(1 << 14, 50.0), 0);
    }

    #[test]
    #[ignore = "slow"]
    fn the_script_finds_the_rows() {
        for (ring_degree, log2_modulus, bits) in [ESTIMATES[6], ESTIMATES[16]] {
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/security/sparse.py");
            let numbers = [ring_degree.to_string(), log2_modulus.to_string()];
            let output = Command::new("python3").arg(script).args(numbers).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let found = text.split("log2_cost=").nth(1).and_then(|rest| rest.split(',').next());
            let found: f64 = found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"));
            assert!((found - bits).abs() < 0.06, "{found} {bits}");
        }
    }
}
