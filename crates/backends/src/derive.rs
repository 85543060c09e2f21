//! Schedules by what a search found: readers of plans derive them again.

use asanoha_compile::{Circuit, ExpandError, Prepared};
use asanoha_lang::{Analysed, Program};
use asanoha_numeric::precision::Precision;
use asanoha_table::Schema;

use crate::ckks::search::schedule_ckks_at;
use crate::error::GenerateError;
use crate::exact::search::schedule_exact_at;
use crate::hints::ScheduleHints;
use crate::params::SchemeParams;
use crate::tfhe::search::schedule_tfhe_at;

/// The schedule of a program at parameters that a search found, or others: a function of its arguments and of
/// nothing else. It refuses what the parameters can't compute to the precision.
pub fn schedule_at(
    program: &Program,
    schema: &Schema,
    precision: Precision,
    params: &SchemeParams,
    hints: &ScheduleHints,
) -> Result<Circuit, GenerateError> {
    schedule_sharing(program, schema, precision, (params, hints), &Prepared::default())
}

/// As [`schedule_at`], with tables that other schedules share.
pub fn schedule_sharing(
    program: &Program,
    schema: &Schema,
    precision: Precision,
    (params, hints): (&SchemeParams, &ScheduleHints),
    prepared: &Prepared,
) -> Result<Circuit, GenerateError> {
    let analysed = Analysed::new(program, schema).map_err(ExpandError::from)?;
    if let SchemeParams::Ckks(params) = params {
        return schedule_ckks_at(&analysed, precision, params, hints);
    }
    let whole = analysed.in_whole_numbers().map_err(ExpandError::from)?;
    match params {
        SchemeParams::Bgv(params) => schedule_exact_at(&whole, params, hints, prepared),
        SchemeParams::Bfv(params) => schedule_exact_at(&whole, params, hints, prepared),
        SchemeParams::Ckks(_) => unreachable!("it doesn't compute with whole numbers"),
        SchemeParams::Tfhe(params) => schedule_tfhe_at(&whole, params, hints),
    }
}
