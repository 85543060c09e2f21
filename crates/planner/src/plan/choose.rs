//! The choice of scheme: every scheme that can run a program, with its parameters and cost, and why.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    OnZero, Plan, Prediction, SchemeParams,
    candidate::{Candidate, Choice},
    centre::{centred, without_widths},
    generate::{Exactness, Found, exactness, generate_all, generate_real, kinds, scheduled},
    options::PlanOptions,
    planning_error::PlanningError,
    reachable::tell_reachable,
    rows::fewer_rows,
    why::{Verdict, tell_why},
};
use crate::{
    data::Schema,
    precision::Precision,
    program::{Program, about_centres, check_centres, check_dates, date_results, ranges, specialised},
};
use asanoha_backends::{
    BACKENDS, Backends, GenerateError, Machine, ScheduleHints, Scheduled, SearchProgress, SearchResult,
    failure::{self, LEAST_DEFAULT_FAILURE_BITS},
    schedule_sharing,
};
use asanoha_compile::Prepared;

/// Prefer a later exact scheme if the current choice needs more than so many seconds and it needs less than a part of them.
const CLEARLY_FASTER: [(f64, f64); 2] = [(0.1, 0.7), (0.01, 0.1)];

/// Decimals are exact where that's predicted to take less than so many seconds, or less than so many times as long as approximate
/// results.
const ALWAYS_EXACT_S: f64 = 1.0;
const MOST_FOR_DECIMALS: f64 = 10.0;

/// Plans a program for every scheme and chooses. Programs in which something has to be approximated run in CKKS. Programs on whole
/// numbers, dates, truth values and text, or with such results, are computed exactly or not at all. All others, on decimals, are exact
/// if that's predicted to take less than a second, or less than ten times as long as CKKS. Of the exact schemes BGV is taken, or BFV
/// or TFHE where it's clearly faster. Times are those of one thread of the [reference machine](asanoha_backends::REFERENCE), so the
/// choice is the same everywhere and tells nothing of the data. A scheme that is asked for is taken if it can run the program.
///
/// # Errors
/// Programs and schemas that don't belong together, and those that no scheme can run or may be chosen for.
pub fn choose(program: &Program, schema: &Schema, options: &PlanOptions) -> Result<Choice, PlanningError> {
    choose_telling(program, schema, options, &SearchProgress::default())
}

