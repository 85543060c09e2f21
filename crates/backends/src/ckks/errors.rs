//! What a schedule for CKKS says of its results: scales, and bounds on their errors.

use std::num::NonZeroU64;

use asanoha_ckks::{Ckks, Flooding, Scaled};
use asanoha_lang::Shape;
use asanoha_numeric::number;
use asanoha_scheme::Scheme;
use num_traits::Signed;

use asanoha_compile::{Circuit, Factor, Layout, LevelOp, Op, Output, Step};

/// A bound on every output's error under CKKS: that of approximated functions, the noise, and what decryption
/// loses in double precision.
pub fn output_errors(circuit: &Circuit, params: &Ckks) -> Vec<f64> {
    errors_with(circuit, params, |_| 0.0)
}

/// As [`output_errors`], of results that are published under a new key with so many bits of statistical
/// security, if any: the flooding counts too, of the last of their ciphertexts. It's infinite where there's none so wide.
pub fn published_errors(
    circuit: &Circuit,
    params: &Ckks,
    layout: Layout,
    statistical_bits: Option<u32>,
) -> Vec<f64> {
    let Some(bits) = statistical_bits else { return output_errors(circuit, params) };
    let chunks = |output: &Output| match circuit.steps[output.step].shape {
        Shape::Column => layout.chunks() as u64,
        Shape::Number => 1,
    };
    let last = NonZeroU64::new(circuit.outputs.iter().map(chunks).sum()).unwrap_or(NonZeroU64::MIN);
    errors_with(circuit, params, |noise| {
        Flooding::new(params, noise, last, bits).map_or(f64::INFINITY, |flooding| flooding.norm)
    })
}

/// A bound on every output's error, with what is added to a noise at decryption.
fn errors_with(circuit: &Circuit, params: &Ckks, flooding: impl Fn(f64) -> f64) -> Vec<f64> {
    let error = |output: &Output| {
        let step = &circuit.steps[output.step];
        // Outputs are of degree 1 and may stand below the level of their scale.
        let scale = scale_of(circuit, params, output.step);
        let decoding = params.encoding_error(Scaled { scale, bound: step.bound });
        let noise = step.noise_bits.exp2();
        let noise = (noise + flooding(noise) + decoding) / scale;
        number::times(noise, &output.factor.abs()) + output.approximation
    };
    circuit.outputs.iter().map(error).collect()
}

/// log2 of how far the noise is above what settling it allows, where it's farthest; negative where it's within.
pub(crate) fn unabsorbed_bits(circuit: &Circuit, params: &Ckks) -> f64 {
    let above = |step: &Step| match step.instruction {
        Op::AbsorbNoise { a, within, .. } => {
            Some(circuit.steps[a].noise_bits - scale_of(circuit, params, a).log2() - within.log2())
        }
        _ => None,
    };
    circuit.steps.iter().filter_map(above).fold(f64::NEG_INFINITY, f64::max)
}

/// The scale of an output's ciphertext: that of the level where its last rescaling (or encryption) left it.
pub fn scale_of(circuit: &Circuit, params: &Ckks, step: usize) -> f64 {
    match circuit.steps[step].instruction {
        Op::Own(LevelOp::SwitchTo(a, _) | LevelOp::Total(a))
        | Op::Neg(a)
        | Op::AddConstant(a, _)
        | Op::Add(a, _)
        | Op::Sub(a, _)
        | Op::Sum(a, _)
        | Op::AbsorbNoise { a, .. }
        | Op::Result(a, _) => scale_of(circuit, params, a),
        Op::Functions(ref operands, _) => scale_of(circuit, params, operands[0]),
        Op::Own(LevelOp::Multiples(ref terms, _)) => {
            scale_of(circuit, params, terms[0].a) * terms[0].factor.scale
        }
        Op::MulConstant(a, Factor { scale, .. }) => scale_of(circuit, params, a) * scale,
        Op::Integers(..) => unreachable!("integers have no scale"),
        Op::Mul(..) | Op::Own(LevelOp::MulTo(..)) | Op::MaskRows(_) | Op::KeepSlot(..) => {
            params.scale_at(circuit.steps[step].level).powi(2)
        }
        Op::Input(_) => params.scale_at(params.max_level()),
        Op::Own(LevelOp::Rescale(_) | LevelOp::Bootstrap(_)) => params.scale_at(circuit.steps[step].level),
    }
}
