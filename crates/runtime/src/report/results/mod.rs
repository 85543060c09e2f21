//! Results of a program: as JSON, as CSV, and as lines for a human reader.

mod number;

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

use serde::{Serialize, Serializer, ser::SerializeMap};

pub use self::number::Cells;
use self::number::{Number, exact_decimals};
use super::{bound_text, check::is_unknown, error_bounds};
use crate::{
    advice::{Advised, Words},
    execute::{Decrypted, largest},
    plan::Plan,
    program::{Shape, Values},
};

/// The number of rows of columns that are shown to a human reader.
const SHOWN_ROWS: usize = 5;
/// The characters of a line where nothing says how many there are.
const TEXT_WIDTH: usize = 100;

/// One result.
#[derive(Clone, Debug)]
struct Output {
    name: String,
    shape: Shape,
    values: Vec<Number>,
    /// The number of meaningful decimals.
    decimals: usize,
    /// What stands beside every value for a reader: how far it may be off as it's shown. 0 if it's exact.
    bound: f64,
    /// The largest magnitude of the values.
    largest: f64,
    /// Why there's no value.
    missing: Option<String>,
    /// The number of values that there would be.
    gaps: usize,
}

impl Output {
    /// Chooses the decimals that an error bound leaves meaningful, and the bound of what is shown with them.
    fn resolve(&mut self, bound: f64) {
        if bound > 0.0 {
            let own = match self.values.first() {
                Some(Number::Real(value)) if self.shape == Shape::Number => SHOWN_PART * value.abs(),
                _ => 0.0,
            };
            self.decimals = (1.0 - bound.max(own).log10()).ceil().clamp(0.0, 400.0) as usize;
            let cut = |value: &Number| match value {
                Number::Real(real) => (value.text(self.decimals).parse().unwrap_or(*real) - real).abs(),
                _ => 0.0,
            };
            self.bound = bound + self.values.iter().map(cut).fold(0.0, f64::max);
        } else {
            self.decimals = exact_decimals(&self.values);
        }
        if bound > 0.0 {
            self.values.iter_mut().for_each(|value| *value = value.rounded(self.decimals));
        }
        self.values.extend(std::iter::repeat_n(Number::Missing, self.gaps));
    }

    /// A value for a reader, with how far it may be off.
    fn text(&self, value: &Number) -> String {
        let text = value.text(self.decimals);
        match value {
            Number::Real(real)
                if self.shape == Shape::Column
                    && self.largest > self.bound
                    && is_unknown(*real, self.bound, self.largest) =>
            {
                format!("unknown, at most {}", bound_text(real.abs() + self.bound))
            }
            Number::Real(_) if self.bound > 0.0 => format!("{text} ± {}", bound_text(self.bound)),
            _ => text,
        }
    }
}

/// Doubles have more digits than are shown of a value that's off by less than this part of it.
const SHOWN_PART: f64 = 1e-13;

/// All results of a program, in the program's order.
#[derive(Clone, Debug)]
pub struct Results {
    outputs: Vec<Output>,
    are_exact: bool,
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.outputs.len()))?;
        for output in &self.outputs {
            map.serialize_entry(&output.name, &output.values)?;
        }
        map.end()
    }
}

