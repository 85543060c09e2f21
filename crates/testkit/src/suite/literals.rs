//! Literals of parameters as they're written down.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

/// A literal is read from JSON as it was written, and not with a field that it hasn't.
///
/// # Panics
/// If that isn't so.
pub fn survives_json<L: Serialize + DeserializeOwned + PartialEq + Debug>(literal: &L) -> String {
    let text = serde_json::to_string(literal).unwrap();
    assert_eq!(serde_json::from_str::<L>(&text).unwrap(), *literal);
    let unknown = text.replacen('{', "{\"colour\":1,", 1);
    let error = serde_json::from_str::<L>(&unknown).unwrap_err();
    assert!(error.to_string().contains("colour"), "{error}");
    text
}
