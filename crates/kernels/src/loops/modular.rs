//! Element-wise modular arithmetic.

/// Defines `add_assign`, `sub_assign` and `neg_assign`. Its scope has `Prime`, with `add` and `sub`, `zero`, and the
/// loops `update` and `update_by`.
macro_rules! modular_sums {
    (#[$feature:meta]) => {
        pub(crate) fn add_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
                let prime = Prime::new(q);
                update_by(a, b, |a, b| prime.add(a, b));
            }
            assert_eq!(a.len(), b.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, b, q) }
        }

        pub(crate) fn sub_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
                let prime = Prime::new(q);
                update_by(a, b, |a, b| prime.sub(a, b));
            }
            assert_eq!(a.len(), b.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, b, q) }
        }

        pub(crate) fn neg_assign(a: &mut [u64], q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], q: &Modulus) {
                let prime = Prime::new(q);
                update(a, |a| prime.sub(zero(), a));
            }
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, q) }
        }
    };
}

/// Defines the multiplications. Its scope has the loops `update`, `update_by` and `update_by_two`.
///
/// The type `$products` has `product` (a·b) and `add_product` (c + a·b), `$constants` has `factor`, which prepares a
/// constant w, and `mul` (a·w) and `mul_add` (c + a·w); both are made from a modulus. The last argument is (a − b)·w
/// by such constants: as a function it may be compiled apart from its loop, with one instruction more.
macro_rules! modular_products {
    (#[$feature:meta] $products:ident, $constants:ident, |$k:ident, $a:ident, $b:ident, $w:ident| $sub_mul:expr) => {
        pub(crate) fn mul_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
                let products = $products::new(q);
                update_by(a, b, |a, b| products.product(a, b));
            }
            assert_eq!(a.len(), b.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, b, q) }
        }

        pub(crate) fn fma_assign(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
            #[$feature]
            fn vectors(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
                let products = $products::new(q);
                update_by_two(c, a, b, |c, a, b| products.add_product(c, a, b));
            }
            assert!(c.len() == a.len() && c.len() == b.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(c, a, b, q) }
        }

        pub(crate) fn mul_scalar_assign(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
                let (constants, w) = ($constants::new(q), $constants::factor(w, q));
                update(a, |a| constants.mul(a, w));
            }
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, w, q) }
        }

        pub(crate) fn fma_scalar_assign(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
            #[$feature]
            fn vectors(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
                let (constants, w) = ($constants::new(q), $constants::factor(w, q));
                update_by(c, a, |c, a| constants.mul_add(c, a, w));
            }
            assert_eq!(c.len(), a.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(c, a, w, q) }
        }

        pub(crate) fn sub_mul_scalar_assign(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
            #[$feature]
            fn vectors(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
                let ($k, $w) = ($constants::new(q), $constants::factor(w, q));
                update_by(a, b, |$a, $b| $sub_mul);
            }
            assert_eq!(a.len(), b.len());
            // SAFETY: the table of this back-end is handed out only after detection.
            unsafe { vectors(a, b, w, q) }
        }
    };
}
