//! What single flags take, and what is said of other text.

use std::path::PathBuf;

use asanoha::{
    BigUint,
    ckks::LEAST_STATISTICAL_BITS,
    data::{MAX_ROWS, PublicCentre, RangeOverride, parse_public_centre, parse_range_override},
    execute::MAX_CANARIES,
    genome::{panel::SitesDigest, protocol::RING_DEGREE},
    precision::Precision,
};

/// Parses the value of `--publish`.
pub(super) fn parse_statistical_bits(text: &str) -> Result<u32, String> {
    let range = LEAST_STATISTICAL_BITS..=128;
    let bits = text.parse().ok().filter(|bits| range.contains(bits));
    bits.ok_or_else(|| {
        format!(
            "take from {} to {} bits: what a published result tells of the secret key stays for ever, and with fewer bits it adds up",
            range.start(),
            range.end()
        )
    })
}

pub(super) fn parse_security(text: &str) -> Result<u32, String> {
    match text {
        "128" => Ok(128),
        "192" => Ok(192),
        "256" => Ok(256),
        _ => Err("the security table has 128, 192 and 256 bits".to_owned()),
    }
}

/// Parses the value of `--accept-sites`.
pub(super) fn parse_sites_digest(text: &str) -> Result<SitesDigest, String> {
    SitesDigest::parse(text).ok_or_else(|| "a digest has 64 hex digits".to_owned())
}

pub(super) fn parse_precision(text: &str) -> Result<Precision, String> {
    let error = text.strip_prefix("abs=").and_then(|error| error.parse().ok());
    let error = error.ok_or("it's given as abs=ERROR, for example abs=1e-6")?;
    Precision::Absolute { error }.check().map_err(|error| error.to_string())
}

pub(super) fn parse_range(text: &str) -> Result<RangeOverride, String> {
    parse_range_override(text).map_err(|error| error.to_string())
}

pub(super) fn parse_center(text: &str) -> Result<PublicCentre, String> {
    parse_public_centre(text).map_err(|error| error.to_string())
}

/// A file of weights, and the name that programs have for it.
#[derive(Clone, Debug)]
pub(crate) struct WeightsFile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// Parses the value of `--weights`.
pub(super) fn parse_weights(text: &str) -> Result<WeightsFile, String> {
    let parts = text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
    let (name, path) = parts.ok_or("it's given as NAME=FILE, for example w=weights.csv")?;
    Ok(WeightsFile { name: name.trim_start_matches('@').to_owned(), path: path.into() })
}

/// Parses a number of days.
#[cfg(feature = "http")]
pub(super) fn parse_days(text: &str) -> Result<u32, String> {
    let days = text.parse().ok().filter(|days| (1..=36500).contains(days));
    days.ok_or_else(|| "it's a number of days from 1 to 36500".to_owned())
}

/// Parses the value of `--max-seconds`.
pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| "it's a number of seconds above 0".to_owned())
}

/// Parses the value of `--max-memory`: bytes.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let powers = |base: f64, unit: &str| {
        let power = "KMGT".find(unit.chars().next()?.to_ascii_uppercase())?;
        Some(base.powi(power as i32 + 1))
    };
    let factor = match unit {
        "" | "B" => Some(1.0),
        _ => match unit.get(1..).unwrap_or("?") {
            "" | "iB" => powers(1024.0, unit),
            "B" => powers(1000.0, unit),
            _ => None,
        },
    };
    let bytes = number.parse().ok().zip(factor).map(|(number, factor): (f64, f64)| number * factor);
    let bytes = bytes.filter(|bytes| (1.0..1e18).contains(bytes)).map(|bytes| bytes as u64);
    bytes.ok_or_else(|| "it's a size, such as 4GiB, 500MB or 2G, which is 2GiB".to_owned())
}

pub(super) fn parse_rows(text: &str) -> Result<usize, String> {
    let rows = text.parse().ok().filter(|rows| (1..=MAX_ROWS).contains(rows));
    rows.ok_or_else(|| format!("it's a number from 1 to {MAX_ROWS}"))
}

