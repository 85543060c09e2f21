//! The circuit on plain slots against the panel's own matches.

use asanoha_ring::{Modulus, Sampler, Seed};
use asanoha_scheme::Scheme;

use super::{
    Client, ProtocolError, Search, SearchShape, Server, Window,
    blinding::Blinding,
    blocks::Blocks,
    circuit, columns,
    plain::Plain,
    search::T,
    shape::{BLOCKS, SlotLayout},
    terms,
};
use crate::{
    Panel,
    panel::{RandomPanel, longest_from},
};

/// A generator of the units modulo 65537.
const GENERATOR: u64 = 3;

/// A search in the clear.
struct Trial {
    plain: Plain,
    blocks: Blocks,
    layout: SlotLayout,
}

impl Trial {
    fn new(shape: SearchShape, ring_degree: usize) -> Self {
        Self::of(SlotLayout::new(shape, ring_degree).unwrap())
    }

    fn of(layout: SlotLayout) -> Self {
        let modulus = Modulus::new(T).unwrap();
        let plain = Plain::new(modulus, GENERATOR, layout.ring_degree);
        let blocks = Blocks::new(modulus, plain.block_roots());
        Self { plain, blocks, layout }
    }

    /// The numbers of the answer's columns, and the decoded length and count.
    fn run(&self, window: &Window<'_>, letters: &[u64], starts: &[u64], seed: u8) -> Vec<[u64; BLOCKS]> {
        let terms = terms::query_terms(&self.layout, &self.blocks, letters, starts);
        let query = self.plain.polynomial(&terms);
        let blinding = Blinding::new(Seed([seed; 32]), T);
        let rows = window.rows(self.layout);
        let Ok(answer) = circuit::answer(&self.layout, &self.plain, &query, &rows, &blinding, &|_| ());
        let places = self.layout.places(self.layout.answer_columns());
        let coefficients: Vec<u64> =
            places.iter().map(|&place| self.plain.coefficient(&answer, place)).collect();
        terms::numbers(&self.layout, &self.blocks, &coefficients)
    }
}

pub(super) fn panel(seed: u8, haplotypes: usize, sites: usize) -> Panel {
    let shape = RandomPanel { haplotypes, sites, recombination: 0.03, mutation: 0.02 };
    shape.generate(&Seed([seed; 32])).unwrap()
}

/// Letters that agree with a haplotype up to a place and not there: the first, the last, none or any. Beyond it they're random.
pub(super) fn query(panel: &Panel, start: usize, letters: usize, seed: u8) -> Vec<bool> {
    let words = Sampler::new(&Seed([seed ^ 0xa5; 32])).uniform(letters + 2);
    let haplotype = words[0] as usize % panel.haplotypes();
    let agreeing = [0, letters - 1, letters, words[1] as usize % (letters + 1)][seed as usize % 4];
    let letter = |place: usize| match place.cmp(&agreeing) {
        std::cmp::Ordering::Less => panel.allele(start + place, haplotype),
        std::cmp::Ordering::Equal => !panel.allele(start + place, haplotype),
        std::cmp::Ordering::Greater => words[2 + place] & 1 == 1,
    };
    (0..letters).map(letter).collect()
}

fn bits(letters: &[bool]) -> Vec<u64> {
    letters.iter().map(|&letter| u64::from(letter)).collect()
}

#[test]
fn plain_answers_are_the_panels_longest_matches() {
    for seed in 0..=255u8 {
        let (lanes, letters) =
            (1 << (3 + seed % 3), [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32][seed as usize % 12]);
        let haplotypes = 1 + 5 * seed as usize % (3 * lanes);
        let counts = seed % 4 != 0;
        let panel = panel(seed, haplotypes, 40);
        let candidates = [1, 2, 9][seed as usize / 12 % 3];
        let starts: Vec<usize> = (0..candidates).map(|i| (seed as usize + 3 * i) % (41 - letters)).collect();
        let chosen = seed as usize % candidates;
        let shape = SearchShape { letters, haplotypes, candidates, counts };
        let trial = Trial::new(shape, BLOCKS * lanes);
        let window = Window::new(&panel, &shape, &starts).unwrap();
        let query = query(&panel, starts[chosen], letters, seed);
        let one_hot: Vec<u64> = (0..candidates).map(|i| u64::from(i == chosen)).collect();
        let columns = trial.run(&window, &bits(&query), &one_hot, seed);
        let answer = terms::read(&trial.layout, &columns);
        let expected = longest_from(&panel, &query, starts[chosen]).unwrap();
        assert_eq!(answer.length, expected.length, "seed {seed}, {shape:?}");
        assert_eq!(answer.count, counts.then_some(expected.references.len()), "seed {seed}, {shape:?}");
    }
}

