//! What the check of circles lets pass: exceptions for good, and the circles that are still to be removed.

use std::collections::BTreeSet;

use super::survey::{Found, line};

/// The file of the circles that are still to be removed, which may only get shorter.
pub(crate) const KNOWN: &str = include_str!("known.txt");

/// An arrow that makes no circle: crate, the file that names, the file that defines, and the reason.
pub(crate) type Exception = (&'static str, &'static str, &'static str, &'static str);

/// The arrows that stay. One that would make no circle is refused.
pub(crate) const EXCEPTIONS: &[Exception] = &[];

/// One line for each circle that isn't known, and for each known one that is gone or smaller.
pub(crate) fn compare(found: &[Found], known: &str) -> Vec<String> {
    let known: Vec<(&str, BTreeSet<String>)> = known
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(place, members)| (place, members.split_whitespace().map(str::to_owned).collect()))
        .collect();
    let mut lines = Vec::new();
    for circle in found {
        let mut here = known.iter().filter(|(place, _)| *place == circle.place);
        if here.clone().any(|(_, members)| circle.members.is_subset(members)) {
            continue;
        }
        let grown = here.find(|(_, members)| !circle.members.is_disjoint(members));
        let text = &circle.text;
        lines.push(match grown {
            Some((_, members)) => {
                let added: Vec<&str> = circle.members.difference(members).map(String::as_str).collect();
                format!("a known circle grew by {}: {text}", added.join(" "))
            }
            None => format!("a new circle: {text}"),
        });
    }
    for (place, members) in &known {
        let left: Vec<&Found> = found
            .iter()
            .filter(|circle| circle.place == *place && circle.members.is_subset(members))
            .collect();
        if left.iter().all(|circle| circle.members != *members) {
            let name = line(place, members);
            let instead: Vec<String> = left.iter().map(|circle| line(place, &circle.members)).collect();
            lines.push(match &instead[..] {
                [] => format!("{name}\n  is no circle any more: remove it from xtask/src/circles/known.txt"),
                _ => format!(
                    "{name}\n  is a smaller circle now: shorten the list in xtask/src/circles/known.txt:\n{}",
                    instead.join("\n")
                ),
            });
        }
    }
    lines
}
