//! Programs that are put together while a function of Python is traced.

use asanoha::{
    data::Schema,
    program::{
        MAX_CONSTANT_BITS, ProgramBuilder, Shape, TermKinds,
        ops::{self, CallError, Lowered, Passed},
        parse_number,
    },
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyInt, PyString},
};

use crate::fault::Fault;

/// The kind of an operation: whether there's a value per row; a d with all values whole multiples of 1/d, if one is known; whether it's
/// of real numbers; whether it's finished after decryption where it's an output; whether it can be nothing else.
type Kind<'py> = (bool, Option<Bound<'py, PyAny>>, bool, bool, bool);

/// The operations of a function that is being traced, by their numbers from 0 on.
#[pyclass(module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct Builder {
    program: ProgramBuilder,
    kinds: TermKinds,
    values: Vec<Passed>,
}

/// A refusal as an error of Python, which the trace puts the operation before.
fn refused(error: &CallError) -> PyErr {
    let help = error.help().map_or_else(String::new, |help| format!(": {help}"));
    PyValueError::new_err(format!("{error}{help}"))
}

impl Builder {
    /// Makes an operation. Returns it, and true if it's finished after decryption where it's an output.
    fn made(&mut self, op: &str, arguments: Vec<Passed>, value: &str) -> Result<(Passed, bool), CallError> {
        let terms = &mut self.program;
        let lowered = match op {
            "column" => terms.input(value)?.into(),
            "constant" => {
                let constant = parse_number(value).ok_or_else(|| {
                    CallError::new(
                        format!("a constant has up to {MAX_CONSTANT_BITS} bits in p and q of p/q"),
                        None,
                    )
                })?;
                terms.constant(constant)?.into()
            }
            "text" => return Ok((Passed::Text(value.to_owned()), false)),
            "list" => return Ok((Passed::List(arguments), false)),
            "neg" => ops::operator(terms, "-", &arguments)?.into(),
            op => match ops::entry(op) {
                Some(entry) => entry.call(terms, arguments)?,
                None => ops::operator(terms, op, &arguments)?.into(),
            },
        };
        Ok(match lowered {
            Lowered::Value(term) => (Passed::Value(term), false),
            Lowered::Finished(_, Some(term)) => (Passed::Value(term), true),
            Lowered::Finished(_, None) => (Passed::Output, true),
            Lowered::Several(_) => (Passed::Counts, true),
        })
    }
}

#[pymethods]
impl Builder {
    /// A builder of programs on columns of a schema, given as JSON.
    #[new]
    fn new(schema: &str) -> PyResult<Self> {
        let schema = Schema::from_json(schema.as_bytes(), "schema").map_err(Fault::from)?;
        Ok(Self { program: ProgramBuilder::new(), kinds: TermKinds::new(schema), values: Vec::new() })
    }

    /// Adds an operation, named as the language names it, and returns its kind. `value` is the name of a `column`, the number of a
    /// `constant`, or a `text`; `neg` is the unary minus.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        op: &str,
        arguments: Vec<usize>,
        value: &Bound<'py, PyString>,
    ) -> PyResult<Kind<'py>> {
        let arguments = arguments.iter().map(|&argument| self.values[argument].clone()).collect();
        let (passed, is_finished) =
            self.made(op, arguments, &value.to_string_lossy()).map_err(|error| refused(&error))?;
        let kind = match &passed {
            Passed::Value(term) => {
                let kind = self.kinds.of(&self.program, *term).map_err(|error| refused(&error.into()))?;
                let unit = kind.denominator.map(|unit| py.get_type::<PyInt>().call1((unit.to_string(),)));
                (kind.shape == Shape::Column, unit.transpose()?, kind.is_real, is_finished, false)
            }
            _ => (false, None, false, is_finished, is_finished),
        };
        self.values.push(passed);
        Ok(kind)
    }
}
