//! Parameters of each scheme for a program on exactly a schema's rows.

use rayon::prelude::*;

use super::{SchemeParams, options::PlanOptions};
use crate::{
    data::Schema,
    program::{Analysed, OutputKind, Program, output_kinds},
};
use asanoha_backends::{
    Backends, GenerateError, Listed, Request, Scheduled, SearchProgress, SearchResult, Shared,
    failure::{self, LEAST_DEFAULT_FAILURE_BITS},
};
use asanoha_compile::{ExpandError, ViewedColumns, with_views};

/// What a back-end runs a program with.
pub(super) type Found = Result<SearchResult<SchemeParams>, GenerateError>;

/// What every back-end runs a program with on exactly a schema's rows. Approximate ones have a schema of their own, of centred columns.
pub(super) fn generate_all(
    backends: Backends<'_>,
    program: &Program,
    (schema, centred): (&Schema, Result<&Schema, &GenerateError>),
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Vec<Found> {
    let analysed = Analysed::new(program, schema).map_err(ExpandError::from);
    let whole = analysed.as_ref().map_err(Clone::clone);
    let whole = whole.and_then(|analysed| analysed.in_whole_numbers().map_err(ExpandError::from));
    // Whole numbers are approximated only where that's asked for.
    let needs_real = options.every_scheme
        || options.fewer_rows
        || options.scheme.is_none() && exactness(program, schema) != Exactness::Required;
    let is_needed = |group: Backends<'_>| {
        let is_asked = || group.iter().any(|backend| options.scheme == Some(backend.scheme()));
        let unasked = if group[0].is_exact() { options.scheme.is_none() } else { needs_real };
        options.every_scheme || unasked || is_asked()
    };
    let of_group = |group: Backends<'_>| -> Vec<Found> {
        match (group[0].is_exact(), &whole, centred) {
            (true, Ok(whole), _) => generate_exact(group, whole, options, progress),
            (true, Err(error), _) => group.iter().map(|_| Err(error.clone().into())).collect(),
            (false, _, Ok(centred)) => {
                group.iter().map(|&of| generate_real(of, program, centred, options, progress)).collect()
            }
            (false, _, Err(error)) => group.iter().map(|_| Err(error.clone())).collect(),
        }
    };
    let groups: Vec<Backends<'_>> = groups(backends).collect();
    let unneeded = |group: Backends<'_>| group.iter().map(|_| Err(GenerateError::NotNeeded)).collect();
    let mut found: Vec<Vec<Found>> = groups
        .par_iter()
        .map(|&group| if is_needed(group) { of_group(group) } else { unneeded(group) })
        .collect();
    let is_found = groups
        .iter()
        .zip(&found)
        .any(|(group, found)| group[0].is_exact() && found.iter().any(Result::is_ok));
    if options.scheme.is_none() && !is_found {
        for (group, found) in groups.iter().zip(&mut found) {
            if !group[0].is_exact() && !is_needed(group) {
                *found = of_group(group);
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// The back-ends whose searches share what they make, in one list each.
pub(super) fn groups(backends: Backends<'_>) -> impl Iterator<Item = Backends<'_>> {
    backends.chunk_by(|a, b| a.shares_search_of() == b.shares_search_of())
}

/// The exactness of a program's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exactness {
    /// No: a column is of real numbers, or a function is approximated.
    Impossible,
    /// They can be, and may be approximated where that's much faster: decimals.
    Preferred,
    /// They must be, unless an approximate scheme is asked for: of whole columns, or with a result that's whole or a truth value.
    Required,
}

/// The exactness of a program on data of a schema.
pub(super) fn exactness(program: &Program, schema: &Schema) -> Exactness {
    if !is_exact(program, schema) {
        return Exactness::Impossible;
    }
    let mut encrypted = output_kinds(program, schema).into_iter().take(program.shown_outputs().len());
    let mut has_whole_results =
        || encrypted.any(|output| matches!(output.kind, OutputKind::Truth | OutputKind::Whole));
    if !has_decimals(program, schema) || has_whole_results() {
        Exactness::Required
    } else {
        Exactness::Preferred
    }
}

/// Returns true if every output is an exact fraction: conditions of real numbers are, as the client computes them.
pub(super) fn is_exact(program: &Program, schema: &Schema) -> bool {
    let analysed = Analysed::new(program, schema);
    let viewed = analysed.as_ref().ok().and_then(|analysed| with_views(analysed, ViewedColumns::Real).ok());
    match viewed {
        Some(viewed) => viewed.program().is_exact(viewed.schema()),
        None => program.is_exact(schema),
    }
}

fn has_decimals(program: &Program, schema: &Schema) -> bool {
    program.input_names().iter().filter_map(|name| schema.column(name)).any(|column| column.places > 0)
}

/// The kinds of a program's columns in words, if it can be exact.
pub(super) fn kinds(program: &Program, schema: &Schema) -> &'static str {
    let mut columns = program.input_names().iter().filter_map(|name| schema.column(name));
    if columns.any(|column| !column.is_exact()) {
        "whole numbers, decimals or in conditions only"
    } else if has_decimals(program, schema) {
        "whole numbers or decimals"
    } else {
        "whole numbers"
    }
}

/// What exact back-ends, which share their search, run a program in whole numbers with on exactly a schema's rows.
pub(super) fn generate_exact(
    group: Backends<'_>,
    whole: &Analysed<'_>,
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Vec<Found> {
    let mut shared = Shared::default();
    let found = group.iter().map(|&backend| searched(backend, whole, options, progress, &mut shared));
    found.collect()
}

/// What an approximate back-end runs a program with on exactly a schema's rows.
pub(super) fn generate_real(
    backend: Listed,
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Found {
    let analysed = Analysed::new(program, schema).map_err(ExpandError::from)?;
    searched(backend, &analysed, options, progress, &mut Shared::default())
}

/// What was found, unless a run of it fails too often.
fn searched(
    backend: Listed,
    analysed: &Analysed<'_>,
    &PlanOptions { security, failure_bits, precision, backend: kernels, threads, publish, .. }: &PlanOptions,
    progress: &SearchProgress,
    shared: &mut Shared,
) -> Found {
    let viewed = with_views(analysed, backend.viewed_columns()).map_err(ExpandError::from)?;
    let analysed = &*viewed;
    let request = Request { analysed, precision, publish, security, kernels, threads, progress };
    let mut found = backend.server().search(&request, shared)?;
    found.hints.views = !analysed.views().is_empty();
    let least = failure_bits.unwrap_or(LEAST_DEFAULT_FAILURE_BITS);
    failure::check(scheduled(&found, analysed.rows()), least)?;
    Ok(found)
}

/// What was found, for a number of rows.
pub(super) fn scheduled(found: &SearchResult<SchemeParams>, rows: usize) -> Scheduled<'_> {
    let SearchResult { params, circuit, hints } = found;
    Scheduled { params, hints, circuit, rows }
}
