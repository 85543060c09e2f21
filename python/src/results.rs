//! Decrypted results.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
    ffi_stream::FFI_ArrowArrayStream,
};
use arrow_schema::{Field, Schema};
use asanoha::{
    execute,
    plan::Plan,
    program::{OutputInfo, OutputKind, Shape},
    report::{Answers, Lost},
};
use num_traits::ToPrimitive;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyCapsule, PyList},
};

use crate::{advice::words, fault::Fault};

/// The results of a plan, out of encryption.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct Decrypted {
    answers: Answers,
    /// The rows of the inputs that were left out, from 0.
    left_out: Vec<usize>,
}

/// The decrypted results of a part of the rows.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct Part {
    /// The plan for its rows.
    pub(crate) plan: Arc<Plan>,
    /// Nothing after it was merged.
    part: Mutex<Option<execute::Part>>,
}

impl Part {
    pub(crate) fn new(plan: Arc<Plan>, part: execute::Part) -> Self {
        Self { plan, part: Mutex::new(Some(part)) }
    }

    pub(crate) fn take(&self) -> Result<execute::Part, Fault> {
        let taken = self.part.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| Fault::internal("a part was merged before"))
    }
}

/// The refusal of results that can't be told from 0 by their errors.
fn hidden(lost: &Lost) -> Fault {
    Fault::new("CheckError", format!(
        "the output {:?} may be off by {:.3e}, which is more than all its values: plan with precision=asanoha.Absolute(error) for a smaller error, or with scheme=\"bgv\" for exact results",
        lost.output, lost.bound
    ))
    .figure("output", lost.output.as_str())
    .figure("error_bound", lost.bound)
}

impl Decrypted {
    /// Refuses results that can't be told from 0 by their errors.
    pub(crate) fn new(
        plan: &Plan,
        decrypted: execute::Decrypted,
        left_out: Vec<usize>,
    ) -> Result<Self, Fault> {
        let answers = Answers::new(plan, decrypted).map_err(|lost| hidden(&lost))?;
        Ok(Self { answers, left_out })
    }

    /// As [`Self::new`], of results that were merged, which aren't published.
    pub(crate) fn merged(
        plan: &Plan,
        merged: execute::Decrypted,
        left_out: Vec<usize>,
    ) -> Result<Self, Fault> {
        let answers = Answers::merged(plan, merged).map_err(|lost| hidden(&lost))?;
        Ok(Self { answers, left_out })
    }

    /// Whole numbers as words, if they're such.
    fn words(&self, at: usize) -> Option<Vec<i64>> {
        match self.answers.fractions(at) {
            Some(fractions) => fractions.iter().map(|value| value.to_integer().to_i64()).collect(),
            None => Some(self.answers.values(at).iter().map(|&value| value as i64).collect()),
        }
    }
}

#[pymethods]
impl Decrypted {
    /// Of every output its name, its shape and its kind.
    fn outputs(&self) -> Vec<(String, String, &'static str)> {
        let one = |(at, output): (usize, &OutputInfo)| {
            (output.name.clone(), output.shape.to_string(), self.answers.kind(at).name())
        };
        self.answers.outputs.iter().enumerate().map(one).collect()
    }

    /// The values of an output: the bytes of 64-bit words, of floats where it is real or decimal and of integers elsewhere; or a list of integers in
    /// text where they are beyond words.
    fn value<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        if let OutputKind::Real | OutputKind::Decimal { .. } = self.answers.kind(at) {
            let bytes: Vec<u8> =
                self.answers.values(at).iter().flat_map(|value| value.to_le_bytes()).collect();
            return Ok(PyBytes::new(py, &bytes).into_any());
        }
        if let Some(words) = self.words(at) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            return Ok(PyBytes::new(py, &bytes).into_any());
        }
        let fractions = self.answers.fractions(at).unwrap_or_default();
        let texts = fractions.iter().map(|value| value.to_integer().to_string());
        Ok(PyList::new(py, texts.collect::<Vec<_>>())?.into_any())
    }

    /// The exact values of an output, as text `p` or `p/q`; None where they aren't exact.
    fn exact(&self, at: usize) -> Option<Vec<String>> {
        self.answers.exact_texts(at)
    }

    /// How far an output may be off.
    fn error_bound(&self, at: usize) -> f64 {
        self.answers.bounds[at]
    }

    /// Why an output has no value, if it has none.
    fn missing(&self, at: usize) -> Option<String> {
        self.answers.missing(at, words)
    }

    /// The number of an output's rows, with those that were left out, if it's a column without a value.
    fn missing_rows(&self, at: usize) -> Option<usize> {
        Some(self.answers.missing_rows(at)? + self.left_out.len())
    }

    /// The rows of the inputs that were left out.
    fn left_out(&self) -> Vec<usize> {
        self.left_out.clone()
    }

    /// log2 of the predicted noise, and how many bits are to spare.
    fn noise(&self) -> (f64, f64) {
        (self.answers.decrypted.noise.predicted_bits, self.answers.decrypted.noise.budget_bits)
    }

    /// How many ciphertexts were published under the key, and whether all are within the precision of the plan.
    fn publication(&self) -> Option<(u64, bool)> {
        self.answers.decrypted.publication.map(|publication| (publication.count, self.answers.is_within))
    }

    /// The columns, or the numbers if there are no columns, of outputs at places, as a capsule of a stream of Arrow record batches.
    fn arrow_stream<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Bound<'py, PyCapsule>> {
        let columns: Vec<usize> =
            places.iter().copied().filter(|&at| self.answers.outputs[at].shape == Shape::Column).collect();
        let shown = if columns.is_empty() { places } else { columns };
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for at in shown {
            let array = self.array(at);
            fields.push(Field::new(&self.answers.outputs[at].name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let broken = |error: arrow_schema::ArrowError| Fault::internal(error);
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(broken)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Decrypted {
    /// The values of an output as an Arrow array, with nulls in rows that were left out.
    fn array(&self, at: usize) -> ArrayRef {
        if self.answers.missing(at, words).is_some() {
            return Arc::new(Float64Array::from(vec![None; self.missing_rows(at).unwrap_or(1)]));
        }
        let gaps: &[usize] =
            if self.answers.outputs[at].shape == Shape::Column { &self.left_out } else { &[] };
        match self.answers.kind(at) {
            OutputKind::Real | OutputKind::Decimal { .. } => {
                Arc::new(Float64Array::from(with_gaps(self.answers.values(at).iter().copied(), gaps)))
            }
            kind => match self.words(at) {
                Some(words) if kind == OutputKind::Truth => {
                    Arc::new(BooleanArray::from(with_gaps(words.into_iter().map(|word| word != 0), gaps)))
                }
                Some(words) => Arc::new(Int64Array::from(with_gaps(words.into_iter(), gaps))),
                None => {
                    let fractions = self.answers.fractions(at).unwrap_or_default().iter();
                    Arc::new(StringArray::from(with_gaps(fractions.map(ToString::to_string), gaps)))
                }
            },
        }
    }
}

/// Values with gaps in some rows, from 0 and in ascending order.
fn with_gaps<T>(mut values: impl ExactSizeIterator<Item = T>, gaps: &[usize]) -> Vec<Option<T>> {
    let rows = values.len() + gaps.len();
    let mut gaps = gaps.iter().peekable();
    (0..rows).map(|row| if gaps.next_if_eq(&&row).is_some() { None } else { values.next() }).collect()
}
