//! Random panels.

use asanoha_ring::{Sampler, Seed};

use super::{Panel, PanelError};

/// A random panel in which haplotypes resemble one another: each copies one before it, changes to another at some sites, and
/// differs from it at some.
///
/// Source: the copying model of Li, Stephens, "Modeling linkage disequilibrium and identifying recombination hotspots using
/// single-nucleotide polymorphism data" (Genetics 165, 2003), with rates that don't depend on the number of haplotypes.
#[derive(Clone, Copy, Debug)]
pub struct RandomPanel {
    /// The number of haplotypes.
    pub haplotypes: usize,
    /// The number of sites.
    pub sites: usize,
    /// The probability of copying another haplotype from a site on.
    pub recombination: f64,
    /// The probability of another letter than the copied one.
    pub mutation: f64,
}

impl RandomPanel {
    /// The panel that follows from a seed.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`], [`PanelError::Sites`].
    pub fn generate(&self, seed: &Seed) -> Result<Panel, PanelError> {
        let mut panel = Panel::new("random", self.haplotypes)?;
        let mut sampler = Sampler::new(seed);
        let happens = |probability: f64, word: u64| ((word >> 11) as f64) < probability * 2f64.powi(53);
        let mut copied = vec![0usize; self.haplotypes];
        for site in 0..self.sites {
            let words = sampler.uniform(3 * self.haplotypes);
            let mut alleles = vec![words[2] & 1 == 1];
            for (haplotype, words) in words.chunks_exact(3).enumerate().skip(1) {
                if site == 0 || happens(self.recombination, words[0]) {
                    copied[haplotype] = (words[1] % haplotype as u64) as usize;
                }
                alleles.push(alleles[copied[haplotype]] ^ happens(self.mutation, words[2]));
            }
            panel.push(site as u64 + 1, &alleles)?;
        }
        Ok(panel)
    }
}
