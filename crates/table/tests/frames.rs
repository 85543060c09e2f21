//! Record batches as columns whose kinds are those of their types, whatever the values are.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int8Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    TimestampNanosecondArray, UInt64Array, types::Int8Type,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use asanoha_table::{ColumnValues, Data, DataError, FrameKind, Missing, TypedColumn, columns_of_batches};
use num_bigint::BigInt;

const NANOSECONDS_OF_A_DAY: i64 = 86_400_000_000_000;

fn batch(arrays: &[(&str, ArrayRef)]) -> RecordBatch {
    let fields: Vec<Field> =
        arrays.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let columns = arrays.iter().map(|(_, array)| array.clone()).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn read(batches: &[RecordBatch]) -> Result<Vec<(TypedColumn, FrameKind)>, DataError> {
    let schema = batches[0].schema();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    columns_of_batches(&schema, batches.iter().cloned().map(Ok), &names, "frame")
}

fn of(array: impl arrow_array::Array + 'static) -> Result<(ColumnValues, FrameKind, Vec<usize>), DataError> {
    let (column, kind) = read(&[batch(&[("x", Arc::new(array))])])?.swap_remove(0);
    Ok((column.values, kind, column.missing))
}

#[test]
fn kinds_are_those_of_the_types() {
    let texts = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let whole = ColumnValues::Whole;
    for (found, values, kind) in [
        (of(Int8Array::from(vec![-128, 7])), whole(vec![-128, 7]), FrameKind::Whole),
        (of(UInt64Array::from(vec![3, 9])), whole(vec![3, 9]), FrameKind::Whole),
        (
            of(UInt64Array::from(vec![3, u64::MAX])),
            ColumnValues::Integers(vec![3.into(), u64::MAX.into()]),
            FrameKind::Whole,
        ),
        (of(Float64Array::from(vec![1.0, 2.0])), ColumnValues::Real(vec![1.0, 2.0]), FrameKind::Real),
        (of(Float32Array::from(vec![0.5])), ColumnValues::Real(vec![0.5]), FrameKind::Real),
        (of(BooleanArray::from(vec![true, false])), whole(vec![1, 0]), FrameKind::Truth),
        (of(Date32Array::from(vec![-1, 20_000])), whole(vec![-1, 20_000]), FrameKind::Date),
        (of(Date64Array::from(vec![86_400_000])), whole(vec![1]), FrameKind::Date),
        (
            of(TimestampNanosecondArray::from(vec![-2 * NANOSECONDS_OF_A_DAY])),
            whole(vec![-2]),
            FrameKind::Date,
        ),
        (
            of(StringArray::from(vec!["7", "007", "true", "2026-01-01"])),
            ColumnValues::Categories {
                values: vec![2, 0, 3, 1],
                names: texts(&["007", "2026-01-01", "7", "true"]),
            },
            FrameKind::Text,
        ),
        (
            of(LargeStringArray::from(vec!["b", "a", "b"])),
            ColumnValues::Categories { values: vec![1, 0, 1], names: texts(&["a", "b"]) },
            FrameKind::Text,
        ),
        (
            of(StringViewArray::from(vec!["NA"])),
            ColumnValues::Categories { values: vec![0], names: texts(&["NA"]) },
            FrameKind::Text,
        ),
        (
            of(Decimal128Array::from(vec![1250, 5]).with_precision_and_scale(9, 2).unwrap()),
            ColumnValues::Decimal { values: vec![1250, 5], places: 2 },
            FrameKind::Decimal,
        ),
        (
            of(Decimal128Array::from(vec![1i128 << 100]).with_precision_and_scale(38, 3).unwrap()),
            ColumnValues::WideDecimal { values: vec![BigInt::from(1) << 100], places: 3 },
            FrameKind::Decimal,
        ),
        (
            of(Decimal128Array::from(vec![12]).with_precision_and_scale(9, 0).unwrap()),
            whole(vec![12]),
            FrameKind::Decimal,
        ),
    ] {
        assert_eq!(found.unwrap(), (values, kind, Vec::new()));
    }
}

#[test]
fn dictionaries_keep_their_order_and_unused_members_over_batches() {
    let names = StringArray::from(vec!["small", "middle", "large"]);
    let dictionary = |keys: Vec<Option<i8>>, names: &StringArray| -> ArrayRef {
        Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(keys), Arc::new(names.clone())))
    };
    let first = batch(&[("size", dictionary(vec![Some(2), None, Some(0)], &names))]);
    // A batch with a dictionary of its own.
    let other = StringArray::from(vec!["huge", "small"]);
    let second = batch(&[("size", dictionary(vec![Some(1), Some(0)], &other))]);
    let (column, kind) = read(&[first, second]).unwrap().swap_remove(0);
    assert_eq!(kind, FrameKind::Text);
    assert_eq!(column.missing, [1]);
    let names: Vec<String> = ["small", "middle", "large", "huge"].map(String::from).into();
    assert_eq!(column.values, ColumnValues::Categories { values: vec![2, 0, 0, 0, 3], names: names.clone() });
    let data = Data::from_columns(vec![column], Missing::Mask, "frame").unwrap();
    assert_eq!(data.table.columns[0].values, ColumnValues::Categories { values: vec![2, 0, 0, 3], names });
    assert_eq!(data.left_out, [1]);
}