/// Plans and chooses like [`choose`], while another thread may look at the progress and stop it.
///
/// # Errors
/// The errors of [`choose`].
pub fn choose_telling(
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Result<Choice, PlanningError> {
    choose_among(&BACKENDS, program, schema, options, progress)
}

/// As [`choose_telling`], among these back-ends, in the order in which they're preferred.
///
/// # Errors
/// The errors of [`choose`].
pub fn choose_among(
    backends: Backends<'_>,
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Result<Choice, PlanningError> {
    options.precision.check()?;
    check_dates(program, schema)?;
    let dates = date_results(program, schema);
    let program = &specialised(&about_centres(program, schema)?, schema, options.fewer_rows)?;
    ranges(program, schema)?;
    check_centres(program, schema)?;
    let centred = centred(program, schema, options.precision);
    let schema = &without_widths(schema);
    let schema_of = |is_exact: bool| centred.as_ref().ok().filter(|_| !is_exact).unwrap_or(schema);
    let generated = generate(backends, program, (schema, centred.as_ref()), options, progress);
    if progress.is_stopped() {
        return Err(PlanningError::Stopped);
    }
    // After all else, when nothing disturbs what is measured.
    let mut machine = Machine::new(options.backend, options.threads);
    let mut candidates: Vec<Candidate> = backends
        .iter()
        .zip(generated)
        .map(|(backend, generated)| {
            let is_exact = backend.is_exact();
            let plan = |promised| {
                let mut plan = plan(promised, program, schema_of(is_exact), options, &mut machine)?;
                plan.hints.dates.clone_from(&dates);
                Ok(plan)
            };
            let outcome = generated.and_then(plan);
            Candidate { scheme: backend.scheme(), is_exact, outcome, why: String::new() }
        })
        .collect();
    let verdict = if let Some(scheme) = options.scheme {
        let is_asked = |candidate: &Candidate| candidate.scheme == scheme && candidate.outcome.is_ok();
        candidates.iter().position(is_asked).map(|at| (at, Verdict::AskedFor))
    } else {
        automatic(&candidates, exactness(program, schema))
    };
    if progress.is_stopped() {
        return Err(PlanningError::Stopped);
    }
    if verdict.is_none() {
        for (candidate, &backend) in candidates.iter_mut().zip(backends) {
            let is_wanted = options.scheme.is_none_or(|scheme| scheme == candidate.scheme);
            if let (Err(reason), false, true) = (&mut candidate.outcome, candidate.is_exact, is_wanted) {
                tell_reachable(backend, reason, program, schema_of(false), options, progress);
            }
        }
    }
    tell_why(&mut candidates, verdict, kinds(program, schema));
    Ok(Choice { candidates, chosen: verdict.map(|(at, _)| at) })
}

/// The first approximate candidate that can run the program.
fn feasible_real(candidates: &[Candidate]) -> Option<usize> {
    candidates.iter().position(|candidate| !candidate.is_exact && candidate.outcome.is_ok())
}

/// The exact candidates that can run the program.
fn feasible_exact(candidates: &[Candidate]) -> impl Iterator<Item = usize> {
    (0..candidates.len()).filter(|&at| candidates[at].is_exact && candidates[at].outcome.is_ok())
}

/// The seconds that a candidate takes on the reference machine.
fn seconds(candidate: &Candidate) -> f64 {
    let of = |plan: &Plan| plan.params.server().seconds(plan.scheduled(), &mut Machine::reference()).ok();
    candidate.outcome.as_ref().ok().and_then(of).unwrap_or(f64::INFINITY)
}

/// The scheme that is chosen where none is asked for.
fn automatic(candidates: &[Candidate], exactness: Exactness) -> Option<(usize, Verdict)> {
    let seconds: Vec<f64> = candidates.iter().map(seconds).collect();
    let is_clearly_faster = |other: usize, best: usize| {
        let is_less =
            |(least, part): (f64, f64)| seconds[best] > least && seconds[other] < part * seconds[best];
        CLEARLY_FASTER.into_iter().any(is_less)
    };
    let best = feasible_exact(candidates)
        .reduce(|best, other| if is_clearly_faster(other, best) { other } else { best });
    let shortest = feasible_exact(candidates).map(|at| seconds[at]).fold(f64::INFINITY, f64::min);
    match (best, feasible_real(candidates), exactness) {
        (Some(_), Some(real), Exactness::Preferred)
            if shortest >= ALWAYS_EXACT_S && shortest > MOST_FOR_DECIMALS * seconds[real] =>
        {
            Some((real, Verdict::MuchFaster(shortest / seconds[real])))
        }
        (Some(best), ..) => Some((best, Verdict::Exact)),
        (None, Some(real), Exactness::Impossible) => Some((real, Verdict::Real)),
        (None, Some(real), Exactness::Preferred) => Some((real, Verdict::NoneExact)),
        (None, ..) => None,
    }
}

/// Parameters and schedule for a program, and the bits that the plan promises against failure.
type Promised = (SearchResult<SchemeParams>, u32);

/// A number of rows that parameters don't do for, and why.
type Unfit = (usize, GenerateError);

/// Adds the promise against failure: the one that is asked for, or else the scheme's default, or the least default where `check`
/// finds that the plan fails more often.
fn promised(
    found: SearchResult<SchemeParams>,
    asked: Option<u32>,
    check: impl Fn(&SearchResult<SchemeParams>, u32) -> Result<(), Unfit>,
) -> Result<Promised, Unfit> {
    let bits = asked.unwrap_or_else(|| found.params.server().default_failure_bits());
    match check(&found, bits) {
        Err((_, GenerateError::Failure { .. })) if asked.is_none() => {
            check(&found, LEAST_DEFAULT_FAILURE_BITS).map(|()| (found, LEAST_DEFAULT_FAILURE_BITS))
        }
        checked => checked.map(|()| (found, bits)),
    }
}

/// Refuses a promise that a run on a number of rows doesn't keep.
fn keeps(found: &SearchResult<SchemeParams>, rows: usize, failure_bits: u32) -> Result<(), Unfit> {
    failure::check(scheduled(found, rows), failure_bits).map_err(|reason| (rows, reason))
}

/// What every back-end runs a program with. A plan for fewer rows too is one whose parameters do for any number of them: those of
/// the most rows or else, as the mean of fewer can ask for more, of the number that they fail for.
///
/// Approximate back-ends have a schema of their own, of centred columns.
fn generate(
    backends: Backends<'_>,
    program: &Program,
    (schema, centred): (&Schema, Result<&Schema, &GenerateError>),
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Vec<Result<Promised, GenerateError>> {
    let all = generate_all(backends, program, (schema, centred), options, progress);
    if !options.fewer_rows {
        let promise =
            |found| promised(found, options.failure_bits, |found, bits| keeps(found, schema.rows, bits));
        return all.into_iter().map(|found| promise(found?).map_err(|(_, reason)| reason)).collect();
    }
    let (precision, prepared) = (options.precision, &Prepared::default());
    let serve = |(at, found): (usize, Found)| -> Result<Promised, GenerateError> {
        let backend = backends[at];
        let schema = centred.ok().filter(|_| !backend.is_exact()).unwrap_or(schema);
        let found = for_fewer_rows(found?, program, schema, precision, prepared)?;
        let promise = |found| {
            promised(found, options.failure_bits, |found, bits| {
                unfit(found, program, schema, (precision, bits), (progress, prepared))
            })
        };
        let (rows, reason) = match promise(found) {
            Ok(promised) => return Ok(promised),
            Err(unfit) => unfit,
        };
        let serving = |found: Found| {
            let found = for_fewer_rows(found?, program, schema, precision, prepared)?;
            promise(found).map_err(|(_, reason)| reason)
        };
        let fewer = Schema { rows, ..schema.clone() };
        let other = generate_all(backends, program, (&fewer, Ok(&fewer)), options, progress);
        let mut found = serving(other.into_iter().nth(at).expect("one of each back-end"));
        // Noise that just does for the most rows may be too much for the mean of fewer.
        for bits in (1..=SPARE_BITS).filter(|_| !backend.is_exact()) {
            if !matches!(found, Err(GenerateError::Unfit(_))) {
                break;
            }
            let options = PlanOptions { precision: precision.narrowed(bits), ..*options };
            found = serving(generate_real(backend, program, schema, &options, progress));
        }
        found.map_err(|error| if matches!(error, GenerateError::Stopped) { error } else { reason })
    };
    all.into_iter().enumerate().map(serve).collect()
}

/// How many bits of precision more than asked for are tried where a plan is for several numbers of rows.
const SPARE_BITS: u32 = 4;

/// Parameters for fewer rows too, with the schedule for the most. Operations aren't at chosen levels: with fewer rows there may
/// be fewer of them, as where a number of rows is a constant of the program too.
fn for_fewer_rows(
    SearchResult { params, hints, .. }: SearchResult<SchemeParams>,
    program: &Program,
    schema: &Schema,
    precision: Precision,
    prepared: &Prepared,
) -> Found {
    let hints = ScheduleHints { fewer_rows: true, levels: BTreeMap::new(), ..hints };
    let circuit = schedule_sharing(program, schema, precision, (&params, &hints), prepared)?;
    Ok(SearchResult { params, circuit, hints })
}

/// Refuses parameters that don't do for some number of rows, the first such.
fn unfit(
    found: &SearchResult<SchemeParams>,
    program: &Program,
    schema: &Schema,
    (precision, failure_bits): (Precision, u32),
    (progress, prepared): (&SearchProgress, &Prepared),
) -> Result<(), Unfit> {
    let fits = |&rows: &usize| {
        let schema = Schema { rows, ..schema.clone() };
        let parameters = (&found.params, &found.hints);
        let circuit = progress
            .at_rows(rows)
            .and_then(|()| schedule_sharing(program, &schema, precision, parameters, prepared));
        let checked = circuit.and_then(|circuit| {
            failure::check(Scheduled { circuit: &circuit, ..scheduled(found, rows) }, failure_bits)
        });
        checked.err().map(|reason| (rows, reason))
    };
    fewer_rows(schema.rows).par_iter().find_map_first(fits).map_or(Ok(()), Err)
}

/// The plan with its predictions.
fn plan(
    (found, failure_bits): Promised,
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    machine: &mut Machine,
) -> Result<Plan, GenerateError> {
    let (backend, of) = (found.params.server(), scheduled(&found, schema.rows));
    let evaluate_s = backend.seconds(of, machine)?;
    let read_s = backend.reading(of).seconds(options.threads);
    let SearchResult { params, circuit, hints } = found;
    let plan = Plan {
        program: program.clone(),
        schema: schema.clone(),
        security: options.security,
        failure_bits,
        precision: options.precision,
        params,
        hints,
        circuit,
        prediction: Prediction { evaluate_s, read_s, ..Prediction::default() },
        on_zero: OnZero::default(),
    };
    Ok(plan.predicted())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, ColumnValues, Table};

    #[test]
    fn only_a_default_is_lowered_where_a_plan_fails_more_often() {
        let column = Column { name: "x".to_owned(), values: ColumnValues::Whole(vec![1, 2]) };
        let schema = Schema::from_table(&Table { columns: vec![column], rows: 2 }, &[]).unwrap();
        let options = PlanOptions { every_scheme: false, ..PlanOptions::default() };
        let program = Program::parse("y = x + 1").unwrap();
        let Plan { params, circuit, hints, .. } =
            choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        let found = SearchResult { params, circuit, hints };
        let fails = |log2_failure: f64| {
            move |_: &SearchResult<SchemeParams>, bits: u32| {
                let keeps = log2_failure <= -f64::from(bits);
                if keeps { Ok(()) } else { Err((2, GenerateError::Failure { log2_failure, bits })) }
            }
        };
        let promise =
            |asked, log2_failure| promised(found.clone(), asked, fails(log2_failure)).map(|(_, bits)| bits);
        assert_eq!(promise(None, -130.0), Ok(128));
        assert_eq!(promise(None, -127.0), Ok(96));
        assert_eq!(promise(Some(60), -130.0), Ok(60));
        for (asked, bits) in [(None, 96), (Some(128), 128), (Some(100), 100)] {
            let log2_failure = -90.0;
            assert_eq!(promise(asked, log2_failure), Err((2, GenerateError::Failure { log2_failure, bits })));
        }
        // What is wrong otherwise isn't cured by a lower promise.
        let stopped = promised(found.clone(), None, |_, _| Err((2, GenerateError::Stopped)));
        assert_eq!(stopped.err(), Some((2, GenerateError::Stopped)));
    }
}
