//! CKKS parameters with bootstrapping, and where a program's values are bootstrapped.

use asanoha_ckks::{BootstrapSet, CkksParams};
use asanoha_compile::{Graph, Layout};
use asanoha_kernels::Backend;
use asanoha_scheme::Scheme as _;

use crate::ckks::errors::{published_errors, unabsorbed_bits};
use crate::ckks::placement::{Preference, bootstrap_placement};
use crate::ckks::schedule::schedule_ckks;
use crate::error::{GenerateError, NoSchedule, too_small};
use crate::hints::{ScheduleHints, SearchResult};
use crate::progress::SearchProgress;
use crate::rings::NO_SECURITY;
use crate::scheme_name::SchemeName;
use crate::slots::cost::{butterflies, evaluation_work};

/// log2 of the sets' ring degree.
const LOG2_RING_DEGREE: u32 = 16;

/// What a search for bootstrapped schedules found.
pub(crate) enum Bootstrapped {
    /// A schedule that is precise enough.
    SearchResult(Box<SearchResult<CkksParams>>),
    /// None that is.
    Imprecise {
        /// Bits by which the errors of the best one are above what's asked.
        missing_bits: f64,
        /// log2 of its scale.
        largest_scale: u32,
    },
    /// None at all.
    Impossible {
        /// Why not, of the last one tried.
        why: String,
    },
}

/// What bootstrapped schedules are searched for.
pub(crate) struct BootstrapSearch<'a> {
    pub graph: &'a Graph,
    pub security: u32,
    /// The largest errors of the outputs.
    pub tolerances: &'a [f64],
    pub fit_bits: &'a [i32],
    /// The bits of statistical security that results are published with.
    pub publish: Option<u32>,
    pub backend: Backend,
    pub progress: &'a SearchProgress,
}

impl BootstrapSearch<'_> {
    /// What evaluating a schedule takes, to compare it with others in rings of other degrees.
    pub(crate) fn work(&self, found: &SearchResult<CkksParams>) -> f64 {
        let rlwe = found.params.rlwe();
        let layout = Layout::new(self.graph.rows, found.params.slots());
        butterflies(evaluation_work(&found.circuit, SchemeName::Ckks, rlwe, layout), rlwe.ring_degree())
    }

    /// The schedule of less work: a leveled one, or one with bootstrapping.
    pub(crate) fn cheaper(
        &self,
        leveled: SearchResult<CkksParams>,
    ) -> Result<SearchResult<CkksParams>, GenerateError> {
        // Sets with bootstrapping are of rings that are no smaller.
        if leveled.params.rlwe().ring_degree() < 1 << LOG2_RING_DEGREE {
            return Ok(leveled);
        }
        Ok(match self.least()? {
            Bootstrapped::SearchResult(found) if self.work(&found) < self.work(&leveled) => *found,
            _ => leveled,
        })
    }

    /// The schedule of the least work, over the sets and the places where values can be bootstrapped.
    pub(crate) fn least(&self) -> Result<Bootstrapped, GenerateError> {
        let why = format!("no set with bootstrapping has {}-bit security", self.security);
        let mut best = Bootstrapped::Impossible { why };
        let (mut least, mut nearest) = (f64::INFINITY, f64::INFINITY);
        self.progress.at(SchemeName::Ckks, LOG2_RING_DEGREE);
        for set in [BootstrapSet::A42, BootstrapSet::A45] {
            let params = set
                .literal()?
                .check(self.backend)
                .map_err(|error| GenerateError::Refused(error.to_string()))?;
            if params.rlwe().security_bits() < self.security || self.security == NO_SECURITY {
                continue;
            }
            for preference in Preference::ALL {
                let (found, missing_bits) = match self.schedule(&params, preference)? {
                    Ok(found) => found,
                    Err(reason) => {
                        if let Bootstrapped::Impossible { why } = &mut best {
                            *why = reason;
                        }
                        continue;
                    }
                };
                let work = self.work(&found);
                if missing_bits <= 0.0 && work < least {
                    least = work;
                    best = Bootstrapped::SearchResult(Box::new(found));
                } else if least == f64::INFINITY && missing_bits < nearest {
                    nearest = missing_bits;
                    let largest_scale = params.literal().log2_scale as u32;
                    best = Bootstrapped::Imprecise { missing_bits, largest_scale };
                }
            }
        }
        Ok(best)
    }

    /// A schedule, and by how many bits its errors are above the tolerances; or why there's none.
    fn schedule(
        &self,
        params: &CkksParams,
        preference: Preference,
    ) -> Result<Result<(SearchResult<CkksParams>, f64), String>, GenerateError> {
        let shape = params.literal().bootstrap.as_ref().expect("the sets have one");
        // Values of degree 1 keep a level for what divides them before they're bootstrapped.
        let floor = shape.lowest_level().0 + 1;
        let layout = Layout::new(self.graph.rows, params.slots());
        let bootstraps =
            bootstrap_placement(self.graph, params.max_level().0 - floor, layout.chunks(), preference);
        self.progress.add_schedule()?;
        let circuit = match schedule_ckks(self.graph, params, floor, &bootstraps) {
            Ok(circuit) => circuit,
            Err(NoSchedule::MoreLevels) => {
                return Ok(Err(
                    "one operation takes more levels than there are between two bootstrappings".to_owned()
                ));
            }
            Err(NoSchedule::Fails(error)) => return too_small(&error).map(Err),
        };
        let errors = published_errors(&circuit, params, layout, self.publish);
        let missing = errors.iter().zip(self.tolerances).map(|(error, tolerance)| (error / tolerance).log2());
        let missing_bits = missing.fold(unabsorbed_bits(&circuit, params), f64::max);
        let hints = ScheduleHints {
            floor,
            fit_bits: self.fit_bits.to_vec(),
            bootstraps,
            publish: self.publish,
            ..ScheduleHints::default()
        };
        Ok(Ok((SearchResult { params: params.clone(), circuit, hints }, missing_bits)))
    }
}