impl Results {
    /// Results with the meaningful decimals of their values. `words` are those for advice on what's missing.
    pub fn new(plan: &Plan, decrypted: &Decrypted, words: Words) -> Self {
        let bounds = error_bounds(plan, decrypted);
        let output = |(at, (name, values)): (usize, &(String, Values<f64>))| {
            let exact = decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice());
            let is_date = plan.hints.dates.contains(name);
            let number = |(row, &real): (usize, &f64)| match exact.map(|exact| &exact[row]) {
                Some(exact) if is_date => Number::date(exact, real),
                Some(exact) => Number::exact(exact, real),
                None => Number::Real(real),
            };
            let (missing, gaps) = match values {
                Values::Missing(reason) => (Some(reason.in_words(words)), reason.rows.unwrap_or(1)),
                _ => (None, 0),
            };
            let numbers: Vec<Number> = values.as_slice().iter().enumerate().map(number).collect();
            let mut output = Output {
                name: name.clone(),
                shape: values.shape(),
                values: numbers,
                decimals: 0,
                bound: 0.0,
                largest: largest(values.as_slice()),
                missing,
                gaps,
            };
            output.resolve(bounds[at]);
            output
        };
        let mut outputs: Vec<Output> = decrypted.outputs.iter().enumerate().map(output).collect();
        let places: HashMap<&String, usize> =
            plan.program.result_names().iter().enumerate().map(|(place, name)| (name, place)).collect();
        outputs.sort_by_key(|output| places.get(&output.name));
        Self { outputs, are_exact: decrypted.error_bounds.is_none() }
    }

    /// How far each value may be off as it's told, in the order of the results; not a number for what's missing. `None` if all
    /// are exact.
    pub fn error_bounds(&self) -> Option<Vec<f64>> {
        let bound = |output: &Output| if output.missing.is_some() { f64::NAN } else { output.bound };
        (!self.are_exact).then(|| self.outputs.iter().map(bound).collect())
    }

    /// The same with gaps in columns where rows, from 0 and in their order, were left out.
    pub fn with_gaps(mut self, left_out: &[usize]) -> Self {
        for output in self.outputs.iter_mut().filter(|output| output.shape == Shape::Column) {
            let rows = output.values.len() + left_out.len();
            let mut values = std::mem::take(&mut output.values).into_iter();
            let mut gaps = left_out.iter().peekable();
            let row =
                |row: usize| gaps.next_if_eq(&&row).map_or_else(|| values.next(), |_| Some(Number::Missing));
            output.values = (0..rows).filter_map(row).collect();
        }
        self
    }

    /// The outputs that have no value for these data, and why.
    pub fn missing(&self) -> BTreeMap<String, String> {
        let missing =
            self.outputs.iter().filter_map(|output| Some((output.name.clone(), output.missing.clone()?)));
        missing.collect()
    }

    /// The values of an output as text, each with how far it may be off as it's shown; nothing where there is no such output, or no
    /// value of it.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let output = self.outputs.iter().filter(|output| output.name == name && output.missing.is_none());
        output.flat_map(|output| output.values.iter().map(|value| output.text(value))).collect()
    }

    /// The outputs with fractions that cells have as rounded decimals.
    pub fn rounded_in_cells(&self, cells: Cells) -> Vec<&str> {
        let is_rounded = |output: &&Output| output.values.iter().any(|value| value.cell(cells).error > 0.0);
        self.outputs.iter().filter(is_rounded).map(|output| output.name.as_str()).collect()
    }

    /// One column for each output; an output that is one number is in the first row. With `errors`, each has a column of error
    /// bounds beside it, which are 0 for exact values that aren't rounded. A line of one empty cell is `""`.
    ///
    /// # Errors
    /// The name of a column of errors, if an output has it.
    pub fn csv(&self, errors: bool, cells: Cells) -> Result<String, String> {
        let rows = self.outputs.iter().map(|output| output.values.len()).max().unwrap_or(0);
        let mut text = String::new();
        let mut names = Vec::new();
        for output in &self.outputs {
            names.push(output.name.clone());
            if errors {
                let name = format!("{}_error", output.name);
                if self.outputs.iter().any(|other| other.name == name) {
                    return Err(name);
                }
                names.push(name);
            }
        }
        let error = |output: &Output, row: usize| match output.values.get(row) {
            None | Some(Number::Missing) => String::new(),
            Some(value) => match output.bound + value.cell(cells).error {
                0.0 => "0".to_owned(),
                bound => bound_text(bound),
            },
        };
        text += &(names.join(",") + "\n");
        for row in 0..rows {
            let mut line = Vec::with_capacity(names.len());
            for output in &self.outputs {
                line.push(output.values.get(row).map_or_else(String::new, |value| value.cell(cells).text));
                line.extend(errors.then(|| error(output, row)));
            }
            // Readers pass over empty lines.
            let is_empty_line = line.len() == 1 && line[0].is_empty();
            text += &(if is_empty_line { "\"\"".to_owned() } else { line.join(",") } + "\n");
        }
        Ok(text)
    }

    /// The first rows of columns, side by side in lines of at most so many characters, and numbers in full.
    pub fn lines(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        let (columns, numbers): (Vec<&Output>, Vec<&Output>) =
            self.outputs.iter().partition(|output| output.shape == Shape::Column);
        if let Some(first) = columns.first() {
            columns_table(&mut text, &columns, first.values.len(), width.unwrap_or(TEXT_WIDTH));
        }
        for (column, reason) in columns.iter().filter_map(|column| Some((column, column.missing.as_ref()?))) {
            let _ = writeln!(text, "  {} has no values: {reason}", column.name);
        }
        let width = numbers.iter().map(|output| output.name.len()).max().unwrap_or(0);
        for output in numbers {
            let value = output.text(&output.values[0]);
            let why = output.missing.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
            let _ = writeln!(text, "  {:width$} = {value}{why}", output.name);
        }
        text
    }
}

/// The first rows of columns, side by side as far as lines are long, and the others below.
fn columns_table(text: &mut String, columns: &[&Output], rows: usize, most: usize) {
    let shown = rows.min(SHOWN_ROWS);
    let numbers: Vec<String> = (1..=shown).map(|row| row.to_string()).collect();
    let cells = |column: &&Output| {
        let values = column.values[..shown].iter().map(|value| column.text(value));
        let cells: Vec<String> = std::iter::once(column.name.clone()).chain(values).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        (width, cells)
    };
    let columns: Vec<(usize, Vec<String>)> = columns.iter().map(cells).collect();
    let mut rest = &columns[..];
    while !rest.is_empty() {
        // "  " and four characters of a number of a row stand before.
        let ends = rest.iter().scan(6, |end, (width, _)| {
            *end += 2 + width;
            Some(*end)
        });
        let fitting = ends.take_while(|end| *end <= most).count().max(1);
        let (beside, below) = rest.split_at(fitting);
        for row in 0..=shown {
            let head = if row == 0 { "row" } else { &numbers[row - 1] };
            let _ = write!(text, "  {head:>4}");
            for (width, cells) in beside {
                let _ = write!(text, "  {:>width$}", cells[row]);
            }
            text.push('\n');
        }
        rest = below;
    }
    if rows > shown {
        let _ = writeln!(text, "  … {} more", rows - shown);
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, Output, Shape};

    #[test]
    fn what_is_shown_with_its_bound_holds_the_right_value() {
        let mut output = Output {
            name: "y".to_owned(),
            shape: Shape::Column,
            values: vec![Number::Real(5.0493), Number::Real(-0.2)],
            decimals: 0,
            bound: 0.0,
            largest: 5.0493,
            missing: None,
            gaps: 0,
        };
        output.resolve(0.05);
        let shown: Vec<String> = output.values.iter().map(|value| output.text(value)).collect();
        assert_eq!(shown, ["5.049 ± 0.051", "-0.200 ± 0.051"]);
        output.values.push(Number::Missing);
        assert_eq!(output.text(&output.values[2]), "none");
        // Nothing is left of the second value, and a 0 beside a small bound is a 0.
        output.bound = 0.3;
        assert_eq!(output.text(&output.values[1]), "unknown, at most 0.5");
        output.bound = 0.004;
        assert_eq!(output.text(&Number::Real(0.0)), "0.000 ± 0.004");
    }
}
