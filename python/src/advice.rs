//! What users can do about errors, in the words and with the options of the package.

use asanoha::{advice::Advice, precision::Precision};

/// The words for advice; `None` where the package has no such option.
pub(crate) fn words(advice: &Advice) -> Option<String> {
    let text = match advice {
        Advice::PlanAgain => "plan again",
        Advice::FewerRows => "plan with max_rows= for any number of rows up to one",
        Advice::MoreRows { rows } => return Some(format!("plan with max_rows={rows} or more")),
        Advice::ExactRows => "plan for exactly the rows of the data, with rows= in place of max_rows=",
        Advice::Approximate => "plan with scheme=\"ckks\", which approximates results",
        Advice::LessPrecision { precision: Precision::Relative { bits } } => {
            return Some(format!("ask for less with precision=asa.Bits({bits})"));
        }
        Advice::LessPrecision { precision: Precision::Absolute { error } } => {
            return Some(format!("allow larger errors with precision=asa.Absolute({error:e})"));
        }
        Advice::LargerFailure { bits } => {
            return Some(format!("allow more failures with failure_bits={bits}"));
        }
        Advice::WiderGap => "state a wider gap with asa.less_than(a, b, gap)",
        Advice::MorePrecision => "ask for more bits with precision=asa.Bits(n)",
        Advice::NarrowRanges => "narrow the ranges, as in ranges={\"x\": (lo, hi)} or asa.Real(lo, hi)",
        Advice::WiderRange { column } => {
            return Some(format!("plan again with a wider range, ranges={{{column:?}: (lo, hi)}}"));
        }
        Advice::Round => "write np.round(x), or np.round(100 * x) for two places",
        Advice::Gap => "compare with `np.abs(x - y) < gap`",
        Advice::Clip => "write np.clip(x, lo, hi) or asa.assume(x, lo, hi)",
        Advice::SmallerGap => "state a smaller gap with asa.less_than(a, b, gap)",
        Advice::Weights { .. } => "write the constants in their place",
        Advice::ValueOnZero => "divide by np.where(y == 0, 1, y)",
        Advice::LeaveOutMissing => "leave such rows out with missing=\"mask\"",
        Advice::FillMissing => "fill the gaps with missing=\"mean\" or missing=\"zero\"",
        Advice::EncryptingKeys => "decrypt with the client that encrypted them",
        Advice::NewKeys => "make new keys with Client.generate(plan)",
        Advice::SecondEvaluation => {
            "evaluate the inputs again on a machine that the server does not control, and pass what it gives as same_as="
        }
        Advice::CompareData => "compare exact results with the plain computation, data=",
        Advice::Flooding => "add noise that hides it, with statistical_bits=",
        Advice::NameInputs => "name the inputs with decrypt(results, of=inputs)",
        Advice::Insecure
        | Advice::PublicCentre { .. }
        | Advice::QuoteText
        | Advice::ListCategory
        | Advice::ReadAsWhole
        | Advice::MoreData
        | Advice::MoreDataRows
        | Advice::DecimalComma
        | Advice::NoDecimalComma
        | Advice::Thousands
        | Advice::ThousandsAndComma
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
