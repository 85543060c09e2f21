//! The TFHE scheme (Chillotti, Gama, Georgieva, Izabachène 2020): small encrypted numbers, sums and differences of them, and any
//! table of one, by a programmable bootstrapping that leaves fresh noise.
//!
//! Integers of up to 128 bits are made of such numbers: [`Integers`].
//!
//! A ciphertext carries the largest number that it may hold and the variance of its noise. An operation whose result might
//! not be decryptable with a probability above the parameters' is an error.
//!
//! ```no_run
//! use asanoha_kernels::Backend;
//! use asanoha_ring::Sampler;
//! use asanoha_tfhe::{ClientKey, TfheLiteral};
//!
//! let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
//! let client = ClientKey::generate(&params, &mut Sampler::from_os());
//! let server = client.server_key(&mut Sampler::from_os());
//!
//! let a = client.encrypt(3, &mut Sampler::from_os())?;
//! let square = params.table(|x| x * x % 16)?;
//! assert_eq!(client.decrypt(&server.apply(&square, &a)?)?, 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod bit;
mod bootstrapper;
mod ciphertext;
mod client;
mod error;
mod gadget;
mod integer;
mod integer_type;
mod model;
mod noise;
mod params;
mod security;
mod seeded_server_key;
mod server;
mod stored_server_key;

pub use bit::EncryptedBit;
pub use bootstrapper::Bootstrapper;
pub use ciphertext::Ciphertext;
pub use client::ClientKey;
pub use error::{TfheError, TfheParamsError};
pub use gadget::GadgetLiteral;
pub use integer::{Cost, EncryptedFixed, EncryptedInteger, FixedType, Integers};
pub use integer_type::{IntegerType, MAX_BLOCKS};
pub use model::Model;
pub use params::{Table, TfheLiteral, TfheParams};
pub use seeded_server_key::SeededServerKey;
pub use server::ServerKey;
pub use stored_server_key::StoredServerKey;
