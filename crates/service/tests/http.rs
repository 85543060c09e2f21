//! The service over HTTP: right requests, wrong ones, and what stays of interrupted ones.

use std::{io::Write, path::Path, sync::Arc, thread::JoinHandle, time::Duration};

use asanoha_http::{BearerToken, Endpoint, HttpError, Kind, Refusal};
use asanoha_service::{
    Announcement, Begun, ContentKind, Digest, JobState, JobView, Limits, RequestError, Store, UploadView,
    http::{FetchLimits, Page, RemoteClient, RemoteError, Server, ServerSettings},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::common::{Fixture, OTHER, SMALL, Service, client};

/// A server that runs.
pub(crate) struct Running {
    pub(crate) service: Service,
    pub(crate) url: String,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), HttpError>>,
}

impl Running {
    pub(crate) fn start(service: Service) -> Self {
        Self::start_with(service, None)
    }

    pub(crate) fn start_with(service: Service, page: Option<Page>) -> Self {
        let settings = ServerSettings {
            listen: ([127, 0, 0, 1], 0).into(),
            identity: None,
            threads: 2,
            limits: ServerSettings::limits(),
            grace: Duration::from_secs(20),
            page,
        };
        let server = Server::bind(Arc::clone(&service.store), settings).unwrap();
        let url = server.url();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || server.run(async { _ = stopped.await }));
        Self { service, url, stop, thread }
    }

    pub(crate) fn token(&self, name: &str) -> BearerToken {
        let (_, secret) = self.service.store.tokens().create(&client(name), None).unwrap();
        BearerToken::new(secret.expose()).unwrap()
    }

    pub(crate) fn endpoint(&self, name: &str) -> Endpoint {
        Endpoint::new(&self.url, None).unwrap().with_token(self.token(name))
    }

    pub(crate) fn remote(&self, name: &str) -> RemoteClient {
        RemoteClient::new(self.endpoint(name), Duration::from_mins(1)).with_pause(|_| ())
    }

    pub(crate) fn stop(self) -> Service {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
        self.service
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, HttpError>) -> (u16, Refusal) {
    match result.unwrap_err() {
        HttpError::Refused { status, refusal, .. } => (status, refusal),
        other => panic!("{other}"),
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    blake3::hash(bytes).into()
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Sends both files of a plan and submits a job.
pub(crate) fn submit(remote: &RemoteClient, fixture: &Fixture, key: &str) -> JobView {
    let folder = tempfile::tempdir().unwrap();
    for kind in [ContentKind::Keys, ContentKind::Inputs] {
        let path = file(folder.path(), "file", fixture.file(kind));
        remote.send(kind, fixture.digest, &path, &|_, _| ()).unwrap();
    }
    remote.submit(&fixture.submission(), &key.parse().unwrap()).unwrap()
}

/// More than these tests take.
pub(crate) const LIMITS: FetchLimits = FetchLimits { bytes: 1 << 30, time: Duration::from_mins(10) };

pub(crate) fn fetch(remote: &RemoteClient, job: &JobView) -> Vec<u8> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_owned();
    remote.fetch(&job.id, (file.as_file_mut(), &path), LIMITS, (&|_| (), &|_, _| ())).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn jobs_are_submitted_once_and_give_the_bytes_of_an_evaluation_here() {
    let running = Running::start(Service::new(Limits::default()));
    let [alice, bob] = ["alice", "bob"].map(|name| running.remote(name));
    let job = submit(&alice, &SMALL, "order 7");
    assert_eq!(submit(&alice, &SMALL, "order 7").id, job.id);
    assert_ne!(submit(&alice, &SMALL, "order 8").id, job.id);
    assert_eq!(fetch(&alice, &job), SMALL.results);
    assert_eq!(fetch(&bob, &submit(&bob, &OTHER, "order 7")), OTHER.results);
    // What the server holds isn't sent again.
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "keys", &SMALL.keys);
    let sent = alice.send(ContentKind::Keys, SMALL.digest, &path, &|_, _| ()).unwrap();
    assert_eq!((sent.sent_bytes, sent.content.bytes), (0, SMALL.keys.len() as u64));
    // And is nobody else's.
    let sent = bob.send(ContentKind::Keys, SMALL.digest, &path, &|_, _| ()).unwrap();
    assert_eq!(sent.sent_bytes, SMALL.keys.len() as u64);
    assert_eq!(alice.plan(&SMALL.digest).unwrap(), SMALL.plan.to_json().into_bytes());
    running.stop();
}

#[test]
fn an_upload_goes_on_where_it_broke_off() {
    let running = Running::start(Service::new(Limits::default()));
    let endpoint = running.endpoint("alice");
    let keys = &SMALL.keys;
    let announced = Announcement {
        kind: ContentKind::Keys,
        plan: SMALL.digest,
        digest: digest(keys),
        bytes: keys.len() as u64,
    };
    let begun = endpoint.post("/v1/uploads").send_json(&announced).unwrap().json().unwrap();
    let Begun::Upload(UploadView { id, stored_bytes: 0, .. }) = begun else { panic!("{begun:?}") };
    let part = keys.len() / 3;
    let path = format!("/v1/uploads/{id}");
    let answer = endpoint.put(&path).send(&keys[..part]).unwrap();
    assert_eq!(answer.status(), 200);
    let view: UploadView = answer.json().unwrap();
    assert_eq!(view.stored_bytes, part as u64);
    // Again from the beginning, beyond what is stored, and too many.
    for (offset, bytes) in [(0, &keys[..part]), (part + 1, &keys[part + 1..])] {
        let (status, refused) = refusal(endpoint.put(&format!("{path}?offset={offset}")).send(bytes));
        assert_eq!((status, refused.kind), (409, Kind::Conflict));
        assert!(refused.message.contains(&format!("send those from {part} on")), "{refused:?}");
    }
    let (status, _) = refusal(endpoint.put(&format!("{path}?offset={part}")).send(keys));
    assert_eq!(status, 413);
    let (status, _) = refusal(endpoint.put(&format!("{path}?offset=x")).send(&keys[part..]));
    assert_eq!(status, 400);
    assert_eq!(refusal(running.endpoint("bob").get(&path).call()).0, 404);
    // The client finds out itself what is missing.
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), "keys", keys);
    let sent = running.remote("alice").send(ContentKind::Keys, SMALL.digest, &file, &|_, _| ()).unwrap();
    assert_eq!(sent.sent_bytes, (keys.len() - part) as u64);
    running.stop();
}

