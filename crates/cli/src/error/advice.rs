//! What users can do about errors, in the words and with the flags of the program.

use asanoha::{advice::Advice, precision::Precision};

/// The words for advice; there are some for each.
#[expect(clippy::unnecessary_wraps, reason = "other interfaces lack some of the options")]
pub(crate) fn words(advice: &Advice) -> Option<String> {
    let text = match advice {
        Advice::PlanAgain => "make it anew with `asanoha plan`",
        Advice::FewerRows => "plan with --rows for any number of rows up to one",
        Advice::MoreRows { rows } => return Some(format!("plan for more with --rows {rows}")),
        Advice::ExactRows => "plan for exactly the rows of the data, without --rows",
        Advice::Insecure => "add --insecure if this is a test",
        Advice::Approximate => "take --scheme ckks, which approximates results",
        Advice::LessPrecision { precision: Precision::Relative { bits } } => {
            return Some(format!("ask for less with --precision-bits {bits}"));
        }
        Advice::LessPrecision { precision: Precision::Absolute { error } } => {
            return Some(format!("allow larger errors with --precision abs={error:e}"));
        }
        Advice::MorePrecision => "ask for more bits with --precision-bits",
        Advice::NarrowRanges => "narrow the ranges with --range name=lo:hi",
        Advice::WiderRange { column } => {
            return Some(format!("plan again with a wider range, --range {column}=LO:HI"));
        }
        Advice::PublicCentre { column } => {
            return Some(format!("declare a public constant near them with --center {column}=VALUE"));
        }
        Advice::LargerFailure { bits } => {
            return Some(format!("allow more failures with --failure-bits {bits}"));
        }
        Advice::Weights { name } => return Some(format!("name their file with `--weights {name}=FILE`")),
        Advice::ValueOnZero => "take --on-zero value, by which x // 0 is 0 and x % 0 is x",
        Advice::LeaveOutMissing => "leave such rows out with --missing mask",
        Advice::FillMissing => "fill the gaps with --missing mean or zero",
        Advice::ListCategory => "list it in a schema (--schema) as one of the column's \"categories\"",
        Advice::MoreData => "allow more with --max-data",
        Advice::MoreDataRows => "allow more with --max-rows",
        Advice::DecimalComma => "read commas with --decimal-comma, or write a point",
        Advice::NoDecimalComma => "leave --decimal-comma out, or write commas throughout",
        Advice::ThousandsAndComma => {
            "read such numbers with --decimal-comma --thousands, or write digits and a point"
        }
        Advice::Thousands => "read such separators with --thousands, or leave them out",
        Advice::ReadAsWhole => "to read numbers, say \"whole\": true of the column in a schema (--schema)",
        Advice::ReadAsReal => "name it with --real",
        Advice::EncryptingKeys => "name the folder of keys that `asanoha encrypt` used",
        Advice::NewKeys => "make all anew with `asanoha keygen --force`",
        Advice::NameInputs => "name the inputs with --in-of FILE",
        Advice::StateRows => "state with --rows how many rows you encrypted",
        Advice::StateRotations => {
            "only if you replaced the keys since then, state with --rotations how often"
        }
        Advice::RowsOfRecord => "leave --rows out",
        Advice::RemoveRecord => "remove it and state with --rows how many rows you encrypted",
        Advice::WithoutCanaries => "leave --canaries out",
        Advice::SecondEvaluation => {
            "evaluate the inputs again on a machine that the server does not control, and name what it gives with --same-as FILE"
        }
        Advice::CompareData => "compare exact results with the plain computation on the data, --data FILE",
        Advice::Flooding => "add noise that hides it, with --publish BITS",
        // What names no option is the same everywhere.
        other => return Some(other.to_string()),
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use asanoha::{advice::Advice, precision::Precision};
    use clap::CommandFactory;

    use super::words;
    use crate::args::Arguments;

    /// All advice that names a flag or a command, with its words.
    fn all() -> Vec<(Advice, &'static str)> {
        let (column, name) = ("age".to_owned(), "w".to_owned());
        vec![
            (Advice::PlanAgain, "make it anew with `asanoha plan`"),
            (Advice::FewerRows, "plan with --rows for any number of rows up to one"),
            (Advice::MoreRows { rows: 12 }, "plan for more with --rows 12"),
            (Advice::ExactRows, "plan for exactly the rows of the data, without --rows"),
            (Advice::Insecure, "add --insecure if this is a test"),
            (Advice::Approximate, "take --scheme ckks, which approximates results"),
            (
                Advice::LessPrecision { precision: Precision::Relative { bits: 12 } },
                "ask for less with --precision-bits 12",
            ),
            (
                Advice::LessPrecision { precision: Precision::Absolute { error: 0.002 } },
                "allow larger errors with --precision abs=2e-3",
            ),
            (Advice::MorePrecision, "ask for more bits with --precision-bits"),
            (Advice::NarrowRanges, "narrow the ranges with --range name=lo:hi"),
            (
                Advice::WiderRange { column: column.clone() },
                "plan again with a wider range, --range age=LO:HI",
            ),
            (Advice::PublicCentre { column }, "declare a public constant near them with --center age=VALUE"),
            (Advice::LargerFailure { bits: 80 }, "allow more failures with --failure-bits 80"),
            (Advice::Weights { name }, "name their file with `--weights w=FILE`"),
            (Advice::ValueOnZero, "take --on-zero value, by which x // 0 is 0 and x % 0 is x"),
            (Advice::LeaveOutMissing, "leave such rows out with --missing mask"),
            (Advice::FillMissing, "fill the gaps with --missing mean or zero"),
            (Advice::ListCategory, "list it in a schema (--schema) as one of the column's \"categories\""),
            (
                Advice::ReadAsWhole,
                "to read numbers, say \"whole\": true of the column in a schema (--schema)",
            ),
            (Advice::MoreData, "allow more with --max-data"),
            (Advice::MoreDataRows, "allow more with --max-rows"),
            (Advice::DecimalComma, "read commas with --decimal-comma, or write a point"),
            (Advice::NoDecimalComma, "leave --decimal-comma out, or write commas throughout"),
            (
                Advice::ThousandsAndComma,
                "read such numbers with --decimal-comma --thousands, or write digits and a point",
            ),
            (Advice::Thousands, "read such separators with --thousands, or leave them out"),
            (Advice::ReadAsReal, "name it with --real"),
            (Advice::EncryptingKeys, "name the folder of keys that `asanoha encrypt` used"),
            (Advice::NewKeys, "make all anew with `asanoha keygen --force`"),
            (Advice::NameInputs, "name the inputs with --in-of FILE"),
            (Advice::StateRows, "state with --rows how many rows you encrypted"),
            (
                Advice::StateRotations,
                "only if you replaced the keys since then, state with --rotations how often",
            ),
            (Advice::RowsOfRecord, "leave --rows out"),
            (Advice::RemoveRecord, "remove it and state with --rows how many rows you encrypted"),
            (Advice::WithoutCanaries, "leave --canaries out"),
            (
                Advice::SecondEvaluation,
                "evaluate the inputs again on a machine that the server does not control, and name what it gives with --same-as FILE",
            ),
            (
                Advice::CompareData,
                "compare exact results with the plain computation on the data, --data FILE",
            ),
            (Advice::Flooding, "add noise that hides it, with --publish BITS"),
        ]
    }

    #[test]
    fn advice_names_its_flag() {
        for (advice, text) in all() {
            assert_eq!(words(&advice).as_deref(), Some(text), "{advice:?}");
        }
    }

    #[test]
    fn every_flag_and_command_of_the_advice_exists() {
        let program = Arguments::command();
        let commands: Vec<_> = [&program].into_iter().chain(program.get_subcommands()).collect();
        let flags: BTreeSet<_> = commands
            .iter()
            .flat_map(|command| command.get_arguments())
            .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
            .collect();
        for (_, text) in all() {
            let named: Vec<_> = text
                .split(|c: char| !c.is_ascii_lowercase() && c != '-')
                .filter(|word| word.starts_with("--"))
                .collect();
            let command = text.split_once("`asanoha ").and_then(|(_, rest)| rest.split(['`', ' ']).next());
            assert!(named.iter().all(|&flag| flags.contains(flag)), "{text}");
            assert!(command.is_none_or(|name| program.find_subcommand(name).is_some()), "{text}");
            assert!(!named.is_empty() || command.is_some(), "{text}");
        }
    }

    #[test]
    fn other_advice_is_the_same_in_every_interface() {
        for advice in [
            Advice::PlanForData,
            Advice::Clip,
            Advice::Offset,
            Advice::SmallerGap,
            Advice::MoveThreshold,
            Advice::SplitProgram,
            Advice::LeaveRowOut,
            Advice::OneKeyGeneration,
            Advice::QuoteText,
            Advice::RestoreRecord,
        ] {
            assert_eq!(words(&advice), Some(advice.to_string()));
        }
    }
}
