//! The graphs that functions of whole numbers become, on plain residues, against the plain computation.

use asanoha_circuits::{PlainArithmetic, PlainValue};
use asanoha_ring::Modulus;
use asanoha_runtime::{
    compile::{Carry, Expansion, FUNCTION_MODULUS, Graph, Op, WholeOperation, expand},
    data::{Column, ColumnValues, RangeOverride, Schema, Table, parse_range_override},
    program::{Analysed, Program, evaluate_exact},
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use proptest::prelude::*;

fn table(columns: &[(&str, Vec<i64>)]) -> Table {
    let column = |(name, values): &(&str, Vec<i64>)| Column {
        name: (*name).into(),
        values: ColumnValues::Whole(values.clone()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn graph(text: &str, data: &Table, ranges: &[&str], modulus: u64) -> Graph {
    let declared: Vec<RangeOverride> =
        ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(data, &declared).unwrap();
    let program = Program::parse(text).unwrap();
    expand(&Analysed::new(&program, &schema).unwrap(), Expansion::Exact { modulus }).unwrap()
}

/// What the graph computes modulo t, in every row, of an output.
fn outputs(graph: &Graph, data: &Table, modulus: u64) -> Vec<Vec<BigInt>> {
    let t = Modulus::new(modulus).unwrap();
    let plain = PlainArithmetic::new(t, data.rows);
    let map = |a: &PlainValue, f: &dyn Fn(u64) -> u64| PlainValue {
        slots: a.slots.iter().map(|&x| f(x)).collect(),
        level: a.level,
    };
    let zip = |a: &PlainValue, b: &PlainValue, f: &dyn Fn(u64, u64) -> u64| PlainValue {
        slots: a.slots.iter().zip(&b.slots).map(|(&x, &y)| f(x, y)).collect(),
        level: a.level,
    };
    let residue = |c: &BigRational| {
        assert!(c.is_integer());
        c.to_integer().mod_floor(&modulus.into()).to_u64().unwrap()
    };
    let mut values: Vec<Vec<PlainValue>> = Vec::new();
    for node in &graph.nodes {
        let of = |at: usize| &values[at][0];
        let value = match &node.operation {
            Op::Integers(..) => unreachable!("graphs for BGV and BFV have none"),
            Op::Input(index) => {
                let input = &graph.inputs[*index];
                let column = &data.column(&input.column).unwrap().values;
                let Some(ColumnValues::Whole(words)) = input.values(column).unwrap() else {
                    panic!("no words")
                };
                vec![plain.value(&words, 200)]
            }
            Op::Add(a, b) => vec![zip(of(*a), of(*b), &|x, y| t.add(x, y))],
            Op::Sub(a, b) => vec![zip(of(*a), of(*b), &|x, y| t.sub(x, y))],
            Op::Mul(a, b) => vec![zip(of(*a), of(*b), &|x, y| t.mul(x, y))],
            Op::Neg(a) => vec![map(of(*a), &|x| t.neg(x))],
            Op::AddConstant(a, c) => vec![map(of(*a), &|x| t.add(x, residue(c)))],
            Op::MulConstant(a, k) => vec![map(of(*a), &|x| t.mul(x, residue(k)))],
            Op::MaskRows(a) | Op::AbsorbNoise { a, .. } | Op::Own(Carry { a, .. }) => {
                vec![of(*a).clone()]
            }
            Op::KeepSlot(a, slot) => {
                let mut kept = of(*a).clone();
                kept.slots.iter_mut().enumerate().filter(|(at, _)| at != slot).for_each(|(_, x)| *x = 0);
                vec![kept]
            }
            Op::Sum(a, ()) => {
                let sum = of(*a).slots.iter().fold(0, |sum, &x| t.add(sum, x));
                vec![map(of(*a), &|_| sum)]
            }
            Op::Functions(operands, operation) => {
                let operands: Vec<PlainValue> =
                    operands.iter().map(|&a| PlainValue { level: 100, ..of(a).clone() }).collect();
                operation.apply(&plain, &operands.iter().collect::<Vec<_>>()).unwrap()
            }
            Op::Result(a, index) => vec![values[*a][*index].clone()],
        };
        values.push(value);
    }
    let output = |node: usize| values[node][0].slots.iter().map(|&x| BigInt::from(x)).collect();
    graph.outputs.iter().map(|output_of| output(output_of.node)).collect()
}

/// Holds a program's graph to the plain computation, modulo t.
fn hold(text: &str, data: &Table, ranges: &[&str], modulus: u64) -> Graph {
    let graph = graph(text, data, ranges, modulus);
    let program = Program::parse(text).unwrap();
    let expected = evaluate_exact(&program, data).unwrap().unwrap();
    let found = outputs(&graph, data, modulus);
    for (((name, expected), found), output) in expected.iter().zip(&found).zip(&graph.outputs) {
        for (row, expected) in expected.as_slice().iter().enumerate() {
            let expected = (expected / &output.factor).to_integer().mod_floor(&modulus.into());
            assert_eq!(found[row], expected, "{name} in row {row} of {text}");
        }
    }
    graph
}

fn functions(graph: &Graph) -> Vec<&WholeOperation> {
    let mut functions = Vec::new();
    for node in &graph.nodes {
        if let Op::Functions(_, operation) = &node.operation {
            functions.push(operation);
        }
    }
    functions
}

/// All pairs of two ranges.
fn pairs((a, b): (std::ops::RangeInclusive<i64>, std::ops::RangeInclusive<i64>)) -> Table {
    let all: Vec<(i64, i64)> = a.flat_map(|a| b.clone().map(move |b| (a, b))).collect();
    table(&[("x", all.iter().map(|p| p.0).collect()), ("y", all.iter().map(|p| p.1).collect())])
}

const ALL: &str = "q = x // y\nr = x % y\nlt = x < y\nle = x <= y\ngt = x > y\nge = x >= y\neq = x == y\n\
                   ne = x != y\nlo = min(x, y)\nhi = max(x, y)\nw = where(x < y, where(y == 3, x, 2 * y), x + y)\n\
                   a = abs(x - y)\nz = where(x, 1, 0) + (3 > x) + max(x, -2)";

#[test]
fn every_function_of_small_numbers_of_all_signs_is_python_s() {
    for ranges in [(0..=15, 0..=15), (-16..=15, 0..=7), (0..=7, -8..=7), (-8..=7, -8..=7), (-9..=-3, -4..=-1)]
    {
        hold(ALL, &pairs(ranges), &[], FUNCTION_MODULUS);
    }
}

#[test]
fn the_same_functions_are_right_when_declared_ranges_make_them_wide() {
    // The values are few, the declared ranges aren't: comparisons by digits, long division.
    let ranges =
        [(0..=20, 0..=9), (-20..=20, 0..=6), (0..=20, -5..=5), (-12..=12, -5..=5), (-12..=12, 1..=6)];
    let declared = [
        ["x=0:65535", "y=0:31"],
        ["x=-32768:32767", "y=0:20"],
        ["x=0:4095", "y=-16:15"],
        ["x=-2048:2047", "y=-32:31"],
        ["x=-32768:32767", "y=1:30"],
    ];
    for (ranges, declared) in ranges.into_iter().zip(declared) {
        let graph = hold(ALL, &pairs(ranges), &declared, FUNCTION_MODULUS);
        assert!(functions(&graph).iter().any(|operation| matches!(operation, WholeOperation::Digits(_))));
    }
}

#[test]
fn sixteen_bits_are_divided_by_sixteen_bits() {
    let x = vec![65535, 65535, 65535, 0, 1, 40000, 256, 65534, 12345, 7];
    let y = vec![1, 65535, 256, 9, 65535, 33333, 257, 0, 123, 7];
    let text = "q = x // y\nr = x % y\nm = min(x, y)\nbigger = x > y";
    let data = table(&[("x", x), ("y", y)]);
    hold(text, &data, &["x=0:65535", "y=0:65535"], 786433);
    // Signs on both sides.
    let x = vec![-32768, 32767, -32768, -1, 1, 0, 20000, -20000];
    let y = vec![-1, -32768, 32767, 32767, -32768, -5, -777, 777];
    hold(text, &table(&[("x", x), ("y", y)]), &["x=-32768:32767", "y=-32768:32767"], 786433);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn random_numbers_of_many_bits_are_compared_and_divided(
        rows in prop::collection::vec((any::<i16>(), any::<i8>(), any::<u16>()), 40)
    ) {
        let column = |f: &dyn Fn(&(i16, i8, u16)) -> i64| rows.iter().map(f).collect::<Vec<i64>>();
        let data = table(&[
            ("x", column(&|row| row.0.into())),
            ("y", column(&|row| (row.1 >> 3).into())),
            ("z", column(&|row| row.2.into())),
        ]);
        let text = "q = x // y\nr = x % y\nc = x <= z\nm = max(x, z)\nn = where(z > 1000, x, y)\n\
                    d = abs(x)\nlow = min(z, 50000) == z\nt = z // 7 + x % 10\nu = abs(y) // 3";
        hold(text, &data, &["x=-32768:32767", "y=-16:15", "z=0:65535"], FUNCTION_MODULUS);
    }
}

#[test]
fn functions_of_the_same_operands_share_their_powers() {
    let data = pairs((0..=15, 0..=15));
    let shared = |text: &str| functions(&graph(text, &data, &[], FUNCTION_MODULUS)).len();
    assert_eq!(shared("q = x // y\nr = x % y\nt = table2(x, y, [[1, 2], [3, 4]])"), 1);
    assert_eq!(shared("lo = min(x, y)\nhi = max(x, y)\nlt = x < y\neq = x == y"), 1);
    assert_eq!(shared("a = x // 3\nb = x % 3\nc = table(x, [1, 2, 3])"), 1);
    assert_eq!(shared("a = x // 3\nb = y // 3"), 2);
    let wide = ["x=0:65535", "y=0:65535"];
    let graph =
        graph("lt = x < y\nge = x >= y\nlo = min(x, y)\nhi = max(x, y)", &data, &wide, FUNCTION_MODULUS);
    assert_eq!(functions(&graph).len(), 1);
}

#[test]
fn only_digits_of_columns_are_encrypted_where_nothing_else_is_needed() {
    let data = pairs((0..=15, 0..=15));
    let compared = graph("c = x < y", &data, &["x=0:65535", "y=0:65535"], FUNCTION_MODULUS);
    assert_eq!(compared.inputs.len(), 8);
    assert!(compared.inputs.iter().all(|input| input.view.is_some()));
    let chosen = graph("c = where(x < 1000, x, y)", &data, &["x=0:65535", "y=0:65535"], FUNCTION_MODULUS);
    // The comparison with a constant is a bit.
    assert_eq!(chosen.inputs.iter().filter(|input| input.view.is_some()).count(), 1);
    assert_eq!(chosen.inputs.iter().filter(|input| input.view.is_none()).count(), 2);
}
