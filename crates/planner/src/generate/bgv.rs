//! BGV parameters.

use asanoha_bgv::{BgvError, BgvLiteral, BgvParams};
use asanoha_kernels::Backend;
use asanoha_lattice::RlweLiteral;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::{
    GenerateError, LOG2_RING_DEGREES, MAX_PRIMES, choose_digits, largest_modulus, log2_product,
    primes::Primes,
};
use crate::{
    circuit::{Arithmetic, Circuit, Expansion, NoSchedule, expand, schedule_bgv},
    data::Schema,
    program::{Node, Program},
};

/// The widest plaintext modulus, in bits: data and results are words.
const MAX_PLAINTEXT_BITS: u32 = 60;
/// The width of the ciphertext primes: room for the lazy kernels at no cost.
const PRIME_BITS: u32 = 46;
/// Primes are taken ≡ 1 modulo t too, which keeps all correction factors 1, as long as enough of them exist.
const LARGEST_STEP_BITS: f64 = 36.0;

/// Parameters and a schedule.
#[derive(Clone, Debug)]
pub struct BgvCandidate {
    /// The parameters.
    pub params: BgvParams,
    /// The schedule at these parameters.
    pub circuit: Circuit,
}

/// The smallest BGV parameters that compute a program exactly.
pub fn generate_bgv(
    program: &Program,
    schema: &Schema,
    security: u32,
    backend: Backend,
) -> Result<BgvCandidate, GenerateError> {
    let graph = expand(program, schema, Expansion::Exact)?;
    let largest_value = largest_value(program, schema, &graph)?;
    let mut why = String::from("no ring is large enough");
    let mut largest = 0.0;
    for log2_n in LOG2_RING_DEGREES {
        let ring_degree = 1 << log2_n;
        largest = largest_modulus(ring_degree, security)?;
        match at_ring_degree(&graph, &largest_value, ring_degree, largest, backend)? {
            Ok(candidate) => return Ok(candidate),
            Err(reason) => why = reason,
        }
    }
    Err(GenerateError::TooDeep { security, largest: largest as u32, why })
}

/// The largest absolute value that must survive reduction modulo t: of an input or an output. What stands between
/// may wrap around.
fn largest_value(program: &Program, schema: &Schema, graph: &Arithmetic) -> Result<BigUint, GenerateError> {
    let ranges = program.ranges(schema).map_err(crate::circuit::ExpandError::from)?;
    let inputs = program
        .iter()
        .filter(|(_, node)| matches!(node, Node::Input(_)))
        .map(|(id, _)| ranges[id.0].max_abs());
    let outputs = program
        .outputs()
        .iter()
        .zip(&graph.outputs)
        .map(|((_, id), output)| ranges[id.0].max_abs() / output.factor.abs());
    let largest = inputs.chain(outputs).max().unwrap_or_else(BigRational::one).ceil().to_integer();
    let magnitude = largest.magnitude().clone();
    let needed = magnitude.bits() + 1;
    if needed >= u64::from(MAX_PLAINTEXT_BITS) {
        return Err(GenerateError::ValuesTooLarge {
            value_bits: magnitude.bits(),
            needed,
            largest: MAX_PLAINTEXT_BITS,
        });
    }
    Ok(magnitude)
}

/// Parameters of a ring degree, or why there are none.
fn at_ring_degree(
    graph: &Arithmetic,
    largest_value: &BigUint,
    ring_degree: usize,
    largest: f64,
    backend: Backend,
) -> Result<Result<BgvCandidate, String>, GenerateError> {
    let twice = largest_value.to_u64().expect("checked to be narrow") * 2;
    let t = Primes::new(ring_degree, &[]).above(twice).filter(|t| t >> MAX_PLAINTEXT_BITS == 0);
    let Some(plaintext_modulus) = t else {
        return Ok(Err(format!(
            "no plaintext modulus of {MAX_PLAINTEXT_BITS} bits batches at ring degree {ring_degree}"
        )));
    };
    let step_bits = (plaintext_modulus as f64 * 2.0 * ring_degree as f64).log2();
    let multiple = if step_bits <= LARGEST_STEP_BITS { plaintext_modulus } else { 1 };
    let mut primes = Primes::new(ring_degree, &[plaintext_modulus]);
    let mut q = Vec::new();
    let mut why = format!("ring degree {ring_degree} holds no modulus at all");
    // A product at least adds the size of t to the noise's.
    let depth = graph.outputs.iter().map(|output| graph.nodes[output.node].depth).max().unwrap_or(0);
    let fewest_bits = (depth + 1) as f64 * (plaintext_modulus as f64).log2();
    while q.len() < MAX_PRIMES {
        q.push(primes.below(PRIME_BITS, multiple).or_else(|_| primes.below(PRIME_BITS, 1))?);
        if log2_product(&q) > largest {
            if q.len() as f64 * f64::from(PRIME_BITS) <= fewest_bits {
                why = format!(
                    "{depth} products modulo a t of {:.0} bits need log2(Q) of at least {fewest_bits:.0}",
                    (plaintext_modulus as f64).log2()
                );
            }
            break;
        }
        if log2_product(&q) < fewest_bits {
            continue;
        }
        let Some((digits, p_primes)) = choose_digits(&q, &primes, largest)? else { continue };
        let rlwe = RlweLiteral {
            ring_degree,
            q_primes: q.clone(),
            p_primes,
            digits,
            noise_factor: plaintext_modulus.to_string(),
            insecure: false,
        };
        let params = BgvLiteral::new(rlwe, plaintext_modulus)
            .check(backend)
            .map_err(|error| GenerateError::Refused(error.to_string()))?;
        match schedule_bgv(graph, &params) {
            Ok(circuit) => return Ok(Ok(BgvCandidate { params, circuit })),
            Err(NoSchedule::MoreLevels) => why = format!("{} primes are too few", q.len()),
            Err(NoSchedule::Fails(error @ BgvError::OutOfModulus { .. })) => why = error.to_string(),
            Err(NoSchedule::Fails(error)) => return Err(GenerateError::Refused(error.to_string())),
        }
    }
    Ok(Err(why))
}
