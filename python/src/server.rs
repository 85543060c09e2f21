//! The server: who evaluates, and holds nothing secret.

use std::sync::Arc;

use asanoha::{
    execute::{self, Contents, Encrypted, EvaluationKey, plan_of},
    lattice::Source,
};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};

use crate::{fault::Fault, plan::Plan, work};

/// The evaluation keys of a plan.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct Server {
    plan: Arc<asanoha::plan::Plan>,
    keys: EvaluationKey,
}

#[pymethods]
impl Server {
    #[new]
    fn new(py: Python<'_>, plan: &Plan, keys: PyBackedBytes) -> PyResult<Self> {
        let plan = plan.plan.clone();
        work::run(
            py,
            None,
            || (),
            move |_| {
                let keys =
                    EvaluationKey::read(&plan, Source::Bytes { name: "evaluation keys", bytes: &keys })?;
                Ok(Self { plan, keys })
            },
        )
    }

    /// Evaluates the plan on encrypted inputs.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        inputs: PyBackedBytes,
        max_bytes: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(most) = max_bytes.filter(|&most| inputs.len() > most) {
            return Err(Fault::data(format!(
                "the inputs have {} bytes, more than max_bytes={most}: send fewer rows, or allow more",
                inputs.len()
            ))
            .figure("found", inputs.len())
            .figure("limit", most)
            .into());
        }
        let (all_rows, keys) = (self.plan.clone(), self.keys.clone());
        let bytes = work::run(
            py,
            progress.as_ref(),
            || (),
            move |watch| {
                let inputs = Source::Bytes { name: "inputs", bytes: &inputs };
                let plan = plan_of(&all_rows, inputs)?;
                let encrypted = Encrypted::read(&plan, Contents::Inputs, inputs)?;
                let results = execute::evaluate(&plan, keys, encrypted, &|done, all| watch.tell(done, all))?;
                let mut bytes = Vec::new();
                results.write(&plan, Contents::Outputs, &mut bytes)?;
                Ok(bytes)
            },
        )?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of the keys.
    fn keys_to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.keys.write(&self.plan, &mut bytes).map_err(Fault::from)?;
        Ok(PyBytes::new(py, &bytes))
    }
}
