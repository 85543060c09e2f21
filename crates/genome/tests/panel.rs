//! Panels: their files, and their matches two ways.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use asanoha_genome::{
    Panel, PanelError,
    panel::{
        Haplotype, Interval, Pbwt, Place, Policy, RandomPanel, Sample, Site, Unusable, Variants, letters_at,
        longest_from, set_maximal,
    },
};
use asanoha_ring::{Sampler, Seed};
use noodles_bcf as bcf;
use noodles_bgzf as bgzf;
use noodles_vcf::{self as vcf, variant::io::Write as _};

pub(crate) const HEADER: &str = "##fileformat=VCFv4.2\n##contig=<ID=20>\n##contig=<ID=21>\n\
    ##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n\
    #CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n";

fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/genome/small.vcf")
}

pub(crate) fn record(position: usize, alternate: &str, genotypes: &str) -> String {
    format!("20\t{position}\t.\tA\t{alternate}\t.\tPASS\t.\tGT\t{genotypes}\n")
}

pub(crate) fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

pub(crate) fn read_bytes(bytes: &[u8], policy: Policy) -> Result<Variants, PanelError> {
    Variants::read(file_of(bytes).path(), policy)
}

/// The same variants as bgzipped VCF and as BCF.
pub(crate) fn recoded(text: &str) -> [Vec<u8>; 2] {
    let mut zipped = bgzf::io::Writer::new(Vec::new());
    zipped.write_all(text.as_bytes()).unwrap();
    let mut reader = vcf::io::Reader::new(text.as_bytes());
    let header = reader.read_header().unwrap();
    let mut writer = bcf::io::Writer::new(Vec::new());
    writer.write_variant_header(&header).unwrap();
    for record in reader.records() {
        writer.write_variant_record(&header, &record.unwrap()).unwrap();
    }
    [zipped.finish().unwrap(), writer.into_inner().finish().unwrap()]
}

fn random(seed: u8, haplotypes: usize, sites: usize) -> Panel {
    let shape = RandomPanel { haplotypes, sites, recombination: 0.05, mutation: 0.03 };
    shape.generate(&Seed([seed; 32])).unwrap()
}

/// A mosaic of the panel's haplotypes, so that it has long matches, with a few letters changed.
fn query(panel: &Panel, seed: u8) -> Vec<bool> {
    let words = Sampler::new(&Seed([seed ^ 0x55; 32])).uniform(2 * panel.sites());
    let mut haplotype = 0;
    let letter = |(site, words): (usize, &[u64])| {
        if words[0] % 11 == 0 {
            haplotype = words[0] as usize / 11 % panel.haplotypes();
        }
        panel.allele(site, haplotype) ^ (words[1] % 23 == 0)
    };
    words.chunks_exact(2).enumerate().map(letter).collect()
}

#[test]
fn vcf_bgzipped_vcf_and_bcf_give_the_same_panel() {
    let text = std::fs::read_to_string(small()).unwrap();
    let plain = Variants::read(&small(), Policy::Refuse).unwrap();
    let panel = &plain.panel;
    assert_eq!((panel.haplotypes(), panel.sites(), panel.chromosome()), (40, 64, "20"));
    let sample = Sample { name: "sample3".to_owned(), haplotypes: 2, doubled: 0 };
    assert_eq!((plain.samples.len(), &plain.samples[3], plain.skipped), (20, &sample, 0));
    // Every letter, taken from the text by hand.
    let records = text.lines().filter(|line| !line.starts_with('#'));
    for (site, line) in records.enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(panel.positions()[site], fields[1].parse::<u64>().unwrap());
        for haplotype in 0..40 {
            let letter = fields[9 + haplotype / 2].as_bytes()[haplotype % 2 * 2];
            assert_eq!(panel.allele(site, haplotype), letter == b'1', "{site} {haplotype}");
        }
    }
    for bytes in recoded(&text) {
        let other = read_bytes(&bytes, Policy::Refuse).unwrap();
        assert_eq!((&other.panel, &other.samples), (panel, &plain.samples));
    }
}

