//! A panel that grows site by site, of samples that may be haploid at some sites and diploid at others.

use super::{
    PanelError, Site,
    alleles::Alleles,
    genotypes::{Calls, Layout},
    haplotype_panel::Panel,
};

/// A sample of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The sample's name.
    pub name: String,
    /// The number of its haplotypes: two, or one if it is haploid at all sites.
    pub haplotypes: usize,
    /// The number of sites at which it is haploid, so that its two haplotypes have the same allele.
    pub doubled: usize,
}

/// The alleles of the sites so far.
///
/// At each site a sample has as many bits as haplotypes up to there. [`Growing::finish`] aligns the sites, so that a sample that
/// turns diploid late costs one pass over the panel, however many samples do.
pub(super) struct Growing {
    alleles: Alleles,
    layout: Layout,
    /// The first site at which each sample is diploid.
    diploid_from: Vec<Option<usize>>,
    /// The number of sites at which each sample is haploid.
    haploid: Vec<usize>,
}

impl Growing {
    /// Starts a panel, without sites, of samples with the ploidy of a record.
    ///
    /// # Errors
    /// [`PanelError::Haplotypes`], [`PanelError::Name`].
    pub(super) fn new(chromosome: &str, calls: &Calls) -> Result<Self, PanelError> {
        let layout = calls.layout.clone();
        let samples = layout.samples();
        Ok(Self {
            alleles: Alleles::new(chromosome, layout.haplotypes())?,
            layout,
            diploid_from: vec![None; samples],
            haploid: vec![0; samples],
        })
    }

    pub(super) fn chromosome(&self) -> &str {
        &self.alleles.chromosome
    }

    /// Adds a site.
    ///
    /// # Errors
    /// The errors of [`Panel::push_site`], and [`PanelError::Haplotypes`] if samples that turn diploid make too many haplotypes.
    pub(super) fn push(&mut self, site: Site, calls: &Calls) -> Result<(), PanelError> {
        let at = self.alleles.positions.len();
        if self.layout.widen(&calls.layout) {
            self.alleles.set_haplotypes(self.layout.haplotypes())?;
        }
        for (sample, &ploidy) in calls.layout.ploidy().iter().enumerate() {
            if ploidy == 1 {
                self.haploid[sample] += 1;
            } else {
                self.diploid_from[sample].get_or_insert(at);
            }
        }
        self.alleles.push(site, &calls.spread(&self.layout))
    }

    /// Returns the panel, and the samples of these names.
    ///
    /// # Errors
    /// [`PanelError::Sites`] if haploid genotypes that are taken twice make the panel too large.
    pub(super) fn finish(
        self,
        names: impl IntoIterator<Item = String>,
    ) -> Result<(Panel, Vec<Sample>), PanelError> {
        let samples = names.into_iter().zip(self.layout.ploidy()).zip(&self.haploid);
        let samples = samples.map(|((name, &ploidy), &haploid)| {
            let haplotypes = usize::from(ploidy);
            Sample { name, haplotypes, doubled: if haplotypes == 1 { 0 } else { haploid } }
        });
        let samples = samples.collect();
        let is_aligned = self.diploid_from.iter().flatten().all(|&site| site == 0);
        Ok((Panel(if is_aligned { self.alleles } else { self.aligned()? }), samples))
    }

    /// Aligns the sites: each has the bits of all haplotypes, and a haploid genotype is that of both haplotypes of its sample.
    fn aligned(self) -> Result<Alleles, PanelError> {
        let Self { alleles, diploid_from, .. } = self;
        let mut aligned = Alleles::new(&alleles.chromosome, alleles.haplotypes)?;
        let mut words = &alleles.words[..];
        let mut letters = Vec::with_capacity(alleles.haplotypes);
        for (at, (&position, &variant)) in alleles.positions.iter().zip(&alleles.variants).enumerate() {
            letters.clear();
            let mut bit = 0;
            let mut next = || {
                let letter = words[bit / 64] >> (bit % 64) & 1 == 1;
                bit += 1;
                letter
            };
            for from in &diploid_from {
                let first = next();
                letters.push(first);
                if let Some(from) = from {
                    letters.push(if *from <= at { next() } else { first });
                }
            }
            words = &words[bit.div_ceil(64)..];
            aligned.push(Site { position, variant }, &letters)?;
        }
        Ok(aligned)
    }
}
