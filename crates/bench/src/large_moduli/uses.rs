//! Programs modulo a number that is given from outside, from the plan to the decrypted results: products, fixed-point arithmetic
//! without rounding, and additions of points of an elliptic curve; and products of wide numbers without a modulus.

use std::fmt;

use asanoha_runtime::{
    data::{Column, ColumnValues, Table},
    plan::PlanOptions,
    program::Program,
};
use asanoha_scheme::batching_primes;
use num_bigint::{BigInt, BigUint};
use serde::Serialize;

use crate::{Settings, TableError, program_run::run_program};

/// The bits of the numbers of the wide product.
const WIDE_BITS: u64 = 2048;
/// The fractional bits of the fixed-point numbers.
const FRACTIONAL_BITS: u32 = 40;
/// The ring degree of whose slots the fixed-point modulus has all.
const RING_DEGREE: usize = 1 << 16;
/// The prime of the curve P-256, its constant b, and the base point G, 2G and 3G, as published with the curve's test vectors.
const P: &str = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const B: &str = "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b";
const MULTIPLES: [[&str; 2]; 3] = [
    [
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    ],
    [
        "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1",
    ],
    [
        "5ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c",
        "8734640c4998ff7e374b06ce1a64a2ecd82ab036384fb83d9a79b127a27d5032",
    ],
];

/// A use of a modulus from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// A product of two columns modulo 65,537, which has all slots.
    Product17,
    /// A product of two columns modulo 2^255 − 19, which has few slots.
    Product255,
    /// A product of two columns modulo a number of 1024 bits.
    Product1024,
    /// A product of two columns modulo a number of 2048 bits.
    Product2048,
    /// A product of two columns of 2048 bits, without a modulus.
    WideProduct,
    /// A polynomial of degree five of numbers with 40 fractional bits, modulo a prime of 256 bits that holds every bit of it.
    FixedPoint,
    /// A sum of two points of the curve P-256 in projective coordinates, modulo the curve's prime: 12 products and two by a
    /// constant, by the complete formulas of Renes, Costello and Batina (2016, Algorithm 4).
    PointAddition,
}

/// A program modulo a number, measured on the threads of the current pool.
#[derive(Clone, Debug, Serialize)]
pub struct UseRow {
    /// The use.
    #[serde(rename = "use")]
    pub case: Use,
    /// The bits of the modulus; `None` without one.
    pub modulus_bits: Option<u64>,
    /// The rows of the table.
    pub rows: usize,
    /// The scheme that was chosen.
    pub scheme: String,
    /// The ring degree.
    pub ring_degree: usize,
    /// The number of threads.
    pub threads: usize,
    /// Seconds from the plan to the decrypted results.
    pub seconds: f64,
    /// Seconds to plan.
    pub plan_s: f64,
    /// Seconds to make keys.
    pub keygen_s: f64,
    /// Seconds to encrypt.
    pub encrypt_s: f64,
    /// Seconds to evaluate.
    pub evaluate_s: f64,
    /// Seconds to decrypt.
    pub decrypt_s: f64,
    /// The peak memory of the process in bytes; `None` where the system doesn't tell.
    pub peak_memory_bytes: Option<u64>,
}

/// The uses that are measured.
pub(super) fn uses(quick: bool) -> &'static [Use] {
    use Use::{FixedPoint, PointAddition, Product17, Product255, Product1024, Product2048, WideProduct};
    let all = &[Product17, WideProduct, Product255, Product1024, Product2048, FixedPoint, PointAddition];
    if quick { &all[..2] } else { all }
}

fn hex(digits: &str) -> BigInt {
    BigInt::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal constants")
}

