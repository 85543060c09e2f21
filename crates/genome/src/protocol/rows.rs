//! What the server's computation takes of a panel.

use super::course::Course;

/// The panel as the circuit sees it: a number for every slot, of a shard of the haplotypes and a column of the letters.
pub(crate) trait Rows: Sync {
    /// How many shards of haplotypes there are.
    fn shards(&self) -> usize;
    /// 2·p − 1 for the panel's letter p, times the weight in the first letter; 0 beyond letters and haplotypes.
    fn signs(&self, shard: usize, column: usize) -> Vec<i64>;
    /// 1 − p for the letter of a candidate start, times the weight; 1 beyond the letters, 0 beyond the haplotypes.
    fn zeros(&self, candidate: usize, shard: usize, column: usize) -> Vec<i64>;
    /// 1, times the weight; 2 beyond the letters, 0 beyond the haplotypes.
    fn ones(&self, shard: usize, column: usize) -> Vec<i64>;
    /// The walk of a shard.
    fn course(&self, shard: usize) -> &Course;
}
