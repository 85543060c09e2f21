//! `asanoha plan`: the answer of every scheme, and the choice among them.

use std::{collections::BTreeMap, fmt::Write, path::Path};

use asanoha::{
    data::{ColumnSchema, Data, RealSince, Schema, Table},
    plan::SchemeName,
    program::Program,
    report::{CandidateReport, candidates, public_columns, rounded_constants, tables_by_text},
};
use serde::Serialize;

use super::planning;
use crate::{
    args::PlanArgs,
    error::{Failure, words},
    files,
    report::{self, Report, counted},
    session::Session,
    target::Target,
};

#[derive(Debug, Serialize)]
struct PlanReport<'a> {
    /// What becomes public of the columns that the program reads.
    columns: Vec<&'a ColumnSchema>,
    /// The cells for which columns are real numbers, and no whole numbers or decimals.
    real_since: &'a [RealSince],
    /// The functions of constants that the program computes with as rounded numbers, and these.
    rounded_constants: &'a BTreeMap<String, Option<f64>>,
    candidates: Vec<CandidateReport>,
    chosen: Option<SchemeName>,
    /// The length of the plan's file in bytes, if one was asked for.
    file_bytes: Option<u64>,
}

pub(crate) fn plan(session: &Session, args: &PlanArgs) -> Result<Report, Failure> {
    let options = planning::options(session, &args.planning, args.rows.is_some());
    let reads: Vec<&Path> = [Some(&args.program), args.data.as_ref(), args.schema.as_ref()]
        .into_iter()
        .flatten()
        .chain(args.planning.weights.iter().map(|weights| &weights.path))
        .map(|path| &**path)
        .collect();
    let target = Target::open_any(session, args.out.as_deref(), &reads)?;
    args.data.as_ref().map_or(Ok(()), |data| files::check_stdin(&args.program, data))?;
    let program = files::read_program(&args.program, &args.planning.weights)?;
    let (mut schema, table, real_since) = schema(args, &program)?;
    if let Some(rows) = args.rows {
        if let Some(table) = table.as_ref().filter(|table| table.rows > rows) {
            return Err(Failure::bad_input(format!(
                "--rows {rows}: the data have {}: plan for as many, or more",
                counted(table.rows, "row")
            ))
            .figure("found", table.rows)
            .figure("most", rows));
        }
        schema.rows = rows;
    }
    let choice = planning::choice(&program, &schema, &options, &args.program)?;
    // What the plan says of them, if there is one.
    let chosen = choice.chosen.and_then(|chosen| choice.candidates[chosen].outcome.as_ref().ok());
    let schema = chosen.map_or(&schema, |plan| &plan.schema).clone();
    let columns: Vec<_> = program.input_names().iter().filter_map(|name| schema.column(name)).collect();
    let mut lines = report::lines();
    public_columns(&mut lines, &columns, &real_since, "--json");
    tables_by_text(&mut lines, &program, &schema);
    rounded_constants(&mut lines, &program);
    let mut text = format!("{}\n{}", lines.text(), candidates(&choice, report::width(), words));
    let mut report = PlanReport {
        columns,
        real_since: &real_since,
        rounded_constants: program.rounded_constants(),
        candidates: choice
            .candidates
            .iter()
            .map(|candidate| CandidateReport::new(candidate, words))
            .collect(),
        chosen: choice.chosen.map(|chosen| choice.candidates[chosen].scheme),
        file_bytes: None,
    };
    let failure = match planning::into_plan(choice, &options, table.as_ref(), &args.program) {
        Ok(mut plan) => {
            plan.on_zero = args.planning.on_zero.into();
            if let Some(target) = &target {
                let file = plan.to_json();
                target.write_text(&file)?;
                report.file_bytes = Some(file.len() as u64);
                let _ = writeln!(text, "\nwritten     {}", target.name());
            }
            None
        }
        Err(failure) => Some(failure),
    };
    let target = target.filter(|_| failure.is_none());
    Ok(Report::new(&report, text).with_file(target)?.failing(failure))
}

/// The public properties of the data and, if given, the data, and the cells that make columns real.
fn schema(args: &PlanArgs, program: &Program) -> Result<(Schema, Option<Table>, Vec<RealSince>), Failure> {
    Ok(match (&args.data, &args.schema) {
        (_, Some(path)) => (Schema::from_json_path(path)?, None, Vec::new()),
        (Some(path), None) => {
            let Data { table, left_out, real_since, dates } = files::read_data(
                path,
                program.input_names(),
                &args.planning.reading(&program.text_columns()),
            )
            .map_err(|error| planning::not_read(error, program, &args.program))?;
            let schema = Schema::from_table(&table, &args.planning.ranges)
                .and_then(|schema| schema.with_dates(&dates).about(&table, &args.planning.centers));
            (schema.map_err(|error| Failure::from(error).of_rows(&left_out))?, Some(table), real_since)
        }
        (None, None) => return Err(Failure::bad_input("give --data or --schema")),
    })
}
