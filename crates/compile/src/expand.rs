//! From a program to an arithmetic graph: powers, means, variances, dot products and functions become sums and products.

use asanoha_lang::{Analysed, Arg, Argument, Domain, Function, Keep, Node, NodeId, depends_on_data, walk};
use asanoha_numeric::number;
use asanoha_numeric::precision::Precision;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    error::ExpandError,
    exact::Exact,
    expander::{Expander, Target, Value},
    integers::Integers,
    ir::{Graph, GraphOutput, Op, Prepared},
    known::{Known, known},
    modular::Modular,
    packed_numbers::with_packed_numbers,
    real::Real,
};

/// What arithmetic the graph is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expansion<'a> {
    /// Whole numbers: fractions are carried as whole numbers over a common denominator, which the decrypting side
    /// divides by.
    Exact {
        /// The plaintext modulus of functions.
        modulus: u64,
    },
    /// Whole numbers modulo the plaintext modulus, which is that of all results ([`common_modulus`](crate::common_modulus)).
    Modular {
        /// The modulus.
        modulus: &'a BigUint,
    },
    /// Whole numbers as well, with functions that are operations of the scheme.
    Integers,
    /// Real numbers; functions are approximated.
    Real {
        /// log2 of the largest error of every approximated function's polynomial, in the program's order.
        fit_bits: &'a [i32],
        /// The precision that's asked of the outputs, by which comparisons tell numbers apart.
        precision: Precision,
    },
}

/// Expands a program on data of a schema; see [`specialised`](asanoha_lang::specialised).
pub fn expand(analysed: &Analysed<'_>, expansion: Expansion) -> Result<Graph, ExpandError> {
    expand_sharing(analysed, expansion, &Prepared::default())
}

/// As [`expand`], with tables that other expansions share.
pub fn expand_sharing(
    analysed: &Analysed<'_>,
    expansion: Expansion,
    prepared: &Prepared,
) -> Result<Graph, ExpandError> {
    if let Some(function) = depends_on_data(analysed.program()) {
        return Err(ExpandError::NotOnData(function));
    }
    let graph = match expansion {
        Expansion::Exact { modulus } => expanded(analysed, Exact::new(modulus, prepared)),
        Expansion::Modular { modulus } => expanded(analysed, Modular::new(modulus)),
        Expansion::Integers => expanded(analysed, Integers),
        Expansion::Real { fit_bits, precision } => {
            expanded(analysed, Real::new(analysed, fit_bits, precision))
        }
    };
    let mut graph = graph?;
    graph.domains = prepared.domains();
    Ok(with_packed_numbers(graph.pruned()))
}

/// A program in an arithmetic.
fn expanded<T: Target>(analysed: &Analysed<'_>, target: T) -> Result<Graph, ExpandError> {
    let mut expander = Expander::new(analysed, target);
    let needed = needed(&expander);
    T::begin(&mut expander, &needed);
    let program = analysed.program();
    let values = walk(program, &mut expander, Keep::Only(&needed));
    let values = values.map_err(|(id, error)| error.at(program.origin(id)))?;
    let output = |(name, id): &(String, NodeId)| {
        let value = values[id.0].as_ref().expect("outputs are needed");
        let (factor, approximation) = T::output(&expander, *id, value);
        GraphOutput { name: name.clone(), node: value.node, factor, approximation }
    };
    let outputs = program.outputs().iter().map(output).collect();
    Ok(Graph { outputs, ..expander.graph })
}

/// Which operations of a program are computed: those that an output needs and no table has inside.
fn needed<T: Target>(expander: &Expander<'_, T>) -> Vec<bool> {
    let (analysed, program) = (expander.analysed, expander.analysed.program());
    let mut needed = vec![false; program.nodes().len()];
    program.outputs().iter().for_each(|(_, id)| needed[id.0] = true);
    for at in (0..needed.len()).rev().map(NodeId) {
        if !needed[at.0] {
            continue;
        }
        let node = program.node(at);
        if let Some((operand, _)) = known(analysed, at) {
            needed[operand.0] = true;
        } else if matches!(node, Node::Function(..)) && T::is_folded(expander, at) {
            analysed.support(at).variables.iter().for_each(|variable| needed[variable.0] = true);
        } else {
            node.operands().for_each(|operand| needed[operand.0] = true);
        }
    }
    needed
}