#[test]
fn records_that_a_panel_does_not_take_are_refused_by_name_or_skipped() {
    let good = record(10, "C", "0|1\t1|1");
    for (bad, expected) in [
        (record(11, "C,G", "0|1\t2|1"), Unusable::NotBiallelic),
        (record(11, ".", "0|0\t0|0"), Unusable::NotBiallelic),
        (record(11, "C", "0/1\t1|1"), Unusable::NotPhased),
        (record(11, "C", "0|1\t0|0|1"), Unusable::Polyploid),
        (record(11, "C", ".|1\t0|0"), Unusable::MissingAllele),
        (record(11, "C", "0|1\t.|."), Unusable::MissingAllele),
        (record(11, "C", "0|2\t0|0"), Unusable::UnknownAllele),
        (record(11, "C", "0|1\t0|0").replace("GT", "DS"), Unusable::NoGenotypes),
    ] {
        let text = format!("{HEADER}{good}{bad}{}", record(12, "T", "0|0\t0|1"));
        let error = read_bytes(text.as_bytes(), Policy::Refuse).unwrap_err();
        let PanelError::Record { record: Place { record: 2, line }, place, what, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((*line, place.as_str(), *what), (Some(HEADER.lines().count() + 2), "20:11", expected));
        if !matches!(expected, Unusable::NotBiallelic) && !text.contains("DS") {
            assert!(error.to_string().contains(", GT of "), "{error}");
        }
        let skipped = read_bytes(text.as_bytes(), Policy::Skip).unwrap();
        assert_eq!((skipped.skipped, skipped.panel.to_text().as_str()), (1, "00\n10\n10\n11\n"));
        assert_eq!(skipped.reasons, [(expected, 1)]);
    }
}

#[test]
fn unphased_genotypes_of_equal_alleles_are_those_of_both_haplotypes() {
    let text = format!("{HEADER}{}{}", record(10, "C", "0/0\t1|0"), record(12, "T", "1/1\t0/0"));
    for bytes in [text.clone().into_bytes()].into_iter().chain(recoded(&text)) {
        let read = read_bytes(&bytes, Policy::Refuse).unwrap();
        assert_eq!(read.panel.to_text(), "01\n01\n10\n00\n");
    }
}

/// The bytes at which the records of plain VCF end, and those of BCF that isn't compressed.
fn ends(text: &str, plain: &[u8]) -> [Vec<usize>; 2] {
    let header = text.lines().take_while(|line| line.starts_with('#')).map(|line| line.len() + 1).sum();
    let lines = text[header..].match_indices('\n').map(|(at, _)| header + at + 1);
    let word = |at: usize| u32::from_le_bytes(plain[at..at + 4].try_into().unwrap()) as usize;
    let mut at = 9 + word(5);
    let mut frames = Vec::new();
    while at < plain.len() {
        at += 8 + word(at) + word(at + 4);
        frames.push(at);
    }
    [lines.collect(), frames]
}

#[test]
fn files_cut_within_a_record_are_refused_whatever_is_skipped() {
    // The last record isn't taken, so that nothing of it is missed.
    let records =
        [record(10, "C", "0|1\t1|1"), record(12, "T", "0|0\t0|1"), record(15, "G,T", "0|2\t1|0")].concat();
    let text = format!("{HEADER}{records}");
    let [zipped, encoded] = recoded(&text);
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut bgzf::io::Reader::new(&encoded[..]), &mut plain).unwrap();
    let [lines, frames] = ends(&text, &plain);
    for (bytes, ends) in
        [(text.as_bytes(), &lines), (&plain, &frames), (&zipped, &vec![]), (&encoded, &vec![])]
    {
        for at in 0..bytes.len() {
            let read = read_bytes(&bytes[..at], Policy::Skip);
            assert_eq!(read.is_ok(), ends.contains(&at), "{at} of {} bytes", bytes.len());
        }
        assert_eq!(read_bytes(bytes, Policy::Skip).unwrap().skipped, 1);
    }
    // A line end after what is left doesn't make it whole.
    for at in lines[1] + 1..lines[2] {
        if let Ok(read) = read_bytes(format!("{}\n", &text[..at]).as_bytes(), Policy::Skip) {
            assert_eq!(text[lines[1]..at].matches('\t').count(), 10, "{at}");
            assert_eq!(read.skipped, 1);
        }
    }
}

