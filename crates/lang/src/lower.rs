//! Syntax tree to graph.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;

use super::builder::{ProgramBuilder, Term};
use super::error::{BuildError, ProgramError};
use super::finished::Unfinished;
use super::function::Function;
use super::lexer::{Place, Source};
use super::names::{self, FUNCTIONS};
use super::node::Program;
use super::origin::Origin;
use super::parser::{self, Expression, ExpressionId};
use super::smooth::SmoothFunction;
use super::weights::Weights;

/// The most values of a histogram.
const MAX_BINS: u64 = 256;

/// What an expression became: lists and texts are no values.
type Lowered = Option<Term>;

struct Lowering<'a> {
    source: Source<'a>,
    /// The whole text.
    text: Arc<str>,
    builder: ProgramBuilder,
    /// Where each term of the builder came from.
    places: Vec<Place>,
    assigned: HashMap<String, Lowered>,
    columns: HashSet<String>,
    values: Vec<Lowered>,
    /// The items of the lists.
    lists: HashMap<ExpressionId, Vec<ExpressionId>>,
    /// The texts.
    texts: HashMap<ExpressionId, String>,
    /// The counts of histograms, each with its value.
    counts: HashMap<ExpressionId, Vec<(i64, Term)>>,
    /// What is finished after decryption, if it's an output.
    unfinished: HashMap<ExpressionId, Unfinished>,
}

/// Reads a whole program.
pub(super) fn program(text: &str, weights: &BTreeMap<String, Weights>) -> Result<Program, ProgramError> {
    let syntax = parser::parse(text, weights)?;
    let source = Source(text);
    let mut lowering = Lowering {
        source,
        text: text.into(),
        builder: ProgramBuilder::new(),
        places: Vec::new(),
        assigned: HashMap::new(),
        columns: HashSet::new(),
        values: Vec::with_capacity(syntax.expressions.len()),
        lists: HashMap::new(),
        texts: HashMap::new(),
        counts: HashMap::new(),
        unfinished: HashMap::new(),
    };
    let mut expressions = syntax.expressions.iter();
    for assignment in &syntax.assignments {
        let count = assignment.value + 1 - lowering.values.len();
        for (expression, at) in expressions.by_ref().take(count) {
            lowering.expression(expression, *at)?;
        }
        lowering.assign(&assignment.name, assignment.at, assignment.value)?;
    }
    let Lowering { builder, places, .. } = lowering;
    builder.finish().map_err(|error| {
        let at = match &error {
            BuildError::AlwaysConstant { term, .. } => {
                places.get(term.index()).copied().unwrap_or(syntax.end)
            }
            _ => syntax.end,
        };
        source.error(at, error.to_string(), error.help())
    })
}

