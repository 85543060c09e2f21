//! Parquet and Arrow files as tables: what they hold is read as a CSV file of the same would be.

use num_bigint::BigInt;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array,
    LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMillisecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
    types::{Int8Type, Int32Type, UInt8Type},
};
use arrow_buffer::i256;
use arrow_ipc::{CompressionType, writer::FileWriter, writer::IpcWriteOptions};
use arrow_schema::{DataType, Field};
use asanoha_table::{ColumnValues, Data, Limits, Missing, NumberFormat, Reading, Schema, read_table};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Parquet(Compression),
    Arrow(Option<CompressionType>),
}

const PARQUET: Format = Format::Parquet(Compression::SNAPPY);
const ARROW: Format = Format::Arrow(None);

fn bytes(batches: &[RecordBatch], format: Format) -> Vec<u8> {
    let (mut bytes, schema) = (Vec::new(), batches[0].schema());
    match format {
        Format::Parquet(compression) => {
            let properties = WriterProperties::builder().set_compression(compression).build();
            let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
            for batch in batches {
                writer.write(batch).unwrap();
                writer.flush().unwrap();
            }
            writer.close().unwrap();
        }
        Format::Arrow(compression) => {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }
    bytes
}

/// A folder with one file of data, whose name says nothing of its format.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("d.data")
    }

    /// The data, or the message, without the folder.
    fn read(&self, bytes: &[u8], wanted: &[&str], reading: &Reading) -> Result<Data, String> {
        std::fs::write(self.path(), bytes).unwrap();
        Data::from_path(&self.path(), wanted, reading).map_err(|error| {
            let message = error.to_string();
            assert_eq!(message.lines().count(), 1, "{message:?}");
            let name = self.path().display().to_string();
            assert!(message.starts_with(&name), "{message}");
            message.replacen(&name, "d", 1)
        })
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// What both formats give, which is the same. They have types in place of cells that decide, and no lines.
fn read_as(batch: &RecordBatch, wanted: &[&str], reading: &Reading) -> Result<Data, String> {
    let place = Place::new();
    let [parquet, arrow] = [PARQUET, ARROW]
        .map(|format| place.read(&bytes(std::slice::from_ref(batch), format), wanted, reading));
    assert_eq!(parquet, arrow);
    parquet.map(|data| Data { real_since: Vec::new(), ..data })
}

fn column(array: impl Array + 'static) -> Result<ColumnValues, String> {
    read_as(&batch(vec![("a", Arc::new(array))]), &["a"], &Reading::default())
        .map(|mut data| data.table.columns.remove(0).values)
}

fn csv(text: &str, wanted: &[&str], reading: &Reading) -> Data {
    let data = Data::from_reader(text.as_bytes(), "d.csv", wanted, reading).unwrap();
    Data { real_since: Vec::new(), ..data }
}

fn shop() -> RecordBatch {
    let decimals = vec![Some(1250), None, Some(-300), Some(5)];
    let decimals = Decimal128Array::from(decimals).with_precision_and_scale(10, 2).unwrap();
    let region: DictionaryArray<Int8Type> =
        vec![Some("south"), Some("north"), None, Some("north")].into_iter().collect();
    let sample = TimestampMillisecondArray::from(vec![1, 2, 3, 4]);
    batch(vec![
        ("pieces", Arc::new(Int16Array::from(vec![Some(3), Some(-4), Some(5), None]))),
        ("when", Arc::new(sample)),
        ("price", Arc::new(decimals)),
        ("weight", Arc::new(Float64Array::from(vec![Some(0.1), None, Some(f64::NAN), Some(3.0)]))),
        ("open", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]))),
        ("day", Arc::new(Date32Array::from(vec![Some(20780), Some(-1), Some(0), None]))),
        ("region", Arc::new(region)),
        ("colour", Arc::new(StringArray::from(vec![Some(" red "), Some("NA"), None, Some("blue")]))),
        ("code", Arc::new(StringArray::from(vec![Some("0x10"), Some("12.0"), Some("?"), Some("7")]))),
    ])
}

const SHOP: &str = "pieces,when,price,weight,open,day,region,colour,code
3,,12.50,1e-1,true,2026-11-23,south, red ,0x10
-4,,,,false,1969-12-31,north,NA,12.0
5,,-3.00,NaN,,1970-01-01,,,?
,,0.05,3.0,true,,north,blue,7
";

