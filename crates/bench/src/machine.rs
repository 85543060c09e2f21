//! The machine that measurements were made on.

use asanoha_kernels::Backend;
use serde::Serialize;

use crate::limit::Ports;

/// The facts about a machine that its figures depend on.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's name, family and model, if the system gives them.
    pub cpu: String,
    /// The fastest of the measured kernels.
    pub kernels: &'static str,
    /// The largest number of threads that was measured on.
    pub threads: usize,
    /// The processor whose ports the limits are computed for.
    pub ports: Ports,
}

impl Machine {
    /// This machine, with the back-ends to be measured.
    pub fn this(backends: &[Backend]) -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let kernels = backends.last().map_or("none", |backend| backend.name());
        Self { cpu: cpu(&cpuinfo), kernels, threads: 1, ports: ports(&cpuinfo) }
    }
}

fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    let line =
        cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|start| start.trim() == name))?;
    Some(line.split_once(':')?.1.trim())
}

fn cpu(cpuinfo: &str) -> String {
    match ["model name", "cpu family", "model"].map(|name| field(cpuinfo, name)) {
        [Some(name), Some(family), Some(model)] => format!("{name} (family {family}, model {model})"),
        [Some(name), ..] => name.to_owned(),
        _ => std::env::consts::ARCH.to_owned(),
    }
}

fn ports(cpuinfo: &str) -> Ports {
    match ["vendor_id", "cpu family"].map(|name| field(cpuinfo, name)) {
        [Some("AuthenticAMD"), Some("25")] => Ports::Zen4,
        _ => Ports::Intel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_apart_by_vendor_and_family() {
        let zen4 = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n";
        assert_eq!((ports(zen4), cpu(zen4)), (Ports::Zen4, "AMD EPYC (family 25, model 17)".to_owned()));
        let intel = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: Xeon\n";
        assert_eq!((ports(intel), cpu(intel)), (Ports::Intel, "Xeon".to_owned()));
        assert_eq!(cpu(""), std::env::consts::ARCH);
    }
}
