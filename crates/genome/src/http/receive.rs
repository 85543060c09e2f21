//! Requests' bodies: they arrive at a least rate, and take bounded memory.

use std::{
    fmt::Display,
    future::poll_fn,
    pin::Pin,
    time::{Duration, Instant},
};

use axum::body::{Body, HttpBody};
use tokio::time::timeout_at;

use super::{
    Kind, Limits, Refusal,
    address::ClientAddress,
    places::{Full, Place},
    server::Shared,
};

/// The wait before a client tries again if nothing tells how long it takes.
const RETRY: Duration = Duration::from_secs(10);

pub(super) fn refusal(kind: Kind, message: impl Display) -> Refusal {
    Refusal { kind, message: message.to_string(), retry_after_s: None }
}

impl Refusal {
    /// With the time after which another attempt may succeed.
    pub(super) fn after(self, wait: Duration) -> Self {
        let whole = Duration::from_secs(wait.as_secs());
        let seconds = whole.as_secs().saturating_add(u64::from(whole < wait));
        Self { retry_after_s: Some(seconds.clamp(1, 24 * 3600)), ..self }
    }
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Self {
        let refusal = match full {
            Full::Client => refusal(
                Kind::TooMany,
                "this client's address has too many requests at a time: wait for their answers, then ask again",
            ),
            Full::All => refusal(Kind::Busy, "the server has too much to do: ask again later"),
        };
        refusal.after(RETRY)
    }
}

/// A request's body, which takes memory until it's dropped.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) bytes: Vec<u8>,
    _place: Place,
}

/// The rate at which a body arrives, window after window.
#[derive(Debug)]
struct Pace {
    window: Duration,
    least_bytes: usize,
    deadline: Instant,
    bytes: usize,
}

impl Pace {
    fn new(limits: &Limits, now: Instant) -> Self {
        let Limits { rate, window, grace, .. } = *limits;
        let least_bytes = (rate as f64 * window.as_secs_f64()) as usize;
        Self { window, least_bytes, deadline: now + grace + window, bytes: 0 }
    }

    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Begins the next window if the last one has ended. Returns false if too few bytes arrived in it.
    fn is_kept(&mut self, now: Instant) -> bool {
        if now < self.deadline {
            return true;
        }
        let is_kept = self.bytes >= self.least_bytes;
        (self.bytes, self.deadline) = (0, now + self.window);
        is_kept
    }
}

impl Shared {
    /// Receives a request's body of at most so many bytes.
    pub(super) async fn receive(
        &self,
        client: ClientAddress,
        mut body: Body,
        most: usize,
    ) -> Result<Received, Refusal> {
        // Before anything of it is asked for. Bodies without a length count as the longest.
        let size = body.size_hint();
        let length = size.upper().map_or(most, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if length > most {
            let message = format!("the request has {length} bytes, and may have {most} bytes");
            return Err(refusal(Kind::TooLarge, message));
        }
        let place = self.bodies.take(client, length)?;
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(size.exact().map_or(0, |_| length));
        reserved.map_err(|_| Refusal::from(Full::All))?;
        let mut pace = Pace::new(&self.limits, Instant::now());
        loop {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            match timeout_at(pace.deadline.into(), frame).await {
                Ok(None) => return Ok(Received { bytes, _place: place }),
                Ok(Some(Err(_))) => {
                    return Err(refusal(Kind::Malformed, "the request broke off before its end"));
                }
                Ok(Some(Ok(frame))) => {
                    let data = frame.into_data().unwrap_or_default();
                    if bytes.len() + data.len() > most {
                        let message = format!("the request has more than {most} bytes");
                        return Err(refusal(Kind::TooLarge, message));
                    }
                    bytes.extend_from_slice(&data);
                    pace.add(data.len());
                }
                // The window has ended.
                Err(_) => {}
            }
            if !pace.is_kept(Instant::now()) {
                let message = format!(
                    "the request arrives too slowly: this server takes at least {} kB/s",
                    self.limits.rate / 1000
                );
                return Err(refusal(Kind::TooSlow, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_keeps_its_rate_in_every_window_and_has_more_time_at_first() {
        let second = Duration::from_secs(1);
        let limits = Limits { rate: 100, window: 10 * second, grace: 5 * second, ..Limits::default() };
        let begun = Instant::now();
        let after = |seconds: u32| begun + seconds * second;
        let mut pace = Pace::new(&limits, begun);
        assert!(pace.is_kept(after(14)) && pace.deadline == after(15));
        pace.add(999);
        assert!(!pace.is_kept(after(15)));

        let mut pace = Pace::new(&limits, begun);
        pace.add(100_000);
        assert!(pace.is_kept(after(15)) && pace.deadline == after(25));
        // What came before counts no more.
        assert!(pace.is_kept(after(24)));
        pace.add(1000);
        assert!(pace.is_kept(after(25)));
        assert!(!pace.is_kept(after(35)));
        // A server that was suspended itself blames nobody for more than a window.
        let mut pace = Pace::new(&limits, begun);
        pace.add(1000);
        assert!(pace.is_kept(after(1000)) && pace.deadline == after(1010));
    }

    #[test]
    fn waits_are_whole_seconds_of_a_day_at_most() {
        let after = |wait| refusal(Kind::Busy, "").after(wait).retry_after_s;
        let waits = [Duration::ZERO, Duration::from_millis(1500), Duration::from_secs(2), Duration::MAX];
        assert_eq!(waits.map(after), [1, 2, 2, 24 * 3600].map(Some));
    }
}
