//! Servers that lie to their clients: no client panics, waits for ever, takes more than the plan gives, or believes what it didn't send.

use std::{
    io::{Cursor, Read, Write},
    net::TcpListener,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use asanoha_http::{Endpoint, HttpError};
use asanoha_runtime::text::is_steering;
use asanoha_service::{
    ContentKind, JobId, JobState,
    http::{FetchLimits, RemoteClient, RemoteError, Sent},
};
use serde_json::{Value, json};

use crate::{
    common::{OTHER, SMALL},
    http::digest,
};

/// A server that answers each request, given its number and its first line, as a function says; its URL, and the first lines so far.
fn lying(
    mut answer: impl FnMut(usize, &str) -> Vec<u8> + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let lines = asked.clone();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (mut stream, mut head) = (stream.unwrap(), Vec::new());
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read_exact(&mut byte).is_err() {
                    return;
                }
                head.extend(byte);
            }
            let head = String::from_utf8(head).unwrap();
            let line = head.lines().next().unwrap().to_owned();
            let says = answer(number, &line);
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            // The client may have read enough.
            _ = stream.write_all(&says);
        }
    });
    (url, asked)
}

fn status(status: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").into_bytes()
}

fn ok(body: &Value) -> Vec<u8> {
    status("200 OK", body)
}

fn busy(retry_after_s: u64) -> Vec<u8> {
    status(
        "503 Service Unavailable",
        &json!({ "kind": "busy", "message": "later", "retry_after_s": retry_after_s }),
    )
}

/// A client whose pauses take no time.
fn remote(url: &str, patience: Duration) -> RemoteClient {
    RemoteClient::new(Endpoint::new(url, None).unwrap(), patience).with_pause(|_| ())
}

fn job_id() -> JobId {
    "0".repeat(32).parse().unwrap()
}

/// A job in some state.
fn job(state: &Value) -> Value {
    let mut job = json!({
        "id": "0".repeat(32), "plan": SMALL.digest, "keys": digest(&SMALL.keys), "inputs": digest(&SMALL.inputs),
        "attempts": 1, "predicted_s": 1.0, "low_memory": false, "submitted_unix_s": 1, "started_unix_s": 1,
        "ended_unix_s": null, "expires_unix_s": null
    });
    job.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
    job
}

/// The milliseconds of all pauses of one test.
static PAUSED_MS: AtomicU64 = AtomicU64::new(0);

#[test]
fn waits_of_nearly_two_to_the_64_seconds_neither_overflow_nor_last_longer_than_a_day() {
    let bytes = SMALL.plan.to_json().into_bytes();
    for first in [1, 86_399] {
        let body = bytes.clone();
        let (url, asked) = lying(move |number, _| match number {
            0 => busy(first),
            1 => busy(u64::MAX),
            2 => busy(u64::MAX - first),
            _ => [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &body[..]].concat(),
        });
        PAUSED_MS.store(0, Ordering::Relaxed);
        let endless = RemoteClient::new(Endpoint::new(&url, None).unwrap(), Duration::MAX);
        let pause = |time: Duration| _ = PAUSED_MS.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
        assert_eq!(endless.with_pause(pause).plan(&SMALL.digest).unwrap(), bytes);
        assert_eq!(PAUSED_MS.load(Ordering::Relaxed), 1000 * (first + 2 * 86_400));
        assert_eq!(asked.lock().unwrap().len(), 4);
    }
    // A client of some patience waits no longer than that.
    let (url, asked) = lying(|number, _| busy(if number == 0 { 7 } else { u64::MAX }));
    let error = remote(&url, Duration::from_mins(1)).plan(&SMALL.digest).unwrap_err();
    assert!(matches!(error, RemoteError::Http(HttpError::Refused { status: 503, .. })), "{error}");
    assert_eq!(asked.lock().unwrap().len(), 2);
    // One that wants to be asked again at once isn't: twice a second at most.
    let (url, asked) = lying(|_, _| busy(0));
    remote(&url, Duration::from_mins(1)).plan(&SMALL.digest).unwrap_err();
    assert!(asked.lock().unwrap().len() <= 121);
}

/// Sends the keys to a server that answers the announcement and then the bytes.
fn send(begun: Value, content: Value) -> (Result<Sent, RemoteError>, Vec<String>) {
    let (url, asked) = lying(move |number, _| ok(if number == 0 { &begun } else { &content }));
    let keys = (Cursor::new(&SMALL.keys), Path::new("keys"));
    let sent =
        remote(&url, Duration::from_mins(1)).send_from(ContentKind::Keys, SMALL.digest, keys, &|_, _| ());
    let asked = asked.lock().unwrap().clone();
    (sent, asked)
}

