//! Shifts and rotations.

use std::borrow::Cow;

use super::{BASE, DIGIT_BITS, EncryptedInteger, IntegerType, Integers, integer};
use crate::{Ciphertext, Table, TfheError};

/// How many bits, of 4 each, are summed before one table: the sum is below 16.
const JOINED_BITS: usize = 3;
/// Digits that hold the number of bits of the widest integer.
const MODULUS_BLOCKS: usize = 4;

/// The weight of a condition beside a digit.
fn any(condition: bool) -> u64 {
    if condition { BASE } else { 0 }
}

/// What comes in where digits have left.
#[derive(Clone, Copy, PartialEq)]
enum Fill {
    /// Zeros, or the sign.
    Above,
    /// What has left at the other end.
    Around,
}

impl Integers<'_> {
    /// Shifts to the left: a·2^places modulo 4^blocks.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn shift_left(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        self.moved(a, i64::from(places), Fill::Above)
    }

    /// Shifts to the right: ⌊a/2^places⌋, which shifts in zeros, or the sign of a signed integer.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn shift_right(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        self.moved(a, -i64::from(places), Fill::Above)
    }

    /// Rotates the bits to the left: bits that leave at the top enter at the bottom.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn rotate_left(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        self.moved(a, i64::from(places), Fill::Around)
    }

    /// Rotates the bits to the right: bits that leave at the bottom enter at the top.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn rotate_right(&self, a: &EncryptedInteger, places: u32) -> Result<EncryptedInteger, TfheError> {
        self.moved(a, -i64::from(places), Fill::Around)
    }

    /// Shifts to the left by an encrypted number of places, as [`Integers::shift_left`] does for every number.
    ///
    /// An amount of at least the width in bits shifts out all bits. Negative amounts count as the unsigned integers of their
    /// bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn shift_left_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        self.moved_by(a, places, 1, Fill::Above)
    }

    /// Shifts to the right by an encrypted number of places, as [`Integers::shift_right`] does. Amounts count as in
    /// [`Integers::shift_left_by`].
    ///
    /// # Errors
    /// If the keys differ.
    pub fn shift_right_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        self.moved_by(a, places, -1, Fill::Above)
    }

    /// Rotates the bits to the left by an encrypted number of places, modulo the width in bits. Negative amounts count as the
    /// unsigned integers of their bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn rotate_left_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        self.moved_by(a, places, 1, Fill::Around)
    }

    /// Rotates the bits to the right by an encrypted number of places, modulo the width in bits. Negative amounts count as the
    /// unsigned integers of their bits.
    ///
    /// # Errors
    /// If the keys differ.
    pub fn rotate_right_by(
        &self,
        a: &EncryptedInteger,
        places: &EncryptedInteger,
    ) -> Result<EncryptedInteger, TfheError> {
        self.moved_by(a, places, -1, Fill::Around)
    }

    /// The bits moved up by so many places: by whole digits, and then a bit out of two neighbours.
    fn moved(&self, a: &EncryptedInteger, places: i64, fill: Fill) -> Result<EncryptedInteger, TfheError> {
        let count = a.blocks.len() as i64;
        let bits = i64::from(a.integer_type().bits());
        let places = if fill == Fill::Around { places % bits } else { places.clamp(-bits, bits) };
        let (digits, bit) = (places.div_euclid(2), places.rem_euclid(2));
        let zero = self.key.trivial(0)?;
        let above = if places < 0 && fill == Fill::Above { self.above(a)? } else { zero.clone() };
        let [blocks] = self.within(if bit == 1 { 1.0 } else { 5.0 }, [&a.blocks])?;
        let at = |i: i64| match fill {
            Fill::Around => &blocks[i.rem_euclid(count) as usize],
            Fill::Above if i < 0 => &zero,
            Fill::Above => blocks.get(i as usize).unwrap_or(&above),
        };
        let table = self.functions(&[&|x| x / BASE * 2 % BASE + x % BASE / 2])?;
        let sources = (0..count).map(|i| i - digits);
        let blocks = if bit == 0 {
            sources.map(|i| at(i).clone()).collect()
        } else {
            let jobs = sources.map(|i| Ok((&table, at(i).scale(BASE)?.add(at(i - 1))?)));
            let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
            self.run(&jobs)?
        };
        integer(blocks, a.integer_type())
    }

    /// The bits moved by 1, 2, 4, … places where the amount's bits are set, up for `direction` 1 and down for −1; and, where what leaves
    /// is gone, by all places if any of the amount's bits above these is set.
    ///
    /// In each stage, one bootstrapping a digit gives what stays at its place and what goes to another.
    fn moved_by(
        &self,
        a: &EncryptedInteger,
        amount: &EncryptedInteger,
        direction: i64,
        fill: Fill,
    ) -> Result<EncryptedInteger, TfheError> {
        let width = a.integer_type().bits();
        let amount = &*self.turns(amount, width, fill)?;
        let stages = width.next_power_of_two().ilog2() as usize;
        let bits = self.functions(&[&|x| BASE * (x % 2), &|x| BASE * (x / 2 % 2)])?;
        let needed = amount.blocks.len().min(stages.div_ceil(DIGIT_BITS as usize));
        let mut jobs: Vec<_> = amount.blocks[..needed].iter().map(|block| (&bits, block.clone())).collect();
        // The digits with bits above the stages', of which the first may have one below.
        let above = amount.blocks.get(stages / DIGIT_BITS as usize..).filter(|_| fill == Fill::Above);
        let lowest = 1 << (stages % DIGIT_BITS as usize);
        let (first, other) = (self.functions(&[&|x| any(x >= lowest)])?, self.functions(&[&|x| any(x > 0)])?);
        let [above] = self.within(1.0, [above.unwrap_or_default()])?;
        for (start, pair) in (0..).step_by(2).zip(above.chunks(2)) {
            let value = match pair {
                [low, high] => high.scale(BASE)?.add(low)?,
                _ => pair[0].clone(),
            };
            jobs.push((if start == 0 { &first } else { &other }, value));
        }
        let mut values = self.run(&jobs)?;
        let beyond = self.any_of(values.split_off(2 * needed))?;
        let mut blocks = a.blocks.clone();
        for (stage, bit) in values.iter().take(stages).enumerate() {
            let (inside, digits) = (stage == 0, if stage == 0 { 1 } else { 1 << (stage - 1) });
            blocks = self.moved_where(bit, &blocks, (inside, direction * digits), fill, a.signed)?;
        }
        if let Some(beyond) = beyond {
            let all = direction * blocks.len() as i64;
            blocks = self.moved_where(&beyond, &blocks, (false, all), fill, a.signed)?;
        }
        integer(blocks, a.integer_type())
    }

    /// The places that bits are turned by: modulo their number, where its bits don't give that by themselves.
    fn turns<'a>(
        &self,
        amount: &'a EncryptedInteger,
        width: u32,
        fill: Fill,
    ) -> Result<Cow<'a, EncryptedInteger>, TfheError> {
        let amount_type = amount.integer_type();
        if fill == Fill::Above || width.is_power_of_two() || amount_type.bits() <= width.ilog2() {
            return Ok(Cow::Borrowed(amount));
        }
        let wide = IntegerType::unsigned(amount_type.blocks.max(MODULUS_BLOCKS));
        let amount = self.cast(&EncryptedInteger { signed: false, ..amount.clone() }, wide)?;
        Ok(Cow::Owned(self.rem(&amount, &self.trivial(width.into(), wide)?)?))
    }

    /// 4 where any of some bits is set, each given as 4; `None` for none.
    fn any_of(&self, mut bits: Vec<Ciphertext>) -> Result<Option<Ciphertext>, TfheError> {
        let table = self.functions(&[&|x| any(x > 0)])?;
        while bits.len() > 1 {
            let sum = |group: &[Ciphertext]| {
                let (first, rest) = group.split_first().ok_or(TfheError::NoSummands)?;
                Ok((&table, rest.iter().try_fold(first.clone(), |sum, bit| sum.add(bit))?))
            };
            let jobs: Vec<_> = bits.chunks(JOINED_BITS).map(sum).collect::<Result<_, TfheError>>()?;
            bits = self.run(&jobs)?;
        }
        Ok(bits.pop())
    }

    /// The digits moved by a bit (if `inside`) or by whole digits, where the condition is 4, and not where it's 0.
    fn moved_where(
        &self,
        condition: &Ciphertext,
        blocks: &[Ciphertext],
        (inside, digits): (bool, i64),
        fill: Fill,
        signed: bool,
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let up = digits > 0;
        let count = blocks.len() as i64;
        let stays = |x: u64| match (x >= BASE, inside, up) {
            (false, ..) => x % BASE,
            (true, false, _) => 0,
            (true, true, true) => x * 2 % BASE,
            (true, true, false) => x % BASE / 2,
        };
        let goes = |x: u64| match (x >= BASE, inside, up) {
            (false, ..) => 0,
            (true, false, _) => x % BASE,
            (true, true, true) => x % BASE / 2,
            (true, true, false) => x % 2 * 2,
        };
        let parts = self.functions(&[&stays, &goes])?;
        // What goes into the highest place out of a digit that is the sign.
        let sign = self.functions(&[&|x| if x >= BASE + BASE / 2 { goes(2 * BASE - 1) } else { 0 }])?;
        let [blocks] = self.within(4.0, [blocks])?;
        let jobs = blocks.iter().map(|block| Ok((&parts, block.add(condition)?)));
        let mut jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
        let fills = signed && !up && fill == Fill::Above;
        if let (true, Some((_, top))) = (fills, jobs.last()) {
            jobs.push((&sign, top.clone()));
        }
        let mut values = self.run(&jobs)?;
        let above = if fills { values.pop() } else { None };
        let pairs: Vec<_> = values.chunks(2).collect();
        (0..count)
            .map(|i| {
                let source = i - digits;
                let incoming = match fill {
                    Fill::Around => Some(&pairs[source.rem_euclid(count) as usize][1]),
                    Fill::Above if source < 0 => None,
                    Fill::Above => pairs.get(source as usize).map(|pair| &pair[1]).or(above.as_ref()),
                };
                let stays = &pairs[i as usize][0];
                Ok(incoming.map_or(Ok(stays.clone()), |incoming| stays.add(incoming))?.at_most(BASE - 1))
            })
            .collect()
    }
}
