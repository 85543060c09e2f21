//! Scheme-neutral lattice cryptography over rings: parameters and their security, keys, ciphertexts, hybrid key
//! switching, noise bounds and files.

mod derived_secret;
mod diagonal;
mod embedding;
mod evaluation_keys;
mod file;
mod glwe;
mod image_products;
mod key_file;
mod key_id;
mod key_levels;
mod key_name;
mod key_switch;
mod key_switch_key;
mod lwe;
mod masked_images;
mod missing_key;
mod new_keys;
mod noise;
mod norm;
mod params;
mod raise;
mod reencryption;
mod rlwe;
mod security;
mod trace;
mod unrolling;

pub use derived_secret::derive_from_secret;
pub use diagonal::{DiagonalCost, DiagonalNoise, DiagonalSteps, DiagonalSum, StepKeys, diagonal_slots};
pub use embedding::Embedding;
pub use evaluation_keys::EvaluationKeys;
pub use file::{
    Destination, FILE_VERSION, FileError, FileHeader, FilePieces, FileProblem, FileReader, FileSummary,
    FileWriter, LEAST_FILE_VERSION, MAX_HEADER_BYTES, Source, StoredFile, TensorInfo, UNFINISHED_PREFIX,
    Unfinished, complete, remove_unfinished, sync_folder, write_atomically,
};
#[doc(hidden)]
pub use file::{pause, pause_at_file};
pub use glwe::{
    BootstrapKey, GgswShape, GgswSource, GlweCiphertext, GlweSecretKey, SeededBootstrapKey,
    StoredBootstrapKey, blind_rotate_many,
};
pub use image_products::{DerivedKeys, ImageKeys, ImageSteps, ImageSums, MasterKeys};
pub use key_id::KeyId;
pub use key_levels::KeyLevels;
pub use key_name::KeyName;
pub use key_switch::{
    Decomposed, ExtendedCiphertext, Hoisted, automorphism, automorphisms, relinearise, relinearise_to,
};
pub use key_switch_key::{GaloisKey, KeySwitchKey};
pub use lwe::{
    LweCiphertext, LweSecretKey, LweSwitchKey, LweSwitchShape, SeededLweSwitchKey, switch_modulus,
};
pub use masked_images::{ImageMask, MaskedImage, sums_of_masked_images};
pub use missing_key::MissingKey;
pub use noise::{BOUNDED_POLYNOMIALS, FAILURE_BITS, NoiseModel};
pub use norm::Norm;
pub use params::{
    KeyTier, Level, LevelTooLow, NoiseFactor, ParamsError, RlweLiteral, RlweParams, SPECIAL_MARGIN_BITS,
    choose_tiers,
};
pub use raise::raise;
pub use reencryption::ReencryptionKey;
pub use rlwe::{NoiseAboveBound, OtherKey, ProductShare, PublicKey, RlweCiphertext, SecretKey, SecretShare};
pub use security::{
    SPARSE_SHOWN_BITS, SPARSE_WEIGHT, largest_log2_modulus, largest_sparse_log2_modulus,
    quantum_security_bits, security_bits, security_is_extrapolated, shown_bits_limit, sparse_security_bits,
};
pub use trace::{Hoisting, Trace};
pub use unrolling::{StageCost, choose_unrolling};
