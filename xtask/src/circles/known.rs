//! What the check of circles lets pass, each with its reason: arrows, and circles.

use std::collections::BTreeSet;

use super::survey::{Found, line};

/// The file of the circles that stay, which may only get shorter: a line each, below one that begins with `# ` and says why.
pub(crate) const KNOWN: &str = include_str!("known.txt");

/// An arrow that makes no circle: crate, the file that names, the file that defines, and the reason.
pub(crate) type Exception = (&'static str, &'static str, &'static str, &'static str);

/// The arrows that stay. One that would make no circle is refused.
pub(crate) const EXCEPTIONS: &[Exception] = &[];

/// One line for each circle that isn't known, and for each known one that is gone or smaller.
pub(crate) fn compare(found: &[Found], known: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut reason, text) = (None, known);
    let mut known: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(why) = line.strip_prefix("# ") {
            reason = Some(why);
        } else if let Some((place, members)) = line.split_once(": ") {
            if reason.take().is_none() {
                lines.push(format!(
                    "{line}\n  has no reason: xtask/src/circles/known.txt says why a circle stays"
                ));
            }
            known.push((place, members.split_whitespace().map(str::to_owned).collect()));
        }
    }
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
