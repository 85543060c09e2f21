//! The choice of a back-end, once.

use thiserror::Error;

use crate::{Kernels, Modulus, scalar};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512, avx512ifma};

/// A set of kernels for one kind of processor.
///
/// Names are those of the environment variable `ASANOHA_KERNELS`, which forces one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Portable code.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, DQ, VL and BW.
    Avx512,
    /// AVX-512 with 52-bit integer multiply-add, for moduli of at most 50 bits; wider ones take the next
    /// narrower back-end.
    Avx512Ifma,
}

/// Why the asked back-end can't be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    /// The value of `ASANOHA_KERNELS` names none.
    #[error("ASANOHA_KERNELS={0} names no kernels; choose one of: {1}")]
    Unknown(String, String),
    /// This processor lacks it.
    #[error("ASANOHA_KERNELS={0} isn't available on this processor; choose one of: {1}")]
    Unavailable(String, String),
}

impl Backend {
    /// All back-ends, from the most to the least portable.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Avx2, Self::Avx512, Self::Avx512Ifma];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512ifma",
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
        }
    }

    /// The back-end that `ASANOHA_KERNELS` forces, or else the fastest one that this processor can run.
    pub fn detect() -> Result<Self, SelectError> {
        let available = Self::available();
        let names = || available.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", ");
        match std::env::var("ASANOHA_KERNELS") {
            Err(_) => Ok(*available.last().expect("scalar is always available")),
            Ok(name) => match Self::ALL.into_iter().find(|backend| backend.name() == name) {
                None => Err(SelectError::Unknown(name, names())),
                Some(backend) if !backend.is_available() => Err(SelectError::Unavailable(name, names())),
                Some(backend) => Ok(backend),
            },
        }
    }

    /// The kernels of this back-end for words of `bits` bits: its own where they reach, else those of the next
    /// narrower back-end.
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
            Self::Scalar => &scalar::KERNELS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_gets_kernels_that_reach_it() {
        for backend in Backend::available() {
            for bits in 0..=Modulus::MAX_BITS {
                let kernels = backend.kernels(bits);
                assert!(kernels.max_bits >= bits);
                let narrower = Backend::ALL.iter().take_while(|&&other| other != backend);
                assert!(narrower.chain([&backend]).any(|other| other.name() == kernels.name));
            }
            assert_eq!(backend.kernels(50).name, backend.name());
        }
    }
}
