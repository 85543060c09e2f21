//! Encodings of text, formats that are no CSV, and quotes.

use std::io::Write;

use asanoha_table::{ColumnValues, read_csv};

fn read(bytes: &[u8], wanted: &[&str]) -> Result<Vec<ColumnValues>, String> {
    let table = read_csv(bytes, "d.csv", wanted).map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message:?}");
        message
    })?;
    Ok(table.columns.into_iter().map(|column| column.values).collect())
}

fn whole(values: &[i64]) -> ColumnValues {
    ColumnValues::Whole(values.to_vec())
}

fn texts(values: &[i64], names: &[&str]) -> ColumnValues {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    ColumnValues::Categories { values: values.to_vec(), names }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn spaces_before_a_quoted_cell_belong_to_no_cell() {
    for text in [
        "n, name, k\n4, \"x, y\", 9\n6,   \"z\" , 8\n",
        "n , \"name\",k \n 4, \"x, y\"  ,9\n  6, z, 8",
        "n; \"name\"; k\n4;\t\"x, y\"; 9\n6; z; 8\n",
        "n\t \"name\"\tk\n4\t \"x, y\"\t9\n6\tz\t 8\n",
    ] {
        let expected = vec![whole(&[4, 6]), texts(&[0, 1], &["x, y", "z"]), whole(&[9, 8])];
        assert_eq!(read(text.as_bytes(), &["n", "name", "k"]), Ok(expected), "{text:?}");
    }
    // Separators and line breaks in such a cell, and missing cells after it.
    let text = "a,b,c\n1, \"two\n\nlines, \"\"quoted\"\"\",5\n2, \"\", 7\n";
    assert_eq!(read(text.as_bytes(), &["a", "c"]), Ok(vec![whole(&[1, 2]), whole(&[5, 7])]));
    // Many spaces are no end of the text.
    let text = format!("a,b\n1,{}\"2\"\n3,4\n", " ".repeat(100_000));
    assert_eq!(read(text.as_bytes(), &["b"]), Ok(vec![whole(&[2, 4])]));
    // A line of spaces is blank.
    assert_eq!(read(b"  \na,b\n1,2\n   \n", &["b"]), Ok(vec![whole(&[2])]));
}

#[test]
fn text_behind_a_quoted_cell_is_refused_at_its_place() {
    for (text, line, column) in [
        ("a,b\n1,\"5\" pipe, big\"\n", 2, 2),
        ("a,b\n3,4\n\"x\"y,2\n", 3, 1),
        ("a,b,c\n1, \"two\nlines\" and \"x, y\",3\n", 3, 2),
        ("a,\"b\" (\"mm, cm\")\n1,2\n", 1, 2),
        ("a,b\n1,\"2\" \"3\"\n", 2, 2),
    ] {
        let message = read(text.as_bytes(), &["a"]).unwrap_err();
        let start =
            format!("d.csv, line {line}, column {column}: text follows the quote that closes the cell");
        assert!(message.starts_with(&start), "{text:?}: {message}");
    }
    // An earlier mistake comes first.
    let message = read(b"a,b\n1,2,3\n\"x\"y,2\n", &["a"]).unwrap_err();
    assert!(message.starts_with("d.csv, line 2, column 3: the row has 3 cells"), "{message}");
}

#[test]
fn a_byte_order_mark_may_stand_before_a_quoted_name() {
    let text = "\u{feff}\"a, b\",\"c\n\nd\"\n1,2\n";
    assert_eq!(read(text.as_bytes(), &["a, b"]), Ok(vec![whole(&[1])]));
    assert_eq!(read("\u{feff}sep=;\na;b\n1;2\n".as_bytes(), &["b"]), Ok(vec![whole(&[2])]));
    assert_eq!(read(&gzip(text.as_bytes()), &["a, b"]), Ok(vec![whole(&[1])]));
}

fn utf_16(text: &str, big_endian: bool) -> Vec<u8> {
    let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn utf_16_is_read_with_and_without_a_byte_order_mark() {
    let text = "\"town\"\tvisits\r\n\"Łódź\"\t17\r\n\"Αθήνα \u{1f3db}\"\t23\r\n";
    let expected = vec![texts(&[0, 1], &["Łódź", "Αθήνα \u{1f3db}"]), whole(&[17, 23])];
    for big_endian in [false, true] {
        for mark in ["\u{feff}", ""] {
            let bytes = utf_16(&format!("{mark}{text}"), big_endian);
            for file in [gzip(&bytes), bytes] {
                assert_eq!(read(&file, &["town", "visits"]), Ok(expected.clone()), "{big_endian} {mark:?}");
            }
        }
    }
    let message = read(&utf_16("\u{feff}a\tb\n1\tx\n", false)[..15], &["a"]).unwrap_err();
    assert!(message.contains("UTF-16 text is damaged"), "{message}");
    // Lines are counted as in other encodings.
    let message =
        read(&utf_16("\u{feff}a\tb\r\n1\t\"two\r\nlines\"\r\nbad\t3\r\n", true), &["a"]).unwrap_err();
    assert!(message.starts_with("d.csv, line 4, column 1 (a): \"bad\""), "{message}");
}

#[test]
fn other_encodings_are_named_with_the_cell_and_a_conversion() {
    for (text, place) in [
        (&b"stadt,n\nBern,4\nM\xfcnchen,5\n"[..], "line 3, column 1: \"M\u{fffd}nchen\""),
        (b"n,gr\xf6\xdfe\n4,5\n", "line 1, column 2: \"gr\u{fffd}\u{fffd}e\""),
        (b"n,t\n1,\"a\n\x80 b\"\n", "line 2, column 2: \"a\u{fffd}\u{fffd} b\""),
    ] {
        let message = read(text, &["n"]).unwrap_err();
        assert!(message.starts_with(&format!("d.csv, {place} is not UTF-8 text")), "{message}");
        assert!(message.contains("`iconv -f WINDOWS-1252 -t UTF-8 in.csv > out.csv`"), "{message}");
    }
}

#[test]
fn files_of_other_formats_are_named_with_a_way_to_csv() {
    let zip = |first: &[u8]| {
        [&b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\x12\x34\x56\x78\x10\0\0\0\x20\0\0\0\x13\0\0\0"[..], first]
            .concat()
    };
    let tar = [&b"d.csv"[..], &[0; 252], b"ustar\x0000"].concat();
    let utf_32: Vec<u8> = "\u{feff}a,b\n1,2\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    for (bytes, name, advice) in [
        (zip(b"[Content_Types].xml"), "an Excel workbook (.xlsx)", "CSV UTF-8"),
        (zip(b"xl/workbook.xml"), "an Excel workbook (.xlsx)", "CSV UTF-8"),
        (zip(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "(.ods)", "CSV UTF-8"),
        (zip(b"arr_0.npy"), "(.npz)", "CSV"),
        (zip(b"d.csv"), "a ZIP archive", "unzip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".to_vec(), "an old Excel workbook (.xls)", "CSV UTF-8"),
        (b"\x28\xb5\x2f\xfd\x04\x58".to_vec(), "Zstandard", "zstd -dc"),
        (b"BZh91AY&SY\x12".to_vec(), "bzip2", "bzip2 -dc"),
        (b"\xfd7zXZ\0\0\x04".to_vec(), "xz", "xz -dc"),
        (b"\x04\x22\x4d\x18\x64".to_vec(), "LZ4", "lz4 -dc"),
        (gzip(b"a\n1\n"), "gzip twice", "gzip -dc"),
        (tar, "a tar archive", "tar -xf"),
        (b"FEA1\0\0\0\0".to_vec(), "a Feather file of version 1", "Feather version 2"),
        (b"\xff\xff\xff\xff\x10\0\0\0".to_vec(), "an Arrow stream", "an Arrow file"),
        (b"ORC\x03\x10".to_vec(), "an ORC file", "CSV"),
        (b"Obj\x01\x04\x14".to_vec(), "an Avro file", "CSV"),
        (b"\x89HDF\r\n\x1a\n\0".to_vec(), "an HDF5 file", "CSV"),
        (b"\x93NUMPY\x01\0".to_vec(), "a NumPy array", "savetxt"),
        (b"\x80\x04\x95\x10".to_vec(), "a pickled Python object", "to_csv"),
        (b"SQLite format 3\0\x10".to_vec(), "an SQLite database", "sqlite3 -csv"),
        (b"%PDF-1.7\n%\xe2".to_vec(), "a PDF document", "CSV"),
        (b"\n  <!DOCTYPE HTML><html>".to_vec(), "an HTML page", "CSV"),
        ("\u{feff}<html lang=\"en\">".into(), "an HTML page", "CSV"),
        (b"<?xml version=\"1.0\"?>\n<table/>".to_vec(), "an XML document", "CSV"),
        (b"[\n  {\"a\": 1, \"b\": 2},\n  {\"a\": 3}\n]\n".to_vec(), "JSON", "CSV"),
        (b"[[1, 2], [3, 4]]".to_vec(), "JSON", "CSV"),
        (b"{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n".to_vec(), "JSON", "CSV"),
        (utf_32, "text in UTF-32", "iconv -f UTF-32"),
        (b"a,b\n1,\0\n".to_vec(), "binary", "CSV"),
    ] {
        // Gzip hides no format, unless it is gzip itself.
        let files = if name == "gzip twice" { vec![gzip(&bytes)] } else { vec![gzip(&bytes), bytes] };
        for file in files {
            let message = read(&file, &["a"]).unwrap_err();
            assert!(message.starts_with("d.csv: cannot be read: it's "), "{name}: {message}");
            assert!(message.contains(name) && message.contains(advice), "{name}: {message}");
        }
    }
}

#[test]
fn names_that_resemble_other_formats_are_names() {
    for name in ["PK", "BZh9", "ORC", "RDX3", "Obj", "{a}", "[a]", "<a>", "$FL2", "LZIP", "X", "GIF"] {
        let text = format!("{name},b\n1,2\n");
        assert_eq!(read(text.as_bytes(), &[name]), Ok(vec![whole(&[1])]), "{name}");
    }
}
