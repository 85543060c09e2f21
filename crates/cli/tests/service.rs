//! `asanoha serve`, `asanoha tokens` and `asanoha remote`.
#![cfg(feature = "http")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{common::Place, json_page::compare};

/// A service that runs in a place's folder.
pub(crate) struct Serving {
    child: Child,
    pub(crate) url: String,
}

impl Serving {
    pub(crate) fn start(place: &Place, flags: &str) -> Self {
        let line = format!("serve --plans plans --store store --listen 127.0.0.1:0 --json {flags}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.current_dir(place.path("")).args(line.split_whitespace());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut url = None;
        for line in stderr.by_ref().lines().map(Result::unwrap) {
            if let Some(address) = line.strip_prefix("listening at ") {
                url = Some(address.to_owned());
                break;
            }
        }
        // The log is read, so that the server never waits for its reader.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { child, url: url.expect("the server tells its address") }
    }

    /// Asks it to end; what it reports.
    pub(crate) fn stop(mut self) -> Value {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        let mut report = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
        serde_json::from_str(&report).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A place with a plan that is served, its keys, and a token in the file `token`.
pub(crate) fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x * x - 1\ns = sum(x)");
    place.write("d.csv", "x\n1003\n-7\n0\n");
    std::fs::create_dir(place.path("plans")).unwrap();
    place.call("plan p.asa --data d.csv --rows 9 --scheme bgv --out plans/p.json").text();
    place.call("keygen --no-passphrase --plan plans/p.json --out keys").text();
    place.call("tokens create alice --store store --out token").text();
    place
}

const OF: &str = "--token-file token --plan plans/p.json --keys keys";

fn check(results: &Value) {
    assert_eq!(results["outputs"]["y"], json!([1_006_008, 48, -1]));
    assert_eq!(results["outputs"]["s"], json!([996]));
}

#[test]
fn a_server_computes_what_is_encrypted_and_decrypted_here() {
    let place = place();
    let server = Serving::start(&place, "");
    let url = &server.url;
    let first = place.call(&format!("remote run --server {url} {OF} --data d.csv --canaries 3")).json();
    check(&first);
    assert_eq!((&first["canaries"]["rows"], &first["canaries"]["wrong"]), (&json!(3), &json!(0)));
    assert!(first["remote"]["keys"]["sent_bytes"].as_u64().unwrap() > 0, "{first}");
    // The keys are there already.
    let again = place.call(&format!("remote run --server {url} {OF} --data d.csv --out o.csv")).json();
    check(&again);
    assert_eq!(again["remote"]["keys"]["sent_bytes"], 0);
    let csv = std::fs::read_to_string(place.path("o.csv")).unwrap();
    assert!(csv.starts_with("y,s\n1006008,996\n48,\n"), "{csv}");
    let report = server.stop();
    assert_eq!((&report["jobs_done"], &report["jobs_waiting"]), (&json!(2), &json!(0)));
}

#[test]
fn the_steps_apart_give_the_same_and_a_job_is_computed_once() {
    let place = place();
    let server = Serving::start(&place, "--log-json");
    let of = format!("--server {} {OF}", server.url);
    let sent = place.call(&format!("remote encrypt {of} --data d.csv --out in")).json();
    assert_eq!(sent["remote"]["inputs"]["sent_bytes"], sent["file_bytes"]);
    let submit = format!("remote submit {of} --in in");
    let job = place.call(&submit).json();
    assert_eq!(job["inputs"]["sent_bytes"], 0);
    let id = job["job"].as_str().unwrap().to_owned();
    assert_eq!(place.call(&submit).json()["job"], id.as_str());
    let other = place.call(&format!("{submit} --idempotency-key again")).json();
    assert_ne!(other["job"], id.as_str());
    let fetch = format!(
        "remote fetch {id} --server {} --token-file token --plan plans/p.json --out results",
        server.url
    );
    let fetched = place.call(&fetch).json();
    assert_eq!(
        (&fetched["state"], &fetched["file_bytes"]),
        (&json!("done"), &json!(std::fs::metadata(place.path("results")).unwrap().len()))
    );
    check(&place.call("decrypt --plan plans/p.json --keys keys --in results --in-of in").json());
    // The same bytes as without a server.
    place.call("evaluate --plan plans/p.json --keys keys --in in --out here").text();
    assert_eq!(std::fs::read(place.path("here")).unwrap(), std::fs::read(place.path("results")).unwrap());
    // It has ended, and stays as it is.
    let cancel = format!("remote cancel {id} --server {} --token-file token", server.url);
    assert_eq!(place.call(&cancel).json()["state"], "done");
    server.stop();
}

#[test]
fn a_server_that_is_killed_goes_on_where_it_was() {
    let place = place();
    let server = Serving::start(&place, "");
    place.call(&format!("remote encrypt --server {} {OF} --data d.csv --out in", server.url)).text();
    let mut jobs = Vec::new();
    for key in 0..4 {
        let submit = format!("remote submit --server {} {OF} --in in --idempotency-key {key}", server.url);
        jobs.push(place.call(&submit).json()["job"].as_str().unwrap().to_owned());
    }
    // By SIGKILL.
    drop(server);
    let server = Serving::start(&place, "");
    for job in &jobs {
        let fetch = format!(
            "remote fetch {job} --server {} --token-file token --plan plans/p.json --out {job}",
            server.url
        );
        place.call(&fetch).text();
        check(&place.call(&format!("decrypt --plan plans/p.json --keys keys --in {job} --in-of in")).json());
    }
    server.stop();
}

#[test]
fn tokens_are_made_listed_and_revoked_while_the_server_runs() {
    let place = place();
    let server = Serving::start(&place, "");
    let run = format!("remote run --server {} --plan plans/p.json --keys keys --data d.csv", server.url);
    let patient = "--patience 0";
    place.refuses(&run, 2, &["needs a token", "--token-file", "ASANOHA_TOKEN"]);
    place.write("wrong", format!("asanoha_{}\n", "0".repeat(64)));
    place.refuses(&format!("{run} --token-file wrong {patient}"), 2, &["401", "isn't one of this service"]);
    place.write("none", "a token\n");
    place.refuses(&format!("{run} --token-file none {patient}"), 2, &["this is no token"]);
    let made = place.call("tokens create bob --store store --days 1").json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    let id = made["id"].as_str().unwrap().to_owned();
    check(&place.call(&run).env("ASANOHA_TOKEN", &secret).json());
    let listed = place.call("tokens list --store store").json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(&secret[8..]) && listed.to_string().contains(&id), "{listed}");
    assert_eq!(
        place.call(&format!("tokens revoke {id} --store store")).json(),
        json!({ "id": id, "revoked": true })
    );
    place.refuses(&format!("tokens revoke {id} --store store"), 2, &["there is no token", "tokens list"]);
    let refused = place.call(&format!("{run} {patient}")).env("ASANOHA_TOKEN", &secret).output();
    assert_eq!(refused.status.code(), Some(2));
    server.stop();
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let place = place();
    let serve = "serve --plans plans --store store";
    let refused = place.call(&format!("{serve} --listen 0.0.0.0:0")).output();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && stderr.contains("plain HTTP vouches for nobody"), "{stderr}");
    place.refuses("serve --plans none --store store --listen 127.0.0.1:0", 2, &["none: cannot be read"]);
    place.refuses("serve --plans keys --store store --listen 127.0.0.1:0", 2, &["keys"]);
    place.refuses(
        "serve --plans plans --store keys --listen 127.0.0.1:0",
        2,
        &["keys: there are other files"],
    );
    let server = Serving::start(&place, "");
    let refused = place.call(&format!("{serve} --listen 127.0.0.1:0")).output();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.status.code() == Some(2) && stderr.contains("another process has this store open"),
        "{stderr}"
    );
    // A plan that isn't served.
    place.call("plan p.asa --data d.csv --rows 8 --scheme bgv --out other.json").text();
    place.call("keygen --no-passphrase --plan other.json --out others").text();
    let run = format!(
        "remote run --server {} --token-file token --plan other.json --keys others --data d.csv",
        server.url
    );
    place.refuses(&run, 2, &["404", "no plan"]);
    server.stop();
    let gone = "remote run --server http://127.0.0.1:9 --token-file token --plan plans/p.json --keys keys --data d.csv --patience 0";
    place.refuses(gone, 1, &["http://127.0.0.1:9: cannot be reached"]);
    place.refuses(&gone.replace("http://127.0.0.1:9", "http://192.0.2.1:9"), 2, &["plain HTTP"]);
}