#[test]
fn what_is_sent_is_checked_before_it_counts() {
    let running = Running::start(Service::new(Limits::default()));
    let remote = running.remote("alice");
    let folder = tempfile::tempdir().unwrap();
    let send = |kind, plan, bytes: &[u8]| {
        let path = file(folder.path(), "file", bytes);
        match remote.send(kind, plan, &path, &|_, _| ()) {
            Err(RemoteError::Http(error)) => refusal::<()>(Err(error)),
            other => panic!("{other:?}"),
        }
    };
    let mut altered = SMALL.keys.clone();
    *altered.last_mut().unwrap() ^= 1;
    let cases: [(ContentKind, Digest, &[u8], u16, &str); 7] = [
        (ContentKind::Keys, SMALL.digest, b"garbage", 400, "can't be used"),
        (ContentKind::Keys, SMALL.digest, &altered, 400, "can't be used"),
        (ContentKind::Keys, SMALL.digest, &SMALL.keys[..1000], 400, "can't be used"),
        (ContentKind::Keys, SMALL.digest, &SMALL.inputs, 400, "can't be used"),
        (ContentKind::Inputs, SMALL.digest, &SMALL.keys, 400, "can't be used"),
        (ContentKind::Inputs, digest(b"another plan"), &SMALL.inputs, 404, "no plan"),
        (ContentKind::Inputs, SMALL.digest, b"", 400, "no bytes"),
    ];
    for (kind, plan, bytes, status, says) in cases {
        let (found, refused) = send(kind, plan, bytes);
        assert_eq!(found, status, "{refused:?}");
        assert!(refused.message.contains(says) && !refused.message.contains("/tmp"), "{refused:?}");
    }
    // Another client's keys fit no inputs of this one.
    let job = submit(&remote, &SMALL, "a");
    let foreign = Fixture::new(SMALL.plan.clone(), &mut asanoha_ring::Sampler::from_os());
    let path = file(folder.path(), "inputs", &foreign.inputs);
    remote.send(ContentKind::Inputs, SMALL.digest, &path, &|_, _| ()).unwrap();
    let mixed = asanoha_service::Submission { inputs: digest(&foreign.inputs), ..SMALL.submission() };
    let Err(RemoteError::Http(error)) = remote.submit(&mixed, &"b".parse().unwrap()) else { panic!() };
    assert_eq!(refusal::<()>(Err(error)).0, 400);
    assert_eq!(fetch(&remote, &job), SMALL.results);
    running.stop();
}

