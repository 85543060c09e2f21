//! Arrows between named things, and the circles among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each thing, the things that it needs, with the names that it needs of each.
pub(crate) type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Things of which each needs every other one, if only through others: a strongly connected component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Circle {
    pub(crate) members: BTreeSet<String>,
    /// A shortest way around, which begins and ends with the same member.
    pub(crate) way: Vec<String>,
}

/// The circles, each with at least two members.
pub(crate) fn circles(arrows: &Arrows) -> Vec<Circle> {
    let mut circles: Vec<Circle> = Vec::new();
    for start in arrows.keys() {
        if circles.iter().any(|circle| circle.members.contains(start)) {
            continue;
        }
        let from_start = reachable(arrows, start);
        let members: BTreeSet<String> = from_start
            .iter()
            .filter(|other| reachable(arrows, other).contains(start.as_str()))
            .map(|other| (*other).to_owned())
            .collect();
        if members.len() > 1 {
            let ways = members.iter().filter_map(|member| way_around(arrows, member));
            let way = ways.min_by_key(Vec::len).unwrap_or_default();
            circles.push(Circle { members, way });
        }
    }
    circles
}

/// What `start` needs, if only through others.
fn reachable<'a>(arrows: &'a Arrows, start: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(next) = open.pop() {
        for other in arrows.get(next).into_iter().flat_map(BTreeMap::keys) {
            if found.insert(other.as_str()) {
                open.push(other);
            }
        }
    }
    found
}

/// A shortest way from `start` back to it.
fn way_around(arrows: &Arrows, start: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let last = way.last()?;
        for next in arrows.get(last).into_iter().flat_map(BTreeMap::keys) {
            let way: Vec<String> = way.iter().chain([next]).cloned().collect();
            if next == start {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push_back(way);
            }
        }
    }
    None
}
