//! Interpolation polynomials on all of Z_p, a table of them for each function, kept in files.

use std::path::Path;

use asanoha_lattice::{FileError, FileHeader, FileReader, FileWriter, KeyId};
use asanoha_ring::Modulus;
use rayon::prelude::*;

use crate::{Domain, DomainError, TableError, table_function::combination};

/// The largest prime: its coefficients take 32 MB.
const MAX_PRIME: u64 = 1 << 11;

/// What a file of coefficients says that it holds.
const KIND: &str = "interpolation coefficients";

/// For every public constant y in Z_p, the coefficients a₀ … a_(p−1) of the polynomial f_y with f_y(x) = g(x, y) on all
/// of Z_p: p² words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpolations {
    modulus: Modulus,
    rows: Vec<Vec<u64>>,
}

impl Interpolations {
    /// The polynomials of g(x, y) for x, y = 0 … p − 1.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for p above 2^11.
    pub fn new(modulus: &Modulus, g: impl Fn(i64, i64) -> i64) -> Result<Self, TableError> {
        Ok(Self::of_values(modulus, &values(modulus, g)?)?)
    }

    /// The same, read from a file in a folder if it's there, or else computed and written to it.
    ///
    /// The file's name has the digest of p and of all values of g, and so does its header: it's read for this function
    /// and for no other, checked like all files, and refused if a word isn't below p.
    ///
    /// # Errors
    /// [`CacheError::Table`] as for [`Interpolations::new`], [`CacheError::File`] for a file or folder that can't be
    /// read or written, or is damaged.
    pub fn cached(modulus: &Modulus, g: impl Fn(i64, i64) -> i64, folder: &Path) -> Result<Self, CacheError> {
        let values = values(modulus, g)?;
        let mut hash = blake3::Hasher::new();
        hash.update(&modulus.value().to_le_bytes());
        values.iter().for_each(|value| {
            hash.update(&value.to_le_bytes());
        });
        let digest = hash.finalize().to_hex().to_string();
        let path = folder.join(format!("interpolation-{}-{}.safetensors", modulus.value(), &digest[..16]));
        if path.exists() {
            return Ok(Self::read(modulus, &path, &digest)?);
        }
        let computed = Self::of_values(modulus, &values).map_err(TableError::from)?;
        computed.write(&path, digest)?;
        Ok(computed)
    }

    fn of_values(modulus: &Modulus, values: &[u64]) -> Result<Self, DomainError> {
        let p = modulus.value() as i64;
        let domain = Domain::integers(modulus, 0..=p - 1)?;
        let indicators: Vec<Vec<u64>> = domain.indicators().collect();
        let row = |values: &[u64]| combination(modulus, values, &indicators);
        Ok(Self { modulus: *modulus, rows: values.par_chunks(indicators.len()).map(row).collect() })
    }

    fn read(modulus: &Modulus, path: &Path, digest: &str) -> Result<Self, FileError> {
        let file = FileReader::read(path, KIND, digest)?;
        let p = modulus.value() as usize;
        let words = file.words("coefficients", &[p, p])?;
        if let Some(word) = words.iter().find(|&&word| word >= modulus.value()) {
            return Err(file.error(format!("its coefficient {word} isn't below {p}")));
        }
        Ok(Self { modulus: *modulus, rows: words.chunks_exact(p).map(<[u64]>::to_vec).collect() })
    }

    fn write(&self, path: &Path, digest: String) -> Result<(), FileError> {
        let header = FileHeader {
            kind: KIND.into(),
            params: digest,
            key: KeyId::default(),
            security_bits: 0,
            security_extrapolated: false,
            insecure: false,
            seeded: false,
            fields: serde_json::Value::Null,
        };
        let mut file = FileWriter::new(header);
        let p = self.rows.len();
        file.tensor("coefficients", &[p, p], self.rows.iter().map(Vec::as_slice).collect());
        file.write(path).map(|_| ())
    }

    /// The prime p.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The coefficients of f_y, the constant one first.
    ///
    /// # Panics
    /// If y isn't below p.
    pub fn row(&self, y: usize) -> &[u64] {
        &self.rows[y]
    }
}

/// Why coefficients can't be had.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The prime is too large.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The file.
    #[error("{0} (it's only a cache: delete the file to have it made again)")]
    File(#[from] FileError),
}

/// g(x, y) modulo p, row after row of x for each y.
fn values(modulus: &Modulus, g: impl Fn(i64, i64) -> i64) -> Result<Vec<u64>, TableError> {
    let p = modulus.value();
    if p > MAX_PRIME {
        return Err(TableError::TooLarge {
            rows: p as usize,
            columns: p as usize,
            largest: MAX_PRIME as usize,
        });
    }
    let pairs = (0..p as i64).flat_map(|y| (0..p as i64).map(move |x| (x, y)));
    Ok(pairs.map(|(x, y)| modulus.reduce_i64(g(x, y))).collect())
}
