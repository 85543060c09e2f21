//! CKKS parameters.

use std::collections::BTreeSet;

use asanoha_ckks::{CkksLiteral, CkksParams, rescaling_primes};
use asanoha_compile::{Circuit, Expansion, Fitted, Graph, GraphNode, Layout, expand, fit_bits};
use asanoha_kernels::Backend;
use asanoha_lang::{Analysed, NodeId};
use asanoha_lattice::Level;
use asanoha_numeric::precision::Precision;
use asanoha_scheme::{FAST_PRIME_BITS, Primes, Scheme as _, SwitchLevels, choose_digits, log2_product};

use crate::ckks::bootstrapped::{BootstrapSearch, Bootstrapped};
use crate::ckks::errors::{published_errors, unabsorbed_bits};
use crate::ckks::schedule::schedule_ckks;
use crate::error::{GenerateError, NoSchedule, too_small};
use crate::hints::{ScheduleHints, SearchResult};
use crate::progress::SearchProgress;
use crate::rings::{MAX_PRIMES, NO_SECURITY, rings};
use crate::scheme_name::SchemeName;

/// The scale that's tried first, as log2.
const FIRST_SCALE: u32 = 40;
const SMALLEST_SCALE: u32 = 30;
/// Scales are as wide as rescaling primes, which the fast kernels take up to here; wider ones take the slower kernels.
const LARGEST_SCALE: u32 = 58;
/// Programs of so little depth are tried at smaller scales too, in steps of so many bits, where a ring doesn't hold the first one.
const SHALLOW: usize = 2;
const SCALE_STEP: u32 = 3;
/// Room above the largest value, in bits: its sign, and noise.
const HEADROOM_BITS: f64 = 2.0;
/// The narrowest prime at the bottom of the modulus.
const NARROWEST_PRIME_BITS: f64 = 30.0;

/// The smallest CKKS parameters that compute a program to a precision, which results that are published with so many bits of
/// statistical security have too.
pub fn generate_ckks(
    analysed: &Analysed<'_>,
    (precision, publish): (Precision, Option<u32>),
    security: u32,
    backend: Backend,
    progress: &SearchProgress,
) -> Result<SearchResult<CkksParams>, GenerateError> {
    let tolerances = tolerances(analysed, precision)?;
    let fit_bits = fit_bits(analysed, &Fitted::new(analysed, precision), &tolerances);
    let graph = expand(analysed, Expansion::Real { fit_bits: &fit_bits, precision })?;

    let search = BootstrapSearch {
        graph: &graph,
        security,
        tolerances: &tolerances,
        fit_bits: &fit_bits,
        publish,
        backend,
        progress,
    };
    let mut why = String::from("no ring is large enough");
    let mut largest = 0.0;
    let mut imprecise = None;
    let (insecure, switches) = (security == NO_SECURITY, graph.switches_keys());
    let switched = if switches { SwitchLevels::All } else { SwitchLevels::None };
    for (log2_n, most) in rings(security)? {
        let ring = Ring { degree: 1 << log2_n, largest: most, insecure, switched };
        progress.at(SchemeName::Ckks, log2_n);
        largest = most;
        let mut scale = FIRST_SCALE;
        let mut tried = Vec::new();
        let mut found: Option<SearchResult<CkksParams>> = None;
        while !tried.contains(&scale) {
            tried.push(scale);
            let (params, circuit, floor) = match at_scale(&graph, &ring, scale, backend, progress)? {
                Ok(found) => found,
                // A smaller scale may fit the ring, and be enough.
                Err(reason) if graph.depth() <= SHALLOW && scale > SMALLEST_SCALE => {
                    why = reason;
                    scale = scale.saturating_sub(SCALE_STEP).max(SMALLEST_SCALE);
                    continue;
                }
                Err(reason) => {
                    why = reason;
                    break;
                }
            };
            let errors =
                published_errors(&circuit, &params, Layout::new(analysed.rows(), params.slots()), publish);
            let excess = circuit.outputs.iter().zip(errors.iter().zip(&tolerances));
            let excess = excess.map(|(output, (error, tolerance))| {
                let noise = error - output.approximation;
                if *error <= *tolerance && noise == 0.0 {
                    f64::NEG_INFINITY
                } else {
                    (noise / (tolerance - output.approximation).max(0.0)).log2()
                }
            });
            let excess = excess.fold(unabsorbed_bits(&circuit, &params), f64::max);
            if excess <= 0.0 {
                let hints =
                    ScheduleHints { floor, fit_bits: fit_bits.clone(), publish, ..ScheduleHints::default() };
                found = Some(SearchResult { params, circuit, hints });
            } else if scale >= LARGEST_SCALE {
                let least = imprecise.as_ref().and_then(GenerateError::missing_bits);
                // The ring that comes nearest is told.
                if least.is_none_or(|least| excess < least) {
                    imprecise = Some(GenerateError::Precision {
                        wanted: precision,
                        missing_bits: excess,
                        largest_scale: LARGEST_SCALE,
                        publish,
                    });
                }
            }
            // A bit of scale is a bit of precision.
            let next = f64::from(scale) + (excess + 0.2).ceil();
            scale = (next.max(0.0) as u32).clamp(SMALLEST_SCALE, LARGEST_SCALE);
        }
        if let Some(leveled) = found {
            return search.cheaper(leveled);
        }
    }
    match search.least()? {
        Bootstrapped::SearchResult(found) => Ok(*found),
        Bootstrapped::Imprecise { missing_bits, largest_scale } => {
            let bootstrapped =
                GenerateError::Precision { wanted: precision, missing_bits, largest_scale, publish };
            Err(match imprecise {
                Some(leveled) if leveled.missing_bits() < Some(missing_bits) => leveled,
                _ => bootstrapped,
            })
        }
        Bootstrapped::Impossible { why: bootstrapped } => {
            let why = format!("{why}; and with bootstrapping: {bootstrapped}");
            Err(imprecise.unwrap_or(GenerateError::TooDeep { security, largest: largest as u32, why }))
        }
    }
}

