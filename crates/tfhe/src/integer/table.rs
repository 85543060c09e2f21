//! Tables of integers.

use std::collections::HashMap;

use super::{BASE, DIGIT_BITS, EncryptedInteger, IntegerType, digits_of_value, integer, layer::Layers};
use crate::{Ciphertext, Table, TfheError};

/// The most digits of a table's argument.
const MOST_DIGITS: usize = 8;
/// Functions of a digit that one table holds.
const FUNCTIONS: usize = 4;

/// [`super::Integers::table`].
pub(super) fn table(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    result: IntegerType,
    function: impl Fn(i128) -> i128,
) -> Result<EncryptedInteger, TfheError> {
    let own = a.integer_type();
    look_up(layers, &a.blocks, result, |bits| function(own.value(bits)))
}

/// [`super::Integers::table2`].
pub(super) fn table2(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
    result: IntegerType,
    function: impl Fn(i128, i128) -> i128,
) -> Result<EncryptedInteger, TfheError> {
    let (first, second) = (a.integer_type(), b.integer_type());
    let blocks = [&b.blocks[..], &a.blocks].concat();
    look_up(layers, &blocks, result, |bits| {
        function(first.value(bits >> second.bits().min(u128::BITS - 1)), second.value(bits))
    })
}

fn look_up(
    layers: &Layers<'_>,
    blocks: &[Ciphertext],
    result: IntegerType,
    function: impl Fn(u128) -> i128,
) -> Result<EncryptedInteger, TfheError> {
    if blocks.len() > MOST_DIGITS {
        let (found, most) = (blocks.len() as u32 * DIGIT_BITS, MOST_DIGITS as u32 * DIGIT_BITS);
        return Err(TfheError::TableBits { found, most });
    }
    let values: Vec<Vec<u64>> = (0..1 << (DIGIT_BITS * blocks.len() as u32))
        .map(|x| digits_of_value(function(x), result))
        .collect::<Result<_, _>>()?;
    let [blocks] = layers.within(1.0, [blocks])?;
    let digits = match &blocks[..] {
        [block] => functions_of_digit(layers, block, &values)?,
        [low, high, above @ ..] => {
            let low = high.scale(BASE)?.add(low)?;
            tree(layers, &low, above, &values)?
        }
        [] => return Err(TfheError::Width { found: 0 }),
    };
    integer(digits, result)
}

/// All digits of a function of one digit.
fn functions_of_digit(
    layers: &Layers<'_>,
    block: &Ciphertext,
    values: &[Vec<u64>],
) -> Result<Vec<Ciphertext>, TfheError> {
    let count = values[0].len();
    let functions: Vec<_> =
        (0..count).map(|place| move |x: u64| values[(x % BASE) as usize][place]).collect();
    let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|f| f as _).collect();
    let tables: Vec<Table> =
        functions.chunks(FUNCTIONS).map(|chunk| layers.functions(chunk)).collect::<Result<_, _>>()?;
    layers.run(&tables.iter().map(|table| (table, block.clone())).collect::<Vec<_>>())
}

/// All digits of a function of a number below 16 and of the digits above it.
fn tree(
    layers: &Layers<'_>,
    low: &Ciphertext,
    above: &[Ciphertext],
    values: &[Vec<u64>],
) -> Result<Vec<Ciphertext>, TfheError> {
    let size = (BASE * BASE) as usize;
    // The rows of 16 values that occur, each once; and for each digit of the result, which row stands where.
    let mut rows: Vec<Vec<u64>> = Vec::new();
    let mut known = HashMap::new();
    let mut choices: Vec<Vec<usize>> = (0..values[0].len())
        .map(|place| {
            let row = |chunk: &[Vec<u64>]| chunk.iter().map(|digits| digits[place]).collect::<Vec<_>>();
            values
                .chunks(size)
                .map(|chunk| {
                    let row = row(chunk);
                    *known.entry(row.clone()).or_insert_with(|| {
                        rows.push(row);
                        rows.len() - 1
                    })
                })
                .collect()
        })
        .collect();
    let mut results = Vec::with_capacity(rows.len());
    let mut hidden = Vec::new();
    for row in &rows {
        let constant = row.iter().all(|value| *value == row[0]);
        if constant {
            results.push(layers.key.trivial(row[0])?);
        } else {
            hidden.push((results.len(), layers.functions(&[&|x| row[x as usize % size]])?));
            results.push(low.clone());
        }
    }
    let jobs: Vec<_> = hidden.iter().map(|(_, table)| (table, low.clone())).collect();
    hidden.iter().zip(layers.run(&jobs)?).for_each(|((place, _), value)| results[*place] = value);

    let weighted = layers.functions(&[&|x| BASE * (x % BASE)])?;
    let jobs: Vec<_> = above.iter().map(|digit| (&weighted, digit.clone())).collect();
    for digit in layers.run(&jobs)? {
        (results, choices) = choose_by_digit(layers, &digit, &results, choices)?;
    }
    Ok(choices.into_iter().map(|choice| results[choice[0]].clone()).collect())
}

/// Of each four choices, the one that a digit of weight 4 says: the sum of those that count, each only where the digit is
/// its own.
fn choose_by_digit(
    layers: &Layers<'_>,
    digit: &Ciphertext,
    results: &[Ciphertext],
    choices: Vec<Vec<usize>>,
) -> Result<(Vec<Ciphertext>, Vec<Vec<usize>>), TfheError> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known = HashMap::new();
    let choices = choices.into_iter().map(|choice| {
        let group = |four: &[usize]| {
            *known.entry(four.to_vec()).or_insert_with(|| {
                groups.push(four.to_vec());
                groups.len() - 1
            })
        };
        choice.chunks(BASE as usize).map(group).collect()
    });
    let choices = choices.collect();

    let [results] = layers.within(4.0, [results])?;
    let masks: Vec<Table> = (0..BASE)
        .map(|own| layers.functions(&[&|x| if x / BASE == own { x % BASE } else { 0 }]))
        .collect::<Result<_, _>>()?;
    // What's public is one function of the digit for each group.
    let public =
        |four: &[usize], x: u64| results[four[(x / BASE % BASE) as usize]].public_value().unwrap_or(0);
    let publics: Vec<Table> =
        groups.iter().map(|four| layers.functions(&[&|x| public(four, x)])).collect::<Result<_, _>>()?;
    let mut jobs: Vec<(&Table, Ciphertext)> = Vec::new();
    let mut counts = Vec::new();
    for (four, table) in groups.iter().zip(&publics) {
        let before = jobs.len();
        if four.iter().all(|&choice| choice == four[0]) {
            counts.push(0);
            continue;
        }
        for (own, &choice) in four.iter().enumerate() {
            if results[choice].public_value().is_none() {
                jobs.push((&masks[own], results[choice].add(digit)?));
            }
        }
        if table.largest[0] > 0 {
            jobs.push((table, digit.clone()));
        }
        counts.push(jobs.len() - before);
    }
    let mut values = layers.run(&jobs)?.into_iter();
    let mut chosen = Vec::new();
    for (four, count) in groups.iter().zip(counts) {
        let zero = layers.key.trivial(0)?;
        let sum = values.by_ref().take(count).try_fold(zero, |sum, value| sum.add(&value));
        chosen.push(if count == 0 { results[four[0]].clone() } else { sum?.at_most(BASE - 1) });
    }
    Ok((chosen, choices))
}
