//! Adding up the result lines of `cargo test` and of pytest.

use std::{fmt, time::Duration};

use crate::times::{self, Times};

/// The numbers of tests that passed, failed and were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that were left out.
    pub(crate) skipped: u64,
    /// Whole steps that were skipped: each counts as one skipped test.
    pub(crate) skipped_steps: Vec<String>,
    /// The executable that runs.
    executable: String,
    /// What the executables took since the last time that these were taken.
    times: Times,
}

impl Tally {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`, or pytest's last one, `12 passed, 1 skipped in 3.20s`;
    /// any other line adds nothing.
    pub(crate) fn read_line(&mut self, line: &str) {
        self.read_pytest(line);
        self.read_node(line);
        self.read_times(line);
        let Some(counts) = line.trim_start().strip_prefix("test result:") else { return };
        let words: Vec<&str> = counts.split_whitespace().collect();
        for pair in words.windows(2) {
            let Ok(count) = pair[0].parse::<u64>() else { continue };
            match pair[1] {
                "passed;" => self.passed += count,
                "failed;" => self.failed += count,
                "ignored;" => self.skipped += count,
                _ => {}
            }
        }
    }
}

impl Tally {
    /// What took longest since the last call; `None` if no executable ran.
    pub(crate) fn take_slowest(&mut self) -> Option<String> {
        let times = std::mem::take(&mut self.times);
        (times != Times::default()).then(|| times.slowest())
    }

    /// Notes which executable runs and how long it took. The examples of a crate may be several, and a last line has the time of all.
    fn read_times(&mut self, line: &str) {
        if let Some(executable) = times::announced(line) {
            self.executable = executable;
        } else if line.starts_with("test result:")
            && let Some(took) = seconds_after(line, "finished in ")
        {
            self.times.add(&self.executable, took);
        } else if let Some(took) = seconds_after(line, "all doctests ran in ") {
            self.times.set(&self.executable, took);
        }
    }

    /// Adds a line of Node's summary, such as `# pass 12`.
    fn read_node(&mut self, line: &str) {
        let Some((what, count)) = line.trim_end().strip_prefix("# ").and_then(|text| text.split_once(' '))
        else {
            return;
        };
        let Ok(count) = count.parse::<u64>() else { return };
        match what {
            "pass" => self.passed += count,
            "fail" | "cancelled" => self.failed += count,
            "skipped" => self.skipped += count,
            _ => {}
        }
    }

    /// Adds pytest's last line: counts with words, and `in` a time.
    fn read_pytest(&mut self, line: &str) {
        let Some((counts, time)) = line.trim_matches(['=', ' ', '\n', '\r']).rsplit_once(" in ") else {
            return;
        };
        let is_time = time.split(['s', ' ']).next().is_some_and(|seconds| seconds.parse::<f64>().is_ok());
        let pairs: Option<Vec<(u64, &str)>> = counts
            .split(", ")
            .map(|part| part.split_once(' ').and_then(|(count, what)| Some((count.parse().ok()?, what))))
            .collect();
        for (count, what) in pairs.filter(|_| is_time).unwrap_or_default() {
            match what {
                "passed" | "xfailed" => self.passed += count,
                "failed" | "error" | "errors" => self.failed += count,
                "skipped" | "deselected" => self.skipped += count,
                _ => {}
            }
        }
    }
}

/// The time after some words, such as `4.05s`.
fn seconds_after(line: &str, words: &str) -> Option<Duration> {
    let (_, time) = line.split_once(words)?;
    let (seconds, _) = time.split_once('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped = self.skipped + self.skipped_steps.len() as u64;
        write!(formatter, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed)?;
        if self.skipped_steps.is_empty() {
            return Ok(());
        }
        write!(formatter, " (with the steps {})", self.skipped_steps.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn result_lines_add_up_and_other_lines_do_not() {
        let mut tally = Tally::default();
        for line in [
            "running 15 tests",
            "test tests::claims ... ok",
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: \u{1b}[31mFAILED\u{1b}[m. 4 passed; 2 failed; 1 ignored; 0 measured; 9 filtered out",
            "the words 7 passed; by themselves",
            "3 failed, 20 passed, 5 skipped, 2 warnings in 3.21s",
            "=== 1 passed in 61.02s (0:01:01) ===",
            "8 passed in the end",
            "# tests 9",
            "# pass 6",
            "# fail 1",
            "# skipped 2",
            "# pass the salt",
        ] {
            tally.read_line(line);
        }
        assert_eq!((tally.passed, tally.failed, tally.skipped), (43, 6, 11));
        assert_eq!(tally.to_string(), "43 passed, 6 failed, 11 skipped");
        tally.skipped_steps = vec!["test, avx512".to_owned(), "deny".to_owned()];
        assert_eq!(tally.to_string(), "43 passed, 6 failed, 13 skipped (with the steps test, avx512; deny)");
    }

    #[test]
    fn executables_take_what_their_last_lines_say() {
        let mut tally = Tally::default();
        for line in [
            "     Running tests/main.rs (target/debug/deps/ring-7a5d0508f09f781a)",
            "test result: ok. 41 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 5.51s",
            "   Doc-tests asanoha",
            "test result: ok. 10 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 2.50s",
            "all doctests ran in 5.44s; merged doctests compilation took 2.90s",
        ] {
            tally.read_line(line);
        }
        let slowest = "      5.5 s  ring (tests/main.rs)\n      5.4 s  asanoha (examples)\n";
        assert_eq!(tally.take_slowest().as_deref(), Some(slowest));
        assert_eq!(tally.take_slowest(), None);
    }
}
