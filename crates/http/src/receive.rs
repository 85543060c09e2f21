//! Requests' bodies: they arrive at a least rate, and take bounded memory and storage.

use std::{
    future::poll_fn,
    io::{self, Write},
    pin::Pin,
    time::Instant,
};

use axum::body::{Body, Bytes, HttpBody};
use serde::de::DeserializeOwned;
use tokio::{task::spawn_blocking, time::timeout_at};

use crate::{
    Kind, Limits, Refusal,
    pace::Pace,
    places::{Full, Place},
};

/// How much of a body is written to its file at once.
const CHUNK: usize = 256 << 10;

/// How many bytes a body may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Up to so many.
    AtMost(u64),
    /// So many, neither more nor fewer.
    Exactly(u64),
}

impl Size {
    fn most(self) -> u64 {
        let (Self::AtMost(most) | Self::Exactly(most)) = self;
        most
    }

    fn check(self, found: u64) -> Result<(), Refusal> {
        match self {
            Self::AtMost(most) if found > most => {
                let message = format!("the request has {found} bytes, and may have {most} bytes");
                Err(Refusal::new(Kind::TooLarge, message))
            }
            Self::Exactly(exact) if found != exact => {
                let message = format!("the request has {found} bytes, and {exact} bytes belong there");
                Err(Refusal::new(Kind::Malformed, message))
            }
            _ => Ok(()),
        }
    }
}

/// A body that arrives.
#[derive(Debug)]
pub(crate) struct Arrival<'l> {
    body: Body,
    limits: &'l Limits,
    pace: Pace,
    size: Size,
    received: u64,
}

impl<'l> Arrival<'l> {
    /// Checks what a body says of its length, before anything of it is asked for.
    pub(crate) fn new(body: Body, size: Size, limits: &'l Limits) -> Result<Self, Refusal> {
        if let Some(length) = body.size_hint().upper() {
            size.check(length)?;
        }
        Ok(Self { body, limits, pace: Pace::new(limits, Instant::now()), size, received: 0 })
    }

    /// The most bytes that may come. A body without a length counts as the longest.
    pub(crate) fn most(&self) -> u64 {
        self.body.size_hint().upper().unwrap_or(self.size.most())
    }

    /// The number of bytes to come, if the body says it.
    fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// The next bytes, or nothing at the body's end.
    async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let data = match timeout_at(self.pace.deadline().into(), frame).await {
                Ok(None) => return self.size.check(self.received).map(|()| None),
                Ok(Some(Err(_))) => {
                    return Err(Refusal::new(Kind::Malformed, "the request broke off before its end"));
                }
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                // The window has ended.
                Err(_) => Bytes::new(),
            };
            self.received = self.received.saturating_add(data.len() as u64);
            let most = self.size.most();
            if self.received > most {
                let message = format!("the request has more than {most} bytes");
                return Err(Refusal::new(Kind::TooLarge, message));
            }
            self.pace.add(data.len());
            if !self.pace.is_kept(Instant::now()) {
                let message = format!(
                    "the request arrives too slowly: this server takes at least {} kB/s",
                    self.limits.rate / 1000
                );
                return Err(Refusal::new(Kind::TooSlow, message));
            }
            if !data.is_empty() {
                return Ok(Some(data));
            }
        }
    }

    /// Receives the body into memory.
    pub(crate) async fn into_memory(mut self, place: Place) -> Result<Received, Refusal> {
        let mut bytes = Vec::new();
        let length = usize::try_from(self.length().unwrap_or(0)).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(length).map_err(|_| Full::All.refuse(place.client()))?;
        while let Some(data) = self.next().await? {
            bytes.extend_from_slice(&data);
        }
        Ok(Received { bytes, _place: place })
    }

    /// Receives the body into a sink.
    pub(crate) async fn into_sink<W: Write + Send + 'static>(
        mut self,
        mut sink: W,
        place: Place,
    ) -> Result<Stored<W>, Refusal> {
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut is_more = true;
        while is_more {
            let data = match self.next().await {
                Ok(data) => data,
                Err(refusal) => {
                    // What arrived may be continued, however little it is.
                    let _ = spawn_blocking(move || sink.write_all(&chunk)).await;
                    return Err(refusal);
                }
            };
            is_more = data.is_some();
            chunk.extend_from_slice(&data.unwrap_or_default());
            if chunk.len() >= CHUNK || !is_more {
                let begun = Instant::now();
                let write = move || sink.write_all(&chunk).map(|()| (sink, chunk));
                let written = spawn_blocking(write).await.map_err(|_| Refusal::failed())?;
                (sink, chunk) = written.map_err(|error| unwritten(&error))?;
                chunk.clear();
                // The client waited for the disk, not the server for the client.
                self.pace.excuse(begun.elapsed());
            }
        }
        Ok(Stored { sink, bytes: self.received, _place: place })
    }
}

fn unwritten(error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Refusal::new(
            Kind::Full,
            "the server's storage is full: ask again later, or ask its operator for more",
        ),
        _ => Refusal::new(Kind::Internal, format!("the server cannot store the request: {error}")),
    }
}

/// A request's body, which takes memory until it's dropped.
#[derive(Debug)]
pub struct Received {
    /// The body.
    pub bytes: Vec<u8>,
    _place: Place,
}

impl Received {
    /// Reads the body as JSON.
    ///
    /// # Errors
    /// [`Kind::Malformed`].
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.bytes).map_err(|error| {
            Refusal::new(Kind::Malformed, format!("the request isn't what it should be: {error}"))
        })
    }
}

/// A request's body that was written elsewhere. It counts as one that arrives until it's dropped, so that its storage can be
/// counted elsewhere before.
#[derive(Debug)]
pub struct Stored<W> {
    /// What it was written to. Nothing of a file is synchronised with the disk yet.
    pub sink: W,
    /// The bytes of the body.
    pub bytes: u64,
    _place: Place,
}
