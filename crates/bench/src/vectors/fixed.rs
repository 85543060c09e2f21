//! Vectors of reals in fixed point of 8 bits by TFHE, each encrypted by itself: products and inner products with their errors.

use std::time::Instant;

use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, Cost, EncryptedFixed, FixedType, Integers, ServerKey, TfheError};
use rayon::prelude::*;

use super::{VectorCase, VectorOperation, bench::Times};
use crate::TfheBenchError;

/// The bits of a number and of a product, with the sign's.
pub(super) const BITS: u32 = 8;

/// The times of a case, and its errors.
pub(super) struct Measured {
    pub(super) times: Times,
    pub(super) cost: Cost,
    /// The largest error of the results.
    pub(super) worst: f64,
    /// The bound on it.
    pub(super) predicted: f64,
}

/// Measures a case. An error above its bound is a wrong result; `parameters` names the set for that.
pub(super) fn measure(
    case: VectorCase,
    client: &ClientKey,
    server: &ServerKey,
    parameters: &'static str,
) -> Result<Measured, TfheBenchError> {
    let (numbers, mut sampler) = (case.numbers(), Sampler::from_os());
    let fixed_type = FixedType::new(-1.0, 1.0, BITS)?;
    let encrypt = |&number| client.encrypt_fixed(number, fixed_type, &mut sampler);
    let fresh: Vec<EncryptedFixed> = numbers.iter().map(encrypt).collect::<Result<_, _>>()?;
    let expected = case.plain(&numbers);
    let (mut cost, mut worst, mut predicted) = (Cost::default(), 0f64, 0f64);
    let times = Times::of(|| {
        let integers = Integers::new(server)?;
        let start = Instant::now();
        let result = encrypted(case.operation, &integers, &fresh)?;
        let time = start.elapsed();
        (cost, predicted) = (integers.cost(), result.error());
        worst = worst.max((client.decrypt_fixed(&result)? - expected).abs());
        if worst > predicted {
            return Err(TfheBenchError::Wrong { operation: case.operation.name(), parameters });
        }
        Ok(time)
    })?;
    Ok(Measured { times, cost, worst, predicted })
}

fn encrypted(
    operation: VectorOperation,
    integers: &Integers<'_>,
    numbers: &[EncryptedFixed],
) -> Result<EncryptedFixed, TfheError> {
    let multiply = |a: &EncryptedFixed, b: &EncryptedFixed| integers.mul_fixed(a, b, BITS);
    match operation {
        VectorOperation::Product => tree(numbers, &multiply),
        VectorOperation::Dot => {
            let (a, b) = numbers.split_at(numbers.len() / 2);
            let products = a.par_iter().zip(b).map(|(a, b)| multiply(a, b));
            let products: Vec<_> = products.collect::<Result<_, _>>()?;
            tree(&products, &|a, b| integers.add_fixed(a, b))
        }
    }
}

/// Combines numbers in a tree, whose depth is log2 of their number.
fn tree<F>(numbers: &[EncryptedFixed], combine: &F) -> Result<EncryptedFixed, TfheError>
where
    F: Fn(&EncryptedFixed, &EncryptedFixed) -> Result<EncryptedFixed, TfheError> + Sync,
{
    if let [number] = numbers {
        return Ok(number.clone());
    }
    let (left, right) = numbers.split_at(numbers.len().div_ceil(2));
    let (left, right) = rayon::join(|| tree(left, combine), || tree(right, combine));
    combine(&left?, &right?)
}

#[cfg(test)]
mod tests {
    use asanoha_kernels::Backend;

    use super::*;
    use crate::{
        tfhe::Set,
        vectors::{VectorMethod, VectorScheme},
    };

    #[test]
    fn errors_are_those_of_eight_bits_and_within_their_bounds() {
        let set = Set::standard(Backend::detect().unwrap()).unwrap();
        let client = ClientKey::generate(&set.params, &mut Sampler::from_os());
        let server = client.server_key(&mut Sampler::from_os());
        // Numbers are off by half a step of 1/64, and products by a step more.
        for (operation, method, bound) in [
            (VectorOperation::Product, VectorMethod::Tree, 3.0 * 1.5 / 64.0 + 2.0 / 64.0),
            (VectorOperation::Dot, VectorMethod::Sum, 3.0 * 2.5 / 64.0),
        ] {
            let case = VectorCase { operation, scheme: VectorScheme::Fixed, method, n: 3 };
            let found = measure(case, &client, &server, set.name).unwrap();
            assert!(found.worst > 0.0 && found.worst <= found.predicted, "{}", found.worst);
            assert!(found.predicted > 1.0 / 64.0 && found.predicted < bound, "{}", found.predicted);
            assert!(found.cost.bootstraps > found.cost.layers && found.times.ms_min > 0.0);
        }
    }
}
