//! Tasks, which an evaluation carries out at a time, and their order: functions of the schedule alone, so that predictions know them.

mod forms;
pub(crate) mod order;
pub(crate) mod phases;
pub(crate) mod task;

use asanoha_compile::{Circuit, Op};

pub(crate) use task::Task;

/// All steps but inputs as tasks, in the order in which one thread carries them out. Sums of multiples are put together where the
/// engine computes them so.
pub(crate) fn tasks(circuit: &Circuit, with_forms: bool) -> Vec<Task> {
    let tasks = if with_forms { forms::tasks(circuit) } else { one_by_one(circuit) };
    order::ordered(circuit, tasks)
}

/// Each step alone, in the schedule's order.
fn one_by_one(circuit: &Circuit) -> Vec<Task> {
    let is_input = |at: &usize| matches!(circuit.steps[*at].instruction, Op::Input(_));
    (0..circuit.steps.len()).filter(|at| !is_input(at)).map(|at| Task::step(circuit, at)).collect()
}

#[cfg(test)]
mod tests {
    use std::{
        borrow::Cow,
        collections::{BTreeMap, HashSet},
    };

    use asanoha_bfv::BfvLiteral;
    use asanoha_bgv::BgvLiteral;
    use asanoha_compile::{CircuitInput, Constant, Factor, Instruction, Layout, LevelOp, Output, Step};
    use asanoha_kernels::{Backend, primes_congruent_to_one};
    use asanoha_lang::Shape;
    use asanoha_lattice::{EvaluationKeys, Level, RlweLiteral, SecretKey};
    use asanoha_ring::{Sampler, Seed};
    use asanoha_scheme::{Ciphertext, Encoder, Encryptor, Evaluator, Exact};
    use num_rational::BigRational;
    use num_traits::One;

    use super::{task::Multiple, *};
    use crate::slots::engine::{Columns, Span, apply_task};
    use crate::slots::numbers::Planned;

    fn circuit(instructions: Vec<(Instruction, usize)>, outputs: &[usize]) -> Circuit {
        let mut inputs = Vec::new();
        let step = |(instruction, level): (Instruction, usize)| {
            if matches!(instruction, Op::Input(_)) {
                inputs.push(CircuitInput::column(format!("x{}", inputs.len())));
            }
            Step {
                instruction,
                shape: Shape::Column,
                bound: 1.0,
                level: Level(level),
                noise_bits: 0.0,
                width: None,
                bootstraps: None,
            }
        };
        let steps = instructions.into_iter().map(step).collect();
        let output = |(at, &step): (usize, &usize)| Output {
            name: format!("y{at}"),
            step,
            factor: BigRational::one(),
            approximation: 0.0,
        };
        Circuit { inputs, steps, outputs: outputs.iter().enumerate().map(output).collect() }
    }

    fn times(a: usize, k: i64) -> Instruction {
        Op::MulConstant(a, Factor::unscaled(Constant::Whole(k.into())))
    }

    /// `count` sums of multiples of `columns` inputs, as programs write them.
    fn linear_model(columns: usize, count: usize) -> Circuit {
        let mut steps: Vec<(Instruction, usize)> = (0..columns).map(|at| (Op::Input(at), 2)).collect();
        let mut outputs = Vec::new();
        for row in 0..count {
            steps.push((times(0, row as i64 + 2), 2));
            for column in 1..columns {
                let sum = steps.len() - 1;
                steps.push((times(column, (row * column) as i64 - 3), 2));
                let (a, b) = (sum, steps.len() - 1);
                steps.push((if column % 3 == 0 { Op::Sub(a, b) } else { Op::Add(a, b) }, 2));
            }
            outputs.push(steps.len() - 1);
        }
        circuit(steps, &outputs)
    }

    /// The coefficients of the inputs in every step's value, computed step by step.
    fn by_steps(circuit: &Circuit) -> Vec<BTreeMap<usize, i64>> {
        let mut values: Vec<BTreeMap<usize, i64>> = Vec::new();
        for step in &circuit.steps {
            let scaled = |a: usize, k: i64| values[a].iter().map(move |(&at, &c)| (at, c * k));
            let mut value = BTreeMap::new();
            let mut add = |terms: &mut dyn Iterator<Item = (usize, i64)>| {
                terms.for_each(|(at, c)| *value.entry(at).or_insert(0) += c);
            };
            match &step.instruction {
                Op::Input(at) => add(&mut std::iter::once((*at, 1))),
                Op::Add(a, b) => add(&mut scaled(*a, 1).chain(scaled(*b, 1))),
                Op::Sub(a, b) => add(&mut scaled(*a, 1).chain(scaled(*b, -1))),
                Op::Neg(a) => add(&mut scaled(*a, -1)),
                Op::MulConstant(a, factor) => add(&mut scaled(*a, factor.k.to_f64() as i64)),
                other => panic!("{other:?}"),
            }
            values.push(value);
        }
        values
    }

