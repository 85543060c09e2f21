//! The report of the bench of traces, with tables laid out as the paper's.

use std::{collections::BTreeSet, fmt::Write};

use serde::Serialize;

use crate::{Machine, SearchRow};

/// The method by which a row's rotations are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Repeated doubling: one key switch after another (the paper's Algorithm 2.2).
    RepeatedDoubling,
    /// The unrolled trace: h hoisted stages with one mod-down each (the paper's Algorithm 3.2).
    Unrolled,
    /// The stages that a short measurement chose. If they're those of a number h, that trace is timed once for both.
    Chosen,
}

/// The measurement of one trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceRow {
    /// The method by which it was computed.
    pub method: Method,
    /// log2 of the ring degree.
    pub log2_n: u32,
    /// log2 of the number of rotations that are summed.
    pub m: u32,
    /// The number of special primes, which is also the number of primes of a digit.
    pub k: usize,
    /// The level of the ciphertext, which has l + 1 primes.
    pub l: usize,
    /// The number of stages.
    pub h: usize,
    /// The factors of the stages.
    pub factors: Vec<usize>,
    /// The number of threads.
    pub threads: usize,
    /// The name of the kernels.
    pub kernels: &'static str,
    /// The shortest time, in milliseconds.
    pub ms_min: f64,
    /// The median time, in milliseconds.
    pub ms_median: f64,
    /// Bytes of the keys in memory.
    pub key_bytes: usize,
}

/// The measurement of rotations of one ciphertext with 10 levels and three digits.
#[derive(Clone, Debug, Serialize)]
pub struct RotationRow {
    /// `rotate`: one rotation; `hoisted`: several results; `sum`: their sum, with one mod-down; `sum_of_slots`: the sum
    /// over 128 slots.
    pub operation: &'static str,
    /// The number of rotations.
    pub rotations: usize,
    /// The number of threads.
    pub threads: usize,
    /// The name of the kernels.
    pub kernels: &'static str,
    /// The shortest time, in milliseconds.
    pub ms_min: f64,
    /// The median time, in milliseconds.
    pub ms_median: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct TraceReport {
    /// The machine.
    pub machine: Machine,
    /// The traces.
    pub rows: Vec<TraceRow>,
    /// The rotations.
    pub rotations: Vec<RotationRow>,
    /// The application of the paper.
    pub search: SearchRow,
}

impl TraceReport {
    /// Tables for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine.cpu);
        let threads: BTreeSet<usize> = self.rows.iter().map(|row| row.threads).collect();
        let mut kernels: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !kernels.contains(&row.kernels) {
                kernels.push(row.kernels);
            }
        }
        for &threads in &threads {
            let rows = || self.rows.iter().filter(move |row| row.threads == threads);
            for &kernels in &kernels {
                let rows: Vec<&TraceRow> = rows().filter(|row| row.kernels == kernels).collect();
                times(
                    &mut text,
                    &format!("{kernels}, {threads} threads: milliseconds (the shortest)"),
                    &rows,
                );
                gains(&mut text, &rows);
            }
            if let [slow, .., fast] = kernels[..] {
                let of = |kernels| rows().filter(|row| row.kernels == kernels).collect::<Vec<_>>();
                ratios(&mut text, &format!("{slow} over {fast}, {threads} threads"), &of(slow), &of(fast));
            }
        }
        let _ = writeln!(text, "\nrotations at 10 levels and 3 digits, milliseconds (the shortest)");
        for row in &self.rotations {
            let _ = writeln!(
                text,
                "{:12} {} threads  {:13} {:>3} {:>9.2}",
                row.kernels, row.threads, row.operation, row.rotations, row.ms_min
            );
        }
        let _ = writeln!(text, "\n{}", self.search);
        text
    }
}

/// The columns: every pair (k, l).
fn columns(rows: &[&TraceRow]) -> Vec<(usize, usize)> {
    rows.iter().map(|row| (row.k, row.l)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn find<'a>(
    rows: &[&'a TraceRow],
    (k, l): (usize, usize),
    is: impl Fn(&TraceRow) -> bool,
) -> Option<&'a TraceRow> {
    rows.iter().find(|row| (row.k, row.l) == (k, l) && is(row)).copied()
}

fn head(text: &mut String, title: &str, columns: &[(usize, usize)]) {
    let _ = write!(text, "\n{title}\n{:>20}", "h \\ k/l");
    for (k, l) in columns {
        let _ = write!(text, " {:>9}", format!("{k}/{l}"));
    }
    text.push('\n');
}

fn line(text: &mut String, name: &str, figures: impl Iterator<Item = Option<f64>>) {
    let _ = write!(text, "{name:>20}");
    for figure in figures {
        let _ = match figure {
            Some(figure) => write!(text, " {figure:>9.2}"),
            None => write!(text, " {:>9}", "–"),
        };
    }
    text.push('\n');
}

fn unrolled(h: usize) -> impl Fn(&TraceRow) -> bool {
    move |row| row.method == Method::Unrolled && row.h == h
}

fn of(method: Method) -> impl Fn(&TraceRow) -> bool {
    move |row| row.method == method
}

fn stages(rows: &[&TraceRow]) -> BTreeSet<usize> {
    rows.iter().filter(|row| row.method == Method::Unrolled).map(|row| row.h).collect()
}

fn times(text: &mut String, title: &str, rows: &[&TraceRow]) {
    let columns = columns(rows);
    head(text, title, &columns);
    for h in stages(rows) {
        let figures = columns.iter().map(|&at| find(rows, at, unrolled(h)).map(|row| row.ms_min));
        line(text, &h.to_string(), figures);
    }
    for (name, method) in [("chosen", Method::Chosen), ("repeated doubling", Method::RepeatedDoubling)] {
        line(text, name, columns.iter().map(|&at| find(rows, at, of(method)).map(|row| row.ms_min)));
    }
}

/// The speed-up of the best unrolled trace over repeated doubling, and of the chosen one over the best.
fn gains(text: &mut String, rows: &[&TraceRow]) {
    let columns = columns(rows);
    let best = |at| {
        stages(rows)
            .into_iter()
            .filter_map(|h| find(rows, at, unrolled(h)))
            .min_by(|a, b| a.ms_min.total_cmp(&b.ms_min))
    };
    let over_best =
        |method| move |&at: &(usize, usize)| Some(find(rows, at, of(method))?.ms_min / best(at)?.ms_min);
    line(text, "doubling / best", columns.iter().map(over_best(Method::RepeatedDoubling)));
    line(text, "chosen / best", columns.iter().map(over_best(Method::Chosen)));
}

fn ratios(text: &mut String, title: &str, slow: &[&TraceRow], fast: &[&TraceRow]) {
    let columns = columns(slow);
    head(text, title, &columns);
    for h in stages(slow) {
        let ratio = |&at: &(usize, usize)| {
            Some(find(slow, at, unrolled(h))?.ms_min / find(fast, at, unrolled(h))?.ms_min)
        };
        line(text, &h.to_string(), columns.iter().map(ratio));
    }
}
