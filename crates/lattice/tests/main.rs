//! The tests of this crate. They are one executable, as each links the whole library.

mod common;
mod reduction;

mod files;
mod glwe;
mod image_products;
mod key_levels;
mod lwe;
mod rlwe;
mod seeds;
mod shown;
mod tiers;
mod unfinished;
