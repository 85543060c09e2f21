//! What the searches for BGV's and BFV's parameters share.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use asanoha_compile::{
    Circuit, Expansion, FUNCTION_MODULUS, Graph, MAX_FUNCTION_MODULUS_BITS, Prepared, common_modulus, expand,
    expand_sharing,
};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Node, Range};
use asanoha_lattice::Norm;
use asanoha_scheme::{
    FAST_PRIME_BITS, JsonInteger, PlaintextSpace, Primes, SwitchLevels, choose_digits, log2_product,
};
use asanoha_table::MAX_WHOLE_BITS;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use crate::backend::Request;
use crate::error::{GenerateError, NoSchedule, too_small};
use crate::exact::integer_bits::integer_bits;
use crate::exact::schedule::schedule_exact;
use crate::exact::switches::switched_down;
use crate::hints::{ScheduleHints, SearchResult};
use crate::progress::SearchProgress;
use crate::rings::{MAX_PRIMES, NO_SECURITY, rings};
use crate::slots::numbers::{Plaintexts, PlannedExact};

/// The widest plaintext modulus, in bits.
const MAX_PLAINTEXT_BITS: u64 = MAX_WHOLE_BITS;
/// The width of the ciphertext primes: room for the lazy kernels at no cost.
const PRIME_BITS: u32 = 46;
/// The widths of the ciphertext primes where every ciphertext has one number, whose noise is small: narrow ones leave room for
/// one product more in small rings.
const ONE_NUMBER_PRIME_BITS: [u32; 2] = [PRIME_BITS, 36];
/// The widths of the ciphertext primes of circuits with functions, above t's and at most [`FAST_PRIME_BITS`]: they settle
/// after every product, so that primes of a product's growth waste the least.
const FUNCTION_PRIME_BITS: [u32; 2] = [20, 24];
/// What settles at its level keeps the rounding's noise, which has at least this many bits more than t.
const FUNCTION_ROUNDING_BITS: f64 = 9.0;
/// Primes are taken ≡ 1 modulo t too where the scheme likes that, as long as enough of them exist.
const LARGEST_STEP_BITS: f64 = 36.0;

/// More bits than an integer of one ciphertext has in any ring.
const MAX_INTEGER_BITS: f64 = (1 << 20) as f64;
/// The most ciphertexts of a column of few slots or of one number in each: a ciphertext is as large as one with all slots.
const MOST_FEW_SLOTS: usize = 1 << 10;

/// A search for the smallest parameters that compute a program exactly, for one scheme after another: what they share is
/// made once.
pub(crate) struct ExactSearch<'a> {
    request: Request<'a>,
    made: &'a mut Made,
}

/// What the searches for several schemes share.
#[derive(Default)]
pub(crate) struct Made {
    /// The modulus of all results, if they have one.
    common: OnceCell<Option<BigUint>>,
    /// The program's graph, by the modulus of its functions.
    graphs: HashMap<u64, Graph>,
    /// The plaintexts, by the ring degree.
    spaces: HashMap<usize, Result<PlaintextSpace, String>>,
}

impl<'a> ExactSearch<'a> {
    /// A search for a program in whole numbers, with what earlier ones for other schemes made.
    pub(crate) fn new(request: &Request<'a>, made: &'a mut Made) -> Self {
        Self { request: *request, made }
    }

