//! Attacks of a server on its clients: make them panic, fill their disks, keep them waiting for ever, or steer their terminals.
//!
//! `cargo xtask attack` runs these against the release build of the program.
#![cfg(feature = "http")]

use std::sync::atomic::{AtomicUsize, Ordering};

use asanoha_testkit::OpenFile;
use serde_json::json;

use crate::common::{
    Place,
    lying::{Lying, answer, job, until_the_job},
};

const OF: &str = "--token-file token --plan p.json --keys keys";

fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x * x - 1\ns = sum(x)");
    place.write("d.csv", "x\n1003\n-7\n0\n");
    place.write("token", format!("asanoha_{}\n", "0".repeat(64)));
    place.call("plan p.asa --data d.csv --rows 9 --scheme bgv --out p.json").text();
    place.call("keygen --no-passphrase --plan p.json --out keys").text();
    place.call("encrypt --plan p.json --keys keys --data d.csv --out in").text();
    place
}

fn refusal(retry_after_s: u64, message: &str) -> Option<Vec<u8>> {
    answer(503, json!({ "kind": "busy", "message": message, "retry_after_s": retry_after_s }).to_string())
}

#[test]
fn a_server_that_asks_for_a_wait_of_ages_is_given_up_without_a_panic() {
    let place = place();
    for seconds in [301, u64::MAX - 1, u64::MAX] {
        let asked = AtomicUsize::new(0);
        let server = Lying::start(move |_, _| {
            let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
            refusal(if first { 1 } else { seconds }, "later")
        });
        let run = format!("remote run --server {} {OF} --data d.csv", server.url);
        place.refuses(&run, 1, &["refuses (503): later"]);
        assert_eq!(server.asked("").len(), 2);
    }
}

#[test]
fn an_upload_of_which_a_server_states_more_than_was_sent_is_refused() {
    let place = place();
    let bytes = place.path("keys/evaluation.safetensors").metadata().unwrap().len();
    for (stored, of) in [(bytes + 1, bytes), (u64::MAX, bytes), (0, bytes + 9), (3, 3)] {
        let server = Lying::start(move |_, _| {
            let upload = json!({ "id": "0".repeat(32), "stored_bytes": stored, "bytes": of });
            answer(200, json!({ "upload": upload }).to_string())
        });
        let submit = format!("remote submit --server {} {OF} --in in", server.url);
        place.refuses(&submit, 2, &["holds more of an upload than was sent"]);
        assert!(server.asked("PUT").is_empty());
    }
    // A file that it says it has, and that is another.
    let other = json!({
        "kind": "keys", "plan": "0".repeat(64), "digest": "0".repeat(64), "bytes": bytes, "key": "k", "expires_unix_s": 1
    });
    let server = Lying::start(move |_, _| answer(200, json!({ "complete": other }).to_string()));
    let submit = format!("remote submit --server {} {OF} --in in", server.url);
    place.refuses(&submit, 2, &["another file than the one that was sent"]);
}

#[test]
fn a_server_writes_no_more_results_than_the_plan_gives() {
    let place = place();
    place.call("evaluate --plan p.json --keys keys --in in --out results").text();
    let honest = place.path("results").metadata().unwrap().len();
    std::fs::remove_file(place.path("results")).unwrap();
    let fetch = format!("remote fetch {} --token-file token --plan p.json --out fetched", "0".repeat(32));
    for stated in [honest + (20 << 20), 535 << 20, 1 << 40, u64::MAX] {
        let says = move |request: &str| {
            if request.contains("/results") {
                return answer(200, [7; 100]);
            }
            let done = json!({ "state": "done", "bytes": stated, "digest": "0".repeat(64), "seconds": 1.0 });
            answer(200, job(&done).to_string())
        };
        for line in [fetch.clone(), format!("remote run {OF} --data d.csv --out fetched")] {
            let server = Lying::start(until_the_job(says));
            let before = place.contents();
            let output = place.call(&format!("{line} --server {}", server.url)).output();
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(told.contains("more results than such a plan gives"), "{line}: {told}");
            assert!(server.asked("/results").is_empty(), "{stated} bytes are fetched");
            let mut after = place.contents();
            // The record of what was encrypted is new.
            after.retain(|path, _| before.contains_key(path) || !path.starts_with(place.path("keys")));
            assert!(after == before, "{line} leaves files");
        }
    }
    // One that sends more than it says.
    let says = move |request: &str| {
        if request.contains("/results") {
            let endless = vec![7; 40 << 20];
            return Some([&b"HTTP/1.1 200 x\r\nConnection: close\r\n\r\n"[..], &endless].concat());
        }
        let done = json!({ "state": "done", "bytes": honest, "digest": "0".repeat(64), "seconds": 1.0 });
        answer(200, job(&done).to_string())
    };
    let server = Lying::start(until_the_job(says));
    place.refuses(&format!("{fetch} --server {}", server.url), 2, &["is longer than it may be"]);
}

