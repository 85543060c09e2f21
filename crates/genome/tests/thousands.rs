//! Hundreds of encrypted queries of a panel of the published size, under secure parameters, against the panel in the clear.

use asanoha_genome::{
    Panel,
    panel::{RandomPanel, longest_from},
    protocol::{Client, Search, SearchShape, Server, Window},
};
use asanoha_ring::{Sampler, Seed};

const HAPLOTYPES: usize = 2184;
const SITES: usize = 10_000;
/// Queries of each length.
const QUERIES: usize = 35;

/// How a query goes with the panel.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A haplotype's letters.
    Present,
    /// A haplotype's but for the last letter.
    LastDiffers,
    /// A haplotype's but for the first.
    FirstDiffers,
    /// A haplotype's up to somewhere, then random letters.
    BreaksOff,
    /// Random letters, which hardly any haplotype has for long.
    Random,
    /// The letters that most haplotypes have.
    Ambiguous,
}

const KINDS: [Kind; 6] =
    [Kind::Present, Kind::LastDiffers, Kind::FirstDiffers, Kind::BreaksOff, Kind::Random, Kind::Ambiguous];

fn query(panel: &Panel, kind: Kind, start: usize, letters: usize, words: &[u64]) -> Vec<bool> {
    let haplotype = words[0] as usize % panel.haplotypes();
    let mut query = panel.letters(haplotype, start..start + letters);
    let random = |at: usize| words[2 + at] & 1 == 1;
    match kind {
        Kind::Present => (),
        Kind::LastDiffers => query[letters - 1] ^= true,
        Kind::FirstDiffers => query[0] ^= true,
        Kind::BreaksOff => {
            let kept = words[1] as usize % letters;
            query.iter_mut().enumerate().skip(kept).for_each(|(at, letter)| *letter = random(at));
        }
        Kind::Random => query.iter_mut().enumerate().for_each(|(at, letter)| *letter = random(at)),
        Kind::Ambiguous => {
            let ones = |site: usize| {
                (0..panel.haplotypes()).filter(|&haplotype| panel.allele(site, haplotype)).count()
            };
            query = (start..start + letters).map(|site| 2 * ones(site) > panel.haplotypes()).collect();
        }
    }
    query
}

#[test]
#[ignore = "slow"]
fn hundreds_of_queries_of_a_panel_of_thousands_are_answered_as_in_the_clear() {
    let panel = RandomPanel { haplotypes: HAPLOTYPES, sites: SITES, recombination: 0.003, mutation: 0.002 };
    let panel = panel.generate(&Seed([12; 32])).unwrap();
    let (mut full, mut none, mut several) = (0, 0, 0);
    for letters in [1, 2, 8, 9, 31, 32] {
        let shape = SearchShape { letters, haplotypes: HAPLOTYPES, candidates: 1, counts: true };
        let search = Search::new(shape).unwrap();
        let client = Client::new(&search);
        let (keys, public) = client.server_keys();
        let server = Server::new(&search, keys, public).unwrap();
        for number in 0..QUERIES {
            let seed = Seed([(QUERIES * letters + number) as u8; 32]);
            let words = Sampler::new(&seed.derive("query", &[&letters.to_le_bytes()])).uniform(letters + 3);
            let last = SITES - letters;
            // The panel's first and last sites, and any other.
            let start = match number {
                0..=5 => 0,
                6..=11 => last,
                _ => words[letters + 2] as usize % (last + 1),
            };
            let kind = KINDS[number % KINDS.len()];
            let query = query(&panel, kind, start, letters, &words);
            let message = client.query(&query, 0).unwrap();
            let answer = server.answer(&Window::new(&panel, &shape, &[start]).unwrap(), &message).unwrap();
            let found = client.answer(&answer).unwrap();
            let longest = longest_from(&panel, &query, start).unwrap();
            let count = longest.references.len();
            assert_eq!(
                (found.length, found.count),
                (longest.length, Some(count)),
                "{kind:?}, {letters}, {start}"
            );
            full += usize::from(found.length == letters);
            none += usize::from(found.length == 0);
            several += usize::from(count > 1);
        }
    }
    assert!(full > 60 && none > 2 && several > 60, "{full} whole, {none} none, {several} of several");
}
