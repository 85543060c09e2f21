//! The commands of `docs/serving.md`, run from the top by a shell.
#![cfg(all(unix, feature = "http"))]

use std::{path::Path, process::Command};

use crate::common::Place;

/// The blocks between the marks of a page.
fn script(page: &str) -> String {
    let blocks = page.split("<!-- script -->\n```sh\n").skip(1);
    blocks.map(|block| block.split("```\n<!-- /script -->").next().unwrap()).collect()
}

#[test]
fn every_command_of_the_page_on_serving_works() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(top.join("docs/serving.md")).unwrap();
    let place = Place::new();
    std::os::unix::fs::symlink(top.join("examples").canonicalize().unwrap(), place.path("examples")).unwrap();
    // A port that is free now.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let script = script(&page).replace("8443", &port.to_string());
    assert_eq!(script.matches(" &\n").count(), 1, "{script}");
    // Whoever reads the page takes longer to type than a server to write its certificate.
    let script = script.replace(" &\n", " &\nSERVER=$!\nuntil [ -s cert.pem ]; do sleep 0.05; done\n");
    let script = format!("set -eu\ntrap 'kill ${{SERVER:-}} 2>/dev/null || true' EXIT\n{script}");
    let program = Path::new(env!("CARGO_BIN_EXE_asanoha"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &script])
        .env("PATH", path)
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{printed}\n{told}");
    assert!(printed.contains("mean_score = 0.506"), "{printed}");
    assert_eq!(std::fs::read_to_string(place.path("scores.csv")).unwrap().lines().count(), 443);
}