#[test]
fn tokens_are_needed_and_clients_see_their_own_only() {
    let running = Running::start(Service::new(Limits::default()));
    let job = submit(&running.remote("alice"), &SMALL, "a");
    let paths = [
        format!("/v1/jobs/{}", job.id),
        format!("/v1/jobs/{}/results", job.id),
        format!("/v1/plans/{}/keys/{}", SMALL.digest, digest(&SMALL.keys)),
        format!("/v1/plans/{}", SMALL.digest),
        "/v1/plans".to_owned(),
    ];
    let nobody = Endpoint::new(&running.url, None).unwrap();
    let guess = BearerToken::new(&format!("asanoha_{}", "0".repeat(64))).unwrap();
    let stranger = Endpoint::new(&running.url, None).unwrap().with_token(guess);
    let bob = running.endpoint("bob");
    for path in &paths {
        for endpoint in [&nobody, &stranger] {
            let (status, refused) = refusal(endpoint.get(path).call());
            assert_eq!((status, refused.kind), (401, Kind::Unauthorized), "{path}");
        }
    }
    for path in &paths[..3] {
        assert_eq!(refusal(bob.get(path).call()).0, 404, "{path}");
        if !path.ends_with("results") {
            assert_eq!(refusal(bob.delete(path).call()).0, 404, "{path}");
        }
    }
    assert_eq!(refusal(bob.post(&format!("{}/cancel", paths[0])).call()).0, 404);
    // An expired one.
    let hour = Duration::from_hours(1);
    let (_, secret) = running.service.store.tokens().create(&client("alice"), Some(hour)).unwrap();
    let late = BearerToken::new(secret.expose()).unwrap();
    running.service.now.fetch_add(3600, std::sync::atomic::Ordering::Relaxed);
    let late = Endpoint::new(&running.url, None).unwrap().with_token(late);
    let (status, refused) = refusal(late.get(&paths[0]).call());
    assert!(status == 401 && refused.message.contains("expired"), "{refused:?}");
    running.stop();
}

