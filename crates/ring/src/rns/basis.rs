//! Bases: lists of distinct primes with their tables.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use asanoha_kernels::{Backend, Kernels, Modulus, ModulusError, NttError, NttTable};
use num_bigint::BigUint;
use thiserror::Error;

use crate::memory::{Pool, Words};

/// The error of [`Basis::new`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RingError {
    /// A modulus that the kernels don't support.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// A prime without a primitive 2N-th root of unity, or a ring degree out of range.
    #[error(transparent)]
    Ntt(#[from] NttError),
    /// A prime that is given twice.
    #[error("prime {0} stands twice in the basis; the primes of a basis are distinct")]
    RepeatedPrime(u64),
    /// No primes at all.
    #[error("a basis needs at least one prime")]
    Empty,
}

/// One prime of a basis with its NTT tables and the kernels for its width.
pub struct Limb {
    modulus: Modulus,
    ring_degree: usize,
    /// Made at the first use: many parameters are inspected without computing with them.
    table: OnceLock<NttTable>,
    kernels: &'static Kernels,
}

impl std::fmt::Debug for Limb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Only the prime: the tables are too long to print.
        f.debug_struct("Limb").field("modulus", &self.modulus.value()).finish_non_exhaustive()
    }
}

impl Limb {
    /// The prime.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The kernels for this prime.
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    /// The NTT table of this prime.
    pub fn table(&self) -> &NttTable {
        self.table.get_or_init(|| {
            NttTable::new(self.modulus, self.ring_degree).expect("checked when the basis was made")
        })
    }

    /// Coefficients to values, in place.
    pub(crate) fn forward(&self, a: &mut [u64]) {
        TRANSFORMS.fetch_add(1, Ordering::Relaxed);
        (self.kernels.ntt_forward)(a, self.table());
    }

    /// Values to coefficients, in place.
    pub(crate) fn inverse(&self, a: &mut [u64]) {
        TRANSFORMS.fetch_add(1, Ordering::Relaxed);
        (self.kernels.ntt_inverse)(a, self.table());
    }
}

static TRANSFORMS: AtomicU64 = AtomicU64::new(0);

/// How many transforms modulo one prime this process has computed so far: the difference of two calls, times the time of one
/// transform, is their share of what was computed between.
pub fn transforms() -> u64 {
    TRANSFORMS.load(Ordering::Relaxed)
}

/// A residue number system: distinct primes q₀ … q_k, each ≡ 1 modulo 2N, for polynomials of N coefficients.
///
/// Clones share the tables and the memory of dropped polynomials, and so do bases that are parts of this one or joined
/// with others.
#[derive(Clone, Debug)]
pub struct Basis {
    ring_degree: usize,
    backend: Backend,
    limbs: Arc<[Arc<Limb>]>,
    pool: Arc<Pool>,
}

impl PartialEq for Basis {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.limbs, &other.limbs)
            || (self.ring_degree == other.ring_degree && self.primes().eq(other.primes()))
    }
}

impl Eq for Basis {}

impl Basis {
    /// A basis of the given primes, in order.
    pub fn new(ring_degree: usize, primes: &[u64], backend: Backend) -> Result<Self, RingError> {
        if primes.is_empty() {
            return Err(RingError::Empty);
        }
        for (i, prime) in primes.iter().enumerate() {
            if primes[..i].contains(prime) {
                return Err(RingError::RepeatedPrime(*prime));
            }
        }
        let limb = |&prime: &u64| -> Result<Arc<Limb>, RingError> {
            let modulus = Modulus::new(prime)?;
            NttTable::check(&modulus, ring_degree)?;
            let kernels = backend.kernels(modulus.bits());
            Ok(Arc::new(Limb { modulus, ring_degree, table: OnceLock::new(), kernels }))
        };
        let limbs = primes.iter().map(limb).collect::<Result<_, _>>()?;
        Ok(Self { ring_degree, backend, limbs, pool: Arc::default() })
    }

    /// The number of coefficients N.
    pub fn ring_degree(&self) -> usize {
        self.ring_degree
    }

    /// The back-end of its kernels.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The primes with their tables.
    pub fn limbs(&self) -> &[Arc<Limb>] {
        &self.limbs
    }

    /// The number of primes.
    #[allow(clippy::len_without_is_empty)] // A basis is never empty.
    pub fn len(&self) -> usize {
        self.limbs.len()
    }

    /// The primes, in order.
    pub fn primes(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone {
        self.limbs.iter().map(|limb| limb.modulus.value())
    }

    /// The modulus at a position.
    pub fn modulus(&self, index: usize) -> &Modulus {
        &self.limbs[index].modulus
    }

    /// The width of the widest prime in bits.
    pub fn max_bits(&self) -> u32 {
        self.limbs.iter().map(|limb| limb.modulus.bits()).max().expect("a basis is never empty")
    }

    /// The product of the primes.
    pub fn product(&self) -> BigUint {
        self.primes().map(BigUint::from).product()
    }

    /// log2 of the product of the primes.
    pub fn log2_product(&self) -> f64 {
        self.primes().map(|q| (q as f64).log2()).sum()
    }

    /// The basis of the primes at the given positions.
    ///
    /// # Panics
    /// If the range is empty or out of bounds.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        assert!(!range.is_empty());
        self.with_limbs(self.limbs[range].into())
    }

    fn with_limbs(&self, limbs: Arc<[Arc<Limb>]>) -> Self {
        Self { limbs, pool: Arc::clone(&self.pool), ..*self }
    }

    /// The same primes, with memory for secrets: the words of polynomials are erased on drop and kept from core files
    /// where the operating system can do that, and a forked process that reads them panics. Polynomials made from
    /// polynomials on a secret basis alone are secret too.
    pub fn secret(&self) -> Self {
        Self { pool: Arc::clone(Pool::of_secrets()), limbs: Arc::clone(&self.limbs), ..*self }
    }

    /// The pool that the memory of its polynomials comes from.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// N words with unspecified contents, for residues modulo one prime.
    pub fn words(&self) -> Words {
        self.pool.take(self.ring_degree)
    }

    /// The primes of this basis, followed by those of the other.
    ///
    /// # Panics
    /// If the two share a prime or differ in ring degree.
    pub fn join(&self, other: &Self) -> Self {
        assert_eq!(self.ring_degree, other.ring_degree);
        assert!(self.primes().all(|q| other.primes().all(|p| p != q)));
        self.with_limbs(self.limbs.iter().chain(other.limbs.iter()).cloned().collect())
    }

    /// Whether these primes are the first ones of the other's.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        self.ring_degree == other.ring_degree
            && self.len() <= other.len()
            && self.primes().zip(other.primes()).all(|(q, p)| q == p)
    }
}
