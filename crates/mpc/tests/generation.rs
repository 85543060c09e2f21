//! Triples that are generated homomorphically: shares that add up to products, and codes of them.

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_mpc::{
    Generator, GeneratorSettings, ModulusChoice, PartyTriples, Pieces, TripleOptions, TripleParams,
    TripleParamsError, TripleShape, TripleSource,
};
use asanoha_ring::{Sampler, Seed, WideModulus};
use num_bigint::{BigInt, BigUint};

const N: usize = 1 << 7;

/// Primes of 17, 61, 128 and 256 bits: 1 modulo 2^16, 2, 2^15 and 4.
const MODULI: [&str; 4] = [
    "65537",
    "2305843009213693951",
    "170141183460469231731687303715885907969",
    "57896044618658097711785492504343953926634992332820282019728792003956564819949",
];

fn options(modulus: &str, shape: TripleShape, parties: usize, outer: usize) -> TripleOptions {
    let modulus = modulus.parse().unwrap();
    TripleOptions { modulus, shape, parties, outer, insecure_ring_degree: Some(N), backend: None }
}

fn add_up<'a>(modulus: &WideModulus, mut shares: impl Iterator<Item = &'a MatrixBatch>) -> MatrixBatch {
    let mut sum = shares.next().unwrap().clone();
    shares.for_each(|share| modulus.add_assign(sum.words_mut(), share.words()));
    sum
}

/// A·B = C modulo t, and every code is the MAC key times what it is the code of.
fn assert_triples(source: &impl TripleSource, parties: &[PartyTriples]) {
    let modulus = source.modulus();
    let shares = (0..source.parties()).map(|party| modulus.integer(source.mac_key_share(party)));
    let mac_key: BigUint = shares.sum();
    let mac_key = modulus.residue(&BigInt::from(mac_key));
    let whole = |which: usize| add_up(modulus, parties.iter().map(|party| &party.matrices[which].values));
    let [a, b, c] = [0, 1, 2].map(whole);
    // C·v = A·(B·v) for a random v (Freivalds 1977): of few products the slow definition itself.
    if parties[0].count() * source.shape().entries() < 1 << 16 {
        assert!(a.product(modulus, &b) == c, "a product is wrong");
    } else {
        let mut v = MatrixBatch::zero(modulus, [b.shape()[1], 1], b.count());
        let words = Sampler::new(&Seed([13; 32])).uniform(v.words().len());
        v.words_mut().copy_from_slice(&modulus.reduce(&words, modulus.limbs()));
        assert!(a.product(modulus, &b.product(modulus, &v)) == c.product(modulus, &v), "a product is wrong");
    }
    for (which, values) in [a, b, c].iter().enumerate() {
        let codes = add_up(modulus, parties.iter().map(|party| &party.matrices[which].codes));
        let mut expected = values.clone();
        modulus.scale(expected.words_mut(), &mac_key);
        assert!(codes == expected, "codes of matrix {which} are wrong");
    }
}

#[test]
fn shares_add_up_to_products_and_their_codes() {
    let shape = |rows, inner, columns| TripleShape { rows, inner, columns };
    for (modulus, shape, parties, outer) in [
        (MODULI[0], TripleShape::square(2), 2, 2),
        (MODULI[0], TripleShape::square(1), 3, 1),
        (MODULI[2], TripleShape::square(8), 2, 8),
        // Not square, and of no power of two.
        (MODULI[2], shape(3, 5, 7), 2, 8),
        // Blocks of rows and columns, the last ones smaller.
        (MODULI[0], shape(9, 3, 5), 2, 4),
        // A batch of one matrix, and blocks of one triple in several batches.
        (MODULI[1], shape(4, 3, 4), 2, 2),
        (MODULI[3], TripleShape::square(3), 4, 4),
        // As many terms as one step of the inner dimension, and one more.
        (MODULI[0], shape(2, 129, 2), 2, 2),
    ] {
        let params = TripleParams::choose(&options(modulus, shape, parties, outer)).unwrap();
        let generator = Generator::new(params, Seed([7; 32]));
        let block = generator.block(3).unwrap();
        assert_eq!((block.len(), block[0].count()), (parties, generator.params().block_size()), "{shape}");
        assert_triples(&generator, &block);
    }
}

