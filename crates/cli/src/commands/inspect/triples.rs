//! Folders of triples, and their manifests.

use asanoha::mpc::store::Manifest;
use serde::Serialize;

use super::about::{About, seeded_line};
use crate::{commands::triples::security_lines, report::Report};

#[derive(Debug, Serialize)]
struct TriplesReport<'a> {
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    manifest: &'a Manifest,
    mac_security_bits: u64,
}

pub(super) fn inspect(about: About, manifest: &Manifest) -> Report {
    let mut lines = about.lines();
    lines
        .line(
            "triples",
            format_args!(
                "{} of {}, modulo a prime of {} bits, for {} parties",
                manifest.count,
                manifest.shape,
                manifest.modulus.bits(),
                manifest.parties
            ),
        )
        .line("blocks", format_args!("{} of up to {} triples", manifest.blocks(), manifest.block_size))
        .line("generator", &manifest.generator);
    security_lines(&mut lines, manifest);
    seeded_line(&mut lines, manifest.seeded);
    let mac_security_bits = manifest.mac_security_bits();
    Report::new(&TriplesReport { about, manifest, mac_security_bits }, lines.text())
}