/// What a server answers to a request of a path, as it is.
fn get(url: &str, path: &str) -> String {
    let mut stream = std::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_page_is_served_if_its_folder_is_named_and_complete() {
    let place = place();
    std::fs::create_dir(place.path("page")).unwrap();
    let serve = "serve --plans plans --store store --listen 127.0.0.1:0 --page page";
    place.refuses(serve, 2, &["page/page/index.html: the page needs this file", "run `cargo xtask wasm`"]);
    for folder in ["page/page", "page/native"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    for (name, path) in asanoha::service::http::Page::files() {
        place.write(&format!("page/{}", path.display()), name);
    }
    let server = Serving::start(&place, "--page page");
    for path in ["/", "/page/index.html"] {
        let answer = get(&server.url, path);
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("index.html"), "{answer}");
        assert!(
            answer.to_lowercase().contains("\r\ncontent-security-policy: default-src 'none'"),
            "{answer}"
        );
    }
    assert!(get(&server.url, "/page/../plans/p.json").starts_with("HTTP/1.1 404"));
    check(&place.call(&format!("remote run --server {} {OF} --data d.csv", server.url)).json());
    server.stop();
    let server = Serving::start(&place, "");
    assert!(get(&server.url, "/").starts_with("HTTP/1.1 404"));
    server.stop();
}

#[test]
fn jobs_that_are_predicted_to_exceed_the_limits_are_refused() {
    let place = place();
    let server = Serving::start(&place, "--max-seconds 0.000001");
    let run = format!("remote run --server {} {OF} --data d.csv", server.url);
    let refused = place.call(&run).output();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && stderr.contains("predicted to take"), "{stderr}");
    server.stop();
}

