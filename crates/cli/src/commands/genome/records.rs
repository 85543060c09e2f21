//! The records of a panel's file: those that were left out, and haploid genotypes of samples that are diploid elsewhere.

use asanoha::genome::panel::Variants;
use serde::Serialize;

use crate::report::{Lines, counted};

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Records {
    pub(super) skipped: usize,
    /// The haploid genotypes that were taken as two equal haplotypes, and the samples that have them.
    doubled_genotypes: usize,
    doubled_samples: usize,
}

impl From<&Variants> for Records {
    fn from(variants: &Variants) -> Self {
        let doubled = || variants.samples.iter().map(|sample| sample.doubled).filter(|&doubled| doubled > 0);
        Self {
            skipped: variants.skipped,
            doubled_genotypes: doubled().sum(),
            doubled_samples: doubled().count(),
        }
    }
}

impl Records {
    /// The records of a list of sites, of which so many were left out.
    #[cfg(feature = "http")]
    pub(super) fn of_sites(skipped: usize) -> Self {
        Self { skipped, ..Self::default() }
    }

    /// Prints the haploid genotypes, if there are any.
    pub(super) fn print_doubled(&self, lines: &mut Lines) {
        if self.doubled_genotypes > 0 {
            let genotypes = counted(self.doubled_genotypes, "haploid genotype");
            let samples = counted(self.doubled_samples, "sample");
            lines.line(
                "haploid",
                format_args!(
                    "{genotypes} in {samples} with diploid ones at other sites: each was taken as two equal haplotypes, which both count"
                ),
            );
        }
    }
}
