//! Formats that are recognised by their first bytes and not read.

use crate::error::DataError;

/// A format that is not read, and the way to one that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Foreign {
    name: &'static str,
    advice: &'static str,
}

const SAVE_AS_CSV: &str = "open it and save the sheet as \"CSV UTF-8\"";
const WRITE_AS_CSV: &str = "write the table as CSV in UTF-8";

/// The first bytes of binary formats, and of text formats that no CSV file begins with.
const SIGNATURES: [(&[u8], &str, &str); 28] = [
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls)", SAVE_AS_CSV),
    (b"\x1f\x8b", "compressed by gzip twice", "decompress it once with `gzip -dc < in > out.csv.gz`"),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard", "decompress it with `zstd -dc < in > out.csv`"),
    (b"\xfd7zXZ\0", "compressed by xz", "decompress it with `xz -dc < in > out.csv`"),
    (b"\x04\x22\x4d\x18", "compressed by LZ4", "decompress it with `lz4 -dc < in > out.csv`"),
    (b"LZIP\x01", "compressed by lzip", "decompress it with `lzip -dc < in > out.csv`"),
    (b"\x1f\x9d", "compressed by compress (.Z)", "decompress it with `gzip -dc < in > out.csv`"),
    (b"\xff\x06\0\0sNaPpY", "compressed by Snappy", "decompress it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "extract the CSV file in it with `7z x`"),
    (b"Rar!\x1a\x07", "a RAR archive", "extract the CSV file in it"),
    (b"%PDF-", "a PDF document", WRITE_AS_CSV),
    (b"{\\rtf", "an RTF document", WRITE_AS_CSV),
    (b"\x89PNG\r\n", "a PNG image", WRITE_AS_CSV),
    (b"\xff\xd8\xff", "a JPEG image", WRITE_AS_CSV),
    (b"FEA1\0", "a Feather file of version 1", "write it as Feather version 2, Parquet or CSV"),
    (b"\xff\xff\xff\xff", "an Arrow stream", "write it as an Arrow file, Parquet or CSV"),
    (b"Obj\x01", "an Avro file", "write the table as Parquet or CSV"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write the table as Parquet or CSV"),
    (b"\x93NUMPY", "a NumPy array (.npy)", "write it as CSV with `numpy.savetxt`, and with a line of names"),
    (b"SQLite format 3\0", "an SQLite database", "export a table with `sqlite3 -csv -header`"),
    (b"RDX2\nX\n", "an R data file", "write the table with `write.csv(data, row.names = FALSE)`"),
    (b"RDX3\nX\n", "an R data file", "write the table with `write.csv(data, row.names = FALSE)`"),
    (b"X\n\0\0\0", "an R data file (.rds)", "write the table with `write.csv(data, row.names = FALSE)`"),
    (b"<stata_dta>", "a Stata file", "write the table with `export delimited`"),
    (b"$FL2@(#)", "an SPSS file", "save it as CSV"),
    (b"$FL3@(#)", "an SPSS file", "save it as CSV"),
    (b"\xff\xfe\0\0", "text in UTF-32", "convert it with `iconv -f UTF-32 -t UTF-8 in.csv > out.csv`"),
    (b"\0\0\xfe\xff", "text in UTF-32", "convert it with `iconv -f UTF-32 -t UTF-8 in.csv > out.csv`"),
];

impl Foreign {
    /// Returns the format of data that begins so; `None` for text, which may be CSV.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let foreign = |name, advice| Some(Self { name, advice });
        if let Some(&(_, name, advice)) = SIGNATURES.iter().find(|(bytes, ..)| start.starts_with(bytes)) {
            return foreign(name, advice);
        }
        match start {
            [b'P', b'K', 3, 4, ..] => return Some(Self::of_zip(start)),
            [b'P', b'K', 5, 6, ..] => return foreign("an empty ZIP archive", WRITE_AS_CSV),
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..] => {
                return foreign("compressed by bzip2", "decompress it with `bzip2 -dc < in > out.csv`");
            }
            // A pickle of protocol 2 to 5.
            [0x80, 2..=5, ..] => {
                return foreign("a pickled Python object", "write it with `to_csv` or `to_parquet`");
            }
            [b'O', b'R', b'C', 0..b'\t', ..] => {
                return foreign("an ORC file", "write the table as Parquet or CSV");
            }
            _ if start.get(257..262) == Some(b"ustar") => {
                return foreign("a tar archive", "extract the CSV file in it with `tar -xf`");
            }
            _ => {}
        }
        Self::of_markup(start)
            .or_else(|| if start.contains(&0) { foreign("binary, not text", WRITE_AS_CSV) } else { None })
    }

    /// Returns the format of a ZIP archive, by the name of its first file.
    fn of_zip(start: &[u8]) -> Self {
        let has = |name: &str| start.windows(name.len()).any(|bytes| bytes == name.as_bytes());
        if has("opendocument.spreadsheet") {
            return Self { name: "an OpenDocument spreadsheet (.ods)", advice: SAVE_AS_CSV };
        }
        if ["xl/", "[Content_Types].xml", "docProps/"].into_iter().any(has) {
            return Self { name: "an Excel workbook (.xlsx)", advice: SAVE_AS_CSV };
        }
        if has(".npy") {
            let advice = "write the arrays as CSV, Parquet or single .npy files";
            return Self { name: "an archive of NumPy arrays (.npz)", advice };
        }
        Self { name: "a ZIP archive", advice: "extract the CSV file in it with `unzip`" }
    }

    /// Returns the format of HTML, XML and JSON, after a byte order mark and spaces.
    fn of_markup(start: &[u8]) -> Option<Self> {
        let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
        let begins = |with: &str| {
            text.get(..with.len()).is_some_and(|text| text.eq_ignore_ascii_case(with.as_bytes()))
        };
        if ["<!doctype html", "<html", "<head>", "<table"].into_iter().any(begins) {
            let advice = "download the data themselves, or write the table as CSV in UTF-8";
            return Some(Self { name: "an HTML page", advice });
        }
        if begins("<?xml") {
            return Some(Self { name: "an XML document", advice: WRITE_AS_CSV });
        }
        let second = |text: &[u8]| text.get(1..).unwrap_or_default().trim_ascii_start().first().copied();
        let is_json = match (text.first(), second(text)) {
            (Some(b'{'), Some(next)) => matches!(next, b'"' | b'}'),
            (Some(b'['), Some(next)) => matches!(next, b'{' | b'['),
            _ => false,
        };
        let advice = "write the table as CSV, with the names of the columns in the first line";
        is_json.then_some(Self { name: "JSON", advice })
    }

    /// The refusal of a file of this format.
    pub(crate) fn refused(self, file: &str) -> DataError {
        let problem = format!("it's {}, which isn't read: {}", self.name, self.advice);
        DataError::Unreadable { file: file.to_owned(), source: std::io::Error::other(problem) }
    }
}
