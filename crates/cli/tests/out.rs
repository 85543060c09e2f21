//! Where files are written: never over what a command reads, and to stdout where that's asked for.

use crate::common::{Place, panel_place};

fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = 2 * x");
    place.write("d.csv", "x\n1\n2\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place
}

/// Every command that writes a file, without `--out`, and the files that it reads.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("run p.asa --data d.csv", &["p.asa", "d.csv"]),
    ("plan p.asa --data d.csv", &["p.asa", "d.csv"]),
    ("encrypt --plan plan.json --keys keys --data d.csv", &["plan.json", "d.csv", "keys/public.safetensors"]),
    (
        "evaluate --plan plan.json --keys keys --in in",
        &["plan.json", "in", "keys/secret.safetensors", "keys/evaluation.safetensors"],
    ),
    (
        "decrypt --plan plan.json --keys keys --in results --in-of in",
        &["plan.json", "results", "in", "keys/secret.safetensors", "keys/published.json"],
    ),
];

#[test]
fn no_command_writes_over_what_it_reads() {
    let place = place();
    for (line, reads) in COMMANDS {
        for read in reads {
            let says = [read, "which this command reads", "another name"];
            place.refuses(&format!("{line} --out {read}"), 2, &says);
            let folder = place.path("").display().to_string();
            for spelling in [format!("./{read}"), format!("keys/../{read}"), format!("{folder}{read}")] {
                place.refuses(&format!("{line} --out {spelling}"), 2, &["which this command reads"]);
            }
        }
    }
    let says = ["keys/public.safetensors", "which this command reads"];
    place.refuses(
        "keygen --no-passphrase --plan keys/public.safetensors --out keys --force",
        2,
        &["not a plan"],
    );
    std::fs::copy(place.path("plan.json"), place.path("keys/public.safetensors")).unwrap();
    place.refuses("keygen --no-passphrase --plan keys/public.safetensors --out keys --force", 2, &says);
}

#[cfg(unix)]
#[test]
fn nor_through_links() {
    let place = place();
    for (line, reads) in COMMANDS {
        for read in reads {
            std::os::unix::fs::symlink(place.path(read), place.path("soft")).unwrap();
            std::fs::hard_link(place.path(read), place.path("hard")).unwrap();
            for link in ["soft", "hard"] {
                place.refuses(&format!("{line} --out {link}"), 2, &["which this command reads"]);
                std::fs::remove_file(place.path(link)).unwrap();
            }
        }
    }
}

#[test]
fn a_dash_is_stdout() {
    let place = place();
    let before = place.contents();
    let printed = |line: &str| {
        let output = place.call(&format!("{line} --out -")).output();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stderr.is_empty());
        output.stdout
    };
    for line in [COMMANDS[0].0, COMMANDS[4].0] {
        assert_eq!(printed(line), b"y\n2\n4\n");
    }
    let plan = printed(COMMANDS[1].0);
    let (input, results) = (printed(COMMANDS[2].0), printed(COMMANDS[3].0));
    // The record of what was encrypted is new.
    let mut after = place.contents();
    after.retain(|path, _| before.contains_key(path) || !path.starts_with(place.path("keys")));
    assert!(after == before && place.contents().len() == before.len() + 1);
    place.write("printed.json", plan);
    place.write("printed-in", input);
    place.write("printed-results", results);
    assert_eq!(place.call("inspect printed.json").json()["kind"], "plan");
    assert_eq!(place.call("inspect printed-in").json()["kind"], "encrypted inputs");
    let line = "decrypt --plan plan.json --keys keys --in printed-results --in-of in";
    assert_eq!(place.call(line).json()["outputs"]["y"], serde_json::json!([2, 4]));
}

#[test]
fn an_index_is_printed_and_never_written_over_its_panel() {
    let place = panel_place();
    let index = std::fs::read(place.path("panel.idx")).unwrap();
    assert_eq!(place.call("genome index panel.vcf --out -").output().stdout, index);
    place.refuses("genome index panel.vcf --out ./panel.vcf", 2, &["which this command reads"]);
}

#[test]
fn a_dash_and_json_do_not_share_stdout() {
    let place = place();
    for (line, _) in COMMANDS {
        let says = ["--out -", "--json", "name a file"];
        place.refuses(&format!("{line} --out - --json"), 2, &says);
    }
}

#[test]
fn a_plan_that_is_not_made_prints_nothing_but_its_report() {
    let place = Place::new();
    place.write("p.asa", "y = sigmoid(x)");
    place.write("d.csv", "x\n1\n2\n");
    let output = place.call("plan p.asa --data d.csv --scheme bgv --out -").output();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("public "));
}
