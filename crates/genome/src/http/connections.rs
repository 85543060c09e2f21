//! How many connections are open, and for how long.

use std::{
    future::{Ready, ready},
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum_server::accept::Accept;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{
    Limits,
    places::{Amount, Place, Places},
};

/// Takes connections while clients have places, and closes those beyond.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    places: Places,
    longest: Duration,
}

impl Connections {
    pub(super) fn new(limits: &Limits) -> Self {
        let most = |count| Amount { count, bytes: usize::MAX };
        let places = Places::new(most(limits.client_connections), most(limits.connections));
        Self { places, longest: limits.connection }
    }
}

impl<S> Accept<TcpStream, S> for Connections {
    type Stream = Connection;
    type Service = S;
    type Future = Ready<io::Result<(Connection, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let accepted = stream.peer_addr().and_then(|peer| {
            let place = self.places.take(peer.ip().into(), 0).map_err(|_| io::ErrorKind::QuotaExceeded)?;
            let end = Box::pin(sleep(self.longest));
            Ok((Connection { stream, end, _place: place }, service))
        });
        ready(accepted)
    }
}

/// A connection that breaks off when its time is over: else one who neither reads nor writes would keep it for ever.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    _place: Place,
}

impl Connection {
    /// The stream, as long as it may be used. Wakes the task when that ends.
    fn stream(self: Pin<&mut Self>, context: &mut Context<'_>) -> io::Result<Pin<&mut TcpStream>> {
        let this = self.get_mut();
        match this.end.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(Pin::new(&mut this.stream)),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_read(context, into)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream(context)?.poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream(context)?.poll_shutdown(context)
    }
}
