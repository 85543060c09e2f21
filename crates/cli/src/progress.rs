//! A progress bar on stderr, for work that takes longer than two seconds at a terminal.

use std::{
    io::IsTerminal,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less time than this is done without a bar.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(120);

/// The length of a bar, in the units of its position.
const LENGTH: u64 = 1000;
/// What a step is taken to last before anything is known.
const UNKNOWN_STEP: Duration = Duration::from_secs(10);

/// The steps of some work.
#[derive(Clone, Copy, Debug)]
struct Steps {
    done: usize,
    all: usize,
    /// When the last one ended, after the start.
    since: Duration,
    /// What they are predicted to take all together.
    predicted: Option<Duration>,
}

impl Steps {
    /// How much of the work is done, from 0 to 1, so long after the start. A step comes nearer to its end the longer it lasts,
    /// and never reaches it.
    fn part(&self, now: Duration) -> f64 {
        let each = match self.predicted {
            Some(predicted) => predicted.div_f64(self.all.max(1) as f64),
            None if self.done > 0 => self.since.div_f64(self.done as f64),
            None => UNKNOWN_STEP,
        };
        let waited = now.saturating_sub(self.since).as_secs_f64() / each.as_secs_f64().max(1e-3);
        let within = if self.done < self.all { 1.0 - (-waited).exp() } else { 0.0 };
        (self.done as f64 + within) / self.all.max(1) as f64
    }
}

/// A progress bar that appears when the work takes long, and disappears when this is dropped.
pub(crate) struct Progress {
    started: Instant,
    predicted: Option<Duration>,
    steps: Arc<Mutex<Option<Steps>>>,
    done: Option<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar for work whose number of steps isn't known yet.
    pub(crate) fn start(what: &'static str) -> Self {
        let (started, steps) = (Instant::now(), Arc::new(Mutex::new(None)));
        let (mut done, mut watcher) = (None, None);
        if std::io::stderr().is_terminal() {
            let (sender, receiver) = mpsc::channel();
            let told = steps.clone();
            done = Some(sender);
            watcher = Some(std::thread::spawn(move || show(what, started, &told, &receiver)));
        }
        Self { started, predicted: None, steps, done, watcher }
    }

    /// As [`Progress::start`], for a number of steps that are predicted to take so many seconds.
    pub(crate) fn of_steps(what: &'static str, steps: usize, predicted_s: f64) -> Self {
        let mut progress = Self::start(what);
        progress.predicted = Duration::try_from_secs_f64(predicted_s).ok();
        progress.set(0, steps);
        progress
    }

    /// Reports that `done` of `all` steps are done.
    pub(crate) fn set(&self, done: usize, all: usize) {
        let now = Steps { done, all, since: self.started.elapsed(), predicted: self.predicted };
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        // Steps that run side by side may report in any order.
        if steps.is_none_or(|steps: Steps| steps.done <= done || steps.all != all) {
            *steps = Some(now);
        }
    }
}

/// Draws a bar, or a turning wheel while nothing is known of steps, until the work is done.
fn show(what: &'static str, started: Instant, steps: &Mutex<Option<Steps>>, done: &Receiver<()>) {
    if done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let style = |template| ProgressStyle::with_template(template).expect("the templates are constants");
    let bar = ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::stderr()).with_message(what);
    let (wheel, line) =
        (style("{spinner} {msg}, {elapsed}"), style("{msg} {wide_bar} {percent} %, {elapsed}"));
    loop {
        let told = *steps.lock().unwrap_or_else(PoisonError::into_inner);
        bar.set_style(if told.is_some() { line.clone() } else { wheel.clone() });
        let part = told.map_or(0.0, |steps| steps.part(started.elapsed()));
        bar.set_position((part * LENGTH as f64) as u64);
        bar.tick();
        if done.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done = None;
        if let Some(watcher) = self.watcher.take() {
            // A missing bar isn't worth an error.
            let _ = watcher.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Steps};

    #[test]
    fn a_bar_moves_within_a_step_and_never_past_it() {
        for predicted in [None, Some(Duration::from_secs(8))] {
            for done in 0..4 {
                let steps = Steps { done, all: 4, since: Duration::from_secs(2 * done as u64), predicted };
                let at = |seconds| steps.part(steps.since + Duration::from_secs(seconds));
                let parts: Vec<f64> = [0, 1, 2, 5, 20].map(at).to_vec();
                assert!(parts.is_sorted_by(|a, b| a < b), "{parts:?}");
                assert_eq!(parts[0], done as f64 / 4.0);
                assert!(parts[4] <= (done + 1) as f64 / 4.0);
            }
        }
    }

    #[test]
    fn work_that_is_done_is_whole() {
        let steps = Steps { done: 3, all: 3, since: Duration::from_secs(1), predicted: None };
        assert_eq!(steps.part(Duration::from_secs(9)), 1.0);
    }
}