#[test]
fn files_and_jobs_are_not_listed_and_requests_that_are_none_are_refused() {
    let running = Running::start(Service::new(Limits::default()));
    let endpoint = running.endpoint("alice");
    for path in [
        "/",
        "/v1",
        "/v1/plans/",
        "/v1/jobs/..",
        "/../etc/passwd",
        "/v1/plans/%2e%2e/keys",
        "/page/index.html",
    ] {
        let (status, refused) = refusal(endpoint.get(path).call());
        assert!((400..405).contains(&status), "{path}: {refused:?}");
    }
    for path in ["/v1/jobs", "/v1/uploads"] {
        assert_eq!(refusal(endpoint.get(path).call()).0, 405, "{path}");
    }
    for path in ["/v1/jobs/xyz", "/v1/uploads/00", "/v1/plans/nothing"] {
        assert_eq!(refusal(endpoint.get(path).call()).0, 400, "{path}");
    }
    let unknown = "00".repeat(16);
    assert_eq!(refusal(endpoint.get(&format!("/v1/jobs/{unknown}")).call()).0, 404);
    let (status, _) =
        refusal(endpoint.get(&format!("/v1/plans/{}/secrets/{}", SMALL.digest, SMALL.digest)).call());
    assert_eq!(status, 404);
    let bodies: [&[u8]; 6] = [b"", b"{", b"[]", b"{\"plan\":1}", b"\xff\xfe", &[b' '; 5000]];
    for path in ["/v1/jobs", "/v1/uploads"] {
        for body in bodies {
            let (status, refused) = refusal(endpoint.post(path).send(body));
            assert!(status == if body.len() == 5000 { 413 } else { 400 }, "{path}: {refused:?}");
        }
    }
    let mut more = serde_json::to_value(SMALL.submission()).unwrap();
    more["priority"] = 1.into();
    assert_eq!(refusal(endpoint.post("/v1/jobs").send_json(&more)).0, 400);
    let (status, refused) = refusal(endpoint.post("/v1/jobs").send_json(&SMALL.submission()));
    assert!(status == 404 && refused.message.contains("send them"), "{refused:?}");
    running.stop();
}

#[test]
fn the_document_has_every_route_and_each_is_served() {
    let running = Running::start(Service::new(Limits::default()));
    let endpoint = running.endpoint("alice");
    let document: Value = endpoint.get("/v1/openapi.json").call().unwrap().json().unwrap();
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations += 1;
            let names = operation["parameters"].as_array().unwrap();
            let in_path = names.iter().filter(|parameter| parameter["in"] == "path");
            assert_eq!(in_path.count(), path.matches('{').count(), "{path}");
            let path = path.replace("{kind}", "keys");
            let path = path.replace("{upload}", &"0".repeat(32)).replace("{job}", &"0".repeat(32));
            let path = path.replace("{plan}", &"0".repeat(64)).replace("{digest}", &"0".repeat(64));
            let exchange = match &**method {
                "get" => endpoint.get(&path),
                "put" => endpoint.put(&path),
                "post" => endpoint.post(&path),
                "delete" => endpoint.delete(&path),
                other => panic!("{other}"),
            };
            match exchange.call() {
                Ok(answer) => {
                    assert!(
                        !operation["responses"][answer.status().to_string()].is_null(),
                        "{method} {path}"
                    );
                }
                Err(HttpError::Refused { status, refusal, .. }) => {
                    assert_ne!(refusal.kind, Kind::UnknownPath, "{method} {path}");
                    assert!(
                        !operation["responses"][status.to_string()].is_null(),
                        "{method} {path}: {status}"
                    );
                }
                Err(other) => panic!("{method} {path}: {other}"),
            }
            let has_token = operation["security"] != json!([]);
            let nobody = Endpoint::new(&running.url, None).unwrap();
            let open = ["/healthz", "/metrics", "/v1/openapi.json"].contains(&&*path);
            assert_eq!(has_token, !open, "{path}");
            if has_token && method == "get" {
                assert_eq!(refusal(nobody.get(&path).call()).0, 401);
            }
        }
    }
    assert_eq!(operations, 16);
    let text = document.to_string();
    for reference in text.split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
    running.stop();
}

