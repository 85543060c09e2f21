//! What clients have used of their requests and of their computing time.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::{Client, Limits};

/// The most clients that are remembered.
const MAX_CLIENTS: usize = 1 << 16;

/// An amount that was used. It decreases steadily, by a whole grant in each [`Limits::PERIOD`].
#[derive(Clone, Copy, Debug)]
struct Used {
    amount: f64,
    at: Instant,
}

impl Used {
    fn new(now: Instant) -> Self {
        Self { amount: 0.0, at: now }
    }

    /// What still counts of it.
    fn left(self, grant: f64, now: Instant) -> f64 {
        let periods = now.saturating_duration_since(self.at).div_duration_f64(Limits::PERIOD);
        (self.amount - grant * periods).max(0.0)
    }

    fn add(&mut self, amount: f64, grant: f64, now: Instant) {
        *self = Self { amount: self.left(grant, now) + amount, at: now };
    }

    /// # Errors
    /// How long more than `most` still counts.
    fn check(self, most: f64, grant: f64, now: Instant) -> Result<(), Duration> {
        let above = self.left(grant, now) - most;
        if above <= 0.0 {
            return Ok(());
        }
        let wait = Limits::PERIOD.as_secs_f64() * above / grant;
        Err(Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))
    }
}

/// What a client, or all of them, have used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    Requests,
    Time,
    TimeOfAll,
}

/// A grant that is used up, and when some of it is available again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) grant: Grant,
    pub(crate) wait: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Account {
    requests: Used,
    seconds: Used,
}

/// The accounts of all clients.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// A client's grants, and the time of all.
    requests: f64,
    seconds: f64,
    seconds_of_all: f64,
    clients: HashMap<Client, Account>,
    all: Used,
}

impl Ledger {
    pub(crate) fn new(limits: &Limits, now: Instant) -> Self {
        Self {
            requests: f64::from(limits.requests),
            seconds: limits.client_time.as_secs_f64(),
            seconds_of_all: limits.time.as_secs_f64(),
            clients: HashMap::new(),
            all: Used::new(now),
        }
    }

    /// Counts a request, unless the client has used up its grants.
    pub(crate) fn admit(&mut self, client: Client, now: Instant) -> Result<(), Spent> {
        self.check(client, now)?;
        let grant = self.requests;
        let requests = &mut self.account(client, now).requests;
        requests.check(grant - 1.0, grant, now).map_err(|wait| Spent { grant: Grant::Requests, wait })?;
        requests.add(1.0, grant, now);
        Ok(())
    }

    /// Refuses if the computing time of the client, or of all, is used up.
    pub(crate) fn check(&self, client: Client, now: Instant) -> Result<(), Spent> {
        let spent = |grant| move |wait| Spent { grant, wait };
        if let Some(account) = self.clients.get(&client) {
            account.seconds.check(self.seconds, self.seconds, now).map_err(spent(Grant::Time))?;
        }
        self.all.check(self.seconds_of_all, self.seconds_of_all, now).map_err(spent(Grant::TimeOfAll))
    }

    /// Counts computing time.
    pub(crate) fn charge(&mut self, client: Client, time: Duration, now: Instant) {
        let (seconds, grant) = (time.as_secs_f64(), self.seconds);
        self.account(client, now).seconds.add(seconds, grant, now);
        self.all.add(seconds, self.seconds_of_all, now);
    }