    /// The smallest parameters of a scheme: of slots modulo an integer, or of ciphertexts of one number each, where numbers are
    /// wide and rows few.
    pub(crate) fn generate<S: PlannedExact>(&mut self) -> Result<SearchResult<S>, GenerateError> {
        let analysed = self.request.analysed;
        let common = self.made.common.get_or_init(|| common_modulus(analysed)).clone();
        let graph = self.graph(FUNCTION_MODULUS)?;
        let least_t = match &common {
            Some(modulus) => modulus.clone(),
            None => least_modulus(analysed, graph)?,
        };
        let is_wide = least_t.bits() > u64::from(u64::BITS);
        let alone = S::HAS_ONE_NUMBER && is_wide && !graph.has_functions();
        let least_alone = match &common {
            _ if !alone => None,
            None => Some(least_t.clone()),
            Some(_) => least_integers(analysed, graph),
        };
        let rows = analysed.rows();
        if alone && common.is_none() && least_t.bits() > MAX_PLAINTEXT_BITS && rows > MOST_FEW_SLOTS {
            let value_bits = least_t.bits() - 1;
            return Err(GenerateError::WideRows { value_bits, rows, most: MOST_FEW_SLOTS });
        }
        let slots = self.generate_slots::<S>(&least_t, common.is_some());
        let Some(least_alone) = least_alone.filter(|_| rows <= MOST_FEW_SLOTS) else { return slots };
        let alone = self.generate_one_number::<S>(&least_alone, common);
        let words = |found: &SearchResult<S>| {
            let rlwe = found.params.rlwe();
            let ciphertexts = rows.div_ceil(found.params.slots());
            ciphertexts * rlwe.ring_degree() * (rlwe.max_level().0 + 1)
        };
        match (slots, alone) {
            (Ok(slots), Ok(alone)) => Ok(if words(&slots) <= words(&alone) { slots } else { alone }),
            (Err(GenerateError::ValuesTooLarge { .. }), alone) => alone,
            (slots, alone) => slots.or(alone),
        }
    }

    /// The smallest parameters with one number in every ciphertext, to be reduced modulo another one if that's given.
    fn generate_one_number<S: PlannedExact>(
        &mut self,
        least: &BigUint,
        reduced: Option<BigUint>,
    ) -> Result<SearchResult<S>, GenerateError> {
        let Request { security, kernels, progress, .. } = self.request;
        let (graph, insecure) = (self.graph(FUNCTION_MODULUS)?, security == NO_SECURITY);
        let (mut widest, mut last, mut why) = (0, 0.0, None);
        for (log2_n, largest) in rings(security)? {
            let ring_degree = 1 << log2_n;
            (widest, last) = (ring_degree, largest);
            // 2^N + 1 has N + 1 bits.
            if least.bits() > ring_degree as u64 {
                continue;
            }
            progress.at(S::SCHEME, log2_n);
            for prime_bits in ONE_NUMBER_PRIME_BITS {
                let functions = false;
                let search = Search {
                    graph,
                    functions,
                    ring_degree,
                    prime_bits,
                    largest,
                    insecure,
                    kernels,
                    progress,
                };
                match search.run::<S>(Plaintexts::OneNumber)? {
                    Ok(found) => {
                        let mut found = switched_down(graph, found, progress);
                        found.hints.modular = reduced.is_some();
                        found.hints.reduced = reduced.map(JsonInteger);
                        return Ok(found);
                    }
                    Err(reason) => why = Some(reason),
                }
            }
        }
        let (value_bits, needed) = (least.bits() - 1, least.bits());
        Err(match why {
            Some(why) => GenerateError::TooDeep { security, largest: last as u32, why },
            None => GenerateError::ValuesTooLarge { value_bits, needed, largest: widest as u64 },
        })
    }