#[test]
fn text_cut_within_a_line_is_refused() {
    let text = "0110\n1110\n0011\n";
    for at in 0..text.len() {
        let is_line = at > 0 && at % 5 == 0 || at % 5 == 4 && at > 5;
        assert_eq!(Panel::from_text(&text[..at]).is_ok(), is_line, "{at}");
    }
    let message = Panel::from_text("01 \t").unwrap_err().to_string();
    assert!(message.contains("cut short"), "{message}");
    assert_eq!(Panel::from_text("\n01\n \t").unwrap().sites(), 2);
}

/// A folder of small files of the kinds that people publish.
fn field(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field").join(name)
}

#[test]
fn a_whole_genome_is_asked_within_a_window_and_whatever_lies_outside_is_passed_over() {
    // Header lines are repeated, as programs do that append theirs.
    let panel = Variants::read(&field("panel.vcf"), Policy::Refuse).unwrap().panel;
    assert_eq!((panel.haplotypes(), panel.sites(), panel.chromosome()), (8, 12, "20"));
    // Another chromosome, unphased calls of equal alleles, a record without another allele and calls, a haploid call.
    let sites = panel.window_sites(0, 12).unwrap();
    let me = letters_at(&field("genome-me.vcf"), "20", &sites).unwrap();
    assert_eq!((me.len(), me[1].sample.as_str(), me[1].which), (2, "me", 2));
    let longest = longest_from(&panel, &me[0].letters, 0).unwrap();
    assert_eq!((longest.length, longest.references.len()), (9, 1));
    let other = letters_at(&field("genome-me.vcf"), "21", &sites).unwrap_err();
    assert!(matches!(other, PanelError::OtherChromosome { .. }), "{other}");
}

/// The letters of the haplotypes of a file with some records, at sites.
fn letters(records: &str, sites: &[(u64, &str, &str)]) -> Result<Vec<String>, PanelError> {
    let file = file_of(format!("{HEADER}{records}").as_bytes());
    let sites: Vec<Site> = sites
        .iter()
        .map(|(position, reference, alternate)| Site::new(*position, reference, alternate))
        .collect();
    let text = |haplotype: Haplotype| {
        haplotype.letters.into_iter().map(|letter| if letter { '1' } else { '0' }).collect()
    };
    Ok(letters_at(file.path(), "20", &sites)?.into_iter().map(text).collect())
}

fn same(one: &str, times: usize) -> Vec<String> {
    vec![one.to_owned(); times]
}

#[test]
fn calls_of_every_kind_tell_letters() {
    let at = [(10, "A", "C"), (12, "A", "T")];
    let found = |first: &str, second: &str| letters(&format!("{first}{second}"), &at).unwrap();
    let second = record(12, "T", "0/0\t1/1");
    // Unphased calls of equal alleles.
    assert_eq!(found(&record(10, "C", "1/1\t0/0"), &second), ["10", "10", "01", "01"]);
    // No alternate allele, or only a symbol of one.
    for reference in [".", "<NON_REF>", "<*>", "*"] {
        let first = record(10, reference, "0|0\t0/0");
        assert_eq!(found(&first, &second), ["00", "00", "01", "01"], "{reference}");
    }
    // Several alternate alleles, one of them the site's.
    let several = record(10, "G,C,<NON_REF>", "2|0\t0/0");
    assert_eq!(found(&several, &second), ["10", "00", "01", "01"]);
    // One copy of the chromosome.
    let (first, second) = (record(10, "C", "1\t0|1"), record(12, "T", "0\t1/1"));
    assert_eq!(found(&first, &second), ["10", "01", "11"]);
    assert_eq!(found(&first.replace("0|1", "1"), &second.replace("1/1", "0")), same("10", 2));
}

#[test]
fn nothing_outside_of_the_window_is_looked_at() {
    let inside = [record(10, "C", "0|1\t1|1"), record(12, "T", "0|0\t0|1")].concat();
    let at = [(10, "A", "C"), (12, "A", "T")];
    let expected = letters(&inside, &at).unwrap();
    for outside in [
        record(9, "C", "./.\t0/1"),
        record(11, ".", ".\t0|0|1"),
        record(11, "C,G", "1|2\t0|3"),
        record(15, "T", "0/1\t0/1").replace("GT", "DS"),
        record(10, "C", "0/1\t./.").replace("20\t", "X\t"),
        // Not in order, which only a panel has to be.
        record(3, "C", "0|1\t0|1"),
    ] {
        assert_eq!(letters(&format!("{outside}{inside}"), &at).unwrap(), expected, "{outside}");
        assert_eq!(letters(&format!("{inside}{outside}"), &at).unwrap(), expected, "{outside}");
    }
}

