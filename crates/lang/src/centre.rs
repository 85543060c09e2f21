//! Columns less a constant: what a constant that the client takes away from every value of a column does to what is computed
//! from it.

use std::collections::{BTreeMap, HashSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::builder::ProgramBuilder;
use super::finished::Finish;
use super::node::{Node, NodeId, Program};
use super::range::RangeError;
use asanoha_table::{Centre, Schema};

/// Whether a column may be computed on less a constant that only the client knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Centring {
    /// It may, and no result would be nearer.
    Pointless,
    /// It may, and results become nearer in which the constant cancels.
    Useful,
    /// An output needs the constant in the middle of its arithmetic.
    Impossible {
        /// The first such output.
        output: String,
        /// An output in which the constant cancels, if there's any.
        moment: Option<String>,
    },
}

/// What a constant that is taken away from a column does to a value.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct Influence {
    /// The value is less by so many times the constant, in every row.
    factor: BigRational,
    /// Whether the value depends on the column.
    depends: bool,
    /// Whether it's a multiple of the column, of its sum or of its mean.
    is_multiple: bool,
    /// Whether the constant cancels on the way to it.
    is_moment: bool,
    /// Whether an operation on the way to it needs the constant.
    needs_constant: bool,
}

impl Influence {
    /// Of an operation, before it's known which.
    fn of<'a>(operands: impl Iterator<Item = &'a Self>) -> Self {
        operands.fold(Self::default(), |all, one| Self {
            depends: all.depends || one.depends,
            is_moment: all.is_moment || one.is_moment,
            needs_constant: all.needs_constant || one.needs_constant,
            ..all
        })
    }
}

impl Program {
    /// What taking a constant away from a column does to every value.
    fn influences(&self, column: &str, rows: usize) -> Vec<Influence> {
        let rows = BigRational::from_integer(BigInt::from(rows));
        let mut known: Vec<Influence> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |id: &NodeId| &known[id.0];
            let mut influence = Influence::of(node.operands().map(|id| &known[id.0]));
            match node {
                Node::Input(name) if name == column => {
                    let (factor, depends, is_multiple) = (BigRational::one(), true, true);
                    influence = Influence { factor, depends, is_multiple, ..influence };
                }
                Node::Add(a, b) | Node::Sub(a, b) => {
                    let (a, b) = (&of(a).factor, &of(b).factor);
                    influence.factor = if matches!(node, Node::Add(..)) { a + b } else { a - b };
                    influence.is_moment |= influence.factor.is_zero() && !a.is_zero();
                }
                Node::Neg(a) | Node::Scale(a, _) | Node::Sum(a) | Node::Mean(a) | Node::Offset(a, _) => {
                    influence.factor = match node {
                        Node::Neg(_) => -&of(a).factor,
                        Node::Scale(_, k) => k * &of(a).factor,
                        Node::Sum(_) => &rows * &of(a).factor,
                        _ => of(a).factor.clone(),
                    };
                    influence.is_multiple = of(a).is_multiple && !matches!(node, Node::Offset(..));
                }
                Node::Var(_) | Node::Cov(..) => {
                    influence.is_moment |= node.operands().any(|id| !known[id.0].factor.is_zero());
                }
                _ => influence.needs_constant |= node.operands().any(|id| !known[id.0].factor.is_zero()),
            }
            known.push(influence);
        }
        known
    }

    /// The names of outputs that are sums of products for least squares, whose sums say all that matters.
    fn products_of_least_squares(&self) -> HashSet<&str> {
        let of = |finished: &super::Finished| finished.function == Finish::LeastSquares;
        let parts = self.finished.iter().filter(|finished| of(finished));
        parts
            .flat_map(|finished| finished.parts.iter().skip(finished.results.len()))
            .map(String::as_str)
            .collect()
    }

    /// Whether a column may be computed on less a constant of the client's own, which is taken back after decryption, and what for.
    pub fn centring(&self, column: &str, rows: usize) -> Centring {
        let influences = self.influences(column, rows);
        let products = self.products_of_least_squares();
        let shown = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
        let (mut needed, mut moment, mut useful) = (None, None, false);
        for (name, id) in &self.outputs {
            let influence = &influences[id.0];
            let is_product = products.contains(name.as_str());
            if influence.needs_constant && !is_product {
                needed = needed.or_else(|| Some(shown(name)));
            }
            if influence.is_moment || is_product && influence.depends {
                moment = moment.or_else(|| Some(shown(name)));
            }
            useful |= influence.depends && !influence.is_multiple;
        }
        match needed {
            Some(output) => Centring::Impossible { output, moment },
            None if useful => Centring::Useful,
            None => Centring::Pointless,
        }
    }

    /// Refuses data with a secret constant that an output needs in the middle of its arithmetic.
    pub fn check_centres(&self, schema: &Schema) -> Result<(), RangeError> {
        let secret = schema.columns.iter().filter(|column| column.centre == Some(Centre::Secret));
        for column in secret.filter(|column| self.inputs.contains(&column.name)) {
            if let Centring::Impossible { output, .. } = self.centring(&column.name, schema.rows) {
                return Err(RangeError::NeedsCentre { column: column.name.clone(), output });
            }
        }
        Ok(())
    }

    /// By how much the encrypted outputs are less where constants are taken away from columns.
    pub fn shifts(&self, centres: &BTreeMap<String, BigRational>, rows: usize) -> Vec<BigRational> {
        let mut shifts = vec![BigRational::zero(); self.outputs.len()];
        for (column, centre) in centres {
            let influences = self.influences(column, rows);
            for ((_, id), shift) in self.outputs.iter().zip(&mut shifts) {
                *shift += &influences[id.0].factor * centre;
            }
        }
        shifts
    }

    /// The same program of columns that are less by constants of the schema's, which it adds again.
    ///
    /// # Errors
    /// Those of the builder.
    pub fn about_centres(&self, schema: &Schema) -> Result<Self, RangeError> {
        let centre = |name: &str| match schema.column(name)?.centre {
            Some(Centre::Public(ref value)) => Some(value.clone()),
            _ => None,
        };
        if self.inputs.iter().all(|name| centre(name).is_none()) {
            return Ok(self.clone());
        }
        let mut builder = ProgramBuilder::new();
        let mut terms = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.iter() {
            builder.set_origin(self.origin(id).cloned());
            let mut term = builder.same(node, |id| terms[id.0])?;
            if let Node::Input(name) = node
                && let Some(centre) = centre(name)
            {
                let centre = builder.constant(centre)?;
                term = builder.add(term, centre)?;
            }
            terms.push(term);
        }
        self.with_terms(builder, &terms)
    }
}
