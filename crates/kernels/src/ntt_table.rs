//! The tables of roots that the NTT reads.

use std::sync::OnceLock;

use thiserror::Error;

use crate::{MAX_RING_DEGREE, MIN_RING_DEGREE, Modulus, ShoupFactor, is_prime, roots};

/// Why a table of roots can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NttError {
    /// Not a power of two in range.
    #[error("ring degree {0} must be a power of two from {MIN_RING_DEGREE} to {MAX_RING_DEGREE}")]
    RingDegree(usize),
    /// The modulus has no primitive 2N-th root of unity, or isn't prime.
    #[error("modulus {modulus} must be a prime that is 1 modulo {}, for ring degree {ring_degree}", 2 * ring_degree)]
    NoRoot {
        /// The modulus.
        modulus: u64,
        /// The ring degree N.
        ring_degree: usize,
    },
}

/// The powers of a primitive 2N-th root of unity ψ modulo a prime, as the NTT kernels read them.
#[derive(Clone, Debug)]
pub struct NttTable {
    modulus: Modulus,
    ring_degree: usize,
    root: u64,
    inverse_root: u64,
    /// 1/N, and 1/N times the last inverse root: the factors of the last inverse layer.
    pub(crate) degree_inverse: ShoupFactor,
    pub(crate) last_root_over_degree: ShoupFactor,
    /// The powers in the order that each back-end reads, made at the first transform that needs them; `None` for ring
    /// degrees below a back-end's blocks.
    portable: OnceLock<roots::scalar::Roots>,
    #[cfg(target_arch = "x86_64")]
    ifma: OnceLock<Option<roots::avx512::Roots>>,
    #[cfg(target_arch = "x86_64")]
    avx512: OnceLock<Option<roots::avx512::Roots>>,
    #[cfg(target_arch = "x86_64")]
    avx2: OnceLock<Option<roots::avx2::Roots>>,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    simd128: OnceLock<roots::simd128::Roots>,
}

impl NttTable {
    /// Checks that there are tables for a modulus and a ring degree.
    pub fn check(modulus: &Modulus, ring_degree: usize) -> Result<(), NttError> {
        if !ring_degree.is_power_of_two() || !(MIN_RING_DEGREE..=MAX_RING_DEGREE).contains(&ring_degree) {
            return Err(NttError::RingDegree(ring_degree));
        }
        let q = modulus.value();
        if !is_prime(q) || q % (2 * ring_degree as u64) != 1 {
            return Err(NttError::NoRoot { modulus: q, ring_degree });
        }
        Ok(())
    }

    /// Tables for polynomials of `ring_degree` coefficients modulo a prime q ≡ 1 mod 2N.
    ///
    /// ψ is g^((q−1)/2N) for the smallest g ≥ 2 that gives a root of order 2N, so it's the same everywhere.
    pub fn new(modulus: Modulus, ring_degree: usize) -> Result<Self, NttError> {
        Self::check(&modulus, ring_degree)?;
        let q = modulus.value();
        let order = 2 * ring_degree as u64;
        let root = (2..q)
            .map(|g| modulus.pow(g, (q - 1) / order))
            .find(|&root| modulus.pow(root, order / 2) == q - 1)
            .expect("a prime that is 1 modulo 2N has a root of order 2N");
        let inverse_root = modulus.inverse(root).expect("a root of unity is a unit");
        let degree_inverse = modulus.inverse(ring_degree as u64).expect("q is odd");
        let last_root = modulus.pow(inverse_root, order / 4);
        let last_root_over_degree = modulus.shoup(modulus.mul(last_root, degree_inverse));
        let degree_inverse = modulus.shoup(degree_inverse);
        Ok(Self {
            portable: OnceLock::new(),
            #[cfg(target_arch = "x86_64")]
            ifma: OnceLock::new(),
            #[cfg(target_arch = "x86_64")]
            avx512: OnceLock::new(),
            #[cfg(target_arch = "x86_64")]
            avx2: OnceLock::new(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            simd128: OnceLock::new(),
            modulus,
            ring_degree,
            root,
            inverse_root,
            degree_inverse,
            last_root_over_degree,
        })
    }

    /// The prime.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The ring degree N.
    pub fn ring_degree(&self) -> usize {
        self.ring_degree
    }

    /// The roots with quotients ⌊root·2^52/q⌋.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn ifma_roots(&self) -> Option<&roots::avx512::Roots> {
        self.ifma
            .get_or_init(|| roots::avx512::Roots::new(&self.modulus, self.ring_degree, self.both_roots(), 52))
            .as_ref()
    }

    /// The roots with quotients ⌊root·2^64/q⌋.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx512_roots(&self) -> Option<&roots::avx512::Roots> {
        self.avx512
            .get_or_init(|| roots::avx512::Roots::new(&self.modulus, self.ring_degree, self.both_roots(), 64))
            .as_ref()
    }

    /// The roots in double precision for moduli of at most 50 bits, with quotients ⌊root·2^64/q⌋ for wider ones.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx2_roots(&self) -> Option<&roots::avx2::Roots> {
        self.avx2
            .get_or_init(|| roots::avx2::Roots::new(&self.modulus, self.ring_degree, self.both_roots()))
            .as_ref()
    }

    /// The roots with quotients in double precision for moduli of at most 50 bits, with quotients ⌊root·2^64/q⌋ for wider ones.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub(crate) fn simd128_roots(&self) -> &roots::simd128::Roots {
        self.simd128
            .get_or_init(|| roots::simd128::Roots::new(&self.modulus, self.ring_degree, self.both_roots()))
    }

    /// The primitive 2N-th root of unity ψ.
    pub fn root(&self) -> u64 {
        self.root
    }

    /// ψ and ψ⁻¹.
    fn both_roots(&self) -> [u64; 2] {
        [self.root, self.inverse_root]
    }

    /// The roots with quotients ⌊root·2^64/q⌋, in the order of the definition.
    pub(crate) fn portable_roots(&self) -> &roots::scalar::Roots {
        self.portable
            .get_or_init(|| roots::scalar::Roots::new(&self.modulus, self.ring_degree, self.both_roots()))
    }
}
