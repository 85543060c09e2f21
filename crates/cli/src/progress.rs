//! A progress bar on stderr, for work that takes longer than two seconds at a terminal.

use std::{
    io::IsTerminal,
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use asanoha::output::pause;
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
    /// Where the bar is and where it'll be after the next step, from 0 to 1.
    from: f64,
    to: f64,
    /// When the last one ended, after the start.
    since: Duration,
    /// What the next one is predicted to take.
    next: Duration,
}

impl Steps {
    /// How much of the work is done, from 0 to 1, so long after the start. A step comes nearer to its end the longer it lasts,
    /// and never reaches it.
    fn part(&self, now: Duration) -> f64 {
        let waited = now.saturating_sub(self.since).as_secs_f64() / self.next.as_secs_f64().max(1e-3);
        self.from + (self.to - self.from) * (1.0 - (-waited).exp())
    }
}

/// What is predicted of steps: how much is over after each of them, from 0 to 1, and how long all take.
struct Predicted {
    over: Vec<f64>,
    all: Duration,
}

/// A progress bar that appears when the work takes long, and disappears when this is dropped.
pub(crate) struct Progress {
    started: Instant,
    predicted: Option<Predicted>,
    steps: Arc<Mutex<Option<Steps>>>,
    done: Option<Sender<()>>,
    watcher: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar for work whose number of steps isn't known yet.
    pub(crate) fn start(what: &'static str) -> Self {
        Self::telling(move || what.to_owned())
    }

    /// As [`Progress::start`], beside a text that changes with the work.
    pub(crate) fn telling(what: impl Fn() -> String + Send + 'static) -> Self {
        pause(&what);
        let (started, steps) = (Instant::now(), Arc::new(Mutex::new(None)));
        let (mut done, mut watcher) = (None, None);
        if std::io::stderr().is_terminal() {
            let (sender, receiver) = mpsc::channel();
            let told = steps.clone();
            done = Some(sender);
            watcher = Some(std::thread::spawn(move || show(&what, started, &told, &receiver)));
        }
        Self { started, predicted: None, steps, done, watcher }
    }

    /// As [`Progress::start`], for steps of which it's predicted how much is over after each, and how many seconds all take.
    pub(crate) fn of_steps(what: &'static str, over: Vec<f64>, seconds: f64) -> Self {
        let mut progress = Self::start(what);
        let steps = over.len();
        progress.predicted = Duration::try_from_secs_f64(seconds).ok().map(|all| Predicted { over, all });
        progress.set(0, steps);
        progress
    }

    /// Reports that `done` of `all` steps are done.
    pub(crate) fn set(&self, done: usize, all: usize) {
        let now = steps(self.predicted.as_ref(), (done, all), self.started.elapsed());
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        // Steps that run side by side may report in any order.
        if steps.is_none_or(|steps: Steps| steps.done <= done || steps.all != all) {
            *steps = Some(now);
        }
    }

    /// As [`Self::set`], for work that asks whether it goes on: signals end the call, and nothing else does.
    pub(crate) fn tell(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.set(done, all);
        ControlFlow::Continue(())
    }
}

/// What is known so long after the start. Without a prediction, the next step is taken to last as long as those before.
fn steps(predicted: Option<&Predicted>, (done, all): (usize, usize), since: Duration) -> Steps {
    let even = |steps: usize| steps.min(all) as f64 / all.max(1) as f64;
    let over = |steps: usize| match predicted {
        Some(Predicted { over, .. }) if steps > 0 => over.get(steps - 1).copied().unwrap_or(1.0),
        _ => even(steps),
    };
    let (from, to) = (over(done), over(done + 1));
    let next = match predicted {
        Some(Predicted { all, .. }) => all.mul_f64((to - from).max(0.0)),
        None if done > 0 => since.div_f64(done as f64),
        None => UNKNOWN_STEP,
    };
    Steps { done, all, from, to, since, next }
}

/// Draws a bar until the work is done.
fn show(what: &dyn Fn() -> String, started: Instant, steps: &Mutex<Option<Steps>>, done: &Receiver<()>) {
    if done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::stderr());
    loop {
        let told = *steps.lock().unwrap_or_else(PoisonError::into_inner);
        draw(&bar, what(), told, started.elapsed());
        if done.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

/// Draws a bar so long after the start, or a turning wheel while nothing is known of steps.
fn draw(bar: &ProgressBar, what: String, steps: Option<Steps>, now: Duration) {
    let line = if steps.is_some() {
        "{msg} {wide_bar} {percent} %, {elapsed}"
    } else {
        "{spinner} {msg}, {elapsed}"
    };
    bar.set_style(ProgressStyle::with_template(line).expect("the templates are constants"));
    bar.set_position((steps.map_or(0.0, |steps| steps.part(now)) * LENGTH as f64) as u64);
    bar.set_message(what);
    bar.tick();
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
    use std::cell::Cell;

    use super::{Duration, LENGTH, Predicted, ProgressBar, draw, steps};

    #[test]
    fn a_bar_moves_within_a_step_and_never_past_it() {
        let predicted = Predicted { over: vec![0.1, 0.2, 0.9, 1.0], all: Duration::from_secs(80) };
        for (predicted, ends) in
            [(None, [0.0, 0.25, 0.5, 0.75, 1.0]), (Some(&predicted), [0.0, 0.1, 0.2, 0.9, 1.0])]
        {
            for done in 0..4 {
                let now = steps(predicted, (done, 4), Duration::from_secs(2 * done as u64));
                let at = |seconds| now.part(now.since + Duration::from_secs(seconds));
                let parts: Vec<f64> = [0, 1, 2, 5, 20].map(at).to_vec();
                assert!(parts.is_sorted_by(|a, b| a < b), "{parts:?}");
                assert_eq!(parts[0], ends[done]);
                assert!(parts[4] <= ends[done + 1]);
            }
            let whole = steps(predicted, (4, 4), Duration::from_secs(9));
            assert_eq!(whole.part(Duration::from_secs(90)), 1.0);
        }
    }

    #[test]
    fn a_bar_shows_what_is_told_at_every_drawing() {
        let bar = ProgressBar::hidden();
        bar.set_length(LENGTH);
        let tried = Cell::new(0);
        let what = || format!("planning: {} schedules tried", tried.get());
        for count in [0, 7, 30] {
            tried.set(count);
            draw(&bar, what(), None, Duration::ZERO);
            assert_eq!((bar.message(), bar.position()), (what(), 0));
        }
        let half = steps(None, (1, 2), Duration::from_secs(3));
        draw(&bar, what(), Some(half), Duration::from_secs(3));
        assert_eq!((bar.message(), bar.position()), (what(), LENGTH / 2));
    }
}
