//! Servers that lie: each request is answered as a test says.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

/// A server that answers each request, given its method, path and body, as a function says. It gives no answer for `None` and keeps the
/// connection open.
pub(crate) struct Lying {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Lying {
    pub(crate) fn start(answer: impl Fn(&str, &[u8]) -> Option<Vec<u8>> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let lines = asked.clone();
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some((request, body)) = request(&mut stream) else { continue };
                lines.lock().unwrap().push(request.clone());
                match answer(&request, &body) {
                    // The client may have read enough.
                    Some(says) => _ = stream.write_all(&says),
                    None => kept.push(stream),
                }
            }
        });
        Self { url, asked }
    }

    /// The methods and paths of the requests that contain a text.
    pub(crate) fn asked(&self, part: &str) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|line| line.contains(part)).cloned().collect()
    }
}

/// Method and path of a request, and its body.
fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let header = |name: &str| {
        let line = head.lines().find(|line| line.to_lowercase().starts_with(name));
        line.map(|line| line[name.len()..].trim().to_owned())
    };
    let length = header("content-length:").map_or(0, |length| length.parse().unwrap());
    if header("expect:").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let request = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    Some((request, body))
}

/// An answer, as a function of requests returns it.
#[expect(clippy::unnecessary_wraps, reason = "such functions return nothing to end a connection")]
pub(crate) fn answer(status: u16, body: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    Some([head.as_bytes(), body].concat())
}

/// A job of the plan `plan` in some state, as a server describes it.
pub(crate) fn job(state: &Value) -> Value {
    let mut job = json!({
        "id": "0".repeat(32), "plan": "0".repeat(64), "keys": "0".repeat(64), "inputs": "0".repeat(64),
        "attempts": 1, "predicted_s": 1.0, "low_memory": false, "submitted_unix_s": 1, "started_unix_s": 1,
        "ended_unix_s": null, "expires_unix_s": null
    });
    job.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
    job
}

/// A server that takes plan, keys and inputs as an honest one does, and answers what else it's asked about jobs as a function says.
pub(crate) fn until_the_job(
    of_job: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static,
) -> impl Fn(&str, &[u8]) -> Option<Vec<u8>> + Send + 'static {
    move |request, body| {
        if request.starts_with("GET /v1/plans/") {
            return answer(200, "a plan");
        }
        if request == "POST /v1/uploads" {
            let mut content: Value = serde_json::from_slice(body).unwrap();
            content["key"] = json!("k");
            content["expires_unix_s"] = json!(1);
            return answer(200, json!({ "complete": content }).to_string());
        }
        of_job(request)
    }
}
