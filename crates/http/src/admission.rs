//! What a server does for its clients, within limits: their requests, bodies, turns and computing time.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Instant,
};

use axum::body::Body;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::{task::spawn_blocking, time::timeout};

use crate::{
    Client, HttpError, Kind, Limits, Received, Refusal, Size, Stored, Turn,
    ledger::{Grant, Ledger, Spent},
    places::{Amount, Full, Places, locked},
    receive::Arrival,
    turns::Turns,
};

/// What is in use at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bodies in memory, incomplete ones included.
    pub bodies: usize,
    /// Their bytes, those still to come included.
    pub body_bytes: u64,
    /// Bodies that arrive in files.
    pub uploads: usize,
    /// Their bytes, those still to come included.
    pub upload_bytes: u64,
    /// Requests that wait for a turn.
    pub waiting: usize,
    /// Turns that nobody has.
    pub free_turns: usize,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    ledger: Mutex<Ledger>,
    bodies: Places,
    uploads: Places,
    turns: Arc<Turns>,
    pool: ThreadPool,
}

/// Serves clients within [`Limits`], and lets no client block the others. A handler counts a request with [`Admission::admit`],
/// receives its body, waits for a [`Turn`] and computes. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Shared>);

impl Admission {
    /// With so many threads for computing.
    ///
    /// # Errors
    /// [`HttpError::System`].
    pub fn new(limits: &Limits, threads: usize) -> Result<Self, HttpError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
        Ok(Self(Arc::new(Shared {
            limits: *limits,
            ledger: Mutex::new(Ledger::new(limits, Instant::now())),
            bodies: Places::new(
                Amount { count: limits.client_bodies, bytes: limits.client_body_bytes },
                Amount { count: limits.bodies, bytes: limits.body_bytes },
            ),
            uploads: Places::new(
                Amount { count: limits.client_uploads, bytes: limits.client_upload_bytes },
                Amount { count: limits.uploads, bytes: limits.upload_bytes },
            ),
            turns: Turns::new(limits.turns, [limits.client_waiting, limits.waiting]),
            pool,
        })))
    }

    /// What is in use now.
    pub fn load(&self) -> Load {
        let Shared { bodies, uploads, turns, .. } = &*self.0;
        let [bodies, uploads] = [bodies, uploads].map(Places::used);
        Load {
            bodies: bodies.count,
            body_bytes: bodies.bytes,
            uploads: uploads.count,
            upload_bytes: uploads.bytes,
            waiting: turns.waiting(),
            free_turns: turns.free(),
        }
    }

    /// Counts a request of a client.
    ///
    /// # Errors
    /// [`Kind::TooMany`] and [`Kind::Busy`], if requests or computing time are used up.
    pub fn admit(&self, client: impl Into<Client>) -> Result<(), Refusal> {
        let client = client.into();
        let admitted = locked(&self.0.ledger).admit(client, Instant::now());
        admitted.map_err(|spent| self.refuse(client, spent))
    }

    /// Receives a request's body of at most so many bytes into memory.
    ///
    /// # Errors
    /// [`Kind::TooLarge`], [`Kind::TooSlow`], [`Kind::Malformed`] if it breaks off, [`Kind::TooMany`] or [`Kind::Busy`] if there's no
    /// place for it.
    pub async fn receive(
        &self,
        client: impl Into<Client>,
        body: Body,
        most: usize,
    ) -> Result<Received, Refusal> {
        let client = client.into();
        let arrival = Arrival::new(body, Size::AtMost(most as u64), &self.0.limits)?;
        let place = self.0.bodies.take(client, arrival.most()).map_err(|full| full.refuse(client))?;
        arrival.into_memory(place).await
    }

    /// Receives a request's body into a sink, such as a file. The sink may have a part of the body if this fails, and if the client
    /// leaves, which drops the future: give a file that is removed then, such as one of `tempfile`, or one that can be continued.
    ///
    /// # Errors
    /// Those of [`Admission::receive`], [`Kind::Malformed`] for another length than an exact one, [`Kind::Full`] if the disk is full.
    pub async fn receive_to<W: Write + Send + 'static>(
        &self,
        client: impl Into<Client>,
        body: Body,
        sink: W,
        size: Size,
    ) -> Result<Stored<W>, Refusal> {
        let client = client.into();
        let arrival = Arrival::new(body, size, &self.0.limits)?;
        let place = self.0.uploads.take(client, arrival.most()).map_err(|full| full.refuse(client))?;
        arrival.into_sink(sink, place).await
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Kind::TooMany`] if too many requests of the client wait, [`Kind::Busy`] if too many of all do or if it takes too long, and
    /// those of [`Admission::admit`].
    pub async fn turn(&self, client: impl Into<Client>) -> Result<Turn, Refusal> {
        let client = client.into();
        let turn = timeout(self.0.limits.wait, self.0.turns.take(client)).await;
        let turn = turn.unwrap_or(Err(Full::All)).map_err(|full| full.refuse(client))?;
        // Turns before this one may have used up the time.
        let checked = locked(&self.0.ledger).check(client, Instant::now());
        checked.map_err(|spent| self.refuse(client, spent))?;
        Ok(turn)
    }

    /// Works on the threads for computing, and counts the time as that of the turn's client. The turn ends with the work, even where
    /// the client doesn't wait for it.
    ///
    /// # Errors
    /// Those of the work; [`Kind::Internal`] if it panics.
    pub async fn compute<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(&self.0);
        let work = move || {
            // The time is counted before the next turn begins.
            let turn = turn;
            let _metered = Metered { shared: &shared, client: turn.client(), begun: Instant::now() };
            shared.pool.install(work)
        };
        spawn_blocking(work).await.unwrap_or_else(|_| Err(Refusal::failed()))
    }

    fn refuse(&self, client: Client, Spent { grant, wait }: Spent) -> Refusal {
        let Limits { requests, requests_name, client_time, time, .. } = self.0.limits;
        let ([own, all], client) = ([client_time, time].map(|time| time.as_secs()), client.words());
        let (kind, what) = match grant {
            Grant::Requests => (Kind::TooMany, format!("{client} has used its {requests} {requests_name}")),
            Grant::Time => (Kind::TooMany, format!("{client} has used its {own} s of computing")),
            Grant::TimeOfAll => {
                (Kind::Busy, format!("all clients together have used the server's {all} s of computing"))
            }
        };
        let refusal = Refusal::new(kind, what).after(wait);
        let seconds = refusal.retry_after_s.unwrap_or(0);
        Refusal { message: format!("{} an hour: ask later, in {seconds} s", refusal.message), ..refusal }
    }
}

/// Counts the time until it's dropped as a client's.
struct Metered<'s> {
    shared: &'s Shared,
    client: Client,
    begun: Instant,
}

impl Drop for Metered<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        locked(&self.shared.ledger).charge(self.client, now - self.begun, now);
    }
}
