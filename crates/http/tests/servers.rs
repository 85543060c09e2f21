//! How servers start and stop, and their certificates.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use asanoha_http::{Endpoint, HttpError, Identity, Limits, Listener};

use crate::common::{HONEST, Running};

#[test]
fn a_server_that_is_stopped_finishes_what_is_under_way_and_takes_no_more() {
    let running = Running::start(Limits::default());
    let address = running.address;
    let mut slow = running.send(HONEST, b"PUT /count HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nasan");
    // The server has it once it has a place.
    crate::common::wait_until(|| running.admission.load().bodies == 1);
    let thread = running.ask_to_stop();
    // Now it takes no more; what came before is answered.
    while TcpStream::connect(address).is_ok() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!thread.is_finished());
    slow.write_all(b"ohas").unwrap();
    let mut said = String::new();
    slow.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with("\r\n\r\n8"), "{said}");
    thread.join().unwrap().unwrap();
}

#[test]
fn an_address_that_is_taken_or_that_others_could_reach_in_plain_http_is_refused() {
    let running = Running::start(Limits::default());
    let error = Listener::bind(running.address, None).unwrap_err();
    assert!(matches!(error, HttpError::Listen { .. }) && error.to_string().contains("listened"), "{error}");
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    assert!(matches!(Listener::bind(everywhere, None), Err(HttpError::Plain(_))));
    running.stop();
}

#[test]
fn a_certificate_of_its_own_is_trusted_by_those_who_have_it() {
    let asks = |running: &Running, trusted: Option<&str>| {
        let endpoint = Endpoint::new(&running.url, trusted.map(str::as_bytes)).unwrap();
        endpoint.post("/sum").send(b"[3, 1, 4]").and_then(|answer| answer.bytes(9))
    };
    let own = || Identity::own(vec!["127.0.0.1".to_owned()]).unwrap();
    let ((identity, pem), (_, other)) = (own(), own());
    let running = Running::start_with(Limits::default(), Some(identity));
    assert!(running.url.starts_with("https://"));
    assert_eq!(asks(&running, Some(&pem)).unwrap(), b"8");
    for trusted in [None, Some(other.as_str())] {
        let error = asks(&running, trusted).unwrap_err();
        assert!(matches!(error, HttpError::Unreachable { .. }), "{error}");
    }
    running.stop();

    let pem = |made: rcgen::CertifiedKey<rcgen::KeyPair>| (made.cert.pem(), made.signing_key.serialize_pem());
    let [(certificate, key), (_, other)] =
        [(); 2].map(|()| pem(rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap()));
    let identity = |certificate: &str, key: &str| Identity::from_pem(certificate.as_bytes(), key.into());
    for (certificate, key) in [("", key.as_str()), (&certificate, ""), (&certificate, &other)] {
        assert!(matches!(identity(certificate, key), Err(HttpError::Certificate { .. })));
    }
    let running = Running::start_with(Limits::default(), Some(identity(&certificate, &key).unwrap()));
    assert_eq!(asks(&running, Some(&certificate)).unwrap(), b"8");
    running.stop();
}
