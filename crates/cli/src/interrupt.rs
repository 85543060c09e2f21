//! What Ctrl-C and the like leave behind: nothing that isn't whole.

use std::io::Write;

use asanoha::output::remove_unfinished;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::{emulate_default_handler, signal_name},
};

use crate::{error::Failure, kept};

/// From now on, a signal that ends the call first removes what is being written. Once the call has delivered what it
/// writes it has succeeded: the first signal after that is only reported, and the second one ends it.
pub(crate) fn remove_files_on_signals() -> Result<(), Failure> {
    let unavailable = |error| Failure::impossible(format!("signals can't be waited for: {error}"));
    let ignored = ignored();
    let caught = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(caught).map_err(unavailable)?;
    std::thread::spawn(move || {
        let mut came_too_late = false;
        for signal in signals.forever() {
            let name = signal_name(signal).unwrap_or("a signal");
            if remove_unfinished() {
                Failure::interrupted(format!("stopped by {name}{}", kept::note())).tell();
            } else {
                let comes = if came_too_late { "again" } else { "too late" };
                let what = "the work is done, and only the report is still to come";
                // If stderr is closed, nobody reads warnings.
                let _ = writeln!(std::io::stderr(), "warning: {name} came {comes}: {what}");
                if !std::mem::replace(&mut came_too_late, true) {
                    continue;
                }
            }
            // Whoever started this sees which signal ended it.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// The signals that whoever started this call wants ignored, as nohup does: bit k − 1 is signal k. Where the system doesn't
/// tell, none.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
