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
    circuit::{Arithmetic, Circuit, Expansion, FUNCTION_MODULUS, NoSchedule, expand, schedule_bgv},
    data::Schema,
    program::{Node, Program},
};

/// The widest plaintext modulus, in bits: data and results are words.
const MAX_PLAINTEXT_BITS: u32 = 60;
/// The width of the ciphertext primes: room for the lazy kernels at no cost.
const PRIME_BITS: u32 = 46;
/// The widths of the ciphertext primes of circuits with functions.
const FUNCTION_PRIME_BITS: [u32; 2] = [36, 40];
/// What settles at its level keeps the rounding's noise, of so many bits more than t at least.
const FUNCTION_ROUNDING_BITS: f64 = 9.0;
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
        for &prime_bits in widths(&graph) {
            let wanted = Wanted { graph: &graph, largest_value: &largest_value, prime_bits, largest };
            match at_ring_degree(&wanted, ring_degree, backend)? {
                Ok(candidate) => return Ok(candidate),
                Err(reason) => why = reason,
            }
        }
    }
    Err(GenerateError::TooDeep { security, largest: largest as u32, why })
}

/// What parameters are looked for.
struct Wanted<'a> {
    graph: &'a Arithmetic,
    largest_value: &'a BigUint,
    /// The width of the ciphertext primes.
    prime_bits: u32,
    /// The largest log2(QP).
    largest: f64,
}

/// The widths of ciphertext primes that are tried at each ring degree. Functions settle after every product, so that
/// primes of a product's growth waste the least.
fn widths(graph: &Arithmetic) -> &'static [u32] {
    if graph.has_functions() { &FUNCTION_PRIME_BITS } else { &[PRIME_BITS] }
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
    wanted: &Wanted,
    ring_degree: usize,
    backend: Backend,
) -> Result<Result<BgvCandidate, String>, GenerateError> {
    let &Wanted { graph, prime_bits, largest, .. } = wanted;
    let plaintext_modulus = match plaintext_modulus(wanted, ring_degree)? {
        Ok(t) => t,
        Err(reason) => return Ok(Err(reason)),
    };
    // Factors other than 1 cost functions nothing: their weights take them in.
    let step_bits = (plaintext_modulus as f64 * 2.0 * ring_degree as f64).log2();
    let keep_factors = step_bits <= LARGEST_STEP_BITS && prime_bits == PRIME_BITS;
    let multiple = if keep_factors { plaintext_modulus } else { 1 };
    let mut primes = Primes::new(ring_degree, &[plaintext_modulus]);
    let mut q = Vec::new();
    let mut why = format!("ring degree {ring_degree} holds no modulus at all");
    // A product at least adds the size of t to the noise's.
    let depth = graph.outputs.iter().map(|output| graph.nodes[output.node].depth).max().unwrap_or(0);
    let rounding_bits = if graph.has_functions() { FUNCTION_ROUNDING_BITS } else { 0.0 };
    let fewest_bits = (depth + 1) as f64 * ((plaintext_modulus as f64).log2() + rounding_bits);
    while q.len() < MAX_PRIMES {
        q.push(primes.below(prime_bits, multiple).or_else(|_| primes.below(prime_bits, 1))?);
        if log2_product(&q) > largest {
            if q.len() as f64 * f64::from(prime_bits) <= fewest_bits {
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

/// The plaintext modulus: the smallest that holds all values, or the one of functions.
fn plaintext_modulus(wanted: &Wanted, ring_degree: usize) -> Result<Result<u64, String>, GenerateError> {
    let twice = wanted.largest_value.to_u64().expect("checked to be narrow") * 2;
    if wanted.graph.has_functions() {
        if twice >= FUNCTION_MODULUS {
            return Err(GenerateError::FunctionValues {
                largest_value: twice / 2,
                modulus: FUNCTION_MODULUS,
            });
        }
        let batches = (FUNCTION_MODULUS - 1).is_multiple_of(2 * ring_degree as u64);
        return Ok(if batches {
            Ok(FUNCTION_MODULUS)
        } else {
            Err(format!(
                "the plaintext modulus {FUNCTION_MODULUS} of functions has no slots at ring degree {ring_degree}"
            ))
        });
    }
    let t = Primes::new(ring_degree, &[]).above(twice).filter(|t| t >> MAX_PLAINTEXT_BITS == 0);
    Ok(t.ok_or_else(|| {
        format!("no plaintext modulus of {MAX_PLAINTEXT_BITS} bits batches at ring degree {ring_degree}")
    }))
}
