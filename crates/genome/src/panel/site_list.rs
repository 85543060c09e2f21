//! The sites of a panel without its alleles, and what identifies them.

use std::{collections::HashSet, fmt, path::Path};

use noodles_vcf::{
    self as vcf,
    variant::record::{AlternateBases as _, Record},
};

use super::{
    MAX_SITES, Panel, PanelError, Place, Policy, Site, Unusable, Variants,
    genotypes::Refused,
    records::{self, Taker, guarded, unsound},
    variants::{Columns, position, site},
};

/// The sites of one chromosome in the order of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteList {
    chromosome: String,
    sites: Vec<Site>,
    skipped: usize,
}

impl From<&Panel> for SiteList {
    fn from(panel: &Panel) -> Self {
        let sites = (0..panel.sites()).map(|site| panel.site(site)).collect();
        Self { chromosome: panel.chromosome().to_owned(), sites, skipped: 0 }
    }
}

impl SiteList {
    /// Reads the sites of a panel from its index, or from VCF, bgzipped VCF or BCF. If a file of variants has samples, its sites are
    /// those of the panel made of it. Otherwise they are those of all records, or, if the policy is to skip, of all records of two
    /// alleles.
    ///
    /// # Errors
    /// Those of [`Panel::read`] and [`super::Variants::read`].
    pub fn read(path: &Path, policy: Policy) -> Result<Self, PanelError> {
        if Panel::is_index(path)? {
            return Ok((&Panel::read(path)?).into());
        }
        let records = records::read(path, |header| {
            Ok(if header.sample_names().is_empty() {
                Records::Sites(Sites { path, policy, header, skipped: 0, list: None })
            } else {
                Records::Panel(Columns::new(path, policy, header)?)
            })
        })?;
        match records {
            Records::Panel(columns) => {
                let Variants { panel, skipped, .. } = columns.finish()?;
                Ok(Self { skipped, ..(&panel).into() })
            }
            Records::Sites(Sites { list, skipped, .. }) => {
                let list = list.ok_or_else(|| PanelError::NoSites(path.display().to_string()))?;
                Ok(Self { skipped, ..list })
            }
        }
    }

    /// The chromosome's name.
    pub fn chromosome(&self) -> &str {
        &self.chromosome
    }

    /// The number of records of the file that were left out.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Returns a window of sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn window(&self, start: usize, letters: usize) -> Result<&[Site], PanelError> {
        let window = start.checked_add(letters).filter(|_| letters > 0);
        let window = window.and_then(|end| self.sites.get(start..end));
        window.ok_or(PanelError::Window { start, letters, sites: self.sites.len() })
    }
}

/// The records of a file, with or without genotypes.
enum Records<'w> {
    Panel(Columns<'w>),
    Sites(Sites<'w>),
}

impl Taker for Records<'_> {
    fn take(&mut self, record: &dyn Record, place: Place) -> Result<(), PanelError> {
        match self {
            Self::Panel(columns) => columns.take(record, place),
            Self::Sites(sites) => sites.take(record, place),
        }
    }
}

/// The sites of records without genotypes.
struct Sites<'w> {
    path: &'w Path,
    policy: Policy,
    header: vcf::Header,
    skipped: usize,
    list: Option<SiteList>,
}

impl Taker for Sites<'_> {
    fn take(&mut self, record: &dyn Record, place: Place) -> Result<(), PanelError> {
        let read = || {
            let chromosome = record.reference_sequence_name(&self.header)?.to_owned();
            let position = position(record)?;
            let is_biallelic = record.alternate_bases().len() == 1;
            let site = is_biallelic.then(|| site(record, position)).transpose()?;
            Ok((chromosome, position, site))
        };
        let (chromosome, position, site) =
            guarded(read).map_err(|error| unsound(self.path, place, &error))?;
        let Some(site) = site else {
            if self.policy == Policy::Skip {
                self.skipped += 1;
                return Ok(());
            }
            let site = format!("{chromosome}:{position}");
            return Err(Refused::from(Unusable::NotBiallelic).at(self.path, place, site, &self.header));
        };
        let list = match &mut self.list {
            Some(list) => list,
            // It checks the name.
            None => self.list.insert((&Panel::new(&chromosome, 1)?).into()),
        };
        if list.chromosome != chromosome {
            let (found, expected) = (chromosome, list.chromosome.clone());
            return Err(PanelError::Chromosome { number: place.record, found, expected });
        }
        if let Some(last) = list.sites.last().map(|last| last.position).filter(|&last| last > position) {
            return Err(PanelError::Order { position, last });
        }
        if list.sites.len() == MAX_SITES {
            return Err(PanelError::Sites);
        }
        list.sites.push(site);
        Ok(())
    }
}

