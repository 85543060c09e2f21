//! The letters of somebody's haplotypes at the sites of a panel's window, out of a file that may hold a whole genome.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

use noodles_vcf::{
    self as vcf,
    variant::record::{AlternateBases as _, Record},
};

use super::{
    PanelError, Place, Site,
    genotypes::{Calls, Layout, Refused, calls},
    records::{self, Taker, guarded, unsound},
    variants::{position, reference},
};

/// The most records of a file at one base pair.
const MOST_RECORDS: usize = 1 << 10;

/// A haplotype of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Haplotype {
    /// The sample's name.
    pub sample: String,
    /// Which of the sample's haplotypes it is, counted from 1 in the order of the genotypes.
    pub which: usize,
    /// Its letters, one a site.
    pub letters: Vec<bool>,
    /// The number of sites at which the sample is haploid, so that its two haplotypes have the same letter; 0 for a sample of one
    /// haplotype.
    pub doubled: usize,
}

/// Reads the letters of all haplotypes of a VCF, a bgzipped VCF or a BCF at sites of a chromosome, which are in an order that doesn't
/// fall.
///
/// Records elsewhere are passed over, whatever they are: of other chromosomes, between the sites, without genotypes. At a site,
/// either the record of its alleles tells the letters, or, where there's none, a record without an alternate allele (ALT `.`,
/// or a symbol such as `<NON_REF>`) whose genotypes are all of the reference. Equal alleles needn't be phased. A sample whose
/// genotypes are haploid at all sites has one haplotype; one that is haploid at some sites only, as in a [`super::Variants`], two
/// that are equal there.
///
/// Of several records of one base pair and equal alleles, there are as many as sites; at an end of the window, which may lie between two of
/// them, those nearest to the inside are taken.
///
/// # Errors
/// [`PanelError::Record`] for genotypes at a site that are no letters, [`PanelError::OtherSites`] for a site that the file
/// hasn't, [`PanelError::OtherChromosome`] for a file without records of the chromosome; [`PanelError::Malformed`],
/// [`PanelError::Read`].
pub fn letters_at(path: &Path, chromosome: &str, sites: &[Site]) -> Result<Vec<Haplotype>, PanelError> {
    let positions: BTreeSet<u64> = sites.iter().map(|site| site.position).collect();
    let found = records::read(path, |header| {
        Ok(Window {
            path,
            header,
            chromosome,
            positions,
            records: BTreeMap::new(),
            is_there: false,
            other: None,
        })
    })?;
    found.letters(sites)
}

/// A record at a site's base pair.
struct Found {
    /// The site's [`Site::variant`]; none of a record without an alternate allele.
    variant: Option<u64>,
    place: Place,
    calls: Result<Calls, Refused>,
}

/// The records of a window, as they're read.
struct Window<'w> {
    path: &'w Path,
    header: vcf::Header,
    chromosome: &'w str,
    positions: BTreeSet<u64>,
    records: BTreeMap<u64, Vec<Found>>,
    /// Whether there's any record of the chromosome.
    is_there: bool,
    /// Another chromosome of the file.
    other: Option<String>,
}

impl Taker for Window<'_> {
    fn take(&mut self, record: &dyn Record, place: Place) -> Result<(), PanelError> {
        let unsound = |error: io::Error| unsound(self.path, place, &error);
        let chromosome = guarded(|| record.reference_sequence_name(&self.header)).map_err(unsound)?;
        if chromosome != self.chromosome {
            self.other.get_or_insert_with(|| chromosome.to_owned());
            return Ok(());
        }
        self.is_there = true;
        let position = guarded(|| position(record)).map_err(unsound)?;
        if !self.positions.contains(&position) {
            return Ok(());
        }
        let found = guarded(|| found(record, &self.header, position, place)).map_err(unsound)?;
        let records = self.records.entry(position).or_default();
        if records.len() + found.len() > MOST_RECORDS {
            return Err(PanelError::Malformed {
                place: format!("{}, {place}", self.path.display()),
                what: format!("more than {MOST_RECORDS} alleles stand at base pair {position}"),
            });
        }
        records.extend(found);
        Ok(())
    }
}

