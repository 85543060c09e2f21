//! Programs, their constants, and tables.

use asanoha::{
    data::{Data, Missing, Reading, Schema},
    plan::{OnZero, PlanParts},
    precision::Precision,
    program::{Program, Weights, parse_with},
    search::ScheduleHints,
};

use crate::{Scheme, Use, backend, fixture, fixture::params};

/// What a program promises: it reads back from its own text as the same.
fn is_sound(program: &Program) {
    let again = Program::parse(&program.to_string()).expect("a program's own text is a program");
    assert_eq!(again, *program, "a program reads back as another");
}

/// The text of a program.
pub fn program(bytes: &[u8]) -> Option<Use> {
    let program = Program::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    Some(Box::new(move || is_sound(&program)))
}

/// A file of constants, which programs take.
pub fn weights(bytes: &[u8]) -> Option<Use> {
    let weights = Weights::from_bytes(bytes, "fuzz").ok()?;
    Some(Box::new(move || {
        let weights = [("w".to_owned(), weights)].into();
        for text in ["y = dot([a, b], @w)", "y = table(x, @w)", "y = linear(@w)"] {
            if let Ok(program) = parse_with(text, &weights) {
                is_sound(&program);
            }
        }
    }))
}

/// The bytes that gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A table: the first line of the CSV names the columns, all of which are read; of a compressed file a column `a`. Rows that miss
/// values are left out.
pub fn csv(bytes: &[u8]) -> Option<Use> {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names = if bytes.starts_with(&GZIP) { "a".into() } else { String::from_utf8_lossy(first) };
    let names: Vec<&str> =
        names.trim_end_matches('\r').split(',').map(|name| name.trim_matches('"')).collect();
    let reading = Reading { missing: Missing::Mask, ..Reading::default() };
    let Data { table, left_out, .. } = Data::from_reader(bytes, "fuzz.csv", &names, &reading).ok()?;
    let schema = Schema::from_table(&table, &[]).ok()?;
    Some(Box::new(move || {
        assert!(left_out.is_sorted() && table.rows > 0);
        assert!(table.columns.iter().all(|column| column.values.len() == table.rows));
        reads_back(&schema);
        for column in &table.columns {
            let range = schema.column(&column.name).expect("every column has a range").range.to_f64();
            let inside = |value: f64| range.0 <= value && value <= range.1;
            assert!(column.values.to_real().into_iter().all(inside), "a value outside of its column's range");
        }
    }))
}

fn reads_back(schema: &Schema) {
    let text = serde_json::to_vec(schema).expect("schemas are plain data");
    assert_eq!(Schema::from_json(&text, "fuzz.json").expect("a schema reads back"), *schema);
}

/// A schema, which a plan is made for.
pub fn schema(bytes: &[u8]) -> Option<Use> {
    let schema = Schema::from_json(bytes, "fuzz.json").ok()?;
    Some(Box::new(move || {
        reads_back(&schema);
        for scheme in [Scheme::Bgv, Scheme::Ckks] {
            let parts = PlanParts {
                program: fixture(scheme).plan.program.clone(),
                schema: schema.clone(),
                security: 128,
                failure_bits: 96,
                precision: Precision::Relative { bits: 10 },
                params: params(scheme),
                hints: ScheduleHints::default(),
                on_zero: OnZero::Error,
            };
            // Ranges that the parameters are too small for are an error.
            let _ = parts.plan(backend(), 0.0, 0.0);
        }
    }))
}