#[test]
fn what_tells_no_letter_within_the_window_is_refused_with_line_and_sample() {
    let at = [(10, "A", "C"), (12, "A", "T")];
    let second = record(12, "T", "0|0\t0|1");
    for (first, expected) in [
        (record(10, "C", "0|1\t0/1"), Unusable::NotPhased),
        (record(10, "C", "0|1\t.|1"), Unusable::MissingAllele),
        (record(10, "C,G", "0|1\t2|1"), Unusable::UnknownAllele),
        (record(10, ".", "0|0\t0|1"), Unusable::UnknownAllele),
        (record(10, "C", "0|1\t0|1|1"), Unusable::Polyploid),
    ] {
        let error = letters(&format!("{first}{second}"), &at).unwrap_err();
        let PanelError::Record { record, sample, what, .. } = &error else { panic!("{error}") };
        let line = HEADER.lines().count() + 1;
        assert_eq!((record.line, *what), (Some(line), expected), "{error}");
        assert_eq!(sample.as_deref(), HEADER.trim_end().rsplit('\t').next(), "{error}");
    }
    for (records, found) in [
        (second.clone(), 0),
        (format!("{}{second}", record(10, "G", "0|1\t0|1")), 0),
        (format!("{}{second}", record(11, "C", "0|1\t0|1")), 0),
    ] {
        let error = letters(&records, &at).unwrap_err();
        assert!(
            matches!(error, PanelError::OtherSites { position: 10, found: there, expected: 1 } if there == found),
            "{error}"
        );
    }
}

#[test]
fn a_window_may_begin_and_end_between_records_of_one_site() {
    let [first, second] = [record(10, "C", "0|1\t1|1"), record(10, "C", "1|0\t1|1")];
    let [third, fourth] = [record(12, "T", "0|0\t0|1"), record(12, "T", "1|1\t0|1")];
    let all = [first.clone(), second, third, fourth].concat();
    let (c, t) = ((10, "A", "C"), (12, "A", "T"));
    assert_eq!(letters(&all, &[c, c, t, t]).unwrap(), ["0101", "1001", "1100", "1111"]);
    // The window's sites are those nearest to its inside.
    assert_eq!(letters(&all, &[c, t]).unwrap(), ["10", "00", "10", "11"]);
    assert_eq!(letters(&all, &[c, c, t]).unwrap(), ["010", "100", "110", "111"]);
    // A window of one such site alone may be of either.
    let refused = letters(&all, &[c]).unwrap_err();
    assert!(matches!(refused, PanelError::OtherSites { found: 2, expected: 1, .. }), "{refused}");
    let alike = format!("{first}{first}");
    assert_eq!(letters(&alike, &[c]).unwrap(), ["0", "1", "1", "1"]);
    // One record doesn't stand for two sites.
    let refused = letters(&first, &[c, c]).unwrap_err();
    assert!(matches!(refused, PanelError::OtherSites { found: 1, expected: 2, .. }), "{refused}");
}

#[test]
fn headers_are_read_as_other_programs_read_them() {
    let records = [record(10, "C", "0|1\t1|1"), record(12, "T", "0|0\t0|1")].concat();
    let (version, names) = HEADER.split_once('\n').unwrap();
    let names = names.lines().last().unwrap();
    let plain = read_bytes(format!("{HEADER}{records}").as_bytes(), Policy::Refuse).unwrap();
    for lines in [
        "##GATKCommandLine=<ID=SelectVariants,Version=\"4.1\">\n##GATKCommandLine=<ID=SelectVariants,Version=\"4.2\">",
        "##contig=<ID=20,length=64444167>\n##contig=<ID=20,length=64444167>",
        "##INFO=<ID=AC,Number=A,Type=Integer>",
        "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"a \"quoted\" word\">",
        "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"one\">\n##INFO=<ID=AC,Number=1,Type=String,Description=\"two\">",
        "##FILTER=<ID=PASS,Description=\"All filters passed\">\n##FILTER=<ID=PASS,Description=\"All filters passed\">",
        "##bcftools_viewCommand=view -r 20; Date=Mon\n##bcftools_viewCommand=view -s a; Date=Tue",
        "##reference=file:///a b/hg38.fa\n##source=\n##nothing",
        "##FORMAT=<ID=GT,Number=1,Type=String>\n##FORMAT=<ID=DP,Number=.,Type=Integer,Description=\"\">",
        "##ALT=<ID=NON_REF,Description=\"Any\">\n##SAMPLE=<ID=a>\n##PEDIGREE=<ID=b>\n##META=<ID=c>",
    ] {
        let text = format!("{version}\n{lines}\n{names}\n{records}");
        let read =
            read_bytes(text.as_bytes(), Policy::Refuse).unwrap_or_else(|error| panic!("{lines}: {error}"));
        assert_eq!(read.panel, plain.panel, "{lines}");
    }
    // Blank lines at the end, and none elsewhere.
    for blank in ["\n", "\r\n", "\n\n \n"] {
        let read = read_bytes(format!("{HEADER}{records}{blank}").as_bytes(), Policy::Refuse).unwrap();
        assert_eq!(read.panel, plain.panel);
        let between = format!("{HEADER}{blank}{records}");
        assert!(read_bytes(between.as_bytes(), Policy::Refuse).is_err());
    }
}

