//! The sites at which a client's file is read: those that its user agrees to, not those that a server chooses.

use std::{
    fmt,
    io::{BufRead, IsTerminal, Write},
    path::Path,
};

use asanoha::{
    genome::panel::{Site, SiteList, SitesDigest, repeated_site},
    lattice::write_atomically,
};

use crate::{
    args::QueryArgs,
    error::Failure,
    files::{read_small, unwritable},
};

/// The file of accepted sites in a folder of keys: a line for each digest.
const RECORD: &str = "accepted-sites";
/// The first word of its lines.
const MAGIC: &str = "asagacc1";

/// The sites that a server asks for.
pub(super) struct Asked<'a> {
    url: &'a str,
    chromosome: &'a str,
    sites: &'a [Site],
    digest: SitesDigest,
}

/// Their number and region.
impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, [first, last]) = (self.sites.len(), self.region());
        write!(f, "{count} sites of chromosome {}, base pairs {first} to {last}", self.chromosome)
    }
}

impl<'a> Asked<'a> {
    pub(super) fn new(url: &'a str, chromosome: &'a str, sites: &'a [Site]) -> Self {
        Self { url, chromosome, sites, digest: SitesDigest::of(chromosome, sites) }
    }

    /// The first and the last base pair.
    fn region(&self) -> [u64; 2] {
        [self.sites.first(), self.sites.last()].map(|site| site.map_or(0, |site| site.position))
    }

    /// Refuses sites that the user has not agreed to. Returns whether the user has just accepted them.
    pub(super) fn check(&self, args: &QueryArgs, trusted: Option<&SiteList>) -> Result<bool, Failure> {
        if let Some((file, list)) = args.sites.as_deref().zip(trusted) {
            let window = list.window(args.start, args.length)?;
            return self.check_list(args, file, list.chromosome(), window).map(|()| false);
        }
        let vcf = args.vcf.display();
        if let Some(Site { position, .. }) = repeated_site(self.sites) {
            return Err(self.refusal(Failure::check, &format!(
                "the server asks twice for one site, base pair {position} of chromosome {}: {vcf} was not read; if the panel has that site twice, give its sites by --sites FILE",
                self.chromosome
            )));
        }
        match args.accept_sites {
            Some(accepted) if accepted == self.digest => return Ok(true),
            Some(_) => {
                return Err(self.refusal(Failure::check, &format!(
                    "the server asks for {self}, of digest {}, and --accept-sites names another digest: {vcf} was not read; ask the server's operator for the right one",
                    self.digest
                )));
            }
            None => {}
        }
        if args.keys.as_deref().is_some_and(|folder| self.is_recorded(folder)) {
            return Ok(false);
        }
        let (input, mut output) = (std::io::stdin(), std::io::stderr());
        if input.is_terminal() && output.is_terminal() && self.prompt(args, &mut input.lock(), &mut output) {
            return Ok(true);
        }
        Err(self.refusal(Failure::bad_input, &format!(
            "the server asks for {self}: if {vcf} may be read there, add --accept-sites {}, or give the sites by --sites FILE",
            self.digest
        )))
    }

    /// Refuses other sites than those of a list that the user trusts.
    fn check_list(
        &self,
        args: &QueryArgs,
        file: &Path,
        chromosome: &str,
        window: &[Site],
    ) -> Result<(), Failure> {
        if SitesDigest::of(chromosome, window) == self.digest {
            return Ok(());
        }
        let difference = if chromosome == self.chromosome {
            let at = window.iter().zip(self.sites).take_while(|(own, asked)| own == asked).count();
            let [own, asked] =
                [window, self.sites].map(|sites| sites.get(at).map_or(0, |site| site.position));
            let what = if own == asked { "with other REF and ALT" } else { "elsewhere in the file" };
            format!("at site {} (base pair {asked}, {what})", args.start + at)
        } else {
            format!("in the chromosome ({}, and {chromosome} in the file)", self.chromosome)
        };
        let [file, vcf] = [file, args.vcf.as_path()].map(Path::display);
        Err(self.refusal(Failure::check, &format!(
            "the server's sites differ from those of {file} {difference}: {vcf} was not read; give the list of this server's panel"
        )))
    }

    fn refusal(&self, failure: fn(String) -> Failure, message: &str) -> Failure {
        let [first, last] = self.region();
        failure(format!("{}: {message}", self.url))
            .figure("sites", self.sites.len())
            .figure("chromosome", self.chromosome)
            .figure("first_position", first)
            .figure("last_position", last)
            .figure("digest", self.digest.to_string())
    }

    /// Shows the sites and returns whether the user accepts them.
    fn prompt(&self, args: &QueryArgs, input: &mut impl BufRead, output: &mut impl Write) -> bool {
        let Self { url, digest, .. } = self;
        let text = format!(
            "{url} asks for {self}, of digest {digest}.\nMay {} be read there? (yes or no) ",
            args.vcf.display()
        );
        let mut answer = String::new();
        let asked = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        asked.and_then(|()| input.read_line(&mut answer)).is_ok() && ["y", "yes"].contains(&answer.trim())
    }

    fn is_recorded(&self, folder: &Path) -> bool {
        let record = read_small(&folder.join(RECORD)).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let start = self.record_start();
        record.is_some_and(|record| record.lines().any(|line| line.starts_with(&start)))
    }

    fn record_start(&self) -> String {
        format!("{MAGIC} {} ", self.digest)
    }

    /// Keeps the acceptance in a folder of keys, for later calls.
    pub(super) fn record(&self, folder: &Path) -> Result<(), Failure> {
        if self.is_recorded(folder) {
            return Ok(());
        }
        let path = folder.join(RECORD);
        let mut record = if path.exists() { read_small(&path)? } else { Vec::new() };
        record.extend(format!("{}{self}\n", self.record_start()).into_bytes());
        write_atomically(&path, true, |file| file.write_all(&record))
            .map_err(|error| unwritable(&path, error))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: QueryArgs,
    }

    #[test]
    fn only_yes_accepts_what_the_prompt_shows() {
        let line = "query --server http://127.0.0.1:1 --vcf me.vcf --start 0 --length 2";
        let Line { args } = Line::parse_from(line.split(' '));
        let sites = [Site::new(466, "A", "C"), Site::new(485, "A", "C")];
        let asked = Asked::new("http://127.0.0.1:1", "20", &sites);
        for (typed, accepts) in [
            ("yes\n", true),
            ("y\r\n", true),
            ("", false),
            ("\n", false),
            ("no\n", false),
            ("yesno\n", false),
        ] {
            let mut shown = Vec::new();
            assert_eq!(asked.prompt(&args, &mut typed.as_bytes(), &mut shown), accepts, "{typed:?}");
            let shown = String::from_utf8(shown).unwrap();
            assert!(shown.contains("2 sites of chromosome 20, base pairs 466 to 485, of digest"), "{shown}");
            assert!(shown.contains(&asked.digest.to_string()) && shown.contains("me.vcf"), "{shown}");
        }
    }
}
