//! The circuit of matrix triples, and its parameters under the literature's settings and this library's.

use asanoha_lattice::{Norm, largest_log2_modulus};

use super::{
    AverageRules, CandidateCircuit, CandidateError, CandidateParams, CandidateSearch, CircuitNode,
    PromisedRules,
};
use crate::FAST_PRIME_BITS;

/// What a matrix triple is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TripleSetting {
    /// The rows and columns of a block.
    pub dimension: usize,
    /// The parties.
    pub parties: usize,
    /// The size of the plaintext modulus t, in bits.
    pub modulus_bits: u32,
    /// The statistical security of flooding, in bits.
    pub flooding_bits: u32,
}

/// Blocks of 128 × 128 for five parties modulo a t of 128 bits, flooded by 80 bits.
impl Default for TripleSetting {
    fn default() -> Self {
        Self { dimension: 128, parties: 5, modulus_bits: 128, flooding_bits: 80 }
    }
}

/// The circuit of a squared matrix product in rows, with MACs and distributed decryption.
///
/// All parties' encryptions of A, B and α are summed (candidate 0 after them). The columns of A rotate in two copies by 1 a
/// step, masked and added (φ), and the rows of B by d (ψ); both are candidate 1, and are multiplied and summed over the d
/// steps. The sum is relinearised once (candidate 2). It, its product with α, and those of A and B are flooded.
///
/// Source: Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023), Figure 6.
pub fn matrix_triples_circuit(setting: &TripleSetting) -> CandidateCircuit {
    use CircuitNode::{Add, Candidate, Flood, Fresh, Multiply, MultiplyPlain, SwitchKey};
    let mut nodes = Vec::new();
    let mut push = |node| {
        nodes.push(node);
        nodes.len() - 1
    };
    let [a, b, mac_key] = [(); 3].map(|()| {
        let first = push(Fresh);
        let sum = (1..setting.parties).fold(first, |sum, _| {
            let other = push(Fresh);
            push(Add(sum, other))
        });
        push(Candidate(sum, 0))
    });
    for shared in [a, b] {
        let mac = push(Multiply(shared, mac_key));
        push(Flood(mac));
    }
    let mut copies = [a, push(SwitchKey(a))];
    let mut rows = b;
    // The first step moves nothing.
    let (first, second) = (push(Candidate(copies[1], 1)), push(Candidate(rows, 1)));
    let mut product = push(Multiply(first, second));
    for _ in 1..setting.dimension {
        copies = copies.map(|copy| push(SwitchKey(copy)));
        rows = push(SwitchKey(rows));
        let [left, right] = copies.map(|copy| push(MultiplyPlain(copy)));
        let columns = push(Add(left, right));
        let (left, right) = (push(Candidate(columns, 1)), push(Candidate(rows, 1)));
        let term = push(Multiply(left, right));
        product = push(Add(product, term));
    }
    let relinearised = push(SwitchKey(product));
    let product = push(Candidate(relinearised, 2));
    let mac = push(Multiply(product, mac_key));
    push(Flood(mac));
    push(Flood(product));
    CandidateCircuit::new(nodes).expect("operands come first, and candidates in order")
}

/// Largest log2(QP) for ternary secrets at 128 bits of security against classical attacks.
/// Source: Albrecht and others, "Homomorphic Encryption Standard" (ePrint 2019/939), Table 1, which the literature's parameters
/// are held against.
const STANDARD_OF_2018: [(usize, u32); 6] =
    [(1 << 10, 27), (1 << 11, 54), (1 << 12, 109), (1 << 13, 218), (1 << 14, 438), (1 << 15, 881)];

/// The parameters of a matrix triple's circuit under the settings of the literature, and under this library's.
///
/// The literature: bounds of six deviations, secrets of variance ½ and errors of 10.5, primes of up to 63 bits in words of 64,
/// three digits, a look-ahead of one level, and flooding by t·2^80, beside whatever noise there is. This gives its Table 1:
/// n = 32768, q of 600 bits, P of 240, switches 0, 1, 1.
///
/// This library: bounds that fail with a probability of at most 2^−128 all together, primes of up to 50 bits, as many digits as
/// make key switches fastest, the security table of 2024, flooding by 80 bits above the noise, by each party, and as many primes dropped as can be.
///
/// Source: Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023), §3.3, §4.3 and
/// Table 1.
///
/// # Errors
/// [`CandidateError`].
pub fn matrix_triples_table_1(setting: &TripleSetting) -> Result<[CandidateParams; 2], CandidateError> {
    let circuit = matrix_triples_circuit(setting);
    let modulus = Norm::from_log2(f64::from(setting.modulus_bits));
    let &TripleSetting { parties, flooding_bits, .. } = setting;
    let published = CandidateSearch {
        rules: AverageRules {
            modulus,
            deviations: 6.0,
            secret_variance: 0.5,
            error_variance: 10.5,
            flooding_bits,
        },
        word_bits: 63,
        digits: 3..=3,
        look_ahead: 1,
        drops_all: false,
        log2_ring_degrees: 10..=15,
        largest_log2_modulus: |degree| STANDARD_OF_2018.iter().find(|(n, _)| *n == degree).map(|(_, q)| *q),
    };
    let ours = CandidateSearch {
        rules: PromisedRules { modulus, parties, flooding_bits },
        word_bits: FAST_PRIME_BITS,
        digits: 1..=8,
        look_ahead: 1,
        drops_all: true,
        log2_ring_degrees: 10..=17,
        largest_log2_modulus: |degree| largest_log2_modulus(degree, 128),
    };
    Ok([published.run(&circuit)?, ours.run(&circuit)?])
}
