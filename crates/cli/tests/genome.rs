//! `asanoha genome`: indexed, asked, refused.

use crate::common::{SMALL_RING, has_keys, panel_place as place};
use serde_json::{Value, json};

#[test]
fn both_sides_in_one_process_find_what_is_plainly_there() {
    let place = place();
    let query = |panel: &str, flags: &str| {
        let line = format!("genome query --local {panel} --vcf me.vcf {flags} {SMALL_RING}");
        let report = place.call(&line).json();
        has_keys(&report, &["length", "count", "plain_length", "plain_count", "seconds", "query_bytes"]);
        assert_eq!((&report["length"], &report["count"]), (&report["plain_length"], &report["plain_count"]));
        report
    };
    for panel in ["panel.vcf", "panel.idx"] {
        let report = query(panel, "--start 0 --length 9");
        let lengths: Vec<u64> = serde_json::from_value(report["length"].clone()).unwrap();
        assert!(lengths.len() == 2 && lengths[0] == 9 && lengths[1] < 9, "{report}");
        assert!(report["count"][0].as_u64() > Some(0), "{report}");
    }
    let report = query("panel.idx", "--start 6 --length 32 --haplotype 1");
    assert_eq!((&report["length"], &report["plain_length"]), (&json!([32]), &json!([32])));
    assert!(report["count"][0].as_u64() > Some(0) && report["seconds"].as_f64() > Some(0.0), "{report}");
    assert!(report["security_bits"].as_u64() < Some(128), "{report}");
    let text =
        place.call(&format!("genome query --local panel.idx --vcf me.vcf --start 6 --length 2 {SMALL_RING}"));
    assert!(text.text().contains("haplotype 1 (sample7): 2 of 2 letters"));
}

/// A VCF of chromosome X, of these samples and genotypes, a record for each string of them.
fn x_of(samples: &str, genotypes: &[&str]) -> String {
    let head = "##fileformat=VCFv4.2\n##contig=<ID=X>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    let tabs = |words: &str| words.replace(' ', "\t");
    let records = genotypes.iter().zip(2_781_470..).map(|(genotypes, position)| {
        format!("X\t{position}\t.\tA\tC\t.\tPASS\t.\tGT\t{}\n", tabs(genotypes))
    });
    format!("{head}\t{}\n{}", tabs(samples), records.collect::<String>())
}

#[test]
fn haplotypes_are_counted_from_0_in_the_argument_and_in_the_answers() {
    let place = place();
    place.write("panel.vcf", x_of("a b", &["0|1 1|1", "0|0 1|0", "1|1 0|1"]));
    place.write("me.vcf", x_of("me you we", &["0|1 0|0 1|1", "0|0 0|0 1|0", "1|1 0|0 0|1"]));
    let line = format!("genome query --local panel.vcf --vcf me.vcf --start 0 --length 3 {SMALL_RING}");
    let all = place.call(&line).json();
    assert_eq!(all["haplotype"], json!([0, 1, 2, 3, 4, 5]));
    assert_eq!(all["sample"], json!(["me", "me", "you", "you", "we", "we"]));
    assert_eq!((&all["length"], &all["count"]), (&json!([3, 3, 2, 2, 3, 3]), &json!([1, 2, 1, 1, 1, 2])));
    let text = place.call(&line).text();
    for (number, sample) in ["me", "me", "you", "you", "we", "we"].into_iter().enumerate() {
        let [length, count] = ["length", "count"].map(|key| &all[key][number]);
        let says = format!("haplotype {number} ({sample}): {length} of 3 letters, with {count}\n");
        assert!(text.contains(&says), "{text}");
        let asked = format!("{line} --haplotype {number}");
        let alone = place.call(&asked).text();
        assert!(alone.contains(&says) && alone.matches("haplotype").count() == 1, "{alone}");
        let alone = place.call(&asked).json();
        assert_eq!((&alone["haplotype"], &alone["sample"]), (&json!([number]), &json!([sample])));
        assert_eq!(alone["length"], json!([length]));
    }
    let says = ["me.vcf: it has 6 haplotypes", "counted from 0, and no haplotype 6", "--haplotype 0 to 5"];
    place.refuses(&format!("{line} --haplotype 6"), 2, &says);
}