#[test]
fn keys_of_the_service_are_documented() {
    let place = place();
    let made = "tokens create bob --store store --days 2";
    let tokens = [place.call(made).json(), place.call("tokens create eve --store store --out eve").json()];
    compare("asanoha tokens create", &tokens);
    compare("asanoha tokens list", &[place.call("tokens list --store store").json()]);
    let id = tokens[0]["id"].as_str().unwrap();
    compare("asanoha tokens revoke", &[place.call(&format!("tokens revoke {id} --store store")).json()]);
    let server = Serving::start(&place, "");
    let at = format!("--server {} --token-file token", server.url);
    let of = format!("{at} --plan plans/p.json --keys keys");
    // Beside the keys of another command.
    let remote = |object: Value| json!({ "remote": object["remote"] });
    let sent = place.call(&format!("remote encrypt {of} --data d.csv --out in")).json();
    compare("asanoha remote encrypt", &[remote(sent)]);
    compare("asanoha remote run", &[remote(place.call(&format!("remote run {of} --data d.csv")).json())]);
    let job = place.call(&format!("remote submit {of} --in in")).json();
    compare("asanoha remote submit", std::slice::from_ref(&job));
    let id = job["job"].as_str().unwrap();
    compare(
        "asanoha remote fetch",
        &[place.call(&format!("remote fetch {id} {at} --plan plans/p.json --out results")).json()],
    );
    compare("asanoha remote cancel", &[place.call(&format!("remote cancel {id} {at}")).json()]);
    compare("asanoha serve", &[server.stop()]);
}
