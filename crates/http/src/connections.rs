//! How many connections are open, for how long, and how fast their clients take what is sent.

use std::{
    future::{Ready, ready},
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use axum_server::accept::Accept;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep, sleep_until},
};

use crate::{
    ClientAddress, Limits,
    pace::Pace,
    places::{Amount, Place, Places},
};

/// Takes connections while clients have places, and closes those beyond.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    places: Places,
    limits: Limits,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Self {
        let most = |count| Amount { count, bytes: u64::MAX };
        let places = Places::new(most(limits.client_connections), most(limits.connections));
        Self { places, limits: *limits }
    }
}

impl<S> Accept<TcpStream, S> for Connections {
    type Stream = Connection;
    type Service = S;
    type Future = Ready<io::Result<(Connection, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let accepted = stream.peer_addr().and_then(|peer| {
            let client = ClientAddress::from(peer.ip()).into();
            let place = self.places.take(client, 0).map_err(|_| io::ErrorKind::QuotaExceeded)?;
            let end = Box::pin(sleep(self.limits.connection));
            let sending = Sending::new(&self.limits, Instant::now());
            Ok((Connection { stream, end, sending, _place: place }, service))
        });
        ready(accepted)
    }
}

/// How fast a client takes what is sent. Only time in which the server waits for it counts.
#[derive(Debug)]
struct Sending {
    pace: Pace,
    /// Since when the server has not waited, or nothing while it waits.
    idle: Option<Instant>,
    timer: Pin<Box<Sleep>>,
}

impl Sending {
    fn new(limits: &Limits, now: Instant) -> Self {
        let pace = Pace::new(limits, now);
        let timer = Box::pin(sleep_until(pace.deadline().into()));
        Self { pace, idle: Some(now), timer }
    }

    fn took(&mut self, bytes: usize, now: Instant) {
        self.pace.add(bytes);
        self.idle.get_or_insert(now);
    }

    /// Is called while nothing can be sent, and again when the task is woken.
    ///
    /// # Errors
    /// If the client takes too little.
    fn wait(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if let Some(since) = self.idle.take() {
            self.pace.excuse(since.elapsed());
        }
        loop {
            if !self.pace.is_kept(Instant::now()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.timer.as_mut().reset(self.pace.deadline().into());
            if self.timer.as_mut().poll(context).is_pending() {
                return Ok(());
            }
        }
    }
}

/// A connection that breaks off when its time is over, or when its client doesn't read: else one who neither reads nor writes would
/// keep it for ever.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    sending: Sending,
    _place: Place,
}

impl Connection {
    /// The stream, as long as it may be used. Wakes the task when that ends.
    fn stream(&mut self, context: &mut Context<'_>) -> io::Result<Pin<&mut TcpStream>> {
        match self.end.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(Pin::new(&mut self.stream)),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut().stream(context)?.poll_read(context, into)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = this.stream(context)?.poll_write(context, bytes);
        match written {
            Poll::Ready(Ok(count)) => this.sending.took(count, Instant::now()),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => this.sending.wait(context)?,
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream(context)?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream(context)?.poll_shutdown(context)
    }
}
