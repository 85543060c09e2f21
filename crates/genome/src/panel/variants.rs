//! Panels from VCF, bgzipped VCF and BCF.

use std::{io, path::Path};

use noodles_vcf::{
    self as vcf,
    variant::record::{AlternateBases as _, Record, ReferenceBases as _},
};

use super::{
    MAX_HAPLOTYPES, Panel, PanelError, Place, Sample, Site, Unusable,
    genotypes::{Calls, Refused, calls},
    growing::Growing,
    records::{self, Taker, guarded, unsound},
};

/// What becomes of records that a panel doesn't take: those without phased genotypes of two alleles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// They're errors.
    #[default]
    Refuse,
    /// They're left out, and counted.
    Skip,
}

/// A panel out of a file of variants.
///
/// Samples have two haplotypes each, in the order of their genotypes. A sample whose genotypes are haploid at all sites, such as a
/// man's on X outside of the pseudo-autosomal regions, has one. A sample that is haploid at some sites only, such as a man's on a
/// whole X, has two haplotypes that are equal there: his haploid genotype `1` is taken as `1|1`, the usual homozygous coding, and
/// [`Sample::doubled`] counts these sites.
#[derive(Clone, Debug)]
pub struct Variants {
    /// The panel.
    pub panel: Panel,
    /// The samples, in the order of the file.
    pub samples: Vec<Sample>,
    /// The number of records that were left out.
    pub skipped: usize,
    /// The numbers of these records by reason, in the order of each reason's first record.
    pub reasons: Vec<(Unusable, usize)>,
}

impl Variants {
    /// Reads VCF, VCF compressed by bgzip, or BCF, whichever the file is. Allele 0 is the reference.
    ///
    /// A file that is cut short is refused, whatever the policy, unless it isn't compressed and ends right after a record:
    /// then nothing tells it from a whole one.
    ///
    /// # Errors
    /// [`PanelError::Record`] for what isn't taken, unless it's skipped; [`PanelError::Chromosome`] for a second chromosome;
    /// [`PanelError::Malformed`], [`PanelError::Empty`], [`PanelError::Order`], [`PanelError::Haplotypes`],
    /// [`PanelError::Sites`], [`PanelError::Read`].
    pub fn read(path: &Path, policy: Policy) -> Result<Self, PanelError> {
        records::read(path, |header| Columns::new(path, policy, header))?.finish()
    }
}

/// A panel that grows record by record.
pub(super) struct Columns<'w> {
    path: &'w Path,
    policy: Policy,
    header: vcf::Header,
    skipped: Vec<(Unusable, usize)>,
    panel: Option<Growing>,
}

impl<'w> Columns<'w> {
    pub(super) fn new(path: &'w Path, policy: Policy, header: vcf::Header) -> Result<Self, PanelError> {
        let samples = header.sample_names().len();
        if samples > MAX_HAPLOTYPES {
            return Err(PanelError::Haplotypes(samples));
        }
        Ok(Self { path, policy, header, skipped: Vec::new(), panel: None })
    }

    pub(super) fn finish(self) -> Result<Variants, PanelError> {
        let Some(panel) = self.panel else {
            return Err(PanelError::Empty(self.path.display().to_string()));
        };
        let (panel, samples) = panel.finish(self.header.sample_names().iter().cloned())?;
        let skipped = self.skipped.iter().map(|(_, records)| records).sum();
        Ok(Variants { panel, samples, skipped, reasons: self.skipped })
    }
}

impl Taker for Columns<'_> {
    fn take(&mut self, record: &dyn Record, place: Place) -> Result<(), PanelError> {
        let unsound = |error: io::Error| unsound(self.path, place, &error);
        let chromosome = guarded(|| record.reference_sequence_name(&self.header)).map_err(unsound)?;
        let fields = || {
            let position = position(record)?;
            let calls = biallelic(record, &self.header)?;
            let site = if calls.is_ok() { site(record, position)? } else { Site { position, variant: 0 } };
            Ok((site, calls))
        };
        let (site, calls) = guarded(fields).map_err(unsound)?;
        let calls = match (calls, self.policy) {
            (Ok(calls), _) => calls,
            (Err(refused), Policy::Skip) => {
                match self.skipped.iter_mut().find(|(reason, _)| *reason == refused.what) {
                    Some((_, records)) => *records += 1,
                    None => self.skipped.push((refused.what, 1)),
                }
                return Ok(());
            }
            (Err(refused), Policy::Refuse) => {
                let site = format!("{chromosome}:{}", site.position);
                return Err(refused.at(self.path, place, site, &self.header));
            }
        };
        let panel = match &mut self.panel {
            Some(panel) => panel,
            None => self.panel.insert(Growing::new(chromosome, &calls)?),
        };
        if panel.chromosome() != chromosome {
            let (found, expected) = (chromosome.to_owned(), panel.chromosome().to_owned());
            return Err(PanelError::Chromosome { number: place.record, found, expected });
        }
        panel.push(site, &calls)
    }
}

/// The base pair of a record, counted from 1.
pub(super) fn position(record: &dyn Record) -> io::Result<u64> {
    Ok(record.variant_start().transpose()?.map_or(0, usize::from) as u64)
}

/// The reference bases of a record.
pub(super) fn reference(record: &dyn Record) -> io::Result<String> {
    let bases = record.reference_bases().iter().collect::<io::Result<Vec<u8>>>()?;
    Ok(String::from_utf8_lossy(&bases).into_owned())
}

/// The site of a record of one alternate allele.
pub(super) fn site(record: &dyn Record, position: u64) -> io::Result<Site> {
    let alternates = record.alternate_bases();
    let alternate = alternates.iter().next().transpose()?.unwrap_or_default().to_owned();
    Ok(Site::new(position, &reference(record)?, &alternate))
}

/// The haplotypes' alleles, or why a panel doesn't take them.
fn biallelic(record: &dyn Record, header: &vcf::Header) -> io::Result<Result<Calls, Refused>> {
    if record.alternate_bases().len() != 1 {
        return Ok(Err(Unusable::NotBiallelic.into()));
    }
    calls(record, header, |allele| (allele <= 1).then_some(allele == 1))
}
