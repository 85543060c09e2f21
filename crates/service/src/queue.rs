//! The order in which jobs run: clients get equal shares of predicted time.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::{ClientName, JobId};

/// What a job counts at least, in seconds.
const LEAST_S: f64 = 1e-3;

/// A job that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) job: JobId,
    /// Its place in the order of arrival.
    pub(crate) number: u64,
    pub(crate) predicted_s: f64,
}

/// A client's jobs, in the order of arrival.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The seconds that the client was given, counted from a common beginning.
    given_s: f64,
    entries: VecDeque<Entry>,
}

/// Jobs that wait. The next one is the oldest of the client that was given the least time so far. A client that has had no job for a
/// while is taken to have been given as much as the client whose turn it was last, so that nobody saves up turns.
///
/// Source: P. Goyal, H. M. Vin, H. Cheng, Start-time fair queueing, 1996.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    lines: BTreeMap<ClientName, Line>,
    /// What the client had been given whose turn it was last.
    clock_s: f64,
}

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.lines.values().map(|line| line.entries.len()).sum()
    }

    /// A job waits, after those of its client that arrived before it.
    pub(crate) fn push(&mut self, client: &ClientName, entry: Entry) {
        let line = self.lines.entry(client.clone()).or_default();
        if line.entries.is_empty() {
            line.given_s = line.given_s.max(self.clock_s);
        }
        let place = line.entries.partition_point(|other| other.number < entry.number);
        line.entries.insert(place, entry);
    }

    /// Takes the next job.
    pub(crate) fn pop(&mut self) -> Option<(ClientName, Entry)> {
        let waiting =
            self.lines.iter().filter_map(|(client, line)| Some((client, line, line.entries.front()?)));
        let first = waiting.min_by(|(_, a, first), (_, b, second)| {
            a.given_s.total_cmp(&b.given_s).then(first.number.cmp(&second.number))
        });
        let client = first.map(|(client, ..)| client.clone())?;
        let line = self.lines.get_mut(&client)?;
        let entry = line.entries.pop_front()?;
        self.clock_s = line.given_s;
        line.given_s += entry.predicted_s.max(LEAST_S);
        // Those that are behind would be put at the clock when they come back.
        let clock_s = self.clock_s;
        self.lines.retain(|_, line| !line.entries.is_empty() || line.given_s > clock_s);
        Some((client, entry))
    }

    /// A job that was taken took so many seconds and not what was predicted.
    pub(crate) fn correct(&mut self, client: &ClientName, predicted_s: f64, seconds: f64) {
        if let Some(line) = self.lines.get_mut(client) {
            line.given_s = (line.given_s + seconds.max(LEAST_S) - predicted_s.max(LEAST_S)).max(self.clock_s);
        }
    }

    /// A job doesn't wait any more.
    pub(crate) fn remove(&mut self, client: &ClientName, job: &JobId) {
        if let Some(line) = self.lines.get_mut(client) {
            line.entries.retain(|entry| entry.job != *job);
        }
    }

    /// For every job, how many run before it and how many seconds these are predicted to take together, if no others arrive.
    pub(crate) fn order(&self) -> HashMap<JobId, (usize, f64)> {
        let mut rest = self.clone();
        let (mut ahead, mut seconds) = (0, 0.0);
        let mut order = HashMap::new();
        while let Some((_, entry)) = rest.pop() {
            order.insert(entry.job, (ahead, seconds));
            ahead += 1;
            seconds += entry.predicted_s;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> ClientName {
        name.parse().unwrap()
    }

    fn entry(number: u64, predicted_s: f64) -> Entry {
        let mut job = [0; 16];
        job[8..].copy_from_slice(&number.to_be_bytes());
        Entry { job: job.into(), number, predicted_s }
    }

    fn numbers(queue: &mut Queue, count: usize) -> Vec<u64> {
        (0..count).map(|_| queue.pop().unwrap().1.number).collect()
    }

    #[test]
    fn a_client_with_a_thousand_jobs_delays_another_by_one_at_most() {
        let (greedy, honest) = (client("greedy"), client("honest"));
        let mut queue = Queue::default();
        (0..1000).for_each(|number| queue.push(&greedy, entry(number, 1.0)));
        assert_eq!(numbers(&mut queue, 3), [0, 1, 2]);
        queue.push(&honest, entry(1000, 1.0));
        queue.push(&honest, entry(1001, 1.0));
        let order = queue.order();
        assert!(order[&entry(1000, 1.0).job].0 <= 1, "{order:?}");
        let next = numbers(&mut queue, 4);
        assert_eq!(next.iter().filter(|&&number| number >= 1000).count(), 2, "{next:?}");
    }

    #[test]
    fn shares_are_of_time_and_not_of_jobs() {
        let (long, short) = (client("long"), client("short"));
        let mut queue = Queue::default();
        (0..10).for_each(|number| queue.push(&long, entry(number, 10.0)));
        (10..110).for_each(|number| queue.push(&short, entry(number, 1.0)));
        let mut given = [0.0; 2];
        for _ in 0..55 {
            let (client, entry) = queue.pop().unwrap();
            given[usize::from(client == short)] += entry.predicted_s;
            assert!((given[0] - given[1]).abs() <= 10.0, "{given:?}");
        }
    }

    #[test]
    fn nobody_saves_up_turns_and_time_beyond_the_prediction_counts() {
        let (a, b) = (client("a"), client("b"));
        let mut queue = Queue::default();
        (0..6).for_each(|number| queue.push(&a, entry(number, 1.0)));
        numbers(&mut queue, 4);
        // b was away while a was given four seconds.
        (6..9).for_each(|number| queue.push(&b, entry(number, 1.0)));
        assert_eq!(numbers(&mut queue, 3), [6, 4, 7]);
        // The job of b took ten seconds.
        queue.correct(&b, 1.0, 10.0);
        assert_eq!(numbers(&mut queue, 2), [5, 8]);
        assert_eq!((queue.len(), queue.pop()), (0, None));
    }

    #[test]
    fn a_job_that_comes_back_is_before_those_that_arrived_after_it() {
        let a = client("a");
        let mut queue = Queue::default();
        (0..3).for_each(|number| queue.push(&a, entry(number, 1.0)));
        let (_, first) = queue.pop().unwrap();
        queue.push(&a, first);
        queue.remove(&a, &entry(1, 1.0).job);
        assert_eq!(queue.len(), 2);
        let order = queue.order();
        assert_eq!(order[&entry(2, 1.0).job], (1, 1.0));
        assert_eq!(numbers(&mut queue, 2), [0, 2]);
    }
}
