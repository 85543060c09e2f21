//! The parts of an evaluation.

/// Something that a walk finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The value of a step: of a ciphertext of a column (in TFHE a row), or of a number, whose place is 0.
    Value {
        /// The step.
        step: usize,
        /// The ciphertext or the row.
        place: usize,
    },
    /// The sum over the first ciphertexts of a column, for a total.
    Sum {
        /// The step of the total.
        step: usize,
        /// How many are summed.
        count: usize,
    },
}

impl Part {
    pub(crate) fn step(self) -> usize {
        match self {
            Self::Value { step, .. } | Self::Sum { step, .. } => step,
        }
    }

    pub(crate) fn is_sum(self) -> bool {
        matches!(self, Self::Sum { .. })
    }

    /// The place, or how many are summed.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Value { place: number, .. } | Self::Sum { count: number, .. } => number,
        }
    }
}

/// Parts, each with its values.
pub(crate) type Parts<'v, V> = Vec<(Part, &'v [V])>;

/// Some of them.
pub(crate) type PartSlice<'p, 'v, V> = &'p [(Part, &'v [V])];