/// What identifies the sites of a window: BLAKE3 of `asagsit1`, the length of the chromosome's name, the name, and the base pair and
/// [`Site::variant`] of each site. Numbers are words of 64 bits, the lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitesDigest(pub [u8; 32]);

/// As 64 hex digits.
impl fmt::Display for SitesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl SitesDigest {
    /// Computes the digest of a window.
    pub fn of(chromosome: &str, sites: &[Site]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"asagsit1");
        hasher.update(&(chromosome.len() as u64).to_le_bytes());
        hasher.update(chromosome.as_bytes());
        for word in sites.iter().flat_map(|site| [site.position, site.variant]) {
            hasher.update(&word.to_le_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

/// Returns the first site that is there twice.
pub fn repeated_site(sites: &[Site]) -> Option<Site> {
    let mut seen = HashSet::new();
    sites.iter().find(|site| !seen.insert((site.position, site.variant))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "##fileformat=VCFv4.2\n##contig=<ID=20>\n##contig=<ID=21>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
    const RECORDS: [&str; 3] =
        ["20\t3\t.\tA\tC\t.\t.\t.", "20\t5\t.\tA\tC\t.\t.\t.", "20\t5\t.\tA\tG\t.\t.\t."];

    fn read(text: &str, policy: Policy) -> Result<SiteList, PanelError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sites.vcf");
        std::fs::write(&path, text).unwrap();
        SiteList::read(&path, policy)
    }

    fn file(records: &[&str]) -> String {
        let lines = std::iter::once(HEAD).chain(records.iter().copied());
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    #[test]
    fn files_without_samples_and_indexes_have_the_sites_of_the_panel() {
        let alone = read(&file(&RECORDS), Policy::Refuse).unwrap();
        assert_eq!(alone.window(1, 2).unwrap(), [Site::new(5, "A", "C"), Site::new(5, "A", "G")]);
        let calls = RECORDS.map(|record| format!("{record}\tGT\t0|1\n")).concat();
        let text = format!("{HEAD}\tFORMAT\tme\n{calls}");
        assert_eq!(read(&text, Policy::Refuse).unwrap(), alone);

        let folder = tempfile::tempdir().unwrap();
        let mut panel = Panel::new("20", 1).unwrap();
        alone.sites.iter().for_each(|&site| panel.push_site(site, &[true]).unwrap());
        panel.write(&folder.path().join("panel")).unwrap();
        assert_eq!(SiteList::read(&folder.path().join("panel"), Policy::Refuse).unwrap(), alone);
        for (start, letters) in [(2, 2), (3, 1), (0, 0), (usize::MAX, 2)] {
            let refused = alone.window(start, letters);
            assert!(matches!(refused, Err(PanelError::Window { sites: 3, .. })), "{start}");
        }
    }

    #[test]
    fn files_that_list_no_sites_of_one_chromosome_are_refused() {
        let refused = |records: &[&str]| read(&file(records), Policy::Refuse).unwrap_err().to_string();
        let [first, second, _] = RECORDS;
        let three = "20\t4\t.\tA\tC,G\t.\t.\t.";
        assert!(refused(&[]).contains("sites.vcf holds no sites"));
        assert!(refused(&[second, first]).contains("position 3 follows position 5"));
        assert!(refused(&[first, &second.replace("20\t", "21\t")]).contains("chromosome 21"));
        assert!(refused(&[first, three]).contains("not biallelic"));
        let skipped = read(&file(&[first, three, second]), Policy::Skip).unwrap();
        assert_eq!(skipped.window(0, 2).unwrap(), [Site::new(3, "A", "C"), Site::new(5, "A", "C")]);
        assert!(skipped.window(0, 3).is_err() && skipped.skipped() == 1);
    }

    #[test]
    fn another_chromosome_site_or_order_has_another_digest() {
        let list = read(&file(&RECORDS), Policy::Refuse).unwrap();
        let sites = list.window(0, 3).unwrap();
        let digest = SitesDigest::of("20", sites);
        assert_eq!(SitesDigest::parse(&digest.to_string()), Some(digest));
        let [a, b, c] = sites else { panic!("three sites") };
        let others = [
            SitesDigest::of("21", sites),
            SitesDigest::of("20", &[*a, *b]),
            SitesDigest::of("20", &[*a, *c, *b]),
            SitesDigest::of("20", &[*a, *b, *b]),
            SitesDigest::of("20", &[*a, *b, Site { position: 6, ..*c }]),
        ];
        assert!(others.iter().all(|other| *other != digest));
        assert_eq!(repeated_site(sites), None);
        assert_eq!(repeated_site(&[*a, *b, *a]), Some(*a));
    }
}
