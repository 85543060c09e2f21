//! Syntax tree to graph.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    str::FromStr,
    sync::Arc,
};

use super::{dates::dates, parser, weights::Weights};
use crate::{
    builder::{ProgramBuilder, terms::Counted},
    error::{BuildError, ProgramError},
    finished::Unfinished,
    formula_outputs::formula_output,
    ids::Term,
    names,
    ops::{self, CallError, ENTRIES, Entry, Lowered, Passed},
    origin::{Origin, Written},
    own_functions::Functions,
    program::Program,
    quotient::quotient,
    source::{Place, Source},
    tree::{Expression, ExpressionId, Syntax},
};

impl FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        parse_with(text, &BTreeMap::new())
    }
}

/// Programs of files: their texts are nobody's, and quotients that they compute encrypted stay so.
impl TryFrom<String> for Program {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        let syntax = parser::parse(&text, &BTreeMap::new())?;
        let program = lowered(&text, &syntax, None, (&Functions::default(), Quotients::Encrypted))?;
        Ok(program.without_places())
    }
}

/// Who divides numbers over all rows that are outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotients {
    /// The key holder, exactly.
    Finished,
    /// The server, by an approximated 1/b.
    Encrypted,
}

struct Lowering<'a> {
    source: Source<'a>,
    /// The whole text, which messages give places in.
    text: Arc<str>,
    /// The syntax, if messages name operations by their expressions.
    traced: Option<Arc<Syntax>>,
    functions: &'a Functions,
    quotients: Quotients,
    builder: ProgramBuilder,
    /// Where each term of the builder came from.
    places: Vec<Place>,
    assigned: HashMap<String, Passed>,
    /// The columns that are read, with the line of each that reads it first.
    columns: HashMap<String, usize>,
    /// What the expressions became.
    values: Vec<Passed>,
    /// What is several outputs, with what follows the name in each one's name.
    several: HashMap<ExpressionId, Vec<(String, Term)>>,
    /// What is finished after decryption, if it's an output.
    unfinished: HashMap<ExpressionId, Unfinished>,
}

/// Reads a program that takes lists of constants from elsewhere: `@name` is the weights of that name.
///
/// ```
/// use asanoha_lang::{Program, Weights, parse_with};
///
/// let weights = Weights::from_bytes(b"bmi,bp,intercept\n0.5,-2,7\n", "w.csv")?;
/// let weights = [("w".to_owned(), weights)].into();
/// let program = parse_with("score = linear(@w)", &weights)?;
/// assert_eq!(program, Program::parse("score = dot([bmi, bp], [0.5, -2]) + 7")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What isn't a program, with its place, and names that there are no weights of.
pub fn parse_with(text: &str, weights: &BTreeMap<String, Weights>) -> Result<Program, ProgramError> {
    parse_with_functions(text, weights, &Functions::default())
}

/// Reads a program that calls functions of a list of its own beside those of the language. See [`Functions`] for an example.
///
/// The functions become operations of the language, so the program's text, which plans hold, is read without the list.
///
/// # Errors
/// As for [`parse_with`], and functions that become something else than operations of the language.
pub fn parse_with_functions(
    text: &str,
    weights: &BTreeMap<String, Weights>,
    functions: &Functions,
) -> Result<Program, ProgramError> {
    let syntax = parser::parse(text, weights)?;
    let program = lowered(text, &syntax, None, (functions, Quotients::Finished))?;
    if functions.is_empty() || program.to_string().parse::<Program>().is_ok_and(|read| read == program) {
        return Ok(program);
    }
    let message = "a function of the program's own list becomes an operation that the language doesn't have";
    let help = "build its value of `Terms` and `asanoha_lang::ops` only".to_owned();
    Err(Source(text).error(syntax.end, message, Some(help)))
}

