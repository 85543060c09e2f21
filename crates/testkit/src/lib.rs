//! Big-integer oracles and test suites that are written once for all schemes, for tests only.
//!
//! Everything here is slow and obviously right: polynomials are vectors of big integers, products are schoolbook
//! products. A scheme says by [`Subject`] (exact ones by [`ExactSubject`]) what its ciphertexts are held against, and
//! takes over the [`suite`]s, each by the macro of its name: every claim is then a test of the scheme.

mod exact;
mod files;
mod integers;
mod known_answers;
mod subject;
pub mod suite;

pub use exact::{ExactSubject, LiteralShape};
pub use files::OpenFile;
pub use integers::{
    TestIntegers, automorphism, centred, log2_values, max_norm, negacyclic_product, product, rotated_rows,
    round_divide, rsa_modulus,
};
pub use known_answers::KnownAnswers;
pub use subject::{Known, Operand, Party, Refusals, Subject};
