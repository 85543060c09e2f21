//! What users can do about an error: data, which every interface puts into words with its own options.

use std::fmt::{self, Display};

use asanoha_numeric::precision::Precision;

/// Something that a user can do about an error. `Display` says it without naming any option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// Plan the program again.
    PlanAgain,
    /// Plan again for the data at hand.
    PlanForData,
    /// Plan for any number of rows up to one.
    FewerRows,
    /// Plan for more rows.
    MoreRows {
        /// At least so many.
        rows: usize,
    },
    /// Plan for exactly the rows of the data.
    ExactRows,
    /// Allow parameters that aren't secure, in a test.
    Insecure,
    /// Approximate the results with CKKS.
    Approximate,
    /// Ask for less precision: for this one, which can be had.
    LessPrecision {
        /// The most precise that results can be.
        precision: Precision,
    },
    /// State a wider gap of a comparison.
    WiderGap,
    /// Ask for more precision.
    MorePrecision,
    /// State narrower ranges.
    NarrowRanges,
    /// Plan again with a wider range.
    WiderRange {
        /// Of this column.
        column: String,
    },
    /// Bound a value within the program.
    Clip,
    /// Round a value within the program.
    Round,
    /// Add an offset to a value.
    Offset,
    /// Compare up to a gap.
    Gap,
    /// State a smaller gap of a comparison.
    SmallerGap,
    /// Move the threshold of a comparison.
    MoveThreshold,
    /// Take a public constant away from a column before encryption.
    PublicCentre {
        /// The column.
        column: String,
    },
    /// Compute two results in programs of their own.
    SplitProgram,
    /// Encrypt without canaries.
    WithoutCanaries,
    /// Let a run fail more often.
    LargerFailure {
        /// In bits, that it doesn't.
        bits: u32,
    },
    /// Compute on the rows in several runs.
    SplitRows,
    /// Give a program its weights.
    Weights {
        /// Their name.
        name: String,
    },
    /// Leave the row out.
    LeaveRowOut,
    /// Give divisions by zero a value.
    ValueOnZero,
    /// Leave out all rows that miss a value.
    LeaveOutMissing,
    /// Put a number in the place of each missing value.
    FillMissing,
    /// Put a word in quotes, which is a text and no missing value.
    QuoteText,
    /// List a word among the categories of its column.
    ListCategory,
    /// Raise the limit on the bytes of the data.
    MoreData,
    /// Raise the limit on the rows of the data.
    MoreDataRows,
    /// Read decimal commas.
    DecimalComma,
    /// Don't read decimal commas.
    NoDecimalComma,
    /// Read numbers in groups of three digits.
    Thousands,
    /// Read numbers in groups of three digits and with decimal commas.
    ThousandsAndComma,
    /// Read a column of identifiers as whole numbers.
    ReadAsWhole,
    /// Read a column of identifiers as real numbers.
    ReadAsReal,
    /// Decrypt with the keys that encrypted the inputs.
    EncryptingKeys,
    /// Take the re-encryption key from the ciphertexts' key generation.
    ReencryptingKeys,
    /// Decrypt with the old keys, and encrypt again under the new ones.
    EncryptAgain,
    /// Publish with the old keys.
    PublishOld,
    /// Put files of one key generation into a folder.
    OneKeyGeneration,
    /// Make all keys anew.
    NewKeys,
    /// Name the encrypted inputs that results were computed from.
    NameInputs,
    /// State the number of encrypted rows.
    StateRows,
    /// The number of times that keys were replaced since inputs were encrypted can be stated.
    StateRotations,
    /// Leave it to the record how many rows were encrypted.
    RowsOfRecord,
    /// Restore the record of encrypted inputs from a backup.
    RestoreRecord,
    /// Remove the record of encrypted inputs, and state the number of rows.
    RemoveRecord,
    /// Evaluate a second time, on a machine that the server doesn't control, and compare the results.
    SecondEvaluation,
    /// Compare exact results with the plain computation.
    CompareData,
    /// Flood approximate results with noise.
    Flooding,
}

