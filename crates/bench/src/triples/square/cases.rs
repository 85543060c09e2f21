//! The products that are measured or predicted.

use std::fmt;

use asanoha_circuits::matrix::{Keep, Rotations};

use super::super::TripleRow;

/// A product that is measured.
pub(in super::super) struct Case {
    pub(super) table: u32,
    pub(in super::super) dimension: usize,
    pub(super) side: usize,
    /// The first of these that the memory suffices for is measured.
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

/// The table of the paper that compares ways of rotating by one thread's time and memory.
const ROTATIONS_TABLE: u32 = 3;

impl Case {
    /// The method of the first way of rotating, as it's written in reports.
    pub(super) fn method(&self) -> String {
        method(self.side, *self.rotations.first().expect("there is one"), self.images)
    }

    /// The case that is left to predict after a measurement: the first way of rotating, where the memory didn't suffice for it. `None` if it
    /// was measured.
    pub(in super::super) fn left(&self, measured: &[TripleRow]) -> Option<Self> {
        let method = self.method();
        match measured.first() {
            Some(row) if row.method == method => None,
            // A table that takes what the memory suffices for has its row.
            Some(_) => Some(Self { table: ROTATIONS_TABLE, ..*self }),
            None => Some(Self { ..*self }),
        }
    }

    /// Whether the case is measured on so many threads, of at most so many.
    pub(in super::super) fn is_measured_on(&self, threads: usize, most: usize) -> bool {
        match self.threads {
            Threads::Every => true,
            Threads::One => threads == 1,
            Threads::Most => threads == most,
        }
    }
}

/// A way of computing products of squares, as it's written in reports.
pub(super) fn method(side: usize, rotations: Rotations, images: Keep) -> String {
    format!("square of {side}, {rotations:?}, {images:?}")
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimension, side, images, .. } = self;
        let rotations = self.rotations.last().expect("there is one");
        write!(f, "products of {dimension} × {dimension} by squares of {side}, {rotations:?}, {images:?}")
    }
}

/// Table 2 in blocks of 128, hoisted as far as memory allows, up to the paper's largest dimension of squares; Tables 3 to 5 by
/// hoisting, re-use of keys and recomputation, at 128 by all combinations of them and at larger dimensions by those of the paper, of
/// which recomputation re-uses keys too; Table 6 in slices. Each is measured on the threads of its table: one in Tables 3 and 5.
pub(in super::super) fn cases() -> Vec<Case> {
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
    // Tables 3 and 4 have the times of hoisting too.
    let mut cases: Vec<Case> =
        [128, 256, 384, 512].map(|dimension| case(2, dimension, 128, table_2, Stored, Every)).into();
    cases.push(case(5, 128, 128, &[Hoisted], Recomputed, One));
    let ways: [(u32, &[Rotations], Threads); 3] =
        [(3, &[Plain], One), (3, &[Reused], One), (4, &[HoistedReused { group: 16 }], Most)];
    for (table, rotations, threads) in ways {
        cases.push(case(table, 128, 128, rotations, Stored, threads));
        cases.push(case(5, 128, 128, rotations, Recomputed, One));
    }
    let large: [(u32, &[Rotations], Keep, Threads); 3] = [
        (3, &[Reused], Stored, One),
        (4, &[HoistedReused { group: 16 }], Stored, Most),
        (5, &[HoistedReused { group: 16 }], Recomputed, One),
    ];
    for (table, rotations, images, threads) in large {
        cases
            .extend([256, 384, 512].map(|dimension| case(table, dimension, 128, rotations, images, threads)));
    }
    cases.extend([32, 64, 128].map(|side| case(6, 192, side, &[Hoisted], Stored, Most)));
    cases
}
