//! A search with its parameters: all that client and server agree on.

use std::{ops::RangeInclusive, sync::Arc};

use asanoha_bgv::{Bgv, BgvLiteral, BgvPredictor, BgvState, Encoder};
use asanoha_lattice::{KeyLevels, Norm, largest_log2_modulus};
use asanoha_ring::{Backend, Modulus, Seed};
use asanoha_scheme::{NoPrimes, Primes, Scheme, SwitchLevels, choose_digits};

use super::{
    ProtocolError, SearchShape,
    blinding::Blinding,
    blocks::Blocks,
    circuit,
    course::Course,
    encrypted::{ANSWER, Encrypted, PACKING, power},
    message::AnswerMessage,
    rows::Rows,
    shape::{BLOCKS, ROW_BLOCKS, SlotLayout},
};

/// The plaintext modulus, above every count.
pub(crate) const T: u64 = 65537;
/// The ring degree of searches.
pub const RING_DEGREE: usize = 1 << 15;
/// The statistical distance, in bits, between an answer's noise and what depends on the length and the count alone.
pub const STATISTICAL_BITS: u32 = 40;
/// The least that the modulus of answers leaves above their noise, in bits.
const LEAST_MARGIN_BITS: f64 = 10.0;
/// The widths of the primes that answers are packed and sent modulo.
const ANSWER_PRIME_BITS: RangeInclusive<u32> = 44..=48;
/// The widths of the others: a product's noise is about 2^69, and a rounding's 2^34.
const PRIME_BITS: RangeInclusive<u32> = 36..=48;
/// The most primes that are tried.
const MAX_PRIMES: usize = 24;
const SECURITY_BITS: u32 = 128;

/// A search that client and server have agreed on: its shape, and the parameters that follow. Cloning shares them.
#[derive(Clone, Debug)]
pub struct Search(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) layout: SlotLayout,
    pub(crate) params: Bgv,
    pub(crate) blocks: Blocks,
    /// What is known of an answer before it's flooded.
    pub(crate) answer: BgvState,
    pub(crate) flooding_bits: u32,
    /// A bound on what is read of an answer.
    pub(crate) flooded: Norm,
    pub(crate) keys: KeyLevels,
    pub(crate) digest: [u8; 32],
    margin_bits: f64,
}

/// A panel of which only its size is known.
struct Unknown {
    shards: usize,
}

/// The noise model takes plaintexts by their bounds.
const NEVER_MADE: &str = "nothing is encoded for the noise model";

impl Rows for Unknown {
    fn shards(&self) -> usize {
        self.shards
    }
    fn signs(&self, _: usize, _: usize) -> Vec<i64> {
        unreachable!("{NEVER_MADE}")
    }
    fn zeros(&self, _: usize, _: usize, _: usize) -> Vec<i64> {
        unreachable!("{NEVER_MADE}")
    }
    fn ones(&self, _: usize, _: usize) -> Vec<i64> {
        unreachable!("{NEVER_MADE}")
    }
    fn course(&self, _: usize) -> &Course {
        unreachable!("{NEVER_MADE}")
    }
}

/// What the noise model says of a search.
struct Foreseen {
    answer: BgvState,
    flooding_bits: u32,
    flooded: Norm,
    margin_bits: f64,
    keys: KeyLevels,
}

impl Search {
    /// The parameters of a search in the ring of degree [`RING_DEGREE`], of 128 bits of security. The same on all machines.
    ///
    /// # Errors
    /// [`ProtocolError::Shape`], [`ProtocolError::NoParameters`].
    pub fn new(shape: SearchShape) -> Result<Self, ProtocolError> {
        Self::secure(SlotLayout::new(shape, RING_DEGREE)?)
    }

    /// As [`Search::new`], but of a search that walks the PBWT under encryption, in strides of so many letters. It's the slower way,
    /// kept to be compared with; what client and server do and learn is the same.
    ///
    /// # Errors
    /// [`ProtocolError::Shape`], for a hidden start too, [`ProtocolError::NoParameters`].
    pub fn walk(shape: SearchShape, stride: usize) -> Result<Self, ProtocolError> {
        Self::secure(SlotLayout::new(shape, RING_DEGREE)?.walking(stride)?)
    }

    fn secure(layout: SlotLayout) -> Result<Self, ProtocolError> {
        let largest = largest_log2_modulus(RING_DEGREE, SECURITY_BITS).unwrap_or(0);
        Self::in_ring(layout, Some(f64::from(largest)))
    }

    /// The parameters of a search in a small ring, for tests: nothing is secret there.
    ///
    /// # Errors
    /// Those of [`Search::new`].
    pub fn insecure(shape: SearchShape, ring_degree: usize) -> Result<Self, ProtocolError> {
        Self::in_ring(SlotLayout::new(shape, ring_degree)?, None)
    }

    /// The fewest primes with which the noise fits, and then the narrowest.
    pub(super) fn in_ring(layout: SlotLayout, largest: Option<f64>) -> Result<Self, ProtocolError> {
        let widest = [PRIME_BITS, ANSWER_PRIME_BITS].map(|bits| *bits.end());
        let mut reason = String::new();
        for count in PACKING.0 + 1..=MAX_PRIMES {
            if let Err(error) = attempt(layout, count, widest, None) {
                reason = error;
                continue;
            }
            for widths in PRIME_BITS.flat_map(|bits| ANSWER_PRIME_BITS.map(move |answer| [bits, answer])) {
                match attempt(layout, count, widths, largest) {
                    Ok((params, foreseen)) => return Ok(Self::of(layout, params, foreseen)),
                    Err(error) => reason = error,
                }
            }
        }
        Err(ProtocolError::NoParameters {
            ring_degree: layout.ring_degree,
            letters: layout.shape.letters,
            reason,
        })
    }

