//! Why a scheme is the choice, or not, in words.

use super::{
    Candidate, Scheme,
    choose::{SCHEMES, Verdict},
};

/// Writes down why each scheme is the choice, or not.
pub(super) fn tell_why(candidates: &mut [Candidate], chosen: Option<(usize, Verdict)>, has_decimals: bool) {
    let kinds = if has_decimals { "whole numbers or decimals" } else { "whole numbers" };
    let taken = chosen.map(|(at, verdict)| (candidates[at].scheme, verdict));
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.why = match (&candidate.outcome, taken) {
            (Err(reason), _) => reason.to_string(),
            (Ok(_), Some((_, verdict))) if chosen.is_some_and(|(chosen, _)| chosen == at) => {
                of_chosen(verdict, kinds)
            }
            (Ok(_), taken) => of_other(candidate.scheme, taken, kinds),
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
        Verdict::Close => {
            "decimals, approximate: results have more than 9 places, and small errors beside them".to_owned()
        }
        Verdict::MuchFaster(times) => {
            format!("decimals, approximate: exact results are predicted to take {times:.0} times as long")
        }
    }
}

/// Why a scheme that can run the program isn't the choice.
fn of_other(scheme: Scheme, taken: Option<(Scheme, Verdict)>, kinds: &str) -> String {
    let position = |scheme: Scheme| SCHEMES.iter().position(|other| *other == scheme);
    match (scheme, taken) {
        (Scheme::Ckks, Some((_, Verdict::AskedFor))) => "possible, but approximate".to_owned(),
        (Scheme::Ckks, _) => {
            format!("possible, but approximate, and all columns are {kinds}: ask for it by name")
        }
        (_, Some((_, Verdict::AskedFor))) => "possible, exact; another was asked for".to_owned(),
        (exact, Some((taken, Verdict::Exact))) => {
            let name = taken.to_string().to_uppercase();
            if position(exact) < position(taken) {
                format!("possible, exact; {name} is predicted to be faster")
            } else {
                format!("possible, exact; not predicted to be clearly faster than {name}")
            }
        }
        (..) => "possible, exact: ask for it by name".to_owned(),
    }
}
