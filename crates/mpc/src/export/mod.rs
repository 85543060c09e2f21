//! Triples for other programs: into files of a new folder, which gets into its place whole.

mod exported;
mod mp_spdz;
mod npz;

pub use exported::Exported;
pub use mp_spdz::mp_spdz;
pub use npz::npz;
