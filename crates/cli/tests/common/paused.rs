//! Calls that are stopped at named points, so that no test has to hit a moment.

use std::{
    io::Read,
    process::{Child, Command, Output, Stdio},
};

use super::Place;

/// A call that stops at a named point, which only debug builds do, and waits there for a line.
pub(crate) struct Paused(Child);

impl Paused {
    /// Starts a call and returns once it's at the point; the program says so itself.
    pub(crate) fn at(point: &str, place: &Place, line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.args(line.split(' '));
        Self::start(command, point, place, line)
    }

    /// As [`Self::at`], called by one that ignores a signal.
    pub(crate) fn ignoring(name: &str, point: &str, place: &Place, line: &str) -> Self {
        let mut command = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_asanoha");
        command.args(["-c", &format!("trap '' {name}; exec \"$@\""), "sh", program]).args(line.split(' '));
        Self::start(command, point, place, line)
    }

    /// As [`Self::at`], of a call that keeps what it has finished as often as it can.
    pub(crate) fn keeping(point: &str, place: &Place, line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.args(line.split(' ')).env("ASANOHA_KEEP", "always");
        Self::start(command, point, place, line)
    }

    fn start(mut command: Command, point: &str, place: &Place, line: &str) -> Self {
        command
            .current_dir(place.path(""))
            .env("TMPDIR", place.path(""))
            .env("ASANOHA_PAUSE", point)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said =
            std::iter::repeat_with(|| next_line(&mut child)).find(|said| !said.starts_with("warning: "));
        let said = said.expect("the lines have no end");
        assert!(said.starts_with(&format!("paused at {point}")), "{line} at {point}: {said}");
        Self(child)
    }

    /// Sends a signal.
    pub(crate) fn is_sent(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Sends a signal and waits for the call's end, at the point where it stands: its stdin stays open.
    pub(crate) fn stopped_by(mut self, name: &str) -> Output {
        self.is_sent(name);
        let _stdin = self.0.stdin.take();
        self.0.wait_with_output().unwrap()
    }

    /// Waits for the call's end, at the point where it stands: its stdin stays open.
    pub(crate) fn stands(mut self) -> Output {
        let _stdin = self.0.stdin.take();
        self.0.wait_with_output().unwrap()
    }

    /// Sends a signal, waits until the call has said that it heard it, and lets it go on to its end. What it said before is left out.
    pub(crate) fn warned_by(mut self, name: &str) -> Output {
        self.is_sent(name);
        let said = next_line(&mut self.0);
        assert!(said.starts_with("warning: SIG") && said.contains("too late"), "{said}");
        self.goes_on()
    }

    /// Kills the call where it stands.
    pub(crate) fn killed(mut self) {
        self.0.kill().unwrap();
        assert!(!self.0.wait().unwrap().success());
    }

    /// Lets the call go on to its end.
    pub(crate) fn goes_on(self) -> Output {
        // Its stdin ends.
        self.0.wait_with_output().unwrap()
    }
}

/// Whether this process ignores a signal, as what it starts does then.
pub(crate) fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// The next line of stderr, byte by byte: what follows it is left to others.
fn next_line(child: &mut Child) -> String {
    let (mut said, mut byte) = (Vec::new(), [0]);
    while child.stderr.as_mut().unwrap().read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        said.push(byte[0]);
    }
    String::from_utf8(said).unwrap()
}
