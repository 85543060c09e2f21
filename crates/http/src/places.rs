//! Bounds on what clients use at a time: connections, and bodies in memory and in files.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{Client, Kind, Refusal};

/// The wait before a client tries again if nothing tells how long it takes.
const RETRY: Duration = Duration::from_secs(10);

/// A lock, whether or not another thread panicked: what is under these is whole between statements.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number of things and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) count: usize,
    pub(crate) bytes: u64,
}

/// Whose bound is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// That of the client.
    Client,
    /// That of all clients together.
    All,
}

impl Full {
    pub(crate) fn refuse(self, client: Client) -> Refusal {
        let refusal = match self {
            Self::Client => {
                let message = format!(
                    "{} has too many requests at a time: wait for their answers, then ask again",
                    client.words()
                );
                Refusal::new(Kind::TooMany, message)
            }
            Self::All => Refusal::new(Kind::Busy, "the server has too much to do: ask again later"),
        };
        refusal.after(RETRY)
    }
}

/// What clients use at a time, each at most so much, and all together at most so much. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    of_client: Amount,
    of_all: Amount,
    used: Arc<Mutex<HashMap<Client, Amount>>>,
}

impl Places {
    pub(crate) fn new(of_client: Amount, of_all: Amount) -> Self {
        Self { of_client, of_all, used: Arc::default() }
    }

    /// Takes one more place, of so many bytes.
    pub(crate) fn take(&self, client: Client, bytes: u64) -> Result<Place, Full> {
        let mut used = locked(&self.used);
        let is_full = |used: Amount, most: Amount| {
            used.count >= most.count || used.bytes.saturating_add(bytes) > most.bytes
        };
        if is_full(used.get(&client).copied().unwrap_or_default(), self.of_client) {
            return Err(Full::Client);
        }
        if is_full(sum(&used), self.of_all) {
            return Err(Full::All);
        }
        let own = used.entry(client).or_default();
        own.count += 1;
        own.bytes += bytes;
        Ok(Place { client, bytes, used: Arc::clone(&self.used) })
    }

    /// What all clients use.
    pub(crate) fn used(&self) -> Amount {
        sum(&locked(&self.used))
    }
}

fn sum(used: &HashMap<Client, Amount>) -> Amount {
    let add =
        |sum: Amount, own: &Amount| Amount { count: sum.count + own.count, bytes: sum.bytes + own.bytes };
    used.values().fold(Amount::default(), add)
}

/// A place of a client, until it's dropped.
#[derive(Debug)]
pub(crate) struct Place {
    client: Client,
    bytes: u64,
    used: Arc<Mutex<HashMap<Client, Amount>>>,
}

impl Place {
    pub(crate) fn client(&self) -> Client {
        self.client
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut used = locked(&self.used);
        let Some(own) = used.get_mut(&self.client) else { return };
        own.count -= 1;
        own.bytes -= self.bytes;
        if own.count == 0 {
            used.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::ClientAddress;

    #[test]
    fn a_client_and_all_together_have_so_many_places_and_bytes() {
        let client = |text: &str| Client::from(ClientAddress::from(text.parse::<IpAddr>().unwrap()));
        // Two of these are one client.
        let [one, same, other, third] =
            ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "192.0.2.1"].map(client);
        let places = Places::new(Amount { count: 2, bytes: 10 }, Amount { count: 3, bytes: 15 });
        let first = places.take(one, 4).unwrap();
        assert_eq!(places.take(same, 7).unwrap_err(), Full::Client);
        let second = places.take(same, 6).unwrap();
        assert_eq!(places.take(one, 0).unwrap_err(), Full::Client);
        assert_eq!(places.take(other, 6).unwrap_err(), Full::All);
        let others = places.take(other, 5).unwrap();
        assert_eq!(places.take(third, 0).unwrap_err(), Full::All);
        assert_eq!(places.take(third, u64::MAX).unwrap_err(), Full::Client);
        assert_eq!(places.used(), Amount { count: 3, bytes: 15 });
        drop((first, second, others));
        assert_eq!(places.used(), Amount::default());
        assert!(locked(&places.used).is_empty());
    }
}
