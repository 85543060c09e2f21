//! A progress bar on stderr, for work that takes longer than two seconds at a terminal.

use std::{
    io::IsTerminal,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::JoinHandle,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less time than this is done without a bar.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(120);

/// A progress bar that appears when the work takes long, and disappears when this is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    done: Option<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar for work whose number of steps isn't known yet.
    pub(crate) fn start(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(what);
        let (mut done, mut watcher) = (None, None);
        if std::io::stderr().is_terminal() {
            let (sender, receiver) = mpsc::channel();
            let shown = bar.clone();
            done = Some(sender);
            watcher = Some(std::thread::spawn(move || {
                if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            }));
        }
        Self { bar, done, watcher }
    }

    /// Reports that `done` of `steps` steps are done.
    pub(crate) fn set(&self, done: usize, steps: usize) {
        if self.bar.length() != Some(steps as u64) {
            self.bar.set_length(steps as u64);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {elapsed}");
            self.bar.set_style(style.expect("the template is a constant"));
        }
        self.bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done = None;
        if let Some(watcher) = self.watcher.take() {
            // The watcher has no code that could panic, and a missing bar isn't worth an error.
            let _ = watcher.join();
        }
        self.bar.finish_and_clear();
    }
}
