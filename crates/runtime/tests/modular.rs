//! Programs modulo one number of any width, prime or not, in BGV and BFV, against big integers.

use asanoha_ring::Backend;
use asanoha_runtime::{
    data::{Schema, Table, parse_range_override, read_csv},
    execute::Decrypted,
    plan::{Plan, PlanOptions, SchemeName, SecurityCheck, choose},
    program::Program,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;

use crate::finished::run;

/// Columns beyond 64 bits, negative ones, and 0.
const CSV: &str = "a,b,c\n18446744073709551629,2,7\n-5,-9223372036854775809,0\n0,31,-4\n340282366920938463463374607431768211507,-1,3\n";
/// Numbers with N slots, several, or one, from 2 on: primes and others.
const MODULI: [&str; 8] = [
    "2",
    "17",
    "257",
    "65537",
    "1000003",
    "170141183460469231731687303715884105727",
    "340282366920938463463374607431768211456",
    "115792089237316195423570985008687907853269984665640564039457584007913129639747",
];

fn table(text: &str) -> (Program, Table) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{}", error.render("p.asa")));
    let table = read_csv(CSV.as_bytes(), "d.csv", program.input_names()).unwrap();
    (program, table)
}

fn planned(text: &str, ranges: &[&str], scheme: SchemeName) -> (Plan, Table) {
    let (program, table) = table(text);
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(&table, &ranges).unwrap();
    let options = PlanOptions { scheme: Some(scheme), security: 0, threads: 2, ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options);
    (plan.unwrap_or_else(|error| panic!("{text}: {error}")), table)
}

fn values<'a>(decrypted: &'a Decrypted, name: &str) -> &'a [BigRational] {
    let exact = decrypted.exact.as_ref().expect("exact");
    exact.iter().find(|(other, _)| other == name).expect("there").1.as_slice()
}

/// The rows of the data.
fn rows() -> Vec<[BigInt; 3]> {
    let row = |line: &str| {
        let mut cells = line.split(',').map(|cell| cell.parse().unwrap());
        [(); 3].map(|()| cells.next().unwrap())
    };
    CSV.lines().skip(1).map(row).collect()
}

#[test]
fn results_modulo_numbers_of_any_width_are_those_of_big_integers() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        for modulus in MODULI {
            let p: BigInt = modulus.parse().unwrap();
            let text = format!(
                "r = (3*a*b - c + 5) % {modulus}\n_u = (a - b) % {modulus}\ns = _u * (_u + c) * -2 % {modulus}\nk = a % {modulus}\n\
                 t = sum(a * b) % {modulus}\nq = pow(a + 1, 5, {modulus})\n"
            );
            let (plan, table) = planned(&text, &[], scheme);
            let integers = plan.hints.reduced.is_some();
            let of_results = if integers {
                &plan.hints.reduced.as_ref().unwrap().0
            } else {
                plan.params.plaintext_modulus().unwrap()
            };
            assert_eq!(of_results.to_string(), modulus, "{text}");
            // Few rows of wide numbers are integers in BFV, one in a ciphertext.
            assert!(!integers || scheme == SchemeName::Bfv && p.bits() > 64);
            let decrypted = run(&plan, &table);
            let reduced = |value: BigInt| BigRational::from(value.mod_floor(&p));
            let of = |right: &dyn Fn(&[BigInt; 3]) -> BigInt| -> Vec<BigRational> {
                rows().iter().map(|row| reduced(right(row))).collect()
            };
            assert_eq!(values(&decrypted, "r"), of(&|[a, b, c]| 3 * a * b - c + 5), "{scheme} {modulus}");
            assert_eq!(values(&decrypted, "k"), of(&|[a, ..]| a.clone()), "{scheme} {modulus}");
            let u = |a: &BigInt, b: &BigInt| a - b;
            assert_eq!(
                values(&decrypted, "s"),
                of(&|[a, b, c]| u(a, b) * (u(a, b) + c) * -2),
                "{scheme} {modulus}"
            );
            let total = rows().iter().map(|[a, b, _]| a * b).sum::<BigInt>();
            assert_eq!(values(&decrypted, "t"), [reduced(total)], "{scheme} {modulus}");
            assert_eq!(
                values(&decrypted, "q"),
                of(&|[a, ..]| BigInt::pow(&(a + 1), 5)),
                "{scheme} {modulus}"
            );
        }
    }
}