/// A number below 2^`bits` that looks random.
fn number(row: usize, salt: u64, bits: u64) -> BigInt {
    let words = (0..bits.div_ceil(32)).map(|at| {
        let word = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (at + salt).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (word.wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
    });
    BigInt::from(BigUint::new(words.collect()) & ((BigUint::from(1u32) << bits) - 1u32))
}

/// c·S^power, with S = 2^40.
fn constant(c: u32, power: u32) -> BigInt {
    BigInt::from(c) << (FRACTIONAL_BITS * power)
}

impl Use {
    fn name(self) -> &'static str {
        match self {
            Self::Product17 | Self::Product255 | Self::Product1024 | Self::Product2048 => "product",
            Self::WideProduct => "wide product",
            Self::FixedPoint => "fixed point",
            Self::PointAddition => "point addition",
        }
    }

    /// The modulus, or one above all results.
    fn modulus(self) -> BigInt {
        let one = BigInt::from(1);
        match self {
            Self::Product17 => 65_537.into(),
            Self::Product255 => (one << 255) - 19,
            Self::Product1024 => (one << 1024) - 59,
            Self::Product2048 => (one << 2048) - 1942,
            Self::WideProduct => one << (2 * WIDE_BITS),
            Self::FixedPoint => batching_primes(256, RING_DEGREE, 1).swap_remove(0).into(),
            Self::PointAddition => hex(P),
        }
    }

    fn program(self) -> String {
        let p = self.modulus();
        match self {
            Self::WideProduct => "y = a * b".to_owned(),
            Self::Product17 | Self::Product255 | Self::Product1024 | Self::Product2048 => {
                format!("y = a * b % {p}")
            }
            // 480·S⁵·y for y = ½ + x/4 − x³/48 + x⁵/480 and numbers x·S.
            Self::FixedPoint => format!(
                "y = (x * (x * x * (x * x - {}) + {}) + {}) % {p}",
                constant(10, 2),
                constant(120, 4),
                constant(240, 5)
            ),
            Self::PointAddition => {
                let b = hex(B);
                format!(
                    "_xx = x1 * x2\n_yy = y1 * y2\n_zz = z1 * z2\n\
                     _xy = (x1 + y1) * (x2 + y2) - _xx - _yy\n_yz = (y1 + z1) * (y2 + z2) - _yy - _zz\n\
                     _xz = (x1 + z1) * (x2 + z2) - _xx - _zz\n_u = 3 * (_xz - {b} * _zz)\n\
                     _v = 3 * ({b} * _xz - 3 * _zz - _xx)\n_w = 3 * _xx - 3 * _zz\n\
                     x = (_xy * (_yy + _u) - _yz * _v) % {p}\ny = ((_yy + _u) * (_yy - _u) + _w * _v) % {p}\n\
                     z = (_yz * (_yy - _u) + _xy * _w) % {p}"
                )
            }
        }
    }

    fn rows(self) -> usize {
        match self {
            Self::Product17 => 10_000,
            Self::Product255 => 8,
            Self::Product1024 | Self::PointAddition => 2,
            Self::Product2048 | Self::WideProduct => 1,
            Self::FixedPoint => 1000,
        }
    }

    /// The columns of the table.
    fn columns(self) -> Vec<(&'static str, Vec<BigInt>)> {
        let rows = self.rows();
        let column = |salt| {
            let bits = self.modulus().bits().min(WIDE_BITS);
            (0..rows).map(|row| number(row, salt, bits) % self.modulus()).collect()
        };
        match self {
            Self::Product17
            | Self::Product255
            | Self::Product1024
            | Self::Product2048
            | Self::WideProduct => {
                vec![("a", column(0)), ("b", column(1000))]
            }
            Self::FixedPoint => {
                // Numbers from −2 to 2.
                let x = |row| number(row, 0, u64::from(FRACTIONAL_BITS) + 2) - constant(2, 1);
                vec![("x", (0..rows).map(x).collect())]
            }
            Self::PointAddition => {
                let [g, double, _] = MULTIPLES.map(|point| point.map(hex));
                // G + 2G, and G + G.
                let both = |a: &BigInt, b: &BigInt| vec![a.clone(), b.clone()];
                let ones = || vec![1.into(), 1.into()];
                vec![
                    ("x1", both(&g[0], &g[0])),
                    ("y1", both(&g[1], &g[1])),
                    ("z1", ones()),
                    ("x2", both(&double[0], &g[0])),
                    ("y2", both(&double[1], &g[1])),
                    ("z2", ones()),
                ]
            }
        }
    }

    /// Compares the results of a row with those of big integers.
    fn holds(self, row: usize, columns: &[(&str, Vec<BigInt>)], results: &[BigInt]) -> bool {
        let (p, of) = (self.modulus(), |column: usize| &columns[column].1[row]);
        match self {
            Self::Product17
            | Self::Product255
            | Self::Product1024
            | Self::Product2048
            | Self::WideProduct => results == [of(0) * of(1) % p],
            Self::FixedPoint => {
                let (x, square) = (of(0), of(0) * of(0));
                // Below p, so that no bit of it is lost.
                results == [x * (&square * (&square - constant(10, 2)) + constant(120, 4)) + constant(240, 5)]
            }
            Self::PointAddition => {
                let [x, y, z] = results else { return false };
                let sum = MULTIPLES[2 - row].map(hex);
                *z != BigInt::ZERO && *x == &sum[0] * z % &p && *y == &sum[1] * z % &p
            }
        }
    }
}

