//! `asanoha genome serve`, and its clients.
#![cfg(feature = "http")]

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

use crate::{
    common::{Place, SMALL_RING, has_keys, panel_place},
    json_page::compare,
};
use serde_json::{Value, json};

/// A server that runs in a place's folder until it's killed.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(place: &Place, flags: &str) -> Self {
        let line = format!("genome serve --index panel.idx --json {flags} {SMALL_RING}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.current_dir(place.path("")).args(line.split_whitespace());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening at ").expect(&line).to_owned();
        Self { child, url }
    }

    fn address(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }

    /// Asks it to end; what it reports.
    fn stop(mut self) -> Value {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        let mut report = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
        serde_json::from_str(&report).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn query(url: &str, flags: &str) -> String {
    let sites = "--sites panel.vcf";
    format!("genome query --server {url} --vcf me.vcf {sites} --start 6 --length 9 {flags} {SMALL_RING}")
}

#[test]
fn a_server_with_a_certificate_gives_the_plain_answers() {
    let place = panel_place();
    let server = Server::start(&place, "--listen 127.0.0.1:0 --own-certificate cert.pem");
    assert!(server.url.starts_with("https://127.0.0.1:"));
    let local = place
        .call(&format!("genome query --local panel.idx --vcf me.vcf --start 6 --length 9 {SMALL_RING}"))
        .json();
    let asked = place.call(&query(&server.url, "--certificate cert.pem")).json();
    has_keys(&asked, &["length", "count", "seconds", "keygen_s", "query_bytes", "answer_bytes"]);
    assert_eq!((&asked["length"], &asked["count"]), (&local["plain_length"], &local["plain_count"]));
    assert!(asked["length"].as_array().unwrap().len() == 2 && asked.get("plain_length").is_none());
    let one = place.call(&query(&server.url, "--certificate cert.pem --haplotype 1")).json();
    assert_eq!(one["length"][0], local["length"][1]);

    let skip = query(&server.url, "--certificate cert.pem --skip-unusable");
    assert_eq!(place.call(&skip).json()["length"], asked["length"]);
    place.refuses(&skip.replace("--sites panel.vcf", ""), 2, &["--skip-unusable"]);
    place.refuses(&query(&server.url, ""), 1, &["cannot be reached"]);
    place.refuses(&query(&server.url, "--certificate me.vcf"), 2, &["certificate"]);
    let line = query(&server.url, "--certificate cert.pem");
    place.refuses(&line.replace("--length 9", "--length 60"), 2, &["60 letters from site 6"]);
    place.refuses(&line.replace(SMALL_RING, ""), 2, &["another ring", "(64)"]);
    place.refuses(&line.replace("me.vcf", "panel.idx"), 2, &["panel.idx"]);
    let url = server.url.clone();
    assert_eq!(server.stop()["url"], url);
    place.refuses(&line, 1, &["cannot be reached"]);
}

#[test]
fn keys_in_a_folder_are_sent_once_and_again_to_a_server_that_lost_them() {
    let place = panel_place();
    let server = Server::start(&place, "--listen 127.0.0.1:0 --requests 100");
    let (url, address) = (server.url.clone(), server.address().to_owned());
    let line = query(&url, "--keys keys");
    let right = place.call(&line).json();
    let names = ["keys/9-letters-40-haplotypes.secret.safetensors", "keys/9-letters-40-haplotypes.sent"];
    let read = || names.map(|name| std::fs::read(place.path(name)).unwrap());
    let first = read();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(place.path(names[0]).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(place.call(&line).json()["length"], right["length"]);
    assert!(read() == first);
    // Another length has keys of its own.
    place.call(&line.replace("--length 9", "--length 4")).json();
    assert!(read() == first && place.path("keys/4-letters-40-haplotypes.sent").exists());
    assert_eq!(place.call(&format!("inspect {} --insecure", names[0])).json()["kind"], json!("secret key"));

    drop(server);
    place.refuses(&line, 1, &["cannot be reached"]);
    let server = Server::start(&place, &format!("--listen {address}"));
    assert_eq!(place.call(&line).json()["length"], right["length"]);
    let second = read();
    assert!(second[0] == first[0] && second[1] != first[1]);

    // What was sent belongs to the secret key, and what isn't one is refused.
    std::fs::remove_file(place.path(names[0])).unwrap();
    assert_eq!(place.call(&line).json()["length"], right["length"]);
    place.write(names[1], "garbage");
    assert_eq!(place.call(&line).json()["length"], right["length"]);
    place.write(names[0], &first[0][..first[0].len() - 1]);
    place.refuses(&line, 2, &[names[0]]);
    drop(server);
}

#[test]
fn what_a_server_cannot_do_is_refused_at_its_start() {
    let place = panel_place();
    place.write("key.pem", "no key");
    for (flags, says) in [
        ("--index panel.idx --listen 0.0.0.0:0", "plain HTTP"),
        ("--index me.vcf --listen 127.0.0.1:0", "me.vcf"),
        ("--index nowhere --listen 127.0.0.1:0", "nowhere"),
        ("--index panel.idx --listen localhost", "--listen"),
        ("--index panel.idx --listen 127.0.0.1:0 --certificate key.pem", "--key"),
        ("--index panel.idx --listen 127.0.0.1:0 --certificate key.pem --key key.pem", "certificate"),
        ("--index panel.idx --listen 127.0.0.1:0 --own-certificate nowhere/cert.pem", "nowhere/cert.pem"),
        ("--index panel.idx --listen 127.0.0.1:0 --name a", "--own-certificate"),
        ("--index panel.idx --listen 0.0.0.0:0 --own-certificate cert.pem", "--name HOST"),
        // Of this machine there's no such address.
        ("--index panel.idx --listen 192.0.2.1:1 --own-certificate cert.pem", "192.0.2.1:1"),
    ] {
        place.refuses(&format!("genome serve {flags} {SMALL_RING}"), 2, &[says]);
    }
    place.refuses("genome serve --index panel.idx --listen 127.0.0.1:0 --ring-degree 64", 2, &["--insecure"]);
    let server = Server::start(&place, "--listen 127.0.0.1:0 --requests 1 --most-letters 9");
    place.refuses(
        &format!("genome serve --index panel.idx --listen {} {SMALL_RING}", server.address()),
        2,
        &["listened"],
    );
    for (url, code, says) in [
        (server.url.as_str(), 1, "ask later"),
        ("http://example.org", 2, "plain HTTP"),
        ("panel.idx", 2, "https://HOST:PORT"),
    ] {
        place.refuses(&query(url, ""), code, &[says]);
    }
    let long = query(&server.url, "").replace("--length 9", "--length 10");
    place.refuses(&long, 2, &["10 letters", "1 to 9"]);
    // The keys take more than all of the time.
    for (flag, says) in [
        ("--client-seconds 0", "this client's address has used its 0 s of computing an hour: ask later"),
        ("--total-seconds 0", "all clients together have used the server's 0 s"),
    ] {
        let server = Server::start(&place, &format!("--listen 127.0.0.1:0 {flag}"));
        place.refuses(&query(&server.url, ""), 1, &[says]);
    }
}

#[test]
fn keys_of_genome_serve_are_documented() {
    let place = panel_place();
    compare("asanoha genome serve", &[Server::start(&place, "--listen 127.0.0.1:0").stop()]);
}
