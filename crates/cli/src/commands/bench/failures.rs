//! The failures of measurements: what was measured is wrong, or can't be measured.

use asanoha::bench::{
    BootstrapBenchError, BytesError, DivisionError, DramError, GenomeError, PlanBenchError, TableError,
    TfheBenchError, TripleError, VectorError,
};

use crate::error::Failure;

pub(super) fn genome_failure(error: GenomeError) -> Failure {
    match error {
        GenomeError::Wrong(_) => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn bytes_failure(error: BytesError) -> Failure {
    match error {
        BytesError::Planning(error) => error.into(),
        BytesError::Execute(error) => error.into(),
        BytesError::File(error) => error.into(),
    }
}

pub(super) fn bootstrap_failure(error: BootstrapBenchError) -> Failure {
    match error {
        BootstrapBenchError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn division_failure(error: DivisionError) -> Failure {
    match error {
        DivisionError::Bits(_) | DivisionError::NoPeer(_) => Failure::bad_input(error),
        DivisionError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn tfhe_failure(error: TfheBenchError) -> Failure {
    match error {
        TfheBenchError::NoPeer(_) => Failure::bad_input(error),
        TfheBenchError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn dram_failure(error: DramError) -> Failure {
    match error {
        DramError::Tfhe(error) => tfhe_failure(error),
        DramError::Ckks(error) => bootstrap_failure(error),
        DramError::Confine(_) => Failure::impossible(error),
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Wrong(..) => Self::check(error),
            _ => Self::impossible(error),
        }
    }
}

pub(super) fn vector_failure(error: VectorError) -> Failure {
    match error {
        VectorError::Tfhe(error) => tfhe_failure(error),
        VectorError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn triples_failure(error: TripleError) -> Failure {
    match error {
        TripleError::Wrong(_) => Failure::check(error),
        TripleError::Dimension { .. } => Failure::bad_input(error),
        _ => Failure::impossible(error),
    }
}

pub(super) fn plan_failure(error: PlanBenchError) -> Failure {
    match error {
        PlanBenchError::Planning(error) => error.into(),
        PlanBenchError::Execute(error) => error.into(),
    }
}
