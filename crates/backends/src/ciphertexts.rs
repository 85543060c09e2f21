//! Ciphertexts of any scheme, in memory and in files.

use std::{any::Any, fmt::Debug, ops::Deref};

use asanoha_lattice::{FileWriter, Norm};
use asanoha_ring::Seed;
use asanoha_scheme::JsonInteger;
use serde::{Deserialize, Serialize};

use crate::contents::Contents;
use crate::reencryptions::Reencryptions;

/// Named values of a scheme, each a list of ciphertexts: columns, or results.
pub trait EncryptedValues: Any + Debug + Send + Sync {
    /// A copy.
    fn copied(&self) -> Ciphertexts;

    /// The number of values.
    fn len(&self) -> usize;

    /// Whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of ciphertexts; in TFHE those of all digits.
    fn count(&self) -> usize;

    /// Bytes of the ciphertexts' words.
    fn bytes(&self) -> u64;

    /// What a file says of every ciphertext, in schemes where it says something.
    fn stated(&self) -> Vec<Vec<StatedCiphertext>>;

    /// Adds the values to a file under their names. Where a value has seeds, they stand for what is expanded from them.
    fn put<'v>(&'v self, names: &[String], seeds: &'v [Vec<[u64; Seed::WORDS]>], file: &mut FileWriter<'v>);
}

/// Ciphertexts of one scheme or another.
#[derive(Debug)]
pub struct Ciphertexts(Box<dyn EncryptedValues>);

impl Ciphertexts {
    /// Those of a scheme.
    pub fn new(values: impl EncryptedValues) -> Self {
        Self(Box::new(values))
    }

    /// The ciphertexts of a type, if they are of it.
    pub fn get<V: EncryptedValues>(&self) -> Option<&V> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// As [`Ciphertexts::get`], to be changed.
    pub fn get_mut<V: EncryptedValues>(&mut self) -> Option<&mut V> {
        (&mut *self.0 as &mut dyn Any).downcast_mut()
    }

    /// As [`Ciphertexts::get`], given away.
    pub fn into_own<V: EncryptedValues>(self) -> Option<V> {
        (self.0 as Box<dyn Any>).downcast().ok().map(|values| *values)
    }
}

impl Deref for Ciphertexts {
    type Target = dyn EncryptedValues;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Clone for Ciphertexts {
    fn clone(&self) -> Self {
        self.0.copied()
    }
}

/// Ciphertexts that were just encrypted.
#[derive(Debug)]
pub struct Fresh {
    /// The ciphertexts of every column.
    pub values: Ciphertexts,
    /// Of those that the secret key encrypted: for every column, the seeds of its ciphertexts.
    pub seeds: Vec<Vec<Seed>>,
}

/// What a file says of a ciphertext.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedCiphertext {
    /// The bound on its noise.
    pub noise: Norm,
    /// BGV's correction factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<JsonInteger>,
    /// CKKS's scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// CKKS's bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// What a file says of a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedValue {
    /// Its name.
    pub name: String,
    /// What it says of its ciphertexts.
    pub ciphertexts: Vec<StatedCiphertext>,
}

/// What a file says of its values.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'a> {
    /// Inputs or outputs.
    pub contents: Contents,
    /// How often they were re-encrypted.
    pub reencryptions: Reencryptions,
    /// What it says of each.
    pub values: &'a [StatedValue],
}
