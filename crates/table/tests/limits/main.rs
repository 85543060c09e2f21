//! Files that expand to far more than they have bytes: each is refused before it takes the memory.

#[cfg(feature = "arrow")]
mod columns;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use asanoha_table::{
    Above, Amount, ColumnValues, Data, DataError, Limits, Reading,
    advice::{Advice, Advised},
};
use flate2::{Compression, write::GzEncoder};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Held by each test: the allocator counts for the whole process, what other tests allocate too.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const LIMITS: Limits = Limits { bytes: 1 << 20, ..Limits::DEFAULT };
/// The memory of the readers themselves: Zstandard has a window of up to 8 MiB.
const READERS: u64 = 8 << 20;

/// What reading gives within limits, whose bytes it takes at most, beside the readers' own.
fn within(limits: Limits, read: impl FnOnce(&Reading) -> Result<Data, DataError>) -> Result<Data, DataError> {
    let reading = Reading { limits, ..Reading::default() };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = read(&reading);
    let taken = (MEMORY.peak_usage() - before) as u64;
    // A vector that grows is in memory twice.
    let most = limits.bytes + limits.bytes / 2 + READERS;
    assert!(taken <= most, "{taken} bytes of memory, above {most}");
    result
}

/// The limit that data are above, with the advice that raises it.
fn above(result: Result<Data, DataError>) -> Above {
    let error = result.expect_err("it is refused");
    let DataError::AboveLimit { above, .. } = error else { panic!("{error}") };
    let expected = match above.amount {
        Amount::Bytes => Advice::MoreData,
        _ => Advice::MoreDataRows,
    };
    assert_eq!(error.advice(), [expected], "{error}");
    assert!(above.found > above.limit, "{error}");
    above
}

/// Text whose only column is x, within limits.
fn read(bytes: &[u8], limits: Limits) -> Result<Data, DataError> {
    within(limits, |reading| Data::from_reader(bytes, "d.csv", &["x"], reading))
}

fn gzip<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    parts.into_iter().for_each(|part| encoder.write_all(part).unwrap());
    encoder.finish().unwrap()
}

/// Mebibytes of a text of 16 bytes.
fn repeated(text: &[u8; 16], mebibytes: usize) -> Vec<u8> {
    let mebibyte = text.repeat(1 << 16);
    gzip(std::iter::repeat_n(&mebibyte[..], mebibytes))
}

#[test]
fn gzip_that_expands_beyond_the_limit_is_refused() {
    let _alone = alone();
    let bomb = [gzip([&b"x\n"[..]]), repeated(b"0\n0\n0\n0\n0\n0\n0\n0\n", 64)].concat();
    assert!(bomb.len() < 1 << 20);
    let above = above(read(&bomb, LIMITS));
    assert_eq!((above.amount, above.limit), (Amount::Bytes, 1 << 20));
    assert!(above.found < 2 << 20);
}

#[test]
fn members_of_a_gzip_file_count_together() {
    let _alone = alone();
    let member = gzip([&b"0000000000000000000000000000000\n".repeat(1 << 10)[..]]);
    let file = |members: usize| [gzip([&b"x\n"[..]]), member.repeat(members)].concat();
    assert_eq!(above(read(&file(1000), LIMITS)).amount, Amount::Bytes);
    assert_eq!(read(&file(8), LIMITS).unwrap().table.rows, 8 << 10);
    // Gzip within gzip is not read.
    let message = read(&gzip([&file(1000)[..]]), LIMITS).unwrap_err().to_string();
    assert!(message.contains("compressed by gzip twice"), "{message}");
}

#[test]
fn rows_without_an_end_are_refused() {
    let _alone = alone();
    for text in [b"aaaaaaaaaaaaaaaa", b"\"aaaaaaaaaaaaaaa"] {
        assert_eq!(above(read(&repeated(text, 64), LIMITS)).amount, Amount::Bytes);
    }
    let limits = Limits { bytes: 16 << 20, ..Limits::DEFAULT };
    let message = read(&repeated(b",,,,,,,,,,,,,,,,", 8), limits).unwrap_err().to_string();
    assert_eq!(message, "d.csv: more than 65536 columns");
}

#[test]
#[ignore = "slow"]
fn a_row_has_64_mebibytes_at_most() {
    let _alone = alone();
    let limits = Limits { bytes: 256 << 20, ..Limits::DEFAULT };
    for text in [b"aaaaaaaaaaaaaaaa", b"\"aaaaaaaaaaaaaaa"] {
        let message = read(&repeated(text, 65), limits).unwrap_err().to_string();
        assert_eq!(message, "d.csv: more than 67108864 bytes in a row");
    }
}

#[test]
fn values_of_short_cells_count_with_their_memory() {
    let _alone = alone();
    let file = |rows: usize| ["x\n".to_owned(), "1\n".repeat(rows)].concat();
    assert_eq!(read(file(60_000).as_bytes(), LIMITS).unwrap().table.rows, 60_000);
    let above = above(read(file(70_000).as_bytes(), LIMITS));
    assert!(above.amount == Amount::Bytes && above.found < above.limit + 64, "{above}");
}

#[test]
fn an_integer_beyond_words_counts_for_all_that_become_as_wide() {
    let _alone = alone();
    for wide in ["123456789012345678901234567890", "0.1234567890123456789012345", "9999999999.999999999"] {
        let file = |rows: usize| format!("x\n{}{wide}\n", "1000000000\n".repeat(rows));
        let data = read(file(15_000).as_bytes(), LIMITS).unwrap();
        assert_eq!(data.table.rows, 15_001);
        assert_eq!(above(read(file(20_000).as_bytes(), LIMITS)).amount, Amount::Bytes);
    }
}

#[test]
fn missing_values_and_identifiers_count_too() {
    let _alone = alone();
    let file = ["x\n".to_owned(), "NA\n".repeat(30_000)].concat();
    assert_eq!(above(read(file.as_bytes(), LIMITS)).amount, Amount::Bytes);
    let file = ["x\n".to_owned(), "1\n".repeat(60_000), "007\n".to_owned()].concat();
    let data = read(file.as_bytes(), LIMITS).unwrap();
    assert!(matches!(data.table.columns[0].values, ColumnValues::Categories { .. }));
}

#[test]
fn rows_have_a_limit_of_their_own() {
    let _alone = alone();
    let limits = |rows| Limits { rows, ..Limits::DEFAULT };
    let file = b"x\n1\n2\n3\n4\n";
    assert_eq!(above(read(file, limits(3))), Above { amount: Amount::Rows, found: 4, limit: 3 });
    assert_eq!(read(file, limits(4)).unwrap().table.rows, 4);
    let file = b"x,y\n1,2\n3,4\n\n";
    assert_eq!(read(file, limits(2)).unwrap().table.rows, 2);
}

#[test]
fn a_higher_limit_reads_the_same_as_no_compression() {
    let _alone = alone();
    let text = ["x\n".to_owned(), "12345678901234\n".repeat(100_000)].concat();
    let (plain, packed) = (text.as_bytes(), gzip([text.as_bytes()]));
    assert_eq!(above(read(&packed, LIMITS)).amount, Amount::Bytes);
    let limits = Limits { bytes: 16 << 20, ..Limits::DEFAULT };
    assert_eq!(read(&packed, limits).unwrap(), read(plain, limits).unwrap());
}
