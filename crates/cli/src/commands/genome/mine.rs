//! The haplotypes that are asked for.

use asanoha::genome::panel::{Haplotype, Site, SitesDigest, letters_at};

use crate::{args::QueryArgs, error::Failure};

/// The haplotypes that are asked for.
pub(super) struct Mine {
    pub(super) haplotypes: Vec<Haplotype>,
    /// The number of the first of them among all haplotypes of the file. The others follow it.
    pub(super) first: usize,
    /// The digest of the sites of their letters.
    pub(super) digest: SitesDigest,
}

/// The haplotypes that are asked for, with their letters at sites of the panel's chromosome: a file may hold a whole genome.
pub(super) fn read_mine(args: &QueryArgs, chromosome: &str, sites: &[Site]) -> Result<Mine, Failure> {
    let digest = SitesDigest::of(chromosome, sites);
    let mut all = letters_at(&args.vcf, chromosome, sites)?;
    let Some(asked) = args.haplotype else { return Ok(Mine { haplotypes: all, first: 0, digest }) };
    if asked >= all.len() {
        let (file, there) = (args.vcf.display(), all.len());
        return Err(Failure::bad_input(format!(
            "{file}: it has {there} haplotypes at these sites, counted from 0, and no haplotype {asked}: take --haplotype 0 to {}, or leave it out for all",
            there.saturating_sub(1)
        )));
    }
    Ok(Mine { haplotypes: vec![all.swap_remove(asked)], first: asked, digest })
}
