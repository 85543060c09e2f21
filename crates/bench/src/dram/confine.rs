//! Limits of memory that the operating system enforces on a process, and its counters of cycles.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::NamedTempFile;

use crate::memory;

/// Where control groups of version 2 are.
const GROUPS: &str = "/sys/fs/cgroup";

/// The case that one row measures. As text it's the limit in bytes or `none`, and behind a comma the control group that
/// enforces it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramCase {
    /// The limit in bytes.
    pub memory_limit: Option<u64>,
    /// The folder of a control group with that limit.
    pub group: Option<PathBuf>,
}

impl std::fmt::Display for DramCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.memory_limit {
            Some(bytes) => write!(f, "{bytes}")?,
            None => f.write_str("none")?,
        }
        self.group.iter().try_for_each(|group| write!(f, ",{}", group.display()))
    }
}

impl std::str::FromStr for DramCase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (limit, group) = text.split_once(',').map_or((text, None), |(limit, group)| (limit, Some(group)));
        let memory_limit = match limit {
            "none" => None,
            bytes => {
                Some(bytes.parse().map_err(|_| format!("{text}: a limit is a number of bytes, or none"))?)
            }
        };
        Ok(Self { memory_limit, group: group.map(PathBuf::from) })
    }
}

impl DramCase {
    /// Confines this process for the rest of its life: to the group if it may enter it, or else to that much address
    /// space beside its code, which the system could read again from the file. Says which, or `None` for no limit.
    ///
    /// # Errors
    /// If the system refuses both.
    pub(super) fn enter(&self) -> io::Result<Option<&'static str>> {
        if let Some(group) = &self.group {
            let process = std::process::id().to_string();
            if std::fs::write(group.join("cgroup.procs"), process).is_ok() {
                return Ok(Some("cgroup"));
            }
        }
        let Some(bytes) = self.memory_limit else { return Ok(None) };
        limit_address_space(bytes.saturating_add(memory::code_bytes().unwrap_or(0)))?;
        Ok(Some("address space"))
    }
}

#[cfg(target_os = "linux")]
fn limit_address_space(bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    Ok(setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?)
}

#[cfg(not(target_os = "linux"))]
fn limit_address_space(_: u64) -> io::Result<()> {
    Err(io::Error::other("limits of memory are set on Linux only"))
}

/// A control group whose processes have a limit of memory and no swap. It's removed on drop, when they have ended.
#[derive(Debug)]
pub struct MemoryGroup(PathBuf);

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

impl MemoryGroup {
    /// A group below or beside this process's own, where the system has groups of version 2 that count memory and allows
    /// new ones.
    pub(super) fn new(bytes: u64) -> Option<Self> {
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = Path::new(GROUPS).join(own.lines().find_map(|line| line.strip_prefix("0::/"))?);
        if !Path::new(GROUPS).join("cgroup.controllers").is_file() {
            return None;
        }
        let beside = own.parent().filter(|parent| parent.starts_with(GROUPS));
        [Some(own.as_path()), beside].into_iter().flatten().find_map(|parent| Self::below(parent, bytes))
    }

    fn below(parent: &Path, bytes: u64) -> Option<Self> {
        let folder = parent.join(format!("asanoha-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        std::fs::write(group.0.join("memory.max"), bytes.to_string()).ok()?;
        // Where there is no swap there is no such file.
        let _ = std::fs::write(group.0.join("memory.swap.max"), "0");
        Some(group)
    }

    /// Its folder.
    pub(super) fn path(&self) -> PathBuf {
        self.0.clone()
    }
}

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
    fn cases_are_read_as_they_are_written() {
        for case in ["none", "100000000", "1,/sys/fs/cgroup/a"] {
            assert_eq!(case.parse::<DramCase>().unwrap().to_string(), case);
        }
        for bad in ["", "many", "-1"] {
            assert!(bad.parse::<DramCase>().is_err());
        }
    }

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

    #[test]
    fn a_group_that_may_not_be_made_is_none() {
        assert!(MemoryGroup::below(Path::new("/nowhere"), 1).is_none());
    }
}
