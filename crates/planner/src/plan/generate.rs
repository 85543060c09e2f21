//! Parameters of each scheme for a program on exactly a schema's rows.

use super::{
    Scheme, SchemeParams,
    choose::{MOST_PLACES_OF_RESULTS, Wishes},
};
use crate::{
    data::Schema,
    program::{Analysed, Program, gives_decimals},
};
use asanoha_backends::ckks::generate_ckks;
use asanoha_backends::exact::ExactSearch;
use asanoha_backends::tfhe::generate_tfhe;
use asanoha_backends::{GenerateError, SearchProgress, SearchResult, failure};
use asanoha_compile::ExpandError;

/// What every scheme runs a program with on exactly a schema's rows.
pub(super) fn generate_all(
    program: &Program,
    (schema, centred): (&Schema, Result<&Schema, &GenerateError>),
    wishes: &Wishes,
    progress: &SearchProgress,
) -> [Result<SearchResult<SchemeParams>, GenerateError>; 4] {
    let &Wishes { security, failure_bits, backend, threads, .. } = wishes;
    let asked = |schemes: &[Scheme]| {
        wishes.every_scheme || wishes.scheme.is_none_or(|scheme| schemes.contains(&scheme))
    };
    let analysed = Analysed::new(program, schema).map_err(ExpandError::from);
    let whole = analysed.as_ref().map_err(Clone::clone);
    let whole = whole.and_then(|analysed| analysed.in_whole_numbers().map_err(ExpandError::from));
    let of_integers = || {
        if !asked(&[Scheme::Tfhe]) {
            return Err(GenerateError::NotNeeded);
        }
        let found =
            generate_tfhe(whole.as_ref().map_err(Clone::clone)?, security, backend, threads, progress)?;
        checked(found.map(SchemeParams::Tfhe), schema, failure_bits)
    };
    let of_real = || {
        let schema = centred.map_err(Clone::clone)?;
        generate_real(program, schema, wishes, progress)
    };
    let of_exact = || {
        if asked(&[Scheme::Bgv, Scheme::Bfv]) {
            match &whole {
                Ok(whole) => generate_exact(whole, wishes, progress),
                Err(error) => [(); 2].map(|()| Err(error.clone().into())),
            }
        } else {
            [(); 2].map(|()| Err(GenerateError::NotNeeded))
        }
    };
    // Whole numbers are approximated only where that's asked for.
    let needs_real = wishes.every_scheme
        || wishes.fewer_rows
        || wishes.scheme.map_or_else(|| !is_whole(program, schema), |scheme| scheme == Scheme::Ckks);
    let real = || if needs_real { of_real() } else { Err(GenerateError::NotNeeded) };
    let ([bgv, bfv], (tfhe, ckks)) = rayon::join(of_exact, || (of_integers(), real()));
    let exact = [bgv, bfv, tfhe];
    let none = wishes.scheme.is_none() && !exact.iter().any(Result::is_ok);
    let [bgv, bfv, tfhe] = exact;
    [bgv, bfv, tfhe, if none && !needs_real { of_real() } else { ckks }]
}

/// Whether all columns are whole numbers, and results exact ones of few places: such programs run in exact schemes, if any can.
fn is_whole(program: &Program, schema: &Schema) -> bool {
    program.is_exact(schema)
        && gives_decimals(program, schema, MOST_PLACES_OF_RESULTS)
        && !has_decimals(program, schema)
}

pub(super) fn has_decimals(program: &Program, schema: &Schema) -> bool {
    program.input_names().iter().filter_map(|name| schema.column(name)).any(|column| column.places > 0)
}

/// What BGV and BFV, which share most of their search, run a program in whole numbers with on exactly a schema's rows.
pub(super) fn generate_exact(
    whole: &Analysed<'_>,
    &Wishes { security, failure_bits, backend, .. }: &Wishes,
    progress: &SearchProgress,
) -> [Result<SearchResult<SchemeParams>, GenerateError>; 2] {
    let mut search = ExactSearch::new(whole, security, backend, progress);
    let bgv = search.generate().map(|found| found.map(SchemeParams::Bgv));
    let bfv = search.generate().map(|found| found.map(SchemeParams::Bfv));
    [bgv, bfv].map(|found| checked(found?, whole.schema(), failure_bits))
}

/// What CKKS runs a program with on exactly a schema's rows.
pub(super) fn generate_real(
    program: &Program,
    schema: &Schema,
    wishes: &Wishes,
    progress: &SearchProgress,
) -> Result<SearchResult<SchemeParams>, GenerateError> {
    let &Wishes { security, failure_bits, precision, backend, publish, .. } = wishes;
    let analysed = Analysed::new(program, schema).map_err(ExpandError::from)?;
    let found = generate_ckks(&analysed, (precision, publish), security, backend, progress)?;
    checked(found.map(SchemeParams::Ckks), schema, failure_bits)
}

/// What was found, unless a run of it fails too often.
fn checked(
    found: SearchResult<SchemeParams>,
    schema: &Schema,
    failure_bits: u32,
) -> Result<SearchResult<SchemeParams>, GenerateError> {
    failure::check(&found.circuit, &found.params, schema.rows, failure_bits)?;
    Ok(found)
}
