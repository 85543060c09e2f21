//! Attacks of one client on a server and on its other clients.

use std::{
    io::{ErrorKind, Read, Write},
    net::{IpAddr, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use asanoha_http::{ClientAddress, Kind, Limits};

use crate::common::{
    ATTACKER, HEALTH, HONEST, NEVER, Running, TOKEN, await_continue, refused, rest, runtime, upload_head,
    wait_until,
};

/// Whether a server closes a connection on which the same bytes come again and again, before all of them are sent.
fn is_cut_off(mut stream: TcpStream, bytes: &[u8], most: usize, pause: Duration) -> bool {
    let begun = Instant::now();
    for _ in 0..most.div_ceil(bytes.len()) {
        if stream.write_all(bytes).is_err() {
            return true;
        }
        if begun.elapsed() > NEVER {
            return false;
        }
        sleep(pause);
    }
    false
}

/// Whether the server closes a connection without an answer to this.
fn is_closed(mut stream: TcpStream, bytes: &[u8]) -> bool {
    _ = stream.write_all(bytes);
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => said.is_empty(),
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

/// An address of another client.
fn other() -> ClientAddress {
    IpAddr::from([192, 0, 2, 1]).into()
}

const SUM: &[u8] =
    b"POST /sum HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\n[3, 1, 4]";

#[test]
fn slow_uploads_hold_up_nobody() {
    let running = Running::start(Limits::default());
    let mut slow = ["/count", "/count", "/store", "/store"]
        .map(|path| running.send(HONEST, &upload_head(path, 1_000_000)));
    slow.iter_mut().for_each(await_continue);
    slow.iter_mut().for_each(|stream| stream.write_all(b"a part").unwrap());
    running.serves();
    let load = running.admission.load();
    assert_eq!((load.bodies, load.body_bytes), (2, 2_000_000));
    assert_eq!((load.uploads, load.upload_bytes, load.free_turns), (2, 2_000_000, 1));
    drop(slow);
    wait_until(|| running.admission.load().bodies == 0 && running.admission.load().uploads == 0);
    // Nothing is left of those who broke off.
    wait_until(|| running.uploaded_files() == 0);
    running.stop();
}

#[test]
fn slow_bodies_are_refused_and_their_connections_closed() {
    let short = Duration::from_millis(100);
    let running = Running::start(Limits { rate: 1 << 20, window: short, grace: short, ..Limits::default() });
    for path in ["/count", "/store"] {
        let mut silent = running.send(HONEST, &upload_head(path, 1000));
        await_continue(&mut silent);
        let said = rest(silent);
        assert!(said.starts_with("HTTP/1.1 408") && said.contains("too slowly: this server takes"), "{said}");
        assert!(said.contains("connection: close\r\n") && said.contains("\"kind\":\"too_slow\""), "{said}");
        let mut slow = running.send(HONEST, &upload_head(path, 1 << 20));
        await_continue(&mut slow);
        assert!(is_cut_off(slow, b"a", 1 << 20, Duration::from_millis(5)));
    }
    let load = running.admission.load();
    assert_eq!((load.bodies, load.uploads, load.free_turns), (0, 0, 1));
    wait_until(|| running.uploaded_files() == 0);
    running.stop();
}

#[test]
fn heads_that_never_end_are_cut_off() {
    let running = Running::start(Limits { head: Duration::from_millis(300), ..Limits::default() });
    let head = b"GET /health HTTP/1.1\r\n";
    assert!(is_cut_off(running.send(HONEST, head), b"X: a\r\n", 1 << 20, Duration::from_millis(5)));
    running.stop();
    // Fast ones, of one line and of many.
    let running = Running::start(Limits::default());
    for (head, more) in [(&head[..], &b"X: a\r\n"[..]), (b"GET /health HTTP/1.1\r\nX: ", &[b'a'; 1000])] {
        assert!(is_cut_off(running.send(HONEST, head), more, 64 << 20, Duration::ZERO));
    }
    running.serves();
    running.stop();
}

#[test]
fn heads_with_too_many_headers_are_refused() {
    let running = Running::start(Limits::default());
    let says = |headers: usize| {
        // Two are there already.
        let more = "X: a\r\n".repeat(headers - 2);
        running.says(format!("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{more}\r\n").as_bytes())
    };
    assert!(says(Limits::HEADERS).starts_with("HTTP/1.1 200"));
    assert!(says(Limits::HEADERS + 1).starts_with("HTTP/1.1 431"));
    running.stop();
}

#[test]
fn answers_that_nobody_reads_are_cut_off() {
    const BYTES: usize = 64 << 20;
    let limits = Limits {
        rate: 64 << 10,
        window: Duration::from_millis(500),
        grace: Duration::from_millis(100),
        ..Limits::default()
    };
    let running = Running::start(limits);
    let request = format!("GET /large?bytes={BYTES} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let silent = running.send(HONEST, request.as_bytes());
    // Who reads gets all of it, under the same limits.
    assert!(rest(running.send(HONEST, request.as_bytes())).len() > BYTES);
    sleep(Duration::from_secs(3));
    assert!(rest(silent).len() < BYTES);
    running.stop();
}

#[test]
fn who_leaves_while_waiting_leaves_the_line() {
    let running = Running::start(Limits::default());
    let turn = runtime().block_on(running.admission.turn(other())).unwrap();
    let stream = running.send(HONEST, SUM);
    wait_until(|| running.admission.load().waiting == 1);
    drop(stream);
    wait_until(|| running.admission.load().waiting == 0);
    drop(turn);
    running.serves();
    running.stop();
}

#[test]
fn computing_time_that_is_used_up_comes_back_later() {
    let short = Duration::from_nanos(1);
    for (limits, kind, says) in [
        (Limits { client_time: short, ..Limits::default() }, Kind::TooMany, "this client's address has used"),
        (Limits { time: short, ..Limits::default() }, Kind::Busy, "all clients together have used"),
    ] {
        let running = Running::start(limits);
        running.serves();
        let refusal = refused(running.endpoint().post("/sum").send(b"[1]"));
        assert_eq!(refusal.kind, kind);
        assert!(
            refusal.message.starts_with(says) && refusal.message.contains("ask later, in"),
            "{refusal:?}"
        );
        assert_eq!(refusal.retry_after_s, Some(24 * 3600));
        running.stop();
    }
}

#[test]
fn a_panic_in_computing_frees_the_turn() {
    let running = Running::start(Limits::default());
    // The sum is no byte.
    assert_eq!(refused(running.endpoint().post("/sum").send(b"[255, 255]")).kind, Kind::Internal);
    assert_eq!(running.admission.load().free_turns, 1);
    running.serves();
    running.stop();
}

/// Only Linux has the attacker's address.
#[cfg(target_os = "linux")]
#[test]
fn requests_of_one_client_wait_for_those_of_others_and_most_are_refused() {
    let running = Running::start(Limits::default());
    let turn = runtime().block_on(running.admission.turn(other())).unwrap();
    let ended = AtomicUsize::new(0);
    let said: Vec<String> = std::thread::scope(|scope| {
        let ended = &ended;
        let greedy = [(); 12].map(|()| {
            let stream = running.send(ATTACKER, SUM);
            scope.spawn(move || {
                let said = rest(stream);
                ended.fetch_add(1, Ordering::Relaxed);
                said
            })
        });
        let waiting = || running.admission.load().waiting;
        // Four wait, and the others are refused.
        wait_until(|| ended.load(Ordering::Relaxed) == 8 && waiting() == 4);
        let honest = scope.spawn(|| running.serves());
        wait_until(|| waiting() == 5);
        drop(turn);
        honest.join().unwrap();
        greedy.map(|one| one.join().unwrap()).into()
    });
    let of = |status: &str| said.iter().filter(|said| said.starts_with(status)).collect::<Vec<_>>();
    let refused = of("HTTP/1.1 429");
    assert_eq!((of("HTTP/1.1 200").len(), refused.len()), (4, 8), "{said:?}");
    assert!(refused.iter().all(|said| said.contains("retry-after: 10\r\n")), "{refused:?}");
    running.stop();
}

/// Only Linux has the attacker's address.
#[cfg(target_os = "linux")]
#[test]
fn uploads_of_one_client_leave_places_for_others() {
    let limits =
        Limits { client_bodies: 3, client_uploads: 3, client_upload_bytes: 1 << 30, ..Limits::default() };
    let running = Running::start(limits);
    for path in ["/count", "/store"] {
        let mut slow = [(); 3].map(|()| running.send(ATTACKER, &upload_head(path, 1_000_000)));
        slow.iter_mut().for_each(await_continue);
        let said = rest(running.send(ATTACKER, &upload_head(path, 1000)));
        assert!(said.starts_with("HTTP/1.1 429") && said.contains("too many requests at a time"), "{said}");
        running.serves();
        running.endpoint().put(path).send(b"a part").unwrap();
        // Nor may a client's bodies take all memory or storage.
        drop(slow);
        wait_until(|| running.admission.load().bodies == 0 && running.admission.load().uploads == 0);
        let mut large = running.send(ATTACKER, &upload_head(path, 1 << 30));
        await_continue(&mut large);
        let said = rest(running.send(ATTACKER, &upload_head(path, 1000)));
        assert!(said.starts_with("HTTP/1.1 429"), "{said}");
        running.endpoint().put(path).send(b"a part").unwrap();
    }
    running.stop();
}

#[test]
fn connections_are_few_and_end() {
    let running = Running::start(Limits { client_connections: 2, ..Limits::default() });
    let connect = || running.send(HONEST, b"");
    // Once they're answered they have their places.
    let open = [(); 2].map(|()| {
        let mut stream = running.send(HONEST, b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(stream.read(&mut [0; 1]).unwrap() == 1);
        stream
    });
    assert!(is_closed(connect(), HEALTH));
    drop(open);
    while is_closed(connect(), HEALTH) {
        sleep(Duration::from_millis(10));
    }
    assert!(running.says(HEALTH).ends_with("ok"));
    running.stop();

    // In turn: too slow with a head, and at the end of its time in a body.
    let short = Duration::from_millis(200);
    for (limits, sent) in [
        (Limits { head: short, ..Limits::default() }, &b""[..]),
        (Limits { head: short, ..Limits::default() }, b"GET /health HTTP/1.1\r\n"),
        (
            Limits { connection: short, ..Limits::default() },
            b"PUT /count HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
        ),
        (Limits { connections: 0, ..Limits::default() }, HEALTH),
    ] {
        let running = Running::start(limits);
        assert!(is_closed(running.send(HONEST, b""), sent), "{}", String::from_utf8_lossy(sent));
        running.stop();
    }
}

#[test]
fn guesses_and_doubles_of_tokens_are_refused_and_nothing_shows_them() {
    let running = Running::start(Limits { requests: 1, ..Limits::default() });
    let says = |headers: &[String]| {
        let headers = headers.concat();
        running
            .says(format!("GET /secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n").as_bytes())
    };
    let header = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let long = "g".repeat(1000);
    for headers in [
        &[][..],
        &[header("guessed")],
        &[header(TOKEN), header(TOKEN)],
        &[header(TOKEN), header("guessed")],
        &[header(&format!("{TOKEN} guessed"))],
        &[header(&long)],
        &["Authorization: Basic guessed\r\n".to_owned()],
    ] {
        let said = says(headers);
        assert!(said.starts_with("HTTP/1.1 401") && said.contains("www-authenticate: Bearer\r\n"), "{said}");
        assert!(said.contains("\"kind\":\"unauthorized\""), "{said}");
        assert!(!said.contains("guessed") && !said.contains(TOKEN) && !said.contains(&long), "{said}");
    }
    assert!(says(&[header(TOKEN)]).ends_with("known"));
    // The token's requests are counted, whatever its address; this one has others left.
    let said = says(&[header(TOKEN)]);
    assert!(
        said.starts_with("HTTP/1.1 429") && said.contains("this token has used its 1 requests"),
        "{said}"
    );
    running.serves();
    running.stop();
}