/// A start and a layout of a walk.
fn walk(seed: u8) -> (usize, SlotLayout) {
    let ring_degree = BLOCKS << (4 + seed % 2);
    let letters = [1, 2, 3, 5, 6, 8, 9, 10, 17][seed as usize % 9];
    let stride = [1, 2, 3, 8][seed as usize / 9 % 4].min(letters);
    let haplotypes = 1 + 5 * seed as usize % (ring_degree / BLOCKS);
    let shape = SearchShape { letters, haplotypes, candidates: 1, counts: !seed.is_multiple_of(4) };
    (seed as usize % 20, SlotLayout::new(shape, ring_degree).unwrap().walking(stride).unwrap())
}

#[test]
fn plain_walks_find_the_panels_longest_matches() {
    for seed in 0..=255u8 {
        let (start, layout) = walk(seed);
        let SearchShape { letters, haplotypes, counts, .. } = layout.shape;
        let panel = panel(seed, haplotypes, 40);
        let window = Window::new(&panel, &layout.shape, &[start]).unwrap();
        let query = query(&panel, start, letters, seed);
        let columns = Trial::of(layout).run(&window, &bits(&query), &[1], seed);
        let answer = terms::read(&layout, &columns);
        let expected = longest_from(&panel, &query, start).unwrap();
        assert_eq!(answer.length, expected.length, "seed {seed}, {layout:?}");
        assert_eq!(answer.count, counts.then_some(expected.references.len()), "seed {seed}, {layout:?}");
    }
}

#[test]
fn counts_beyond_the_length_are_uniform_and_those_before_hidden() {
    // All haplotypes agree in three letters and two in four, of eight.
    let panel = Panel::from_text("00000000\n00000011\n00010000").unwrap();
    let shape = SearchShape { letters: 8, haplotypes: 3, candidates: 1, counts: true };
    let trial = Trial::new(shape, 64);
    let window = Window::new(&panel, &shape, &[0]).unwrap();
    let letters = [0, 0, 0, 0, 1, 0, 0, 0];
    let mut seen = vec![std::collections::BTreeSet::new(); 8];
    for seed in 0..64 {
        let columns = trial.run(&window, &letters, &[1], seed);
        // One column: block j is letter j.
        let [blinded, hidden] = columns[..] else { panic!("two columns") };
        assert!(blinded[..4].iter().all(|&number| number != 0) && blinded[4..] == [0; 4]);
        assert_eq!((hidden[3], &hidden[4..]), (2, &[0; 4][..]));
        (0..4).for_each(|j| _ = seen[j].insert(blinded[j]));
        (0..3).for_each(|j| _ = seen[4 + j].insert(hidden[j]));
    }
    // 64 uniform numbers modulo 65537 hardly meet.
    assert!(seen[..7].iter().all(|numbers| numbers.len() > 60));
}

#[test]
fn answers_to_what_is_no_query_are_uniform() {
    let letters = 9;
    let panel = panel(7, 11, letters + 4);
    for candidates in [1, 3] {
        let shape = SearchShape { letters, haplotypes: 11, candidates, counts: true };
        let trial = Trial::new(shape, 128);
        let starts: Vec<usize> = (0..candidates).collect();
        let window = Window::new(&panel, &shape, &starts).unwrap();
        let honest: Vec<u64> = bits(&panel.letters(3, 0..letters));
        let mut tries: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
        let one_hot: Vec<u64> = (0..candidates).map(|i| u64::from(i == 0)).collect();
        for (at, value) in [(0, 2), (4, T - 1), (8, 30000), (8, 2)] {
            let mut bad = honest.clone();
            bad[at] = value;
            tries.push((bad, one_hot.clone()));
        }
        if candidates > 1 {
            for starts in [[0, 0, 0], [1, 1, 0], [2, T - 1, 0], [0, 2, 0], [1, 1, T - 1]] {
                tries.push((honest.clone(), starts.to_vec()));
            }
        }
        for (letters, starts) in &tries {
            let mut numbers = Vec::new();
            for seed in 0..250 {
                numbers.extend(trial.run(&window, letters, starts, seed).concat());
            }
            // Uniform numbers: about half above t/2, hardly any 0, few twice.
            let (count, upper) = (numbers.len(), numbers.iter().filter(|&&number| number > T / 2).count());
            let deviation = (upper as f64 - count as f64 / 2.0) / (count as f64 / 4.0).sqrt();
            assert!(deviation.abs() < 5.0, "{letters:?} {starts:?}: {upper} of {count}");
            let zeros = numbers.iter().filter(|&&number| number == 0).count();
            assert!(zeros < 6, "{letters:?} {starts:?}: {zeros} zeros of {count}");
        }
    }
}

