//! The sites at which `asanoha genome query --server` reads a client's file: the user's choice, not the server's.
#![cfg(feature = "http")]

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use crate::{
    common::{Place, SMALL_RING, panel_place},
    json_page::compare,
    serve::Server,
};
use asanoha::genome::{
    Panel,
    panel::{Site, SitesDigest},
};
use serde_json::{Value, json};

const START: usize = 6;
const LETTERS: usize = 9;

/// A server that names whatever sites it likes, and remembers the requests to it.
struct Liar {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Liar {
    fn start(chromosome: &str, sites: &[Site]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests, rest) =
            (Arc::<Mutex<Vec<String>>>::default(), r#""insecure_ring":64,"most_letters":99"#);
        let about = format!(r#"{{"chromosome":"{chromosome}","haplotypes":40,"sites":64,{rest}}}"#);
        let sites = json!({ "sites": sites }).to_string();
        let remembered = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_head(&stream);
                let (status, body) = match request.split(['?', ' ']).nth(1) {
                    Some("/v1/panel") => ("200 OK", &about),
                    Some("/v1/sites") => ("200 OK", &sites),
                    _ => ("500 Oops", &about),
                };
                remembered.lock().unwrap().push(request);
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
                // The client may have gone.
                _ = write!(stream, "{head}Connection: close\r\n\r\n{body}");
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

/// The first line of a request, whose head is read.
fn read_head(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    head.into_iter().next().unwrap_or_default()
}

fn panel_of(place: &Place) -> Panel {
    Panel::read(&place.path("panel.idx")).unwrap()
}

fn query(url: &str, flags: &str) -> String {
    let window = format!("--start {START} --length {LETTERS}");
    format!("genome query --server {url} --vcf me.vcf {window} {flags} {SMALL_RING}")
}

#[test]
fn a_server_that_asks_for_other_sites_gets_nothing_of_the_file() {
    let place = panel_place();
    let panel = panel_of(&place);
    let right = panel.window_sites(START, LETTERS).unwrap();
    let digest = SitesDigest::of("20", &right);
    let changed = |change: &dyn Fn(&mut Vec<Site>)| {
        let mut sites = right.clone();
        change(&mut sites);
        sites
    };
    let [list, accepted, nothing] =
        [("--sites panel.vcf".to_owned(), 3), (format!("--accept-sites {digest}"), 3), (String::new(), 2)];
    for (what, chromosome, sites, says) in [
        ("outside of the region", "20", panel.window_sites(40, LETTERS).unwrap(), "site 6 (base pair "),
        ("one site again and again", "20", vec![right[0]; LETTERS], "differ"),
        ("other alleles", "20", changed(&|sites| sites[4].variant ^= 1), "at site 10"),
        ("one other site", "20", changed(&|sites| sites[8].position += 1), "at site 14"),
        ("another chromosome", "21", right.clone(), "in the chromosome (21, and 20 in the file)"),
    ] {
        let liar = Liar::start(chromosome, &sites);
        for (flags, code) in [&list, &accepted, &nothing] {
            let is_repeated = sites[0] == sites[1] && !flags.contains("--sites ");
            let (code, says) = match (flags.as_str(), is_repeated) {
                (_, true) => (3, "asks twice for one site"),
                ("", _) => (2, "add --accept-sites "),
                (flags, _) if flags.starts_with("--accept") => (*code, "names another digest"),
                _ => (*code, says),
            };
            // If it were read, the refusal would be that it isn't there.
            let line = query(&liar.url, flags).replace("me.vcf", "nowhere.vcf");
            place.refuses(&line, code, &[says, "nowhere.vcf"]);
            let path = format!("GET /v1/sites?start={START}&letters={LETTERS} HTTP/1.1");
            assert_eq!(liar.requests(), ["GET /v1/panel HTTP/1.1", path.as_str()], "{what}, {flags}");
        }
    }
    // Lists that are none, whatever was agreed to.
    for sites in [changed(&|sites| sites.swap(0, 8)), changed(&|sites| sites.truncate(8)), Vec::new()] {
        let liar = Liar::start("20", &sites);
        for (flags, _) in [&list, &accepted, &nothing] {
            let line = query(&liar.url, flags).replace("me.vcf", "nowhere.vcf");
            place.refuses(&line, 2, &["other sites than were asked for"]);
            assert_eq!(liar.requests().len(), 2);
        }
    }
    // The right ones are read, and the next request follows.
    let liar = Liar::start("20", &right);
    for (flags, _) in [&list, &accepted] {
        place.refuses(&query(&liar.url, flags).replace("me.vcf", "nowhere.vcf"), 2, &["nowhere.vcf: "]);
        assert_eq!(liar.requests().len(), 2);
        assert!(!place.call(&query(&liar.url, flags)).output().status.success());
        assert!(liar.requests()[2].starts_with("GET /v1/keys/"));
    }
}

#[test]
fn sites_are_accepted_once_for_each_digest() {
    let place = panel_place();
    let server = Server::start(&place, "--listen 127.0.0.1:0");
    let line = query(&server.url, "--keys keys");
    let error = |line: &str| -> Value {
        serde_json::from_slice(&place.call(line).args(["--json"]).output().stdout).unwrap()
    };
    let figures = error(&line)["error"]["figures"].clone();
    let sites = panel_of(&place).window_sites(START, LETTERS).unwrap();
    let digest = SitesDigest::of("20", &sites).to_string();
    let [first, last] = [sites[0].position, sites[LETTERS - 1].position];
    let expected = json!({
        "sites": LETTERS, "chromosome": "20", "first_position": first, "last_position": last, "digest": digest
    });
    assert_eq!(figures, expected);
    let region = format!("9 sites of chromosome 20, base pairs {first} to {last}");
    place.refuses(&line, 2, &[&region, "if me.vcf may be read there", &format!("--accept-sites {digest}")]);

    // Nothing is remembered without a folder, nor of sites that another flag gives.
    let accepted = format!("--accept-sites {digest}");
    let once = place.call(&query(&server.url, &accepted)).json();
    place.refuses(&query(&server.url, ""), 2, &[&digest]);
    place.call(&query(&server.url, "--keys keys --sites panel.vcf")).json();
    place.refuses(&line, 2, &[&digest]);
    let kept = place.call(&query(&server.url, &format!("--keys keys {accepted}"))).json();
    let again = place.call(&line).json();
    let local = place
        .call(
            &line
                .replace("--keys keys --insecure", "--insecure")
                .replace(&format!("--server {}", server.url), "--local panel.idx"),
        )
        .json();
    for report in [&once, &kept, &again, &local] {
        assert_eq!(report["sites_digest"], json!(digest));
        assert_eq!((&report["length"], &report["count"]), (&local["plain_length"], &local["plain_count"]));
    }
    compare("asanoha genome query", &[again, local]);

    // Other sites are asked for anew, and both stay accepted.
    let shorter = line.replace("--length 9", "--length 4");
    place.refuses(&shorter, 2, &["4 sites of chromosome 20"]);
    let digest = error(&shorter)["error"]["figures"]["digest"].as_str().unwrap().to_owned();
    place.call(&format!("{shorter} --accept-sites {digest}")).json();
    for line in [&line, &shorter, &line] {
        place.call(line).json();
    }
    let record = place.path("keys/accepted-sites");
    assert_eq!(std::fs::read_to_string(&record).unwrap().lines().count(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(record.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let inspected = place.call("inspect keys/accepted-sites").json();
    assert_eq!(inspected["kind"], json!("record of accepted genome sites"));
    compare("asanoha inspect of other files", &[inspected]);
    std::fs::write(&record, "garbage").unwrap();
    place.refuses(&line, 2, &["--accept-sites"]);
}

#[test]
fn lists_of_sites_need_no_genotypes_and_have_to_be_the_panel_s() {
    let place = panel_place();
    let server = Server::start(&place, "--listen 127.0.0.1:0");
    let panel = std::fs::read_to_string(place.path("panel.vcf")).unwrap();
    let without_genotypes = |line: &str| {
        let fields: Vec<&str> = line.split('\t').take(8).collect();
        fields.join("\t") + "\n"
    };
    let sites: String = panel.lines().map(without_genotypes).collect();
    place.write("sites.vcf", &sites);
    let is_kept = |line: &&str| !line.starts_with("20\t485\t");
    place.write("shifted.vcf", sites.split_inclusive('\n').filter(is_kept).collect::<String>());
    let right = place.call(&query(&server.url, "--sites sites.vcf")).json();
    assert_eq!(right["skipped"], json!(0));
    // What a list leaves out is counted.
    let mut fields: Vec<&str> = sites.lines().last().unwrap().split('\t').collect();
    fields[4] = "C,G";
    place.write("more.vcf", format!("{sites}{}\n", fields.join("\t")));
    place.refuses(&query(&server.url, "--sites more.vcf"), 2, &["more.vcf", "not biallelic"]);
    let skipping = place.call(&query(&server.url, "--sites more.vcf --skip-unusable")).json();
    assert_eq!((&skipping["skipped"], &skipping["length"]), (&json!(1), &right["length"]));
    for file in ["panel.vcf", "panel.idx"] {
        let found = place.call(&query(&server.url, &format!("--sites {file}"))).json();
        assert_eq!((&found["length"], &found["count"]), (&right["length"], &right["count"]));
    }
    for (flags, code, says) in [
        ("--sites shifted.vcf", 3, "differ from those of shifted.vcf at site 6"),
        // The sample has a site more.
        ("--sites me.vcf", 3, "differ from those of me.vcf"),
        ("--sites nowhere.vcf", 2, "nowhere.vcf"),
        ("--sites cert", 2, "cert"),
        ("--accept-sites 12", 2, "64 hex digits"),
        ("--sites sites.vcf --accept-sites 12", 2, "--accept-sites"),
    ] {
        place.refuses(&query(&server.url, flags), code, &[says]);
    }
    let local = format!("genome query --local panel.idx --vcf me.vcf --start 0 --length 2 {SMALL_RING}");
    let accepted = format!("--accept-sites {}", "0".repeat(64));
    for flag in ["--sites sites.vcf", &accepted, "--certificate cert", "--keys keys"] {
        place.refuses(&format!("{local} {flag}"), 2, &["--local"]);
    }
}