    /// Every result of every task, from its multiples, beside what the steps give; each step is carried out once, after its operands.
    fn check(circuit: &Circuit, tasks: &[Task]) {
        let values = by_steps(circuit);
        let mut there: HashSet<usize> = circuit.input_steps().into_iter().collect();
        let mut done = HashSet::new();
        for task in tasks {
            assert!(task.operands.iter().all(|operand| there.contains(operand)), "{task:?}");
            assert!(task.steps().into_iter().all(|step| done.insert(step)), "{task:?}");
            there.extend(&task.results);
            let Some(forms) = &task.forms else { continue };
            for (&result, row) in task.results.iter().zip(&forms.rows) {
                let mut value = BTreeMap::new();
                for Multiple { place, factors, negative } in row {
                    let sign = if *negative { -1 } else { 1 };
                    let k = factors.iter().fold(sign, |k, factor| k * factor.k.to_f64() as i64);
                    values[task.operands[*place]]
                        .iter()
                        .for_each(|(&at, &c)| *value.entry(at).or_insert(0) += c * k);
                }
                assert_eq!(value, values[result], "{task:?}");
            }
        }
        assert_eq!(done.len() + circuit.inputs.len(), circuit.steps.len());
    }

    #[test]
    fn a_linear_model_is_one_task() {
        let circuit = linear_model(50, 10);
        let tasks = tasks(&circuit, true);
        check(&circuit, &tasks);
        assert_eq!(tasks.len(), 1);
        assert_eq!((tasks[0].results.len(), tasks[0].operands.len()), (10, 50));
        let one_by_one = super::tasks(&circuit, false);
        check(&circuit, &one_by_one);
        assert_eq!(one_by_one.len(), circuit.steps.len() - 50);
    }

    #[test]
    fn sums_that_wait_for_one_another_or_share_little_are_tasks_of_their_own() {
        // y₀ = 2·a + 3·b; y₁ = 4·a + 5·b + 6·y₀; y₂ = 7·c − 8·d.
        let steps: Vec<Instruction> = vec![
            Op::Input(0),
            Op::Input(1),
            Op::Input(2),
            Op::Input(3),
            times(0, 2),
            times(1, 3),
            Op::Add(4, 5),
            times(0, 4),
            times(1, 5),
            Op::Add(7, 8),
            times(6, 6),
            Op::Add(9, 10),
            times(2, 7),
            times(3, 8),
            Op::Sub(12, 13),
        ];
        let circuit = circuit(steps.into_iter().map(|step| (step, 1)).collect(), &[6, 11, 14]);
        let tasks = tasks(&circuit, true);
        check(&circuit, &tasks);
        assert_eq!(tasks.len(), 3, "{tasks:?}");
    }

    #[test]
    fn factors_of_sums_are_multiplied_out() {
        // y = −2·(3·a − 5·(b + 7·a)) + b.
        let steps: Vec<Instruction> = vec![
            Op::Input(0),
            Op::Input(1),
            times(0, 7),
            Op::Add(1, 2),
            times(3, 5),
            times(0, 3),
            Op::Sub(5, 4),
            times(6, -2),
            Op::Add(7, 1),
        ];
        let circuit = circuit(steps.into_iter().map(|step| (step, 1)).collect(), &[8]);
        let tasks = tasks(&circuit, true);
        check(&circuit, &tasks);
        assert_eq!((tasks.len(), tasks[0].operands.len()), (1, 2));
    }

    #[test]
    fn values_of_several_levels_and_uses_stay_outside_of_sums() {
        let product = |a, b| Op::Own(LevelOp::MulTo(a, b, Level(1)));
        let steps: Vec<(Instruction, usize)> = vec![
            (Op::Input(0), 2),
            (Op::Input(1), 1),
            (product(0, 0), 1),
            (times(2, 3), 1),
            (times(1, 5), 1),
            (Op::Add(3, 4), 1),
            (Op::Neg(5), 1),
            // A second use of a multiple, which stays a step.
            (Op::Add(6, 4), 1),
            (Op::Mul(3, 7), 1),
        ];
        let circuit = circuit(steps, &[8, 7]);
        let tasks = tasks(&circuit, true);
        let steps: Vec<usize> = tasks.iter().flat_map(Task::steps).collect();
        assert_eq!(steps.iter().collect::<HashSet<_>>().len(), 7);
        let singles: Vec<usize> =
            tasks.iter().filter(|task| task.forms.is_none()).flat_map(|task| task.results.clone()).collect();
        assert!([2, 3, 4, 8].iter().all(|step| singles.contains(step)), "{tasks:?}");
    }

