//! SECURITY.md against the constants of the code.
#![cfg(all(feature = "planner", feature = "mpc", feature = "genome"))]

use asanoha::{
    ckks::LEAST_STATISTICAL_BITS,
    genome, lattice,
    lattice::{
        FAILURE_BITS, SPARSE_WEIGHT, largest_log2_modulus, largest_sparse_log2_modulus, quantum_security_bits,
    },
    mpc,
    ring::{CENTRED_BINOMIAL_HALF_WIDTH, ERROR_VARIANCE},
    search::failure::{DEFAULT_FAILURE_BITS, FAILURE_BITS_RANGE, LEAST_DEFAULT_FAILURE_BITS},
    tfhe::TfheLiteral,
};

/// The page, each paragraph in a line.
fn page() -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../SECURITY.md")).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_states_the_numbers_of_the_code() {
    let page = page();
    let width = CENTRED_BINOMIAL_HALF_WIDTH;
    let deviation = ERROR_VARIANCE.sqrt();
    let per_table = TfheLiteral::message_2_carry_2().log2_failure;
    let (least, most) = (FAILURE_BITS_RANGE.start(), FAILURE_BITS_RANGE.end());
    for said in [
        format!(
            "half of {} coin tosses, at most {width} in size, σ = √{ERROR_VARIANCE} ≈ {deviation:.2}",
            2 * width
        ),
        format!("centred binomial errors of σ = √{ERROR_VARIANCE}"),
        format!("sparse secret of weight {SPARSE_WEIGHT}"),
        format!("ternary secrets with {SPARSE_WEIGHT} coefficients that are not 0"),
        format!("wrong result with a probability of at most 2^-{DEFAULT_FAILURE_BITS} in BGV, BFV and CKKS"),
        format!(
            "and 2^-{LEAST_DEFAULT_FAILURE_BITS} in TFHE and in plans that do not keep 2^-{DEFAULT_FAILURE_BITS}"
        ),
        format!("from 2^-{least} to 2^-{most}"),
        format!("each noise polynomial fails with a probability of at most 2^-{FAILURE_BITS}"),
        format!("each bootstrapping fails with a probability of at most 2^{per_table}"),
        format!("`asanoha decrypt --publish BITS`, {LEAST_STATISTICAL_BITS} to 128 bits"),
        format!("statistical distance of 2^-{}", genome::protocol::STATISTICAL_BITS),
        format!("flooded by {} bits more than they hide", mpc::STATISTICAL_BITS),
    ] {
        assert!(page.contains(&said), "SECURITY.md doesn't say: {said}");
    }
    let quantum = [128, 192, 256].map(quantum_security_bits);
    let said =
        format!("128 bits are about {}, 192 about {}, and 256 about {}", quantum[0], quantum[1], quantum[2]);
    assert!(page.contains(&said), "{said}");
    // Errors aren't smaller than those that the table is made for.
    assert!(deviation >= 3.19);
}

#[test]
fn the_page_has_the_table_of_moduli() {
    let page = page();
    for (name, level) in [("largest log2 QP, 128 bits", 128), ("192 bits", 192), ("256 bits", 256)] {
        let cells = (10..=18).map(|log2| match largest_log2_modulus(1 << log2, level) {
            None => "–".to_owned(),
            Some(bits) if lattice::security_is_extrapolated(1 << log2) => format!("*{bits}*"),
            Some(bits) => bits.to_string(),
        });
        let row = format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn the_note_on_bootstrapping_states_the_limits_of_sparse_keys() {
    let note = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notes/bootstrapping.md");
    let note = std::fs::read_to_string(note).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let [small, large] = [15, 16].map(|log2| largest_sparse_log2_modulus(1 << log2).unwrap());
    let said = format!("at most {large} at N = 2^16 and {small} at 2^15");
    assert!(note.contains(&said), "{said}");
    let said = format!("at most 2^{large} at ring degree 2^16 and 2^{small} at 2^15");
    assert!(page().contains(&said), "SECURITY.md doesn't say: {said}");
}
