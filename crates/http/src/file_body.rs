//! Answers from files.

use std::{
    fs::File,
    io::{self, Read, Seek},
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use http_body::{Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

/// How much of a file is in memory.
const CHUNK: u64 = 256 << 10;

type Chunk = (File, Vec<u8>);

#[derive(Debug)]
enum State {
    Idle(File),
    Reading(JoinHandle<io::Result<Chunk>>),
    Ended,
}

/// An answer's body that is read from a file while it's sent. Its length is the file's, from its position on, at first. If the file
/// becomes shorter, the connection breaks off, so that the client doesn't take the part for the whole.
#[derive(Debug)]
pub struct FileBody {
    state: State,
    left: u64,
}

impl FileBody {
    /// # Errors
    /// If the file's length can't be read.
    pub fn new(mut file: File) -> io::Result<Self> {
        let left = file.metadata()?.len().saturating_sub(file.stream_position()?);
        Ok(Self { state: State::Idle(file), left })
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Vec<u8>>>> {
        if self.left == 0 {
            self.state = State::Ended;
        }
        let mut reading = match std::mem::replace(&mut self.state, State::Ended) {
            State::Idle(file) => {
                let most = self.left.min(CHUNK) as usize;
                spawn_blocking(move || read(file, most))
            }
            State::Reading(reading) => reading,
            State::Ended => return Poll::Ready(Ok(None)),
        };
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.state = State::Reading(reading);
            return Poll::Pending;
        };
        let (file, bytes) = read.map_err(io::Error::other)??;
        self.state = State::Idle(file);
        self.left -= bytes.len() as u64;
        Poll::Ready(Ok(Some(bytes)))
    }
}

/// At least a byte of a file, and at most so many.
fn read(mut file: File, most: usize) -> io::Result<Chunk> {
    let mut bytes = vec![0; most];
    let count = loop {
        match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if count == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"));
    }
    bytes.truncate(count);
    Ok((file, bytes))
}

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let frame = |bytes: Vec<u8>| Frame::data(Bytes::from(bytes));
        self.get_mut().poll_chunk(context).map(|chunk| chunk.transpose().map(|chunk| chunk.map(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

impl IntoResponse for FileBody {
    fn into_response(self) -> Response {
        let kind = HeaderValue::from_static("application/octet-stream");
        ([(header::CONTENT_TYPE, kind)], Body::new(self)).into_response()
    }
}
