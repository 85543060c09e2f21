//! What a server grants.

use std::time::Duration;

/// What a server grants its clients, whatever it serves. Connections are counted by [`ClientAddress`](crate::ClientAddress),
/// everything else by [`Client`](crate::Client).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many requests compute at the same time, each on all threads.
    pub turns: usize,
    /// The most requests of a client that wait for a turn. Clients with waiting requests get turns one after another.
    pub client_waiting: usize,
    /// The most requests that wait for a turn.
    pub waiting: usize,
    /// The longest wait for a turn.
    pub wait: Duration,
    /// The most bodies of a client that are in memory, while they arrive and until they're dropped.
    pub client_bodies: usize,
    /// The most bodies that are in memory.
    pub bodies: usize,
    /// The most bytes of a client's bodies that are in memory. Those still to come are included.
    pub client_body_bytes: u64,
    /// The most bytes of bodies that are in memory.
    pub body_bytes: u64,
    /// The most bodies of a client that arrive in files at the same time.
    pub client_uploads: usize,
    /// The most bodies that arrive in files at the same time.
    pub uploads: usize,
    /// The most bytes of a client's bodies that arrive in files at the same time. Those still to come are included.
    pub client_upload_bytes: u64,
    /// The most bytes of bodies that arrive in files at the same time.
    pub upload_bytes: u64,
    /// The fewest bytes per second at which clients send bodies and take answers, on the average over a [`Limits::window`].
    pub rate: usize,
    /// What rates are averaged over.
    pub window: Duration,
    /// How much longer the first window is.
    pub grace: Duration,
    /// How many connections are open at the same time.
    pub connections: usize,
    /// How many of these an address has.
    pub client_connections: usize,
    /// How long a connection lasts, whatever is going on.
    pub connection: Duration,
    /// How long a request's head may take to arrive.
    pub head: Duration,
    /// How many requests a client may send in [`Limits::PERIOD`]: those that [`Admission::admit`](crate::Admission::admit) counts.
    pub requests: u32,
    /// What these requests are called in refusals.
    pub requests_name: &'static str,
    /// How long the server computes for a client in [`Limits::PERIOD`].
    pub client_time: Duration,
    /// How long the server computes for all clients in [`Limits::PERIOD`].
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 1,
            client_waiting: 4,
            waiting: 64,
            wait: Duration::from_mins(10),
            client_bodies: 8,
            bodies: 128,
            client_body_bytes: 1 << 30,
            body_bytes: 4 << 30,
            client_uploads: 4,
            uploads: 64,
            client_upload_bytes: 16 << 30,
            upload_bytes: 64 << 30,
            rate: 256 << 10,
            window: Duration::from_secs(10),
            grace: Duration::from_secs(10),
            connections: 256,
            client_connections: 32,
            connection: Duration::from_hours(1),
            head: Duration::from_secs(20),
            requests: 1000,
            requests_name: "requests",
            client_time: Duration::from_mins(15),
            time: Self::PERIOD,
        }
    }
}

impl Limits {
    /// What requests and computing time are counted over. They become available again steadily, not at once at its end.
    pub const PERIOD: Duration = Duration::from_hours(1);
    /// The most bytes of a request's head.
    pub const HEAD_BYTES: usize = 64 << 10;
    /// The most headers of a request.
    pub const HEADERS: usize = 100;
}
