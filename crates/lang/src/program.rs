//! Programs: graphs of operations over the columns of a table.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use asanoha_numeric::date;
use asanoha_table::Schema;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};

use crate::{
    dates::Dates,
    error::ProgramError,
    finished::{Call, Finish, Finished},
    function::Given,
    ids::{NodeId, Operand},
    node::Node,
    origin::{Origin, Origins},
    rounded::RoundedConstants,
    shape::Shape,
};

/// A function of the columns of a table: a graph of operations in which every node stands after its operands, no
/// operation stands twice, every node is needed by an output, and every node depends on the data.
///
/// `Display` prints it in its own language, and [`Program::parse`] of that is an equal program; files hold it so. Numbers that are
/// computed from a rounded constant are printed as they're computed, such as `_c0 = sqrt(2)`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Program {
    pub(crate) nodes: Vec<Node>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) outputs: Vec<(String, NodeId)>,
    pub(crate) inputs: Vec<String>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) finished: Vec<Finished>,
    /// The names of the results, in the order in which they were assigned.
    pub(crate) order: Vec<String>,
    pub(crate) origins: Origins,
    pub(crate) dates: Dates,
    pub(crate) rounded: RoundedConstants,
}

/// An output that is the same for all data: nothing is encrypted for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The output's name.
    pub name: String,
    /// Its value, exactly.
    pub value: BigRational,
    /// A column of the data in whose every row it stands; none where it's one number.
    pub column: Option<String>,
}

impl Program {
    /// Reads a program; see the [crate](crate) for the language, and [`parse_with`](crate::parse_with) for lists of constants.
    ///
    /// # Errors
    /// What isn't a program, with its place.
    pub fn parse(text: &str) -> Result<Self, ProgramError> {
        text.parse()
    }

    /// The operations, each after its operands.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The operation `id`.
    ///
    /// # Panics
    /// When `id` is of another program.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The shape of the result of `id`.
    ///
    /// # Panics
    /// When `id` is of another program.
    pub fn shape(&self, id: NodeId) -> Shape {
        self.shapes[id.0]
    }