#[test]
fn a_table_is_the_same_by_csv_by_parquet_and_by_arrow() {
    let shop = shop();
    let all = ["weight", "pieces", "price", "open", "day", "region", "colour", "code"];
    let numbers = ["price", "day", "code", "pieces", "open", "weight", "price"];
    let real = ["price".to_owned()];
    for missing in [Missing::Mask, Missing::Zero, Missing::Mean] {
        for real in [&[][..], &real] {
            let reading = Reading { missing, real, ..Reading::default() };
            let wanted = if missing == Missing::Mask { &all[..] } else { &numbers };
            assert_eq!(read_as(&shop, wanted, &reading), Ok(csv(SHOP, wanted, &reading)), "{missing:?}");
        }
    }
    let none: [&str; 0] = [];
    assert_eq!(read_as(&shop, &none, &Reading::default()), Ok(csv(SHOP, &none, &Reading::default())));
    // In the order in which a plan numbers the texts.
    let schema = r#"{"rows": 2, "columns": [
        {"name": "colour", "whole": true, "categories": ["red", "NA", "blue"], "range": {"lo": "0", "hi": "2"}},
        {"name": "weight", "whole": false, "places": 2, "range": {"lo": "0", "hi": "9"}}]}"#;
    let schema = Schema::from_json(schema.as_bytes(), "s.json").unwrap();
    let reading = Reading { missing: Missing::Mask, schema: Some(&schema), ..Reading::default() };
    let wanted = ["colour", "weight"];
    let data = read_as(&shop, &wanted, &reading).unwrap();
    assert_eq!(data, csv(SHOP, &wanted, &reading));
    assert_eq!(data.table.columns[1].values, ColumnValues::Decimal { values: vec![10, 300], places: 2 });
}

#[test]
fn missing_values_are_refused_with_their_row() {
    let message = read_as(&shop(), &["pieces", "region"], &Reading::default()).unwrap_err();
    let expected = "d, line 3, column 7 (region): the text is missing";
    assert!(message.starts_with(expected), "{message}");
    let reading = Reading { missing: Missing::Zero, ..Reading::default() };
    let nothing = batch(vec![("a", Arc::new(NullArray::new(2)))]);
    assert_eq!(read_as(&nothing, &["a"], &reading), Ok(csv("a\nNA\nNA\n", &["a"], &reading)));
}

#[test]
fn whole_numbers_of_every_width_are_exact() {
    use ColumnValues::{Integers, Whole};
    assert_eq!(column(Int8Array::from(vec![-128, 127])), Ok(Whole(vec![-128, 127])));
    assert_eq!(column(Int16Array::from(vec![-32768])), Ok(Whole(vec![-32768])));
    assert_eq!(column(Int32Array::from(vec![i32::MIN])), Ok(Whole(vec![i32::MIN.into()])));
    let ends = vec![i64::MIN, i64::MAX];
    assert_eq!(column(Int64Array::from(ends.clone())), Ok(Whole(ends)));
    assert_eq!(column(UInt8Array::from(vec![255])), Ok(Whole(vec![255])));
    assert_eq!(column(UInt16Array::from(vec![65535])), Ok(Whole(vec![65535])));
    assert_eq!(column(UInt32Array::from(vec![u32::MAX])), Ok(Whole(vec![u32::MAX.into()])));
    let beyond = UInt64Array::from(vec![1, u64::MAX]);
    assert_eq!(column(beyond), Ok(Integers(vec![1.into(), u64::MAX.into()])));
}