    #[test]
    fn products_are_added_up_as_soon_as_they_are_there() {
        // Σ xᵢ·yᵢ, all products before all sums.
        let count = 40;
        let mut steps: Vec<(Instruction, usize)> = (0..2 * count).map(|at| (Op::Input(at), 1)).collect();
        steps.extend((0..count).map(|at| (Op::Mul(2 * at, 2 * at + 1), 1)));
        let mut sum = 2 * count;
        for at in 1..count {
            steps.push((Op::Add(sum, 2 * count + at), 1));
            sum = steps.len() - 1;
        }
        let circuit = circuit(steps, &[sum]);
        let tasks = tasks(&circuit, false);
        // A sum of all would hold all products.
        assert_eq!(super::tasks(&circuit, true), tasks);
        check_order(&circuit, &tasks);
        // Inputs go with their product: never more than they were, and one value.
        let all: Vec<&Task> = tasks.iter().collect();
        let groups: Vec<Vec<usize>> = (0..all.len()).map(|at| vec![at]).collect();
        let held = order::held(&circuit, &all, &groups, &|_| true);
        assert_eq!(held.iter().max(), Some(&((2 * count + 1) * 4)));
        assert_eq!(held.last(), Some(&4));
        for most in [1, 3, 8] {
            let groups = order::groups(circuit.steps.len(), &all, most);
            assert!(groups.iter().all(|group| (1..=most).contains(&group.len())));
            let mut there: HashSet<usize> = circuit.input_steps().into_iter().collect();
            for group in &groups {
                for &at in group {
                    assert!(tasks[at].operands.iter().all(|operand| there.contains(operand)));
                }
                there.extend(group.iter().flat_map(|&at| &tasks[at].results));
            }
            assert_eq!(there.len(), circuit.steps.len());
        }
    }

    fn check_order(circuit: &Circuit, tasks: &[Task]) {
        let mut there: HashSet<usize> = circuit.input_steps().into_iter().collect();
        for task in tasks {
            assert!(task.operands.iter().all(|operand| there.contains(operand)), "{task:?}");
            there.extend(&task.results);
        }
    }

    /// The results of all tasks of a circuit on the same fresh ciphertexts, with sums put together or step by step.
    fn evaluated<S: Planned>(
        scheme: &S,
        circuit: &Circuit,
        inputs: &[Ciphertext<S>],
        with_forms: bool,
    ) -> Vec<Ciphertext<S>> {
        let layout = Layout::new(4, scheme.row_slots().unwrap());
        let engine = Columns::new(Evaluator::new(scheme, EvaluationKeys::default()), layout);
        let mut values: BTreeMap<usize, Vec<Ciphertext<S>>> =
            circuit.input_steps().into_iter().zip(inputs.iter().map(|input| vec![input.clone()])).collect();
        for task in tasks(circuit, with_forms) {
            let operands = task.operands.iter().map(|at| Cow::Borrowed(&values[at][..])).collect();
            let span = Span { first: 0, count: 1 };
            let results = apply_task(&engine, (circuit, layout), span, &task, operands).unwrap();
            values.extend(task.results.iter().copied().zip(results));
        }
        circuit.outputs.iter().map(|output| values[&output.step][0].clone()).collect()
    }

    /// Compares both ways bit for bit, and what is known of the results.
    fn agree<S: Planned + Exact>(scheme: &S) {
        let mut sampler = Sampler::new(&Seed([3; 32]));
        let key = SecretKey::generate(scheme.rlwe(), &mut sampler);
        let (encoder, encryptor) = (Encoder::new(scheme), Encryptor::new(scheme));
        let mut input = |at: usize| {
            let plain = encoder.encode(&[at as i64 - 5, 77, -3, 1 << at.min(6)], Level(2)).unwrap();
            encryptor.encrypt_seeded(&key, &plain, &mut sampler).unwrap().0
        };
        for (columns, count) in [(2, 1), (7, 3), (40, 10)] {
            let inputs: Vec<Ciphertext<S>> = (0..columns).map(&mut input).collect();
            let circuit = linear_model(columns, count);
            assert_eq!(tasks(&circuit, true).len(), 1);
            let [together, apart] = [true, false].map(|with| evaluated(scheme, &circuit, &inputs, with));
            for (a, b) in together.iter().zip(&apart) {
                assert_eq!(a.state(), b.state());
                for (a, b) in a.rlwe().parts.iter().zip(&b.rlwe().parts) {
                    assert!(a.words() == b.words(), "{columns} {count}");
                }
            }
        }
    }

    #[test]
    fn sums_together_are_bit_for_bit_those_of_the_steps() {
        let backend = Backend::detect().unwrap();
        for (plaintext_modulus, prime_bits) in [(65537u64, 40), (65537, 52), (257, 40), (786_433, 50)] {
            let n = 1 << 6;
            let [primes, special] = [(prime_bits, 3), (prime_bits + 8, 1)]
                .map(|(bits, count)| primes_congruent_to_one(bits, 2 * n as u64, count, &[]).unwrap());
            let rlwe = || RlweLiteral::new(n, primes.clone(), special.clone(), 3).insecure();
            agree(&BgvLiteral::new(rlwe(), plaintext_modulus).check(backend).unwrap());
            agree(&BfvLiteral::new(rlwe(), plaintext_modulus).check(backend).unwrap());
        }
    }
}
