//! Keys under a sparse secret.

/// The number of coefficients of the sparse ephemeral secret of bootstrapping that aren't 0.
pub const SPARSE_WEIGHT: usize = 32;

/// Largest log2 of the modulus of keys under a secret of weight [`SPARSE_WEIGHT`] for 128 bits, by `security/sparse.py`.
const LIMITS: [(usize, u32); 2] = [(1 << 15, 97), (1 << 16, 232)];

/// The limits of ePrint 2026/279 for 128 bits, which leave Meet-LWE out. Parameter sets followed them before.
const KEPT_LIMITS: [(usize, u32); 2] = [(1 << 15, 162), (1 << 16, 345)];

/// Ring degree, log2 of the modulus, and log2 of the operations of the cheapest hybrid dual attack for σ = √10.5. `security/sparse.py`
/// made these rows; it names its sources. All are of Meet-LWE, simplified in the attacker's favour.
const ESTIMATES: [(usize, f64, f64); 20] = [
    (1 << 15, 50.0, 142.7),
    (1 << 15, 65.0, 137.0),
    (1 << 15, 80.0, 132.6),
    (1 << 15, 90.0, 129.9),
    (1 << 15, 97.0, 128.1),
    (1 << 15, 105.0, 126.2),
    (1 << 15, 120.0, 122.8),
    (1 << 15, 140.0, 118.8),
    (1 << 15, 162.0, 115.1),
    (1 << 16, 60.0, 159.3),
    (1 << 16, 80.0, 153.6),
    (1 << 16, 100.0, 148.7),
    (1 << 16, 120.0, 144.3),
    (1 << 16, 142.0, 140.3),
    (1 << 16, 170.0, 136.1),
    (1 << 16, 200.0, 131.9),
    (1 << 16, 230.0, 128.3),
    (1 << 16, 245.0, 126.7),
    (1 << 16, 285.0, 122.5),
    (1 << 16, 345.0, 117.1),
];

/// The largest log2 of the modulus that keys under a sparse secret of weight [`SPARSE_WEIGHT`] may have for 128-bit security;
/// `None` for ring degrees without a figure.
pub fn largest_sparse_log2_modulus(ring_degree: usize) -> Option<u32> {
    limit(&LIMITS, ring_degree)
}

/// The largest log2 of that modulus that plans had before the estimate counted Meet-LWE.
pub(crate) fn largest_kept_sparse_log2_modulus(ring_degree: usize) -> Option<u32> {
    limit(&KEPT_LIMITS, ring_degree)
}

fn limit(limits: &[(usize, u32)], ring_degree: usize) -> Option<u32> {
    limits.iter().find(|(n, _)| *n == ring_degree).map(|(_, largest)| *largest)
}

/// The classical security in bits of keys under a secret of weight [`SPARSE_WEIGHT`], by an estimate of hybrid attacks: they guess where most
/// of the zeros are, which the table for dense secrets leaves out. 0 for ring degrees without figures.
///
/// ```
/// use asanoha_lattice::sparse_security_bits;
///
/// assert!(sparse_security_bits(1 << 16, 232.0) >= 128 && sparse_security_bits(1 << 16, 345.0) < 128);
/// ```
pub fn sparse_security_bits(ring_degree: usize, log2_modulus: f64) -> u32 {
    let rows: Vec<(f64, f64)> =
        ESTIMATES.iter().filter(|row| row.0 == ring_degree).map(|row| (row.1, row.2)).collect();
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
            assert!(at(largest) == 128 && at(largest + largest / 50) < 128, "{ring_degree}");
            // The limits of before are below 128 bits, and so are plans that use them.
            let kept = largest_kept_sparse_log2_modulus(ring_degree).unwrap();
            assert!((110..120).contains(&at(kept)), "{ring_degree}");
        }
        assert_eq!(sparse_security_bits(1 << 14, 50.0), 0);
    }

    #[test]
    #[ignore = "slow"]
    fn the_script_finds_the_rows() {
        for (ring_degree, log2_modulus, bits) in [ESTIMATES[4], ESTIMATES[16]] {
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
