//! What a panel is made of, in memory and in a file.

use asanoha_numeric::text::is_steering;

use super::{
    PanelError,
    limits::{MAX_HAPLOTYPES, MAX_NAME},
};

/// The alleles, 0 or 1, of M haplotypes at the sites of one chromosome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alleles {
    pub(super) chromosome: String,
    /// The base pair of each site, counted from 1, in an order that doesn't fall.
    pub(super) positions: Vec<u64>,
    /// Each site's [`super::Site::variant`].
    pub(super) variants: Vec<u64>,
    pub(super) haplotypes: usize,
    /// Site after site, the haplotypes' bits from the lowest of each word on; those after the last are 0.
    pub(super) words: Vec<u64>,
}

impl Alleles {
    /// Without sites.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`], [`PanelError::Name`].
    pub(super) fn new(chromosome: &str, haplotypes: usize) -> Result<Self, PanelError> {
        if !(1..=MAX_HAPLOTYPES).contains(&haplotypes) {
            return Err(PanelError::Haplotypes(haplotypes));
        }
        if chromosome.is_empty() || chromosome.len() > MAX_NAME || chromosome.contains(is_steering) {
            return Err(PanelError::Name(chromosome.chars().take(MAX_NAME).collect()));
        }
        let chromosome = chromosome.to_owned();
        Ok(Self { chromosome, positions: Vec::new(), variants: Vec::new(), haplotypes, words: Vec::new() })
    }

    /// The words of a site.
    pub(super) fn words_of_site(&self) -> usize {
        self.haplotypes.div_ceil(64)
    }
}