#[test]
fn every_object_has_the_keys_of_the_document() {
    let running = Running::start(Service::new(Limits::default()));
    let endpoint = running.endpoint("alice");
    let document: Value = endpoint.get("/v1/openapi.json").call().unwrap().json().unwrap();
    let check = |name: &str, object: &Value| {
        let schema = &document["components"]["schemas"][name];
        for (key, value) in object.as_object().unwrap() {
            assert!(value.is_null() || !schema["properties"][key].is_null(), "{name} has no {key}: {object}");
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(!object[key.as_str().unwrap()].is_null(), "{name} lacks {key}: {object}");
        }
    };
    let remote = running.remote("alice");
    let job = submit(&remote, &SMALL, "a");
    fetch(&remote, &job);
    let get = |path: &str| -> Value { endpoint.get(path).call().unwrap().json().unwrap() };
    check("Job", &get(&format!("/v1/jobs/{}", job.id)));
    let plans = get("/v1/plans");
    assert_eq!(serde_json::to_value(remote.plans().unwrap()).unwrap(), plans["plans"]);
    check("Plans", &plans);
    assert_eq!(plans["plans"].as_array().unwrap().len(), 2);
    for plan in plans["plans"].as_array().unwrap() {
        check("PlanView", plan);
        let bytes = endpoint.get(&format!("/v1/plans/{}", plan["digest"].as_str().unwrap())).call().unwrap();
        assert_eq!(plan["bytes"], bytes.bytes(1 << 20).unwrap().len());
    }
    check("Content", &get(&format!("/v1/plans/{}/keys/{}", SMALL.digest, digest(&SMALL.keys))));
    let announced = json!({ "kind": "keys", "plan": OTHER.digest, "digest": digest(&OTHER.keys), "bytes": OTHER.keys.len() });
    check("Announcement", &announced);
    let begun: Value = endpoint.post("/v1/uploads").send_json(&announced).unwrap().json().unwrap();
    check("Begun", &begun);
    check("Upload", &begun["upload"]);
    check("Submission", &serde_json::to_value(SMALL.submission()).unwrap());
    check("Refusal", &serde_json::to_value(refusal(endpoint.get("/v1/jobs/0").call()).1).unwrap());
    running.stop();
}

#[test]
fn a_full_queue_says_when_to_come_again_and_cancelled_jobs_have_no_results() {
    let service = Service::new(Limits { client_queue: 0, ..Limits::default() });
    service.send_all("alice", &SMALL);
    let running = Running::start(service);
    let (status, refused) =
        refusal(running.endpoint("alice").post("/v1/jobs").send_json(&SMALL.submission()));
    assert_eq!((status, refused.kind), (429, Kind::TooMany));
    assert!(refused.retry_after_s.is_some(), "{refused:?}");
    running.stop();

    // Nobody computes them before the server starts.
    let service = Service::new(Limits { client_queue: 2, ..Limits::default() });
    service.send_all("alice", &SMALL);
    let ids = ["a", "b"].map(|key| service.submit("alice", key).unwrap().id);
    assert!(matches!(service.submit("alice", "c"), Err(RequestError::QueueFull { .. })));
    let running = Running::start(service);
    let endpoint = running.endpoint("alice");
    for id in ids {
        let job: JobView = endpoint.get(&format!("/v1/jobs/{id}?wait=30")).call().unwrap().json().unwrap();
        assert!(matches!(job.state, JobState::Done { .. }), "{job:?}");
        // It has ended: it isn't cancelled any more.
        let same: JobView = endpoint.post(&format!("/v1/jobs/{id}/cancel")).call().unwrap().json().unwrap();
        assert_eq!(same.state, job.state);
        endpoint.delete(&format!("/v1/jobs/{id}")).call().unwrap();
        assert_eq!(refusal(endpoint.get(&format!("/v1/jobs/{id}")).call()).0, 404);
    }
    running.stop();
}

#[test]
fn results_are_fetched_from_any_place_on() {
    let running = Running::start(Service::new(Limits::default()));
    let remote = running.remote("alice");
    let job = submit(&remote, &SMALL, "a");
    fetch(&remote, &job);
    let endpoint = running.endpoint("alice");
    let length = SMALL.results.len();
    for offset in [0, 1, length / 2, length - 1, length] {
        let path = format!("/v1/jobs/{}/results?offset={offset}", job.id);
        let answer = endpoint.get(&path).call().unwrap();
        assert_eq!(answer.length(), Some((length - offset) as u64));
        assert_eq!(answer.bytes(1 << 30).unwrap(), SMALL.results[offset..]);
    }
    for offset in [length as u64 + 1, u64::MAX] {
        assert_eq!(
            refusal(endpoint.get(&format!("/v1/jobs/{}/results?offset={offset}", job.id)).call()).0,
            400
        );
    }
    running.stop();
}

