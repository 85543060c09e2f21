//! The choice of options and of the side of blocks.

use asanoha_scheme::{Exact, Model, State};

use super::{Keep, Rotations, SquareError, SquareOptions, SquareProduct};

/// What is wanted of a product. By default no more than that it decrypts, as fast as it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SquareWishes {
    /// The most bytes ([`super::SquareCost::bytes`]).
    pub memory: Option<usize>,
    /// The rows and columns of blocks, a power of two; else the best of all (slicing: Mono, Güneysu, Section 3.2).
    pub side: Option<usize>,
    /// What results leave of their modulus, in bits.
    pub headroom_bits: f64,
}

impl<S: Exact> SquareProduct<S> {
    /// The product with the least work for each matrix of a batch, by [`SquareProduct::cost`], among those that the memory
    /// allows; of equals, that of the least memory. Key switches are lazy and divisions merged, which always pays.
    ///
    /// # Errors
    /// [`SquareError`], of the side asked for or else of the smallest; [`SquareError::Memory`] with the fewest bytes that it
    /// takes.
    pub fn choose(
        model: &Model<S>,
        shape: [usize; 3],
        wishes: SquareWishes,
        inputs: [&State<S>; 2],
    ) -> Result<Self, SquareError> {
        let largest = shape.iter().max().map_or(1, |length| length.next_power_of_two());
        let sides: Vec<usize> = match wishes.side {
            Some(side) => vec![side],
            None => (0..=largest.ilog2()).map(|log2| 1 << log2).collect(),
        };
        let (mut best, mut least, mut refused): (Option<Self>, _, _) = (None, usize::MAX, None);
        for side in sides {
            for rotations in rotations(side) {
                let options = SquareOptions { rotations, ..SquareOptions::default() };
                let product = match Self::new(model, shape, side, options, inputs, wishes.headroom_bits) {
                    Ok(product) => product,
                    Err(error) => {
                        refused.get_or_insert(error);
                        continue;
                    }
                };
                for product in product.kept() {
                    let bytes = product.cost().bytes();
                    least = least.min(bytes);
                    let fits = wishes.memory.is_none_or(|memory| bytes <= memory);
                    if fits && best.as_ref().is_none_or(|best| product.rank() < best.rank()) {
                        best = Some(product);
                    }
                }
            }
        }
        match (best, wishes.memory) {
            (Some(best), _) => Ok(best),
            (None, Some(limit)) if least < usize::MAX => Err(SquareError::Memory { needed: least, limit }),
            _ => Err(refused.expect("nothing else keeps it from being chosen")),
        }
    }

    /// The same with masks and images kept or not, which changes no noise.
    fn kept(&self) -> impl Iterator<Item = Self> {
        let all = [Keep::Stored, Keep::Recomputed];
        all.into_iter().flat_map(move |masks| {
            all.map(|images| {
                let options = SquareOptions { masks, images, ..self.options };
                Self { options, masks: self.masks.keeping(masks), ..self.clone() }
            })
        })
    }

    /// The work for each matrix, and the bytes.
    fn rank(&self) -> (f64, usize) {
        let cost = self.cost();
        (cost.word_products / self.packing.batch() as f64, cost.bytes())
    }
}

/// The ways worth trying: those of fewer keys take more time.
fn rotations(side: usize) -> impl Iterator<Item = Rotations> {
    let groups = (1..side.ilog2()).map(|log2| Rotations::HoistedReused { group: 1 << log2 });
    [Rotations::Hoisted, Rotations::Reused].into_iter().chain(groups)
}
