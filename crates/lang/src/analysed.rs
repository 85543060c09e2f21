//! Programs on data of a schema, and what follows from the two.

use std::borrow::Cow;

use asanoha_numeric::Range;
use asanoha_table::Schema;
use num_bigint::BigInt;
use num_traits::One;

use crate::{
    domain::{
        denominators::denominators,
        ranges::{RangeError, ranges_with},
        supports::{Support, supports},
    },
    ids::NodeId,
    program::Program,
    whole::in_whole_numbers,
};

/// A column that the client computes from one column of the data, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The name of the column in the program that has it: no column of the data has it.
    pub name: String,
    /// The column of the data.
    pub column: String,
    /// A program of one output, whose only column stands for the column of the data.
    pub program: Program,
}

/// A program on data of a schema, with what is known of each of its operations.
#[derive(Debug, Clone)]
pub struct Analysed<'a> {
    program: Cow<'a, Program>,
    schema: Cow<'a, Schema>,
    ranges: Vec<Range>,
    denominators: Vec<Option<BigInt>>,
    supports: Vec<Support>,
    uses: Vec<usize>,
    pub(crate) views: Vec<View>,
}

impl<'a> Analysed<'a> {
    /// Analyses a program on data of a schema.
    ///
    /// # Errors
    /// Functions that aren't defined on all values that their operands can take, and values that can be too large.
    pub fn new(program: &'a Program, schema: &'a Schema) -> Result<Self, RangeError> {
        Self::of(Cow::Borrowed(program), Cow::Borrowed(schema))
    }

    pub(crate) fn of(program: Cow<'a, Program>, schema: Cow<'a, Schema>) -> Result<Self, RangeError> {
        let denominators = denominators(&program, &schema);
        let ranges = ranges_with(&program, &schema, &denominators)?;
        let (supports, uses) = (supports(&program), program.use_counts());
        Ok(Self { program, schema, ranges, denominators, supports, uses, views: Vec::new() })
    }

    /// The same outputs computed from whole numbers only: see [`in_whole_numbers`].
    ///
    /// # Errors
    /// Constants that become too large.
    pub fn in_whole_numbers(&self) -> Result<Cow<'_, Self>, RangeError> {
        let (program, schema) = in_whole_numbers(&self.program, &self.schema)?;
        Ok(match (program, schema) {
            (Cow::Owned(program), schema) => {
                Cow::Owned(Analysed::of(Cow::Owned(program), Cow::Owned(schema.into_owned()))?)
            }
            (Cow::Borrowed(_), _) => Cow::Borrowed(self),
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.schema.rows
    }

    /// The range of an operation.
    pub fn range(&self, id: NodeId) -> &Range {
        &self.ranges[id.0]
    }

    /// The ranges of all operations.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// A d with all values of an operation whole multiples of 1/d, if that's known.
    pub fn denominator(&self, id: NodeId) -> Option<&BigInt> {
        self.denominators[id.0].as_ref()
    }

    /// Whether all values of an operation are whole numbers.
    pub fn is_whole(&self, id: NodeId) -> bool {
        self.denominator(id).is_some_and(One::is_one)
    }

    /// What an operation is computed from row by row.
    pub fn support(&self, id: NodeId) -> &Support {
        &self.supports[id.0]
    }

    /// How many times an operation is used, by others and as an output.
    pub fn uses(&self, id: NodeId) -> usize {
        self.uses[id.0]
    }

    /// Marks the operations that the outputs need if the marked ones are given.
    pub fn needed_beside(&self, is_marked: &[bool]) -> Vec<bool> {
        let program = self.program();
        let mut needed = vec![false; program.nodes().len()];
        program.outputs().iter().for_each(|(_, id)| needed[id.0] = true);
        for at in (0..needed.len()).rev().filter(|&at| !is_marked[at]) {
            if needed[at] {
                program.node(NodeId(at)).operands().for_each(|operand| needed[operand.0] = true);
            }
        }
        needed
    }

    /// The view that a column of the program is, unless it's a column of the data.
    pub fn view(&self, column: &str) -> Option<&View> {
        self.views.iter().find(|view| view.name == column)
    }

    /// The columns that the client computes.
    pub fn views(&self) -> &[View] {
        &self.views
    }
}