/// A query whose letters differ between lanes: expansion leaves none of it.
#[test]
fn letters_cannot_differ_between_haplotypes() {
    let shape = SearchShape { letters: 8, haplotypes: 8, candidates: 1, counts: true };
    let trial = Trial::new(shape, 64);
    let panel = panel(9, 8, 8);
    let window = Window::new(&panel, &shape, &[0]).unwrap();
    let letters = bits(&panel.letters(2, 0..8));
    let honest = terms::query_terms(&trial.layout, &trial.blocks, &letters, &[1]);
    let columns = |terms: &[(usize, u64)]| {
        let Ok(columns) = columns::expand(&trial.layout, &trial.plain, &trial.plain.polynomial(terms), 1);
        columns
    };
    let junk: Vec<(usize, u64)> =
        (0..64).filter(|place| place % 8 != 0).map(|place| (place, 1 + place as u64)).collect();
    assert_eq!(columns(&[honest.clone(), junk].concat()), columns(&honest));
    assert!(window.distinct() <= 8);
}

#[test]
fn searches_that_do_not_fit_are_refused() {
    let shape = SearchShape { letters: 8, haplotypes: 5, candidates: 1, counts: true };
    for bad in [
        SearchShape { letters: 0, ..shape },
        SearchShape { letters: 33, ..shape },
        SearchShape { haplotypes: 0, ..shape },
        SearchShape { haplotypes: 65537, ..shape },
        SearchShape { candidates: 0, ..shape },
        SearchShape { candidates: 65, ..shape },
    ] {
        assert!(SlotLayout::new(bad, 64).is_err(), "{bad:?}");
    }
    let panel = panel(3, 30, 10);
    let distinct = Window::new(&panel, &SearchShape { haplotypes: 30, ..shape }, &[0]).unwrap().distinct();
    assert!(distinct > 1);
    for (haplotypes, starts) in
        [(distinct - 1, &[0][..]), (30, &[3]), (30, &[]), (30, &[0, 1]), (30, &[usize::MAX])]
    {
        assert!(
            Window::new(&panel, &SearchShape { haplotypes, ..shape }, starts).is_err(),
            "{haplotypes} {starts:?}"
        );
    }
}

/// A client and a server, and what they compute in the clear.
struct Parties {
    trial: Trial,
    client: Client,
    server: Server,
}

impl Parties {
    fn new(shape: SearchShape, ring_degree: usize) -> Self {
        Self::of(&Search::insecure(shape, ring_degree).unwrap())
    }

    fn of(search: &Search) -> Self {
        assert!(search.margin_bits() >= 10.0);
        let client = Client::new(search);
        let (keys, public) = client.server_keys();
        let server = Server::new(search, keys, public).unwrap();
        Self { trial: Trial::of(search.0.layout), client, server }
    }
}

/// Answers to encrypted queries against those in the clear, number by number, and against the panel's longest matches.
fn encrypted_answers_are_plain_ones(parties: &Parties, seeds: std::ops::Range<u8>) {
    let layout = parties.trial.layout;
    let SearchShape { letters, haplotypes, candidates, counts } = layout.shape;
    for seed in seeds {
        let panel = panel(seed ^ 0x3c, haplotypes, letters + 30);
        let starts: Vec<usize> = (0..candidates).map(|i| 2 * i + seed as usize % 20).collect();
        let chosen = seed as usize % candidates;
        let window = Window::new(&panel, &layout.shape, &starts).unwrap();
        let query = query(&panel, starts[chosen], letters, seed);
        let message = parties.client.query(&query, chosen).unwrap();
        let blinding = Seed([seed; 32]);
        let answer = parties.server.answer_blinded(&window, &message, &blinding, &|_| ()).unwrap();
        let one_hot: Vec<u64> = (0..candidates).map(|i| u64::from(i == chosen)).collect();
        let expected = parties.trial.run(&window, &bits(&query), &one_hot, seed);
        assert_eq!(parties.client.numbers(&answer).unwrap(), expected, "seed {seed}, {layout:?}");
        assert_eq!(answer.len(), parties.server.search().answer_bytes());
        let found = parties.client.answer(&answer).unwrap();
        let longest = longest_from(&panel, &query, starts[chosen]).unwrap();
        let count = counts.then_some(longest.references.len());
        assert_eq!((found.length, found.count), (longest.length, count), "seed {seed}, {layout:?}");
    }
}

