//! Control groups that limit the memory of processes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The control groups of the process that reads it.
const OWN: &str = "/proc/self/cgroup";

/// A version of control groups: the names of its files.
struct Version {
    name: &'static str,
    /// The folder of its groups.
    root: &'static str,
    limit: &'static str,
    /// The first file that there is says that the group may not swap.
    swap: &'static [(&'static str, Swap)],
    peak: &'static str,
}

/// The content of a file that forbids swapping.
#[derive(Clone, Copy)]
enum Swap {
    /// The limit: memory and swap together are no more.
    Limit,
    /// Nothing.
    Zero,
}

const VERSIONS: [Version; 2] = [
    Version {
        name: "cgroup v1",
        root: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        swap: &[("memory.memsw.limit_in_bytes", Swap::Limit), ("memory.swappiness", Swap::Zero)],
        peak: "memory.max_usage_in_bytes",
    },
    Version {
        name: "cgroup v2",
        root: "/sys/fs/cgroup",
        limit: "memory.max",
        swap: &[("memory.swap.max", Swap::Zero)],
        peak: "memory.peak",
    },
];

/// A control group whose processes have a limit of memory, page cache included, and no swap. It's removed on drop, when they have
/// ended.
#[derive(Debug)]
pub struct MemoryGroup(PathBuf);

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

impl MemoryGroup {
    /// A group below this process's own, or beside it under version 2, whose groups with processes may have none below.
    ///
    /// # Errors
    /// The reason, if the system counts no memory by groups or doesn't allow a new one.
    pub(super) fn new(bytes: u64) -> Result<Self, String> {
        let own = fs::read_to_string(OWN).map_err(|error| format!("{OWN}: {error}"))?;
        let parents = parents(&own);
        let mut refused = "no control group of this process counts memory".to_owned();
        for parent in parents {
            match Self::below(&parent, bytes) {
                Ok(group) => return Ok(group),
                Err(error) => {
                    refused = format!("no control group can be made in {}: {error}", parent.display());
                }
            }
        }
        Err(refused)
    }

    fn below(parent: &Path, bytes: u64) -> io::Result<Self> {
        let folder = parent.join(format!("asanoha-bench-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Self(folder);
        let version =
            version(&group.0).ok_or_else(|| io::Error::other("its groups have no limit of memory"))?;
        fs::write(group.0.join(version.limit), bytes.to_string())?;
        if let Some((file, swap)) = version.swap.iter().find(|(file, _)| group.0.join(file).exists()) {
            let most = match swap {
                Swap::Limit => bytes,
                Swap::Zero => 0,
            };
            fs::write(group.0.join(file), most.to_string())?;
        }
        // Version 1 rounds to pages.
        let set = number(&group.0.join(version.limit));
        match set {
            Some(set) if set.abs_diff(bytes) < 1 << 16 => Ok(group),
            _ => Err(io::Error::other("its group doesn't keep the limit")),
        }
    }

    /// Its folder.
    pub(super) fn path(&self) -> PathBuf {
        self.0.clone()
    }
}

/// The folders that a group for a child of this process may be made in, of the version that counts its memory.
fn parents(own: &str) -> Vec<PathBuf> {
    let groups = own.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let [first, second] = &VERSIONS;
    let below = |root: &str, group: &str| Path::new(root).join(group.trim_start_matches('/'));
    let mut unified = None;
    for (controllers, group) in groups {
        if controllers.split(',').any(|controller| controller == "memory") {
            return vec![below(first.root, group)];
        }
        if controllers.is_empty() {
            unified = Some(below(second.root, group));
        }
    }
    let beside = unified.as_deref().and_then(Path::parent).filter(|parent| parent.starts_with(second.root));
    let beside = beside.map(Path::to_path_buf);
    unified.into_iter().chain(beside).collect()
}

fn version(group: &Path) -> Option<&'static Version> {
    VERSIONS.iter().find(|version| group.join(version.limit).is_file())
}

/// The number that a file of the system's consists of.
fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Moves this process to a group for the rest of its life, and returns the name of the group's version. Memory that it has by then
/// may count in the group that it leaves.
///
/// # Errors
/// If the folder isn't a group's that limits memory, or the system refuses.
pub(super) fn enter(group: &Path) -> io::Result<&'static str> {
    let version = version(group)
        .ok_or_else(|| io::Error::other(format!("{} is no group that limits memory", group.display())))?;
    fs::write(group.join("cgroup.procs"), std::process::id().to_string())?;
    Ok(version.name)
}

/// The most memory of a group up to now, in bytes, page cache included.
pub(super) fn peak_bytes(group: &Path) -> Option<u64> {
    number(&group.join(version(group)?.peak))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_where_the_memory_is_counted() {
        let first = "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/u\n";
        assert_eq!(parents(first), [Path::new("/sys/fs/cgroup/memory/a/b")]);
        let second = ["/sys/fs/cgroup/u/v", "/sys/fs/cgroup/u"].map(PathBuf::from);
        assert_eq!(parents("1:name=systemd:/\n0::/u/v\n"), second);
        assert_eq!(parents("0::/\n"), [Path::new("/sys/fs/cgroup/")]);
        assert!(parents("").is_empty());
    }

    #[test]
    fn files_of_both_versions_are_read_and_written() {
        for version in &VERSIONS {
            let group = tempfile::tempdir().unwrap();
            let write = |file: &str, text: &str| fs::write(group.path().join(file), text).unwrap();
            assert!(enter(group.path()).is_err());
            write(version.limit, "max");
            write(version.peak, "123\n");
            assert_eq!(enter(group.path()).unwrap(), version.name);
            assert_eq!(number(&group.path().join("cgroup.procs")), Some(std::process::id().into()));
            assert_eq!(peak_bytes(group.path()), Some(123));
        }
    }

    #[test]
    fn a_folder_that_is_no_group_gives_none() {
        assert!(MemoryGroup::below(Path::new("/nowhere"), 1).is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(MemoryGroup::below(folder.path(), 1).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "what it made is removed");
    }
}