#[test]
fn a_server_that_says_running_for_ever_is_asked_seldom_and_given_up() {
    let place = place();
    let fetch = format!("remote fetch {} --token-file token --plan p.json --out fetched", "0".repeat(32));
    for state in [
        json!({ "state": "running", "fraction": 1e300, "remaining_s": 1e300, "is_cancelled": false }),
        json!({ "state": "waiting", "ahead": u64::MAX, "wait_s": 1e300 }),
    ] {
        let says = job(&state).to_string();
        let server = Lying::start(until_the_job(move |_| answer(200, &says)));
        // The server doesn't wait before it answers, as it's asked to: the program does.
        let line = format!("{fetch} --server {} --max-wait 3", server.url);
        place.refuses(&line, 1, &["has not ended after 3 s and goes on"]);
        assert_eq!(server.asked("/v1/jobs/").len(), 3);
        let run = format!("remote run {OF} --data d.csv --server {} --max-wait 0", server.url);
        let told = String::from_utf8(place.call(&run).output().stderr).unwrap();
        assert!(told.contains("has not ended after 0 s and goes on"), "{told}");
        assert_eq!(server.asked("GET /v1/jobs/").len(), 4);
    }
}

/// A server's answers to requests.
type Says = Box<dyn Fn(&str) -> Option<Vec<u8>> + Send>;

#[test]
fn no_text_of_a_server_steers_the_terminal_or_changes_its_direction() {
    let place = place();
    let marks = "\u{202e}tfel\u{2066}\u{2069}\u{200f}\u{61c}\u{1b}[2J\r\nerror: x\u{9b}";
    let fetch = format!("remote fetch {} --token-file token --plan p.json --out fetched", "0".repeat(32));
    let failed = job(&json!({ "state": "failed", "message": marks })).to_string();
    let says: [Says; 2] =
        [Box::new(move |_| answer(200, &failed)), Box::new(move |_| refusal(1_000_000, marks))];
    for says in says {
        let server = Lying::start(until_the_job(says));
        for flag in ["", " --json"] {
            let output = place.call(&format!("{fetch} --server {}{flag}", server.url)).output();
            for printed in [output.stdout, output.stderr] {
                let printed = String::from_utf8(printed).unwrap();
                assert!(printed.is_empty() || printed.contains("tfel"), "{printed:?}");
                let steers = |c: char| c != '\n' && asanoha::text::is_steering(c);
                assert!(!printed.contains(steers) && printed.lines().count() <= 1, "{printed:?}");
            }
        }
    }
}

#[test]
fn no_text_of_a_file_from_a_server_steers_the_terminal_or_makes_lines_of_its_own() {
    let place = place();
    let marks = "y\u{202e}x\u{2066}\u{1b}[2J\nsecurity    256 bits";
    let mut forged = OpenFile::read(&place.path("in"));
    let mut fields = forged.fields();
    fields["values"][0]["name"] = json!(marks);
    fields["inputs"] = json!(marks);
    forged.set_fields(&fields);
    forged.seal(&place.path("forged"));
    let steers = |c: char| c != '\n' && asanoha::text::is_steering(c);
    let text = place.call("inspect forged").text();
    assert!(text.contains("y\u{fffd}x") && !text.contains(steers), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("security    256")), "{text}");
    let printed = place.call("inspect forged --json").text();
    assert!(!printed.contains(steers), "{printed:?}");
    let value: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(value["fields"]["inputs"], marks);
    for line in [
        "evaluate --plan p.json --keys keys --in forged --out o",
        "decrypt --plan p.json --keys keys --in forged",
    ] {
        let told = String::from_utf8(place.call(line).output().stderr).unwrap();
        assert!(told.starts_with("error: ") && !told.contains(steers), "{told:?}");
    }
}
