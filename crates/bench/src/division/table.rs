//! Tables for human readers, in the layout of the paper's.

use std::fmt::Write;

use super::DivisionReport;

impl DivisionReport {
    /// The rows, followed by our times compared with the peer's.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:>8} {:>6} {:>7} {:>7} {:>10} {:>12}  {:14} {:>7} {:>7} {:>8} {:>8}",
            "l (bits)",
            "p",
            "levels",
            "nslots",
            "time (s)",
            "µs/division",
            "method",
            "log2 N",
            "log2 QP",
            "security",
            "threads"
        );
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}"));
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:>8} {:>6} {:>7} {:>7} {:>10.3} {:>12.1}  {:14} {:>7} {:>7} {:>8} {:>8}",
                row.bits,
                figure(row.plaintext_modulus.map(|t| t as f64)),
                figure(row.levels.map(|levels| levels as f64)),
                row.slots,
                row.seconds,
                row.seconds_per_division * 1e6,
                row.method,
                figure(row.ring_degree.map(|n| n.ilog2().into())),
                figure(row.log2_qp),
                row.security_bits,
                row.threads
            );
        }
        text.push_str("operands are encrypted under the public key; those of 16 bits have divisors of 8\n");
        for ratio in &self.ratios {
            let _ = writeln!(
                text,
                "ours divides {:.0} times as many numbers of {} bits a second as {} ({}), one thread each",
                ratio.ratio,
                ratio.bits,
                ratio.method,
                self.peer.as_deref().unwrap_or("unknown version")
            );
        }
        text.push_str("\noperations of the published algorithms\n");
        for count in &self.counts {
            let _ = writeln!(
                text,
                "{:>8} bits {:9} depth {:>2}, {:>5} products, {:>7} additions, {:>7} products with constants",
                count.bits,
                count.algorithm,
                count.depth,
                count.products,
                count.additions,
                count.constant_products
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
