//! What a panel is made of, in memory and in a file.

use asanoha_numeric::text::is_steering;

use super::{
    PanelError, Site,
    limits::{MAX_HAPLOTYPES, MAX_NAME, MAX_SITES, MAX_WORDS},
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
        check_haplotypes(haplotypes)?;
        if chromosome.is_empty() || chromosome.len() > MAX_NAME || chromosome.contains(is_steering) {
            return Err(PanelError::Name(chromosome.chars().take(MAX_NAME).collect()));
        }
        let chromosome = chromosome.to_owned();
        Ok(Self { chromosome, positions: Vec::new(), variants: Vec::new(), haplotypes, words: Vec::new() })
    }

    /// Sets the number of haplotypes of the sites that follow.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`].
    pub(super) fn set_haplotypes(&mut self, haplotypes: usize) -> Result<(), PanelError> {
        check_haplotypes(haplotypes)?;
        self.haplotypes = haplotypes;
        Ok(())
    }

    /// Adds a site with the haplotypes' alleles.
    ///
    /// # Errors
    /// [`PanelError::Alleles`], [`PanelError::Order`], [`PanelError::Sites`].
    pub(super) fn push(&mut self, site: Site, alleles: &[bool]) -> Result<(), PanelError> {
        let Site { position, variant } = site;
        if alleles.len() != self.haplotypes {
            return Err(PanelError::Alleles { found: alleles.len(), expected: self.haplotypes });
        }
        if let Some(&last) = self.positions.last().filter(|&&last| last > position) {
            return Err(PanelError::Order { position, last });
        }
        if self.positions.len() == MAX_SITES || self.words.len() + self.words_of_site() > MAX_WORDS {
            return Err(PanelError::Sites);
        }
        self.positions.push(position);
        self.variants.push(variant);
        let word = |alleles: &[bool]| {
            alleles.iter().enumerate().fold(0, |word, (bit, &allele)| word | u64::from(allele) << bit)
        };
        self.words.extend(alleles.chunks(64).map(word));
        Ok(())
    }

    /// The words of a site.
    pub(super) fn words_of_site(&self) -> usize {
        self.haplotypes.div_ceil(64)
    }
}

fn check_haplotypes(haplotypes: usize) -> Result<(), PanelError> {
    (1..=MAX_HAPLOTYPES).contains(&haplotypes).then_some(()).ok_or(PanelError::Haplotypes(haplotypes))
}