    fn of(layout: SlotLayout, params: Bgv, foreseen: Foreseen) -> Self {
        let modulus = Modulus::new(T).expect("a word");
        // The slots of the scheme are those of its own root of unity, of which X^(N/8) shows the eighth one.
        let roots = block_roots(&params);
        let text = serde_json::to_vec(&(params.digest(), layout.shape, layout.stride)).expect("plain data");
        let Foreseen { answer, flooding_bits, flooded, margin_bits, keys } = foreseen;
        Self(Arc::new(Inner {
            layout,
            params,
            blocks: Blocks::new(modulus, roots),
            answer,
            flooding_bits,
            flooded,
            keys,
            digest: *blake3::hash(&text).as_bytes(),
            margin_bits,
        }))
    }

    /// The shape.
    pub fn shape(&self) -> &SearchShape {
        &self.0.layout.shape
    }

    /// The parameters of the scheme.
    pub fn params(&self) -> &Bgv {
        &self.0.params
    }

    /// The keys that the server evaluates with.
    pub fn keys(&self) -> &KeyLevels {
        &self.0.keys
    }

    /// The bytes of an answer.
    pub fn answer_bytes(&self) -> usize {
        let Inner { layout, params, .. } = &*self.0;
        AnswerMessage::bytes(params.rlwe().q(ANSWER), BLOCKS * layout.answer_columns())
    }

    /// The bits that the modulus of an answer leaves above its noise and what floods it.
    pub fn margin_bits(&self) -> f64 {
        self.0.margin_bits
    }
}

/// Parameters of so many primes, with the widths of the others' and the answers', and what the noise model says of the search under them. Without a bound on log2(QP) they're
/// insecure.
///
/// # Errors
/// What they lack, in words.
fn attempt(
    layout: SlotLayout,
    count: usize,
    widths: [u32; 2],
    largest: Option<f64>,
) -> Result<(Bgv, Foreseen), String> {
    let params = params(layout.ring_degree, count, widths, largest)?;
    let foreseen = foresee(layout, &params)?;
    Ok((params, foreseen))
}

fn params(
    ring_degree: usize,
    count: usize,
    [bits, answer]: [u32; 2],
    largest: Option<f64>,
) -> Result<Bgv, String> {
    let mut primes = Primes::new(ring_degree, &[T]);
    let width = |at: usize| if at <= PACKING.0 { answer } else { bits };
    let q = (0..count).map(|at| primes.below(width(at), 1)).collect::<Result<Vec<_>, NoPrimes>>();
    let q = q.map_err(|error| error.to_string())?;
    let rlwe = choose_digits(&q, &primes, largest.unwrap_or(f64::INFINITY), SwitchLevels::All, None)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| {
            format!("{count} primes of {bits} bits are beyond {SECURITY_BITS} bits of security")
        })?;
    let rlwe = if largest.is_none() { rlwe.insecure() } else { rlwe };
    let backend = Backend::detect().map_err(|error| error.to_string())?;
    BgvLiteral::new(rlwe, T).check(backend).map_err(|error| error.to_string())
}

/// Walks the search on predicted states.
///
/// An answer shows the places that are read, whose noise is at most B·√(2/N) in size for a bound B on its norm
/// ([`asanoha_lattice::NoiseModel::coefficient`]), t times integers. Uniform integers of k bits added to these are within
/// 2^(log2(B/t) − k) of what doesn't depend on them, for each place.
fn foresee(layout: SlotLayout, params: &Bgv) -> Result<Foreseen, String> {
    let predictor = BgvPredictor::new(params);
    let (model, on) = (predictor.model(), Encrypted::new(&predictor));
    let rows = Unknown { shards: layout.shards() };
    let walk = || {
        let query = model.fresh_secret(params.max_level(), &())?;
        let packed = circuit::answer(&layout, &on, &query, &rows, &Blinding::new(Seed([0; 32]), T), &|_| ())?;
        let answer = predictor.switch_to(&packed, ANSWER)?;
        let fresh = model.fresh_public(ANSWER, &())?;
        let noise = answer.noise + fresh.noise;
        Ok::<_, ProtocolError>((answer, noise * model.lattice().coefficient()))
    };
    let (answer, noise) = walk().map_err(|error| error.to_string())?;
    let places = BLOCKS * layout.answer_columns();
    let noise_bits = noise.log2() - (T as f64).log2();
    let flooding_bits = (f64::from(STATISTICAL_BITS) + (places as f64).log2() + noise_bits).ceil() as u32;
    let flooded = noise + Norm::from_log2(f64::from(flooding_bits - 1)) * T as f64;
    let margin_bits = params.rlwe().q(ANSWER).log2_product() - 1.0 - flooded.log2();
    if margin_bits < LEAST_MARGIN_BITS {
        return Err(format!("flooding leaves {margin_bits:.1} bits of the modulus of answers"));
    }
    Ok(Foreseen { answer, flooding_bits, flooded, margin_bits, keys: on.into_used() })
}

/// The values of X^(N/8) in the blocks, by the scheme's own root of unity.
fn block_roots(params: &Bgv) -> [u64; BLOCKS] {
    let degree = params.rlwe().ring_degree();
    let power = power(params, (degree / BLOCKS) as i64, ANSWER);
    let slots = Encoder::new(params).decode(&power).expect("t is a word");
    std::array::from_fn(|block| {
        slots[block / ROW_BLOCKS * degree / 2 + block % ROW_BLOCKS].rem_euclid(T as i64) as u64
    })
}