#[test]
fn a_server_that_states_another_upload_than_was_sent_is_refused() {
    let bytes = SMALL.keys.len() as u64;
    let content = |change: Value| {
        let mut content = json!({
            "kind": "keys", "plan": SMALL.digest, "digest": digest(&SMALL.keys), "bytes": bytes, "key": "k",
            "expires_unix_s": 1
        });
        content.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        content
    };
    let upload = |stored: u64, bytes: u64| json!({ "upload": { "id": "0".repeat(32), "stored_bytes": stored, "bytes": bytes } });
    let right = || content(json!({}));
    // Right answers are taken.
    for begun in [upload(0, bytes), upload(bytes - 3, bytes), json!({ "complete": right() })] {
        let (sent, _) = send(begun, right());
        assert_eq!(sent.unwrap().content.digest, digest(&SMALL.keys));
    }
    for (stored, of) in [
        (bytes + 1, bytes),
        (u64::MAX, bytes),
        (0, bytes - 1),
        (0, bytes + 1),
        (7, 7),
        (bytes + 1, bytes + 1),
        (u64::MAX, u64::MAX),
    ] {
        let (sent, asked) = send(upload(stored, of), right());
        let error = sent.unwrap_err().to_string();
        assert!(error.contains("holds more of an upload than was sent"), "{error}");
        // No byte is sent.
        assert_eq!(asked.len(), 1, "{asked:?}");
    }
    for change in [
        json!({ "bytes": bytes - 1 }),
        json!({ "bytes": bytes + 1 }),
        json!({ "bytes": 0 }),
        json!({ "digest": digest(&OTHER.keys) }),
        json!({ "plan": OTHER.digest }),
        json!({ "kind": "inputs" }),
    ] {
        for begun in [json!({ "complete": content(change.clone()) }), upload(bytes - 1, bytes)] {
            let (sent, _) = send(begun, content(change.clone()));
            let error = sent.unwrap_err().to_string();
            assert!(error.contains("another file than the one that was sent"), "{change}: {error}");
        }
    }
}

#[test]
fn a_job_that_never_ends_is_asked_for_seldom_and_given_up() {
    let running = json!({ "state": "running", "fraction": 0.5, "remaining_s": 1.0, "is_cancelled": false });
    let waiting = json!({ "state": "waiting", "ahead": 1, "wait_s": 1.0 });
    for (state, seconds) in [(running, 60), (waiting, 7)] {
        let says = job(&state);
        // It doesn't wait as it is asked to.
        let (url, asked) = lying(move |_, _| ok(&says));
        let client = remote(&url, Duration::from_hours(1));
        let limits = FetchLimits { bytes: 1 << 20, time: Duration::from_secs(seconds) };
        let mut file = Cursor::new(Vec::new());
        let place = (&mut file, Path::new("results"));
        let error = client.fetch(&job_id(), place, limits, (&|_| (), &|_, _| ())).unwrap_err();
        assert!(matches!(error, RemoteError::TooLong { seconds: found, .. } if found == seconds), "{error}");
        // One request every two seconds, and the first.
        assert_eq!(asked.lock().unwrap().len() as u64, 1 + seconds.div_ceil(2));
    }
    let says = job(&json!({ "state": "waiting", "ahead": 1, "wait_s": 1.0 }));
    let (url, asked) = lying(move |_, _| ok(&says));
    let error = remote(&url, Duration::ZERO).wait(&job_id(), Duration::ZERO, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("has not ended after 0 s and goes on"), "{error}");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn no_more_results_are_taken_than_the_plan_gives() {
    let limit = SMALL.plan.most_result_bytes();
    assert!(SMALL.results.len() as u64 <= limit);
    let fetch = |stated: u64, sent: usize| {
        let done = job(
            &json!({ "state": "done", "bytes": stated, "digest": digest(&SMALL.results), "seconds": 1.0 }),
        );
        let (url, asked) = lying(move |_, line| {
            if line.contains("/results") {
                // Without a length, as one that says less than it sends.
                [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec(), vec![7; sent]].concat()
            } else {
                ok(&done)
            }
        });
        let mut file = Cursor::new(Vec::new());
        let limits = FetchLimits { bytes: limit, time: Duration::from_mins(1) };
        let place = (&mut file, Path::new("results"));
        let error = remote(&url, Duration::from_mins(1))
            .fetch(&job_id(), place, limits, (&|_| (), &|_, _| ()))
            .unwrap_err();
        let asked = asked.lock().unwrap().len();
        (error, file.into_inner().len(), asked)
    };
    for stated in [limit + 1, 1 << 40, u64::MAX] {
        let (error, written, asked) = fetch(stated, 100);
        assert!(error.to_string().contains("more results than such a plan gives"), "{error}");
        assert_eq!((written, asked), (0, 1));
    }
    // More than it says.
    let (error, written, asked) = fetch(1000, 3 << 20);
    assert!(error.to_string().contains("is longer than it may be"), "{error}");
    assert!(written <= 1000 && asked == 2, "{written} bytes, {asked} requests");
    // Other bytes than it says.
    let (error, written, _) = fetch(1000, 1000);
    assert!(matches!(error, RemoteError::Damaged { .. }), "{error}");
    assert_eq!(written, 1000);
}

#[test]
fn what_a_server_says_of_a_job_steers_no_terminal_and_no_progress() {
    let marks = "\u{1b}[31mred\u{202e}\u{2066}\u{200f}\u{61c}\r\n";
    let says = job(&json!({ "state": "failed", "message": marks.repeat(1000) }));
    let (url, _) = lying(move |_, _| ok(&says));
    let client = remote(&url, Duration::from_mins(1));
    let error = client.wait(&job_id(), Duration::from_mins(1), &|_| ()).unwrap_err().to_string();
    assert!(error.contains("[31mred[31mred") && !error.contains(is_steering), "{error:?}");
    let JobState::Failed { message } = client.cancel(&job_id()).unwrap().state else { panic!() };
    assert_eq!(message.len(), 500);
    for (stated, fraction) in [(1e300, 1.0), (-1e300, 0.0), (1.5, 1.0), (0.25, 0.25)] {
        let says = job(
            &json!({ "state": "running", "fraction": stated, "remaining_s": 1.0, "is_cancelled": false }),
        );
        let (url, _) = lying(move |_, _| ok(&says));
        let JobState::Running { fraction: found, .. } =
            remote(&url, Duration::ZERO).job(&job_id(), Duration::ZERO).unwrap().state
        else {
            panic!()
        };
        assert_eq!(found, fraction);
    }
}