#[test]
fn triples_of_pieces_have_right_products_and_codes() {
    for (modulus, shape, parties, pieces) in [
        (MODULI[0], TripleShape { rows: 1, inner: 1, columns: 1 }, 2, 7),
        (MODULI[0], TripleShape { rows: 2, inner: 3, columns: 1 }, 3, 5),
        (MODULI[2], TripleShape { rows: 3, inner: 2, columns: 4 }, 2, 2),
        (MODULI[3], TripleShape { rows: 1, inner: 2, columns: 2 }, 2, 1),
    ] {
        let params = TripleParams::choose(&options(modulus, shape, parties, 4)).unwrap();
        let source = Pieces::new(Generator::new(params, Seed([3; 32])), pieces);
        let block = source.block(2).unwrap();
        assert_eq!(block[0].count(), source.block_size());
        assert_eq!(source.shape(), TripleShape { inner: shape.inner * pieces, ..shape });
        assert_eq!(block[0].matrices[1].values.shape(), [shape.inner * pieces, shape.columns]);
        assert_triples(&source, &block);
    }
}

/// A block holds what is asked for, in as many pieces as fit; many triples are made whole.
#[test]
fn few_triples_are_made_of_pieces() {
    let settings = |inner| GeneratorSettings {
        modulus: ModulusChoice::Bits(64),
        shape: TripleShape { rows: 1, inner, columns: 1 },
        parties: 2,
        memory_limit: None,
    };
    let choose = |inner, count| Pieces::choose(&settings(inner), count, Seed([1; 32])).unwrap();
    let whole = choose(1, 1).block_size();
    for (inner, count, pieces) in [
        (200, 1, 200),
        (200, whole / 10, 10),
        (200, whole, 1),
        (7, whole / 7, 7),
        // Two blocks of pieces take less than one of whole triples.
        (7, whole / 6, 7),
        (7, 7 * whole, 1),
        (1, 1, 1),
    ] {
        let source = choose(inner, count as u64);
        assert_eq!(source.block_size(), whole / pieces, "{inner} {count}");
        assert_eq!(source.name().contains("pieces"), pieces > 1, "{}", source.name());
        assert_eq!(source.shape().inner, inner);
    }
    // Another number of pieces is another generator: blocks of one aren't taken for those of the other.
    assert_ne!(choose(200, 1).digest(), choose(200, whole as u64).digest());
    assert!(Pieces::choose(&settings(0), 1, Seed([1; 32])).is_err());
}

#[test]
fn triples_are_right_for_every_dimension_and_modulus_whole_and_in_slices() {
    for modulus in &MODULI[1..] {
        // In one block; and in blocks of fewer rows and columns.
        for (dimension, outer) in [(2, 2), (3, 4), (8, 8), (64, 64), (128, 128), (3, 1), (8, 2), (64, 16)] {
            let options = options(modulus, TripleShape::square(dimension), 2, outer);
            let generator = Generator::new(TripleParams::choose(&options).unwrap(), Seed([11; 32]));
            assert_triples(&generator, &generator.block(0).unwrap());
        }
    }
}

#[test]
#[ignore = "slow"]
fn triples_are_right_on_secure_rings() {
    let shape = TripleShape { rows: 128, inner: 130, columns: 127 };
    for modulus in &MODULI[1..] {
        let options = TripleOptions { insecure_ring_degree: None, ..options(modulus, shape, 3, 128) };
        let generator = Generator::new(TripleParams::choose(&options).unwrap(), Seed([12; 32]));
        assert!(generator.params().rlwe().security_bits() >= 128);
        assert_triples(&generator, &generator.block(0).unwrap());
    }
}

#[test]
fn a_block_is_the_same_whenever_it_is_generated_and_no_two_are_alike() {
    let params = TripleParams::choose(&options(MODULI[0], TripleShape::square(4), 2, 4)).unwrap();
    let generator = || Generator::new(params.clone(), Seed([1; 32]));
    let words = |block: Vec<PartyTriples>| -> Vec<Vec<u64>> {
        block.iter().flat_map(|party| party.matrices.iter().map(|m| m.codes.words().to_vec())).collect()
    };
    let first = words(generator().block(0).unwrap());
    assert_eq!(first, words(generator().block(0).unwrap()));
    assert_ne!(first, words(generator().block(1).unwrap()));
    assert_ne!(first, words(Generator::new(params.clone(), Seed([2; 32])).block(0).unwrap()));
}