#[test]
fn a_dictionary_may_miss_values_of_its_own_and_is_bounded() {
    let names = StringArray::from(vec![None, Some("a")]);
    let keys = Int8Array::from(vec![Some(0), Some(1), None, Some(0)]);
    let array = DictionaryArray::<Int8Type>::new(keys, Arc::new(names));
    let (values, _, missing) = of(array).unwrap();
    assert_eq!(missing, [0, 2, 3]);
    assert_eq!(values, ColumnValues::Categories { values: vec![0; 4], names: vec!["a".to_owned()] });

    let many: StringArray = (0..200_000).map(|k| Some(format!("text {k}"))).collect();
    let keys = arrow_array::Int32Array::from(vec![7]);
    let array = DictionaryArray::<arrow_array::types::Int32Type>::new(keys, Arc::new(many));
    let error = of(array).unwrap_err().to_string();
    assert!(error.contains("more than 256 different texts"), "{error}");
}

#[test]
fn missing_values_of_any_type_are_found_over_batches() {
    let one = |n: Option<i64>, r: Option<f64>, t: Option<&str>| {
        batch(&[
            ("n", Arc::new(Int64Array::from(vec![n])) as ArrayRef),
            ("r", Arc::new(Float64Array::from(vec![r]))),
            ("t", Arc::new(StringArray::from(vec![t]))),
        ])
    };
    let batches =
        [one(None, Some(1.5), Some("a")), one(Some(4), Some(f64::NAN), None), one(Some(5), None, Some("b"))];
    let columns: Vec<TypedColumn> = read(&batches).unwrap().into_iter().map(|(column, _)| column).collect();
    let missing: Vec<_> = columns.iter().map(|column| column.missing.clone()).collect();
    assert_eq!(missing, [vec![0], vec![1, 2], vec![1]]);
    let refused = Data::from_columns(columns[..2].to_vec(), Missing::Refuse, "frame").unwrap_err();
    assert!(refused.to_string().contains("1 of the column's 3 rows"), "{refused}");
    let filled = Data::from_columns(columns[..2].to_vec(), Missing::Mean, "frame").unwrap().table;
    assert_eq!(filled.columns[0].values, ColumnValues::Whole(vec![5, 4, 5]));
    assert_eq!(filled.columns[1].values, ColumnValues::Real(vec![1.5; 3]));
    let nothing = Data::from_columns(columns, Missing::Mask, "frame").unwrap_err();
    assert!(nothing.to_string().contains("every row misses a value"), "{nothing}");
}

#[test]
fn what_no_kind_takes_is_refused_by_its_row_and_type() {
    let noon = TimestampNanosecondArray::from(vec![0, NANOSECONDS_OF_A_DAY / 2]);
    for (found, told) in [
        (of(noon), "line 2, column 1 (x): a time of day"),
        (of(TimestampNanosecondArray::from(vec![0]).with_timezone("UTC")), "the type is"),
        (of(Decimal128Array::from(vec![1]).with_precision_and_scale(30, 12).unwrap()), "12 places"),
        (of(arrow_array::DurationSecondArray::from(vec![1])), "the type is"),
        (of(StringArray::from(vec!["a", " b"])), "line 2"),
        (of(StringArray::from(vec![None::<&str>])), "no texts"),
    ] {
        let error = found.unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let (column, _) = read(&[batch(&[("x", Arc::new(Float64Array::from(vec![1.0, f64::INFINITY])))])])
        .unwrap()
        .swap_remove(0);
    let error = Data::from_columns(vec![column], Missing::Refuse, "frame").unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("finite"), "{error}");
    let fields = Schema::new(vec![Field::new("x", DataType::Int64, true)]);
    let broken = [Err(ArrowError::ComputeError("the database\nis gone".to_owned()))].into_iter();
    let error = columns_of_batches(&Arc::new(fields), broken, &["x"], "frame").unwrap_err().to_string();
    assert!(error.starts_with("frame: ") && error.contains("the database is gone"), "{error}");
}
