//! What took longest: test executables, or tests.

use std::{collections::BTreeMap, time::Duration};

/// How many are listed.
const LISTED: usize = 20;

/// The time that each took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times(BTreeMap<String, Duration>);

impl Times {
    /// Adds to what is known of a name.
    pub(crate) fn add(&mut self, name: &str, took: Duration) {
        *self.0.entry(name.to_owned()).or_default() += took;
    }

    /// Replaces what is known of a name.
    pub(crate) fn set(&mut self, name: &str, took: Duration) {
        self.0.insert(name.to_owned(), took);
    }

    /// A line for each of the slowest, the slowest first.
    pub(crate) fn slowest(&self) -> String {
        let mut times: Vec<(&String, &Duration)> = self.0.iter().collect();
        times.sort_by(|a, b| b.1.cmp(a.1));
        let line = |(name, took): (&String, &Duration)| format!("{:>9.1} s  {name}\n", took.as_secs_f64());
        times.into_iter().take(LISTED).map(line).collect()
    }
}

/// The test executable that a line of cargo announces, as its name and what it is built of.
pub(crate) fn announced(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(library) = line.strip_prefix("Doc-tests ") {
        return Some(format!("{library} (examples)"));
    }
    let (source, path) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once(" (")?;
    let (name, _) = path.rsplit('/').next()?.rsplit_once('-')?;
    Some(format!("{name} ({source})"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Times, announced};

    #[test]
    fn executables_are_named_as_cargo_names_them() {
        for (line, name) in [
            (
                "     Running unittests src/lib.rs (/w/target/debug/deps/asanoha_ring-7a5d0508f09f781a)\n",
                Some("asanoha_ring (unittests src/lib.rs)"),
            ),
            ("     Running tests/main.rs (target/debug/deps/cli-fa283f)", Some("cli (tests/main.rs)")),
            ("   Doc-tests asanoha_ring", Some("asanoha_ring (examples)")),
            ("     Running `target/debug/xtask test`", None),
            ("test names::Running ... ok", None),
        ] {
            assert_eq!(announced(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn the_slowest_twenty_are_listed_in_their_order() {
        let mut times = Times::default();
        for second in 0..30 {
            times.add(&format!("test {second}"), Duration::from_secs(second));
        }
        times.add("test 5", Duration::from_millis(94_500));
        times.set("test 28", Duration::from_secs(1));
        let lines: Vec<String> = times.slowest().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[..3], ["     99.5 s  test 5", "     29.0 s  test 29", "     27.0 s  test 27"]);
    }
}
