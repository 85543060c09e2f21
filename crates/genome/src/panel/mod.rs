//! Panels of haplotypes: their files, their matches, and their positional Burrows–Wheeler transform.

mod error;
mod genotypes;
mod index;
mod letters;
mod matches;
mod pbwt;
mod random;
mod records;
mod site_list;
mod text;
mod variants;
mod window_sites;

pub use error::{PanelError, Unusable};
pub use letters::{Haplotype, letters_at};
pub use matches::{Longest, Match, longest_from, set_maximal, write_tsv};
pub use pbwt::{Interval, Pbwt};
pub use random::RandomPanel;
pub use records::Place;
pub use site_list::{SiteList, SitesDigest, repeated_site};
pub use variants::{Policy, Variants};

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The most haplotypes of a panel: counts of them are told apart modulo 65537.
pub const MAX_HAPLOTYPES: usize = 1 << 16;
/// The most sites of a panel.
pub const MAX_SITES: usize = 1 << 24;
/// The most words that a panel takes, eight gibibytes.
const MAX_WORDS: usize = 1 << 30;
/// The longest name of a chromosome, in bytes.
const MAX_NAME: usize = 255;

/// What tells a site from the others of its chromosome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// The base pair, counted from 1.
    pub position: u64,
    /// A digest of its reference and alternate alleles; 0 where nothing names them.
    pub variant: u64,
}

impl Site {
    /// The site of a base pair whose alleles 0 and 1 are these bases, in upper or lower case.
    pub fn new(position: u64, reference: &str, alternate: &str) -> Self {
        let names = format!("{reference}\t{alternate}").to_ascii_uppercase();
        let digest = blake3::hash(names.as_bytes());
        let word = digest.as_bytes()[..8].try_into().expect("eight bytes");
        Self { position, variant: u64::from_le_bytes(word) }
    }
}

/// The alleles, 0 or 1, of M haplotypes at the sites of one chromosome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    chromosome: String,
    /// The base pair of each site, counted from 1, in an order that doesn't fall.
    positions: Vec<u64>,
    /// Each site's [`Site::variant`].
    variants: Vec<u64>,
    haplotypes: usize,
    /// Site after site, the haplotypes' bits from the lowest of each word on; those after the last are 0.
    words: Vec<u64>,
}

impl Panel {
    /// A panel without sites.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`], [`PanelError::Name`].
    pub fn new(chromosome: &str, haplotypes: usize) -> Result<Self, PanelError> {
        if !(1..=MAX_HAPLOTYPES).contains(&haplotypes) {
            return Err(PanelError::Haplotypes(haplotypes));
        }
        if chromosome.is_empty() || chromosome.len() > MAX_NAME || chromosome.contains(char::is_control) {
            return Err(PanelError::Name(chromosome.chars().take(MAX_NAME).collect()));
        }
        let chromosome = chromosome.to_owned();
        Ok(Self { chromosome, positions: Vec::new(), variants: Vec::new(), haplotypes, words: Vec::new() })
    }

    /// Adds a site whose alleles have no names, with the haplotypes' alleles.
    ///
    /// # Errors
    /// Those of [`Panel::push_site`].
    pub fn push(&mut self, position: u64, alleles: &[bool]) -> Result<(), PanelError> {
        self.push_site(Site { position, variant: 0 }, alleles)
    }

    /// Adds a site with the haplotypes' alleles.
    ///
    /// # Errors
    /// [`PanelError::Alleles`] of another number, [`PanelError::Order`] for a position below the last,
    /// [`PanelError::Sites`] for too many sites.
    pub fn push_site(&mut self, site: Site, alleles: &[bool]) -> Result<(), PanelError> {
        let Site { position, variant } = site;
        if alleles.len() != self.haplotypes {
            return Err(PanelError::Alleles { found: alleles.len(), expected: self.haplotypes });
        }
        if let Some(&last) = self.positions.last().filter(|&&last| last > position) {
            return Err(PanelError::Order { position, last });
        }
        if self.sites() == MAX_SITES || self.words.len() + self.words_of_site() > MAX_WORDS {
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

    /// The chromosome's name.
    pub fn chromosome(&self) -> &str {
        &self.chromosome
    }

    /// The number of haplotypes M.
    pub fn haplotypes(&self) -> usize {
        self.haplotypes
    }

    /// The number of sites.
    pub fn sites(&self) -> usize {
        self.positions.len()
    }

    /// The base pair of each site, counted from 1.
    pub fn positions(&self) -> &[u64] {
        &self.positions
    }

    /// A haplotype's allele at a site.
    ///
    /// # Panics
    /// If there is no such haplotype or site.
    pub fn allele(&self, site: usize, haplotype: usize) -> bool {
        assert!(haplotype < self.haplotypes);
        self.words[site * self.words_of_site() + haplotype / 64] >> (haplotype % 64) & 1 == 1
    }

    /// A haplotype's alleles at a range of sites.
    ///
    /// # Panics
    /// If there is no such haplotype or site.
    pub fn letters(&self, haplotype: usize, sites: Range<usize>) -> Vec<bool> {
        sites.map(|site| self.allele(site, haplotype)).collect()
    }

    /// The panel of some of the haplotypes, at the same sites.
    ///
    /// # Panics
    /// If there are no such haplotypes, or none.
    #[must_use]
    pub fn shard(&self, haplotypes: Range<usize>) -> Self {
        assert!(haplotypes.start < haplotypes.end && haplotypes.end <= self.haplotypes);
        let (first, shift, count) = (haplotypes.start / 64, haplotypes.start % 64, haplotypes.len());
        let site = |site: &[u64]| {
            let bits = |at: usize| site.get(at).copied().unwrap_or(0);
            // A shift by 64 would be none.
            let word = |at: usize| bits(at) >> shift | (bits(at + 1) << 1) << (63 - shift);
            let mut words: Vec<u64> = (first..first + count.div_ceil(64)).map(word).collect();
            if !count.is_multiple_of(64) {
                *words.last_mut().expect("there are haplotypes") &= (1 << (count % 64)) - 1;
            }
            words
        };
        let words = self.words.chunks_exact(self.words_of_site()).flat_map(site).collect();
        let (positions, variants) = (self.positions.clone(), self.variants.clone());
        Self { chromosome: self.chromosome.clone(), positions, variants, haplotypes: count, words }
    }

    fn words_of_site(&self) -> usize {
        self.haplotypes.div_ceil(64)
    }
}