impl UseRow {
    /// Runs a use, and compares its results with big integers.
    pub(super) fn measure(case: Use, settings: &Settings) -> Result<Self, TableError> {
        let program = Program::parse(&case.program()).expect("it's a program");
        let (columns, rows) = (case.columns(), case.rows());
        let column = |(name, values): &(&str, Vec<BigInt>)| Column {
            name: (*name).to_owned(),
            values: ColumnValues::Integers(values.clone()),
        };
        let table = Table { columns: columns.iter().map(column).collect(), rows };
        let (defaults, threads) = (PlanOptions::default(), rayon::current_num_threads());
        let backend = settings.backends.last().copied().unwrap_or(defaults.backend);
        let run = run_program::<TableError>(&program, &table, &PlanOptions { threads, backend, ..defaults })?;
        let exact = run.decrypted.exact.as_deref().unwrap_or_default();
        let results =
            |row: usize| exact.iter().map(|(_, values)| values.as_slice()[row].to_integer()).collect();
        let is_right = |row: usize| {
            let results: Vec<BigInt> = results(row);
            case.holds(row, &columns, &results)
        };
        if let Some(wrong) = (0..rows).find(|row| !is_right(*row)) {
            return Err(TableError::Wrong(case.name(), format!("a wrong number in row {wrong}")));
        }
        Ok(Self {
            case,
            modulus_bits: (case != Use::WideProduct).then(|| case.modulus().bits()),
            rows,
            scheme: run.plan.params.scheme().to_string(),
            ring_degree: run.plan.params.ring_degree(),
            threads,
            seconds: run.plan_s + run.keygen_s + run.encrypt_s + run.evaluate_s + run.decrypt_s,
            plan_s: run.plan_s,
            keygen_s: run.keygen_s,
            encrypt_s: run.encrypt_s,
            evaluate_s: run.evaluate_s,
            decrypt_s: run.decrypt_s,
            peak_memory_bytes: run.peak_memory_bytes,
        })
    }
}

impl fmt::Display for UseRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modulus = self.modulus_bits.map_or_else(String::new, |bits| format!("modulo {bits:>4} bits"));
        write!(
            f,
            "{:14} {modulus:16}, {:>5} rows, {}, log2 N {}: {:.2} s from the plan to the results; plan {:.3}, keys {:.2}, encrypt {:.2}, evaluate {:.2}, decrypt {:.2}",
            self.case.name(),
            self.rows,
            self.scheme,
            self.ring_degree.ilog2(),
            self.seconds,
            self.plan_s,
            self.keygen_s,
            self.encrypt_s,
            self.evaluate_s,
            self.decrypt_s
        )
    }
}

#[cfg(test)]
mod tests {
    use asanoha_kernels::Backend;
    use asanoha_runtime::program::evaluate_exact;

    use super::*;

    #[test]
    fn programs_give_what_big_integers_give() {
        for &case in uses(false) {
            let (columns, rows) = (case.columns(), case.rows());
            let of = |(name, values): &(&str, Vec<BigInt>)| Column {
                name: (*name).to_owned(),
                values: ColumnValues::Integers(values.clone()),
            };
            let table = Table { columns: columns.iter().map(of).collect(), rows };
            let program = Program::parse(&case.program()).unwrap();
            let plain = evaluate_exact(&program, &table).unwrap().unwrap();
            for row in 0..rows {
                let mut results: Vec<BigInt> =
                    plain.iter().map(|(_, values)| values.as_slice()[row].to_integer()).collect();
                assert!(case.holds(row, &columns, &results), "{case:?} {row}");
                results[0] += 1;
                assert!(!case.holds(row, &columns, &results), "{case:?} {row}");
            }
        }
    }

    /// Up to a gigabyte of keys and ciphertexts.
    #[test]
    #[ignore = "slow"]
    fn encrypted_results_are_those_of_big_integers() {
        let settings = Settings { backends: Backend::available(), quick: false };
        for &case in uses(settings.quick) {
            let row = UseRow::measure(case, &settings).unwrap();
            println!("{row}");
            assert!(["bgv", "bfv"].contains(&row.scheme.as_str()) && row.seconds > row.evaluate_s, "{row:?}");
        }
    }
}
