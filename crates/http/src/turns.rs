//! Turns at computing, which clients take one after another.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use tokio::sync::oneshot;

use crate::{
    Client,
    places::{Full, locked},
};

/// Requests that wait: clients in the order of their next turns, each with its requests in the order of arrival.
#[derive(Debug)]
struct Line<T>(VecDeque<(Client, VecDeque<T>)>);

impl<T> Line<T> {
    fn len(&self) -> usize {
        self.0.iter().map(|(_, items)| items.len()).sum()
    }

    fn enter(&mut self, client: Client, item: T, [of_client, of_all]: [usize; 2]) -> Result<(), Full> {
        let is_full = self.len() >= of_all;
        let own = self.0.iter_mut().find(|(other, _)| *other == client).map(|(_, items)| items);
        if own.as_ref().map_or(0, |items| items.len()) >= of_client {
            return Err(Full::Client);
        }
        if is_full {
            return Err(Full::All);
        }
        match own {
            Some(items) => items.push_back(item),
            None => self.0.push_back((client, VecDeque::from([item]))),
        }
        Ok(())
    }

    /// Removes and returns the first request of the next client. The client's other requests come after those of all others.
    fn next(&mut self) -> Option<T> {
        let (client, mut items) = self.0.pop_front()?;
        let item = items.pop_front();
        if !items.is_empty() {
            self.0.push_back((client, items));
        }
        item
    }

    fn remove(&mut self, is_it: impl Fn(&T) -> bool) {
        self.0.iter_mut().for_each(|(_, items)| items.retain(|item| !is_it(item)));
        self.0.retain(|(_, items)| !items.is_empty());
    }
}

#[derive(Debug)]
struct State {
    /// Turns that nobody has. Nobody waits while there are any.
    free: usize,
    line: Line<(u64, oneshot::Sender<()>)>,
    /// How many requests have waited so far.
    numbers: u64,
}

impl State {
    /// Gives a turn to the next request, or to nobody.
    fn release(&mut self) {
        while let Some((_, grant)) = self.line.next() {
            if grant.send(()).is_ok() {
                return;
            }
        }
        self.free += 1;
    }
}

/// Turns at computing. If more requests want one than there are, clients take turns, whatever the number of their requests.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    /// The most requests that wait, of a client and of all together.
    most_waiting: [usize; 2],
}

impl Turns {
    pub(crate) fn new(turns: usize, most_waiting: [usize; 2]) -> Arc<Self> {
        let state = State { free: turns, line: Line(VecDeque::new()), numbers: 0 };
        Arc::new(Self { state: Mutex::new(state), most_waiting })
    }

    /// Waits for a turn. A request that stops waiting leaves the line.
    pub(crate) async fn take(self: &Arc<Self>, client: Client) -> Result<Turn, Full> {
        let mut waiting = {
            let mut state = locked(&self.state);
            if state.free > 0 {
                state.free -= 1;
                return Ok(Turn { turns: Arc::clone(self), client });
            }
            let (grant, granted) = oneshot::channel();
            let number = state.numbers;
            state.line.enter(client, (number, grant), self.most_waiting)?;
            state.numbers += 1;
            Waiting { turns: self, number, granted }
        };
        (&mut waiting.granted).await.expect("the line keeps the sender until it sends");
        Ok(Turn { turns: Arc::clone(self), client })
    }

    /// How many requests wait.
    pub(crate) fn waiting(&self) -> usize {
        locked(&self.state).line.len()
    }

    /// How many turns nobody has.
    pub(crate) fn free(&self) -> usize {
        locked(&self.state).free
    }
}

/// A request's place in the line.
struct Waiting<'t> {
    turns: &'t Turns,
    number: u64,
    granted: oneshot::Receiver<()>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = locked(&self.turns.state);
        // A turn that came too late is the next one's.
        if self.granted.try_recv().is_ok() {
            state.release();
        } else {
            state.line.remove(|(number, _)| *number == self.number);
        }
    }
}

/// A turn at computing, until it's dropped.
#[derive(Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    client: Client,
}

impl Turn {
    /// Whose turn it is.
    pub fn client(&self) -> Client {
        self.client
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        locked(&self.turns.state).release();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::IpAddr,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;
    use crate::ClientAddress;

    fn client(last: u8) -> Client {
        ClientAddress::from(IpAddr::from([192, 0, 2, last])).into()
    }

    /// The outcome of a future that ends at once.
    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Some(outcome),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_client_with_a_thousand_requests_goes_ahead_of_another_once_at_most() {
        let [greedy, honest, third] = [1, 2, 3].map(client);
        let mut line = Line(VecDeque::new());
        for number in 0..1000 {
            line.enter(greedy, (greedy, number), [1000, 1002]).unwrap();
        }
        assert_eq!(line.next(), Some((greedy, 0)));
        line.enter(honest, (honest, 0), [1000, 1002]).unwrap();
        line.enter(third, (third, 0), [1000, 1002]).unwrap();
        line.enter(third, (third, 1), [1000, 1002]).unwrap();
        let order = [(); 6].map(|()| line.next().unwrap());
        let expected = [(greedy, 1), (honest, 0), (third, 0), (greedy, 2), (third, 1), (greedy, 3)];
        assert_eq!(order, expected);
        line.remove(|(_, number)| *number > 4);
        assert_eq!([line.next(), line.next()], [Some((greedy, 4)), None]);
    }

    #[test]
    fn few_requests_of_a_client_wait_and_others_still_get_in() {
        let turns = Turns::new(1, [2, 3]);
        let turn = now(turns.take(client(1))).unwrap().unwrap();
        let mut waiting = Vec::new();
        let mut enter = |of: u8| {
            let turns = Arc::clone(&turns);
            let mut wait = Box::pin(async move { turns.take(client(of)).await.map(drop) });
            let outcome = now(wait.as_mut());
            waiting.push(wait);
            outcome
        };
        assert_eq!([enter(1), enter(1)], [None, None]);
        assert_eq!(enter(1), Some(Err(Full::Client)));
        assert_eq!(enter(2), None);
        assert_eq!(enter(3), Some(Err(Full::All)));
        assert_eq!((turns.waiting(), turns.free()), (3, 0));
        drop(turn);
        assert_eq!(turns.waiting(), 2);
        drop(waiting);
        assert_eq!((turns.waiting(), turns.free()), (0, 1));
    }

    #[test]
    fn requests_that_stop_waiting_lose_no_turn() {
        let turns = Turns::new(1, [4, 4]);
        let turn = now(turns.take(client(1))).unwrap().unwrap();
        let (mut left, mut granted, mut last) = (
            Box::pin(turns.take(client(1))),
            Box::pin(turns.take(client(2))),
            Box::pin(turns.take(client(3))),
        );
        assert!([&mut left, &mut granted, &mut last].map(|wait| now(wait.as_mut()).is_none()) == [true; 3]);
        drop(left);
        assert_eq!(turns.waiting(), 2);
        drop(turn);
        // It has a turn, and ends before it knows.
        assert_eq!(turns.waiting(), 1);
        drop(granted);
        assert_eq!((turns.waiting(), turns.free()), (0, 0));
        drop(now(last.as_mut()).unwrap().unwrap());
        assert_eq!(turns.free(), 1);
    }
}