#[test]
fn encrypted_answers_in_small_rings_are_exact() {
    for (case, letters) in [1, 2, 8, 9, 31, 32].into_iter().enumerate() {
        for (candidates, counts) in [(1, true), (3, true), (1, false)] {
            let shape = SearchShape { letters, haplotypes: 21, candidates, counts };
            encrypted_answers_are_plain_ones(&Parties::new(shape, (BLOCKS * 8) << (case % 3)), 0..4);
        }
    }
}

#[test]
#[ignore = "slow"]
fn hundreds_of_encrypted_answers_are_exact() {
    for letters in [1, 2, 7, 8, 9, 16, 31, 32] {
        let shape = SearchShape { letters, haplotypes: 60, candidates: 1, counts: true };
        encrypted_answers_are_plain_ones(&Parties::new(shape, 128), 0..40);
    }
}

#[test]
#[ignore = "slow"]
fn answers_under_secure_parameters_are_exact() {
    for (letters, haplotypes, candidates) in
        [(1, 2184, 1), (2, 2184, 1), (8, 2184, 1), (9, 2184, 1), (31, 2184, 1), (32, 5000, 1), (32, 300, 9)]
    {
        let shape = SearchShape { letters, haplotypes, candidates, counts: true };
        let search = Search::new(shape).unwrap();
        assert!(search.params().rlwe().security_bits() >= 128);
        encrypted_answers_are_plain_ones(&Parties::of(&search), 0..4);
    }
}

#[test]
fn encrypted_walks_in_small_rings_are_exact() {
    for seed in [0, 1, 5, 10, 14, 18, 23, 28, 32, 35] {
        let search = Search::in_ring(walk(seed).1, None).unwrap();
        encrypted_answers_are_plain_ones(&Parties::of(&search), seed..seed + 4);
    }
}

#[test]
#[ignore = "slow"]
fn walks_under_secure_parameters_are_exact() {
    for (letters, stride) in [(2, 1), (6, 1), (16, 8)] {
        let shape = SearchShape { letters, haplotypes: 2184, candidates: 1, counts: true };
        let search = Search::walk(shape, stride).unwrap();
        assert!(search.params().rlwe().security_bits() >= 128);
        encrypted_answers_are_plain_ones(&Parties::of(&search), 0..2);
    }
}

/// Of numbers that are no letters, nothing comes back.
#[test]
fn encrypted_answers_to_what_is_no_query_are_spoiled() {
    let shape = SearchShape { letters: 9, haplotypes: 21, candidates: 1, counts: true };
    let parties = Parties::new(shape, 256);
    let panel = panel(4, 21, 9);
    let window = Window::new(&panel, &shape, &[0]).unwrap();
    let honest = bits(&panel.letters(0, 0..9));
    let (mut seen, mut zeros) = (std::collections::BTreeSet::new(), 0);
    for seed in 0..20u8 {
        let mut bad = honest.clone();
        bad[seed as usize % 9] = 2 + u64::from(seed);
        let message = parties.client.query_of(&bad, &[1]);
        let answer = parties.server.answer_blinded(&window, &message, &Seed([seed; 32]), &|_| ()).unwrap();
        let numbers = parties.client.numbers(&answer).unwrap().concat();
        zeros += numbers.iter().filter(|&&number| number == 0).count();
        seen.extend(numbers);
    }
    // Of 640 uniform numbers modulo 65537, about three are of another's value.
    assert!(zeros < 3 && seen.len() > 620, "{zeros} zeros, {} numbers", seen.len());
}