#[test]
fn sums_are_over_all_rows_of_columns_in_rows_of_few_slots() {
    // 2, 8, 128 and N slots; rows that fill a row of slots, both, some ciphertexts, and parts of these.
    for (modulus, scheme) in
        [(85, SchemeName::Bgv), (17, SchemeName::Bfv), (257, SchemeName::Bgv), (65537, SchemeName::Bgv)]
    {
        for rows in [1_i64, 2, 3, 4, 7, 8, 9, 64, 65, 100, 128, 200, 257] {
            let row = |at: i64| [(at * 7_919 - 300) << 38, at * at * 104_729 + (1 << 30)];
            let lines: Vec<String> =
                (0..rows).map(|at| row(at).map(|cell| cell.to_string()).join(",")).collect();
            let program = Program::parse(&format!(
                "s = sum(a * b + 1) % {modulus}\nd = sum(a * b * b - a) % {modulus}\nr = a * b % {modulus}\n"
            ))
            .unwrap();
            let table =
                read_csv(format!("a,b\n{}\n", lines.join("\n")).as_bytes(), "d.csv", program.input_names())
                    .unwrap();
            let ranges: Vec<_> = ["a=-1152921504606846976:1152921504606846975", "b=0:17179869183"]
                .iter()
                .map(|range| parse_range_override(range).unwrap())
                .collect();
            let schema = Schema::from_table(&table, &ranges).unwrap();
            let options =
                PlanOptions { scheme: Some(scheme), security: 0, threads: 2, ..PlanOptions::default() };
            let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
            assert!(plan.hints.modular);
            let decrypted = run(&plan, &table);
            let total = |f: &dyn Fn(BigInt, BigInt) -> BigInt| {
                let sum: BigInt = (0..rows).map(row).map(|[a, b]| f(a.into(), b.into())).sum();
                BigRational::from(sum.mod_floor(&modulus.into()))
            };
            let place = format!("{scheme}, modulo {modulus}, {rows} rows");
            assert_eq!(values(&decrypted, "s"), [total(&|a, b| a * b + 1)], "{place}");
            assert_eq!(values(&decrypted, "d"), [total(&|a, b| &a * &b * &b - &a)], "{place}");
        }
    }
}

#[test]
fn inverses_and_equalities_modulo_a_prime_are_powers() {
    for (scheme, modulus) in [(SchemeName::Bgv, 257), (SchemeName::Bfv, 23)] {
        let text = format!(
            "i = a ** -1 % {modulus}\nsame = a * b % {modulus} == b * c % {modulus}\nother = a * b % {modulus} != 5\n\
             n = sum(a * b % {modulus} == 0)\n"
        );
        let (plan, table) = planned(&text, &[], scheme);
        let decrypted = run(&plan, &table);
        let p = BigInt::from(modulus);
        let inverse = |a: &BigInt| a.mod_floor(&p).modinv(&p).unwrap_or_default();
        let truth = |holds: bool| BigRational::from(BigInt::from(u8::from(holds)));
        let residue = |a: &BigInt, b: &BigInt| (a * b).mod_floor(&p);
        let rows = rows();
        let expected: Vec<BigRational> = rows.iter().map(|[a, ..]| inverse(a).into()).collect();
        assert_eq!(values(&decrypted, "i"), expected);
        let expected: Vec<_> = rows.iter().map(|[a, b, c]| truth(residue(a, b) == residue(b, c))).collect();
        assert_eq!(values(&decrypted, "same"), expected);
        let expected: Vec<_> = rows.iter().map(|[a, b, _]| truth(residue(a, b) != 5.into())).collect();
        assert_eq!(values(&decrypted, "other"), expected);
        let count = rows.iter().filter(|[a, b, _]| residue(a, b) == 0.into()).count();
        assert_eq!(values(&decrypted, "n"), [BigRational::from(BigInt::from(count))]);
    }
}

