//! `--low-memory`: the same results, and nothing left behind.

use crate::common::{Place, SEED, example};

/// The program and the data of an example.
const EXAMPLES: [(&str, &str); 2] = [("invoice.asa", "invoice.csv"), ("risk.asa", "diabetes.csv")];

fn place(program: &str, data: &str) -> Place {
    let place = Place::new();
    std::fs::copy(example(program), place.path("p.asa")).unwrap();
    std::fs::copy(example("data").join(data), place.path("d.csv")).unwrap();
    place
}

#[test]
fn a_run_gives_the_same_results_and_says_so() {
    for (program, data) in EXAMPLES {
        let place = place(program, data);
        let run = |more: &str| {
            let line = format!("run p.asa --data d.csv --out o.csv {more}");
            let report = place.call(&line).args(SEED).json();
            (report, std::fs::read(place.path("o.csv")).unwrap())
        };
        let (usual, usual_csv) = run("");
        let before = place.contents();
        let (low, low_csv) = run("--low-memory");
        // The temporary keys stood beside the results.
        assert!(place.contents() == before);
        assert_eq!(usual_csv, low_csv);
        assert_eq!((&usual["low_memory"], &low["low_memory"]), (&false.into(), &true.into()));
        for key in ["outputs", "check", "noise", "sizes"] {
            assert_eq!(usual[key], low[key], "{key}");
        }
    }
}

#[test]
fn an_evaluation_gives_the_same_file_and_says_so() {
    for (program, data) in EXAMPLES {
        let place = place(program, data);
        place.call("plan p.asa --data d.csv --out plan.json").text();
        place.call("keygen --no-passphrase --plan plan.json --out keys").text();
        place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
        let evaluate = |more: &str| {
            let line = format!("evaluate --plan plan.json --keys keys --in in --out results {more}");
            let report = place.call(&line).json();
            (report["low_memory"].as_bool().unwrap(), std::fs::read(place.path("results")).unwrap())
        };
        let ((usual, expected), (low, found)) = (evaluate(""), evaluate("--low-memory"));
        assert!(!usual && low && expected == found);
    }
}

#[test]
fn a_run_leaves_nothing_in_the_folder_for_temporary_files() {
    let place = place("invoice.asa", "invoice.csv");
    std::fs::create_dir(place.path("temporary")).unwrap();
    let temporary = place.path("temporary");
    let entries = || std::fs::read_dir(&temporary).unwrap().count();
    let line = "run p.asa --data d.csv --low-memory";
    place.call(line).env("TMPDIR", temporary.to_str().unwrap()).text();
    assert_eq!(entries(), 0);
    place.write("p.asa", "y = missing + 1");
    let failed = place.call(line).env("TMPDIR", temporary.to_str().unwrap()).output();
    assert!(!failed.status.success() && entries() == 0);
}
