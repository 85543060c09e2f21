//! Polynomials modulo X^N + 1 in residue number systems: bases, base conversion, division by dropped primes,
//! automorphisms, sampling, and conversion to and from big integers; and over the torus of 64-bit words.

mod automorphism;
mod gaussian;
mod memory;
mod rns;
mod sample;
mod torus;
mod wide;

pub use asanoha_kernels::{
    Backend, ExternalProductError, FftError, MAX_RING_DEGREE, MIN_RING_DEGREE, Modulus, PackedWords,
    ShoupFactor, WIDE_LANES,
};
pub use automorphism::{EvaluationPermutation, GaloisElement};
pub use memory::{Words, keep_unused_memory};
pub use rns::{
    Basis, Coefficient, Converter, Digits, Divider, Encryption, Evaluation, FixingAutomorphisms, KeyWords,
    Limb, LinearPoly, PackedPoly, Poly, RelativeSize, Representation, RingError, Runs, Scalar, ScaledTensor,
    Summands, SwitchKey, SwitchPart, image_combinations, switch_sums, transforms,
};
pub use sample::{
    CENTRED_BINOMIAL_HALF_WIDTH, ERROR_VARIANCE, Sampler, Seed, TERNARY_VARIANCE, uniform_from_seed,
    uniform_limb, uniform_words, uniform_words_32,
};
pub use torus::{
    GadgetError, ProductKeys, ProductMemory, SmallPoly, TorusGadget, TorusPolys, TorusProduct, TorusRing,
    mul_by_power,
};
pub use wide::{Strip, WideColumns, WideModulus, WideNtt, WidePlanes, transform_size};