/// Reads the text of a function that was traced, which its author hasn't seen: messages name operations by their expressions, in
/// which the lines that stay inside are written out, and by the outputs that they're computed for.
///
/// ```
/// use asanoha_lang::parse_traced;
///
/// let error = parse_traced("_t1 = 2 * x\ntotal = sum(_t1 - _t1)").unwrap_err();
/// assert!(error.message.starts_with("`2 * x - 2 * x` in output `total`: this is the same for all data"));
/// ```
///
/// # Errors
/// Text that isn't a program.
pub fn parse_traced(text: &str) -> Result<Program, ProgramError> {
    let syntax = Arc::new(parser::parse(text, &BTreeMap::new())?);
    let options = (&Functions::default(), Quotients::Finished);
    lowered(text, &syntax, Some(syntax.clone()), options).map_err(|error| {
        let place = Place { line: error.line, column: error.column };
        let named = syntax.at(place).map(|id| format!("{}: {}", syntax.described(id), error.message));
        ProgramError { message: named.unwrap_or_else(|| error.message.clone()), ..error }
    })
}

fn lowered(
    text: &str,
    syntax: &Syntax,
    traced: Option<Arc<Syntax>>,
    (functions, quotients): (&Functions, Quotients),
) -> Result<Program, ProgramError> {
    let source = Source(text);
    // Traced functions and files have days in the place of dates.
    let user = traced.is_none() && quotients == Quotients::Finished;
    let mut lowering = Lowering {
        source,
        text: text.into(),
        traced,
        functions,
        quotients,
        builder: ProgramBuilder::new(),
        places: Vec::new(),
        assigned: HashMap::new(),
        columns: HashMap::new(),
        values: Vec::with_capacity(syntax.expressions.len()),
        several: HashMap::new(),
        unfinished: HashMap::new(),
    };
    lowering.builder.set_counted(counted(syntax));
    let mut expressions = syntax.expressions.iter();
    for assignment in &syntax.assignments {
        let count = assignment.value + 1 - lowering.values.len();
        for (expression, at) in expressions.by_ref().take(count) {
            lowering.expression(expression, *at)?;
        }
        lowering.assign(&assignment.name, assignment.at, assignment.value)?;
    }
    let Lowering { builder, places, text, .. } = lowering;
    let program = builder.finish().map_err(|error| {
        let at = match &error {
            BuildError::AlwaysConstant { term, .. } => {
                places.get(term.index()).copied().unwrap_or(syntax.end)
            }
            _ => syntax.end,
        };
        source.error(at, error.to_string(), error.help())
    })?;
    let Some(syntax) = user.then_some(syntax) else { return Ok(program) };
    let origin = |id: ExpressionId| Origin::new(text.clone(), syntax.expressions[id].1, Written::default());
    Ok(Program { dates: dates(syntax, origin), ..program })
}

/// The column whose rows are counted where no condition is given: the first that isn't compared with text or looked up by it, or else
/// one of text.
fn counted(syntax: &Syntax) -> Option<Counted> {
    let expression = |id: ExpressionId| &syntax.expressions[id].0;
    let name = |id: ExpressionId| match expression(id) {
        Expression::Name(name) | Expression::Column(name) => Some(name.as_str()),
        _ => None,
    };
    let mut others: HashSet<&str> =
        syntax.assignments.iter().map(|assignment| assignment.name.as_str()).collect();
    let mut text_column = None;
    for (expression_of, _) in &syntax.expressions {
        match expression_of {
            Expression::Binary(_, a, b) => {
                for (text, column) in [(*a, *b), (*b, *a)] {
                    if let (Expression::Text(text), Some(column)) = (expression(text), name(column))
                        && others.insert(column)
                    {
                        text_column.get_or_insert(Counted::Text(column.to_owned(), text.clone()));
                    }
                }
            }
            Expression::Call(_, arguments)
                if arguments.iter().any(|&id| matches!(expression(id), Expression::Entries(_))) =>
            {
                others.extend(arguments.first().and_then(|&id| name(id)));
            }
            _ => {}
        }
    }
    let mut names = (0..syntax.expressions.len()).filter_map(name);
    let numbers = names.find(|name| !others.contains(name) && names::reserved(name).is_none());
    numbers.map(|name| Counted::Numbers(name.to_owned())).or(text_column)
}

