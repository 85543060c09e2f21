//! The beginning of the page: what readers have to know of all tables.

use super::{
    CallRow, Standing,
    numbers::{day, duration},
};

/// Describes asanoha and the tables.
pub(super) const WHAT: &str = "asanoha is a library and program in Rust that computes on encrypted data with the schemes BGV, BFV, CKKS and TFHE. These are the tables and figures of the papers that it implements. Bold values are asanoha's.";

/// Defines a ratio.
pub(super) const RATIOS: &str = "A ratio says how many times better asanoha's value is than the published one: a time of 2 s beside 6 s is 3 times better. It stands only where quantity, unit, amount of work and batch are the same on both sides. Other values stand beside each other without a ratio, with what differs.";

/// Limits the meaning of a ratio.
pub(super) const MACHINES: &str = "The machines differ: published values are from their authors' machines, which each paper's section names, and ours are all from one. So a ratio shows the order of magnitude, not which program is faster on one machine.";

/// Names the sources of the values, in a sentence.
pub(super) fn origin(calls: &[CallRow]) -> String {
    let first = |of: &dyn Fn(&CallRow) -> Option<String>| {
        calls.iter().find_map(of).unwrap_or_else(|| "unknown".to_owned())
    };
    let latest = calls.iter().map(|call| call.unix_seconds).max().unwrap_or(0);
    let all: f64 = calls.iter().map(|call| call.seconds).sum();
    let kernels = first(&|call| call.kernels.clone());
    let commit = first(&|call| call.commit.clone());
    let threads = calls.iter().filter_map(|call| call.threads).max().unwrap_or(1);
    let quick = if calls.iter().any(|call| call.quick) { " Some or all are quick looks." } else { "" };
    format!(
        "{}, {}, {kernels} kernels, up to {threads} threads, commit {commit}. The measurements took {}.{quick}",
        day(latest),
        first(&|call| call.cpu.clone()),
        duration(all)
    )
}

/// Counts the compared values, the worse ones among them, and the values without a ratio.
pub(super) fn counts(standings: &[Standing]) -> String {
    let sum = |of: fn(&Standing) -> usize| standings.iter().map(of).sum::<usize>();
    let [alike, worse, apart] = [sum(|it| it.alike), sum(|it| it.worse), sum(|it| it.apart)];
    format!(
        "{alike} values stand beside a published one of the same, and {worse} of these are worse than it. {apart} more stand beside a published one without a ratio. A pair that a paper prints twice counts once."
    )
}
