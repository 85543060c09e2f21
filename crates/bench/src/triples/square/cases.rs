//! The products that are measured or predicted.

use std::fmt;

use asanoha_circuits::matrix::{Keep, Rotations};

/// A product that is measured.
pub(in super::super) struct Case {
    pub(super) table: u32,
    pub(in super::super) dimension: usize,
    pub(super) side: usize,
    /// The first of these that the memory suffices for.
    pub(super) rotations: &'static [Rotations],
    pub(super) images: Keep,
    pub(super) threads: Threads,
}

/// The numbers of threads that a case is measured on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    Every,
    /// One, as in the paper's Tables 3 and 5.
    One,
    /// As many as were asked for, as in the paper's Table 4.
    Most,
}

impl Case {
    /// Whether the case is measured on so many threads, of at most so many.
    pub(in super::super) fn is_measured_on(&self, threads: usize, most: usize) -> bool {
        match self.threads {
            Threads::Every => true,
            Threads::One => threads == 1,
            Threads::Most => threads == most,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimension, side, images, .. } = self;
        let rotations = self.rotations.last().expect("there is one");
        write!(f, "products of {dimension} × {dimension} by squares of {side}, {rotations:?}, {images:?}")
    }
}

/// Table 2 in blocks of 128, hoisted as far as memory allows, up to the paper's largest dimension of squares; Tables 3 to 5 by
/// hoisting, re-use of keys and recomputation, at 128 by all combinations of them and at larger dimensions by those of the paper;
/// Table 6 in slices. Each is measured on the threads of its table: one in Tables 3 and 5.
pub(super) fn all_cases() -> Vec<Case> {
    use Keep::{Recomputed, Stored};
    use Rotations::{Hoisted, HoistedReused, Plain, Reused};
    use Threads::{Every, Most, One};
    let case = |table, dimension, side, rotations, images, threads| Case {
        table,
        dimension,
        side,
        rotations,
        images,
        threads,
    };
    let table_2: &[Rotations] = &[Hoisted, HoistedReused { group: 16 }];
    // Table 3 has the times of hoisting from 256 on, on one thread.
    let dimensions = [(128, Most), (256, Every), (384, Every), (512, Every)];
    let mut cases: Vec<Case> =
        dimensions.map(|(dimension, threads)| case(2, dimension, 128, table_2, Stored, threads)).into();
    let ways: [(u32, &[Rotations], Threads); 4] = [
        (3, &[Plain], One),
        (3, &[Hoisted], Every),
        (3, &[Reused], One),
        (4, &[HoistedReused { group: 16 }], Most),
    ];
    for (table, rotations, threads) in ways {
        cases.push(case(table, 128, 128, rotations, Stored, threads));
        cases.push(case(5, 128, 128, rotations, Recomputed, One));
    }
    // Hoisting with stored images is in Table 2 too, where the memory suffices.
    let large: [(u32, &[Rotations], Keep, Threads); 3] = [
        (3, &[Reused], Stored, One),
        (4, &[HoistedReused { group: 16 }], Stored, Most),
        (5, &[Hoisted], Recomputed, One),
    ];
    for (table, rotations, images, threads) in large {
        cases
            .extend([256, 384, 512].map(|dimension| case(table, dimension, 128, rotations, images, threads)));
    }
    cases.extend([32, 64, 128].map(|side| case(6, 192, side, &[Hoisted], Stored, Most)));
    cases
}

/// The largest dimension whose products are measured: those of the paper's larger ones take hours on one thread.
pub(super) const LARGEST: usize = 256;

/// The products that are measured.
pub(in super::super) fn cases() -> Vec<Case> {
    all_cases().into_iter().filter(|case| case.dimension <= LARGEST).collect()
}

/// The products that are predicted on a number of threads, of at most so many.
pub(in super::super) fn larger(threads: usize, most: usize) -> Vec<Case> {
    let is_larger = |case: &Case| case.dimension > LARGEST && case.is_measured_on(threads, most);
    all_cases().into_iter().filter(is_larger).collect()
}
