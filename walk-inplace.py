import os
os.chdir('/work/wt-walk/crates')
def sub(path, pairs):
    s=open(path).read()
    for a,b in pairs:
        assert s.count(a)==1,(path,a,s.count(a))
        s=s.replace(a,b)
    open(path,'w').write(s)
sub('scheme/src/operation/plain.rs',[
("""        let state = self.model().check(self.params().plain_sum(self.state(a)?, known)?)?;
        V::produce(self, &[a], state, |a, _| {
            let plain = encode()?;
            self.fits(a[0], &plain)?;
            Ok(combined(a[0], &self.params().adapted(&plain, a[0].message()), Poly::add_assign))
        })
    }
""","""        Self::copied(a, |sum| self.add_known_assign(sum, known, encode))
    }

    /// a ← a + m, which is unchanged if that fails. Noise and errors: as for [`Operations::add_known`].
    pub fn add_known_assign(
        &self,
        a: &mut V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<(), SchemeError> {
        let state = self.model().check(self.params().plain_sum(self.state(a)?, known)?)?;
        a.overwrite(self, &[], state, |a, _, _| {
            let plain = encode()?;
            self.fits(a, &plain)?;
            let plain = self.params().adapted(&plain, a.message());
            a.rlwe.parts[0].add_assign(plain.addend());
            Ok(())
        })
    }
"""),
("""        let state = self.model().check(self.params().plain_product(self.state(a)?, known))?;
        V::produce(self, &[a], state, |a, _| {
            let plain = encode()?;
            self.fits(a[0], plain.borrow())?;
            let mut product = a[0].rlwe.clone();
            product.mul_plain_assign(plain.borrow().factor());
            Ok(product)
        })
    }
""","""        Self::copied(a, |product| self.mul_known_assign(product, known, encode))
    }

    /// a ← a·m, which is unchanged if that fails. Noise and errors: as for [`Operations::mul_known`].
    pub fn mul_known_assign<P: Borrow<S::Plaintext>>(
        &self,
        a: &mut V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<P, SchemeError>,
    ) -> Result<(), SchemeError> {
        let state = self.model().check(self.params().plain_product(self.state(a)?, known))?;
        a.overwrite(self, &[], state, |a, _, _| {
            let plain = encode()?;
            self.fits(a, plain.borrow())?;
            a.rlwe.mul_plain_assign(plain.borrow().factor());
            Ok(())
        })
    }
"""),
])
sub('genome/src/protocol/carrier.rs',[
("fn add(&self, a: &Self::Value,","fn add(&self, a: Self::Value,"),
("fn sub(&self, a: &Self::Value,","fn sub(&self, a: Self::Value,"),
("fn shift(&self, values: &[Self::Value], exponent","fn shift(&self, values: Vec<Self::Value>, exponent"),
("fn times(&self, a: &Self::Value,","fn times(&self, a: Self::Value,"),
("fn plus(&self, a: &Self::Value,","fn plus(&self, a: Self::Value,"),
("/// Carries out the protocol's operations.\n","/// Carries out the protocol's operations. Those that overwrite an operand take it by value: fresh memory for thousands of ciphertexts\n/// costs as much as adding them.\n"),
])
sub('genome/src/protocol/plain.rs',[
("fn add(&self, a: &Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {\n        Ok(self.zip(a,","fn add(&self, a: Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {\n        Ok(self.zip(&a,"),
("fn sub(&self, a: &Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {\n        Ok(self.zip(a,","fn sub(&self, a: Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {\n        Ok(self.zip(&a,"),
("fn shift(&self, values: &[Vec<u64>], exponent","fn shift(&self, values: Vec<Vec<u64>>, exponent"),
("fn times(&self, a: &Vec<u64>, slots: &Slots<'_>) -> Result<Vec<u64>, Infallible> {\n        self.multiply(a,","fn times(&self, a: Vec<u64>, slots: &Slots<'_>) -> Result<Vec<u64>, Infallible> {\n        self.multiply(&a,"),
("fn plus(&self, a: &Vec<u64>,","fn plus(&self, a: Vec<u64>,"),
("            self.add(&sum, &self.times(&image,","            self.add(sum, &self.times(image,"),
])
sub('genome/src/protocol/encrypted.rs',[
("""    fn add(&self, a: &V, b: &V) -> Result<V, ProtocolError> {
        Ok(Additive::add(self.operations, a, b)?)
    }

    fn sub(&self, a: &V, b: &V) -> Result<V, ProtocolError> {
        Ok(Additive::sub(self.operations, a, b)?)
    }
""","""    fn add(&self, a: V, b: &V) -> Result<V, ProtocolError> {
        let (mut a, b) = self.of_one_level(a, b)?;
        self.operations.add_assign(&mut a, &b)?;
        Ok(a)
    }

    fn sub(&self, a: V, b: &V) -> Result<V, ProtocolError> {
        let (mut a, b) = self.of_one_level(a, b)?;
        self.operations.sub_assign(&mut a, &b)?;
        Ok(a)
    }
"""),
("""    fn encoded(&self, slots""","""    /// Both at the lower of their levels.
    fn of_one_level<'v>(&self, a: V, b: &'v V) -> Result<(V, Cow<'v, V>), SchemeError> {
        let level = a.state().level.min(b.state().level);
        let a = if a.state().level > level { self.operations.switch_to(&a, level)? } else { a };
        Ok((a, self.operations.lowered(b, level)?))
    }

    fn encoded(&self, slots"""),
("""    fn shift(&self, values: &[V], exponent""","""    fn shift(&self, values: Vec<V>, exponent"""),
("""        let shift = |value: &V| {
            self.operations.mul_known(value, &Norm::ONE, || Ok(power.as_ref().expect(NOT_FORESEEN)))
        };
        Ok(values.iter().map(shift).collect::<Result<_, _>>()?)
""","""        let shift = |mut value: V| {
            let power = || Ok(power.as_ref().expect(NOT_FORESEEN));
            self.operations.mul_known_assign(&mut value, &Norm::ONE, power).map(|()| value)
        };
        Ok(values.into_iter().map(shift).collect::<Result<_, _>>()?)
"""),
("    fn times(&self, a: &V, slots","    fn times(&self, mut a: V, slots"),
("Slots::All(number) => return Ok(self.operations.mul_constant(a, *number)?),","Slots::All(number) => return Ok(self.operations.mul_constant(&a, *number)?),"),
("        Ok(self.operations.mul_known(a, &bound, || Ok(plain.expect(NOT_FORESEEN)))?)\n","        self.operations.mul_known_assign(&mut a, &bound, || Ok(plain.expect(NOT_FORESEEN)))?;\n        Ok(a)\n"),
("    fn plus(&self, a: &V, slots","    fn plus(&self, mut a: V, slots"),
("            return Ok(self.operations.add_constant(a, *number)?);","            return Ok(self.operations.add_constant(&a, *number)?);"),
("        Ok(self.operations.add_known(a, &bound, || self.encoded(slots, a.state().level))?)\n","        let level = a.state().level;\n        self.operations.add_known_assign(&mut a, &bound, || self.encoded(slots, level))?;\n        Ok(a)\n"),
("use std::sync::{Mutex, PoisonError};","use std::{\n    borrow::Cow,\n    sync::{Mutex, PoisonError},\n};"),
("use asanoha_scheme::{\n    Encoder, Exact, ExactPlaintext, Operand, Operations, Scheme, SchemeError, capability::Additive,\n};","use asanoha_scheme::{Encoder, Exact, ExactPlaintext, Operand, Operations, Scheme, SchemeError};"),
])
sub('genome/src/protocol/columns.rs',[
("        values: &[A::Value],\n        i: u32,","        values: Vec<A::Value>,\n        i: u32,"),
("""        let halves = try_map(values.len(), &|at| {
            let image = self.automorphism(on, &values[at], i)?;
            Ok((on.add(&values[at], &image)?, on.sub(&values[at], &image)?))
        })?;""","""        let halves = try_map_owned(values, &|_, value| {
            let image = self.automorphism(on, &value, i)?;
            Ok((on.add(value.clone(), &image)?, on.sub(value, &image)?))
        })?;"""),
("even.extend(on.shift(&odd, -(1 << i))?);","even.extend(on.shift(odd, -(1 << i))?);"),
("self.split(on, &values, i))\n    }","self.split(on, values, i))\n    }"),
("let odd = on.shift(&values.split_off(values.len() / 2), 1 << i)?;","let odd = on.shift(values.split_off(values.len() / 2), 1 << i)?;"),
("""                let image = self.automorphism(on, &on.sub(&even, &odd[at])?, i)?;
                on.add(&on.add(&even, &odd[at])?, &image)""","""                let image = self.automorphism(on, &on.sub(even.clone(), &odd[at])?, i)?;
                on.add(on.add(even, &odd[at])?, &image)"""),
("use asanoha_circuits::parallel::{try_map, try_map_owned};","use asanoha_circuits::parallel::try_map_owned;"),
])
s=open('genome/src/protocol/circuit.rs').read()
for a,b in [
("            counts = try_map(counts.len(), &|column| on.add(&counts[column], &more[column]))?;","            counts = try_map_owned(counts, &|column, count| on.add(count, &more[column]))?;"),
("            let spoil = on.times(&check, &Slots::Each(&spoil))?;\n            answers[at].as_ref().map_or(Ok(spoil.clone()), |answer| on.add(answer, &spoil))","            let spoil = on.times(check.clone(), &Slots::Each(&spoil))?;\n            match answer {\n                Some(answer) => on.add(answer, &spoil),\n                None => Ok(spoil),\n            }"),
("        let spoiled = try_map(answers.len(), &|at| {","        let spoiled = try_map_owned(answers, &|at, answer| {"),
("self.split(on, &values, i))\n        })?;","self.split(on, values, i))\n        })?;"),
("on.times(&lowered[at], &Slots::Each(&|| random(at))))?;","on.times(lowered[at].clone(), &Slots::Each(&|| random(at))))?;"),
("        let right = try_map(bits.len(), &|at| on.plus(&lowered[at], &blocks(|_, _| -1)))?;\n        let mut sum = on.sum_of_products(&left, &right)?;\n        if let Some((first, others)) = lowered[query.letters.len()..].split_first() {\n            let all = others.iter().try_fold(first.clone(), |all, start| on.add(&all, start))?;\n            let lacking = on.plus(&all, &Slots::All(-1))?;\n            let lacking = on.times(&lacking, &Slots::Each(&|| random(bits.len())))?;\n            sum = on.add(&on.for_spoiling(&sum)?, &on.for_spoiling(&lacking)?)?;\n        }\n",
"        let starts = lowered[query.letters.len()..].split_first();\n        let all = starts.map(|(first, others)| others.iter().try_fold(first.clone(), |all, start| on.add(all, start)));\n        let right = try_map_owned(lowered, &|_, bit| on.plus(bit, &blocks(|_, _| -1)))?;\n        let mut sum = on.sum_of_products(&left, &right)?;\n        if let Some(all) = all {\n            let lacking = on.plus(all?, &Slots::All(-1))?;\n            let lacking = on.times(lacking, &Slots::Each(&|| random(bits.len())))?;\n            sum = on.add(on.for_spoiling(&sum)?, &on.for_spoiling(&lacking)?)?;\n        }\n"),
("        on.add(&sum, &on.swap_rows(&sum)?)\n","        let swapped = on.swap_rows(&sum)?;\n        on.add(sum, &swapped)\n"),
("            let signed = on.times(letter, &","            let signed = on.times(letter.clone(), &"),
("            return on.plus(&on.settled(signed)?, &","            return on.plus(on.settled(signed)?, &"),
("            on.times(&query.starts[candidate], &","            on.times(query.starts[candidate].clone(), &"),
("            zero = on.add(&zero, &zeros(candidate)?)?;","            zero = on.add(zero, &zeros(candidate)?)?;"),
("        let sign = on.times(&zero, &Slots::All(-2))?;\n        let sign = on.plus(&sign, ","        let sign = on.times(zero.clone(), &Slots::All(-2))?;\n        let sign = on.plus(sign, "),
("        on.add(&on.multiply(letter, &sign)?, &zero)","        on.add(on.multiply(letter, &sign)?, &zero)"),
("            on.times(&counts[column], &Slots::Blocks(","            on.times(counts[column].clone(), &Slots::Blocks("),
("            on.add(&counts[column], &on.times(&counts[column + 1], &hide(column, &|_| true))?)","            on.add(on.times(counts[column + 1].clone(), &hide(column, &|_| true))?, &counts[column])"),
("end = on.add(&end, &on.times(&in_row, ","end = on.add(end, &on.times(in_row, "),
("end = on.add(&end, &on.times(&in_other, ","end = on.add(end, &on.times(in_other, "),
("        on.times(value, &blocks(|row, phase| i64::from(keep(row, phase))))","        on.times(value.clone(), &blocks(|row, phase| i64::from(keep(row, phase))))"),
("        on.plus(&on.settled(value)?, &blocks(","        on.plus(on.settled(value)?, &blocks("),
("            image = on.add(&image, &keep(around","            image = on.add(image, &keep(around"),
("use asanoha_circuits::parallel::try_map;","use asanoha_circuits::parallel::{try_map, try_map_owned};"),
]:
    assert s.count(a)==1,(a,s.count(a))
    s=s.replace(a,b)
open('genome/src/protocol/circuit.rs','w').write(s)
sub('genome/src/protocol/walk/mod.rs',[
("on.settled(on.times(&letter, &Slots::Each(&signs))?)?;\n                on.plus(&signed,","on.settled(on.times(letter, &Slots::Each(&signs))?)?;\n                on.plus(signed,"),
("        let a = on.add(&a, &displaced(&a, apart)?)?;\n        let a = on.add(&a, &displaced(&a, 2 * apart)?)?;","        let a = on.add(displaced(&a, apart)?, &a)?;\n        let a = on.add(displaced(&a, 2 * apart)?, &a)?;"),
("        let a = on.add(&a, &other)?;","        let a = on.add(a, &other)?;"),
("        on.add(&a, &on.swap_rows(&a)?)\n","        on.add(on.swap_rows(&a)?, &a)\n"),
("return on.times(count, &Slots::All(","return on.times(count.clone(), &Slots::All("),
("let next = on.times(next, &","let next = on.times(next.clone(), &"),
("on.add(count, &next).map(Some)","on.add(next, count).map(Some)"),
])
