//! The failures that the library's errors are: their kinds, figures and places.

use asanoha::{
    advice::Advised,
    client::ClientError,
    data::{DataError, TextError},
    execute::{CanaryError, ExecuteError, FolderError, RecordError, RecordProblem, ShowingError},
    genome::{PanelError, protocol::ProtocolError},
    kernels::SelectError,
    lattice::FileError,
    mpc::store::StoreError,
    plan::{PlanError, PlanningError, Reasons, RowsError},
    program::RangeError,
    scheme::SchemeError,
    search::GenerateError,
    tfhe::TfheError,
};
#[cfg(feature = "http")]
use asanoha::{
    genome::http::SearchError,
    http::{self, HttpError},
    service::{
        PlansError, StoreError as ServiceStoreError, TokenError,
        http::{PageError, RemoteError},
    },
};
use serde_json::{Value, json};

use super::{Failure, Kind, Place, words};

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        let failure = Self::of(Kind::BadInput, &error);
        match error {
            DataError::At { file, line, column, .. } => failure.at(Place::at(file, line, column)),
            DataError::Unreadable { file, .. } => failure.at(Place::file(file)),
            DataError::AboveLimit { file, above } => {
                failure.figure("found", above.found).figure("limit", above.limit).at(Place::file(file))
            }
            DataError::TooLarge { file, limit, .. } => failure.figure("limit", limit).at(Place::file(file)),
            DataError::UnknownColumn { file, name, present } => {
                failure.figure("column", name).figure("present", present).at(Place::file(file))
            }
            DataError::OutsideRange { row, name, value, range } => failure
                .figure("row", row)
                .figure("column", name)
                .figure("value", value)
                .figure("range", range),
            _ => failure,
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let failure = Self::of(Kind::BadInput, &error);
        match error {
            PlanError::Io(file, _) | PlanError::Unsound { file, .. } => failure.at(Place::file(file)),
            PlanError::Format { file, line, column, .. } => failure.at(Place::at(file, line as u64, column)),
            PlanError::Version { file, found } => failure.figure("found", found).at(Place::file(file)),
            PlanError::Insecure { file, found, log2_qp, ring_degree, .. } => failure
                .figure("security_bits", found)
                .figure("log2_qp", log2_qp)
                .figure("ring_degree", ring_degree)
                .at(Place::file(file)),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::bad_input(&error).at(Place::file(error.path.display()))
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File(error) => error.into(),
            FolderError::Mixed { ref path, .. } => {
                Self::of(Kind::BadInput, &error).at(Place::file(path.display()))
            }
        }
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        Self::bad_input(error)
    }
}

impl From<PanelError> for Failure {
    fn from(error: PanelError) -> Self {
        Self::bad_input(error)
    }
}

/// The schemes of each reason, and the reason.
fn reasons(reasons: &Reasons) -> Value {
    let one = |(schemes, reason): (Vec<_>, String)| json!({ "schemes": schemes, "reason": reason });
    reasons.folded(|reason| reason.in_words(words)).into_iter().map(one).collect()
}

