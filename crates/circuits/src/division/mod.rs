//! Division of encrypted integers, by several methods.
//!
//! All round towards −∞, as Python does, and none can fail on a divisor of zero, since nobody sees it: ⌊a/0⌋ is 0 and
//! the remainder then is a, so that a = b·⌊a/b⌋ + remainder always holds. (Okada, Cid, Hidano, Kiyomoto 2018 name
//! ⌊x/0⌋ in the loop of their Algorithm 2 and leave it undefined; the loop of their Algorithm 7 leaves the term out,
//! which makes it 0.)

/// ⌊a/b⌋; 0 for b = 0.
pub fn quotient(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_sub(remainder(a, b)).wrapping_div(b) }
}

/// a − b·⌊a/b⌋, of the sign of b; a for b = 0.
pub fn remainder(a: i64, b: i64) -> i64 {
    if b == 0 {
        return a;
    }
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_round_down_and_remainders_have_the_divisor_s_sign() {
        for a in -20i64..=20 {
            for b in -20i64..=20 {
                assert_eq!(a, b * quotient(a, b) + remainder(a, b));
                if b != 0 {
                    assert_eq!(quotient(a, b), (a as f64 / b as f64).floor() as i64);
                }
            }
        }
        assert_eq!((quotient(7, 0), remainder(7, 0)), (0, 7));
        assert_eq!((quotient(-7, 2), remainder(-7, 2)), (-4, 1));
        assert_eq!((quotient(7, -2), remainder(7, -2)), (-4, -1));
    }
}
