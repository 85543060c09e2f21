//! What a server grants.

use std::{
    collections::HashMap,
    net::IpAddr,
    time::{Duration, Instant},
};

/// What a server grants its clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most letters of a query.
    pub letters: usize,
    /// The most sites that a hidden start may be among.
    pub candidates: usize,
    /// The most bytes of a client's keys: for 2,184 haplotypes, 267 MB carry 32 letters and 416 MB a thousand.
    pub key_bytes: usize,
    /// The bytes of all keys together, beyond which those are dropped that weren't used for the longest time.
    pub all_key_bytes: usize,
    /// How many queries are answered under the same keys, which are dropped then: each query is remembered, so that it's answered
    /// once.
    pub queries: usize,
    /// How many keys are received at the same time.
    pub uploads: usize,
    /// How many queries are answered at the same time, each on all threads.
    pub answers: usize,
    /// How many connections are open at the same time.
    pub connections: usize,
    /// How many of these an address has.
    pub address_connections: usize,
    /// How long a connection lasts, whatever is going on.
    pub connection: Duration,
    /// How long a request's head may take to arrive.
    pub head: Duration,
    /// How long the rest of a request may take to arrive.
    pub receive: Duration,
    /// How long a request waits for its turn.
    pub wait: Duration,
    /// How many queries and keys an address may send in [`Limits::PERIOD`].
    pub requests: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            letters: 1024,
            candidates: 16,
            key_bytes: 1 << 30,
            all_key_bytes: 4 << 30,
            queries: 1 << 16,
            uploads: 2,
            answers: 1,
            connections: 256,
            address_connections: 32,
            connection: Duration::from_mins(30),
            head: Duration::from_secs(20),
            receive: Duration::from_mins(10),
            wait: Duration::from_mins(1),
            requests: 1000,
        }
    }
}

impl Limits {
    /// What requests are counted over.
    pub const PERIOD: Duration = Duration::from_hours(1);
    /// The most bytes of a query: one of 1024 letters and 15 primes takes 85 kB.
    pub(super) const QUERY_BYTES: usize = 2 << 20;
}

/// The most addresses whose requests are counted.
const MAX_ADDRESSES: usize = 1 << 16;

/// The requests of each address in its current period.
#[derive(Debug, Default)]
pub(super) struct Requests(HashMap<IpAddr, (Instant, u32)>);

impl Requests {
    /// Counts a request, unless it's one too many.
    pub(super) fn admit(&mut self, address: IpAddr, most: u32, now: Instant) -> bool {
        let is_over = |since: Instant| now.duration_since(since) >= Limits::PERIOD;
        if self.0.len() >= MAX_ADDRESSES {
            self.0.retain(|_, &mut (since, _)| !is_over(since));
        }
        if self.0.len() >= MAX_ADDRESSES && !self.0.contains_key(&address) {
            return false;
        }
        let (since, count) = self.0.entry(address).or_insert((now, 0));
        if is_over(*since) {
            (*since, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
        *count <= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_requests_a_period() {
        let mut requests = Requests::default();
        let [one, other] = [IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2])];
        let begun = Instant::now();
        let admitted = [(one, 0), (one, 1), (one, 2), (other, 3), (one, 3600)]
            .map(|(address, after)| requests.admit(address, 2, begun + Duration::from_secs(after)));
        assert_eq!(admitted, [true, true, false, true, true]);
    }
}
