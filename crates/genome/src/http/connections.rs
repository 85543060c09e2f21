//! How many connections are open, and for how long.

use std::{
    collections::HashMap,
    future::{Ready, ready},
    io,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use axum_server::accept::Accept;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{Limits, keys::locked};

/// Takes connections while there's room, and closes those beyond.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    limits: Limits,
    /// How many each address has.
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, open: Arc::default() }
    }

    /// A place for a connection, if there's one left.
    fn place(&self, address: IpAddr) -> Option<Place> {
        let mut open = locked(&self.open);
        let all: usize = open.values().sum();
        let own = open.get(&address).copied().unwrap_or(0);
        if all >= self.limits.connections || own >= self.limits.address_connections {
            return None;
        }
        open.insert(address, own + 1);
        Some(Place { address, open: Arc::clone(&self.open) })
    }
}

/// A connection's place among the open ones, until it's dropped.
#[derive(Debug)]
struct Place {
    address: IpAddr,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = locked(&self.open);
        let left = open.get(&self.address).map_or(0, |own| own - 1);
        if left == 0 {
            open.remove(&self.address);
        } else {
            open.insert(self.address, left);
        }
    }
}

impl<S> Accept<TcpStream, S> for Connections {
    type Stream = Connection;
    type Service = S;
    type Future = Ready<io::Result<(Connection, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let accepted = stream.peer_addr().and_then(|peer| {
            let place = self.place(peer.ip()).ok_or(io::ErrorKind::QuotaExceeded)?;
            let end = Box::pin(sleep(self.limits.connection));
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