    fn account(&mut self, client: Client, now: Instant) -> &mut Account {
        if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&client) {
            self.forget_half(now);
        }
        let new = Account { requests: Used::new(now), seconds: Used::new(now) };
        self.clients.entry(client).or_insert(new)
    }

    /// Forgets the clients that used less than the others, so that many addresses keep nobody out.
    fn forget_half(&mut self, now: Instant) {
        let (requests, seconds) = (self.requests, self.seconds);
        let share = |account: &Account| {
            let [requests, seconds] = [(account.requests, requests), (account.seconds, seconds)]
                .map(|(used, grant)| used.left(grant, now) / grant);
            requests.max(seconds)
        };
        let mut shares: Vec<f64> = self.clients.values().map(share).collect();
        let half = shares.len() / 2;
        let median = *shares.select_nth_unstable_by(half, f64::total_cmp).1;
        self.clients.retain(|_, account| share(account) > median);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};

    use super::*;
    use crate::ClientAddress;

    const SECOND: Duration = Duration::from_secs(1);

    fn client(text: &str) -> Client {
        ClientAddress::from(text.parse::<IpAddr>().unwrap()).into()
    }

    fn ledger(begun: Instant) -> Ledger {
        let limits =
            Limits { requests: 2, client_time: 900 * SECOND, time: 1800 * SECOND, ..Limits::default() };
        Ledger::new(&limits, begun)
    }

    #[test]
    fn a_client_has_its_requests_an_hour_whatever_its_address_in_a_prefix() {
        let begun = Instant::now();
        let mut ledger = ledger(begun);
        let [one, same, other] = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(client);
        let mut admit = |client, after: u32| ledger.admit(client, begun + after * SECOND);
        assert_eq!([admit(one, 0), admit(same, 0)], [Ok(()); 2]);
        assert_eq!(admit(one, 0), Err(Spent { grant: Grant::Requests, wait: 1800 * SECOND }));
        assert_eq!(admit(same, 1000), Err(Spent { grant: Grant::Requests, wait: 800 * SECOND }));
        assert_eq!([admit(other, 1000), admit(one, 1801)], [Ok(()); 2]);
        assert!(admit(one, 1802).is_err());
    }

    #[test]
    fn a_client_has_its_computing_time_an_hour_and_others_have_theirs() {
        let begun = Instant::now();
        let mut ledger = ledger(begun);
        let [one, other, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(client);
        // The last one goes beyond the grant.
        for _ in 0..70 {
            ledger.check(one, begun).unwrap();
            ledger.charge(one, 13 * SECOND, begun);
        }
        assert_eq!(ledger.check(one, begun), Err(Spent { grant: Grant::Time, wait: 40 * SECOND }));
        assert_eq!(ledger.check(one, begun + 40 * SECOND), Ok(()));
        assert_eq!(ledger.admit(other, begun), Ok(()));
        ledger.charge(other, 900 * SECOND, begun);
        assert_eq!(ledger.check(third, begun), Err(Spent { grant: Grant::TimeOfAll, wait: 20 * SECOND }));
        assert_eq!(ledger.check(third, begun + 3600 * SECOND), Ok(()));
    }

    #[test]
    fn a_token_has_its_own_grants_whatever_address_it_comes_from() {
        let begun = Instant::now();
        let mut ledger = ledger(begun);
        let [one, other] = [Client::Token(1), Client::Token(2)];
        assert_eq!([ledger.admit(one, begun), ledger.admit(one, begun)], [Ok(()); 2]);
        assert!(ledger.admit(one, begun).is_err());
        assert_eq!([ledger.admit(other, begun), ledger.admit(client("192.0.2.1"), begun)], [Ok(()); 2]);
    }

    #[test]
    fn many_addresses_keep_nobody_out_and_those_who_used_most_stay_known() {
        let begun = Instant::now();
        let mut ledger = ledger(begun);
        let busy = client("192.0.2.1");
        ledger.charge(busy, 901 * SECOND, begun);
        for prefix in 0..=MAX_CLIENTS as u32 {
            let address = IpAddr::from(Ipv6Addr::from(u128::from(prefix) << 64));
            assert_eq!(ledger.admit(ClientAddress::from(address).into(), begun), Ok(()));
        }
        assert!(ledger.clients.len() <= MAX_CLIENTS);
        assert!(ledger.admit(busy, begun).is_err());
    }
}
