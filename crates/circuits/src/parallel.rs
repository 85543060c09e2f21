//! Independent steps on all threads.
//!
//! Rayon's iterators are compiled anew for every closure, some fifty functions each. These are compiled once for each kind
//! of result, and the loop over rayon once.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

/// Calls `f` with 0 … count − 1.
fn for_each(count: usize, f: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(f);
}

/// f(0), …, f(count − 1), in parallel.
///
/// # Errors
/// One of `f`'s; after it no further calls are begun.
pub fn try_map<V: Send, E: Send>(
    count: usize,
    f: &(dyn Fn(usize) -> Result<V, E> + Sync),
) -> Result<Vec<V>, E> {
    if count == 1 {
        return Ok(vec![f(0)?]);
    }
    let results: Vec<Mutex<Option<Result<V, E>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let failed = AtomicBool::new(false);
    for_each(count, &|i| {
        if !failed.load(Ordering::Relaxed) {
            let result = f(i);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            *results[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    // Results are missing only where there is an error.
    let result = |cell: Mutex<Option<_>>| cell.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(result).collect()
}

/// f(0, values\[0\]), f(1, values\[1\]), …, in parallel. Errors: as for [`try_map`].
///
/// # Errors
/// One of `f`'s.
pub fn try_map_owned<T: Send, V: Send, E: Send>(
    values: Vec<T>,
    f: &(dyn Fn(usize, T) -> Result<V, E> + Sync),
) -> Result<Vec<V>, E> {
    let values: Vec<Mutex<Option<T>>> = values.into_iter().map(|value| Mutex::new(Some(value))).collect();
    try_map(values.len(), &|i| {
        let value = values[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        f(i, value.expect("every value is taken once"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_an_error_is_found() {
        for count in [0, 1, 2, 100] {
            let squares = try_map(count, &|i| Ok::<_, ()>(i * i)).unwrap();
            assert_eq!(squares, (0..count).map(|i| i * i).collect::<Vec<_>>());
            let words: Vec<String> = (0..count).map(|i| i.to_string()).collect();
            let same = try_map_owned(words.clone(), &|i, word| {
                assert_eq!(word, i.to_string());
                Ok::<_, ()>(word)
            });
            assert_eq!(same.unwrap(), words);
        }
        for bad in [0, 17, 99] {
            assert_eq!(try_map(100, &|i| if i == bad { Err(i) } else { Ok(()) }), Err(bad));
        }
    }
}
