//! Panels of haplotypes.

use std::path::Path;

use serde::Serialize;

use super::{
    about::{About, PANEL},
    start::read_start,
};
use crate::{
    error::{Failure, Place},
    report::Report,
};

#[derive(Debug, Serialize)]
struct PanelReport<'a> {
    #[serde(flatten)]
    about: About,
    chromosome: &'a str,
    haplotypes: u64,
    sites: u64,
}

/// Reads the header of a panel (crate `asanoha-genome`, `panel/index.rs`): eight bytes, three words, the chromosome's name.
pub(super) fn inspect(path: &Path, bytes: u64) -> Result<Report, Failure> {
    const WORDS: usize = 32;
    let damaged = |what: &str| {
        Failure::bad_input(format!("{}: {what}", path.display())).at(Place::file(path.display()))
    };
    let header = read_start(path, WORDS as u64 + 255)?;
    if !header.starts_with(b"asagpan2") {
        return Err(damaged("a panel of another version: make it again with `asanoha genome index`"));
    }
    let word = |at: usize| {
        let bytes = header.get(8 * at..8 * at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    };
    let cut = || damaged("a panel that is cut short or damaged");
    let (Some(haplotypes), Some(sites), Some(length)) = (word(1), word(2), word(3)) else {
        return Err(cut());
    };
    let name = usize::try_from(length).ok().and_then(|length| header.get(WORDS..)?.get(..length));
    let chromosome = name.and_then(|name| std::str::from_utf8(name).ok()).ok_or_else(cut)?;
    // A position, a variant and a bit for each haplotype at every site; a digest at the end.
    let words = u128::from(sites) * (2 + u128::from(haplotypes.div_ceil(64)));
    if u128::from(bytes) != WORDS as u128 + u128::from(length) + 8 * words + 32 {
        return Err(cut());
    }
    let about = About::new(PANEL, bytes);
    let mut lines = about.lines();
    lines.line(
        "panel",
        format_args!("{haplotypes} haplotypes at {sites} sites of chromosome {}", chromosome.escape_debug()),
    );
    Ok(Report::new(&PanelReport { about, chromosome, haplotypes, sites }, lines.text()))
}