#[test]
fn floats_are_real_whatever_their_values_unless_a_schema_says_otherwise() {
    use ColumnValues::{Real, Whole};
    let end = (1u64 << 53) as f64;
    for values in [vec![3.0, -0.0], vec![1.0 - end], vec![1.0, end], vec![1e300, 2.0], vec![12.5, 3.0]] {
        assert_eq!(column(Float64Array::from(values.clone())), Ok(Real(values)));
    }
    assert_eq!(column(Float32Array::from(vec![0.1, 2.0])), Ok(Real(vec![0.1f32.into(), 2.0])));
    let whole = r#"{"rows": 2, "columns": [{"name": "a", "whole": true, "range": {"lo": 0, "hi": 7}}]}"#;
    let whole = Schema::from_json(whole.as_bytes(), "s.json").unwrap();
    let reading = Reading { schema: Some(&whole), ..Reading::default() };
    let of = |values: Vec<f64>| {
        let table = batch(vec![("a", Arc::new(Float64Array::from(values)))]);
        read_as(&table, &["a"], &reading).map(|data| data.table.columns[0].values.clone())
    };
    assert_eq!(of(vec![3.0, 0.0]), Ok(Whole(vec![3, 0])));
    assert_eq!(of(vec![3.0, 0.5]), Ok(Real(vec![3.0, 0.5])));
    for (value, text) in [(f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let expected =
            format!("d, line 2, column 1 (a): {text:?} is not a finite number of double precision");
        assert_eq!(column(Float64Array::from(vec![0.5, value])), Err(expected));
    }
}

proptest! {
    /// A failure prints the values, and proptest keeps its seed.
    #[test]
    fn doubles_are_read_to_the_last_bit(
        values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL, 1..20),
    ) {
        let values = [&[0.5], &values[..]].concat();
        prop_assert_eq!(column(Float64Array::from(values.clone())), Ok(ColumnValues::Real(values)));
    }

    #[test]
    fn decimals_of_every_scale_are_read_as_csv_reads_them(
        digits in prop::collection::vec(prop_oneof![-20_000i128..20_000, -(1i128 << 70)..1 << 70], 1..6),
        scale in -3i8..8,
    ) {
        let array = Decimal128Array::from(digits.clone()).with_precision_and_scale(38, scale).unwrap();
        let cells = digits.iter().map(|&digits| {
            if scale <= 0 {
                return (digits * 10i128.pow(scale.unsigned_abs().into())).to_string();
            }
            let (power, sign) = (10u128.pow(scale as u32), if digits < 0 { "-" } else { "" });
            let magnitude = digits.unsigned_abs();
            format!("{sign}{}.{:0width$}", magnitude / power, magnitude % power, width = scale as usize)
        });
        let text = format!("a\n{}\n", cells.collect::<Vec<_>>().join("\n"));
        let expected = csv(&text, &["a"], &Reading::default()).table.columns.remove(0).values;
        let table = batch(vec![("a", Arc::new(array))]);
        // Parquet has no scales below 0.
        let data = if scale < 0 {
            Place::new().read(&bytes(&[table], ARROW), &["a"], &Reading::default())
        } else {
            read_as(&table, &["a"], &Reading::default())
        };
        prop_assert_eq!(&data.unwrap().table.columns[0].values, &expected);
    }
}

#[test]
fn decimals_are_exact_to_nine_places_and_real_beyond() {
    let decimals = |digits: &[i128], scale| {
        column(Decimal128Array::from(digits.to_vec()).with_precision_and_scale(38, scale).unwrap()).unwrap()
    };
    assert_eq!(decimals(&[1250, -5], 4), ColumnValues::Decimal { values: vec![1250, -5], places: 4 });
    assert_eq!(decimals(&[1250, -5], 9), ColumnValues::Decimal { values: vec![1250, -5], places: 9 });
    assert_eq!(decimals(&[125, -5], 10), ColumnValues::Real(vec![0.0000000125, -0.0000000005]));
    let wide = vec![(BigInt::from(1) << 80u32), (-5).into()];
    assert_eq!(decimals(&[1 << 80, -5], 2), ColumnValues::WideDecimal { values: wide, places: 2 });
    assert_eq!(decimals(&[1 << 80], 0), ColumnValues::Integers(vec![(1u128 << 80).into()]));
    let wide = Decimal256Array::from(vec![i256::from_i128(150)]).with_precision_and_scale(76, 2).unwrap();
    assert_eq!(column(wide), Ok(ColumnValues::Decimal { values: vec![150], places: 2 }));
}

#[test]
fn dates_are_days_and_those_csv_cannot_write_are_refused() {
    let days = [-719_528, -25508, 0, 11016, 2_932_896];
    let expected = Ok(ColumnValues::Whole(days.map(i64::from).to_vec()));
    assert_eq!(column(Date32Array::from(days.to_vec())), expected);
    let milliseconds = days.map(|day| i64::from(day) * 86_400_000);
    assert_eq!(column(Date64Array::from(milliseconds.to_vec())), expected);
    for day in [-719_529, 2_932_897, i32::MIN, i32::MAX] {
        let expected =
            format!("d, line 2, column 1 (a): {day} days from 1970 on aren't a day of the years 0 to 9999");
        assert_eq!(column(Date32Array::from(vec![0, day])), Err(expected));
    }
    // Parquet has no dates of milliseconds.
    for milliseconds in [86_400_001, i64::MAX, i64::MIN] {
        let table = batch(vec![("a", Arc::new(Date64Array::from(vec![milliseconds])))]);
        let message = Place::new().read(&bytes(&[table], ARROW), &["a"], &Reading::default()).unwrap_err();
        assert!(message.contains("aren't a day"), "{message}");
    }
}

