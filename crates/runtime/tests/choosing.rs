//! The tables of `docs/choosing.md` against the planner, which chooses by the speeds that the page states.

use std::{collections::HashMap, fs, path::Path};

use asanoha_runtime::{
    data::Schema,
    plan::{Choice, Plan, PlanOptions, SchemeName, choose},
    program::Program,
    search::{Machine, REFERENCE, cost::evaluation_work},
};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/choosing.md");
    fs::read_to_string(path).unwrap()
}

/// The cells of the rows of the table whose first heading is this.
fn table<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let start = format!("| {heading} |");
    let rows = page.lines().skip_while(|line| !line.starts_with(&start)).skip(2);
    let cells = |row: &'a str| row.trim_matches('|').split('|').map(str::trim).collect();
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(!rows.is_empty(), "the page has no table of {heading}");
    rows
}

fn scheme(name: &str) -> Option<SchemeName> {
    match name {
        "BGV" => Some(SchemeName::Bgv),
        "BFV" => Some(SchemeName::Bfv),
        "CKKS" => Some(SchemeName::Ckks),
        "TFHE" => Some(SchemeName::Tfhe),
        "refused" => None,
        _ => panic!("{name} is no scheme"),
    }
}

/// The first text of a cell in back-quotes.
fn quoted(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or_else(|| panic!("{cell} has no program"))
}

/// What a program is planned for, as the page says it: "1000 rows, 8 bits".
#[derive(Clone, Debug)]
struct Setting {
    rows: usize,
    /// A column, as a schema has it after its name.
    column: String,
}

impl Setting {
    fn parse(text: &str) -> Self {
        let mut setting = Self { rows: 1, column: String::new() };
        for part in text.split(',').map(str::trim) {
            match part.split(' ').collect::<Vec<_>>()[..] {
                [rows, "row" | "rows"] => setting.rows = rows.parse().unwrap(),
                [bits, "bit" | "bits"] => setting.column = whole(bits.parse().unwrap()),
                [kind @ ("real" | "decimals"), "from", lo, "to", hi] => {
                    let places =
                        lo.split_once('.').filter(|_| kind == "decimals").map_or(0, |(_, it)| it.len());
                    setting.column = format!(
                        r#""whole": false, "places": {places}, "range": {{"lo": "{lo}", "hi": "{hi}"}}"#
                    );
                }
                _ => panic!("{part} of {text}"),
            }
        }
        setting
    }
}

fn whole(bits: usize) -> String {
    let hi = (num_bigint::BigUint::from(1u32) << bits) - 1u32;
    format!(r#""whole": true, "range": {{"lo": "0", "hi": "{hi}"}}"#)
}

/// A name in a program replaced by another text.
fn replaced(program: &str, name: &str, by: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = program;
    while !rest.is_empty() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        text += if &rest[..word] == name { by } else { &rest[..word] };
        let next = rest[word..].find(is_word).map_or(rest.len(), |at| word + at);
        text += &rest[word..next];
        rest = &rest[next..];
    }
    text
}

/// `y = f(y, b)` a number of times, from y = a on.
fn repeated(program: &str, steps: usize) -> String {
    let (_, value) = program.split_once(" = ").unwrap();
    let name = |step| if step == 0 { "a".to_owned() } else { format!("_y{step}") };
    let line = |step: usize| {
        let assigned = if step == steps { "y".to_owned() } else { name(step) };
        format!("{assigned} = {}\n", replaced(value, "y", &name(step - 1)))
    };
    (1..=steps).map(line).collect()
}

/// An output for every pair of a number of columns.
fn pairs(program: &str, columns: usize) -> String {
    let (_, value) = program.split_once(" = ").unwrap();
    let column = |at| format!("x{at}");
    let pairs = (0..columns).flat_map(|a| (0..a).map(move |b| (a, b)));
    let line = |(a, b)| {
        let value = replaced(&replaced(value, "x", &column(a)), "y", &column(b));
        format!("c_{a}_{b} = {value}\n")
    };
    pairs.map(line).collect()
}

