//! Division with a remainder.

use super::{
    BASE, DIGIT_BITS, EncryptedInteger, IntegerType, Integers, add::differences, compare::public_bits,
    constant::Divisor, integer, layer::Pair, same,
};
use crate::{Ciphertext, Table, TfheError};

/// The weights of borrows beside a difference of digits (from 0 to 6), which tell both apart in their sum.
const BORROW_OF_DOUBLE: u64 = 2 * BASE;
const BORROW_OF_SINGLE: u64 = 2 * BASE - 1;

impl Integers<'_> {
    /// Returns the quotient ⌊a/b⌋, or 0 if b is 0. The least signed integer divided by −1 wraps to itself. A public divisor
    /// costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        same(a, b)?;
        match Divisor::new(b) {
            Some(divisor) => self.div_public(a, divisor),
            None => Ok(self.div_rem(a, b)?.0),
        }
    }

    /// Returns the remainder a − b·⌊a/b⌋, which has the sign of b, or a if b is 0. A public divisor costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn rem(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        same(a, b)?;
        match Divisor::new(b) {
            Some(divisor) => self.rem_public(a, divisor),
            None => Ok(self.div_rem(a, b)?.1),
        }
    }

    /// Returns the quotient and the remainder, as [`Integers::div`] and [`Integers::rem`] do.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div_rem(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        let integer_type = same(a, b)?;
        if let Some(divisor) = Divisor::new(b) {
            return self.div_rem_public(a, divisor);
        }
        if a.signed {
            return self.signed_div_rem(a, b);
        }
        let (quotient, remainder) = self.divide(&a.blocks, &b.blocks)?;
        Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
    }

    /// Quotient and remainder of unsigned digits. A public divisor bounds the digits that remain.
    ///
    /// Restoring division by two bits a step: the remainder so far with the next digit, k digits in the k-th step, less
    /// twice the divisor if it's not below that, and less the divisor likewise.
    pub(super) fn divide(
        &self,
        a: &[Ciphertext],
        b: &[Ciphertext],
    ) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), TfheError> {
        let count = a.len();
        let [a, b] = self.within(1.0, [a, b])?;
        let double = self.functions(&[&|x| x / BASE * 2 % BASE + x % BASE / 2])?;
        let zero = self.key.trivial(0)?;
        let jobs = (0..count).map(|i| {
            let below = if i == 0 { &zero } else { &b[i - 1] };
            Ok((&double, b[i].scale(BASE)?.add(below)?))
        });
        let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
        let twice = self.run(&jobs)?;
        let larger = self.larger_than_digits(&b)?;

        let remaining = public_bits(&b).filter(|&bits| bits > 0).map_or(count, digits_of);
        let mut remainder: Vec<Ciphertext> = Vec::new();
        let mut borrows = Vec::new();
        for k in 1..=count {
            remainder.truncate(remaining);
            remainder.insert(0, a[count - k].clone());
            let k = remainder.len();
            let [of_single, of_double] = &larger.flags[k - 1];
            let (rest, double) = self.subtract_where(&remainder, &twice[..k], of_double, BORROW_OF_DOUBLE)?;
            let (rest, single) = self.subtract_where(&rest, &b[..k], of_single, BORROW_OF_SINGLE)?;
            remainder = rest;
            // A divisor of 0 borrows nothing: then they're 0, and otherwise the 1 that says so is.
            let both = double.add(&single)?.at_most(BASE * BASE - 2);
            borrows.push(both.add(&larger.zero)?);
        }
        let digit = self.functions(&[&|x| match x {
            0 => 3,
            BORROW_OF_SINGLE => 2,
            BORROW_OF_DOUBLE => 1,
            _ => 0,
        }])?;
        let jobs: Vec<_> = borrows.into_iter().rev().map(|borrow| (&digit, borrow)).collect();
        remainder.truncate(remaining);
        remainder.resize(count, zero);
        Ok((self.run(&jobs)?, remainder))
    }

    /// r − d where that's not negative, otherwise r; and the weighted borrow, which is set as well where the flag is 8.
    fn subtract_where(
        &self,
        r: &[Ciphertext],
        d: &[Ciphertext],
        flag: &Ciphertext,
        weight: u64,
    ) -> Result<(Vec<Ciphertext>, Ciphertext), TfheError> {
        if flag.public_value().is_some_and(|flag| flag > 0) {
            return Ok((r.to_vec(), self.key.trivial(weight)?));
        }
        let parts = self.pair(&|x| x % BASE, &|x| x / BASE)?;
        let last = self.pair(&|x| x % BASE, &|x| if x / BASE == 1 { 0 } else { weight })?;
        let [r] = self.within(2.0, [r])?;
        let mut carry = self.key.trivial(1)?;
        let mut digits = Vec::new();
        for (i, difference) in differences(&r, d)?.into_iter().enumerate() {
            let sum = difference.add(&carry)?;
            let jobs = if i + 1 < r.len() { parts.jobs(sum) } else { Pair::jobs(&last, sum.add(flag)?) };
            let mut values = self.run(&jobs)?.into_iter();
            digits.extend(values.next());
            carry = values.next().unwrap_or(carry);
        }
        Ok((self.choose(&carry, weight, &r, &digits)?, carry))
    }

    /// Where a divisor, or its double, has more than k digits, for k from 1 on; and whether it's 0.
    fn larger_than_digits(&self, b: &[Ciphertext]) -> Result<Larger, TfheError> {
        let count = b.len();
        let next =
            self.functions(&[&|x| if x > 0 { BASE } else { 0 }, &|x| if x >= 2 { 2 * BASE } else { 0 }])?;
        let weighted = self.functions(&[&|x| if x > 0 { 2 * BASE } else { 0 }])?;
        let last = self.functions(&[&|x| u64::from(x == 0), &|x| if x >= 2 { 2 * BASE } else { 0 }])?;
        let zero = self.key.trivial(0)?;
        let (mut above, mut of_single) = (zero.clone(), zero.clone());
        let mut flags = Vec::new();
        for k in (1..=count).rev() {
            // Digits from k − 1 on: 4 if one above isn't 0, and the digit.
            let number = above.add(&b[k - 1])?;
            let mut jobs = vec![(if k == 1 { &last } else { &next }, number.clone())];
            jobs.extend((k > 1).then_some((&weighted, number)));
            let mut values = self.run(&jobs)?.into_iter();
            above = values.next().unwrap_or(above);
            let of_double = values.next().unwrap_or_else(|| zero.clone());
            flags.push([of_single, of_double]);
            of_single = values.next().unwrap_or_else(|| zero.clone());
        }
        flags.reverse();
        Ok(Larger { flags, zero: above })
    }

    /// Floor division of signed integers, by that of magnitudes.
    ///
    /// Where b is negative, both change their sign. Where a is negative then, ⌊a/b⌋ = −1 − ⌊(−1 − a)/b⌋, and the remainder is
    /// b − 1 less that of −1 − a.
    fn signed_div_rem(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        let integer_type = a.integer_type();
        let [a_blocks, b_blocks] = self.within(1.0, [&a.blocks, &b.blocks])?;
        let sign =
            self.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }, &|x| u64::from(x >= BASE / 2)])?;
        let top = |blocks: &[Ciphertext]| blocks[blocks.len() - 1].clone();
        let b_sign = self.run(&[(&sign, top(&b_blocks))])?;
        let magnitude = self.negated_where(&b_sign, &b_blocks)?;
        let turned = self.negated_where(&b_sign, &a_blocks)?;
        // −a is negative if its highest bit is set, but for the least a, whose highest bit is set too: b's sign and both
        // digits say it.
        let negative = self.turned_sign(&b_sign[0], &top(&a_blocks), &top(&turned))?;
        let (quotient, remainder) = self.divide(&self.inverted_where(&negative[0], &turned)?, &magnitude)?;
        let quotient = self.quotient_where(&negative[0], &magnitude, &quotient)?;
        // b − 1 − r is b + (4^blocks − 1 − r), and r is r + 0.
        let remainder = self.inverted_where(&negative[0], &remainder)?;
        let masked = self.masked_where(&negative[0], &magnitude)?;
        let sums: Result<Vec<_>, _> = remainder.iter().zip(&masked).map(|(r, b)| r.add(b)).collect();
        let remainder = self.negated_where(&b_sign, &self.propagate(sums?, false)?.0)?;
        Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
    }

    /// The digits' complements where the condition is 4, and the digits where it's 0.
    pub(super) fn inverted_where(
        &self,
        condition: &Ciphertext,
        digits: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, TfheError> {
        self.where_set(condition, digits, |x| if x >= BASE { 2 * BASE - 1 - x } else { x })
    }

    /// The digits where the condition is 4, and zeros where it's 0.
    fn masked_where(
        &self,
        condition: &Ciphertext,
        digits: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, TfheError> {
        self.where_set(condition, digits, |x| x.saturating_sub(BASE))
    }

    fn where_set(
        &self,
        condition: &Ciphertext,
        digits: &[Ciphertext],
        function: impl Fn(u64) -> u64,
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let [digits] = self.within(4.0, [digits])?;
        let table = self.functions(&[&|x| function(x.min(2 * BASE - 1))])?;
        let jobs = digits.iter().map(|digit| Ok((&table, digit.add(condition)?)));
        let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
        self.run(&jobs)
    }

    /// −x where the sign is set, which comes with the weights 4 and 1.
    fn negated_where(
        &self,
        sign: &[Ciphertext],
        digits: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let mut sums = self.inverted_where(&sign[0], digits)?;
        sums[0] = sums[0].add(&sign[1])?;
        Ok(self.propagate(sums, false)?.0)
    }

    /// Whether a, or −a where b is negative, is negative, with the weights 4 and 1.
    pub(super) fn turned_sign(
        &self,
        b_sign: &Ciphertext,
        a_top: &Ciphertext,
        turned_top: &Ciphertext,
    ) -> Result<Vec<Ciphertext>, TfheError> {
        // 4 where b is negative: then a must not be.
        let least = self.functions(&[&|x| u64::from(x >= BASE + BASE / 2)])?;
        let excluded = self.run_one(&least, a_top.add(b_sign)?)?;
        let sign = self.functions(&[&|x| if x % BASE >= BASE / 2 && x < BASE { BASE } else { 0 }, &|x| {
            u64::from(x % BASE >= BASE / 2 && x < BASE)
        }])?;
        self.run(&[(&sign, excluded.scale(BASE)?.add(turned_top)?)])
    }

    /// The quotient of −1 − a made that of a where a is negative, but 0 stays where the divisor is 0.
    fn quotient_where(
        &self,
        negative: &Ciphertext,
        divisor: &[Ciphertext],
        quotient: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let divisor = EncryptedInteger::from_blocks(divisor.to_vec(), false)?;
        let zero = self.trivial(0, IntegerType::unsigned(divisor.blocks.len()))?;
        let nonzero = self.ne(&divisor, &zero)?;
        let both = self.functions(&[&|x| if x == BASE + 1 { BASE } else { 0 }])?;
        let inverted = self.run_one(&both, negative.add(&nonzero.0)?)?;
        self.inverted_where(&inverted, quotient)
    }
}

/// The number of digits of a public number.
pub(super) fn digits_of(bits: u128) -> usize {
    (u128::BITS - bits.leading_zeros()).div_ceil(DIGIT_BITS) as usize
}

/// How a divisor compares with powers of the radix.
struct Larger {
    /// For each k from 1 on, 8 if the divisor, and if its double, is 4^k or more.
    flags: Vec<[Ciphertext; 2]>,
    /// 1 if it's 0.
    zero: Ciphertext,
}