/// The schedule of a program at given parameters.
pub(crate) fn schedule_ckks_at(
    analysed: &Analysed<'_>,
    precision: Precision,
    params: &CkksParams,
    hints: &ScheduleHints,
) -> Result<Circuit, GenerateError> {
    let Level(highest) = params.max_level();
    if hints.floor > highest {
        return Err(GenerateError::Unfit(format!(
            "values can't stay at level {} or above, for the highest is {highest}",
            hints.floor
        )));
    }
    let graph = expand(analysed, Expansion::Real { fit_bits: &hints.fit_bits, precision })?;
    if let Some(at) = hints.bootstraps.iter().find(|at| **at >= graph.nodes.len()) {
        return Err(GenerateError::Unfit(format!("the program has no operation {at} to bootstrap")));
    }
    let circuit = schedule_ckks(&graph, params, hints.floor, &hints.bootstraps)?;
    let tolerances = tolerances(analysed, precision)?;
    let layout = Layout::new(analysed.rows(), params.slots());
    let errors = published_errors(&circuit, params, layout, hints.publish);
    let off = circuit.outputs.iter().zip(errors.iter().zip(&tolerances));
    let unabsorbed = unabsorbed_bits(&circuit, params);
    if unabsorbed > 0.0 {
        let above = format!(
            "the noise of a function's operand is {unabsorbed:.1} bits above what its polynomial is for"
        );
        return Err(GenerateError::Unfit(above));
    }
    // What isn't a number is not within the tolerance either.
    match off.clone().find(|(_, (error, tolerance))| error.is_nan() || error > tolerance) {
        None => Ok(circuit),
        Some((output, (error, tolerance))) => Err(GenerateError::Unfit(format!(
            "`{}` may be off by {error:.3e}, and {tolerance:.3e} is asked",
            output.name
        ))),
    }
}

/// The largest error that each output may have. Double precision must hold the outputs, and the precision that is
/// relative to them.
fn tolerances(analysed: &Analysed<'_>, precision: Precision) -> Result<Vec<f64>, GenerateError> {
    let tolerance = |(name, id): &(String, NodeId)| {
        let range = analysed.range(*id);
        let bound = range.log2_bound().unwrap_or(0);
        let tolerance = precision.tolerance(range);
        let is_held =
            range.max_abs_f64().is_finite() && (range.log2_bound().is_none() || tolerance.is_normal());
        is_held.then_some(tolerance).ok_or_else(|| GenerateError::BeyondDoubles { name: name.clone(), bound })
    };
    analysed.program().outputs().iter().map(tolerance).collect()
}

