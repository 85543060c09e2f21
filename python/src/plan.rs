//! Programs and plans.

use std::sync::Arc;

use asanoha::{
    data::{Data, Schema},
    execute::{self, MergeError, Merging},
    kernels::Backend,
    plan::{Choice, Plan as Planned, PlanOptions, SchemeName, SecurityCheck, choose_telling},
    precision::Precision,
    program::{Extreme, Program, extremes, parse_traced},
    report::{CandidateReport, Lines, describe, public_columns, rounded_constants},
    search::{SearchProgress, failure::FAILURE_BITS_RANGE},
};
use pyo3::{prelude::*, types::PyBytes};
use serde_json::json;

use crate::{
    advice::words,
    columns::{Columns, missing},
    fault::Fault,
    results::{Decrypted, Part},
    work,
};

/// What the plan of a file is called in messages.
const SOURCE: &str = "plan";

fn backend() -> Result<Backend, Fault> {
    Backend::detect().map_err(|error| Fault::new("InternalError", error))
}

fn scheme(name: &str) -> Result<Option<SchemeName>, Fault> {
    Ok(Some(match name {
        "auto" => return Ok(None),
        "bgv" => SchemeName::Bgv,
        "bfv" => SchemeName::Bfv,
        "ckks" => SchemeName::Ckks,
        "tfhe" => SchemeName::Tfhe,
        other => {
            return Err(Fault::plan(format!(
                "scheme={other:?}: it is one of \"auto\", \"bgv\", \"bfv\", \"ckks\" and \"tfhe\""
            )));
        }
    }))
}

/// A program with all that is needed to run it encrypted. It is public.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "it is the library's plan")]
pub(crate) struct Plan {
    pub(crate) plan: Arc<Planned>,
    /// What every scheme answered, as JSON; nothing of a plan out of bytes.
    candidates: Option<String>,
    /// The outputs that are extremes of columns; none of a plan out of bytes, whose program doesn't say so.
    extremes: Vec<(String, Extreme)>,
}

impl Plan {
    fn merging(&self) -> Result<Merging, MergeError> {
        Merging::of(&self.plan, &self.extremes)
    }
}

/// A schema with what is known beside it of the data that it was made of, which isn't public.
fn about(schema: Schema, columns: &Columns) -> Result<(Schema, Data), Fault> {
    let data = Data::from_columns(columns.typed(), missing("raise")?, "data")?;
    let kinds = columns.kinds().into_iter();
    let dates: Vec<String> = kinds.filter(|(_, kind)| *kind == "date").map(|(name, _)| name).collect();
    let known = Schema::from_table(&data.table, &[])?.with_dates(&dates);
    // A range that was declared stands.
    let columns = schema.columns.into_iter().map(|column| match known.column(&column.name) {
        Some(of_data) if *of_data == column => of_data.clone(),
        _ => column,
    });
    Ok((Schema { rows: schema.rows, columns: columns.collect() }, data))
}

#[pymethods]
impl Plan {
    /// Plans a program for a schema, given as JSON. Of a traced one, users don't know the text. `data` are the columns that the schema was made of.
    #[staticmethod]
    #[pyo3(signature = (program, schema, *, traced, data, bits, absolute, scheme_name, security, failure_bits, publish, fewer_rows))]
    #[expect(clippy::too_many_arguments, reason = "they come from Python by name")]
    fn choose(
        py: Python<'_>,
        program: String,
        schema: String,
        traced: bool,
        data: Option<Py<Columns>>,
        bits: u32,
        absolute: Option<f64>,
        scheme_name: &str,
        security: u32,
        failure_bits: Option<u32>,
        publish: Option<u32>,
        fewer_rows: bool,
    ) -> PyResult<Self> {
        let precision = absolute.map_or(Precision::Relative { bits }, |error| Precision::Absolute { error });
        let options = PlanOptions {
            scheme: scheme(scheme_name)?,
            security,
            failure_bits,
            precision,
            backend: backend()?,
            threads: work::threads(),
            publish,
            fewer_rows,
            every_scheme: true,
        };
        if !matches!(security, 128 | 192 | 256) {
            return Err(Fault::plan(format!("security={security}: it is 128, 192 or 256 bits")).into());
        }
        if let Some(failure_bits) = failure_bits.filter(|bits| !FAILURE_BITS_RANGE.contains(bits)) {
            return Err(Fault::plan(format!("failure_bits={failure_bits}: it is from 40 to 128 bits")).into());
        }
        let progress = Arc::new(SearchProgress::default());
        let stop = progress.clone();
        work::run(
            py,
            None,
            || stop.stop(),
            move |_| {
                let program = if traced {
                    parse_traced(&program).map_err(Fault::traced)?
                } else {
                    Program::parse(&program)?
                };
                let extremes = extremes(&program);
                let schema = Schema::from_json(schema.as_bytes(), "schema")?;
                let schema = match data {
                    Some(columns) => about(schema, columns.get())?.0,
                    None => schema,
                };
                let choice = choose_telling(&program, &schema, &options, &progress)?;
                let candidates = Some(candidates_json(&choice));
                let plan = choice.into_plan(&options)?;
                Ok(Self { plan: Arc::new(plan), candidates, extremes })
            },
        )
    }