#[test]
fn text_of_every_width_is_categories() {
    let texts = vec!["b", "a", "b"];
    let names = vec!["a".to_owned(), "b".to_owned()];
    let expected = Ok(ColumnValues::Categories { values: vec![1, 0, 1], names });
    assert_eq!(column(StringArray::from(texts.clone())), expected);
    assert_eq!(column(LargeStringArray::from(texts.clone())), expected);
    assert_eq!(column(StringViewArray::from(texts.clone())), expected);
    assert_eq!(column(texts.clone().into_iter().collect::<DictionaryArray<Int32Type>>()), expected);
    assert_eq!(column(texts.into_iter().collect::<DictionaryArray<UInt8Type>>()), expected);
    let message = column(StringArray::from(vec!["1", "x"])).unwrap_err();
    assert_eq!(message, "d, line 2, column 1 (a): \"x\" is not a number");
}

#[test]
fn columns_of_other_types_are_refused_by_name_and_type_if_they_are_wanted() {
    let fields = vec![(
        Arc::new(Field::new("x", DataType::Int8, true)),
        Arc::new(Int8Array::from(vec![1])) as ArrayRef,
    )];
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    let table = batch(vec![
        ("when", Arc::new(TimestampMillisecondArray::from(vec![1]))),
        ("nested", Arc::new(StructArray::from(fields))),
        ("list", Arc::new(list)),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"x"[..]]))),
        ("x", Arc::new(Int8Array::from(vec![7]))),
    ]);
    for (place, name, kind) in
        [(1, "when", "Timestamp(ms)"), (2, "nested", "Struct("), (3, "list", "List("), (4, "bytes", "Binary")]
    {
        let message = read_as(&table, &[name], &Reading::default()).unwrap_err();
        let start = format!("d, line 1, column {place} ({name}): the type is {kind}");
        assert!(message.starts_with(&start), "{message}");
        assert!(message.ends_with("(a timestamp to a date), or write the data as CSV"), "{message}");
    }
    let data = read_as(&table, &["x"], &Reading::default()).unwrap();
    assert_eq!(data.table.columns[0].values, ColumnValues::Whole(vec![7]));
}

/// Both formats, compressed in every way that's read.
fn compressed() -> [Format; 8] {
    [
        Format::Parquet(Compression::UNCOMPRESSED),
        PARQUET,
        Format::Parquet(Compression::ZSTD(ZstdLevel::default())),
        Format::Parquet(Compression::LZ4_RAW),
        Format::Parquet(Compression::GZIP(GzipLevel::default())),
        ARROW,
        Format::Arrow(Some(CompressionType::LZ4_FRAME)),
        Format::Arrow(Some(CompressionType::ZSTD)),
    ]
}

#[test]
fn batches_and_compression_change_nothing() {
    let part = |from: i64| {
        let texts: StringArray = (from..from + 3000).map(|row| Some(["x", "y"][row as usize % 2])).collect();
        batch(vec![
            ("a", Arc::new(Int64Array::from_iter_values(from..from + 3000))),
            ("b", Arc::new(texts)),
            ("c", Arc::new(Float64Array::from(vec![0.5; 3000]))),
        ])
    };
    let batches = [part(0), part(3000), part(6000)];
    for format in compressed() {
        let data =
            Place::new().read(&bytes(&batches, format), &["b", "a"], &Reading::default()).unwrap().table;
        assert_eq!(data.rows, 9000, "{format:?}");
        let values = (0..9000).map(|row| row % 2).collect();
        let names = vec!["x".to_owned(), "y".to_owned()];
        assert_eq!(data.columns[0].values, ColumnValues::Categories { values, names }, "{format:?}");
        assert_eq!(data.columns[1].values, ColumnValues::Whole((0..9000).collect()), "{format:?}");
    }
}

#[test]
fn names_of_columns_are_checked_as_those_of_csv() {
    let one = || Arc::new(Int8Array::from(vec![1])) as ArrayRef;
    let table = batch(vec![(" a ", one()), ("b", one())]);
    assert_eq!(read_as(&table, &["a"], &Reading::default()).unwrap().table.columns[0].name, "a");
    let message = read_as(&table, &["c"], &Reading::default()).unwrap_err();
    assert_eq!(message, "d: there is no column \"c\"; there are a, b");
    let message = read_as(&batch(vec![("a", one()), ("a ", one())]), &["a"], &Reading::default());
    assert_eq!(message.unwrap_err(), "d, line 1, column 2: the name \"a\" stands at column 1 already");
    let repeated = batch(vec![("a", one()), ("b", one()), ("a", one()), ("", one())]);
    assert_eq!(read_as(&repeated, &["b"], &Reading::default()).unwrap().table.columns[0].name, "b");
    let message = read_as(&table.slice(0, 0), &["a"], &Reading::default()).unwrap_err();
    assert!(message.ends_with(": there are no rows below the line of column names"), "{message}");
    let real = ["b".to_owned()];
    let reading = Reading { real: &real, ..Reading::default() };
    let place = Place::new();
    std::fs::write(place.path(), bytes(&[table], ARROW)).unwrap();
    let message = Data::from_path(&place.path(), &["a"], &reading).unwrap_err().to_string();
    assert!(message.starts_with("real columns: there is no column \"b\""), "{message}");
}

