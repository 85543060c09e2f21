//! Adding up the result lines of `cargo test` and of pytest.

use std::fmt;

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
}

impl Tally {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`, or pytest's last one, `12 passed, 1 skipped in 3.20s`;
    /// any other line adds nothing.
    pub(crate) fn read_line(&mut self, line: &str) {
        self.read_pytest(line);
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
        ] {
            tally.read_line(line);
        }
        assert_eq!(tally, Tally { passed: 37, failed: 5, skipped: 9, skipped_steps: Vec::new() });
        assert_eq!(tally.to_string(), "37 passed, 5 failed, 9 skipped");
        tally.skipped_steps = vec!["test, avx512".to_owned(), "deny".to_owned()];
        assert_eq!(tally.to_string(), "37 passed, 5 failed, 11 skipped (with the steps test, avx512; deny)");
    }
}
