//! The part of a panel that a query is held against.

use super::{
    ProtocolError,
    course::Course,
    rows::Rows,
    shape::{BLOCKS, ROW_BLOCKS, SearchShape, SlotLayout},
};
use crate::panel::{Panel, Pbwt};

/// The letters of a panel from each of some sites on, without haplotypes that equal others in all of them.
#[derive(Debug)]
pub struct Window<'p> {
    panel: &'p Panel,
    starts: Vec<usize>,
    letters: usize,
    /// Of haplotypes that are equal in the window, one, and how many they are.
    classes: Vec<(usize, usize)>,
}

impl<'p> Window<'p> {
    /// The letters from a site on, or from each of the sites at which a hidden query may start, in the client's order.
    ///
    /// # Errors
    /// [`ProtocolError::Starts`] for another number of starts than the shape's, [`ProtocolError::Distinct`] if more haplotypes
    /// differ than the shape has; [`crate::PanelError::Window`].
    pub fn new(panel: &'p Panel, shape: &SearchShape, starts: &[usize]) -> Result<Self, ProtocolError> {
        let letters = shape.letters;
        let first = starts.iter().min().copied().unwrap_or(0);
        let last = starts.iter().max().copied().unwrap_or(0);
        panel.check_window(last, letters)?;
        let classes = Pbwt::new(panel, first..last + letters)?.distinct();
        let window = Self { panel, starts: starts.to_vec(), letters, classes };
        window.check(shape)?;
        Ok(window)
    }

    /// Refuses a window of another search.
    ///
    /// # Errors
    /// [`ProtocolError::Starts`], [`ProtocolError::Distinct`], [`crate::PanelError::Window`].
    pub(crate) fn check(&self, shape: &SearchShape) -> Result<(), ProtocolError> {
        let letters = self.letters;
        let SearchShape { candidates, haplotypes, .. } = *shape;
        if letters != shape.letters {
            return Err(ProtocolError::Letters { found: letters, expected: shape.letters });
        }
        if self.starts.len() != candidates {
            return Err(ProtocolError::Starts { found: self.starts.len(), expected: candidates });
        }
        if self.distinct() > haplotypes {
            return Err(ProtocolError::Distinct { found: self.distinct(), most: haplotypes });
        }
        Ok(())
    }

    /// How many haplotypes differ.
    pub fn distinct(&self) -> usize {
        self.classes.len()
    }

    /// The rows of plaintexts in a layout.
    pub(crate) fn rows(&self, layout: SlotLayout) -> WindowRows<'_, 'p> {
        let course = |stride: usize, shard: &[(usize, usize)]| {
            let weights: Vec<i64> = shard.iter().map(|&(_, count)| count as i64).collect();
            let allele = |letter, at: usize| self.panel.allele(self.starts[0] + letter, shard[at].0);
            Course::new(&layout, stride, &weights, allele)
        };
        let shards = self.classes.chunks(layout.capacity());
        let courses = layout.stride.map(|stride| shards.map(|shard| course(stride, shard)).collect());
        WindowRows { window: self, layout, courses: courses.unwrap_or_default() }
    }
}

/// A window as plaintexts.
pub(crate) struct WindowRows<'w, 'p> {
    window: &'w Window<'p>,
    layout: SlotLayout,
    /// The walks of the shards, if the search walks.
    courses: Vec<Course>,
}

impl WindowRows<'_, '_> {
    /// What `number` gives of the panel's letter and the weight, in every slot of a haplotype and a letter.
    fn each(
        &self,
        candidate: usize,
        (shard, column): (usize, usize),
        beyond: i64,
        number: impl Fn(bool, i64) -> i64,
    ) -> Vec<i64> {
        let SlotLayout { shape, ring_degree, .. } = self.layout;
        let (row, lanes) = (ring_degree / 2, self.layout.lanes());
        let mut slots = vec![0; ring_degree];
        for block in 0..BLOCKS {
            let letter = self.layout.letter(block, column);
            let places = (block / ROW_BLOCKS * row + block % ROW_BLOCKS..).step_by(ROW_BLOCKS).take(lanes);
            if letter >= shape.letters {
                places.for_each(|place| slots[place] = beyond);
                continue;
            }
            let site = self.window.starts[candidate] + letter;
            let classes = self.window.classes.iter().skip(shard * lanes);
            for (place, &(haplotype, count)) in places.zip(classes) {
                let weight = if letter == 0 { count as i64 } else { 1 };
                slots[place] = number(self.window.panel.allele(site, haplotype), weight);
            }
        }
        slots
    }
}

impl Rows for WindowRows<'_, '_> {
    fn shards(&self) -> usize {
        self.window.classes.len().div_ceil(self.layout.capacity())
    }

    fn signs(&self, shard: usize, column: usize) -> Vec<i64> {
        self.each(0, (shard, column), 0, |allele, weight| if allele { weight } else { -weight })
    }

    fn zeros(&self, candidate: usize, shard: usize, column: usize) -> Vec<i64> {
        self.each(candidate, (shard, column), 1, |allele, weight| if allele { 0 } else { weight })
    }

    fn ones(&self, shard: usize, column: usize) -> Vec<i64> {
        self.each(0, (shard, column), 2, |_, weight| weight)
    }

    fn course(&self, shard: usize) -> &Course {
        &self.courses[shard]
    }
}
