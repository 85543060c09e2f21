//! Schedules by what a search found: readers of plans derive them again.

use std::borrow::Cow;

use asanoha_compile::{Circuit, ExpandError, Prepared, with_views};
use asanoha_lang::{Analysed, Program};
use asanoha_numeric::precision::Precision;
use asanoha_table::Schema;

use crate::backend::SchemeParams;
use crate::error::GenerateError;
use crate::hints::ScheduleHints;

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
    let (analysed, backend) = (Analysed::new(program, schema).map_err(ExpandError::from)?, params.backend());
    let analysed = if backend.is_exact() {
        analysed.in_whole_numbers().map_err(ExpandError::from)?
    } else {
        Cow::Borrowed(&analysed)
    };
    if !hints.views {
        return backend.schedule(&analysed, precision, params, hints, prepared);
    }
    let viewed = with_views(&analysed, backend.viewed_columns()).map_err(ExpandError::from)?;
    backend.schedule(&viewed, precision, params, hints, prepared)
}
