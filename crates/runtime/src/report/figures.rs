//! Times and sizes as text.

/// A number of bytes as text, in a suitable unit.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// Seconds as text, to about three digits.
pub fn seconds(time: f64) -> String {
    if time < 1.0 { format!("{:.1} ms", time * 1e3) } else { format!("{time:.2} s") }
}

/// The blocks of a picture.
const BLOCKS: f64 = 24.0;

/// Where something goes, as a line: blocks behind every part's name, as many as its share is large, and at least one. Parts of
/// less than a hundredth are left out.
pub fn picture<'n>(parts: impl IntoIterator<Item = (&'n str, f64)>) -> String {
    let parts: Vec<(&str, f64)> = parts.into_iter().collect();
    let all: f64 = parts.iter().map(|(_, part)| part).sum();
    let drawn = parts.iter().filter(|(_, part)| *part >= all / 100.0);
    let blocks = |part: f64| "▇".repeat((part / all * BLOCKS).round().max(1.0) as usize);
    drawn.map(|(name, part)| format!("{name} {}", blocks(*part))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{bytes, picture, seconds};

    #[test]
    fn pictures_have_blocks_by_the_parts() {
        let parts = [("keygen", 0.5), ("encrypt", 0.001), ("evaluate", 1.45), ("decrypt", 0.05)];
        assert_eq!(picture(parts), "keygen ▇▇▇▇▇▇ evaluate ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ decrypt ▇");
        assert_eq!(picture([]), "");
    }

    #[test]
    fn sizes_and_times_take_a_fitting_unit() {
        assert_eq!([bytes(12), bytes(2048), bytes(3 << 20)], ["12 B", "2.0 KiB", "3.0 MiB"]);
        assert_eq!([seconds(0.0123), seconds(2.5)], ["12.3 ms", "2.50 s"]);
    }
}
