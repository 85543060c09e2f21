//! Sums of many digits at each place, by carry-save addition.

use super::{
    BASE, carry,
    layer::{Layers, Pair},
};
use crate::{Ciphertext, TfheError};

/// Deviations of a bootstrapping's noise that go into a table at most.
const DEVIATIONS: usize = 5;

/// How large sums may become before carries go through them.
#[derive(Clone, Copy)]
struct Limit {
    sum: u64,
    carry: u64,
}

/// The digits of Σ termsᵢ·4^i modulo 4^columns, where each place has any number of terms from 0 to 3.
///
/// In each layer, groups of up to five terms become a digit and a carry, until carries can go through what's left.
/// A group whose sum is below 8 has both from one bootstrapping, others from two.
///
/// Source: Wallace, "A suggestion for a fast multiplier" (1964).
pub(super) fn add_columns(
    layers: &Layers<'_>,
    columns: &[Vec<Ciphertext>],
) -> Result<Vec<Ciphertext>, TfheError> {
    let limit = if carry::carries_in_turn(layers, columns.len()) {
        Limit { sum: BASE * BASE - 1, carry: BASE - 1 }
    } else {
        Limit { sum: 2 * BASE - 1, carry: 1 }
    };
    let parts = layers.pair(&|x| x % BASE, &|x| x / BASE)?;
    let low = layers.functions(&[&|x| x % BASE])?;
    let [terms] = layers.within(1.0, [&columns.concat()])?;
    let mut terms = terms.into_iter();
    let mut columns: Vec<Vec<Ciphertext>> = columns
        .iter()
        .map(|column| terms.by_ref().take(column.len()).filter(|term| term.largest > 0).collect())
        .collect();
    loop {
        let groups = groups(&mut columns, limit);
        if groups.is_empty() {
            break;
        }
        let last = columns.len() - 1;
        let mut jobs = Vec::new();
        for (place, group) in &groups {
            let sum = total(layers, group)?;
            if *place == last {
                jobs.push((&low, sum));
            } else {
                jobs.extend(Pair::jobs(&parts, sum));
            }
        }
        let mut values = layers.run(&jobs)?.into_iter();
        for (place, _) in groups {
            columns[place].extend(values.next());
            if place < last {
                columns[place + 1].extend(values.next());
            }
        }
    }
    let sums: Result<Vec<_>, _> = columns.iter().map(|terms| total(layers, terms)).collect();
    Ok(carry::propagate(layers, sums?, false)?.0)
}

fn total(layers: &Layers<'_>, terms: &[Ciphertext]) -> Result<Ciphertext, TfheError> {
    terms.iter().try_fold(layers.key.trivial(0)?, |sum, term| sum.add(term))
}

/// Takes the groups of one layer out of their columns.
fn groups(columns: &mut [Vec<Ciphertext>], limit: Limit) -> Vec<(usize, Vec<Ciphertext>)> {
    let mut groups = Vec::new();
    let mut carry = 0;
    let last = columns.len() - 1;
    for (place, terms) in columns.iter_mut().enumerate() {
        terms.sort_by_key(|term| term.largest);
        // The digits that the groups will leave here, each up to 3.
        let mut digits = 0;
        let mut carried = 0;
        loop {
            let sum = terms.iter().map(|term| term.largest).sum::<u64>() + (BASE - 1) * digits as u64 + carry;
            if sum <= limit.sum && terms.len() + digits + usize::from(carry > 0) <= DEVIATIONS {
                carried += sum / BASE;
                break;
            }
            let Some(group) = take_group(terms, place == last) else {
                carried += limit.carry;
                break;
            };
            groups.push((place, group));
            digits += 1;
        }
        carry = carried.min(limit.carry);
    }
    groups
}

/// The group that saves most terms for a bootstrapping: small terms whose sum is below 8, otherwise large ones up to 15.
/// None if that saves nothing.
fn take_group(terms: &mut Vec<Ciphertext>, highest: bool) -> Option<Vec<Ciphertext>> {
    let fit = |largest: &mut dyn Iterator<Item = u64>, most: u64| {
        let mut sum = 0;
        largest
            .take(DEVIATIONS)
            .take_while(|term| {
                sum += term;
                sum <= most
            })
            .count()
    };
    let small = fit(&mut terms.iter().map(|term| term.largest), 2 * BASE - 1);
    let large = fit(&mut terms.iter().rev().map(|term| term.largest), BASE * BASE - 1);
    // Small groups of m cost 1 and save m − 2; large ones cost 2 for as much. At the highest place, each costs 1.
    if highest && large >= 2 {
        Some(terms.split_off(terms.len() - large))
    } else if small >= 3 && 2 * (small - 2) >= large - 2 {
        Some(terms.drain(..small).collect())
    } else if large >= 3 {
        Some(terms.split_off(terms.len() - large))
    } else {
        None
    }
}
