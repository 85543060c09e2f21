//! Samples that are haploid at some sites or all.

use asanoha_genome::{
    Panel, PanelError,
    panel::{Policy, Sample, Site, SiteList, letters_at},
};
use asanoha_ring::Sampler;
use asanoha_ring::Seed;

use crate::panel::{HEADER, file_of, read_bytes, recoded, record};

#[test]
fn haploid_samples_of_a_panel_have_one_haplotype_throughout() {
    let text = format!("{HEADER}{}{}", record(10, "C", "1\t0|1"), record(12, "T", "0\t1|1"));
    for bytes in [text.clone().into_bytes()].into_iter().chain(recoded(&text)) {
        assert_eq!(read_bytes(&bytes, Policy::Refuse).unwrap().panel.to_text(), "10\n01\n11\n");
    }
}

/// Genotypes of a woman and a man of X, around an end of a pseudo-autosomal region.
const DIPLOID: [&str; 3] = ["0|1\t1|0", "1|1\t0|1", "0|0\t1|1"];
const HAPLOID: [&str; 4] = ["1|0\t1", "0|1\t0", "0/0\t1", "1|0\t0"];

/// Records of genotypes, in this order.
fn records(genotypes: &[&str]) -> String {
    let lines = genotypes.iter().zip(10..).map(|(genotypes, position)| record(position, "C", genotypes));
    lines.collect()
}

/// The lines of a panel's text, whose columns are the sites.
fn lines_of(columns: &[&str]) -> String {
    let line = |at: usize| columns.iter().map(|column| &column[at..=at]).collect::<String>() + "\n";
    (0..columns[0].len()).map(line).collect()
}

#[test]
fn a_sample_that_is_haploid_at_some_sites_only_has_two_equal_haplotypes_there() {
    let diploid = ["0110", "1101", "0011"];
    let haploid = ["1011", "0100", "0011", "1000"];
    for (genotypes, columns) in [
        ([&DIPLOID[..], &HAPLOID].concat(), [&diploid[..], &haploid].concat()),
        ([&HAPLOID[..], &DIPLOID].concat(), [&haploid[..], &diploid].concat()),
        (
            [&HAPLOID[..2], &DIPLOID, &HAPLOID[2..]].concat(),
            [&haploid[..2], &diploid, &haploid[2..]].concat(),
        ),
    ] {
        let text = format!("{HEADER}{}", records(&genotypes));
        for bytes in [text.clone().into_bytes()].into_iter().chain(recoded(&text)) {
            for policy in [Policy::Refuse, Policy::Skip] {
                let read = read_bytes(&bytes, policy).unwrap();
                assert_eq!((read.panel.to_text(), read.skipped), (lines_of(&columns), 0), "{genotypes:?}");
                let sample = |name: &str, doubled| Sample { name: name.to_owned(), haplotypes: 2, doubled };
                assert_eq!(read.samples, [sample("a", 0), sample("b", HAPLOID.len())]);
            }
        }
    }
}

/// The header of a file of samples s0, s1, …
fn header_of(samples: usize) -> String {
    let names: Vec<String> = (0..samples).map(|sample| format!("s{sample}")).collect();
    HEADER.replace("a\tb", &names.join("\t"))
}