type Expanded = Result<Value, ExpandError>;

impl<T: Target> Domain for Expander<'_, T> {
    type Value = Value;
    type Error = ExpandError;

    fn input(&mut self, at: NodeId, column: &str) -> Expanded {
        T::input(self, at, column)
    }

    fn add(&mut self, _: NodeId, a: Arg<'_, Value>, b: Arg<'_, Value>) -> Expanded {
        Ok(self.sum_of_two(a.value, b.value, Op::Add))
    }

    fn sub(&mut self, _: NodeId, a: Arg<'_, Value>, b: Arg<'_, Value>) -> Expanded {
        Ok(self.sum_of_two(a.value, b.value, Op::Sub))
    }

    fn neg(&mut self, _: NodeId, a: Arg<'_, Value>) -> Expanded {
        Ok(a.value.negated())
    }

    fn mul(&mut self, at: NodeId, a: Arg<'_, Value>, b: Arg<'_, Value>) -> Expanded {
        match T::product(self, at)? {
            Some(product) => Ok(product),
            None => Ok(Expander::mul(self, a.value, b.value)),
        }
    }

    fn scale(&mut self, _: NodeId, a: Arg<'_, Value>, k: &BigRational) -> Expanded {
        let only_use = a.node.is_some_and(|id| self.analysed.uses(id) == 1);
        Ok(T::scale(self, a.value, k, only_use))
    }

    fn offset(&mut self, _: NodeId, a: Arg<'_, Value>, c: &BigRational) -> Expanded {
        Ok(Expander::offset(self, a.value, c))
    }

    fn power(&mut self, _: NodeId, a: Arg<'_, Value>, exponent: u32) -> Expanded {
        Ok(Expander::power(self, a.value, exponent))
    }

    fn sum(&mut self, _: NodeId, a: Arg<'_, Value>) -> Expanded {
        Ok(Expander::sum(self, a.value))
    }

    fn mean(&mut self, _: NodeId, a: Arg<'_, Value>) -> Expanded {
        Ok(Expander::mean(self, a.value))
    }

    fn var(&mut self, _: NodeId, a: Arg<'_, Value>) -> Expanded {
        let range = self.range_of(a);
        Ok(self.variance(a.value, range))
    }

    fn cov(&mut self, _: NodeId, a: Arg<'_, Value>, b: Arg<'_, Value>) -> Expanded {
        let ranges = [self.range_of(a), self.range_of(b)];
        Ok(self.covariance([(a.value, ranges[0]), (b.value, ranges[1])]))
    }

    fn assume(&mut self, _: NodeId, a: Arg<'_, Value>, _: [&BigRational; 2]) -> Expanded {
        Ok(a.value.clone())
    }

    fn quantile(&mut self, _: NodeId, _: Arg<'_, Value>, _: &BigRational) -> Expanded {
        unreachable!("programs are expanded on data")
    }

    fn function(&mut self, _: NodeId, _: &Function, _: &[Argument<'_, Value>]) -> Expanded {
        unreachable!("functions are known, as tables may hold what they're of")
    }

    fn known(&mut self, at: NodeId, node: &Node) -> Option<Expanded> {
        let Node::Function(function, operands) = node else { return None };
        let Some((operand, known)) = known(self.analysed, at) else {
            return Some(T::function(self, at, function, operands));
        };
        let of = self.value(operand);
        Some(Ok(match known {
            Known::Operand => of,
            Known::Negated => of.negated(),
            Known::Constant(value) if value.is_zero() => {
                Value { node: T::zeros(self, of.node), factor: BigRational::one() }
            }
            Known::Constant(value) => self.constant_like(&of, &value),
        }))
    }

    fn done(&mut self, at: NodeId, _: &Node, value: Value) -> Expanded {
        self.check_work()?;
        // What the program's ranges say of the value holds for the node, too, as far as nothing is approximated.
        let error = BigRational::from_float(self.target.error(at));
        if let Some(error) = error.filter(|_| !value.factor.is_zero()) {
            let bound = (self.range(at).max_abs() + error) / value.factor.abs();
            self.graph.tighten(value.node, number::to_f64(&bound));
        }
        T::state(self, at, &value);
        self.keep(at, value.clone());
        Ok(value)
    }
}
