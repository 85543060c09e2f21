//! What to ask for where the errors of approximate results are as large as the results.

use asanoha_kernels::Backend;

use super::{
    Plan, SchemeName,
    generate::{generate_exact, generate_real, groups, is_exact},
    options::PlanOptions,
};
use crate::precision::Precision;
use asanoha_backends::{BACKENDS, SearchProgress};

/// What gives results whose errors are smaller than a plan's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remedy {
    /// An exact scheme that can run the program.
    pub exact: Option<SchemeName>,
    /// An absolute error that CKKS can be asked for.
    pub error: Option<f64>,
}

/// The parts of a result that its error may be, of which the first that can be planned for is recommended.
const PARTS: [f64; 3] = [1e-6, 1e-3, 1e-1];

/// Returns what to ask for so that results of some magnitude can be told from 0. Both are found by planning for them, as long
/// as planning takes.
pub fn remedy(plan: &Plan, magnitude: f64, backend: Backend, threads: usize) -> Remedy {
    let options = PlanOptions {
        scheme: None,
        security: plan.security,
        failure_bits: Some(plan.failure_bits),
        precision: plan.precision,
        backend,
        threads,
        publish: plan.hints.publish,
        fewer_rows: false,
        every_scheme: false,
    };
    let progress = SearchProgress::default();
    let exact = is_exact(&plan.program, &plan.schema).then(|| {
        let analysed = plan.analysed();
        let whole = analysed.in_whole_numbers().ok()?;
        // Those that are preferred.
        let group = groups(&BACKENDS).find(|group| group[0].is_exact())?;
        let found = generate_exact(group, &whole, &options, &progress).into_iter();
        group.iter().zip(found).find_map(|(backend, found)| found.is_ok().then(|| backend.scheme()))
    });
    let approximate = BACKENDS.iter().find(|backend| !backend.is_exact());
    let can_be_planned = |error: &f64| {
        let precision = Precision::Absolute { error: *error };
        let options = PlanOptions { precision, ..options };
        let found = |&backend| generate_real(backend, &plan.program, &plan.schema, &options, &progress);
        precision.check().is_ok() && approximate.is_some_and(|backend| found(backend).is_ok())
    };
    // A power of ten, as it's typed.
    let error = PARTS.map(|part| 10f64.powf((part * magnitude).log10().floor()));
    Remedy { exact: exact.flatten(), error: error.into_iter().find(can_be_planned) }
}