impl Lowering<'_> {
    fn error(&self, at: Place, error: &BuildError) -> ProgramError {
        self.source.error(at, error.to_string(), error.help())
    }

    fn expression(&mut self, expression: &Expression, at: Place) -> Result<(), ProgramError> {
        let name = match expression {
            Expression::Call(name, _) => names::function(name).map(|function| function.name),
            Expression::Binary(operator, ..) => Some(*operator),
            Expression::Not(_) => Some("not"),
            _ => None,
        };
        self.builder.set_origin(Some(Origin::new(self.text.clone(), at, name)));
        let lowered = match expression {
            Expression::Number(value) => self.builder.constant(value.clone()).map(Some),
            Expression::Name(name) => self.name(name, at)?,
            Expression::Column(name) => self.column(name, at)?,
            Expression::Plus(a) => Ok(Some(self.value(*a, at)?)),
            Expression::Minus(a) => {
                let a = self.value(*a, at)?;
                self.builder.neg(a).map(Some)
            }
            Expression::Not(a) => {
                let a = self.value(*a, at)?;
                self.builder.neither(a).map(Some)
            }
            Expression::Text(text) => {
                self.texts.insert(self.values.len(), text.clone());
                Ok(None)
            }
            Expression::Binary(operator @ ("==" | "!="), a, b)
                if self.texts.contains_key(a) != self.texts.contains_key(b) =>
            {
                let (column, text) = if self.texts.contains_key(a) { (b, a) } else { (a, b) };
                let column = self.value(*column, at)?;
                self.builder.category(column, &self.texts[text], *operator == "==").map(Some)
            }
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.value(*a, at)?, self.value(*b, at)?);
                self.binary(operator, a, b).map(Some)
            }
            Expression::Call(name, arguments) if name == "histogram" && arguments.len() == 3 => {
                let counts = self.histogram(arguments, at)?;
                self.counts.insert(self.values.len(), counts);
                Ok(None)
            }
            Expression::Call(name, arguments) => Ok(self.call(name, arguments, at)?),
            Expression::List(items) => {
                self.lists.insert(self.values.len(), items.clone());
                Ok(None)
            }
        };
        let lowered = lowered.map_err(|error| self.error(at, &error))?;
        self.places.resize(self.builder.term_count(), at);
        self.values.push(lowered);
        Ok(())
    }

    /// A value that was assigned, or else a column of the data.
    fn name(&mut self, name: &str, at: Place) -> Result<Result<Lowered, BuildError>, ProgramError> {
        if let Some(&value) = self.assigned.get(name) {
            return Ok(Ok(value));
        }
        if let Some(what) = names::reserved(name) {
            let help = format!("call it, such as `{name}(x)`");
            return Err(self.source.error(at, format!("`{name}` is {what}, not a value"), Some(help)));
        }
        self.columns.insert(name.to_owned());
        Ok(self.builder.input(name).map(Some))
    }

    /// A column of the data, in back-quotes.
    fn column(&mut self, name: &str, at: Place) -> Result<Result<Lowered, BuildError>, ProgramError> {
        if self.assigned.contains_key(name) {
            let message = format!("`{name}` was assigned, and back-quotes are for columns of the data");
            let help = "give the value or the column another name".to_owned();
            return Err(self.source.error(at, message, Some(help)));
        }
        self.columns.insert(name.to_owned());
        Ok(self.builder.input(name).map(Some))
    }

    /// The term of a part of an expression.
    fn value(&self, id: ExpressionId, at: Place) -> Result<Term, ProgramError> {
        self.values[id].ok_or_else(|| {
            if self.texts.contains_key(&id) {
                return self.error(at, &BuildError::MisplacedText);
            }
            let is_list = self.lists.contains_key(&id) || self.counts.contains_key(&id);
            let (message, help) = if is_list {
                (
                    "this is done with a list, which is not a value",
                    "lists stand in `table`, `table2`, `dot` and `least_squares` only, and a histogram is an output of its own",
                )
            } else {
                (
                    "this is done with what is an output only",
                    "`mean_where`, `ratio` and `least_squares` are finished after decryption, and a histogram is several outputs: nothing is computed from these",
                )
            };
            self.source.error(at, message, Some(help.to_owned()))
        })
    }

    fn binary(&mut self, operator: &str, a: Term, b: Term) -> Result<Term, BuildError> {
        match operator {
            "+" => self.builder.add(a, b),
            "-" => self.builder.sub(a, b),
            "*" => self.builder.mul(a, b),
            "/" => self.builder.div(a, b),
            "**" => self.builder.power(a, b),
            "and" => self.builder.both(a, b),
            "or" => self.builder.either(a, b),
            operator => {
                let function = Function::of_operator(operator).expect("the parser knows no other operators");
                self.builder.function(function, &[a, b])
            }
        }
    }

    /// A call that is known, with as many arguments as it takes.
    fn call(&mut self, name: &str, arguments: &[ExpressionId], at: Place) -> Result<Lowered, ProgramError> {
        let Some(function) = names::function(name) else {
            let help = match names::nearest_function(name) {
                _ if matches!(name, "len" | "size" | "nrow" | "n") => {
                    "the number of rows is public; `count(condition)` counts rows of a condition".to_owned()
                }
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None if self.assigned.contains_key(name) => format!("a product is written `{name} * (..)`"),
                None => {
                    let known: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
                    format!("there are {}", known.join(", "))
                }
            };
            return Err(self.source.error(at, format!("there is no function `{name}`"), Some(help)));
        };
        let (least, most) = function.arguments;
        if arguments.len() < least || arguments.len() > most {
            let plural = if least == 1 { "" } else { "s" };
            let or_more = if most > least { " or more" } else { "" };
            let message =
                format!("`{name}` takes {least} argument{plural}{or_more}, and here are {}", arguments.len());
            let help = (name == "round").then(|| "one decimal place is `round(10 * x) / 10`".to_owned());
            return Err(self.source.error(at, message, help));
        }
        let unfinished = self.finished(name, arguments, at)?.transpose();
        let unfinished = unfinished.map_err(|error| self.error(at, &error))?;
        let is_finished = unfinished.is_some();
        self.unfinished.extend(unfinished.map(|unfinished| (self.values.len(), unfinished)));
        // A deviation or correlation may be computed encrypted too, as part of something else.
        if is_finished && !matches!(name, "std" | "corr") {
            return Ok(None);
        }
        self.function(name, arguments, at).map(Some)
    }

    /// What is finished after decryption if it's an output.
    fn finished(
        &mut self,
        name: &str,
        arguments: &[ExpressionId],
        at: Place,
    ) -> Result<Option<Result<Unfinished, BuildError>>, ProgramError> {
        let argument = |index: usize| self.value(arguments[index], at);
        Ok(Some(match (name, arguments.len()) {
            ("ratio", _) => {
                let (a, b) = (argument(0)?, argument(1)?);
                self.builder.ratio(a, b)
            }
            ("mean_where", _) => {
                let (y, c) = (argument(0)?, argument(1)?);
                self.builder.mean_where(y, c)
            }
            ("std", 1) => {
                let a = argument(0)?;
                self.builder.finished_std(a)
            }
            ("corr", 2) => {
                let (a, b) = (argument(0)?, argument(1)?);
                self.builder.finished_corr(a, b)
            }
            ("least_squares", _) => {
                let y = argument(0)?;
                let columns = self.lists.get(&arguments[1]).map_or(&[][..], Vec::as_slice);
                let columns =
                    columns.iter().map(|&column| self.value(column, at)).collect::<Result<Vec<_>, _>>()?;
                self.builder.least_squares(y, &columns)
            }
            _ => return Ok(None),
        }))
    }

    fn function(&mut self, name: &str, arguments: &[ExpressionId], at: Place) -> Result<Term, ProgramError> {
        let argument = |index: usize| self.value(arguments[index], at);
        let result = match name {
            "linear" => Err(BuildError::BadConstants {
                function: "linear",
                wanted: "the weights of a file, such as linear(@weights)",
            }),
            "sum" | "mean" | "var" | "count" | "cov" | "std" | "corr" | "quantile" | "dot" => {
                self.statistic(name, arguments, at)?
            }
            "min" | "max" if arguments.len() == 1 => self.statistic(name, arguments, at)?,
            "clip" => {
                let (x, lo, hi) = (argument(0)?, argument(1)?, argument(2)?);
                self.builder.clip(x, lo, hi)
            }
            "assume" => {
                let (x, lo, hi) = (argument(0)?, argument(1)?, argument(2)?);
                self.builder.assume(x, lo, hi)
            }
            "floor" => self.builder.function(Function::Floor, &[argument(0)?]),
            "round" => self.builder.round(argument(0)?),
            "less_than" => {
                let (a, b, gap) = (argument(0)?, argument(1)?, argument(2)?);
                self.builder.less(a, b, gap)
            }
            "sign" => {
                let (x, gap) = (argument(0)?, arguments.get(1).map(|_| argument(1)).transpose()?);
                self.builder.sign(x, gap)
            }
            "relu" => {
                let x = argument(0)?;
                let zero = self.builder.integer(0);
                zero.and_then(|zero| {
                    self.builder.function(Function::Binary(BinaryFunction::Maximum), &[x, zero])
                })
            }
            "abs" => self.builder.function(Function::Absolute, &[argument(0)?]),
            "where" => {
                let arguments = [argument(0)?, argument(1)?, argument(2)?];
                self.builder.function(Function::Where, &arguments)
            }
            "min" | "max" => {
                let terms = (0..arguments.len()).map(argument).collect::<Result<Vec<_>, _>>()?;
                let function = Function::of_operator(name).expect("both are functions of two numbers");
                let mut rest = terms[1..].iter();
                rest.try_fold(terms[0], |best, &term| self.builder.function(function.clone(), &[best, term]))
            }
            "table" => {
                let x = argument(0)?;
                let entries = self
                    .entries(arguments[1])
                    .ok_or(BuildError::BadTable { function: "table", wanted: "entries" });
                entries.and_then(|entries| self.builder.function(Function::Table(entries), &[x]))
            }
            "table2" => {
                let (x, y) = (argument(0)?, argument(1)?);
                let rows = self
                    .lists
                    .get(&arguments[2])
                    .and_then(|rows| rows.iter().map(|&row| self.entries(row)).collect::<Option<Vec<_>>>());
                let rows = rows.ok_or(BuildError::BadTable { function: "table2", wanted: "rows" });
                rows.and_then(|rows| self.builder.function(Function::Table2(rows), &[x, y]))
            }
            _ => {
                let function = SmoothFunction::ALL.into_iter().find(|function| function.name() == name);
                self.builder.smooth(function.expect("all others are smooth"), argument(0)?)
            }
        };
        result.map_err(|error| self.error(at, &error))
    }

    /// A function of the rows of columns, or of lists.
    fn statistic(
        &mut self,
        name: &str,
        arguments: &[ExpressionId],
        at: Place,
    ) -> Result<Result<Term, BuildError>, ProgramError> {
        let argument = |index: usize| self.value(arguments[index], at);
        Ok(match name {
            "sum" => self.builder.sum(argument(0)?),
            "mean" => self.builder.mean(argument(0)?),
            "var" => self.builder.var(argument(0)?),
            "count" => self.builder.count(argument(0)?),
            "cov" => {
                let (a, b) = (argument(0)?, argument(1)?);
                self.builder.cov(a, b)
            }
            "std" if arguments.len() != 2 => {
                let ends = if arguments.len() == 3 { Some([argument(1)?, argument(2)?]) } else { None };
                let a = argument(0)?;
                self.builder.std(a, ends)
            }
            "corr" if arguments.len() != 3 => {
                let ends = if arguments.len() == 4 { Some([argument(2)?, argument(3)?]) } else { None };
                let (a, b) = (argument(0)?, argument(1)?);
                self.builder.corr(a, b, ends)
            }
            "std" | "corr" => Err(BuildError::BadConstants {
                function: if name == "std" { "std" } else { "corr" },
                wanted: "both ends of the deviations, or neither",
            }),
            "quantile" => {
                let (x, q) = (argument(0)?, argument(1)?);
                self.builder.constant_value(q).and_then(|q| match q {
                    Some(q) => self.builder.quantile(x, &q),
                    None => Err(BuildError::BadConstants {
                        function: "quantile",
                        wanted: "a constant from 0 to 1",
                    }),
                })
            }
            "dot" if self.lists.contains_key(&arguments[0]) || self.lists.contains_key(&arguments[1]) => {
                let pairs = self.pairs(arguments, at)?;
                self.builder.weighted(&pairs)
            }
            "dot" => {
                let (a, b) = (argument(0)?, argument(1)?);
                self.builder.dot(a, b)
            }
            _ => {
                let q = BigRational::from_integer(u8::from(name == "max").into());
                self.builder.quantile(argument(0)?, &q)
            }
        })
    }

    /// The terms of two lists of one length, two by two.
    fn pairs(&self, lists: &[ExpressionId], at: Place) -> Result<Vec<(Term, Term)>, ProgramError> {
        let (Some(a), Some(b)) = (self.lists.get(&lists[0]), self.lists.get(&lists[1])) else {
            return Err(self.source.error(
                at,
                "`dot` takes two columns or two lists, and here is one list",
                None,
            ));
        };
        if a.len() != b.len() || a.is_empty() {
            let message =
                format!("`dot` takes lists of one length, and here are {} and {} items", a.len(), b.len());
            return Err(self.source.error(at, message, None));
        }
        a.iter().zip(b).map(|(&a, &b)| Ok((self.value(a, at)?, self.value(b, at)?))).collect()
    }

    /// How many rows of a column have each of the whole parts between two constant whole numbers; of whole columns, the values.
    fn histogram(&mut self, arguments: &[ExpressionId], at: Place) -> Result<Vec<(i64, Term)>, ProgramError> {
        let bad = BuildError::BadConstants {
            function: "histogram",
            wanted: "a column and two constant whole numbers, the lower one first, with at most 256 from one to the other",
        };
        let column = self.value(arguments[0], at)?;
        let ends = [self.value(arguments[1], at)?, self.value(arguments[2], at)?];
        let values = match ends.map(|end| self.builder.whole_constant(end)) {
            [Some(lo), Some(hi)] if lo <= hi && hi.abs_diff(lo) < MAX_BINS => lo..=hi,
            _ => return Err(self.error(at, &bad)),
        };
        let mut count = |value: i64| {
            let part = self.builder.function(Function::Floor, &[column])?;
            let equal = self.builder.with_constant(BinaryFunction::Equal, part, value)?;
            Ok((value, self.builder.count(equal)?))
        };
        values.map(&mut count).collect::<Result<_, BuildError>>().map_err(|error| self.error(at, &error))
    }

    /// The entries of a list of constant whole numbers.
    fn entries(&self, list: ExpressionId) -> Option<Vec<i64>> {
        let entry = |&item: &ExpressionId| self.builder.whole_constant(self.values[item]?);
        self.lists.get(&list)?.iter().map(entry).collect()
    }

    fn assign(&mut self, name: &str, at: Place, value: ExpressionId) -> Result<(), ProgramError> {
        if self.assigned.contains_key(name) {
            let help = "every name is assigned once: give this one another name";
            return Err(self.source.error(at, format!("`{name}` is assigned twice"), Some(help.to_owned())));
        }
        if self.columns.contains(name) {
            let error = BuildError::OutputIsInput { name: name.to_owned() };
            return Err(self.error(at, &error));
        }
        if let Some(counts) = self.counts.get(&value) {
            for &(value, term) in counts.iter().filter(|_| !name.starts_with('_')) {
                let sign = if value < 0 { "minus_" } else { "" };
                let output = self.builder.output(&format!("{name}_{sign}{}", value.unsigned_abs()), term);
                output.map_err(|error| self.source.error(at, error.to_string(), error.help()))?;
            }
            self.assigned.insert(name.to_owned(), None);
            return Ok(());
        }
        if let Some(unfinished) = self.unfinished.remove(&value).filter(|_| !name.starts_with('_')) {
            self.builder.finish_output(name, unfinished).map_err(|error| self.error(at, &error))?;
            self.assigned.insert(name.to_owned(), self.values[value]);
            return Ok(());
        }
        let term = self.value(value, at)?;
        if !name.starts_with('_') {
            self.builder.output(name, term).map_err(|error| self.error(at, &error))?;
        }
        self.assigned.insert(name.to_owned(), Some(term));
        Ok(())
    }
}