#[test]
fn a_man_of_a_whole_x_has_two_equal_haplotypes_where_he_is_haploid() {
    let place = place();
    let region = ["0|1 1|0 0|0", "1|1 0|1 1|0", "0|0 1|1 0|1", "1|0 0|0 1|1", "0|1 0|1 0|0"];
    let rest = ["0|1 1 0", "1|0 0 0", "1|1 1 1", "0|0 0 1", "1|0 1 0", "0|1 0 1", "1|1 1 0"];
    let all = [&region[..], &rest].concat();
    place.write("panel.vcf", x_of("woman man boy", &all));
    let says = "14 haploid genotypes in 2 samples with diploid ones at other sites: each was taken as two equal haplotypes";
    for flags in ["", " --skip-unusable"] {
        let line = format!("genome index panel.vcf --out x.idx{flags}");
        let text = place.call(&line).text();
        assert!(text.contains("6 haplotypes at 12 sites of chromosome X; 0 records left out"), "{text}");
        assert!(text.contains(says), "{text}");
        let report = place.call(&line).json();
        let keys = ["haplotypes", "sites", "skipped", "doubled_genotypes", "doubled_samples"];
        assert_eq!(keys.map(|key| report[key].as_u64().unwrap()), [6, 12, 0, 14, 2]);
    }
    // The man asks: in his haploid sites alone he has one haplotype, which agrees with two of the panel, his own.
    let query = |panel: &str, window: &str| {
        let line = format!("genome query --local {panel} --vcf man.vcf {window} {SMALL_RING}");
        (place.call(&line).json(), place.call(&line).text())
    };
    let man: Vec<&str> = all.iter().map(|genotypes| genotypes.split(' ').nth(1).unwrap()).collect();
    place.write("man.vcf", x_of("man", &man));
    let (report, text) = query("x.idx", "--start 2 --length 9");
    assert_eq!((&report["length"], &report["count"]), (&json!([9, 9]), &json!([1, 1])));
    assert_eq!((&report["doubled"], &report["doubled_samples"]), (&json!([6, 6]), &json!(0)));
    assert!(
        text.contains("haplotype 1 (man): 9 of 9 letters, with 1; man is haploid at 6 of these sites"),
        "{text}"
    );
    let (report, text) = query("panel.vcf", "--start 5 --length 7");
    assert_eq!((&report["length"], &report["count"]), (&json!([7]), &json!([2])));
    assert_eq!((&report["doubled"], &report["doubled_samples"]), (&json!([0]), &json!(2)));
    assert!(text.contains(says) && text.contains("haplotype 0 (man): 7 of 7 letters, with 2\n"), "{text}");
    // A panel of the haploid region alone has one haplotype of a man.
    place.write("panel.vcf", x_of("woman man boy", &rest));
    let text = place.call("genome index panel.vcf --out rest.idx").text();
    assert!(text.contains("4 haplotypes at 7 sites") && !text.contains("haploid"), "{text}");
}

#[test]
fn records_that_a_query_leaves_out_are_counted_in_its_answer() {
    let place = place();
    place.write("panel.vcf", x_of("a b", &["0|1 1|1", "0/1 1|0", "1|1 0|1", "1|1 ./."]));
    place.write("me.vcf", x_of("me", &["0|1", "0|0", "1|1"]));
    let line = format!("genome query --local panel.vcf --vcf me.vcf --start 0 --length 2 {SMALL_RING}");
    place.refuses(&line, 2, &["not phased"]);
    let line = format!("{line} --skip-unusable");
    assert_eq!(place.call(&line).json()["skipped"], json!(2));
    let text = place.call(&line).text();
    assert!(text.contains("2 records left out, which --start does not count"), "{text}");
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let place = place();
    let me = std::fs::read_to_string(place.path("me.vcf")).unwrap();
    place.write("other.vcf", me.replace("\n20\t", "\n21\t").replace("ID=20", "ID=21"));
    place.write(
        "fewer.vcf",
        me.split_inclusive('\n').filter(|line| !line.starts_with("20\t485\t")).collect::<String>(),
    );
    place.write("swapped.vcf", me.replacen("\tA\tG\t", "\tG\tA\t", 1));
    place.write("unphased.vcf", me.replace("0|1", "0/1").replace("1|0", "1/0"));
    for (flags, code, says) in [
        (
            "--local panel.idx --vcf me.vcf --start 60 --length 5",
            2,
            &["5 letters from site 60", "64 sites"][..],
        ),
        ("--local panel.idx --vcf me.vcf --start 0 --length 0", 2, &["0 letters"]),
        ("--local panel.idx --vcf me.vcf --start -1 --length 1", 2, &["-1"]),
        ("--local panel.idx --vcf me.vcf --start 0 --length 2 --haplotype 2", 2, &["me.vcf", "2 haplotypes"]),
        ("--local panel.idx --vcf other.vcf --start 0 --length 2", 2, &["chromosome 21", "20 in the panel"]),
        (
            "--local panel.idx --vcf fewer.vcf --start 0 --length 2",
            2,
            &["0 sites at position 485", "1 in the panel"],
        ),
        (
            "--local panel.idx --vcf swapped.vcf --start 0 --length 2",
            2,
            &["0 sites at position 466", "REF and ALT"],
        ),
        ("--local panel.idx --vcf unphased.vcf --start 0 --length 32", 2, &["not phased"]),
        ("--local nowhere --vcf me.vcf --start 0 --length 2", 2, &["nowhere"]),
        ("--local panel.idx --vcf panel.idx --start 0 --length 2", 2, &["panel.idx"]),
        ("--local panel.idx --start 0 --length 2", 2, &["--vcf"]),
        // Of 8 lanes, two a column.
        ("--local panel.idx --vcf me.vcf --start 0 --length 33", 2, &["33 letters", "1 to 32"]),
    ] {
        place.refuses(&format!("genome query {flags} {SMALL_RING}"), code, says);
    }
    let line = "genome query --local panel.idx --vcf me.vcf --start 0 --length 2";
    place.refuses(&format!("{line} --ring-degree 64"), 2, &["--insecure"]);
    place.refuses(&format!("{line} --ring-degree 65 --insecure"), 2, &["power of two"]);
    place.refuses("genome", 2, &["no command"]);
    place.refuses("genome index unphased.vcf --out f", 2, &["not phased"]);
    place.refuses("genome index panel.vcf --out nowhere/f", 2, &["nowhere/f", "cannot be written"]);
    let skipped: Value = place.call("genome index unphased.vcf --out f --skip-unusable").json();
    assert!(skipped["skipped"].as_u64() > Some(0), "{skipped}");
}

