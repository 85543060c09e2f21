//! The cases that rows measure.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::group;

/// A scheme that bootstraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DramScheme {
    /// Numbers of TFHE.
    Tfhe,
    /// A ciphertext of CKKS.
    Ckks,
}

impl DramScheme {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tfhe => "tfhe",
            Self::Ckks => "ckks",
        }
    }
}

/// The case that one row measures. As text it's the scheme, the limit in bytes or `none`, and the control group that enforces
/// it, with commas between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramCase {
    /// The scheme that is bootstrapped.
    pub scheme: DramScheme,
    /// The limit in bytes.
    pub memory_limit: Option<u64>,
    /// The folder of a control group with that limit.
    pub group: Option<PathBuf>,
}

impl std::fmt::Display for DramCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},", self.scheme.name())?;
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
        let mut fields = text.splitn(3, ',');
        let scheme = match fields.next() {
            Some("tfhe") => DramScheme::Tfhe,
            Some("ckks") => DramScheme::Ckks,
            _ => return Err(format!("{text}: a case starts with tfhe or ckks")),
        };
        let memory_limit = match fields.next() {
            Some("none") => None,
            bytes => {
                let bytes = bytes.and_then(|bytes| bytes.parse().ok());
                Some(bytes.ok_or_else(|| format!("{text}: a limit is a number of bytes, or none"))?)
            }
        };
        Ok(Self { scheme, memory_limit, group: fields.next().map(PathBuf::from) })
    }
}

impl DramCase {
    /// Confines this process to the group for the rest of its life, and returns its kind; `None` for no limit.
    ///
    /// # Errors
    /// If the system refuses it, or nothing enforces the limit.
    pub(super) fn enter(&self) -> io::Result<Option<&'static str>> {
        match (&self.group, self.memory_limit) {
            (Some(group), Some(_)) => group::enter(group).map(Some),
            (None, None) => Ok(None),
            _ => Err(io::Error::other("a limit and a control group that enforces it go together")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_as_they_are_written() {
        for case in ["tfhe,none", "ckks,100000000", "tfhe,1,/sys/fs/cgroup/a"] {
            assert_eq!(case.parse::<DramCase>().unwrap().to_string(), case);
        }
        for bad in ["", "bgv,1", "tfhe", "tfhe,many", "tfhe,-1"] {
            assert!(bad.parse::<DramCase>().is_err());
        }
    }

    #[test]
    fn a_limit_that_nothing_enforces_is_refused() {
        assert_eq!("tfhe,none".parse::<DramCase>().unwrap().enter().unwrap(), None);
        for bad in ["tfhe,1000000", "ckks,none,/nowhere", "ckks,1000000,/nowhere"] {
            assert!(bad.parse::<DramCase>().unwrap().enter().is_err());
        }
    }
}
