//! The client: calls that are stopped, and connections that break.

use std::{
    io::{Cursor, Write},
    net::{Shutdown, TcpStream},
    path::Path,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use asanoha_http::Endpoint;
use asanoha_service::{
    Begun, ContentKind, Limits, RequestError,
    http::{RemoteClient, RemoteError},
};
use serde_json::{Value, json};

use crate::{
    common::{SMALL, Service, announcement, client},
    http::{LIMITS, Running, digest, fetch, liar, submit},
};

/// Ends the calls of a client that pauses.
static PAUSED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

#[test]
fn a_call_that_is_stopped_ends_wherever_it_is_and_the_next_one_goes_on() {
    let stopped = |error: RemoteError| assert!(matches!(error, RemoteError::Stopped), "{error}");
    // In a pause: nobody answers there.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = Endpoint::new(&format!("http://{nobody}"), None).unwrap();
    let remote =
        RemoteClient::new(endpoint, Duration::MAX).with_pause(|_| PAUSED.store(true, Ordering::Relaxed));
    stopped(remote.with_stop(PAUSED.clone()).plan(&SMALL.digest).unwrap_err());

    let running = Running::start(Service::new(Limits::default()));
    let stop = Arc::new(AtomicBool::new(true));
    let remote = running.remote("alice");
    let stoppable = remote.clone().with_stop(stop.clone());
    // Before it begins.
    stopped(stoppable.plan(&SMALL.digest).unwrap_err());
    // While it sends.
    stop.store(false, Ordering::Relaxed);
    let tell = |done: u64, _| stop.store(done > 0, Ordering::Relaxed);
    let keys = || (Cursor::new(&SMALL.keys), Path::new("keys"));
    stopped(stoppable.send_from(ContentKind::Keys, SMALL.digest, keys(), &tell).unwrap_err());
    let sent = remote.send_from(ContentKind::Keys, SMALL.digest, keys(), &|_, _| ()).unwrap();
    assert!(sent.sent_bytes > 0 && sent.content.bytes == SMALL.keys.len() as u64);
    // While it fetches.
    let job = submit(&remote, &SMALL, "a");
    stop.store(false, Ordering::Relaxed);
    let mut results = Cursor::new(Vec::new());
    let fetched = stoppable.fetch(&job.id, (&mut results, Path::new("results")), LIMITS, (&|_| (), &tell));
    stopped(fetched.unwrap_err());
    assert_eq!(fetch(&remote, &job), SMALL.results);
    running.stop();
}

#[test]
fn an_upload_that_the_server_still_takes_for_busy_is_tried_again() {
    let answer = |status: &str, body: &Value| {
        let body = body.to_string();
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        (head + &body).into_bytes()
    };
    let busy = answer("409 Conflict", &json!({ "kind": "conflict", "message": "another request sends" }));
    let content = json!({
        "kind": "keys", "plan": SMALL.digest, "digest": digest(&SMALL.keys), "bytes": SMALL.keys.len(), "key": "", "expires_unix_s": 1
    });
    let complete = answer("200 OK", &json!({ "complete": content }));
    let send = |says| {
        let endpoint = Endpoint::new(&liar(says), None).unwrap();
        let remote = RemoteClient::new(endpoint, Duration::from_mins(1)).with_pause(|_| ());
        let keys = (Cursor::new(&SMALL.keys), Path::new("keys"));
        remote.send_from(ContentKind::Keys, SMALL.digest, keys, &|_, _| ())
    };
    assert_eq!(send(vec![busy.clone(), busy.clone(), complete]).unwrap().sent_bytes, 0);
    // Elsewhere a conflict is for good.
    let endpoint = Endpoint::new(&liar(vec![busy]), None).unwrap();
    let remote = RemoteClient::new(endpoint, Duration::from_mins(1)).with_pause(|_| ());
    let error = remote.submit(&SMALL.submission(), &"a".parse().unwrap()).unwrap_err();
    assert!(error.to_string().contains("another request sends"), "{error}");
}

#[test]
fn what_is_not_needed_is_removed() {
    let running = Running::start(Service::new(Limits::default()));
    let remote = running.remote("alice");
    let job = submit(&remote, &SMALL, "a");
    fetch(&remote, &job);
    remote.remove_job(&job.id).unwrap();
    remote.remove_content(ContentKind::Inputs, &SMALL.digest, &digest(&SMALL.inputs)).unwrap();
    assert_eq!(running.service.store.metrics().stored_bytes, SMALL.keys.len() as u64);
    let error = remote.remove_job(&job.id).unwrap_err();
    assert!(error.to_string().contains("there is no job"), "{error}");
    running.stop();
}

#[test]
fn what_arrived_before_a_connection_broke_is_not_sent_again() {
    let running = Running::start(Service::new(Limits::default()));
    let token = running.token("alice");
    let announced = announcement(ContentKind::Keys, SMALL.digest, &SMALL.keys);
    let store = &running.service.store;
    let Begun::Upload(begun) = store.begin_upload(&client("alice"), &announced).unwrap() else { panic!() };
    // Much less than is written to the disk at a time.
    let mut stored = 0;
    for count in [1000, 7] {
        let mut stream = TcpStream::connect(running.url.strip_prefix("http://").unwrap()).unwrap();
        let head = format!(
            "PUT /v1/uploads/{}?offset={stored} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
            begun.id,
            token.expose(),
            SMALL.keys.len() - stored
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&SMALL.keys[stored..stored + count]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        // The server answers when it has stored them.
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
        stored += count;
        loop {
            match store.upload(&client("alice"), begun.id) {
                Err(RequestError::UploadBusy(_)) => std::thread::yield_now(),
                view => break assert_eq!(view.unwrap().stored_bytes, stored as u64),
            }
        }
    }
    let keys = (Cursor::new(&SMALL.keys), Path::new("keys"));
    let sent = running.remote("alice").send_from(ContentKind::Keys, SMALL.digest, keys, &|_, _| ()).unwrap();
    assert_eq!(sent.sent_bytes, (SMALL.keys.len() - stored) as u64);
    running.stop();
}
