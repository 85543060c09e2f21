//! Bodies in memory and in files, in both directions.

use std::io::{Read, Write};

use asanoha_http::{HttpError, Kind, Limits};

use crate::common::{
    HONEST, MOST, Running, await_continue, liar, refused, reply, rest, upload_head, wait_until,
};

/// Bytes that repeat late.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

#[test]
fn a_body_in_a_file_is_what_was_sent_whatever_its_length() {
    let running = Running::start(Limits::default());
    let endpoint = running.endpoint();
    for length in [0, 1, 1000, 256 << 10, (256 << 10) + 1, 3_000_000] {
        let sent = pattern(length);
        let path = format!("/store?bytes={length}");
        for path in ["/store", &path] {
            let answer = endpoint.put(path).send_reader(&sent[..], length as u64).unwrap();
            assert_eq!(answer.length(), Some(length as u64));
            let mut stored = Vec::new();
            assert_eq!(answer.write_to(&mut stored, length as u64).unwrap(), length as u64);
            assert!(stored == sent, "{length}");
        }
        let counted = endpoint.put("/count").send(&sent).unwrap().bytes(9).unwrap();
        assert_eq!(counted, length.to_string().as_bytes());
    }
    assert_eq!(running.uploaded_files(), 0);
    running.stop();
}

#[test]
fn a_body_of_another_length_than_it_should_have_is_refused_and_leaves_nothing() {
    let running = Running::start(Limits::default());
    // By the head, before anything is asked for.
    for (path, length, status) in [
        ("/count", MOST + 1, "HTTP/1.1 413"),
        ("/store", MOST + 1, "HTTP/1.1 413"),
        ("/store?bytes=10", 9, "HTTP/1.1 400"),
        ("/store?bytes=10", 11, "HTTP/1.1 400"),
    ] {
        let said = rest(running.send(HONEST, &upload_head(path, length)));
        assert!(said.starts_with(status) && said.contains(&format!("{length} bytes")), "{path}: {said}");
    }
    // Of a length that is only known at the end.
    let chunked = |chunks: &str| {
        let head =
            "PUT /store?bytes=10 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked";
        running.says(format!("{head}\r\n\r\n{chunks}").as_bytes())
    };
    assert!(chunked("4\r\nasan\r\n6\r\noha123\r\n0\r\n\r\n").ends_with("asanoha123"));
    let said = chunked("4\r\nasan\r\n0\r\n\r\n");
    assert!(said.starts_with("HTTP/1.1 400") && said.contains("has 4 bytes, and 10 bytes belong"), "{said}");
    let said = chunked("4\r\nasan\r\n7\r\noha1234\r\n0\r\n\r\n");
    assert!(said.starts_with("HTTP/1.1 413") && said.contains("more than 10 bytes"), "{said}");
    // Broken off: there's nobody to tell.
    let mut broken = running.send(HONEST, &upload_head("/store", 1000));
    await_continue(&mut broken);
    broken.write_all(b"a part").unwrap();
    drop(broken);
    wait_until(|| running.admission.load().uploads == 0 && running.uploaded_files() == 0);
    running.serves();
    running.stop();
}

#[test]
fn json_that_is_none_is_refused() {
    let running = Running::start(Limits::default());
    for body in [&b""[..], b"[1", b"{}", b"\xff"] {
        let refusal = refused(running.endpoint().post("/sum").send(body));
        assert!(refusal.kind == Kind::Malformed && refusal.message.contains("isn't what it should be"));
    }
    running.stop();
}

#[test]
fn an_answer_longer_than_its_reader_takes_is_an_error() {
    let running = Running::start(Limits::default());
    let endpoint = running.endpoint();
    let ask = || endpoint.get("/large?bytes=1000000").doing("reading a file").call().unwrap();
    assert_eq!(ask().bytes(1_000_000).unwrap().len(), 1_000_000);
    let too_long = [ask().bytes(999_999).map(|_| 0), ask().write_to(std::io::sink(), 999_999)];
    for error in too_long.map(Result::unwrap_err) {
        assert!(matches!(error, HttpError::Answer { what: "is longer than it may be", .. }), "{error}");
    }
    running.stop();
    // A server that ends before it should.
    let cut = reply("200 OK", b"asanoha")[..].strip_suffix(b"a").unwrap().to_vec();
    let answer = asanoha_http::Endpoint::new(&liar(cut), None).unwrap().get("/").call().unwrap().bytes(9);
    assert!(answer.is_err());
}

/// What gives so many bytes, and then fails.
struct Failing(usize);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::Error::other("the disk is gone"));
        }
        let count = self.0.min(buffer.len());
        self.0 -= count;
        Ok(count)
    }
}

/// What takes nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn failures_of_the_clients_own_files_are_not_blamed_on_the_connection() {
    let running = Running::start(Limits::default());
    let endpoint = running.endpoint();
    let send = |reader: &mut dyn Read| endpoint.put("/store").doing("sending").send_reader(reader, 500_000);
    let failed = send(&mut Failing(400_000)).unwrap_err();
    assert!(
        matches!(failed, HttpError::Source(_)) && failed.to_string().contains("the disk is gone"),
        "{failed}"
    );
    let short = send(&mut &vec![7; 400_000][..]).unwrap_err();
    assert!(matches!(short, HttpError::Source(_)) && short.to_string().contains("100000 bytes are missing"));
    // What is longer is cut.
    assert_eq!(send(&mut Failing(600_000)).unwrap().length(), Some(500_000));
    let answer = endpoint.get("/large?bytes=1000").call().unwrap();
    assert!(matches!(answer.write_to(Full, 1000), Err(HttpError::Sink(_))));
    wait_until(|| running.uploaded_files() == 0);
    running.stop();
}
