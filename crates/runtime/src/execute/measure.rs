//! The noise of results as it is, with the secret and the data at hand.

use std::borrow::Cow;

use asanoha_backends::{DecryptionKey, InputColumn};
use asanoha_compile::CircuitInput;

use super::{checks::same_keys, encrypted::Encrypted, error::ExecuteError, input_secrets::InputSecrets};
use crate::{data::Table, plan::Plan};

/// log2 of the noise of the noisiest result, to be held against [`super::Noise::predicted_bits`]: in BGV the largest
/// coefficient of c₀ + c₁·s; in BFV that of t·e over |t|; in TFHE the largest of a ciphertext, in units of 2^−64 of the torus;
/// in CKKS the largest error of a slot, times the scale, against what the same schedule gives on plain numbers.
pub fn measure_noise(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    inputs: &InputSecrets,
    table: &Table,
) -> Result<f64, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    let table = &*inputs.centres.apart(&plan.schema, table)?;
    let columns = input_columns(plan, table)?;
    let backend = plan.params.server();
    Ok(backend.measure(plan.scheduled(), secret, &encrypted.values, &columns)?)
}

/// The columns of a plan's inputs.
fn input_columns<'a>(plan: &'a Plan, table: &'a Table) -> Result<Vec<InputColumn<'a>>, ExecuteError> {
    let input = |input: &'a CircuitInput| {
        let name = &input.column;
        let column = table.column(name).ok_or_else(|| ExecuteError::MissingColumn(name.clone()))?;
        let range = &plan.schema.column(name).expect("checked with the plan").range;
        let values = match input.values(&column.values)? {
            Some(values) if input.view.is_some() => Cow::Owned(values),
            _ => Cow::Borrowed(&column.values),
        };
        Ok(InputColumn { name, values, range: input.range(range) })
    };
    plan.circuit.inputs.iter().map(input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Column, ColumnValues, Schema, parse_range_override},
        plan::{PlanOptions, SchemeName, choose},
        precision::Precision,
        program::{self, Program, evaluate_real, first_undecided},
    };
    use asanoha_backends::ckks::plain_slots;
    use asanoha_numeric::number;

    /// Holds a circuit on plain numbers against the program on them: it's off by what is approximated, and nothing else.
    fn assert_near(text: &str, columns: &[(&str, &[f64])], ranges: &[&str], bits: u32) {
        let column = |&(name, values): &(&str, &[f64])| Column {
            name: name.to_owned(),
            values: ColumnValues::Real(values.to_vec()),
        };
        let table = Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() };
        let declared: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
        let schema = Schema::from_table(&table, &declared).unwrap();
        let precision = Precision::Relative { bits };
        let options = PlanOptions { scheme: Some(SchemeName::Ckks), precision, ..PlanOptions::default() };
        let program = Program::parse(text).unwrap();
        let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        assert_eq!(first_undecided(&program, &table, &plan.gaps()).unwrap(), None);
        let ranges = program::ranges(&program, &schema).unwrap();
        let expected = evaluate_real(&program, &table).unwrap();
        let columns = input_columns(&plan, &table).unwrap();
        let slots = plain_slots(plan.scheduled(), &columns);
        for (at, ((name, expected), slots)) in expected.iter().zip(slots).enumerate() {
            let output = &plan.circuit.outputs[at];
            let most = output.approximation.min(precision.tolerance(&ranges[program.outputs()[at].1.0]));
            for (row, expected) in expected.as_slice().iter().enumerate() {
                let found = slots[0][row] * number::to_f64(&output.factor);
                let off = (found - expected).abs();
                assert!(
                    off <= most + 1e-13 * expected.abs(),
                    "{text}: {name}, row {row}: {off:e} of {most:e}"
                );
            }
        }
    }

    #[test]
    fn bootstrapped_circuits_are_the_program_on_plain_numbers() {
        let line =
            |k: usize| format!("_p{} = _p{k} * {}\n", k + 1, if k.is_multiple_of(2) { "a" } else { "b" });
        let text = format!("_p0 = a * b\n{}p = _p100 * a", (0..100).map(line).collect::<String>());
        let columns = [("a", &[1.0, 0.99, -1.0][..]), ("b", &[1.0, -0.98, 0.999][..])];
        assert_near(&text, &columns, &["a=-1:1", "b=-1:1"], 4);
    }

    #[test]
    fn approximations_alone_are_within_their_bound_at_every_precision() {
        let (x, y) = ([-2.0, 2.0, 0.0, 1e-5, -1e-6, 0.7, -0.3], [2.0, -2.0, 1e-4, 0.0, 0.5, 0.6999, -0.7]);
        let columns = [("x", &x[..]), ("y", &y[..])];
        let ranges = ["x=-2:2", "y=-2:2"];
        for text in ["a = abs(x)", "a = max(x, y)\nb = min(x, 0.25)", "a = relu(y)\nb = tanh(abs(x))"] {
            for bits in [6, 12, 20] {
                assert_near(text, &columns, &ranges, bits);
            }
        }
        assert_near("a = x < y\nb = where(x > y, 3 * x, y)\nc = sum(x <= y)", &columns, &ranges, 20);
        assert_near("a = max(min(x, y), -0.5)", &columns, &ranges, 8);
        let text = "a = less_than(x, y, 1e-5)\nb = sign(y - x, 1e-5)\nc = (x + y > -1.5) * (exp(x) < 2)";
        assert_near(text, &columns, &ranges, 10);
        // At the gap itself.
        let gap = 2f64.powi(-8);
        assert_near("a = x < 0", &[("x", &[gap, -gap, 1.0, -1.0, 2.0 * gap])], &["x=-1:1"], 8);
        for size in [1e-6, 1e6] {
            let x = [1.0, -1.0, 0.25, -0.0625].map(|x| x * size);
            let text = format!("a = x > {}\nb = abs(x) + max(x, {})", 0.125 * size, 0.3 * size);
            assert_near(&text, &[("x", &x)], &[], 16);
        }
    }
}
