//! Programs on plain numbers of 300 bits, and encrypted results held against them.

use std::collections::HashMap;

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{ColumnValues, Table},
    execute::{self, Decrypted, ExecuteError},
    plan::Plan,
    precision::Precision,
    program::{
        Node, NodeId, Operand, Outputs, Program, Shape, Smooth, Values, evaluate_exact, parse_number, ranges,
    },
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive};

/// The bits that are kept of every value that isn't computed exactly.
const BITS: i64 = 300;

fn whole(value: usize) -> BigRational {
    BigRational::from_integer(value.into())
}

/// The value to so many bits.
fn rounded(value: &BigRational) -> BigRational {
    let size = value.numer().bits() as i64 - value.denom().bits() as i64;
    if value.numer().bits().max(value.denom().bits()) < 4 * BITS as u64 {
        return value.clone();
    }
    let shift = BITS - size;
    let power = BigRational::from_integer(BigInt::one() << shift.unsigned_abs());
    if shift >= 0 { (value * &power).round() / power } else { (value / &power).round() * power }
}

/// e^x by its series at |x|/2^k, squared k times, in fixed point.
fn exp(x: &BigRational) -> BigRational {
    if x.is_negative() {
        return exp(&-x).recip();
    }
    let halvings = (x.to_f64().unwrap().max(1.0).log2().ceil() as u32) + 8;
    let places = BITS as u32 + 64;
    let one = BigInt::one() << places;
    let x = (x.numer() << (places - halvings)) / x.denom();
    let (mut term, mut sum) = (one.clone(), one.clone());
    for n in 1..60 {
        term = ((term * &x) >> places) / n;
        sum += &term;
    }
    let power = (0..halvings).fold(sum, |power, _| (&power * &power) >> places);
    rounded(&BigRational::new(power, one))
}

/// The value of a smooth function.
fn smooth(function: &dyn Smooth, x: &BigRational) -> BigRational {
    let one = BigRational::one();
    let near = BigRational::from_float(function.value(x.to_f64().unwrap())).unwrap();
    match function.name() {
        "sigmoid" => &one / (&one + exp(&-x)),
        "exp" => exp(x),
        "tanh" => {
            let power = exp(&(x * whole(2)));
            (&power - &one) / (&power + &one)
        }
        // Both by steps that double the digits at least, Halley's for e^y = x and Heron's for y² = x.
        "log" => (0..5).fold(near, |y, _| {
            let power = exp(&y);
            rounded(&(y + whole(2) * (x - &power) / (x + &power)))
        }),
        "sqrt" => (0..5).fold(near, |y, _| rounded(&((&y + x / &y) / whole(2)))),
        "1/x" => x.recip(),
        other => panic!("{other} has no oracle"),
    }
}

fn column(values: &ColumnValues) -> Vec<BigRational> {
    match values {
        ColumnValues::Whole(values) | ColumnValues::Categories { values, .. } => {
            values.iter().map(|&v| BigRational::from_integer(v.into())).collect()
        }
        ColumnValues::Integers(values) => values.iter().cloned().map(BigRational::from_integer).collect(),
        ColumnValues::Decimal { values, places } => {
            let power = BigInt::from(10).pow(*places);
            values.iter().map(|&v| BigRational::new(v.into(), power.clone())).collect()
        }
        ColumnValues::WideDecimal { values, places } => {
            let power = BigInt::from(10).pow(*places);
            values.iter().map(|v| BigRational::new(v.clone(), power.clone())).collect()
        }
        // Thresholds are decimals, and so is a double where it's written.
        ColumnValues::Real(values) => {
            values.iter().map(|&v| format!("{v:e}")).map(|text| parse_number(&text).unwrap()).collect()
        }
    }
}

