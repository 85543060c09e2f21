//! What a file states, held against what was derived anew: equal, but for what the mathematics libraries of two
//! machines may round differently.

use serde_json::Value;

/// The largest relative difference of two numbers that are taken for equal.
const ROUNDING: f64 = 1e-9;

/// Whether two JSON values are equal, numbers with a fraction up to a relative difference of 10^−9.
pub fn approximately_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            x == y
                || (x.is_f64() || y.is_f64()) && x.as_f64().zip(y.as_f64()).is_some_and(|(x, y)| close(x, y))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| approximately_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| approximately_equal(value, other)))
        }
        _ => a == b,
    }
}

fn close(x: f64, y: f64) -> bool {
    (x - y).abs() <= ROUNDING * x.abs().max(y.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_rounding_is_overlooked() {
        let value = json!({"a": [1.0, {"b": 2.5e-300}], "n": 9007199254740993u64, "s": "x"});
        assert!(approximately_equal(&value, &value));
        let rounded =
            json!({"a": [1.0 + 1e-12, {"b": 2.5000000001e-300}], "n": 9007199254740993u64, "s": "x"});
        assert!(approximately_equal(&value, &rounded));
        for other in [
            json!({"a": [1.0, {"b": 2.5e-300}], "n": 9007199254740992u64, "s": "x"}),
            json!({"a": [1.000001, {"b": 2.5e-300}], "n": 9007199254740993u64, "s": "x"}),
            json!({"a": [1.0, {"b": 0.0}], "n": 9007199254740993u64, "s": "x"}),
            json!({"a": [1.0, {"b": -2.5e-300}], "n": 9007199254740993u64, "s": "x"}),
            json!({"a": [1.0], "n": 9007199254740993u64, "s": "x"}),
            json!({"a": [1.0, {"b": 2.5e-300}], "n": 9007199254740993u64, "s": "x", "more": null}),
            json!({"a": [1.0, {"b": 2.5e-300}], "n": "9007199254740993", "s": "x"}),
        ] {
            assert!(!approximately_equal(&value, &other), "{other}");
        }
    }
}