/// What a record says of each of its alternate alleles.
fn found(record: &dyn Record, header: &vcf::Header, position: u64, place: Place) -> io::Result<Vec<Found>> {
    let alternates = record.alternate_bases();
    let alternates =
        alternates.iter().map(|bases| bases.map(str::to_owned)).collect::<io::Result<Vec<_>>>()?;
    let reference = reference(record)?;
    let is_symbol = |bases: &str| bases.starts_with('<') || bases == "*" || bases == ".";
    let mut all = Vec::new();
    for (at, bases) in alternates.iter().enumerate().filter(|(_, bases)| !is_symbol(bases)) {
        let letter = |allele: usize| match allele {
            0 => Some(false),
            allele => (allele == at + 1).then_some(true),
        };
        let variant = Some(Site::new(position, &reference, bases).variant);
        all.push(Found { variant, place, calls: calls(record, header, letter)? });
    }
    if all.is_empty() || alternates.iter().any(|bases| is_symbol(bases)) {
        let calls = calls(record, header, |allele| (allele == 0).then_some(false))?;
        all.push(Found { variant: None, place, calls });
    }
    Ok(all)
}

impl Window<'_> {
    fn letters(self, sites: &[Site]) -> Result<Vec<Haplotype>, PanelError> {
        if !self.is_there
            && let Some(found) = self.other
        {
            return Err(PanelError::OtherChromosome { found, expected: self.chromosome.to_owned() });
        }
        if !self.is_there {
            return Err(PanelError::Empty(self.path.display().to_string()));
        }
        let mut all: Vec<&Calls> = Vec::with_capacity(sites.len());
        let groups: Vec<&[Site]> = sites.chunk_by(|a, b| a.position == b.position).collect();
        for (at, group) in groups.iter().enumerate() {
            let ends = (at == 0, at + 1 == groups.len());
            for place in 0..group.len() {
                let Found { place, calls, .. } = self.record_of(group, place, ends)?;
                let position = group[0].position;
                let refuse = |refused: &Refused| {
                    refused.at(self.path, *place, format!("{}:{position}", self.chromosome), &self.header)
                };
                all.push(calls.as_ref().map_err(refuse)?);
            }
        }
        let Some(mut layout) = all.first().map(|calls| calls.layout.clone()) else { return Ok(Vec::new()) };
        for calls in &all {
            layout.widen(&calls.layout);
        }
        let mut haplotypes = self.haplotypes(&layout, sites.len());
        for calls in all {
            let letters = calls.spread(&layout);
            haplotypes.iter_mut().zip(letters).for_each(|(of, letter)| of.letters.push(letter));
            let mut of_samples = haplotypes.chunk_by_mut(|a, b| a.which < b.which);
            for &ploidy in calls.layout.ploidy() {
                let of_sample = of_samples.next().expect("each sample has a haplotype");
                let is_doubled = usize::from(ploidy) < of_sample.len();
                of_sample.iter_mut().for_each(|haplotype| haplotype.doubled += usize::from(is_doubled));
            }
        }
        Ok(haplotypes)
    }

    /// The haplotypes of samples, without letters.
    fn haplotypes(&self, layout: &Layout, letters: usize) -> Vec<Haplotype> {
        let samples = self.header.sample_names().iter().zip(layout.ploidy());
        let of_sample = |(sample, &ploidy): (&String, &u8)| {
            let one = |which| Haplotype {
                sample: sample.clone(),
                which,
                letters: Vec::with_capacity(letters),
                doubled: 0,
            };
            (1..=usize::from(ploidy)).map(one).collect::<Vec<_>>()
        };
        samples.flat_map(of_sample).collect()
    }

    /// The record that tells the letters of a site of a group of one base pair, which may begin or end the window.
    fn record_of(
        &self,
        group: &[Site],
        at: usize,
        (is_first, is_last): (bool, bool),
    ) -> Result<&Found, PanelError> {
        let site = group[at];
        let records = self.records.get(&site.position).map_or(&[][..], Vec::as_slice);
        let same: Vec<&Found> = records.iter().filter(|found| found.variant == Some(site.variant)).collect();
        let times = |sites: &[Site]| sites.iter().filter(|&&other| other == site).count();
        let (expected, nth, there) = (times(group), times(&group[..at]), same.len());
        let refused = || PanelError::OtherSites { position: site.position, found: there, expected };
        if there == 0 {
            let none = || records.iter().find(|found| found.variant.is_none());
            return none().filter(|_| site.variant != 0).ok_or_else(refused);
        }
        if there < expected {
            return Err(refused());
        }
        let alike = same.iter().all(|found| found.calls == same[0].calls);
        match (there == expected || alike, is_first, is_last) {
            (true, ..) | (false, false, true) => Ok(same[nth]),
            (false, true, false) => Ok(same[there - expected + nth]),
            (false, ..) => Err(refused()),
        }
    }
}