/// The outputs of a program, as near to the right ones as makes no difference.
pub(crate) fn evaluate(program: &Program, table: &Table) -> Outputs<BigRational> {
    let mut values: HashMap<NodeId, Vec<BigRational>> = HashMap::new();
    for (id, node) in program.iter() {
        let of = |id: &NodeId| &values[id];
        let both = |a: &NodeId, b: &NodeId, f: fn(&BigRational, &BigRational) -> BigRational| {
            let (a, b) = (of(a), of(b));
            let at = |values: &[BigRational], row: usize| values[row % values.len()].clone();
            (0..a.len().max(b.len())).map(|row| f(&at(a, row), &at(b, row))).collect::<Vec<_>>()
        };
        let each = |a: &NodeId, f: &dyn Fn(&BigRational) -> BigRational| of(a).iter().map(f).collect();
        let mean = |values: &[BigRational]| values.iter().sum::<BigRational>() / whole(table.rows);
        let computed: Vec<BigRational> = match node {
            Node::Input(name) => column(&table.column(name).unwrap().values),
            Node::Add(a, b) => both(a, b, |a, b| a + b),
            Node::Sub(a, b) => both(a, b, |a, b| a - b),
            Node::Mul(a, b) => both(a, b, |a, b| a * b),
            Node::Neg(a) => each(a, &|a| -a),
            Node::Scale(a, k) => each(a, &|a| a * k),
            Node::Offset(a, c) => each(a, &|a| a + c),
            Node::Power(a, exponent) => each(a, &|a| Pow::pow(&rounded(a), *exponent)),
            Node::Sum(a) => vec![of(a).iter().sum()],
            Node::Mean(a) => vec![mean(of(a))],
            Node::Var(a) => {
                let middle = mean(of(a));
                let squares: Vec<_> = of(a).iter().map(|a| Pow::pow(a - &middle, 2u32)).collect();
                vec![mean(&squares)]
            }
            Node::Cov(a, b) => {
                let centred = |a: &NodeId| {
                    let middle = mean(of(a));
                    of(a).iter().map(|a| a - &middle).collect::<Vec<_>>()
                };
                let products = centred(a).into_iter().zip(centred(b)).map(|(a, b)| a * b);
                vec![mean(&products.collect::<Vec<_>>())]
            }
            Node::Dot(a, b) => vec![both(a, b, |a, b| a * b).iter().sum()],
            Node::Assume(a, ..) => of(a).clone(),
            Node::Quantile(..) => panic!("plans have none"),
            Node::Function(function, operands) => {
                let column = |operand: &Operand| match operand {
                    Operand::Value(id) => of(id).clone(),
                    Operand::Constant(constant) => vec![BigRational::from_integer((*constant).into())],
                };
                let columns: Vec<Vec<BigRational>> = operands.iter().map(column).collect();
                let rows = columns.iter().map(Vec::len).max().unwrap();
                let arguments =
                    |row: usize| columns.iter().map(|of| of[row % of.len()].clone()).collect::<Vec<_>>();
                let value = |row: usize| match function.smooth() {
                    Some(function) => smooth(function, &arguments(row)[0]),
                    None => function.value(&arguments(row)).unwrap(),
                };
                (0..rows).map(value).collect()
            }
        };
        values.insert(id, computed.iter().map(rounded).collect());
    }
    let shaped = |id: &NodeId| match program.shape(*id) {
        Shape::Column => Values::Column(values[id].clone()),
        Shape::Number => Values::Number(values[id][0].clone()),
    };
    program.outputs().iter().map(|(name, id)| (name.clone(), shaped(id))).collect()
}

/// Runs a plan.
pub(crate) fn run(plan: &Plan, table: &Table, seed: u8) -> Decrypted {
    try_run(plan, table, seed).unwrap()
}

/// Runs a plan, or says why that's refused.
pub(crate) fn try_run(plan: &Plan, table: &Table, seed: u8) -> Result<Decrypted, ExecuteError> {
    let mut sampler = Sampler::new(&Seed([seed; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(plan, &keys.public, table, &mut sampler)?;
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &execute::unwatched)?;
    execute::decrypt(plan, keys.secret.as_ref().expect("keys are made with it"), &outputs, &secrets)
}

/// What is wrong with decrypted results: exact ones must be right, others within what was asked and within what the
/// plan and the decryption say of them.
pub(crate) fn wrong(
    plan: &Plan,
    table: &Table,
    precision: Precision,
    decrypted: &Decrypted,
) -> Option<String> {
    if let Some(found) = &decrypted.exact {
        let expected = evaluate_exact(&plan.program, table).unwrap();
        let expected = expected.unwrap_or_else(|| evaluate(&plan.program, table));
        return (*found != expected).then(|| format!("{found:?} for {expected:?}"));
    }
    let Some(planned) = plan.output_errors() else {
        return Some("results that should be exact aren't".to_owned());
    };
    let ranges = ranges(&plan.program, &plan.schema).unwrap();
    let expected = evaluate(&plan.program, table);
    let bounds = decrypted.error_bounds.as_ref().unwrap();
    for (at, ((name, id), ((_, found), (_, expected)))) in
        plan.program.outputs().iter().zip(decrypted.outputs.iter().zip(&expected)).enumerate()
    {
        let allowed = precision.tolerance(&ranges[id.0]).min(planned[at]).min(bounds[at]);
        if found.as_slice().len() != expected.as_slice().len() {
            return Some(format!("{name} has {} rows", found.as_slice().len()));
        }
        for (row, (found, expected)) in found.as_slice().iter().zip(expected.as_slice()).enumerate() {
            // The nearest double to the right value is as near as a result can come.
            let half_unit = expected.to_f64().unwrap().abs() * f64::EPSILON;
            let error = BigRational::from_float(*found).map(|found| (found - expected).abs());
            let error = error.map_or(f64::INFINITY, |error| error.to_f64().unwrap());
            if error > allowed + half_unit {
                let expected = expected.to_f64().unwrap();
                return Some(format!(
                    "{name}, row {row}: {found:e} for {expected:e} is off by {error:e}, and {allowed:e} is allowed"
                ));
            }
        }
    }
    None
}