    /// The smallest parameters with slots of an integer modulus.
    fn generate_slots<S: PlannedExact>(
        &mut self,
        least_t: &BigUint,
        is_given: bool,
    ) -> Result<SearchResult<S>, GenerateError> {
        let Request { security, kernels, progress, .. } = self.request;
        let graph = self.graph(FUNCTION_MODULUS)?;
        let (functions, depth) = (graph.has_functions(), graph.depth());
        if !is_given && least_t.bits() > MAX_PLAINTEXT_BITS {
            return Err(GenerateError::ValuesTooLarge {
                value_bits: least_t.bits() - 1,
                needed: least_t.bits(),
                largest: MAX_PLAINTEXT_BITS,
            });
        }
        let mut why = String::from("no ring is large enough");
        let mut largest = 0.0;
        let insecure = security == NO_SECURITY;
        for (log2_n, most) in rings(security)? {
            let ring_degree = 1 << log2_n;
            largest = most;
            // Before a plaintext modulus is looked for, which takes long where it's large. Functions are of words, and as deep as
            // the modulus makes them.
            if let (false, Err(reason)) = (functions, holds(depth, Norm::from(least_t), functions, largest)) {
                why = reason;
                continue;
            }
            let space = match self.space(least_t, ring_degree, functions, is_given) {
                Ok(space) => space,
                Err(reason) => {
                    why = reason;
                    continue;
                }
            };
            let modulus = if functions { word(space.modulus()) } else { FUNCTION_MODULUS };
            progress.at(S::SCHEME, log2_n);
            let graph = self.graph(modulus)?;
            let t_bits = Norm::from(space.modulus()).log2() as u32;
            let function_widths = FUNCTION_PRIME_BITS.map(|bits| (t_bits + bits).min(FAST_PRIME_BITS));
            for &prime_bits in if functions { &function_widths[..] } else { &[PRIME_BITS] } {
                let search = Search {
                    graph,
                    functions,
                    ring_degree,
                    prime_bits,
                    largest,
                    insecure,
                    kernels,
                    progress,
                };
                match search.run::<S>(Plaintexts::Integers(&space))? {
                    Ok(candidate) => {
                        let mut found = switched_down(graph, candidate, progress);
                        found.hints.modular = is_given;
                        return Ok(found);
                    }
                    Err(reason) => why = reason,
                }
            }
        }
        Err(GenerateError::TooDeep { security, largest: largest as u32, why })
    }

    fn graph(&mut self, modulus: u64) -> Result<&Graph, GenerateError> {
        Ok(match self.made.graphs.entry(modulus) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let expansion = match self.made.common.get() {
                    Some(Some(modulus)) => Expansion::Modular { modulus },
                    _ => Expansion::Exact { modulus },
                };
                new.insert(expand(self.request.analysed, expansion)?)
            }
        })
    }

    /// The plaintexts of the smallest modulus with slots that holds all values, or of the modulus itself.
    fn space(
        &mut self,
        least: &BigUint,
        ring_degree: usize,
        functions: bool,
        is_given: bool,
    ) -> Result<PlaintextSpace, String> {
        let Request { analysed, kernels, progress, .. } = self.request;
        let make = || {
            if is_given {
                return modular_space(least, ring_degree, analysed.rows(), kernels);
            }
            progress.at_prime_above(least);
            let most = if functions { MAX_FUNCTION_MODULUS_BITS } else { MAX_PLAINTEXT_BITS };
            let space = PlaintextSpace::of_prime_above(ring_degree, &(least - 1u32), most, kernels);
            space.ok_or_else(|| {
                format!("no plaintext modulus of {most} bits batches at ring degree {ring_degree}")
            })
        };
        self.made.spaces.entry(ring_degree).or_insert_with(make).clone()
    }
}

/// The plaintexts modulo a given number: its slots, or one number where it has one.
fn modular_space(
    modulus: &BigUint,
    ring_degree: usize,
    rows: usize,
    kernels: Kernels,
) -> Result<PlaintextSpace, String> {
    let space =
        PlaintextSpace::of_numbers(ring_degree, modulus, kernels).map_err(|error| error.to_string())?;
    let count = rows.div_ceil(space.values());
    if count > MOST_FEW_SLOTS {
        let slots = space.values();
        return Err(format!(
            "a column of {rows} rows modulo {modulus} takes {count} ciphertexts of {slots} numbers, above the limit of {MOST_FEW_SLOTS}"
        ));
    }
    Ok(space)
}

/// A plaintext modulus of functions.
fn word(t: &BigUint) -> u64 {
    t.to_u64().expect("moduli of functions are words")
}

/// The fewest bits of a modulus that products of so much depth leave room in, if that's less than the largest one: a product at
/// least adds the size of t to the noise's.
fn holds(depth: usize, t: Norm, functions: bool, largest: f64) -> Result<f64, String> {
    let t_bits = t.log2().max(1.0);
    let rounding_bits = if functions { FUNCTION_ROUNDING_BITS } else { 0.0 };
    let fewest_bits = (depth + 1) as f64 * (t_bits + rounding_bits);
    if fewest_bits > largest {
        return Err(format!(
            "{depth} products modulo a t of {t_bits:.0} bits need log2(Q) of at least {fewest_bits:.0}"
        ));
    }
    Ok(fewest_bits)
}