/// A ring that is tried.
struct Ring {
    degree: usize,
    /// The largest log2(QP).
    largest: f64,
    /// Whether parameters are marked insecure.
    insecure: bool,
    /// Where keys are switched.
    switched: SwitchLevels,
}

/// Parameters of the fewest primes in a ring and at a scale, a schedule, and the level where values of degree 1 end; or why
/// there are none.
fn at_scale(
    graph: &Graph,
    ring: &Ring,
    scale: u32,
    backend: Backend,
    progress: &SearchProgress,
) -> Result<Result<(CkksParams, Circuit, usize), String>, GenerateError> {
    // The bottom of the modulus holds the results; values at higher levels have more room.
    let bound = graph.outputs.iter().map(|output| graph.nodes[output.node].bound()).fold(1.0, f64::max);
    let widest =
        graph.nodes.iter().map(GraphNode::bound).filter(|bound| bound.is_finite()).fold(bound, f64::max);
    // A multiplication next to an output may be left to the decrypting side.
    let fewest_levels = graph.depth().max(1);
    let mut bottom_bits = bound.log2() + f64::from(scale) + HEADROOM_BITS;
    let mut why = format!("ring degree {} holds no modulus at all", ring.degree);
    while bottom_bits <= widest.log2() + f64::from(scale) + 2.0 * HEADROOM_BITS + 5.0 {
        // q₀ takes what is left beside primes as wide as the scale, which keep the scales of all levels canonical.
        let beside = (bottom_bits - f64::from(FAST_PRIME_BITS)).max(0.0);
        let floor = (beside / f64::from(scale)).ceil() as usize;
        let mut fits = true;
        let mut levels = fewest_levels;
        while fits && levels + floor <= MAX_PRIMES {
            let Some(params) = params(ring, scale, bottom_bits, floor, levels, backend)? else {
                let log2_q = bottom_bits + (levels as f64 - 1.0) * f64::from(scale);
                why = format!("{levels} levels of {scale} bits make log2(Q) about {log2_q:.0}");
                fits = false;
                continue;
            };
            progress.add_schedule()?;
            match schedule_ckks(graph, &params, floor, &BTreeSet::new()) {
                Ok(circuit) => return Ok(Ok((params, circuit, floor))),
                Err(NoSchedule::MoreLevels) => {
                    why = format!("{levels} levels of {scale} bits are too few");
                    levels += 1;
                }
                Err(NoSchedule::Fails(error)) => {
                    why = too_small(&error)?;
                    break;
                }
            }
        }
        if !fits {
            break;
        }
        bottom_bits += 5.0;
    }
    Ok(Err(why))
}

/// Parameters of `floor` + `levels` primes whose canonical scales all stay near 2^scale; `None` if they aren't
/// secure. One level is no rescaling at all.
fn params(
    &Ring { degree, largest, insecure, switched }: &Ring,
    scale: u32,
    bottom_bits: f64,
    floor: usize,
    levels: usize,
    backend: Backend,
) -> Result<Option<CkksParams>, GenerateError> {
    let mut primes = Primes::new(degree, &[]);
    let lowest = (bottom_bits - floor as f64 * f64::from(scale)).max(NARROWEST_PRIME_BITS);
    if bottom_bits + (levels as f64 - 1.0) * f64::from(scale) > largest {
        return Ok(None);
    }
    let rescaling = rescaling_primes(&mut primes, &vec![f64::from(scale); floor + levels])?;
    let mut q = vec![primes.nearest(lowest.exp2(), 1)?];
    q.extend(rescaling);
    let Some(mut rlwe) = choose_digits(&q, &primes, largest, switched, None)? else {
        return Ok(None);
    };
    rlwe.insecure = insecure;
    debug_assert!(log2_product(&q) <= largest);
    let literal = CkksLiteral::new(rlwe, f64::from(scale));
    literal.check(backend).map(Some).map_err(|error| GenerateError::Refused(error.to_string()))
}
