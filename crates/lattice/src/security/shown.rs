//! The number of bits that decrypted results of an untrusted server may show.

/// The largest part of a secret that shown numbers may tell, as its inverse.
const LEAST_SECRET_PER_SHOWN: f64 = 80.0;

/// Bits that may be shown under keys that also encrypt a sparse secret. A secret of few bits has no bound but the general one:
/// each bit halves an attacker's work at most. So these cost at most as many bits of security.
pub const SPARSE_SHOWN_BITS: u64 = 2;

/// Returns how many bits of decrypted numbers a key may show in its lifetime if a malicious server can have made the results.
///
/// ```text
/// ⌊h·N/80⌋
/// ```
///
/// N: coefficients of the secret; h: min-entropy of each, log2(3) for uniform ternary and 1 for uniform binary secrets. A server that adds
/// (0, K) to a result shows a linear function of the secret. By k independent linear equations the secret is fixed with a probability of
/// at most 2^(B − h·k) after B shown bits, and k equations leave LWE in dimension N − k. At dimension N − N/80 the classical security
/// λ is lower by at most λ/64: by at most 2 bits of 128. `docs/security.md` has the derivation.
///
/// Source for LWE with known coefficients: Dachman-Soled, Ducas, Gong, Rossi, "LWE with Side Information: Attacks and Concrete Security
/// Estimation" (CRYPTO 2020), perfect hints.
///
/// ```
/// use asanoha_lattice::shown_bits_limit;
///
/// assert_eq!(shown_bits_limit(1 << 14, 3f64.log2()), 324);
/// assert_eq!(shown_bits_limit(870, 1.0), 10);
/// ```
pub fn shown_bits_limit(coefficients: usize, bits_per_coefficient: f64) -> u64 {
    (coefficients as f64 * bits_per_coefficient / LEAST_SECRET_PER_SHOWN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::{LEVELS, TABLE, largest_log2_modulus};

    /// At a fixed modulus, security is a convex function of the dimension (the block size grows like n·log n), so that below a bound of the
    /// table it falls at most as fast as it rises to the next level.
    #[test]
    fn by_the_table_security_falls_by_less_than_a_64th_of_it_at_the_limit() {
        let mut compared = 0;
        for (level, next) in LEVELS.into_iter().zip(LEVELS.into_iter().skip(1)) {
            for pair in TABLE.windows(2) {
                let [small, large] = [pair[0].0, pair[1].0];
                let bound = |degree, level| largest_log2_modulus(degree, level).map(f64::from);
                let (Some(modulus), Some(low)) = (bound(small, level), bound(small, next)) else { continue };
                let dimension = 1.0 + (modulus - low) / (bound(large, next).unwrap() - low);
                let slope = f64::from(next - level) / (dimension - 1.0);
                let lost = slope / LEAST_SECRET_PER_SHOWN;
                assert!(lost <= f64::from(level) / 64.0, "{small}: {lost} bits of {level}");
                compared += 1;
            }
        }
        assert_eq!(compared, 14);
    }

    #[test]
    fn limits_of_few_coefficients_round_down_to_none() {
        assert_eq!([79, 80, 159, 160].map(|count| shown_bits_limit(count, 1.0)), [0, 1, 1, 2]);
        assert_eq!(shown_bits_limit(0, 1.0), 0);
    }
}
