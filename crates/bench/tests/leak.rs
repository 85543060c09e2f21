//! Times of operations on secrets.

use asanoha_bench::{LeakRow, LeakVerdict, leak};
use asanoha_kernels::Backend;

#[test]
#[ignore = "slow"]
fn no_time_of_an_operation_on_secrets_depends_on_them() {
    println!("{}", LeakRow::HEAD);
    let rows = leak(10_000, Backend::detect().unwrap(), |row| println!("{row}"));
    let leaks: Vec<_> = rows.iter().filter(|row| row.verdict() == LeakVerdict::Leaks).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
}
