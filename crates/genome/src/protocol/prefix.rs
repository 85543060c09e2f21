//! Products of the first values of a row, for all numbers of them.

use asanoha_circuits::parallel::try_map;

use super::carrier::Carrier;

/// The products of the first k of 2^n or fewer values, for all k from 1 on: n products deep.
///
/// Source: Ladner, Fischer, "Parallel prefix computation" (Journal of the ACM, 1980).
pub(super) fn prefix_products<A: Carrier>(on: &A, values: Vec<A::Value>) -> Result<Vec<A::Value>, A::Error> {
    let mut values = values;
    let last = values.len() - 1;
    let mut steps = Vec::new();
    prefix_steps(&(0..=last).collect::<Vec<_>>(), false, &mut steps);
    let all = steps.len().saturating_sub(1);
    for round in rounds(&steps, values.len()) {
        let products = try_map(round.len(), &|place| {
            let (at, before) = steps[round[place]];
            // The product of all is masked next.
            let is_all = round[place] == all;
            let multiply = if is_all { A::multiply_unsettled } else { A::multiply };
            multiply(on, &values[at], &values[before])
        })?;
        round.into_iter().zip(products).for_each(|(step, product)| values[steps[step].0] = product);
    }
    Ok(values)
}

/// The products that turn values at some places into their prefix products, in an order that allows to overwrite the first factor: a
/// place, and the place before it. The last of them is that of all.
///
/// Halves, the first of which is multiplied with all of the second. Since the first half's last product is what these wait for, its
/// others may be one product deeper: so there, which saves products, pairs come first.
fn prefix_steps(places: &[usize], by_pairs: bool, steps: &mut Vec<(usize, usize)>) {
    if places.len() < 2 {
        return;
    }
    if by_pairs {
        steps.extend(places.chunks_exact(2).map(|pair| (pair[1], pair[0])));
        let seconds: Vec<usize> = places[1..].iter().step_by(2).copied().collect();
        prefix_steps(&seconds, false, steps);
        steps.extend(places[2..].iter().step_by(2).copied().zip(seconds));
        return;
    }
    let (left, right) = places.split_at(places.len().next_power_of_two() / 2);
    prefix_steps(left, true, steps);
    prefix_steps(right, false, steps);
    steps.extend(right.iter().map(|&at| (at, left[left.len() - 1])));
}

/// The numbers of steps by rounds: each after the rounds that write its factors, or read what it overwrites.
fn rounds(steps: &[(usize, usize)], places: usize) -> Vec<Vec<usize>> {
    let (mut written, mut read) = (vec![0; places], vec![0; places]);
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for (step, &(at, before)) in steps.iter().enumerate() {
        let round: usize = written[at].max(written[before]).max(read[at]);
        rounds.resize(rounds.len().max(round + 1), Vec::new());
        rounds[round].push(step);
        written[at] = round + 1;
        read[before] = read[before].max(round + 1);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_steps_reach_all_before_in_as_few_rounds_as_there_can_be() {
        for count in 1..=130usize {
            let mut steps = Vec::new();
            prefix_steps(&(0..count).collect::<Vec<_>>(), false, &mut steps);
            // The ranges of places multiplied so far, and how deep these products are.
            let mut values: Vec<(usize, usize, u32)> = (0..count).map(|place| (place, place, 0)).collect();
            let mut done = 0;
            for round in rounds(&steps, count) {
                let before = values.clone();
                for step in round {
                    let (at, of) = steps[step];
                    assert_eq!(before[of].1 + 1, before[at].0, "{count}");
                    values[at] = (before[of].0, before[at].1, before[of].2.max(before[at].2) + 1);
                    done += 1;
                }
            }
            assert_eq!(done, steps.len());
            let deepest = count.next_power_of_two().ilog2();
            assert!(
                values
                    .iter()
                    .enumerate()
                    .all(|(at, &(first, last, depth))| { (first, last) == (0, at) && depth <= deepest })
            );
            assert!(steps.last().is_none_or(|&(at, _)| at == count - 1));
        }
        // Sklansky's network has 448 for as many.
        let mut steps = Vec::new();
        prefix_steps(&(0..128).collect::<Vec<_>>(), false, &mut steps);
        assert_eq!(steps.len(), 369);
    }
}
