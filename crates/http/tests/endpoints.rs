//! Clients of servers that answer as they should, lie, or aren't there.

use std::{
    io::Read,
    net::TcpListener,
    time::{Duration, Instant},
};

use asanoha_numeric::text::is_steering;

use asanoha_http::{BearerToken, Endpoint, HttpError, Kind, Limits};

use crate::common::{Running, TOKEN, liar, refused, reply};

#[test]
fn a_token_goes_with_every_request() {
    let running = Running::start(Limits::default());
    let asked = |endpoint: &Endpoint| endpoint.get("/secret").call()?.bytes(9);
    let known = running.endpoint().with_token(BearerToken::new(TOKEN).unwrap());
    assert_eq!([asked(&known).unwrap(), asked(&known).unwrap()], [b"known"; 2]);
    let stranger = running.endpoint().with_token(BearerToken::new("another").unwrap());
    assert_eq!(refused(asked(&stranger)).kind, Kind::Unauthorized);
    assert_eq!(refused(asked(&running.endpoint())).kind, Kind::Unauthorized);
    assert!(!format!("{known:?} {stranger:?}").contains("another"));
    running.stop();
}

#[test]
fn refusals_say_when_to_come_back() {
    let running = Running::start(Limits { requests: 1, ..Limits::default() });
    running.serves();
    let error = running.endpoint().post("/sum").send(b"[1]").unwrap_err();
    assert!(error.retry_after().is_some_and(|wait| wait > Duration::from_mins(59)), "{error}");
    assert!(error.to_string().contains("this client's address has used its 1 requests an hour"), "{error}");
    let error = running.endpoint().get("/nothing").call().unwrap_err();
    assert_eq!((error.retry_after(), refused::<()>(Err(error)).kind), (None, Kind::UnknownPath));
    running.stop();
}

#[test]
fn requests_without_a_body_are_answered_whatever_their_method() {
    let running = Running::start(Limits::default());
    let endpoint = running.endpoint();
    assert_eq!(endpoint.get("/health").call().unwrap().bytes(9).unwrap(), b"ok");
    assert_eq!(endpoint.put("/count").call().unwrap().bytes(9).unwrap(), b"0");
    assert_eq!(refused(endpoint.post("/sum").call()).kind, Kind::Malformed);
    assert_eq!(refused(endpoint.delete("/nothing").call()).kind, Kind::UnknownPath);
    let sum = endpoint.post("/sum").send_json(&[3, 4]).unwrap();
    assert_eq!((sum.status(), sum.bytes(9).unwrap()), (200, b"7".to_vec()));
    running.stop();
}

#[test]
fn what_is_no_server_of_this_kind_is_an_error_and_nothing_of_it_steers_a_terminal() {
    let large = "x".repeat(2 << 20).into_bytes();
    for says in [
        b"\x16\x03\x01 no HTTP".to_vec(),
        Vec::new(),
        reply("302 Found\r\nLocation: http://127.0.0.1:1/", b""),
        reply("500 Oops", b"<html>"),
        reply("404 Not Found", &large),
        reply("404 Not Found", br#"{"kind":"unknown","message":"a\u001b[2Jb"}"#),
        reply("404 Not Found", br#"{"kind":"unknown","message":"a\u202eb\u2066c\u200fd\u061ce\u2028f"}"#),
    ] {
        let endpoint = Endpoint::new(&liar(says), None).unwrap();
        let error = endpoint.get("/").call().unwrap_err().to_string();
        assert!(!error.contains(is_steering), "{error:?}");
    }
    let long = format!(r#"{{"kind":"unknown","message":"{}"}}"#, "x".repeat(10_000));
    let endpoint = Endpoint::new(&liar(reply("404 Not Found", long.as_bytes())), None).unwrap();
    assert_eq!(refused(endpoint.get("/").call()).message.len(), 500);
    let endpoint = Endpoint::new(&liar(reply("200 OK", b"[]")), None).unwrap();
    let answer = endpoint.get("/").call().unwrap().json::<String>();
    assert!(matches!(answer, Err(HttpError::Answer { .. })), "{answer:?}");
}

#[test]
fn a_wait_of_more_than_a_day_is_taken_for_a_day_and_no_body_is_longer_than_it_may_be() {
    for seconds in ["86401", "9223372036854775807", "18446744073709551615"] {
        let says = format!(r#"{{"kind":"busy","message":"later","retry_after_s":{seconds}}}"#);
        let endpoint = Endpoint::new(&liar(reply("503 Busy", says.as_bytes())), None).unwrap();
        let error = endpoint.get("/").call().unwrap_err();
        assert_eq!(error.retry_after(), Some(Duration::from_hours(24)), "{error}");
    }
    for most in [0, 5, 9] {
        let call = || {
            let endpoint = Endpoint::new(&liar(reply("200 OK", b"0123456789")), None).unwrap();
            let (mut sink, mut bytes) = (Vec::new(), 0);
            let answer = endpoint.get("/").call().unwrap();
            let error = answer.write_to(&mut sink, most).map(|count| bytes = count).unwrap_err();
            assert!(sink.len() as u64 <= most && bytes == 0);
            error
        };
        assert!(matches!(call(), HttpError::Answer { what: "is longer than it may be", .. }), "{}", call());
    }
}

#[test]
fn a_server_that_went_away_is_named_with_what_was_going_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let endpoint = Endpoint::new(&url, None).unwrap();
    let killed = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        stream.read_exact(&mut [0; 20]).unwrap();
    });
    let error = endpoint.put("/count").doing("sending a file").send(&[0; 100]).unwrap_err();
    assert!(matches!(error, HttpError::Broken { doing: "sending a file", .. }), "{error}");
    killed.join().unwrap();
    let error = endpoint.get("/health").call().unwrap_err();
    assert!(matches!(&error, HttpError::Unreachable { url: named, .. } if *named == url), "{error}");
}

#[test]
fn an_exchange_takes_no_longer_than_it_may() {
    // It takes the request, and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::new(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    let begun = Instant::now();
    assert!(endpoint.get("/").within(Duration::from_millis(300)).call().is_err());
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn addresses_that_are_none_or_that_others_could_listen_at_are_refused() {
    for url in ["ftp://127.0.0.1", "127.0.0.1:80", ""] {
        assert!(matches!(Endpoint::new(url, None), Err(HttpError::Url(_))), "{url}");
    }
    assert!(matches!(Endpoint::new("http://example.org", None), Err(HttpError::Plain(_))));
    for url in ["http://localhost:1", "http://[::1]:1/", "https://example.org"] {
        assert!(Endpoint::new(url, None).is_ok(), "{url}");
    }
    let certificate = Endpoint::new("https://a", Some(b"no certificate"));
    assert!(matches!(certificate, Err(HttpError::Certificate { .. })));
}
