//! Interpolation polynomials on 0 … n − 1, a table of them for each function, kept in files.

use std::path::Path;

use asanoha_lattice::{FileError, FileHeader, FileReader, FileWriter, KeyId};
use asanoha_ring::Modulus;
use rayon::prelude::*;

use crate::{Domain, DomainError, TableError, table_function::combination};

/// The largest number of points: their coefficients take 32 MB.
const MAX_POINTS: usize = 1 << 11;

/// What a file of coefficients says that it holds.
const KIND: &str = "interpolation coefficients";

/// The coefficients a₀ … a_(n−1) modulo p of the polynomials f_y with f_y(x) = g(x, y) on x = 0 … n − 1, one polynomial for
/// each public constant y = 0 … n − 1: n² words. With n = p they are right on all of Z_p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpolations {
    modulus: Modulus,
    rows: Vec<Vec<u64>>,
}

impl Interpolations {
    /// The polynomials of g(x, y) for x, y = 0 … n − 1, modulo a prime p.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for n above 2^11, [`TableError::Domain`] for n = 0, n above p, or a p that isn't prime.
    pub fn new(modulus: &Modulus, points: usize, g: impl Fn(i64, i64) -> i64) -> Result<Self, TableError> {
        Ok(Self::of_values(modulus, points, &values(modulus, points, g)?)?)
    }

    /// The same, read from a file in a folder if it's there, or else computed and written to it.
    ///
    /// The file's name has the digest of p and of all n² values of g, and so does its header: it's read for this function
    /// and for no other, checked like all files, and refused if a word isn't below p.
    ///
    /// # Errors
    /// [`CacheError::Table`] as for [`Interpolations::new`], [`CacheError::File`] for a file or folder that can't be
    /// read or written, or is damaged.
    pub fn cached(
        modulus: &Modulus,
        points: usize,
        g: impl Fn(i64, i64) -> i64,
        folder: &Path,
    ) -> Result<Self, CacheError> {
        let values = values(modulus, points, g)?;
        let mut hash = blake3::Hasher::new();
        hash.update(&modulus.value().to_le_bytes());
        values.iter().for_each(|value| {
            hash.update(&value.to_le_bytes());
        });
        let digest = hash.finalize().to_hex().to_string();
        let path = folder.join(format!("interpolation-{}-{}.safetensors", modulus.value(), &digest[..16]));
        if path.exists() {
            return Ok(Self::read(modulus, points, &path, &digest)?);
        }
        let computed = Self::of_values(modulus, points, &values).map_err(TableError::from)?;
        computed.write(&path, digest)?;
        Ok(computed)
    }

    fn of_values(modulus: &Modulus, points: usize, values: &[u64]) -> Result<Self, DomainError> {
        let domain = Domain::integers(modulus, 0..=points as i64 - 1)?;
        let indicators: Vec<Vec<u64>> = domain.indicators().collect();
        let row = |values: &[u64]| combination(modulus, values, &indicators);
        Ok(Self { modulus: *modulus, rows: values.par_chunks(points).map(row).collect() })
    }

    fn read(modulus: &Modulus, points: usize, path: &Path, digest: &str) -> Result<Self, FileError> {
        let file = FileReader::read(path, KIND, digest)?;
        let words = file.words("coefficients", &[points, points])?;
        if let Some(word) = words.iter().find(|&&word| word >= modulus.value()) {
            return Err(file.error(format!("its coefficient {word} isn't below {}", modulus.value())));
        }
        Ok(Self { modulus: *modulus, rows: words.chunks_exact(points).map(<[u64]>::to_vec).collect() })
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
        let points = self.rows.len();
        file.tensor("coefficients", &[points, points], self.rows.iter().map(Vec::as_slice).collect());
        file.write(path).map(|_| ())
    }

    /// The prime p.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The number n of points, which is that of the polynomials too.
    pub fn points(&self) -> usize {
        self.rows.len()
    }

    /// The coefficients of f_y, the constant one first.
    ///
    /// # Panics
    /// If y isn't below n.
    pub fn row(&self, y: usize) -> &[u64] {
        &self.rows[y]
    }
}

/// Why coefficients can't be had.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The number of points, or the prime.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The file.
    #[error("{0} (it's only a cache: delete the file to have it made again)")]
    File(#[from] FileError),
}

/// g(x, y) modulo p, row after row of x for each y.
fn values(modulus: &Modulus, points: usize, g: impl Fn(i64, i64) -> i64) -> Result<Vec<u64>, TableError> {
    if points > MAX_POINTS {
        return Err(TableError::TooLarge { rows: points, columns: points, largest: MAX_POINTS });
    }
    let last = points as i64;
    let pairs = (0..last).flat_map(|y| (0..last).map(move |x| (x, y)));
    Ok(pairs.map(|(x, y)| modulus.reduce_i64(g(x, y))).collect())
}