    /// Reads a plan out of its bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let backend = backend()?;
        work::run(
            py,
            None,
            || (),
            move |_| {
                let plan = Planned::from_json(&bytes, SOURCE, SecurityCheck::Required, backend)?;
                Ok(Self { plan: Arc::new(plan), candidates: None, extremes: Vec::new() })
            },
        )
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.plan.to_json().as_bytes())
    }

    /// What every scheme answered, as JSON; None of a plan out of bytes.
    fn candidates(&self) -> Option<String> {
        self.candidates.clone()
    }

    /// The plan in words.
    fn describe(&self) -> String {
        let plan = &self.plan;
        let mut lines = Lines::new(None);
        lines.line("scheme", plan.params.scheme().to_string().to_uppercase());
        describe(&mut lines, plan);
        rounded_constants(&mut lines, &plan.program);
        let columns: Vec<_> =
            plan.program.input_names().iter().filter_map(|name| plan.schema.column(name)).collect();
        public_columns(&mut lines, &columns, &[], "plan.public");
        lines.text().to_owned()
    }

    /// The figures of the plan, as JSON.
    fn figures(&self) -> String {
        let plan = &self.plan;
        json!({
            "digest": plan.digest(),
            "scheme": plan.params.scheme(),
            "ring_degree": plan.params.ring_degree(),
            "security_bits": plan.params.security_bits(),
            "log2_failure": plan.log2_failure(),
            "rows": plan.schema.rows,
            "fewer_rows": plan.hints.fewer_rows,
            "keys": plan.key_count(),
            "predicted": {
                "evaluate_s": plan.prediction.evaluate_s,
                "read_s": plan.prediction.read_s,
                "input_bytes": plan.prediction.input_bytes,
                "bytes": plan.prediction.bytes,
                "precision_bits": plan.prediction.precision_bits,
            },
            "program": plan.program.to_string(),
            "rounded_constants": plan.program.rounded_constants(),
            "schema": plan.schema,
            "inputs": plan.program.input_names(),
            "outputs": plan.output_kinds(),
            "finished": plan.program.finished().iter().map(|finished| json!({
                "results": finished.results, "parts": finished.parts,
            })).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// The most bytes of a file of results.
    fn result_bytes(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.plan.most_result_bytes())
    }

    /// The output whose results for parts of the rows can't be merged, why, and whether that's because of secret constants; None
    /// if all can.
    fn unmergeable(&self) -> Option<(String, String, bool)> {
        let error = self.merging().err()?;
        let (output, is_centred) = match &error {
            MergeError::Aggregate { output } => (output.clone(), false),
            MergeError::Centred { output } => (output.clone(), true),
            MergeError::NoParts | MergeError::OtherPlan => (String::new(), false),
        };
        Some((output, error.to_string(), is_centred))
    }

    /// The results of all rows of some parts, one after the other in the data, less the rows that were left out.
    #[expect(clippy::needless_pass_by_value, reason = "they come from Python")]
    fn merge(&self, py: Python<'_>, parts: Vec<Py<Part>>, left_out: Vec<usize>) -> PyResult<Decrypted> {
        let (plan, merging) = (self.plan.clone(), self.merging());
        let narrowed = match parts.as_slice() {
            [part] => Some(part.get().plan.clone()),
            _ => None,
        };
        let taken = parts.iter().map(|part| part.get().take()).collect::<Result<Vec<_>, _>>()?;
        work::run(
            py,
            None,
            || (),
            move |_| {
                let mut taken = taken;
                if let Some(plan) = narrowed {
                    let part = taken.pop().ok_or_else(|| Fault::internal("a part is gone"))?;
                    return Decrypted::new(&plan, part.finish(&plan), left_out);
                }
                let merged = merging.and_then(|merging| merging.merge(&plan, taken));
                Decrypted::merged(&plan, merged.map_err(Fault::data)?, left_out)
            },
        )
    }

    /// The columns that the plan needs, each as the plan has it and with nothing missing, and the rows that were left out.
    fn complete(
        &self,
        py: Python<'_>,
        columns: &Columns,
        missing_as: &str,
    ) -> PyResult<(Columns, Vec<usize>)> {
        let missing = missing(missing_as)?;
        Ok(py.detach(|| columns.complete(&self.plan, missing))?)
    }

    /// Refuses data that the plan doesn't take, as encryption would.
    fn check(&self, py: Python<'_>, columns: Py<Columns>, missing_as: &str) -> PyResult<()> {
        let (plan, missing) = (self.plan.clone(), missing(missing_as)?);
        work::run(
            py,
            None,
            || (),
            move |_| {
                let data = columns.get().for_plan(&plan, missing)?;
                let plan = plan.for_rows(data.table.rows)?;
                Ok(execute::check(&plan, &data.table)?)
            },
        )
    }
}

fn candidates_json(choice: &Choice) -> String {
    let reports: Vec<CandidateReport> =
        choice.candidates.iter().map(|candidate| CandidateReport::new(candidate, words)).collect();
    json!(reports).to_string()
}