#[test]
fn files_that_are_no_variants_are_errors_that_say_where() {
    let good = record(10, "C", "0|1\t1|1");
    let refused = |bytes: &[u8]| read_bytes(bytes, Policy::Skip).unwrap_err().to_string();
    assert!(refused(b"").contains("header"));
    assert!(refused(b"\x1f\x8b garbage").contains("bgzipped"));
    let [zipped, encoded] = recoded(&format!("{HEADER}{good}"));
    for bytes in [zipped, encoded] {
        assert!(refused(&bytes[..bytes.len() - 1]).contains("cut short"));
    }
    assert!(refused(HEADER.as_bytes()).contains("no sites"));
    assert!(refused(format!("{HEADER}{good}rubbish\n").as_bytes()).contains("line 7"));
    let falling = record(9, "C", "0|1\t1|1");
    assert!(refused(format!("{HEADER}{good}{falling}").as_bytes()).contains("sort"));
    let elsewhere = good.replace("20\t", "21\t");
    assert!(refused(format!("{HEADER}{good}{elsewhere}").as_bytes()).contains("one chromosome"));
    let few = record(11, "C", "0|1");
    assert!(
        refused(format!("{HEADER}{good}{few}").as_bytes()).contains("10 fields, and the header names 11")
    );
    assert!(matches!(Variants::read(Path::new("nowhere"), Policy::Skip), Err(PanelError::Read { .. })));
}

/// No change of a byte panics, whatever is read then, and lengths are believed only as far as there are bytes.
#[test]
fn damaged_files_are_errors_or_other_panels_but_never_panics() {
    let text = format!("{HEADER}{}{}", record(10, "C", "0|1\t1|1"), record(12, "T", "0|0\t0|1"));
    let [zipped, encoded] = recoded(&text);
    let plain = {
        let mut reader = bgzf::io::Reader::new(&encoded[..]);
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap();
        bytes
    };
    let mut panels = 0;
    for bytes in [text.into_bytes(), zipped, plain] {
        for at in 0..bytes.len() {
            for change in [1, 2, 16, 128, 255] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                panels += usize::from(read_bytes(&changed, Policy::Skip).is_ok());
            }
            panels += usize::from(read_bytes(&bytes[..at], Policy::Refuse).is_ok());
        }
    }
    assert!(panels > 0);
}

#[test]
fn text_is_a_panel_and_back_and_other_text_is_refused_by_line() {
    let panel = random(1, 70, 30);
    assert_eq!(Panel::from_text(&panel.to_text()).unwrap().to_text(), panel.to_text());
    for (text, part) in [("", "no sites"), ("01\n02", "line 2"), ("01\n\n011", "line 3"), ("0é", "line 1")] {
        assert!(Panel::from_text(text).unwrap_err().to_string().contains(part), "{text}");
    }
    for name in ["", "a\tb", &"x".repeat(256)] {
        assert!(matches!(Panel::new(name, 1), Err(PanelError::Name(_))));
    }
    for haplotypes in [0, (1 << 16) + 1] {
        assert!(matches!(Panel::new("1", haplotypes), Err(PanelError::Haplotypes(_))));
    }
    assert!(matches!(Panel::new("1", 3).unwrap().push(0, &[true]), Err(PanelError::Alleles { .. })));
}

