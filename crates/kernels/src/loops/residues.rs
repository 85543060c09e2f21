//! Arithmetic modulo q on vectors of 64-bit words, for moduli of at most 61 bits.

/// Defines `Factor`, `Prime` and `Barrett`. Its scope has `Vector` and on it `splat`, `add`, `sub`, `shift_right`,
/// `shift_left`, `shift_left_by` a `shift_count` (a `Distance`), `mul_halves` (products of the lower halves), `upper_half` (in the
/// lower one; the new upper one doesn't matter), `difference_of_products` (a·b − c·d modulo 2^64), `reduced_by` (a
/// where it's below a bound, else their difference) and `non_negative` (a where it isn't negative, else a + q).
macro_rules! word_residues {
    (#[$feature:meta]) => {
        /// ⌊a·b / 2^64⌋ or up to two less: the product of the lower halves is left out, and the others are cut one by
        /// one.
        ///
        /// The exact upper word costs five instructions more; the residues have the room for the difference.
        #[inline]
        #[$feature]
        fn upper_word(a: Vector, b: Vector) -> Vector {
            let (a_upper, b_upper) = (upper_half(a), upper_half(b));
            let lower = shift_right::<32>(mul_halves(a_upper, b));
            let middle = shift_right::<32>(mul_halves(a, b_upper));
            add(add(mul_halves(a_upper, b_upper), lower), middle)
        }

        /// [`upper_word`] for a, b < 2^63, whose middle products can be added before they're cut: short by at most one
        /// from ⌊a·b / 2^64⌋.
        #[inline]
        #[$feature]
        fn upper_word_of_short(a: Vector, b: Vector) -> Vector {
            let (a_upper, b_upper) = (upper_half(a), upper_half(b));
            let middle = add(mul_halves(a_upper, b), mul_halves(a, b_upper));
            add(mul_halves(a_upper, b_upper), shift_right::<32>(middle))
        }

        /// A constant w of a product a·w, in every lane or different in each, with its quotient: here ⌊w·2^64/q⌋.
        #[derive(Clone, Copy)]
        pub(crate) struct Factor {
            pub(crate) value: Vector,
            pub(crate) quotient: Vector,
        }

        impl Factor {
            #[inline]
            #[$feature]
            pub(crate) fn splat(w: ShoupFactor) -> Self {
                Self { value: splat(w.value), quotient: splat(w.quotient) }
            }
        }

        /// The constants of one modulus.
        #[derive(Clone, Copy)]
        pub(crate) struct Prime {
            pub(crate) value: Vector,
            double: Vector,
            pub(crate) quadruple: Vector,
        }

        impl Prime {
            #[inline]
            #[$feature]
            pub(crate) fn new(q: &Modulus) -> Self {
                let value = q.value();
                Self { value: splat(value), double: splat(2 * value), quadruple: splat(4 * value) }
            }

            /// [`Factor::splat`], as the loops of all back-ends ask for it.
            #[inline]
            #[$feature]
            pub(crate) fn factor(w: ShoupFactor, _: &Modulus) -> Factor {
                Factor::splat(w)
            }

            /// a mod q. In: a < 4q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn below_quadruple(&self, a: Vector) -> Vector {
                reduced_by(reduced_by(a, self.double), self.value)
            }

            /// a mod q. In: a < 8q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn below_octuple(&self, a: Vector) -> Vector {
                self.below_quadruple(reduced_by(a, self.quadruple))
            }

            /// a·w in [0, 4q). In: any word a.
            ///
            /// The quotient is short by less than three from leaving out and cutting, and by less than a/2^64 from the
            /// cut of the prepared one.
            #[inline]
            #[$feature]
            pub(crate) fn mul_lazy(&self, a: Vector, w: Factor) -> Vector {
                difference_of_products(a, w.value, upper_word(a, w.quotient), self.value)
            }

            /// a·w. In: any word a. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn mul(&self, a: Vector, w: Factor) -> Vector {
                self.below_quadruple(self.mul_lazy(a, w))
            }

            /// c + a·w. In: c < q, any word a. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn mul_add(&self, c: Vector, a: Vector, w: Factor) -> Vector {
                self.below_octuple(add(c, self.mul_lazy(a, w)))
            }

            /// a + b. In: a, b < q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn add(&self, a: Vector, b: Vector) -> Vector {
                reduced_by(add(a, b), self.value)
            }

            /// a − b. In: a, b < q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn sub(&self, a: Vector, b: Vector) -> Vector {
                non_negative(sub(a, b), self.value)
            }
        }

        /// Barrett reduction of products of two residues.
        pub(crate) struct Barrett {
            prime: Prime,
            /// 64 − bits.
            shift: Distance,
            /// ⌊2^(bits+62)/q⌋ < 2^63.
            factor: Vector,
        }

        impl Barrett {
            #[inline]
            #[$feature]
            pub(crate) fn new(q: &Modulus) -> Self {
                Self {
                    prime: Prime::new(q),
                    shift: shift_count(64 - q.bits()),
                    factor: splat(q.barrett_product()),
                }
            }

            /// A value in [0, 4q) congruent to a·b. In: a, b < q.
            #[inline]
            #[$feature]
            fn mul_lazy(&self, a: Vector, b: Vector) -> Vector {
                // top is short of a·b / 2^(bits−2) < 2^63 by less than 3, which costs the quotient less than 3/2;
                // cutting the factor costs it less than ½, the estimate of its upper word less than 2.
                let top = upper_word(shift_left_by(a, self.shift), shift_left::<2>(b));
                let quotient = upper_word_of_short(top, self.factor);
                difference_of_products(a, b, quotient, self.prime.value)
            }

            /// a·b. In: a, b < q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn product(&self, a: Vector, b: Vector) -> Vector {
                self.prime.below_quadruple(self.mul_lazy(a, b))
            }

            /// c + a·b. In: a, b, c < q. Out: < q.
            #[inline]
            #[$feature]
            pub(crate) fn add_product(&self, c: Vector, a: Vector, b: Vector) -> Vector {
                self.prime.below_octuple(add(c, self.mul_lazy(a, b)))
            }
        }
    };
}
