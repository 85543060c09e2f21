//! What encryption does about divisors of zero.

use serde::{Deserialize, Serialize};

/// What the client does about a divisor of zero in its data, which nobody sees once they're encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnZero {
    /// Refuses to encrypt them.
    #[default]
    Error,
    /// Encrypts them: x // 0 is 0, and x % 0 is x.
    Value,
}
