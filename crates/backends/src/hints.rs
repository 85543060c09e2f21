//! What a search finds.

use std::collections::{BTreeMap, BTreeSet};

use asanoha_compile::Circuit;
use asanoha_lattice::Level;
use asanoha_scheme::JsonInteger;
use serde::{Deserialize, Serialize};

/// What a search chose beside parameters. With the program, the schema, the parameters and the precision it
/// determines the schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleHints {
    /// CKKS: values of degree 1 stay at this level or above.
    pub floor: usize,
    /// CKKS: log2 of the largest error of every approximated function's polynomial, in the program's order.
    pub fit_bits: Vec<i32>,
    /// CKKS: the operations of the arithmetic graph, by their positions, whose values are bootstrapped as soon as they're computed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bootstraps: BTreeSet<usize>,
    /// BGV and BFV: the levels at which operations of the arithmetic graph are carried out at most, by their positions: where
    /// switching down before it pays that the noise alone doesn't ask for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<usize, Level>,
    /// CKKS: the bits of statistical security that results can be published with, to the precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<u32>,
    /// Whether the plan is for fewer rows too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fewer_rows: bool,
    /// True if the client computes the conditions of single columns ([`with_views`](asanoha_compile::with_views)).
    #[serde(default, skip_serializing_if = "is_false")]
    pub views: bool,
    /// BGV and BFV: true if the plaintext modulus is that of all results ([`common_modulus`](asanoha_compile::common_modulus)).
    #[serde(default, skip_serializing_if = "is_false")]
    pub modular: bool,
    /// BFV: the modulus of all results, where they're computed as integers, and reduced after decryption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<JsonInteger>,
    /// The results that are dates, which the program's text says and its operations don't.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<String>,
    /// TFHE: the threads that the bootstrappings of one row were planned for. One after another, there are fewer of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub threads: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks it so")]
fn is_false(answer: &bool) -> bool {
    !answer
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult<P> {
    /// The parameters.
    pub params: P,
    /// The schedule at these parameters.
    pub circuit: Circuit,
    /// What determines the schedule beside them.
    pub hints: ScheduleHints,
}

impl<P> SearchResult<P> {
    /// With the parameters as another type.
    pub fn map<Q>(self, f: impl FnOnce(P) -> Q) -> SearchResult<Q> {
        SearchResult { params: f(self.params), circuit: self.circuit, hints: self.hints }
    }
}