/// Every party's share of the MAC key, and of the entries of A and B.
fn drawn(generator: &Generator) -> Vec<Vec<u64>> {
    let block = generator.block(0).unwrap();
    let entries = block.iter().flat_map(|party| party.matrices[..2].iter().map(|m| m.values.words()));
    generator.mac_key_shares().chain(entries).map(<[u64]>::to_vec).collect()
}

/// Words that would be equal if two runs drew them from one stream.
fn are_alike(one: &[Vec<u64>], other: &[Vec<u64>]) -> bool {
    one.iter().flatten().any(|word| other.iter().flatten().any(|same| same == word))
}

#[test]
fn one_seed_gives_other_values_for_another_modulus_shape_party_count_or_block_size() {
    // Of 61 bits, as the modulus is.
    let other = "2305843009213693921";
    let shape = |rows, inner, columns| TripleShape { rows, inner, columns };
    let all = [
        options(MODULI[1], shape(2, 4, 2), 2, 2),
        options(other, shape(2, 4, 2), 2, 2),
        options(MODULI[1], shape(4, 4, 2), 2, 2),
        options(MODULI[1], shape(2, 5, 2), 2, 2),
        options(MODULI[1], shape(2, 4, 1), 2, 2),
        options(MODULI[1], shape(2, 4, 2), 3, 2),
        options(MODULI[1], shape(2, 4, 2), 2, 4),
    ];
    let run = |options: &TripleOptions| {
        let params = TripleParams::choose(options).unwrap();
        (params.digest(), drawn(&Generator::new(params, Seed([9; 32]))))
    };
    let runs: Vec<_> = all.iter().map(run).collect();
    assert_eq!(run(&all[0]), runs[0]);
    for (i, (digest, words)) in runs.iter().enumerate() {
        for (earlier, (other_digest, others)) in runs[..i].iter().enumerate() {
            assert!(digest != other_digest, "{:?} {:?}", all[i], all[earlier]);
            assert!(!are_alike(words, others), "{:?} {:?}", all[i], all[earlier]);
        }
    }
}

#[test]
fn pieces_draw_other_values_than_triples_of_their_dimensions() {
    let settings = |inner| GeneratorSettings {
        modulus: ModulusChoice::Bits(64),
        shape: TripleShape { rows: 1, inner, columns: 1 },
        parties: 2,
        memory_limit: None,
    };
    let choose = |inner| Pieces::choose(&settings(inner), 1, Seed([1; 32])).unwrap();
    let [whole, pieces] = [choose(1), choose(2)];
    assert_eq!(whole.generator().params().digest(), pieces.generator().params().digest());
    let key = |source: &Pieces| source.mac_key_share(0).to_vec();
    assert_ne!(key(&whole), key(&pieces));
    assert_eq!(key(&pieces), key(&choose(2)));
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let square = TripleShape::square(4);
    let refused = |options: &TripleOptions| TripleParams::choose(options).unwrap_err();
    for composite in ["65535", "65536", "1", "0", "2"] {
        let error = refused(&options(composite, square, 2, 4));
        assert_eq!(error, TripleParamsError::Composite(composite.parse().unwrap()));
    }
    for parties in [0, 1] {
        assert_eq!(refused(&options(MODULI[0], square, parties, 4)), TripleParamsError::Parties(parties));
    }
    let empty = TripleShape { rows: 4, inner: 0, columns: 4 };
    assert_eq!(refused(&options(MODULI[0], empty, 2, 4)), TripleParamsError::Empty(empty));
    assert!(matches!(refused(&options(MODULI[0], square, 2, 3)), TripleParamsError::Packing(_)));
    // A prime of 2203 bits.
    let mersenne = (BigUint::from(1u32) << 2203u32) - 1u32;
    let wide = TripleOptions { insecure_ring_degree: None, ..options(&mersenne.to_string(), square, 2, 4) };
    assert_eq!(refused(&wide), TripleParamsError::TooWide { bits: 2203 });
}