#[test]
fn samples_may_turn_diploid_one_after_another_in_panels_of_any_width() {
    // Sample i is diploid from site 3·i on, sample 0 always, and every seventh sample never.
    let (samples, sites) = (101, 320);
    let is_diploid = |sample: usize, site: usize| sample % 7 != 6 && 3 * sample <= site;
    let words = Sampler::new(&Seed([3; 32])).uniform(samples * sites);
    let letter = |sample: usize, site: usize, which: usize| words[site * samples + sample] >> which & 1;
    let mut text = header_of(samples);
    for site in 0..sites {
        let genotype = |sample: usize| match [0, 1].map(|which| letter(sample, site, which)) {
            [a, b] if is_diploid(sample, site) => format!("{a}|{b}"),
            [a, _] => a.to_string(),
        };
        let genotypes: Vec<String> = (0..samples).map(genotype).collect();
        text.push_str(&record(10 + site, "C", &genotypes.join("\t")));
    }
    let read = read_bytes(text.as_bytes(), Policy::Refuse).unwrap();
    let mut haplotypes = 0;
    for (sample, found) in read.samples.iter().enumerate() {
        let is_haploid = sample % 7 == 6;
        let (count, doubled) = if is_haploid { (1, 0) } else { (2, 3 * sample) };
        assert_eq!(found, &Sample { name: format!("s{sample}"), haplotypes: count, doubled });
        for which in 0..count {
            for site in 0..sites {
                let which_there = if is_diploid(sample, site) { which } else { 0 };
                let expected = letter(sample, site, which_there) == 1;
                assert_eq!(read.panel.allele(site, haplotypes), expected, "{sample} {which} {site}");
            }
            haplotypes += 1;
        }
    }
    assert_eq!((read.panel.haplotypes(), read.panel.sites(), read.skipped), (haplotypes, sites, 0));
    assert_eq!(Panel::of_bytes(&read.panel.to_bytes()).unwrap(), read.panel);
}

#[test]
fn too_many_haplotypes_are_refused_when_samples_turn_diploid() {
    let samples = (1 << 15) + 3;
    let head = header_of(samples);
    let [haploid, diploid] = ["1", "1|0"].map(|genotype| vec![genotype; samples].join("\t"));
    let text = format!("{head}{}", record(10, "C", &haploid));
    assert_eq!(read_bytes(text.as_bytes(), Policy::Refuse).unwrap().panel.haplotypes(), samples);
    let text = format!("{text}{}", record(12, "C", &diploid));
    let refused = read_bytes(text.as_bytes(), Policy::Skip).unwrap_err();
    assert!(matches!(refused, PanelError::Haplotypes(found) if found == 2 * samples), "{refused}");
}

#[test]
fn a_list_of_sites_has_those_at_which_samples_are_haploid() {
    let bad = record(9, "C", "0/1\t1|1");
    let file = file_of(format!("{HEADER}{bad}{}", records(&[DIPLOID[0], HAPLOID[0], HAPLOID[1]])).as_bytes());
    let list = SiteList::read(file.path(), Policy::Skip).unwrap();
    let positions = list.window(0, 3).unwrap().iter().map(|site| site.position);
    assert_eq!((positions.collect::<Vec<_>>(), list.skipped()), (vec![10, 11, 12], 1));
    assert!(list.window(0, 4).is_err());
}

#[test]
fn a_query_s_sample_that_is_haploid_at_some_sites_of_the_window_has_two_haplotypes() {
    let genotypes = [DIPLOID[0], HAPLOID[0], HAPLOID[2]];
    let file = file_of(format!("{HEADER}{}", records(&genotypes)).as_bytes());
    let sites = [10, 11, 12].map(|position| Site::new(position, "A", "C"));
    let read = |sites: &[Site]| {
        let found = letters_at(file.path(), "20", sites).unwrap().into_iter().map(|haplotype| {
            let letters = haplotype.letters.iter().map(|&letter| if letter { '1' } else { '0' });
            (haplotype.sample, letters.collect::<String>(), haplotype.doubled)
        });
        found.collect::<Vec<_>>()
    };
    let expected = |haplotypes: &[(&str, &str, usize)]| {
        let owned = |&(sample, letters, doubled): &(&str, &str, usize)| {
            (sample.to_owned(), letters.to_owned(), doubled)
        };
        haplotypes.iter().map(owned).collect::<Vec<_>>()
    };
    assert_eq!(read(&sites), expected(&[("a", "010", 0), ("a", "100", 0), ("b", "111", 2), ("b", "011", 2)]));
    // Within the region there's one.
    assert_eq!(read(&sites[1..]), expected(&[("a", "10", 0), ("a", "00", 0), ("b", "11", 0)]));
}
