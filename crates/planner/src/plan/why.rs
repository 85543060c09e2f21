//! Why a scheme is the choice, or not, in words.

use super::candidate::Candidate;

/// Why a scheme is the choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It was asked for.
    AskedFor,
    /// It's exact.
    Exact,
    /// It's approximate, and there is no exact result.
    Real,
    /// It's approximate: no exact scheme can run the program.
    NoneExact,
    /// It's approximate: exact results take so many times as long.
    MuchFaster(f64),
}

/// Writes down why each scheme is the choice, or not; `kinds` are those of the columns, in words.
pub(super) fn tell_why(candidates: &mut [Candidate], chosen: Option<(usize, Verdict)>, kinds: &str) {
    let taken = chosen.map(|(at, verdict)| (at, candidates[at].scheme.to_string().to_uppercase(), verdict));
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.why = match (&candidate.outcome, &taken) {
            (Err(reason), _) => reason.to_string(),
            (Ok(_), &Some((taken, _, verdict))) if taken == at => of_chosen(verdict, kinds),
            (Ok(_), Some((taken, name, verdict))) => {
                of_other(candidate.is_exact, Some((at < *taken, name, *verdict)), kinds)
            }
            (Ok(_), None) => of_other(candidate.is_exact, None, kinds),
        };
    }
}

/// Why a scheme is the choice.
fn of_chosen(verdict: Verdict, kinds: &str) -> String {
    match verdict {
        Verdict::AskedFor => "asked for".to_owned(),
        Verdict::Exact => format!("exact: all columns are {kinds} and nothing is approximated"),
        Verdict::Real => "real numbers: approximate, with bounds of the errors".to_owned(),
        Verdict::NoneExact => "decimals, approximate: no exact scheme can run this program".to_owned(),
        Verdict::MuchFaster(times) => {
            format!("decimals, approximate: exact results are predicted to take {times:.0} times as long")
        }
    }
}

/// Why a scheme that can run the program isn't the choice; of the one that is: whether it comes later in the order, its name, and why.
fn of_other(is_exact: bool, taken: Option<(bool, &str, Verdict)>, kinds: &str) -> String {
    match (is_exact, taken) {
        (false, Some((.., Verdict::AskedFor))) => "possible, but approximate".to_owned(),
        (false, _) => {
            format!("possible, but approximate, and all columns are {kinds}: ask for it by name")
        }
        (true, Some((.., Verdict::AskedFor))) => "possible, exact; another was asked for".to_owned(),
        (true, Some((true, name, Verdict::Exact))) => {
            format!("possible, exact; {name} is predicted to be faster")
        }
        (true, Some((false, name, Verdict::Exact))) => {
            format!("possible, exact; not predicted to be clearly faster than {name}")
        }
        (true, _) => "possible, exact: ask for it by name".to_owned(),
    }
}