#[test]
fn the_transform_finds_what_the_definition_does() {
    for seed in 0..100 {
        let (haplotypes, sites) = (1 + usize::from(seed) * 7 % 90, 20);
        let panel = random(seed, haplotypes, sites);
        let letters = query(&panel, seed);
        for window in [0..sites, 5..sites, 3..4, 7..15] {
            let pbwt = Pbwt::new(&panel, window.clone()).unwrap();
            let query = &letters[window.clone()];
            let longest = longest_from(&panel, query, window.start).unwrap();
            assert_eq!(pbwt.longest(query), (longest.length, longest.references.len()), "seed {seed}");
            // The haplotypes of an interval after the last site, by their names.
            let mut interval = pbwt.all();
            for (site, letter) in panel.letters(0, window.clone()).into_iter().enumerate() {
                interval = pbwt.extend(interval, site, letter);
            }
            let Interval { start, end } = interval;
            let mut names: Vec<usize> = pbwt.order()[start..end].iter().map(|&name| name as usize).collect();
            names.sort_unstable();
            let equal = longest_from(&panel, &panel.letters(0, window.clone()), window.start).unwrap();
            assert_eq!(names, equal.references);
        }
    }
}

#[test]
fn distinct_haplotypes_stand_for_all_equal_ones() {
    for seed in 0..50 {
        let panel = random(seed, 60, 12);
        for window in [0..12, 4..9, 11..12] {
            let classes = Pbwt::new(&panel, window.clone()).unwrap().distinct();
            let mut expected = std::collections::BTreeMap::new();
            for haplotype in 0..60 {
                *expected.entry(panel.letters(haplotype, window.clone())).or_insert(0) += 1;
            }
            let found = classes.iter().map(|&(name, count)| (panel.letters(name, window.clone()), count));
            assert_eq!(found.collect::<std::collections::BTreeMap<_, _>>(), expected, "seed {seed}");
            assert_eq!(classes.len(), expected.len());
        }
    }
}

/// By trying all stretches of all haplotypes.
#[test]
fn set_maximal_matches_are_those_that_no_other_contains() {
    for seed in 0..30 {
        let panel = random(seed, 1 + usize::from(seed), 14);
        let letters = query(&panel, seed);
        let agrees =
            |name: usize, start: usize, end: usize| panel.letters(name, start..end) == letters[start..end];
        let mut stretches = Vec::new();
        for start in 0..14 {
            for end in start + 1..=14 {
                stretches.extend(
                    (0..panel.haplotypes())
                        .filter(|&name| agrees(name, start, end))
                        .map(|name| (start, end, name)),
                );
            }
        }
        let contained = |&(start, end, _): &(usize, usize, usize)| {
            stretches.iter().any(|&(s, e, _)| s <= start && e >= end && (s, e) != (start, end))
        };
        let expected: Vec<_> = stretches.iter().filter(|stretch| !contained(stretch)).copied().collect();
        let found = set_maximal(&panel, &letters, 0).unwrap();
        let found: Vec<_> = found.iter().map(|found| (found.start, found.end, found.reference)).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn shards_have_the_letters_of_their_haplotypes() {
    let shape = RandomPanel { haplotypes: 200, sites: 7, recombination: 0.1, mutation: 0.3 };
    let panel = shape.generate(&Seed([6; 32])).unwrap();
    for (start, end) in
        [(0, 200), (0, 1), (199, 200), (0, 64), (64, 128), (63, 129), (1, 65), (5, 69), (127, 200)]
    {
        let shard = panel.shard(start..end);
        assert_eq!((shard.haplotypes(), shard.sites()), (end - start, panel.sites()));
        assert_eq!((shard.chromosome(), shard.positions()), (panel.chromosome(), panel.positions()));
        for haplotype in 0..shard.haplotypes() {
            assert_eq!(
                shard.letters(haplotype, 0..7),
                panel.letters(start + haplotype, 0..7),
                "{start}..{end}"
            );
        }
        // No stray bits of other haplotypes.
        assert_eq!(Panel::of_bytes(&shard.to_bytes()).unwrap(), shard);
    }
    let mut bytes = panel.to_bytes();
    bytes[40] ^= 1;
    assert!(Panel::of_bytes(&bytes).unwrap_err().to_string().contains("the bytes of a panel: its digest"));
    assert!(Panel::of_bytes(&[]).is_err());
}