/// The schedule of a program at given parameters, whose plaintext modulus must hold all inputs and outputs.
pub(crate) fn schedule_exact_at<S: PlannedExact>(
    analysed: &Analysed<'_>,
    params: &S,
    hints: &ScheduleHints,
    prepared: &Prepared,
) -> Result<Circuit, GenerateError> {
    let t = params.plaintext_modulus();
    let word = t.to_u64();
    let modulus = word.unwrap_or(FUNCTION_MODULUS);
    let common = if hints.modular { common_modulus(analysed) } else { None };
    let reduced = hints.reduced.as_ref().map(|modulus| &modulus.0);
    let modulus_of_results = reduced.unwrap_or(t);
    if hints.modular && common.as_ref() != Some(modulus_of_results) || reduced.is_some() && !hints.modular {
        let why = format!("its results aren't all of one modulus, and it's {modulus_of_results}");
        return Err(GenerateError::Unfit(why));
    }
    let expansion = match &common {
        Some(modulus) => Expansion::Modular { modulus },
        None => Expansion::Exact { modulus },
    };
    let graph = expand_sharing(analysed, expansion, prepared)?;
    let least = match (&common, reduced) {
        (None, _) => least_modulus(analysed, &graph)?,
        (Some(modulus), None) => modulus.clone(),
        (Some(_), Some(_)) => least_integers(analysed, &graph)
            .ok_or_else(|| GenerateError::Unfit("its results aren't sums and products".to_owned()))?,
    };
    if *t < least || graph.has_functions() && word.is_none() {
        return Err(GenerateError::Unfit(format!(
            "its columns and results need a plaintext modulus of at least {least}, and it's {t}"
        )));
    }
    if let Some((at, _)) = hints.levels.iter().find(|(at, _)| **at >= graph.nodes.len()) {
        return Err(GenerateError::Unfit(format!("operation {at} is at a level and isn't there")));
    }
    Ok(schedule_exact(&graph, params, &hints.levels)?)
}

/// The least plaintext modulus that inputs and outputs survive; what stands between may wrap around. In programs with
/// functions, for which every bit counts, that's as many residues as a range has numbers, else twice the largest
/// absolute value.
fn least_modulus(analysed: &Analysed<'_>, graph: &Graph) -> Result<BigUint, GenerateError> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    let inputs = program
        .iter()
        .filter(|(_, node)| matches!(node, Node::Input(_)))
        .map(|(id, _)| (&ranges[id.0], BigRational::one()));
    let outputs = program
        .outputs()
        .iter()
        .zip(&graph.outputs)
        .map(|((_, id), output)| (&ranges[id.0], output.factor.abs()));
    let functions = graph.has_functions();
    let largest = inputs.chain(outputs).map(|(range, factor)| {
        if functions { (range.hi() - range.lo()) / factor } else { range.max_abs() / factor }
    });
    let largest = largest.max().unwrap_or_else(BigRational::one).ceil().to_integer();
    let magnitude = largest.magnitude().clone();
    if functions {
        let least = (magnitude + 1u32).max(FUNCTION_MODULUS.into());
        if least.bits() >= MAX_FUNCTION_MODULUS_BITS {
            return Err(GenerateError::FunctionValues {
                bits: least.bits(),
                most: MAX_FUNCTION_MODULUS_BITS - 1,
            });
        }
        return Ok(least);
    }
    Ok(magnitude * 2u32 + 1u32)
}

/// The least modulus that the results of a program modulo a number survive as integers: a little more than twice their magnitude. `None`
/// where they aren't made of sums and products, or are wider than all rings.
fn least_integers(analysed: &Analysed<'_>, graph: &Graph) -> Option<BigUint> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    let inputs = program.iter().filter(|(_, node)| matches!(node, Node::Input(_)));
    let inputs: Vec<&Range> = inputs.map(|(id, _)| &ranges[id.0]).collect();
    let bits = integer_bits(graph, &inputs)?.ceil();
    (bits < MAX_INTEGER_BITS).then(|| BigUint::one() << (bits as u64 + 1))
}