#[test]
fn files_that_are_not_what_they_should_be_are_refused() {
    let place = place();
    let right = std::fs::read(place.path("panel.idx")).unwrap();
    let mut altered = right.clone();
    altered[100] ^= 1;
    for (bytes, says) in [
        (altered, "damaged"),
        (right[..right.len() - 1].to_vec(), "damaged"),
        (right[..20].to_vec(), "length"),
        (b"asagpan9".repeat(9), "another version"),
    ] {
        place.write("panel.idx", bytes);
        let line = format!("genome query --local panel.idx --vcf me.vcf --start 0 --length 2 {SMALL_RING}");
        place.refuses(&line, 2, &["panel.idx", says]);
    }
    let me = std::fs::read_to_string(place.path("me.vcf")).unwrap();
    for (text, says) in [
        (String::new(), "header"),
        ("##fileformat=VCFv4.2\n".to_owned(), "header"),
        (me[..me.len() - 5].to_owned(), "cut short"),
        (me.split_inclusive('\n').filter(|line| line.starts_with('#')).collect(), "no sites"),
    ] {
        place.write("me.vcf", text);
        let line = format!("genome query --local panel.vcf --vcf me.vcf --start 0 --length 2 {SMALL_RING}");
        place.refuses(&line, 2, &["me.vcf", says]);
    }
}

#[test]
fn a_whole_genome_is_asked_about_the_panel_s_chromosome() {
    let place = place();
    let field = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../genome/tests/field").join(name);
        std::fs::read(path).unwrap()
    };
    place.write("cohort.vcf", field("panel.vcf"));
    place.write("genome.vcf", field("genome-me.vcf"));
    let line = format!(
        "genome query --local cohort.vcf --vcf genome.vcf --haplotype 0 --start 0 --length 12 {SMALL_RING}"
    );
    let report = place.call(&line).json();
    assert_eq!((&report["length"], &report["count"]), (&json!([9]), &json!([1])));
    // A call within the window that tells no letter is named with its line and sample.
    let genome = String::from_utf8(field("genome-me.vcf")).unwrap();
    place.write(
        "unphased.vcf",
        genome.replace("20\t120\t.\tA\tC\t.\t.\t.\tGT\t1/1", "20\t120\t.\tA\tC\t.\t.\t.\tGT\t0/1"),
    );
    place.refuses(
        &line.replace("genome.vcf", "unphased.vcf"),
        2,
        &["unphased.vcf, line 13 (20:120), GT of me", "not phased"],
    );
    // What is left of a record where a file was cut is none that can be skipped.
    let cut = |bytes: &[u8]| bytes[..bytes.len() - 9].to_vec();
    place.write("genome.vcf", cut(&field("genome-me.vcf")));
    place.refuses(&line, 2, &["genome.vcf, line 24", "cut short"]);
    place.write("cohort.vcf", cut(&field("panel.vcf")));
    place.refuses("genome index cohort.vcf --out f --skip-unusable", 2, &["line 21", "cut short"]);
}

#[test]
#[ignore = "slow"]
fn answers_under_secure_parameters_are_right() {
    let report = place().call("genome query --local panel.idx --vcf me.vcf --start 0 --length 9").json();
    assert!(
        report["security_bits"].as_u64() >= Some(128) && report["length"] == report["plain_length"],
        "{report}"
    );
}

#[cfg(not(feature = "http"))]
#[test]
fn a_build_without_http_says_so() {
    let place = place();
    for line in [
        "genome serve --index panel.idx --listen 127.0.0.1:0",
        "genome query --server https://127.0.0.1:1 --vcf me.vcf --start 0 --length 2",
        "genome serve --help",
        "serve --store store --listen 127.0.0.1:0 --json",
        "tokens create --store store",
        "remote run --server https://127.0.0.1:1 --plan plan.json",
        "remote",
    ] {
        place.refuses(line, 2, &["--features http"]);
    }
}
