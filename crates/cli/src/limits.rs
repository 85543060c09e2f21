//! `--max-seconds` and `--max-memory`: work that is predicted to exceed them isn't begun, and work that does is stopped.

use std::{
    thread,
    time::{Duration, Instant},
};

use asanoha::output::remove_unfinished;

use crate::{args::Common, error::Failure, figures, kept};

/// How often time and memory are looked at.
const TICK: Duration = Duration::from_millis(100);

/// What a call may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    seconds: Option<f64>,
    memory_bytes: Option<u64>,
}

impl Limits {
    pub(crate) fn new(common: &Common) -> Result<Self, Failure> {
        if common.max_memory.is_some() && figures::memory_bytes().is_none() {
            return Err(Failure::usage(
                "--max-memory: this system doesn't tell how much memory a process has",
            ));
        }
        Ok(Self { seconds: common.max_seconds, memory_bytes: common.max_memory })
    }

    /// The seconds that are granted.
    #[cfg(feature = "http")]
    pub(crate) fn seconds(self) -> Option<f64> {
        self.seconds
    }

    /// The memory that is granted.
    #[cfg(feature = "http")]
    pub(crate) fn memory_bytes(self) -> Option<u64> {
        self.memory_bytes
    }

    /// Refuses work that is predicted to take more.
    pub(crate) fn admit(self, seconds: f64, bytes: u64, saves_memory: Option<&str>) -> Result<(), Failure> {
        if let Some(most) = self.seconds.filter(|most| seconds > *most) {
            return Err(Failure::impossible(format!(
                "the evaluation is predicted to take {}, and --max-seconds grants {}: grant more, or evaluate fewer rows",
                figures::seconds(seconds),
                figures::seconds(most)
            ))
            .figure("predicted_s", seconds)
            .figure("max_s", most));
        }
        if let Some(most) = self.memory_bytes.filter(|most| bytes > *most) {
            let less = saves_memory.map_or_else(String::new, |flag| format!("{flag} needs less; "));
            return Err(Failure::impossible(format!(
                "the evaluation is predicted to need {} of memory, and --max-memory grants {}: {less}grant more, or evaluate fewer rows",
                figures::bytes(bytes),
                figures::bytes(most)
            ))
            .figure("predicted_bytes", bytes)
            .figure("max_bytes", most));
        }
        Ok(())
    }

    /// From now on, a call that takes more is stopped: it removes what it was writing.
    pub(crate) fn watch(self, started: Instant) {
        let Self { seconds, memory_bytes } = self;
        if seconds.is_none() && memory_bytes.is_none() {
            return;
        }
        thread::spawn(move || {
            let failure = loop {
                let elapsed = started.elapsed().as_secs_f64();
                if let Some(most) = seconds.filter(|most| elapsed >= *most) {
                    let most_s = figures::seconds(most);
                    let message = format!(
                        "stopped after {most_s}, which is all that --max-seconds grants: grant more{}",
                        kept::note()
                    );
                    break Failure::impossible(message).figure("max_s", most);
                }
                let used = memory_bytes.and_then(|_| figures::memory_bytes());
                if let Some((most, used)) = memory_bytes.zip(used).filter(|(most, used)| used > most) {
                    let message = format!(
                        "stopped at {} of memory, and --max-memory grants {}: grant more, or give less data{}",
                        figures::bytes(used),
                        figures::bytes(most),
                        kept::note()
                    );
                    break Failure::impossible(message).figure("used_bytes", used).figure("max_bytes", most);
                }
                let left =
                    seconds.map_or(TICK, |most| Duration::try_from_secs_f64(most - elapsed).unwrap_or(TICK));
                thread::sleep(left.min(TICK));
            };
            // A call that has delivered what it writes has succeeded.
            if remove_unfinished() {
                failure.tell();
                std::process::exit(1);
            }
        });
    }
}