impl Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlanAgain => "plan the program again",
            Self::PlanForData => "plan again for these data",
            Self::FewerRows => "plan for any number of rows up to one",
            Self::MoreRows { rows } => return write!(f, "plan for at least {rows} rows"),
            Self::ExactRows => "plan for exactly the rows of the data",
            Self::Insecure => "allow insecure parameters if this is a test",
            Self::Approximate => "take CKKS, which approximates the results",
            Self::LessPrecision { precision: Precision::Relative { bits } } => {
                return write!(f, "ask for {bits} bits of precision or fewer");
            }
            Self::LessPrecision { precision: Precision::Absolute { error } } => {
                return write!(f, "allow an error of {error:e} or more");
            }
            Self::WiderGap => "state a wider gap with less_than(a, b, gap) or sign(x, gap)",
            Self::MorePrecision => "ask for more bits of precision",
            Self::NarrowRanges => "narrow the ranges of the columns",
            Self::WiderRange { column } => {
                return write!(f, "plan again with a wider range of column `{column}`");
            }
            Self::Clip => "write clip(x, lo, hi) or assume(x, lo, hi)",
            Self::Round => "write round(x), or round(100 * x) for two places",
            Self::Offset => "add an offset",
            Self::Gap => "compare with `abs(x - y) < gap`",
            Self::SmallerGap => "state a smaller gap with less_than(a, b, gap) or sign(x, gap)",
            Self::MoveThreshold => "move the threshold",
            Self::PublicCentre { column } => {
                return write!(f, "declare a public constant near the values of column `{column}`");
            }
            Self::SplitProgram => "compute the two in programs of their own",
            Self::WithoutCanaries => "encrypt without canaries",
            Self::LargerFailure { bits } => {
                return write!(f, "allow a failure probability of 2^-{bits}");
            }
            Self::SplitRows => "split the rows into several runs",
            Self::Weights { name } => return write!(f, "give the weights `{name}` with the program"),
            Self::LeaveRowOut => "leave the row out",
            Self::ValueOnZero => "give division by zero a value, by which x // 0 is 0 and x % 0 is x",
            Self::LeaveOutMissing => "leave out rows that miss a value",
            Self::FillMissing => "put the mean or zero in the place of missing values",
            Self::QuoteText => "put the word in quotes where it is a text itself",
            Self::ListCategory => "list it in a schema as one of the column's categories",
            Self::MoreData => "raise the limit on the bytes of the data",
            Self::MoreDataRows => "raise the limit on the rows of the data",
            Self::DecimalComma => "read decimal commas, or write a point",
            Self::NoDecimalComma => "don't read decimal commas",
            Self::ThousandsAndComma => {
                "read separators of thousands and decimal commas, or write digits and a point"
            }
            Self::Thousands => "read separators of thousands, or leave them out",
            Self::ReadAsWhole => "say in a schema that the column is whole, to read numbers",
            Self::ReadAsReal => "read the column as real numbers",
            Self::EncryptingKeys => "decrypt with the folder of keys that encrypted the inputs",
            Self::ReencryptingKeys => {
                "take the re-encryption key that was made from the ciphertexts' key generation"
            }
            Self::EncryptAgain => "decrypt with the old keys and encrypt again under the new ones",
            Self::PublishOld => "publish with the old keys what they decrypt",
            Self::OneKeyGeneration => "put files of one key generation there",
            Self::NewKeys => "make all keys anew",
            Self::NameInputs => "name the inputs",
            Self::StateRows => "state how many rows you encrypted",
            Self::StateRotations => "only if you replaced the keys since then, state how often",
            Self::RowsOfRecord => "leave the number of rows out",
            Self::RestoreRecord => "put it back from a backup",
            Self::RemoveRecord => "remove it and state how many rows you encrypted",
            Self::SecondEvaluation => {
                "evaluate the inputs again on a machine that the server does not control, and compare the results"
            }
            Self::CompareData => "compare exact results with the plain computation",
            Self::Flooding => "publish the results with noise",
        })
    }
}

/// An interface's words for advice; `None` if it has no way to follow it.
pub type Words = fn(&Advice) -> Option<String>;

/// All advice in an interface's words, as in `do this, or that`.
pub fn in_words(advice: &[Advice], words: Words) -> Option<String> {
    let mut all: Vec<String> = advice.iter().filter_map(words).collect();
    let last = all.pop()?;
    Some(if all.is_empty() { last } else { format!("{}, or {last}", all.join(", ")) })
}

/// A message with the advice after it, in an interface's words.
pub fn with_advice(message: String, advice: &[Advice], words: Words) -> String {
    match in_words(advice, words) {
        Some(advice) => format!("{message}: {advice}"),
        None => message,
    }
}

/// An error with advice. `Display` of it says what is wrong and names no option of any interface.
pub trait Advised: Display {
    /// What the user can do: one of these, the best first. Empty if there is nothing, or if the message says it.
    fn advice(&self) -> Vec<Advice>;

    /// What is wrong, and then the advice in an interface's words.
    fn in_words(&self, words: Words) -> String {
        with_advice(self.to_string(), &self.advice(), words)
    }
}

#[cfg(test)]
mod tests {
    use super::{Advice, in_words};

    #[test]
    fn advice_is_joined_without_what_an_interface_cannot_do() {
        let plain = |advice: &Advice| Some(advice.to_string());
        let most = |advice: &Advice| (*advice != Advice::Insecure).then(|| advice.to_string());
        let all = [Advice::LeaveRowOut, Advice::Insecure, Advice::Offset];
        let insecure = "allow insecure parameters if this is a test";
        assert_eq!(in_words(&[], plain), None);
        assert_eq!(in_words(&all[..1], plain).unwrap(), "leave the row out");
        assert_eq!(in_words(&all[..2], plain).unwrap(), format!("leave the row out, or {insecure}"));
        assert_eq!(
            in_words(&all, plain).unwrap(),
            format!("leave the row out, {insecure}, or add an offset")
        );
        assert_eq!(in_words(&all, most).unwrap(), "leave the row out, or add an offset");
        assert_eq!(in_words(&all[1..2], most), None);
    }
}