/// The answers of all schemes.
fn choice(program: &str, setting: &Setting) -> Choice {
    let program = Program::parse(program).unwrap();
    let column = |name: &String| format!(r#"{{"name": "{name}", {}}}"#, setting.column);
    let columns: Vec<String> = program.input_names().iter().map(column).collect();
    let schema = format!(r#"{{"rows": {}, "columns": [{}]}}"#, setting.rows, columns.join(", "));
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let options = PlanOptions { threads: 2, every_scheme: false, ..PlanOptions::default() };
    choose(&program, &schema, &options).unwrap()
}

type Seconds = HashMap<SchemeName, f64>;

/// The speeds that the page states, in seconds.
fn stated_speeds(page: &str) -> [f64; 3] {
    let seconds = |cell: &str| match cell.split(' ').collect::<Vec<_>>()[..] {
        [number, "ms"] => number.parse::<f64>().unwrap() * 1e-3,
        [number, "ns"] => number.parse::<f64>().unwrap() * 1e-9,
        _ => panic!("{cell} is no speed"),
    };
    let speeds: HashMap<&str, f64> =
        table(page, "step").into_iter().map(|row| (row[0], seconds(row[1]))).collect();
    ["bootstrapping of TFHE", "butterfly of a transform", "word of a pass"].map(|step| speeds[step])
}

#[test]
fn the_page_states_the_speeds_by_which_schemes_are_chosen() {
    let stated = stated_speeds(&page());
    let shipped = [REFERENCE.bootstrapping_s, REFERENCE.butterfly_s, REFERENCE.word_s];
    assert!(stated.iter().zip(shipped).all(|(a, b)| (a / b - 1.0).abs() < 1e-9), "{stated:?} {shipped:?}");
}

/// Predicts the evaluation of a plan on the reference machine.
fn seconds(plan: &Plan) -> f64 {
    let Some(rlwe) = plan.params.rlwe() else {
        return plan.bootstraps().unwrap() * REFERENCE.bootstrapping_s;
    };
    let work = evaluation_work(&plan.circuit, plan.params.scheme(), rlwe, plan.layout());
    Machine::reference().seconds(work, rlwe)
}

/// Returns the scheme that is chosen, and the seconds of each that can run the program.
fn chosen(program: &str, setting: &Setting) -> (Option<SchemeName>, Seconds) {
    let choice = choice(program, setting);
    let plans = choice.candidates.iter().filter_map(|it| it.outcome.as_ref().ok());
    let seconds = plans.map(|plan| (plan.params.scheme(), seconds(plan))).collect();
    (choice.chosen.map(|at| choice.candidates[at].scheme), seconds)
}

/// What grows until the choice changes.
#[derive(Clone, Copy, Debug)]
enum Growing {
    Rows,
    Bits,
    /// The number of times that the program's line is repeated.
    Steps,
    /// The name `n` in the program.
    Exponent,
    /// Columns, of which every pair is computed on.
    Columns,
}

/// A row of the table of crossings.
#[derive(Debug)]
struct Crossing<'a> {
    program: &'a str,
    setting: &'a str,
    growing: Growing,
    /// The largest number at which the first scheme is chosen.
    last: usize,
    schemes: [Option<SchemeName>; 2],
    predicted: &'a str,
}

impl<'a> Crossing<'a> {
    fn read(cells: &[&'a str]) -> Self {
        let &[program, setting, below, above, predicted] = cells else { panic!("{cells:?}") };
        let (growing, first, last) = match below.split(' ').collect::<Vec<_>>()[..] {
            [first, "up", "to", last, "row" | "rows"] => (Growing::Rows, first, last),
            [first, "up", "to", last, "bit" | "bits"] => (Growing::Bits, first, last),
            [first, "up", "to", last, "step" | "steps"] => (Growing::Steps, first, last),
            [first, "up", "to", "n", "=", last] => (Growing::Exponent, first, last),
            [first, "up", "to", last, "columns"] => (Growing::Columns, first, last),
            _ => panic!("{below}"),
        };
        let last = last.replace(',', "").parse().unwrap();
        let schemes = [scheme(first), scheme(above)];
        Self { program: quoted(program), setting, growing, last, schemes, predicted }
    }

    /// What is planned at a number.
    fn at(&self, number: usize) -> (String, Setting) {
        let mut setting = Setting::parse(self.setting);
        let mut program = self.program.to_owned();
        match self.growing {
            Growing::Rows => setting.rows = number,
            Growing::Bits => setting.column = whole(number),
            Growing::Steps => program = repeated(&program, number),
            Growing::Exponent => program = replaced(&program, "n", &number.to_string()),
            Growing::Columns => program = pairs(&program, number),
        }
        (program, setting)
    }

    fn choice(&self, number: usize) -> (Option<SchemeName>, Seconds) {
        let (program, setting) = self.at(number);
        chosen(&program, &setting)
    }

    /// Returns the first number at which another scheme is chosen than at 2.
    fn search(&self) -> Option<usize> {
        let first = self.choice(2).0;
        let is_other = |number: usize| self.choice(number).0 != first;
        let mut above = 4;
        while !is_other(above) {
            above *= 2;
            if above > 16384 {
                return None;
            }
        }
        let mut below = above / 2;
        while above - below > 1 {
            let middle = usize::midpoint(above, below);
            if is_other(middle) { above = middle } else { below = middle }
        }
        Some(above)
    }

    /// Whether the page has the seconds of the schemes at the last number, to two digits.
    fn are_predicted(&self, seconds: &Seconds) -> bool {
        self.predicted.split(", ").all(|part| match part.split(' ').collect::<Vec<_>>()[..] {
            [name, stated, unit @ ("s" | "ms")] => {
                let stated = stated.parse::<f64>().unwrap() * if unit == "s" { 1.0 } else { 1e-3 };
                let found = scheme(name).and_then(|it| seconds.get(&it));
                found.is_some_and(|found| (stated / found - 1.0).abs() < 0.06)
            }
            _ => panic!("{part} is no time"),
        })
    }
}

#[test]
fn the_choice_changes_where_the_page_says() {
    let page = page();
    let mut wrong = Vec::new();
    for cells in table(&page, "program") {
        let crossing = Crossing::read(&cells);
        let (first, seconds) = crossing.choice(crossing.last);
        let (then, _) = crossing.choice(crossing.last + 1);
        if [first, then] != crossing.schemes {
            wrong.push(format!("{}: the change is at {:?}", cells.join(" | "), crossing.search()));
        } else if !crossing.are_predicted(&seconds) {
            wrong.push(format!("{}: {seconds:?}", cells.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_are_planned_for_the_scheme_beside_them() {
    let page = page();
    for cells in table(&page, "you compute") {
        let [what, expected, _, example, _] = cells[..] else { panic!("{cells:?}") };
        // No program: triples have parameters of their own.
        if quoted(example).starts_with("asanoha ") {
            continue;
        }
        let setting = Setting::parse(example.rsplit_once("`, ").unwrap().1);
        let (found, seconds) = chosen(quoted(example), &setting);
        assert_eq!(found, scheme(expected), "{what}: {seconds:?}");
    }
}