    /// Every operation with its id, each after its operands.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index), node))
    }

    /// The outputs that are computed encrypted: those that a user asked for ([`Self::shown_outputs`]) in the order in which they
    /// were assigned, and then the parts of those that are finished after decryption ([`Self::finished`]).
    pub fn outputs(&self) -> &[(String, NodeId)] {
        &self.outputs
    }

    /// The encrypted outputs that a user asked for: all but the parts of [`Self::finished`].
    pub fn shown_outputs(&self) -> &[(String, NodeId)] {
        let parts: usize = self.finished.iter().map(|finished| finished.parts.len()).sum();
        &self.outputs[..self.outputs.len() - parts]
    }

    /// The outputs that the holder of the secret key finishes, in the order in which they were assigned. They stand after the
    /// encrypted ones wherever there are results, and before [`Self::constants`].
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// The shape of finished outputs: a column where a formula has a part that is one.
    pub fn finished_shape(&self, finished: &Finished) -> Shape {
        let is_part = |name: &String| finished.parts.contains(name);
        let mut parts = self.outputs.iter().filter(|(name, _)| is_part(name));
        let is_column = matches!(finished.function, Finish::Formula(_))
            && parts.any(|(_, id)| self.shape(*id) == Shape::Column);
        if is_column { Shape::Column } else { Shape::Number }
    }

    /// The outputs that are the same for all data, in the order in which they were assigned. They stand after the others
    /// wherever there are results.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The names of all results, also of those that are constants or finished after decryption, in the order in which they were
    /// assigned.
    pub fn result_names(&self) -> &[String] {
        &self.order
    }

    /// The columns that the outputs need, in the order of their nodes.
    pub fn input_names(&self) -> &[String] {
        &self.inputs
    }

    /// The column of the data that an operation is.
    pub fn column(&self, id: NodeId) -> Option<&str> {
        if let Node::Input(name) = self.node(id) { Some(name) } else { None }
    }

    /// Whether every output is an exact fraction: all columns used are whole or decimals, and nothing is approximated.
    pub fn is_exact(&self, schema: &Schema) -> bool {
        let exact = schema.columns.iter().filter(|column| column.whole || column.places > 0);
        let exact: HashSet<&str> = exact.map(|column| column.name.as_str()).collect();
        self.inputs.iter().all(|name| exact.contains(name.as_str()))
            && !self.nodes.iter().any(Node::is_approximate)
    }

    /// The smooth functions of constants that the program computes with, such as `sqrt(2)`, as they're written, and the numbers that
    /// stand in their places: the decimal numbers that are written for their doubles. Exact results are exact for these. They follow
    /// from the program's text; none is the number of a function of which a file of a former version says that it was computed
    /// into others.
    ///
    /// ```
    /// use asanoha_lang::Program;
    ///
    /// let program = Program::parse("y = x * sqrt(2) + sqrt(4)")?;
    /// let rounded: Vec<_> = program.rounded_constants().iter().collect();
    /// assert_eq!(rounded, [(&"sqrt(2)".to_owned(), &Some(1.4142135623730951))]);
    /// assert_eq!(Program::parse(&program.to_string())?.rounded_constants(), program.rounded_constants());
    /// # Ok::<(), asanoha_lang::ProgramError>(())
    /// ```
    pub fn rounded_constants(&self) -> &BTreeMap<String, Option<f64>> {
        &self.rounded.stated
    }

    /// Checks the rounded constants that a file states beside the program's text, which must be those that follow from it. Texts of
    /// former versions have the numbers alone: then the number of a function that the file states is told where the program computes
    /// with it, and is none where other numbers were computed from it, which the text can't show.
    ///
    /// # Errors
    /// Other functions than the program computes with, in words.
    pub fn with_rounded_constants(mut self, expressions: &[String]) -> Result<Self, String> {
        if self.rounded.stated.is_empty() {
            let numbers: HashSet<BigRational> = self.numbers().collect();
            for expression in expressions {
                let alone = Self::parse(&format!("c = {expression}")).ok();
                let own = alone.as_ref().and_then(|alone| {
                    let (_, double) = alone.rounded.stated.get_key_value(expression)?;
                    Some((*double, &alone.constants.first()?.value))
                });
                let Some((double, value)) = own else {
                    return Err(format!("{expression:?} is no function of a constant that is rounded"));
                };
                let shown = double.filter(|_| numbers.contains(value));
                self.rounded.stated.insert(expression.clone(), shown);
            }
        }
        if self.rounded.stated.keys().eq(expressions.iter().collect::<BTreeSet<_>>()) {
            return Ok(self);
        }
        let named = |names: Vec<&String>| match &names[..] {
            [] => "none".to_owned(),
            _ => names.iter().map(|name| name.escape_debug().to_string()).collect::<Vec<_>>().join(", "),
        };
        Err(format!(
            "it states the rounded constants {}, and its program has {}",
            named(expressions.iter().collect()),
            named(self.rounded.stated.keys().collect())
        ))
    }

    /// The constants in operations and outputs, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = BigRational> {
        let of_node = |node: &Node| match node {
            Node::Scale(_, number) | Node::Offset(_, number) | Node::Quantile(_, number) => {
                vec![number.clone()]
            }
            Node::Assume(_, lo, hi) => vec![lo.clone(), hi.clone()],
            Node::Function(_, operands) => {
                let whole = operands.iter().filter_map(|operand| match operand {
                    Operand::Constant(whole) => Some(BigRational::from_integer((*whole).into())),
                    Operand::Value(_) => None,
                });
                whole.collect()
            }
            _ => Vec::new(),
        };
        self.nodes
            .iter()
            .flat_map(of_node)
            .chain(self.constants.iter().map(|constant| constant.value.clone()))
    }

    /// How many times each node is used, by other nodes and as an output.
    pub fn use_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.nodes.len()];
        let used = self.nodes.iter().flat_map(Node::operands).chain(self.outputs.iter().map(|&(_, id)| id));
        for id in used {
            counts[id.0] += 1;
        }
        counts
    }

    /// Where an operation stands in the text that the program was read from; what it was made of, for one that was made of
    /// another. `None` in programs without a text.
    pub fn origin(&self, id: NodeId) -> Option<&Origin> {
        self.origins.0.get(id.0)?.as_ref()
    }

    /// The columns that are compared with text, or looked up by it: they're columns of text, however their cells look. A text that is a
    /// date makes no column one of text.
    ///
    /// ```
    /// use asanoha_lang::Program;
    ///
    /// let program = Program::parse("n = count(code == '2A' and day > 3)")?;
    /// assert_eq!(program.text_columns(), ["code"]);
    /// # Ok::<(), asanoha_lang::ProgramError>(())
    /// ```
    pub fn text_columns(&self) -> Vec<String> {
        let is_of_text = |name: &&String| {
            self.nodes.iter().filter_map(Node::function).any(|(function, of)| {
                let column = of[0].node().and_then(|id| self.column(id));
                let is_of_text = match function.given() {
                    Given::Text(text) => date::days(text).is_none(),
                    Given::Texts(_) => true,
                    _ => false,
                };
                is_of_text && column == Some(name.as_str())
            })
        };
        self.inputs.iter().filter(is_of_text).cloned().collect()
    }

    /// Where a column is first read.
    pub fn origin_of_column(&self, name: &str) -> Option<&Origin> {
        let is_column = |node: &Node| matches!(node, Node::Input(column) if column == name);
        self.origin(NodeId(self.nodes.iter().position(is_column)?))?.if_known()
    }

    /// The same program, of whose text nobody knows: messages name its functions as it does, and no places. Those of plan files
    /// are such.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        self.origins.0.iter_mut().flatten().for_each(Origin::forget_text);
        self
    }

    /// The call that gives these outputs.
    pub(crate) fn call_of(&self, finished: &Finished) -> Call {
        let part = |at: usize| {
            let name = &finished.parts[at];
            self.outputs.iter().find(|(output, _)| output == name).expect("parts are outputs").1
        };
        // Sums and variances of columns.
        let under = |at: usize| self.node(part(at)).operands().next().expect("it's of a column");
        match &finished.function {
            Finish::Formula(formula) => {
                Call::Formula(formula.text().to_owned(), (0..finished.parts.len()).map(part).collect())
            }
            Finish::Ratio => Call::Ratio(part(0), part(1)),
            Finish::RatioRoot => Call::RatioRoot(part(0), part(1)),
            Finish::Std => Call::Std(under(0)),
            Finish::Corr => Call::Corr(under(1), under(2)),
            Finish::LeastSquares => {
                Call::LeastSquares(under(0), (1..finished.results.len()).map(under).collect())
            }
        }
    }
}
