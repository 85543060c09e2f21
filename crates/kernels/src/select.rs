//! The choice of a back-end, once.

use thiserror::Error;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::simd128;
use crate::{Kernels, Modulus, WideKernels, scalar};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512, avx512ifma};

/// A set of kernels for one kind of processor.
///
/// Names are those of the environment variable `ASANOHA_KERNELS`, which forces one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Portable code.
    Scalar,
    /// AVX2 and FMA: double precision for words of at most 50 bits, halves of words for wider ones.
    Avx2,
    /// AVX-512 F, DQ, VL and BW, without 52-bit multiply-add.
    Avx512,
    /// AVX-512 with 52-bit integer multiply-add (IFMA) and byte permutations (VBMI), for moduli of at most 50 bits;
    /// wider ones take the next narrower back-end.
    Avx512Ifma,
    /// WebAssembly's 128-bit vectors: quotients in double precision for words of at most 50 bits, halves of words for wider
    /// ones. Only builds for WebAssembly with the feature `simd128` have it.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

/// Why the back-end that `ASANOHA_KERNELS` asks for can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    /// `ASANOHA_KERNELS` names no back-end: its value, and the names that could be chosen.
    #[error("ASANOHA_KERNELS={0} names no kernels; choose one of: {1}")]
    Unknown(String, String),
    /// This processor can't run the back-end: its name, and the names that could be chosen.
    #[error("ASANOHA_KERNELS={0} isn't available on this processor; choose one of: {1}")]
    Unavailable(String, String),
}

/// The number of back-ends.
const COUNT: usize = if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) { 5 } else { 4 };

impl Backend {
    /// All back-ends, from the most to the least portable.
    pub const ALL: [Self; COUNT] = [
        Self::Scalar,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Ifma,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Self::Simd128,
    ];

    /// The back-end's name, as in `ASANOHA_KERNELS`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512ifma",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => "simd128",
        }
    }

    /// The back-ends that this processor can run.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|backend| backend.is_available()).collect()
    }

    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma => avx512ifma::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 | Self::Avx512Ifma => false,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => simd128::is_available(),
        }
    }

    /// The back-end that `ASANOHA_KERNELS` forces, or else the fastest one that this processor can run.
    pub fn detect() -> Result<Self, SelectError> {
        match std::env::var("ASANOHA_KERNELS") {
            Err(_) => Ok(*Self::available().last().expect("scalar is always available")),
            Ok(name) => Self::named(&name),
        }
    }

    /// The back-end of the given name, if this processor can run it.
    fn named(name: &str) -> Result<Self, SelectError> {
        let available =
            || Self::available().iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", ");
        match Self::ALL.into_iter().find(|backend| backend.name() == name) {
            None => Err(SelectError::Unknown(name.to_owned(), available())),
            Some(backend) if !backend.is_available() => {
                Err(SelectError::Unavailable(name.to_owned(), available()))
            }
            Some(backend) => Ok(backend),
        }
    }

    /// The kernels for words of `bits` bits: this back-end's own up to the widest words that they support, else those
    /// of the next narrower back-end.
    ///
    /// # Panics
    /// If `bits` is above [`Modulus::MAX_BITS`], or this processor lacks the back-end.
    pub fn kernels(self, bits: u32) -> &'static Kernels {
        assert!(bits <= Modulus::MAX_BITS, "no kernels for words of {bits} bits");
        assert!(self.is_available(), "kernels {} aren't available on this processor", self.name());
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma if bits <= avx512ifma::MAX_BITS => &avx512ifma::KERNELS,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx512Ifma => avx512::kernels(bits),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::kernels(bits),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 | Self::Avx512Ifma => unreachable!("it isn't available"),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => simd128::kernels(bits),
            Self::Scalar => &scalar::KERNELS,
        }
    }

    /// The kernels for residues of several words: this back-end's own, or else the portable ones.
    ///
    /// # Panics
    /// If this processor lacks the back-end.
    pub fn wide_kernels(self) -> &'static WideKernels {
        assert!(self.is_available(), "kernels {} aren't available on this processor", self.name());
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma => &avx512ifma::wide::WIDE,
            _ => &scalar::wide::WIDE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The position in [`Backend::ALL`] of the back-end with these kernels.
    fn rank(kernels: &Kernels) -> usize {
        Backend::ALL.iter().position(|backend| backend.name() == kernels.name).expect("a back-end's name")
    }

    #[test]
    fn every_width_gets_the_kernels_of_the_back_end_or_of_a_narrower_one_that_reach_it() {
        for (i, backend) in Backend::ALL.into_iter().enumerate().filter(|(_, backend)| backend.is_available())
        {
            for bits in 0..=Modulus::MAX_BITS {
                let kernels = backend.kernels(bits);
                assert!(kernels.max_bits >= bits);
                assert!(rank(kernels) <= i);
            }
            assert_eq!(backend.kernels(50).name, backend.name());
        }
    }

    #[test]
    fn words_beyond_ifma_go_to_the_narrower_avx512() {
        if Backend::Avx512Ifma.is_available() {
            assert_eq!(Backend::Avx512Ifma.kernels(51).name, Backend::Avx512.name());
        }
    }

    #[test]
    fn a_wider_back_end_comes_with_all_narrower_ones() {
        let available = Backend::available();
        let x86 = available.iter().filter(|backend| !backend.name().starts_with("simd"));
        assert!(x86.eq(Backend::ALL.iter().take_while(|backend| backend.is_available())));
        assert!(available.contains(&Backend::detect().unwrap()));
    }

    #[test]
    fn names_choose_back_ends_and_unknown_ones_are_refused() {
        for backend in Backend::ALL {
            match Backend::named(backend.name()) {
                Ok(chosen) => assert_eq!(chosen, backend),
                Err(error) => {
                    assert!(!backend.is_available() && matches!(error, SelectError::Unavailable(..)));
                }
            }
        }
        assert!(matches!(Backend::named("avx1024"), Err(SelectError::Unknown(name, _)) if name == "avx1024"));
    }
}