#[test]
fn small_values_keep_their_tables_and_other_programs_are_told_what_to_write() {
    let (plan, _) = planned("r = c * c % 97", &[], SchemeName::Bgv);
    assert!(!plan.hints.modular, "a table of one narrow column");
    let refused = |text: &str| {
        let (program, table) = table(text);
        let schema = Schema::from_table(&table, &[]).unwrap();
        let options = PlanOptions { scheme: Some(SchemeName::Bgv), security: 0, ..PlanOptions::default() };
        choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap_err().to_string()
    };
    for (text, says) in [
        ("r = a * b % 97\nq = a * b % 101", "a program whose results are all modulo that number"),
        ("r = a * b % 65537\nq = max(b, a * c)", "a program whose results are all modulo that number"),
        ("r = (a * b % 65537) * (c * a % 65537)", "a program whose results are all modulo that number"),
        ("i = pow(a, -1, 340282366920938463463374607431768211456)", "needs a prime"),
        ("e = a * b % 65536 == 3", "needs a prime"),
    ] {
        let error = refused(text);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn a_plan_of_another_modulus_is_refused() {
    let (plan, _) = planned("r = a * b % 65537", &[], SchemeName::Bgv);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plan.json");
    plan.write(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    for (from, to) in [("% 65537", "% 65539"), ("\"modular\": true", "\"modular\": false")] {
        assert!(text.contains(from), "{text}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
        let kernels = Backend::detect().unwrap();
        assert!(Plan::read(&file, SecurityCheck::Waived, kernels).is_err(), "{from}");
    }
}

#[test]
fn products_modulo_2048_bits_are_integers_that_the_key_holder_reduces() {
    let modulus = (BigInt::from(1) << 2048) - (BigInt::from(1) << 700) + 12_345;
    let number = |at: i64| (BigInt::from(at * at - 7 * at + 1) << 2040) + BigInt::from(at).pow(60);
    let rows: Vec<[BigInt; 2]> = (0..5).map(|at| [number(at), number(at + 9)]).collect();
    let lines: Vec<String> = rows.iter().map(|[a, b]| format!("{a},{b}")).collect();
    let text =
        format!("y = (a * b - 3 * a + 1) % {modulus}\ns = sum(a * a) % {modulus}\nn = -(b % {modulus})");
    let program = Program::parse(&text).unwrap();
    let table =
        read_csv(format!("a,b\n{}\n", lines.join("\n")).as_bytes(), "d.csv", program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions { scheme: Some(SchemeName::Bfv), threads: 2, ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    assert_eq!((plan.params.ring_degree(), plan.params.slots()), (8192, 1));
    let decrypted = run(&plan, &table);
    let right = |of: &dyn Fn(&[BigInt; 2]) -> BigInt| -> Vec<BigRational> {
        rows.iter().map(|row| BigRational::from(of(row))).collect()
    };
    assert_eq!(values(&decrypted, "y"), right(&|[a, b]| BigInt::mod_floor(&(a * b - 3 * a + 1), &modulus)));
    assert_eq!(values(&decrypted, "n"), right(&|[_, b]| -b.mod_floor(&modulus)));
    let total: BigInt = rows.iter().map(|[a, _]| a * a).sum();
    assert_eq!(values(&decrypted, "s"), [BigRational::from(total.mod_floor(&modulus))]);

    // Results reduced modulo another number, or not at all, are none of this program.
    let text =
        serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&plan.to_json()).unwrap()).unwrap();
    let reduced = format!("\"reduced\":\"{modulus}\"");
    for (from, to) in [
        (reduced.as_str(), format!("\"reduced\":\"{}\"", &modulus - 2)),
        (reduced.as_str(), "\"reduced\":null".to_owned()),
        ("\"modular\":true", "\"modular\":false".to_owned()),
    ] {
        assert!(text.contains(from), "{from}");
        let altered = text.replace(from, &to);
        let kernels = Backend::detect().unwrap();
        assert!(
            Plan::from_json(altered.as_bytes(), "plan.json", SecurityCheck::Waived, kernels).is_err(),
            "{to}"
        );
    }
}