/// A search at one ring degree, among primes of one width.
struct Search<'a> {
    graph: &'a Graph,
    /// Whether the graph has functions of whole numbers.
    functions: bool,
    ring_degree: usize,
    /// The width of the ciphertext primes.
    prime_bits: u32,
    /// The largest log2(QP).
    largest: f64,
    /// Whether the parameters are marked insecure.
    insecure: bool,
    kernels: Kernels,
    progress: &'a SearchProgress,
}

impl Search<'_> {
    /// Parameters with the fewest primes, or why there are none.
    fn run<S: PlannedExact>(
        &self,
        plaintexts: Plaintexts<'_>,
    ) -> Result<Result<SearchResult<S>, String>, GenerateError> {
        let Self { graph, ring_degree, largest, .. } = *self;
        let fewest_bits = match holds(graph.depth(), plaintexts.modulus_norm(), self.functions, largest) {
            Ok(fewest) => fewest,
            Err(why) => return Ok(Err(why)),
        };
        let (q, special) = self.primes(plaintexts, S::PRIMES_MODULO_T)?;
        let levels = match graph.switches_keys() {
            false => SwitchLevels::None,
            true if S::SWITCHES_MODULI || self.functions => SwitchLevels::All,
            true => SwitchLevels::Highest,
        };
        let cut = |count: usize| choose_digits(&q[..count], &special, largest, levels, None);
        let mut most = q.len();
        while most > 0 && cut(most)?.is_none() {
            most -= 1;
        }
        let try_count = |count: usize| -> Result<Result<SearchResult<S>, String>, GenerateError> {
            let Some(mut rlwe) = cut(count)? else {
                return Ok(Err(format!("with {count} primes no bits are left for special ones")));
            };
            rlwe.insecure = self.insecure;
            let params = S::checked(rlwe, plaintexts, self.kernels).map_err(GenerateError::Refused)?;
            self.progress.add_schedule()?;
            match schedule_exact(graph, &params, &BTreeMap::new()) {
                Ok(circuit) => Ok(Ok(SearchResult { params, circuit, hints: ScheduleHints::default() })),
                Err(NoSchedule::MoreLevels) => Ok(Err(format!("{count} primes are too few"))),
                Err(NoSchedule::Fails(error)) => too_small(&error).map(Err),
            }
        };
        if most == 0 {
            return Ok(Err(format!("ring degree {ring_degree} holds no modulus at all")));
        }
        // All primes that are secure first: where they're too few, so are all others.
        let mut best = match try_count(most)? {
            Ok(candidate) => candidate,
            Err(why) => return Ok(Err(why)),
        };
        let enough = |count: &usize| log2_product(&q[..*count]) >= fewest_bits;
        let (mut fewest, mut count) = ((1..=most).find(enough).unwrap_or(most), most);
        while fewest < count {
            let middle = usize::midpoint(fewest, count);
            match try_count(middle)? {
                Ok(candidate) => (best, count) = (candidate, middle),
                Err(_) => fewest = middle + 1,
            }
        }
        Ok(Ok(best))
    }

    /// As many ciphertext primes as the largest modulus holds, the widest first, and what's left for special primes.
    fn primes(
        &self,
        plaintexts: Plaintexts<'_>,
        modulo_t: bool,
    ) -> Result<(Vec<u64>, Primes), GenerateError> {
        let word = plaintexts.word();
        let step_bits = plaintexts.modulus_norm().log2() + (2.0 * self.ring_degree as f64).log2();
        // Correction factors cost functions nothing: their weights take them in.
        let modulo_t = modulo_t && !self.functions && step_bits <= LARGEST_STEP_BITS;
        let multiple = word.filter(|_| modulo_t).unwrap_or(1);
        let mut primes = Primes::new(self.ring_degree, word.as_slice());
        let mut q = Vec::new();
        while q.len() < MAX_PRIMES {
            q.push(primes.below(self.prime_bits, multiple).or_else(|_| primes.below(self.prime_bits, 1))?);
            if log2_product(&q) > self.largest {
                q.pop();
                break;
            }
        }
        Ok((q, primes))
    }
}