impl From<PlanningError> for Failure {
    fn from(error: PlanningError) -> Self {
        match &error {
            PlanningError::Range(range) => match range.without_place() {
                RangeError::TooLarge { limit_bits, .. } => {
                    Self::of(Kind::Impossible, &error).figure("limit_bits", *limit_bits)
                }
                _ => Self::of(Kind::BadInput, &error),
            },
            PlanningError::Precision(_) => Self::of(Kind::BadInput, &error),
            PlanningError::Stopped => Self::of(Kind::Impossible, &error),
            PlanningError::NotFeasible { scheme, reason } => {
                let failure = Self::of(Kind::Impossible, &error).figure("scheme", json!(scheme));
                match reason.reason() {
                    GenerateError::Precision { missing_bits, largest_scale, .. } => failure
                        .figure("missing_bits", *missing_bits)
                        .figure("largest_log2_scale", *largest_scale),
                    GenerateError::TooDeep { security, largest, .. } => {
                        failure.figure("security_bits", *security).figure("largest_log2_qp", *largest)
                    }
                    _ => failure,
                }
            }
            PlanningError::NotExact { reasons: all } | PlanningError::NothingFeasible { reasons: all } => {
                Self::of(Kind::Impossible, &error).figure("reasons", reasons(all))
            }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        if error.is_impossible() { Self::impossible(error) } else { Self::bad_input(error) }
    }
}

impl From<ExecuteError> for Failure {
    fn from(error: ExecuteError) -> Self {
        match &error {
            ExecuteError::Scheme(scheme) => scheme_failure(scheme, &error),
            ExecuteError::Rows(rows) => {
                let failure = Self::of(Kind::BadInput, &error);
                match rows {
                    RowsError::Other { found, planned } => {
                        failure.figure("found", *found).figure("planned", *planned)
                    }
                    RowsError::TooMany { found, most } => {
                        failure.figure("found", *found).figure("most", *most)
                    }
                    RowsError::Unfit { found, .. } => failure.figure("found", *found),
                }
            }
            ExecuteError::OutsideRange { column, row, range } => {
                let failure = Self::of(Kind::BadInput, &error).figure("row", *row);
                failure.figure("column", column.as_str()).figure("range", range.as_str())
            }
            ExecuteError::Text(TextError::Unlisted { row, column, text }) => {
                let failure = Self::of(Kind::BadInput, &error).figure("row", *row);
                failure.figure("column", column.as_str()).figure("text", text.as_str())
            }
            ExecuteError::DivisorZero { row, function, .. } => {
                Self::of(Kind::BadInput, &error).figure("row", *row).figure("function", *function)
            }
            ExecuteError::OutsideTable { row, function, value, .. } => {
                let failure = Self::of(Kind::BadInput, &error).figure("row", *row);
                failure.figure("function", *function).figure("value", value.as_str())
            }
            ExecuteError::Undecided { row, function, difference, gap } => {
                let failure =
                    Self::of(Kind::BadInput, &error).figure("row", *row).figure("function", *function);
                failure.figure("difference", *difference).figure("gap", *gap)
            }
            ExecuteError::ClientRecord(record) => {
                Self::of(Kind::BadInput, &error).at(Place::file(record.path.display()))
            }
            ExecuteError::Canaries(CanaryError::Wrong { output, .. }) => {
                Self::of(Kind::CheckFailed, &error).figure("output", output.as_str())
            }
            ExecuteError::Canaries(CanaryError::Rows { rows, canaries, most }) => {
                let failure = Self::of(Kind::BadInput, &error).figure("found", rows + canaries);
                failure.figure("most", *most)
            }
            ExecuteError::Altered(altered) => {
                let failure =
                    Self::of(Kind::CheckFailed, &error).figure("output", altered.place.output.as_str());
                match altered.place.rows {
                    Some((first, last)) => failure.figure("first_row", first).figure("last_row", last),
                    None => failure,
                }
            }
            ExecuteError::Canaries(CanaryError::Spent | CanaryError::UsedUp)
            | ExecuteError::Showing(ShowingError::OtherResults { .. } | ShowingError::NotPlain { .. })
            | ExecuteError::Tfhe(TfheError::NumberAboveBound { .. } | TfheError::NoiseAboveBound { .. }) => {
                Self::of(Kind::CheckFailed, &error)
            }
            ExecuteError::Record(RecordError {
                problem: RecordProblem::TooMuchShown { shown, more, limit },
                ..
            }) => Self::of(Kind::CheckFailed, &error)
                .figure("shown_bits", *shown)
                .figure("bits", *more)
                .figure("limit_bits", *limit),
            ExecuteError::Record(record) => {
                Self::of(Kind::BadInput, &error).at(Place::file(record.path.display()))
            }
            _ => Self::of(Kind::BadInput, &error),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::File(error) => error.into(),
            ClientError::Execute(error) => error.into(),
            ClientError::NoRecord { error, .. } => ExecuteError::from(error).into(),
            ClientError::OtherInputs { .. } => Self::check(error.to_string()),
        }
    }
}

fn scheme_failure(scheme: &SchemeError, error: &ExecuteError) -> Failure {
    match scheme {
        // A missing key means that a file belongs elsewhere, or was changed while the program ran.
        SchemeError::MissingKey(_) => Failure::bad_input(error),
        SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. } => Failure::check(error),
        SchemeError::NoPrecision { flooding_bits, message_bits } => Failure::impossible(error)
            .figure("flooding_bits", *flooding_bits)
            .figure("message_bits", *message_bits),
        _ => Failure::impossible(error),
    }
}

impl From<ProtocolError> for Failure {
    fn from(error: ProtocolError) -> Self {
        match &error {
            ProtocolError::NoParameters { .. } | ProtocolError::Norm { .. } | ProtocolError::Scheme(_) => {
                Self::impossible(error)
            }
            ProtocolError::Noise { .. } => Self::check(error),
            _ => Self::bad_input(error),
        }
    }
}

#[cfg(feature = "http")]
impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unreachable { .. } | HttpError::Broken { .. } | HttpError::System(_) => {
                Self::impossible(error)
            }
            HttpError::Refused { ref refusal, .. } => match refusal.kind {
                http::Kind::Malformed
                | http::Kind::TooLarge
                | http::Kind::Unauthorized
                | http::Kind::Forbidden
                | http::Kind::Unknown
                | http::Kind::Conflict => Self::bad_input(error),
                _ => Self::impossible(error),
            },
            _ => Self::bad_input(error),
        }
    }
}

#[cfg(feature = "http")]
impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Http(error) => error.into(),
            SearchError::Protocol(error) => error.into(),
            _ => Self::bad_input(error),
        }
    }
}

#[cfg(feature = "http")]
impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        let advice = match error {
            PageError::Missing(_) | PageError::TooLarge(_) => {
                ": name the folder `javascript` of the repository, and run `cargo xtask wasm` there first"
            }
            PageError::Stale(_) => ": run `cargo xtask wasm` in the repository, or remove this file",
            PageError::Unreadable { .. } => "",
        };
        Self::bad_input(error).and(advice)
    }
}

#[cfg(feature = "http")]
impl From<PlansError> for Failure {
    fn from(error: PlansError) -> Self {
        match error {
            PlansError::Plan(error) => error.into(),
            _ => Self::bad_input(error),
        }
    }
}

#[cfg(feature = "http")]
impl From<ServiceStoreError> for Failure {
    fn from(error: ServiceStoreError) -> Self {
        Self::bad_input(error)
    }
}

#[cfg(feature = "http")]
impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        Self::bad_input(error)
    }
}

#[cfg(feature = "http")]
impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Http(error) => error.into(),
            RemoteError::TooLong { .. }
            | RemoteError::Failed { .. }
            | RemoteError::Cancelled { .. }
            | RemoteError::Damaged { .. }
            | RemoteError::Stopped => Self::impossible(error),
            RemoteError::File { .. } | RemoteError::Changed(_) => Self::bad_input(error),
        }
    }
}
