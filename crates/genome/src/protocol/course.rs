//! The server's part of a walk: where haplotypes stand, and how they move.

use super::shape::SlotLayout;

/// The walk of some haplotypes through a window, known to the server.
#[derive(Debug)]
pub(crate) struct Course {
    ring_degree: usize,
    /// For each letter, the slots of the haplotypes with their alleles and weights.
    letters: Vec<Vec<(usize, bool, i64)>>,
    /// For each stride but the first and the last, and each diagonal, the slots of its ones.
    moves: Vec<Vec<Vec<usize>>>,
}

impl Course {
    /// The walk of haplotypes with these weights, of which `allele` gives the letters by their numbers.
    ///
    /// In the first stride they stand as in the second, since they may stand in any order before it: that saves a move.
    pub(crate) fn new(
        layout: &SlotLayout,
        stride: usize,
        weights: &[i64],
        allele: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let (count, row) = (weights.len(), layout.ring_degree / 2);
        let (mut letters, mut moves) = (Vec::new(), Vec::new());
        let mut order: Vec<usize> = (0..count).collect();
        let mut first = 0;
        while letters.len() < layout.shape.letters {
            let numbers = letters.len()..layout.shape.letters.min(letters.len() + stride);
            let (mut before, mut ones) = (order.clone(), 0);
            for letter in numbers.clone() {
                let (mut next, last): (Vec<usize>, Vec<usize>) =
                    order.iter().partition(|&&haplotype| !allele(letter, haplotype));
                ones = last.len();
                next.extend(last);
                order = next;
            }
            let is_first = letters.is_empty();
            if is_first {
                before.clone_from(&order);
            }
            for letter in numbers {
                let entry = |(place, &haplotype): (usize, &usize)| {
                    let weight = if letter == 0 { weights[haplotype] } else { 1 };
                    ((first + place) % row, allele(letter, haplotype), weight)
                };
                letters.push(before.iter().enumerate().map(entry).collect());
            }
            if is_first || letters.len() == layout.shape.letters {
                continue;
            }
            // Room for the longest move to the left.
            let back = if stride == 1 { ones } else { count - 1 } as i64;
            let ahead = back - (layout.steps(stride) as i64 - 1);
            let mut places = vec![0; count];
            order.iter().enumerate().for_each(|(place, &haplotype)| places[haplotype] = place);
            let mut diagonals = vec![Vec::new(); layout.steps(stride)];
            for (place, &haplotype) in before.iter().enumerate() {
                let (copy, step) =
                    layout.copy_and_step(stride, places[haplotype] as i64 - place as i64 + ahead);
                let (of_row, slot) = layout.displaced(stride, copy, first + place);
                diagonals[step].push(of_row * row + (slot + row - step) % row);
            }
            moves.push(diagonals);
            first = (first as i64 + ahead).rem_euclid(layout.lanes() as i64) as usize;
        }
        Self { ring_degree: layout.ring_degree, letters, moves }
    }

    fn slots(&self, numbers: impl Iterator<Item = (usize, i64)>) -> Vec<i64> {
        let mut slots = vec![0; self.ring_degree];
        numbers.for_each(|(slot, number)| slots[slot] = number);
        slots
    }

    /// 2·p − 1 for the panel's letter p, times the weight in the first letter; 0 where no haplotype stands.
    pub(crate) fn signs(&self, letter: usize) -> Vec<i64> {
        let sign =
            |&(slot, allele, weight): &(usize, bool, i64)| (slot, if allele { weight } else { -weight });
        self.slots(self.letters[letter].iter().map(sign))
    }

    /// 1 − p, times the weight in the first letter; 0 where no haplotype stands.
    pub(crate) fn zeros(&self, letter: usize) -> Vec<i64> {
        let zero = |&(slot, allele, weight): &(usize, bool, i64)| (slot, if allele { 0 } else { weight });
        self.slots(self.letters[letter].iter().map(zero))
    }

    /// The diagonal of a move that takes what is a number of places to the right.
    pub(crate) fn moves(&self, at: usize, step: usize) -> Vec<i64> {
        self.slots(self.moves[at][step].iter().map(|&slot| (slot, 1)))
    }
}