impl Lowering<'_> {
    fn error(&self, at: Place, error: &BuildError) -> ProgramError {
        self.source.error(at, error.to_string(), error.help())
    }

    fn misused(&self, at: Place, error: &CallError) -> ProgramError {
        self.source.error(at, error.to_string(), error.help())
    }

    fn expression(&mut self, expression: &Expression, at: Place) -> Result<(), ProgramError> {
        let written = match expression {
            Expression::Call(name, _) => self.entry(name).map_or_else(Written::default, |entry| Written {
                name: Some(entry.name),
                remedy: entry.remedy,
            }),
            Expression::Binary(operator, ..) => Written { name: Some(*operator), remedy: None },
            Expression::Not(symbol, _) => Written { name: Some(*symbol), remedy: None },
            _ => Written::default(),
        };
        let origin = match &self.traced {
            Some(syntax) => Origin::of_expression(syntax.clone(), self.values.len(), at, written),
            None => Origin::new(self.text.clone(), at, written),
        };
        self.builder.set_origin(Some(origin));
        let passed = match expression {
            Expression::Number(value) => {
                let constant = self.builder.constant(value.clone());
                self.made(constant, at)?
            }
            Expression::Date(days) => {
                let constant = self.builder.integer(*days);
                self.made(constant, at)?
            }
            Expression::Name(name) => self.name(name, at)?,
            Expression::Column(name) => self.column(name, at)?,
            Expression::Plus(a) => Passed::Value(self.value(*a, at)?),
            Expression::Minus(a) => self.operator("-", &[*a], at)?,
            Expression::Not(symbol, a) => self.operator(symbol, &[*a], at)?,
            Expression::Text(text) => Passed::Text(text.clone()),
            Expression::Binary(operator, a, b) => self.operator(operator, &[*a, *b], at)?,
            Expression::Call(name, arguments) => self.call(name, arguments, at)?,
            Expression::List(items) => {
                Passed::List(items.iter().map(|&item| self.values[item].clone()).collect())
            }
            Expression::Entries(items) => {
                let pair =
                    |pair: &[ExpressionId]| (self.values[pair[0]].clone(), self.values[pair[1]].clone());
                Passed::Entries(items.chunks_exact(2).map(pair).collect())
            }
        };
        self.places.resize(self.builder.term_count(), at);
        self.values.push(passed);
        Ok(())
    }

    /// A term as what's passed on.
    fn made(&self, made: Result<Term, BuildError>, at: Place) -> Result<Passed, ProgramError> {
        made.map(Passed::Value).map_err(|error| self.error(at, &error))
    }

    /// A column of the data.
    fn input(&mut self, name: &str, at: Place) -> Result<Passed, ProgramError> {
        self.columns.entry(name.to_owned()).or_insert(at.line);
        let input = self.builder.input(name);
        self.made(input, at)
    }

    /// A value that was assigned, or else a column of the data.
    fn name(&mut self, name: &str, at: Place) -> Result<Passed, ProgramError> {
        if let Some(value) = self.assigned.get(name) {
            return Ok(value.clone());
        }
        if let Some(what) = names::reserved(name).filter(|_| !names::COLUMNS.contains(&name)) {
            let help = format!("call it, such as `{name}(x)`");
            return Err(self.source.error(at, format!("`{name}` is {what}, not a value"), Some(help)));
        }
        self.input(name, at)
    }

    /// A column of the data, in back-quotes.
    fn column(&mut self, name: &str, at: Place) -> Result<Passed, ProgramError> {
        if self.assigned.contains_key(name) {
            let message = format!("`{name}` was assigned, and back-quotes are for columns of the data");
            let help = "give the value or the column another name".to_owned();
            return Err(self.source.error(at, message, Some(help)));
        }
        self.input(name, at)
    }

    /// The term of a part of an expression.
    fn value(&self, id: ExpressionId, at: Place) -> Result<Term, ProgramError> {
        self.values[id].value().map_err(|error| self.misused(at, &error))
    }

    /// An operator of some parts of an expression.
    fn operator(&mut self, symbol: &str, parts: &[ExpressionId], at: Place) -> Result<Passed, ProgramError> {
        let arguments: Vec<Passed> = parts.iter().map(|&part| self.values[part].clone()).collect();
        let made = ops::operator(&mut self.builder, symbol, &arguments);
        made.map(Passed::Value).map_err(|error| self.misused(at, &error))
    }

    /// The function of a name, in the language or the program's own list.
    fn entry(&self, name: &str) -> Option<&'static Entry> {
        ops::entry(name).or_else(|| self.functions.entry(name))
    }

    /// A call that is known, with as many arguments as it takes.
    fn call(&mut self, name: &str, arguments: &[ExpressionId], at: Place) -> Result<Passed, ProgramError> {
        let Some(entry) = self.entry(name) else {
            let help = match ops::nearest(name) {
                _ if let Some(instead) = ops::instead(name) => instead.to_owned(),
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None if self.assigned.contains_key(name) => format!("a product is written `{name} * (..)`"),
                None => {
                    let known: Vec<&str> =
                        ENTRIES.into_iter().chain(self.functions.entries()).map(|entry| entry.name).collect();
                    format!("there are {}", known.join(", "))
                }
            };
            return Err(self.source.error(at, format!("there is no function `{name}`"), Some(help)));
        };
        let arguments = arguments.iter().map(|&argument| self.values[argument].clone()).collect();
        let lowered = entry.call(&mut self.builder, arguments);
        match lowered.map_err(|error| self.misused(at, &error))? {
            Lowered::Value(term) => Ok(Passed::Value(term)),
            Lowered::Finished(unfinished, term) => {
                self.unfinished.insert(self.values.len(), unfinished);
                Ok(term.map_or(Passed::Output, Passed::Value))
            }
            Lowered::Several(outputs) => {
                self.several.insert(self.values.len(), outputs);
                Ok(Passed::Counts)
            }
        }
    }

    fn assign(&mut self, name: &str, at: Place, value: ExpressionId) -> Result<(), ProgramError> {
        if self.assigned.contains_key(name) {
            let help = "every name is assigned once: give this one another name";
            return Err(self.source.error(at, format!("`{name}` is assigned twice"), Some(help.to_owned())));
        }
        if let Some(&line) = self.columns.get(name) {
            if line == at.line {
                let error = BuildError::OutputIsInput { name: name.to_owned() };
                return Err(self.error(at, &error));
            }
            let message =
                format!("`{name}` is read as a column of the data in line {line}, and assigned here");
            let help = "move this line above those that use it, or give the result another name".to_owned();
            return Err(self.source.error(at, message, Some(help)));
        }
        if let Some(outputs) = self.several.remove(&value) {
            for (suffix, term) in outputs.into_iter().filter(|_| !name.starts_with('_')) {
                let output = self.builder.output(&format!("{name}{suffix}"), term);
                output.map_err(|error| self.error(at, &error))?;
            }
            self.assigned.insert(name.to_owned(), Passed::Output);
            return Ok(());
        }
        if let Some(unfinished) = self.unfinished.remove(&value).filter(|_| !name.starts_with('_')) {
            self.builder.finish_output(name, unfinished).map_err(|error| self.error(at, &error))?;
            self.assigned.insert(name.to_owned(), self.values[value].clone());
            return Ok(());
        }
        let term = self.value(value, at)?;
        if !name.starts_with('_') && self.quotients == Quotients::Finished {
            let finished = self.finished(term).map_err(|error| self.error(at, &error))?;
            if let Some(finished) = finished {
                self.builder.finish_output(name, finished).map_err(|error| self.error(at, &error))?;
                self.places.resize(self.builder.term_count(), at);
                self.assigned.insert(name.to_owned(), Passed::Value(term));
                return Ok(());
            }
        }
        if !name.starts_with('_') {
            self.builder.output(name, term).map_err(|error| self.error(at, &error))?;
        }
        self.assigned.insert(name.to_owned(), Passed::Value(term));
        Ok(())
    }

    /// A value as the key holder finishes it, where it is costly under encryption.
    fn finished(&mut self, term: Term) -> Result<Option<Unfinished>, BuildError> {
        if let Some(finished) = formula_output(&mut self.builder, term)? {
            return Ok(Some(finished));
        }
        let parts = quotient(&mut self.builder, term)?;
        parts.map(|[dividend, divisor]| ops::ratio(&mut self.builder, dividend, divisor)).transpose()
    }
}
