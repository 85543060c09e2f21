//! Bootstrapping of TFHE and CKKS under limits of memory, from key generation to decryption: each time in a process of its own that
//! the operating system confines.

mod case;
mod ckks;
mod counters;
mod cycles;
mod error;
mod group;
mod phases;
mod report;
mod run;
mod subject;
mod tfhe;

use std::time::Instant;

use crate::{Machine, Settings, Tell};

pub use case::{DramCase, DramScheme};
pub use cycles::CycleCount;
pub use error::DramError;
pub use group::MemoryGroup;
pub use report::{DramRefusal, DramReport, DramRow};
pub use run::dram_row;

/// The measurements of a scheme.
struct Plan {
    scheme: DramScheme,
    /// The limits in bytes, beside none; with a quick look the first.
    limits: &'static [u64],
    /// The rounds over all limits; the fastest run under each counts.
    rounds: usize,
}

const PLANS: [Plan; 2] = [
    Plan {
        scheme: DramScheme::Tfhe,
        limits: &[50_000_000, 100_000_000, 500_000_000, 1_000_000_000, 2_000_000_000, 3_000_000_000],
        rounds: 3,
    },
    Plan { scheme: DramScheme::Ckks, limits: &[1 << 29], rounds: 1 },
];

/// The settings of the bench.
#[derive(Clone, Debug)]
pub struct DramSettings {
    /// The back-ends, of which the last one is measured, and whether a quick look is enough: one round under the
    /// smallest limit and none, by TFHE if no scheme is named.
    pub settings: Settings,
    /// The number of threads.
    pub threads: usize,
    /// A limit in bytes to measure in place of the usual ones.
    pub memory_limit: Option<u64>,
    /// The scheme; all of them if none is named.
    pub scheme: Option<DramScheme>,
}

/// Measures each limit, in turns with the others. `row` calls [`dram_row`] in a process of its own. A limit that no control group
/// enforces isn't measured.
///
/// # Errors
/// The errors of `row`.
pub fn dram<E>(
    settings: &DramSettings,
    row: impl Fn(&DramCase) -> Result<DramRow, E>,
    tell: Tell<'_>,
) -> Result<DramReport, E> {
    measure(settings, MemoryGroup::new, row, tell)
}

fn measure<E>(
    settings: &DramSettings,
    group: impl Fn(u64) -> Result<MemoryGroup, String>,
    row: impl Fn(&DramCase) -> Result<DramRow, E>,
    tell: Tell<'_>,
) -> Result<DramReport, E> {
    let start = Instant::now();
    let quick = settings.settings.quick;
    let named = settings.scheme.or_else(|| quick.then_some(DramScheme::Tfhe));
    let plans = PLANS.iter().filter(|plan| named.is_none_or(|scheme| plan.scheme == scheme));
    let cases: Vec<(&Plan, Vec<Option<u64>>, usize)> = plans
        .map(|plan| {
            let usual = if quick { &plan.limits[..1] } else { plan.limits };
            let limits = settings.memory_limit.as_ref().map_or(usual, std::slice::from_ref);
            let limits = limits.iter().copied().map(Some).chain([None]).collect();
            (plan, limits, if quick { 1 } else { plan.rounds })
        })
        .collect();
    let all: usize = cases.iter().map(|(_, limits, rounds)| limits.len() * rounds).sum();
    let (mut done, mut rows, mut refused) = (0, Vec::new(), Vec::new());
    for (plan, limits, rounds) in cases {
        let mut fastest: Vec<Option<DramRow>> = vec![None; limits.len()];
        for round in 0..rounds {
            for (&limit, fastest) in limits.iter().zip(&mut fastest) {
                match limit.map(&group).transpose() {
                    Ok(group) => {
                        let group_path = group.as_ref().map(MemoryGroup::path);
                        let case = DramCase { scheme: plan.scheme, memory_limit: limit, group: group_path };
                        let row = row(&case)?;
                        if fastest.as_ref().is_none_or(|fastest| row.seconds < fastest.seconds) {
                            *fastest = Some(row);
                        }
                    }
                    Err(why) if round == 0 => {
                        let memory_limit_bytes = limit.expect("only a limit needs a group");
                        refused.push(DramRefusal { scheme: plan.scheme, memory_limit_bytes, why });
                    }
                    Err(_) => {}
                }
                done += 1;
                tell(done, all);
            }
        }
        let mut of_scheme: Vec<DramRow> = fastest.into_iter().flatten().collect();
        let unlimited = of_scheme.last().map(|row| (row.seconds, row.bootstrap_seconds));
        for row in &mut of_scheme {
            row.time_ratio = unlimited.map(|(seconds, _)| row.seconds / seconds);
            row.bootstrap_time_ratio = unlimited.map(|(_, seconds)| row.bootstrap_seconds / seconds);
        }
        rows.extend(of_scheme);
    }
    let machine = Machine { threads: settings.threads, ..Machine::this(&settings.settings.backends) };
    Ok(DramReport { machine, rows, refused, seconds: start.elapsed().as_secs_f64() })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use asanoha_kernels::Backend;

    use super::*;

    #[test]
    fn limits_that_nothing_enforces_are_refused_and_not_measured() {
        let settings = Settings { backends: vec![Backend::Scalar], quick: true };
        let settings = DramSettings { settings, threads: 1, memory_limit: Some(7), scheme: None };
        let told = Cell::new((0, 0));
        let row = |case: &DramCase| {
            assert_eq!(case.memory_limit, None);
            dram_row(&settings.settings, case)
        };
        let refuse = |_| Err("no groups".to_owned());
        let report = measure(&settings, refuse, row, &|done, all| told.set((done, all))).unwrap();
        assert_eq!(told.get(), (2, 2));
        assert_eq!((report.rows.len(), report.rows[0].time_ratio), (1, Some(1.0)));
        assert!(report.rows[0].confined_by.is_none() && report.rows[0].memory_limit_bytes.is_none());
        let [refusal] = &report.refused[..] else { panic!("{:?}", report.refused) };
        assert_eq!((refusal.memory_limit_bytes, refusal.why.as_str()), (7, "no groups"));
        let text = report.text();
        assert!(text.contains("no groups") && text.contains("systemd-run --user --scope"), "{text}");
    }
}
