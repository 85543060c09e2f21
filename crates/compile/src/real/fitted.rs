//! What is known of the functions of a program before polynomials are fitted to them.

use super::{
    gaps::{Gap, gaps},
    whole_table::WholeTable,
};
use asanoha_lang::Analysed;
use asanoha_numeric::precision::Precision;

/// For every operation of a program what it's fitted by, where arithmetic is real.
pub struct Fitted {
    /// Which numbers a comparison tells apart.
    pub(super) gaps: Vec<Option<Gap>>,
    /// The values of functions of few whole numbers.
    pub(super) tables: Vec<Option<WholeTable>>,
}

impl Fitted {
    /// What the functions of a program are fitted by, where outputs are asked for in a precision.
    pub fn new(analysed: &Analysed<'_>, precision: Precision) -> Self {
        let tables =
            analysed.program().nodes().iter().map(|node| WholeTable::new(node, analysed.ranges())).collect();
        Self { gaps: gaps(analysed, precision), tables }
    }
}
