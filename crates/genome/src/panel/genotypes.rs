//! Genotypes of records as letters of haplotypes.

use std::{io, path::Path};

use noodles_vcf::{
    self as vcf,
    variant::record::{
        Record, Samples as _,
        samples::series::{Value, value::genotype::Phasing},
    },
};

use super::{PanelError, Place, Unusable};

/// The most haplotypes of a sample.
const MOST_PLOIDY: usize = 2;

/// The number of haplotypes of each sample: two, or one where only one copy of the chromosome is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout(Vec<u8>);

impl Layout {
    pub(super) fn ploidy(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn samples(&self) -> usize {
        self.0.len()
    }

    pub(super) fn haplotypes(&self) -> usize {
        self.0.iter().map(|&ploidy| usize::from(ploidy)).sum()
    }

    /// Gives each sample as many haplotypes as it has here or in another layout. Returns whether any gains one.
    pub(super) fn widen(&mut self, other: &Self) -> bool {
        let mut is_wider = false;
        for (ploidy, &other) in self.0.iter_mut().zip(&other.0) {
            is_wider |= other > *ploidy;
            *ploidy = other.max(*ploidy);
        }
        is_wider
    }
}

/// The letters of all samples' haplotypes at one record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    /// Sample after sample, of each its haplotypes'.
    pub(super) letters: Vec<bool>,
    /// The haplotypes of each sample at this record.
    pub(super) layout: Layout,
}

impl Calls {
    /// Returns the letters in a layout of as many haplotypes or more: a haploid genotype is that of both haplotypes.
    pub(super) fn spread(&self, layout: &Layout) -> Vec<bool> {
        let mut letters = self.letters.iter().copied();
        let mut spread = Vec::with_capacity(layout.haplotypes());
        for (&own, &ploidy) in self.layout.0.iter().zip(&layout.0) {
            let from = spread.len();
            spread.extend(letters.by_ref().take(own.into()));
            spread.resize(from + usize::from(ploidy), spread[from]);
        }
        spread
    }
}

/// Why a record's genotypes are no letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) what: Unusable,
    /// The sample, if it's about one.
    pub(super) sample: Option<usize>,
}

impl From<Unusable> for Refused {
    fn from(what: Unusable) -> Self {
        Self { what, sample: None }
    }
}

impl Refused {
    /// The error of a record of a file.
    pub(super) fn at(self, path: &Path, place: Place, site: String, header: &vcf::Header) -> PanelError {
        let sample = self.sample.and_then(|sample| header.sample_names().get_index(sample).cloned());
        PanelError::Record {
            file: path.display().to_string(),
            record: place,
            place: site,
            sample,
            what: self.what,
        }
    }
}

/// The letters of a record, of each allele, which is counted from 0; none for an allele that makes no letter.
pub(super) fn calls(
    record: &dyn Record,
    header: &vcf::Header,
    letter: impl Fn(usize) -> Option<bool>,
) -> io::Result<Result<Calls, Refused>> {
    let samples = record.samples()?;
    let expected = header.sample_names().len();
    let Some(series) = samples.select(header, "GT").transpose()?.filter(|_| expected > 0) else {
        return Ok(Err(Unusable::NoGenotypes.into()));
    };
    let mut calls = Calls {
        letters: Vec::with_capacity(MOST_PLOIDY * expected),
        layout: Layout(Vec::with_capacity(expected)),
    };
    for (sample, value) in series.iter(header).enumerate() {
        let refused = |what| Ok(Err(Refused { what, sample: Some(sample) }));
        let Some(Value::Genotype(genotype)) = value? else { return refused(Unusable::NoGenotypes) };
        let (from, mut is_phased) = (calls.letters.len(), true);
        for allele in genotype.iter() {
            let (allele, phasing) = allele?;
            // The first allele's phasing is that of the others, or is given apart; it assigns nothing by itself.
            is_phased &= calls.letters.len() == from || phasing == Phasing::Phased;
            match allele.map(&letter) {
                None => return refused(Unusable::MissingAllele),
                Some(None) => return refused(Unusable::UnknownAllele),
                Some(Some(letter)) => calls.letters.push(letter),
            }
        }
        let mine = &calls.letters[from..];
        if !(1..=MOST_PLOIDY).contains(&mine.len()) {
            return refused(Unusable::Polyploid);
        }
        // Equal alleles are those of either haplotype, phased or not.
        if !is_phased && mine.iter().any(|letter| *letter != mine[0]) {
            return refused(Unusable::NotPhased);
        }
        calls.layout.0.push(mine.len() as u8);
    }
    Ok(if calls.layout.samples() == expected { Ok(calls) } else { Err(Unusable::NoGenotypes.into()) })
}
