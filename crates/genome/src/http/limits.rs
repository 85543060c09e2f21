//! What a server grants.

use std::time::Duration;

/// What a server grants its clients. A client is an IPv4 address, or the first 64 bits of an IPv6 address.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most letters of a query.
    pub letters: usize,
    /// The most sites that a hidden start may be among.
    pub candidates: usize,
    /// The most bytes of a client's keys: for 2,184 haplotypes, 267 MB carry 32 letters and 416 MB a thousand.
    pub key_bytes: usize,
    /// The bytes of all keys together, beyond which those are dropped that the client with most bytes of keys has not used for the
    /// longest time.
    pub all_key_bytes: usize,
    /// How many queries are answered under the same keys, which are dropped then: each query is remembered, so that it's answered
    /// once.
    pub queries: usize,
    /// How many queries are answered, or keys checked, at the same time, each on all threads.
    pub turns: usize,
    /// The most requests of a client that wait for a turn. Clients with waiting requests get turns one after another.
    pub client_waiting: usize,
    /// The most requests that wait for a turn.
    pub waiting: usize,
    /// The longest wait for a turn.
    pub wait: Duration,
    /// The most queries and keys of a client that are in memory, while they arrive and until they're answered.
    pub client_bodies: usize,
    /// The most queries and keys that are in memory.
    pub bodies: usize,
    /// The most bytes of a client's queries and keys that are in memory. Those still to come are included.
    pub client_body_bytes: usize,
    /// The most bytes of queries and keys that are in memory.
    pub body_bytes: usize,
    /// The fewest bytes per second at which queries and keys may arrive, on the average over a [`Limits::window`].
    pub rate: usize,
    /// What rates are averaged over.
    pub window: Duration,
    /// How much longer the first window is.
    pub grace: Duration,
    /// How many connections are open at the same time.
    pub connections: usize,
    /// How many of these a client has.
    pub client_connections: usize,
    /// How long a connection lasts, whatever is going on.
    pub connection: Duration,
    /// How long a request's head may take to arrive.
    pub head: Duration,
    /// How many queries and keys a client may send in [`Limits::PERIOD`].
    pub requests: u32,
    /// How long the server computes for a client in [`Limits::PERIOD`].
    pub client_time: Duration,
    /// How long the server computes for all clients in [`Limits::PERIOD`].
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            letters: 1024,
            candidates: 16,
            key_bytes: 1 << 30,
            all_key_bytes: 4 << 30,
            queries: 1 << 16,
            turns: 1,
            client_waiting: 4,
            waiting: 64,
            wait: Duration::from_mins(10),
            client_bodies: 8,
            bodies: 128,
            client_body_bytes: 1 << 30,
            body_bytes: 4 << 30,
            rate: 256 << 10,
            window: Duration::from_secs(10),
            grace: Duration::from_secs(10),
            connections: 256,
            client_connections: 32,
            connection: Duration::from_hours(1),
            head: Duration::from_secs(20),
            requests: 1000,
            client_time: Duration::from_mins(15),
            time: Self::PERIOD,
        }
    }
}

impl Limits {
    /// What requests and computing time are counted over. They become available again steadily, not at once at its end.
    pub const PERIOD: Duration = Duration::from_hours(1);
    /// The most bytes of a query: one of 1024 letters and 15 primes takes 85 kB.
    pub(super) const QUERY_BYTES: usize = 2 << 20;
    /// The most bytes of a request's head.
    pub(super) const HEAD_BYTES: usize = 64 << 10;
}
