//! The same circuit on many rows, whose bootstrappings are carried out together: a key is read once for a whole batch.

use std::{
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use asanoha_lattice::KeyId;
use asanoha_tfhe::{Bootstrapper, Ciphertext, Table, TfheError, TfheParams};

/// The rows that are computed side by side, each of which has at least one bootstrapping in a batch.
pub(crate) const LANES: usize = 32;

type Jobs = Vec<(Table, Ciphertext)>;
type Bootstrapped = Result<Vec<Ciphertext>, TfheError>;

/// The results of some work on every row. Rows wait for one another: when all that aren't finished have asked for
/// bootstrappings, these are one batch on the threads of the caller's pool. Before each batch `go_on`
/// says whether the work goes on.
///
/// # Errors
/// Those of `work`, and [`TfheError::Stopped`].
pub(crate) fn side_by_side<T: Send>(
    key: &dyn Bootstrapper,
    rows: usize,
    go_on: &dyn Fn() -> ControlFlow<()>,
    work: impl Fn(usize, &dyn Bootstrapper) -> Result<T, TfheError> + Sync,
) -> Result<Vec<T>, TfheError> {
    let mut results = Vec::with_capacity(rows);
    for first in (0..rows).step_by(LANES) {
        results.extend(batch(key, first..rows.min(first + LANES), go_on, &work)?);
    }
    Ok(results)
}

fn batch<T: Send>(
    key: &dyn Bootstrapper,
    rows: Range<usize>,
    go_on: &dyn Fn() -> ControlFlow<()>,
    work: &(impl Fn(usize, &dyn Bootstrapper) -> Result<T, TfheError> + Sync),
) -> Result<Vec<T>, TfheError> {
    thread::scope(|scope| {
        let (requests, asked) = channel();
        let (mut answers, mut threads) = (Vec::new(), Vec::new());
        for (number, row) in rows.enumerate() {
            let (answer, values) = channel();
            answers.push(answer);
            let lane = Lane { key, number, requests: requests.clone(), values: Mutex::new(values) };
            threads.push(scope.spawn(move || work(row, &lane)));
        }
        serve(key, &asked, &answers, go_on);
        let results =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.collect()
    })
}

/// Carries out what the lanes ask for until all are finished.
fn serve(
    key: &dyn Bootstrapper,
    asked: &Receiver<(usize, Option<Jobs>)>,
    answers: &[Sender<Bootstrapped>],
    go_on: &dyn Fn() -> ControlFlow<()>,
) {
    let mut unfinished = answers.len();
    let mut waiting: Vec<(usize, Jobs)> = Vec::new();
    while unfinished > 0 {
        let Ok((lane, jobs)) = asked.recv() else { return };
        match jobs {
            Some(jobs) => waiting.push((lane, jobs)),
            None => unfinished -= 1,
        }
        if waiting.len() < unfinished || waiting.is_empty() {
            continue;
        }
        let jobs: Vec<_> = waiting.iter().flat_map(|(_, jobs)| jobs.iter().map(|(t, c)| (t, c))).collect();
        let values = if go_on().is_break() { Err(TfheError::Stopped) } else { key.apply_many(&jobs) };
        let mut values = values.map(Vec::into_iter);
        for (lane, jobs) in waiting.drain(..) {
            let count = jobs.iter().map(|(table, _)| table.outputs()).sum();
            let own = values.as_mut().map(|values| values.take(count).collect()).map_err(|error| *error);
            // A lane that panicked doesn't listen any more.
            let _ = answers[lane].send(own);
        }
    }
}

/// A row's way to the key.
#[derive(Debug)]
struct Lane<'a> {
    key: &'a dyn Bootstrapper,
    number: usize,
    requests: Sender<(usize, Option<Jobs>)>,
    values: Mutex<Receiver<Bootstrapped>>,
}

impl Bootstrapper for Lane<'_> {
    fn params(&self) -> &TfheParams {
        self.key.params()
    }

    fn id(&self) -> KeyId {
        self.key.id()
    }

    fn trivial(&self, number: u64) -> Result<Ciphertext, TfheError> {
        self.key.trivial(number)
    }

    fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        let jobs = jobs.iter().map(|&(table, number)| (table.clone(), number.clone())).collect();
        self.requests
            .send((self.number, Some(jobs)))
            .expect("requests are heard until all lanes are finished");
        self.values.lock().expect("nothing panics with it").recv().expect("every request is answered")
    }
}

/// The other rows don't wait for it any more.
impl Drop for Lane<'_> {
    fn drop(&mut self) {
        let _ = self.requests.send((self.number, None));
    }
}