pub(super) fn parse_canaries(text: &str) -> Result<usize, String> {
    let canaries = text.parse().ok().filter(|canaries| (1..=MAX_CANARIES).contains(canaries));
    canaries.ok_or_else(|| format!("it's a number from 1 to {MAX_CANARIES}"))
}

pub(super) fn parse_ring_degree(text: &str) -> Result<usize, String> {
    let degree = text.parse().ok().filter(|degree: &usize| degree.is_power_of_two());
    let degree = degree.filter(|degree| (64..=RING_DEGREE).contains(degree));
    degree.ok_or_else(|| format!("it's a power of two from 64 to {RING_DEGREE}"))
}

/// Digits in decimal, or as 0x… in hexadecimal: at most as many as 2048 bits have.
pub(super) fn parse_whole(text: &str) -> Result<BigUint, String> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let value = (digits.len() <= 617).then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten();
    value.ok_or_else(|| "it's a whole number of at most 2048 bits, in decimal or as 0x…".to_owned())
}

/// A number of bytes with a unit: B, KiB, MiB, GiB or TiB.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let shift = ["B", "KiB", "MiB", "GiB", "TiB"].iter().position(|known| *known == unit).map(|at| 10 * at);
    let value =
        digits.parse::<u64>().ok().zip(shift).and_then(|(value, shift)| value.checked_mul(1 << shift));
    value.ok_or_else(|| "it's a whole number with a unit, for example 8GiB or 512MiB".to_owned())
}

/// The digits fill the seed from its first byte on; the remaining bytes stay 0.
pub(super) fn parse_seed(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    if text.is_empty() || text.len() > 64 {
        return Err(format!(
            "{} characters are given, and 1 to 64 hex digits are a seed",
            text.chars().count()
        ));
    }
    for (at, c) in text.chars().enumerate() {
        let digit = c.to_digit(16).ok_or_else(|| format!("{c:?} is no hex digit"))?;
        seed[at / 2] |= (digit as u8) << (4 * (1 - at % 2));
    }
    Ok(seed)
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, parse_seed, parse_whole};

    #[test]
    fn sizes_have_units_and_whole_numbers_may_be_hexadecimal() {
        assert_eq!([parse_bytes("8GiB").unwrap(), parse_bytes("7B").unwrap()], [8 << 30, 7]);
        for bad in ["8", "GiB", "8GB", "-1B", "1.5GiB", "99999999TiB"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_whole("0xff").unwrap(), parse_whole("255").unwrap());
        for bad in ["", "0x", "-1", "1e9", "f", &"9".repeat(618)] {
            assert!(parse_whole(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seeds_are_filled_from_the_front() {
        assert_eq!(parse_seed("abc").unwrap()[..3], [0xab, 0xc0, 0]);
        assert!(parse_seed("").is_err() && parse_seed("xy").is_err() && parse_seed(&"0".repeat(65)).is_err());
    }

    #[test]
    fn sizes_have_units_of_a_thousand_or_1024() {
        for (text, bytes) in [
            ("1", 1),
            ("1500B", 1500),
            ("2k", 2048),
            ("2K", 2048),
            ("1.5GiB", 3 << 29),
            ("3G", 3 << 30),
            ("500MB", 500_000_000),
            ("1TB", 1_000_000_000_000),
        ] {
            assert_eq!(super::parse_size(text), Ok(bytes), "{text}");
        }
        for text in
            ["", "0", "-1", "G", "1X", "1GG", "1 G", "1.2.3", "1e3", "\u{b5}", "9\u{b5}B", "99999999T", "0.1"]
        {
            assert!(super::parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_above_zero() {
        assert_eq!(super::parse_seconds("0.5"), Ok(0.5));
        for text in ["0", "-1", "nan", "inf", "1s", ""] {
            assert!(super::parse_seconds(text).is_err(), "{text}");
        }
    }
}