#[test]
fn files_of_columns_inside_of_gzip_are_refused() {
    for format in [PARQUET, ARROW] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, &bytes(&[shop()], format)).unwrap();
        let message =
            Place::new().read(&encoder.finish().unwrap(), &["day"], &Reading::default()).unwrap_err();
        assert!(message.contains("read only as an uncompressed file"), "{message}");
    }
}

const MASKED: Reading = Reading {
    real: &[],
    text: &[],
    missing: Missing::Mask,
    numbers: NumberFormat { decimal_comma: false, thousands: false },
    schema: None,
    limits: Limits::DEFAULT,
};

#[test]
fn a_file_cut_short_is_refused() {
    let place = Place::new();
    for format in compressed() {
        let whole = bytes(&[shop()], format);
        for end in (7..whole.len()).rev().step_by(7).chain(whole.len() - 20..whole.len()) {
            let message = place.read(&whole[..end], &["pieces", "region"], &MASKED).unwrap_err();
            assert!(message.starts_with("d: cannot be read: as "), "{end}: {message}");
        }
    }
}

/// What is damaged is refused or has other values, and nothing panics: one to four bits are flipped at once, anywhere.
fn damage(rounds: u64, seed: u64) {
    println!("seed {seed}");
    let place = Place::new();
    let wanted = ["pieces", "price", "weight", "open", "day", "region", "colour", "code"];
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    for format in compressed() {
        let whole = bytes(&[shop()], format);
        let mut refused = 0;
        for round in 0..rounds {
            let mut damaged = whole.clone();
            for _ in 0..=random(4) {
                let at = 8 + random(whole.len() - 8);
                damaged[at] ^= 1 << random(8);
            }
            std::fs::write(place.path(), &damaged).unwrap();
            let result = std::panic::catch_unwind(|| Data::from_path(&place.path(), &wanted, &MASKED));
            match result.unwrap_or_else(|_| panic!("{format:?}, round {round}, seed {seed}")) {
                Ok(data) => {
                    assert!(data.table.columns.iter().all(|column| column.values.len() == data.table.rows));
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.to_string().lines().count(), 1, "{error}");
                }
            }
        }
        println!("{format:?}: {refused} of {rounds} refused");
        assert!(refused > 0);
    }
}

#[test]
fn damaged_files_are_never_a_panic() {
    damage(200, 20261123);
}

#[test]
#[ignore = "slow"]
fn files_damaged_in_many_ways_are_never_a_panic() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    damage(20_000, seed);
}

#[test]
fn a_folder_and_a_missing_file_are_refused_as_before() {
    let place = Place::new();
    assert!(read_table(place.folder.path(), &["a"]).is_err());
    assert!(read_table(&place.path(), &["a"]).is_err());
    File::create(place.path()).unwrap();
    let message = read_table(&place.path(), &["a"]).unwrap_err().to_string();
    assert!(message.contains("the file is empty"), "{message}");
}

#[test]
fn text_is_read_as_codes_and_numeric_types_stay_numbers() {
    let place = Place::new();
    let text = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let reading = Reading { text: &text, ..Reading::default() };
    let batch = RecordBatch::try_from_iter([
        ("a", Arc::new(StringArray::from(vec!["5", "5G", "5.0"])) as ArrayRef),
        ("b", Arc::new(Int64Array::from(vec![5, 6, 7]))),
        ("c", Arc::new(Float64Array::from(vec![5.0, 6.0, 7.0]))),
    ])
    .unwrap();
    for format in [PARQUET, ARROW] {
        let data =
            place.read(&bytes(std::slice::from_ref(&batch), format), &["a", "b", "c"], &reading).unwrap();
        let columns = data.table.columns;
        assert_eq!(columns[0].values.categories(), ["5", "5.0", "5G"]);
        assert_eq!(columns[1].values, ColumnValues::Whole(vec![5, 6, 7]));
        assert_eq!(columns[2].values, ColumnValues::Real(vec![5.0, 6.0, 7.0]));
    }
}
