//! Named points at which tests stop a call.

use std::io::BufRead;

/// In a debug build, stops the process if the environment variable `ASANOHA_PAUSE` is the point's name or its beginning, such
/// as `moving keys`: says so on stderr, and goes on after a line of stdin or at its end. A test that sends a signal there
/// knows what has happened before. Does nothing in a release build.
pub fn pause(point: impl FnOnce() -> String) {
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(asked) = std::env::var("ASANOHA_PAUSE") else { return };
    let point = point();
    if point.starts_with(&asked) {
        eprintln!("paused at {point}");
        // The end of stdin, or none, is as good as a line.
        let _ = std::io::stdin().lock().read_line(&mut String::new());
    }
}

/// As [`pause`], at something that happens to a file: the point's name ends in the file's.
pub fn pause_at_file(event: &str, path: &std::path::Path) {
    pause(|| format!("{event} {}", path.file_name().unwrap_or_default().display()));
}
