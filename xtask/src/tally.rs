//! Adding up the result lines of `cargo test`.

use std::fmt;

/// The numbers of tests that passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that were left out.
    pub(crate) skipped: u64,
}

impl Tally {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`; any other line adds nothing.
    pub(crate) fn read_line(&mut self, line: &str) {
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

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
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
        ] {
            tally.read_line(line);
        }
        assert_eq!(tally, Tally { passed: 16, failed: 2, skipped: 4 });
        assert_eq!(tally.to_string(), "16 passed, 2 failed, 4 skipped");
    }
}
