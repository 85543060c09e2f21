//! What users can do about errors, with the options of the package; plans are made by the program.

use asanoha::{advice::Advice, precision::Precision};

/// The words for advice; `None` where the package has no such option.
pub(crate) fn words(advice: &Advice) -> Option<String> {
    let text = match advice {
        Advice::PlanAgain => "make the plan anew with `asanoha plan`",
        Advice::FewerRows => "plan with --rows for any number of rows up to one",
        Advice::MoreRows { rows } => return Some(format!("plan for more with --rows {rows}")),
        Advice::ExactRows => "plan for exactly the rows of the data, without --rows",
        Advice::Approximate => "plan with --scheme ckks, which approximates results",
        Advice::LessPrecision { precision: Precision::Relative { bits } } => {
            return Some(format!("plan for less with --precision-bits {bits}"));
        }
        Advice::LessPrecision { precision: Precision::Absolute { error } } => {
            return Some(format!("plan for larger errors with --precision abs={error:e}"));
        }
        Advice::MorePrecision => "plan for more bits with --precision-bits",
        Advice::NarrowRanges => "plan with narrower ranges, --range name=lo:hi",
        Advice::WiderRange { column } => {
            return Some(format!("plan again with a wider range, --range {column}=LO:HI"));
        }
        Advice::PublicCentre { column } => {
            return Some(format!("plan with a public constant near them, --center {column}=VALUE"));
        }
        Advice::LargerFailure { bits } => {
            return Some(format!("plan with more failures, --failure-bits {bits}"));
        }
        Advice::ValueOnZero => "plan with --on-zero value, by which x // 0 is 0 and x % 0 is x",
        Advice::LeaveOutMissing => "leave such rows out with missing: \"mask\"",
        Advice::FillMissing => "fill the gaps with missing: \"mean\" or \"zero\"",
        Advice::ListCategory => "list it in a schema (--schema) as one of the column's \"categories\"",
        Advice::DecimalComma => "read commas with decimalComma: true, or write a point",
        Advice::NoDecimalComma => "leave decimalComma out, or write commas throughout",
        Advice::ThousandsAndComma => {
            "read such numbers with decimalComma: true and thousands: true, or write digits and a point"
        }
        Advice::Thousands => "read such separators with thousands: true, or leave them out",
        Advice::EncryptingKeys => "decrypt with the client that encrypted them, or load its records",
        Advice::NewKeys => "make new keys with Client.generate",
        Advice::SecondEvaluation => {
            "evaluate the inputs again on a machine that the server does not control, and pass what it gives as sameAs"
        }
        Advice::Flooding => "add noise that hides it, with statisticalBits",
        Advice::NameInputs => "name the inputs with decrypt(results, { of: inputs })",
        Advice::WithoutCanaries => "leave canaries out",
        Advice::CompareData
        | Advice::Insecure
        | Advice::Weights { .. }
        | Advice::MoreData
        | Advice::MoreDataRows
        | Advice::ReadAsWhole
        | Advice::ReadAsReal
        | Advice::StateRows
        | Advice::StateRotations
        | Advice::RowsOfRecord
        | Advice::RemoveRecord => return None,
        // What names no option is the same everywhere.
        other => return Some(other.to_string()),
    };
    Some(text.to_owned())
}
