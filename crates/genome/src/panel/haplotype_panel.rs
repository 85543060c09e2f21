//! Panels of haplotypes.

use std::{ops::Range, path::Path};

use super::{PanelError, Site, alleles::Alleles, index, text};

/// The alleles, 0 or 1, of M haplotypes at the sites of one chromosome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel(pub(super) Alleles);

impl Panel {
    /// A panel without sites.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`], [`PanelError::Name`].
    pub fn new(chromosome: &str, haplotypes: usize) -> Result<Self, PanelError> {
        Alleles::new(chromosome, haplotypes).map(Self)
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
        self.0.push(site, alleles)
    }

    /// The chromosome's name.
    pub fn chromosome(&self) -> &str {
        &self.0.chromosome
    }

    /// The number of haplotypes M.
    pub fn haplotypes(&self) -> usize {
        self.0.haplotypes
    }

    /// The number of sites.
    pub fn sites(&self) -> usize {
        self.0.positions.len()
    }

    /// The base pair of each site, counted from 1.
    pub fn positions(&self) -> &[u64] {
        &self.0.positions
    }

    /// A haplotype's allele at a site.
    ///
    /// # Panics
    /// If there is no such haplotype or site.
    pub fn allele(&self, site: usize, haplotype: usize) -> bool {
        assert!(haplotype < self.0.haplotypes);
        self.0.words[site * self.0.words_of_site() + haplotype / 64] >> (haplotype % 64) & 1 == 1
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
        assert!(haplotypes.start < haplotypes.end && haplotypes.end <= self.0.haplotypes);
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
        let words = self.0.words.chunks_exact(self.0.words_of_site()).flat_map(site).collect();
        let (positions, variants) = (self.0.positions.clone(), self.0.variants.clone());
        let chromosome = self.0.chromosome.clone();
        Self(Alleles { chromosome, positions, variants, haplotypes: count, words })
    }

    /// A window of sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn window_sites(&self, start: usize, letters: usize) -> Result<Vec<Site>, PanelError> {
        self.check_window(start, letters)?;
        Ok((start..start + letters).map(|site| self.site(site)).collect())
    }

    pub(super) fn site(&self, site: usize) -> Site {
        Site { position: self.0.positions[site], variant: self.0.variants[site] }
    }

    /// Refuses a window of no letters or beyond the panel's sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn check_window(&self, start: usize, letters: usize) -> Result<(), PanelError> {
        let fits = letters > 0 && start.checked_add(letters).is_some_and(|end| end <= self.sites());
        fits.then_some(()).ok_or(PanelError::Window { start, letters, sites: self.sites() })
    }

    /// A panel of a line for each haplotype, a letter 0 or 1 for each site. Spaces, tabs and empty lines don't count. Sites
    /// stand at base pairs 1, 2, …, on a chromosome `.`. All lines are equally long, and a single one has a line end: a text
    /// that is cut within a line is refused.
    ///
    /// ```
    /// let panel = asanoha_genome::Panel::from_text("0110\n1 1 1 0\n")?;
    /// assert_eq!((panel.haplotypes(), panel.sites()), (2, 4));
    /// assert!(panel.allele(0, 1) && !panel.allele(3, 1));
    /// # Ok::<(), asanoha_genome::PanelError>(())
    /// ```
    ///
    /// # Errors
    /// [`PanelError::Malformed`] for other letters and lines of different lengths, [`PanelError::Empty`],
    /// [`PanelError::Haplotypes`], [`PanelError::Sites`].
    pub fn from_text(text: &str) -> Result<Self, PanelError> {
        let rows = text::rows(text)?;
        let mut panel = Self::new(text::CHROMOSOME, rows.len())?;
        for site in 0..rows[0].len() {
            panel.push(site as u64 + 1, &rows.iter().map(|row| row[site]).collect::<Vec<_>>())?;
        }
        Ok(panel)
    }

    /// The panel as lines of 0 and 1, which [`Panel::from_text`] reads.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.haplotypes() * (self.sites() + 1));
        for haplotype in 0..self.haplotypes() {
            text.extend((0..self.sites()).map(|site| if self.allele(site, haplotype) { '1' } else { '0' }));
            text.push('\n');
        }
        text
    }

    /// Writes the panel, and returns the file's length in bytes.
    ///
    /// # Errors
    /// [`PanelError::Write`].
    pub fn write(&self, path: &Path) -> Result<u64, PanelError> {
        index::write(&self.0, path)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        index::to_bytes(&self.0)
    }

    /// Reads a panel out of a file's bytes.
    ///
    /// # Errors
    /// [`PanelError::Malformed`].
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, PanelError> {
        index::of_bytes(bytes).map(Self)
    }

    /// Whether a file says of itself that it's a panel's, of any version.
    ///
    /// # Errors
    /// [`PanelError::Read`].
    pub fn is_index(path: &Path) -> Result<bool, PanelError> {
        index::is_index(path)
    }

    /// Reads a panel. Nothing is allocated beyond the file's length, and nothing is used before its digest was checked.
    ///
    /// # Errors
    /// [`PanelError::Read`], [`PanelError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, PanelError> {
        index::read(path).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITES: [(u64, &str, &str); 6] =
        [(3, "A", "C"), (5, "A", "C"), (5, "A", "G"), (8, "A", "C"), (8, "A", "C"), (9, "A", "C")];

    fn site((position, reference, alternate): (u64, &str, &str)) -> Site {
        Site::new(position, reference, alternate)
    }

    fn panel() -> Panel {
        let mut panel = Panel::new("20", 1).unwrap();
        SITES.iter().for_each(|&names| panel.push_site(site(names), &[true]).unwrap());
        panel
    }

    #[test]
    fn windows_end_at_the_last_site() {
        let panel = panel();
        assert_eq!(panel.window_sites(4, 2).unwrap(), [site(SITES[4]), site(SITES[5])]);
        assert!(panel.window_sites(5, 2).is_err() && panel.window_sites(usize::MAX, 2).is_err());
    }
}
