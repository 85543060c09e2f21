//! `cargo xtask attack`: what servers, carriers of files and strangers could do to the release build.

use std::path::Path;

use crate::{command::Cargo, python, tally::Tally, tools::Failure};

/// What every run selects: with the program beside them, all crates are built once, with the same features.
const PROGRAM: [&str; 5] =
    ["test", "--release", "--features=asanoha-cli/arrow,asanoha-cli/http", "-p", "asanoha-cli"];
/// Test targets with attacks, and the tests of each that are attacks (all if none is named).
const ATTACKS: [(&[&str], &[&str]); 9] = [
    // Altered and forged results, keys in results, data that expand, a genome server that asks for other sites, servers that lie to
    // clients that wait for them, what killed calls leave for others to read, and plans and results that state what isn't so.
    (
        &["--test", "cli"],
        &[
            "attack::",
            "canaries::",
            "data_limits::",
            "genome_sites::",
            "lying_servers::",
            "private_files::",
            "showing::",
            "constants_that_are_rounded_are_named_wherever_results_or_plans_are_shown",
            "results_name_no_inputs_of_before_a_rotation_to_be_allowed_more_noise",
        ],
    ),
    (&["-p", "asanoha-service", "--test", "service"], &["lies::"]),
    // Multiples of the secret key in results, records of what was shown, and counts of re-encryptions.
    (
        &["-p", "asanoha-runtime", "--test", "runtime"],
        &[
            "copies::",
            "publications::",
            "results_that_state_other_reencryptions_than_the_client_knows_of_are_refused",
        ],
    ),
    // Lattice reduction with what shown numbers tell.
    (&["-p", "asanoha-lattice", "--test", "lattice"], &["shown::"]),
    (&["-p", "asanoha-lang", "--test", "lang"], &["rounded_constants"]),
    // Clients that leave a server no time, memory or storage for others: of any server, and of the genome server.
    (&["-p", "asanoha-http", "--test", "http"], &["attacks::"]),
    (&["-p", "asanoha-genome", "--lib"], &["http::attacks::"]),
    // Data that expand, with the memory that they take.
    (&["-p", "asanoha-table", "--test", "limits"], &[]),
    // Files of keys and ciphertexts.
    (&["-p", "asanoha-tfhe", "-p", "asanoha-ckks", "--test", "tfhe", "--test", "ckks"], &["hostile::"]),
];

/// Builds the program and its attacks for release and runs these, which prints a line for each; fails if one succeeds.
pub(crate) fn run(top: &Path) -> Result<String, String> {
    let mut tally = Tally::default();
    for (targets, attacks) in ATTACKS {
        let before = tally.passed;
        // One at a time: some count memory.
        let arguments = [&PROGRAM, targets, &["--"], attacks, &["--test-threads", "1"]].concat();
        Cargo::new(&arguments)
            .run_counting(top, &mut tally)
            .map_err(|error| format!("an attack succeeds, or the program does not build: {error}"))?;
        if tally.passed == before {
            return Err(format!("no attacks are left in {}", targets.join(" ")));
        }
    }
    // Dask clusters that send objects to the process with the key.
    python::attacks(top, &mut tally).map_err(Failure::into_reason)?;
    Ok(format!("no attack succeeds: {tally}"))
}