/// A thousand encrypted queries of what are no letters, or no start: all numbers of their answers are uniform, by a chi-square test over
/// 64 bins at a level of 10⁻⁶.
///
/// Power: of 32,000 numbers, if one in a hundred fell into one bin rather than anywhere, the statistic would have 63 degrees of freedom
/// and a noncentrality of 32000·0.01²·63 = 202, so a mean of 265 and a deviation of 31 where 133 is the limit: it would be found but for
/// one time in 10⁴.
#[test]
fn a_thousand_encrypted_answers_to_what_is_no_query_are_uniform() {
    const BINS: usize = 64;
    // The 1 − 10⁻⁶ quantile of chi-square with 63 degrees of freedom.
    const LIMIT: f64 = 133.0;
    let panel = panel(6, 21, 12);
    let (mut bins, mut total, mut zeros) = ([0usize; BINS], 0, 0);
    for candidates in [1, 3] {
        let shape = SearchShape { letters: 9, haplotypes: 21, candidates, counts: true };
        let parties = Parties::new(shape, 256);
        let starts: Vec<usize> = (0..candidates).collect();
        let window = Window::new(&panel, &shape, &starts).unwrap();
        for number in 0..500u64 {
            let seed = Seed([number as u8; 32]).derive("no query", &[&number.to_le_bytes()]);
            let words = Sampler::new(&seed).uniform(16);
            let mut letters = bits(&panel.letters(words[0] as usize % 21, 0..9));
            let mut one_hot: Vec<u64> = (0..candidates).map(|at| u64::from(at == 0)).collect();
            let other = 2 + words[1] % (T - 2);
            match number % 5 {
                // One letter is no bit, the smallest, the largest, any; all are none; or the start isn't one.
                0 => letters[words[2] as usize % 9] = 2,
                1 => letters[words[2] as usize % 9] = T - 1,
                2 => letters
                    .iter_mut()
                    .zip(&words[3..])
                    .for_each(|(letter, word)| *letter = 2 + word % (T - 2)),
                3 if candidates > 1 => one_hot[1] = [1, 2, T - 1][words[2] as usize % 3],
                _ => letters[words[2] as usize % 9] = other,
            }
            let message = parties.client.query_of(&letters, &one_hot);
            let numbers =
                parties.client.numbers(&parties.server.answer(&window, &message).unwrap()).unwrap().concat();
            total += numbers.len();
            for number in numbers {
                bins[(number * BINS as u64 / T) as usize] += 1;
                zeros += usize::from(number == 0);
            }
        }
    }
    let expected = total as f64 / BINS as f64;
    let statistic: f64 = bins.iter().map(|&found| (found as f64 - expected).powi(2) / expected).sum();
    println!(
        "{total} numbers, chi-square {statistic:.1} with {} degrees of freedom, {zeros} zeros",
        BINS - 1
    );
    assert!(statistic < LIMIT, "{statistic} of {total} numbers");
    // Half a zero is expected in as many.
    assert!(zeros < 8, "{zeros} of {total}");
}

#[test]
fn malformed_messages_are_refused() {
    let shape = SearchShape { letters: 9, haplotypes: 8, candidates: 1, counts: true };
    let parties = Parties::new(shape, 64);
    let panel = panel(5, 8, 12);
    let window = Window::new(&panel, &shape, &[1]).unwrap();
    let message = parties.client.query(&panel.letters(0, 1..10), 0).unwrap();
    let answer = parties.server.answer(&window, &message).unwrap();
    let refused =
        |query: &[u8]| matches!(parties.server.answer(&window, query), Err(ProtocolError::Message { .. }));
    for length in [0, 7, 8, 39, 40, 72, message.len() - 1] {
        assert!(refused(&message[..length]), "{length}");
        assert!(parties.client.answer(&answer[..length.min(answer.len() - 1)]).is_err(), "{length}");
    }
    assert!(refused(&[&message[..], &[0]].concat()));
    for at in 0..40 {
        let mut changed = message.clone();
        changed[at] ^= 1;
        assert!(refused(&changed), "byte {at}");
    }
    // The first residue, above every prime of its width.
    let mut above = message.clone();
    above[72..80].fill(255);
    assert!(refused(&above));
    // Every other message is a query, of other letters: what it's answered with is no answer to it.
    let mut garbled = message.clone();
    garbled[100] ^= 4;
    let garbled = parties.server.answer(&window, &garbled).unwrap();
    assert!(matches!(parties.client.answer(&garbled), Err(ProtocolError::Noise { .. })));
    let mut garbled = answer.clone();
    garbled[100] ^= 4;
    assert!(matches!(parties.client.answer(&garbled), Err(ProtocolError::Noise { .. })));
    assert!(matches!(
        Client::new(&Search::insecure(shape, 64).unwrap()).answer(&answer),
        Err(ProtocolError::Noise { .. })
    ));
    // Another search's messages, keys and windows.
    let other = Parties::new(SearchShape { counts: false, ..shape }, 64);
    assert!(matches!(other.server.answer(&window, &message), Err(ProtocolError::Message { .. })));
    assert!(parties.client.query(&[true; 8], 0).is_err() && parties.client.query(&[true; 9], 1).is_err());
    let search = Search::insecure(shape, 64).unwrap();
    let (keys, _) = Client::new(&Search::insecure(shape, 128).unwrap()).server_keys();
    assert!(Server::new(&search, keys, parties.client.server_keys().1).is_err());
    let few = Window::new(&panel, &SearchShape { letters: 8, ..shape }, &[1]).unwrap();
    assert!(matches!(parties.server.answer(&few, &message), Err(ProtocolError::Letters { .. })));
}
