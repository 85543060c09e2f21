//! Counts of cycles of a process.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::{Command, Stdio},
};

use tempfile::NamedTempFile;

/// A count of instructions and cycles of a process, by the system's `perf`.
#[derive(Debug)]
pub struct CycleCount(NamedTempFile);

impl CycleCount {
    /// A count for the process that a command starts, and the command that starts it: the same one, under `perf` if this
    /// machine lets it count.
    pub fn around(program: &OsStr) -> (Option<Self>, Command) {
        let file = NamedTempFile::new().ok();
        let counted = file.filter(|file| {
            let quiet = |mut command: Command| {
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
            };
            quiet(Self::perf(file.path(), OsStr::new("true"))) && Self::read(file.path()).is_some()
        });
        match counted {
            Some(file) => {
                let command = Self::perf(file.path(), program);
                (Some(Self(file)), command)
            }
            None => (None, Command::new(program)),
        }
    }

    fn perf(out: &Path, program: &OsStr) -> Command {
        let mut command = Command::new("perf");
        command.args(["stat", "-x,", "-e", "instructions,cycles", "-o"].map(OsString::from));
        command.arg(out).arg("--").arg(program);
        command
    }

    /// Instructions a cycle, once the process has ended.
    pub fn instructions_per_cycle(&self) -> Option<f64> {
        Self::read(self.0.path())
    }

    fn read(path: &Path) -> Option<f64> {
        ratio(&std::fs::read_to_string(path).ok()?)
    }
}

/// Instructions over cycles, from lines whose first field is a count and whose third is its name.
fn ratio(text: &str) -> Option<f64> {
    let count = |name: &str| {
        let fields = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let mut named = fields.filter(|fields| fields.get(2).is_some_and(|found| found.starts_with(name)));
        named.next()?.first()?.parse().ok().filter(|count: &f64| *count > 0.0)
    };
    Some(count("instructions")? / count("cycles")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_that_are_not_counted_give_no_ratio() {
        assert_eq!(
            ratio("# started\n\n300,,instructions:u,5,100.00,,\n200,,cycles:u,5,100.00,,\n"),
            Some(1.5)
        );
        assert_eq!(
            ratio("<not supported>,,instructions,0,100.00,,\n<not supported>,,cycles,0,100.00,,\n"),
            None
        );
        assert_eq!(ratio(""), None);
    }
}