#[test]
fn health_and_metrics_name_nobody() {
    let running = Running::start(Service::new(Limits::default()));
    fetch(&running.remote("alice"), &submit(&running.remote("alice"), &SMALL, "order 7"));
    let nobody = Endpoint::new(&running.url, None).unwrap();
    assert_eq!(nobody.get("/healthz").call().unwrap().bytes(9).unwrap(), b"ok\n");
    let text = nobody.get("/metrics").call().unwrap().bytes(1 << 20).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("\nasanoha_jobs_done_total 1\n") && !text.contains("alice"), "{text}");
    running.stop();
}

/// A server whose answers break off or lie.
pub(crate) fn liar(says: Vec<Vec<u8>>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (stream, says) in listener.incoming().zip(says) {
            let (mut stream, mut head) = (stream.unwrap(), Vec::new());
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if std::io::Read::read_exact(&mut stream, &mut byte).is_err() {
                    return;
                }
                head.extend(byte);
            }
            _ = stream.write_all(&says);
        }
    });
    url
}

fn reply(length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn results_of_a_server_that_breaks_off_are_continued_and_those_of_one_that_lies_are_refused() {
    let job = |bytes: usize, results: &[u8]| {
        let job = json!({
            "id": "0".repeat(32), "plan": SMALL.digest, "keys": digest(&SMALL.keys), "inputs": digest(&SMALL.inputs),
            "state": "done", "bytes": bytes, "digest": digest(results), "seconds": 1.0, "attempts": 1,
            "predicted_s": 1.0, "low_memory": false, "submitted_unix_s": 1, "started_unix_s": 1, "ended_unix_s": 2,
            "expires_unix_s": 3
        });
        let text = job.to_string();
        reply(text.len(), text.as_bytes())
    };
    let results = &SMALL.results;
    let token = || BearerToken::new("asanoha_0").unwrap();
    let fetch = |says: Vec<Vec<u8>>| {
        let endpoint = Endpoint::new(&liar(says), None).unwrap().with_token(token());
        let remote = RemoteClient::new(endpoint, Duration::from_mins(1)).with_pause(|_| ());
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_owned();
        let id = "0".repeat(32).parse().unwrap();
        let fetched = remote.fetch(&id, (file.as_file_mut(), &path), LIMITS, (&|_| (), &|_, _| ()));
        fetched.map(|_| std::fs::read(path).unwrap())
    };
    let length = results.len();
    let half = length / 2;
    // The first answer ends in the middle, and the second begins there.
    let broken =
        vec![job(length, results), reply(length, &results[..half]), reply(length - half, &results[half..])];
    assert_eq!(fetch(broken).unwrap(), *results);
    let mut altered = results.clone();
    altered[half] ^= 1;
    let lie = fetch(vec![job(length, results), reply(length, &altered)]).unwrap_err();
    assert!(matches!(lie, RemoteError::Damaged { .. }), "{lie}");
    let lie = fetch(vec![job(usize::MAX / 2, results)]).unwrap_err();
    assert!(lie.to_string().contains("more results"), "{lie}");
    let short = fetch(vec![job(length, results), reply(half, &results[..half])]).unwrap_err();
    assert!(matches!(short, RemoteError::Damaged { .. }), "{short}");
}

#[test]
fn a_stopped_server_finishes_and_the_next_one_goes_on() {
    let running = Running::start(Service::new(Limits::default()));
    let jobs: Vec<JobView> =
        (0..6).map(|at| submit(&running.remote("alice"), &SMALL, &format!("job {at}"))).collect();
    let service = running.stop();
    let ended = |store: &Store| {
        jobs.iter().filter(|job| store.job(&client("alice"), job.id).unwrap().is_over()).count()
    };
    let before = ended(&service.store);
    let folder = crate::common::copy(service.folder.path());
    let running = Running::start(service.reopened(folder));
    assert!(ended(&running.service.store) >= before);
    for job in &jobs {
        assert_eq!(fetch(&running.remote("alice"), job), SMALL.results);
    }
    running.stop();
}
