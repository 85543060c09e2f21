//! The kinds of the values of a program that is being built.

use std::collections::HashMap;

use asanoha_table::Schema;
use num_bigint::BigInt;

use crate::{
    builder::terms::{Entry, Terms},
    domain::{
        self, Domain,
        denominators::{Denominators, of_column},
    },
    error::BuildError,
    ids::{NodeId, Operand, Term},
    node::Node,
    shape::Shape,
};

/// The kind of a value of a program that is being built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermKind {
    /// True if there is a value per row. Constants are numbers.
    pub shape: Shape,
    /// A d with all values whole multiples of 1/d, whatever the number of rows; none where that isn't known.
    pub denominator: Option<BigInt>,
    /// True if it's computed from real numbers, or approximated, so that its values are approximate.
    pub is_real: bool,
}

/// Derives the kinds of the values of a program while it's being built, once for each.
///
/// ```
/// use asanoha_lang::{ProgramBuilder, Shape, TermKinds, ops};
/// use asanoha_table::{Schema, read_csv};
///
/// let table = read_csv("n,x\n1,2.5e-3\n".as_bytes(), "t.csv", &["n", "x"])?;
/// let mut kinds = TermKinds::new(Schema::from_table(&table, &[])?);
/// let mut builder = ProgramBuilder::new();
/// let (n, x) = (builder.input("n")?, builder.input("x")?);
/// let four = builder.integer(4)?;
/// let quarter = ops::div(&mut builder, n, four)?;
/// let mean = builder.mean(n)?;
/// let product = builder.mul(mean, x)?;
/// assert_eq!(kinds.of(&builder, quarter)?.denominator, Some(4.into()));
/// assert_eq!((kinds.of(&builder, mean)?.denominator, kinds.of(&builder, mean)?.is_real), (None, false));
/// assert_eq!((kinds.of(&builder, product)?.shape, kinds.of(&builder, product)?.is_real), (Shape::Column, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TermKinds {
    schema: Schema,
    /// The denominators of columns, by name.
    columns: HashMap<String, Option<BigInt>>,
    /// The denominators of all values so far; `Some` stands for a computed value.
    #[expect(
        clippy::option_option,
        reason = "operations take computed values so, and a value is a denominator or none"
    )]
    denominators: Vec<Option<Option<BigInt>>>,
    is_real: Vec<bool>,
}

impl TermKinds {
    /// Kinds that follow from those of columns. A column that isn't in the schema is of real numbers.
    pub fn new(schema: Schema) -> Self {
        let columns = schema.columns.iter().map(|column| (column.name.clone(), of_column(column))).collect();
        Self { schema, columns, denominators: Vec::new(), is_real: Vec::new() }
    }

    /// The kind of a value of the program that all calls are about.
    ///
    /// # Errors
    /// [`BuildError::ForeignTerm`].
    pub fn of(&mut self, terms: &Terms, a: Term) -> Result<TermKind, BuildError> {
        terms.check(a)?;
        for at in self.is_real.len()..=a.index() {
            let denominator = self.denominator(terms, NodeId(at));
            let is_real = denominator.is_none() && self.is_real_node(&terms.entries[at]);
            self.denominators.push(Some(denominator));
            self.is_real.push(is_real);
        }
        Ok(TermKind {
            shape: terms.shapes[a.index()].unwrap_or(Shape::Number),
            denominator: self.denominators[a.index()].clone().flatten(),
            is_real: self.is_real[a.index()],
        })
    }

    fn denominator(&self, terms: &Terms, id: NodeId) -> Option<BigInt> {
        if let Some(value) = terms.fixed_value(terms.term(id)) {
            return Some(value.denom().clone());
        }
        let Entry::Node(node) = &terms.entries[id.0] else { return None };
        if let Node::Input(name) = node {
            return self.columns.get(name).cloned().flatten();
        }
        let mut domain = Denominators(&self.schema);
        let known = domain::operation(&mut domain, id, node, &self.denominators);
        let Ok(known) = known.and_then(|known| domain.done(id, node, known)).map_err(|never| match never {});
        known
    }

    /// Returns true for an operation of real numbers, of those whose denominator isn't known.
    fn is_real_node(&self, entry: &Entry) -> bool {
        let Entry::Node(node) = entry else { return false };
        let of_real = |id: NodeId| self.is_real[id.0];
        match node {
            Node::Input(_) => true,
            Node::Function(function, operands) => {
                // A condition chooses between numbers, and is none of them.
                let numbers = &operands[function.chosen_from().unwrap_or(0)..];
                function.is_approximate()
                    || numbers.iter().any(|operand| matches!(*operand, Operand::Value(id) if of_real(id)))
            }
            node => node.operands().any(of_real),
        }
    }
}
