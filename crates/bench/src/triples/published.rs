//! The figures that the published products were given with.

use super::TripleRow;

/// The rows and columns of the paper's Table 2.
pub(super) const DIMENSIONS: [usize; 5] = [128, 256, 384, 512, 1024];

/// How the paper measured.
pub(super) const MACHINE: &str =
    "seconds a triple by Table 2 of Mono and Güneysu, on 16 threads of an AMD EPYC 7742 of 2.25 GHz";

/// Its phases, by our names.
const PHASES: [&str; 6] = ["encrypt", "rotate A", "rotate B", "multiply", "add MAC", "decrypt"];

/// Seconds a triple of these phases, for each of [`DIMENSIONS`].
///
/// Source: Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023), Table 2, "Our
/// Work".
const TABLE_2: [[f64; 6]; 5] = [
    [0.09, 1.50, 0.85, 0.56, 0.00, 0.09],
    [0.38, 6.25, 3.20, 3.31, 0.01, 0.34],
    [0.85, 14.15, 6.95, 10.85, 0.03, 0.77],
    [1.51, 24.80, 12.30, 27.35, 0.05, 1.38],
    [6.10, 98.00, 49.35, 236.00, 0.20, 5.55],
];

/// The published time of a row of Table 2: of a square's phase, or of all that either method does.
pub(super) fn seconds(row: &TripleRow) -> Option<f64> {
    let seconds = TABLE_2[DIMENSIONS.iter().position(|&dimension| dimension == row.dim)?];
    let is_square = row.method.starts_with("square");
    match row.phase {
        _ if row.table != 2 => None,
        "total" => Some(seconds.iter().sum()),
        phase => PHASES.iter().position(|&own| is_square && own == phase).map(|index| seconds[index]),
    }
}
