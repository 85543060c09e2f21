//! Files that an attacker made: whatever they hold is refused when it's read or by the first operation, without a panic.

use asanoha_kernels::Backend;
use asanoha_lattice::FileError;
use asanoha_testkit::OpenFile;
use asanoha_tfhe::{
    Bootstrapper, Ciphertext, ClientKey, EncryptedInteger, IntegerType, Integers, SeededServerKey, ServerKey,
    TfheError, TfheLiteral, TfheParams,
};

use crate::common::{keys, sampler, tiny};

struct Victim {
    params: TfheParams,
    client: ClientKey,
    server: ServerKey,
}

fn victim(literal: TfheLiteral) -> Victim {
    let params = literal.check(Backend::detect().unwrap()).unwrap();
    let (client, server) = keys(&params, 1);
    Victim { params, client, server }
}

/// What is written to a file, taken apart.
fn opened(write: impl FnOnce(&std::path::Path) -> Result<u64, FileError>) -> OpenFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write(&path).unwrap();
    OpenFile::read(&path)
}

/// Reads a file with the right digest of what it holds.
fn read<T>(file: &OpenFile, read: impl FnOnce(&std::path::Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    file.seal(&path);
    read(&path)
}

impl Victim {
    fn file(&self, numbers: &[u64]) -> OpenFile {
        let encrypt =
            |&number: &u64| self.client.encrypt_up_to(number, 3, &mut sampler(number as u8)).unwrap();
        let numbers: Vec<Ciphertext> = numbers.iter().map(encrypt).collect();
        opened(|path| Ciphertext::write_all(&numbers, path))
    }

    fn numbers(&self, file: &OpenFile) -> Result<Vec<Ciphertext>, FileError> {
        read(file, |path| Ciphertext::read_all(&self.params, path))
    }

    /// Every operation, on the ciphertexts alone and on integers of them. Only a panic is a failure.
    fn use_all(&self, numbers: &[Ciphertext]) {
        let Self { params, client, server } = self;
        let table = params.table(|x| x).unwrap();
        for number in numbers {
            let _ = client.decrypt(number);
            let _ = client.noise(number, 1);
            let _ = server.apply(&table, number);
            let _ = (number.scale(2), number.add_constant(1), number.subtract_from(3));
            for other in numbers {
                let _ = number.add(other).map(|sum| (client.decrypt(&sum), server.apply(&table, &sum)));
                let _ = server.apply_two(|x, y| x & y, number, other);
            }
        }
        let Ok(integers) = Integers::new(server) else { return };
        for signed in [false, true] {
            let Ok(a) = EncryptedInteger::from_blocks(numbers.to_vec(), signed) else { return };
            let b = EncryptedInteger::from_blocks(numbers.iter().rev().cloned().collect(), signed).unwrap();
            let own = a.integer_type();
            let honest = client.encrypt_integer(1, own, &mut sampler(9)).unwrap();
            for (a, b) in [(&a, &b), (&a, &honest), (&honest, &a)] {
                let results = [
                    integers.add(a, b),
                    integers.sub(a, b),
                    integers.mul(a, b),
                    integers.mul_wide(a, b),
                    integers.div(a, b),
                    integers.rem(a, b),
                    integers.and(a, b),
                    integers.xor(a, b),
                    integers.min(a, b),
                    integers.shift_left_by(a, b),
                    integers.rotate_right_by(a, b),
                    integers.shift_right(a, 1),
                    integers.sum(&[a, b, a], IntegerType::unsigned(4)),
                    integers.table(a, own, |x| x),
                    integers.table2(a, b, own, Ord::max),
                    integers.lt(a, b).and_then(|bit| integers.select(&bit, a, b)),
                    integers.is_not_zero(a).and_then(|bit| integers.select(&bit, b, a)),
                ];
                for result in results.into_iter().flatten() {
                    let _ = client.decrypt_integer(&result);
                }
            }
        }
    }
}

/// The words of a tensor, replaced.
fn with(file: &OpenFile, tensor: &str, words: &[u64]) -> OpenFile {
    let mut file = file.clone();
    let [from, to] = [0, 1].map(|end| file.tensors[tensor]["data_offsets"][end].as_u64().unwrap() as usize);
    assert_eq!(to - from, 8 * words.len());
    file.body[from..to]
        .copy_from_slice(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    file
}

fn words(file: &OpenFile, tensor: &str) -> Vec<u64> {
    let [from, to] = [0, 1].map(|end| file.tensors[tensor]["data_offsets"][end].as_u64().unwrap() as usize);
    file.body[from..to].chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// A body without mask and noise is taken for a public number. A table has no entry for one above the ciphertext's largest.
#[test]
fn public_numbers_above_the_largest_are_refused() {
    let victim = victim(tiny(4));
    let file = with(&victim.file(&[3]), "variance", &[0]);
    let (width, unit) = (victim.params.ciphertext_words(), 1 << 59);
    let public = |body: u64| [vec![0; width - 1], vec![body]].concat();
    for number in 0..=3 {
        let numbers = victim.numbers(&with(&file, "words", &public(number * unit))).unwrap();
        assert_eq!(victim.client.decrypt(&numbers[0]), Ok(number));
        victim.use_all(&numbers);
    }
    for body in [4 * unit, 15 * unit, 16 * unit, 31 * unit, u64::MAX, unit / 2, unit + 1] {
        let error = victim.numbers(&with(&file, "words", &public(body))).unwrap_err().to_string();
        assert!(error.contains("holds at most 3"), "{error}");
    }
}

/// Neither of two ciphertexts is public, but the mask of their sum is zero.
#[test]
fn sums_of_any_public_body_break_no_operation() {
    let victim = victim(tiny(4));
    let file = with(&victim.file(&[1, 2]), "variance", &[0, 0]);
    let mask = words(&victim.file(&[0]), "words")[..victim.params.ciphertext_words() - 1].to_vec();
    let negated: Vec<u64> = mask.iter().map(|word| word.wrapping_neg()).collect();
    for number in [0, 1, 3, 4, 7, 15, 16, 20, 31] {
        let both = [&mask[..], &[number << 59], &negated, &[0]].concat();
        let numbers = victim.numbers(&with(&file, "words", &both)).unwrap();
        let sum = numbers[0].add(&numbers[1]).unwrap();
        assert_eq!(victim.client.decrypt(&sum).is_ok(), number <= sum.largest(), "{number}");
        victim.use_all(&numbers);
    }
}

#[test]
fn words_of_every_size_break_no_operation() {
    let victim = victim(tiny(4));
    let file = victim.file(&[1, 2]);
    for word in [0, 1, 3, u64::MAX, 1 << 63, 1 << 59, f64::MIN_POSITIVE.to_bits(), 1e-30f64.to_bits()] {
        for tensor in ["words", "largest", "variance"] {
            let all = vec![word; words(&file, tensor).len()];
            if let Ok(numbers) = victim.numbers(&with(&file, tensor, &all)) {
                victim.use_all(&numbers);
            }
            let mut first = words(&file, tensor);
            first[0] = word;
            if let Ok(numbers) = victim.numbers(&with(&file, tensor, &first)) {
                victim.use_all(&numbers);
            }
        }
    }
}

/// Files of other parameters that claim to be the victim's: the digest of the parameters and the keys are copied.
#[test]
fn files_of_other_dimensions_and_message_spaces_are_refused_or_break_nothing() {
    let victim = victim(tiny(4));
    let honest = victim.file(&[1, 2]);
    for literal in [
        tiny(3),
        TfheLiteral { ring_degree: 1024, ..tiny(4) },
        TfheLiteral { rank: 2, ..tiny(4) },
        TfheLiteral { lwe_dimension: 25, ..tiny(4) },
    ] {
        let other = self::victim(literal.clone());
        let claim = |mut file: OpenFile| {
            for name in ["params", "key"] {
                file.metadata.insert(name.into(), honest.metadata[name].clone());
            }
            file
        };
        let same_ring = (literal.ring_degree, literal.rank) == (512, 1);
        let numbers = victim.numbers(&claim(other.file(&[1, 2])));
        assert_eq!(numbers.is_ok(), same_ring, "{literal:?}");
        numbers.iter().for_each(|numbers| victim.use_all(numbers));

        let same = same_ring && literal.lwe_dimension == 24;
        let client = claim(opened(|path| other.client.write(path)));
        let client = read(&client, |path| ClientKey::read(&victim.params, path));
        assert_eq!(client.is_ok(), same, "{literal:?}");
        let number = victim.client.encrypt(1, &mut sampler(3)).unwrap();
        client.iter().for_each(|client| assert!(client.decrypt(&number).is_err()));
        let server = claim(opened(|path| other.client.seeded_server_key(&mut sampler(1)).write(path)));
        let server = read(&server, |path| SeededServerKey::read(&victim.params, path));
        assert_eq!(server.is_ok(), same, "{literal:?}");
        let table = victim.params.table(|x| x).unwrap();
        if let Ok(server) = server {
            let value = server.expand().apply(&table, &number).unwrap();
            let altered = victim.client.decrypt(&value).unwrap_err();
            let (above, noisy) = (
                matches!(altered, TfheError::NumberAboveBound { .. }),
                matches!(altered, TfheError::NoiseAboveBound { .. }),
            );
            assert!(above || noisy, "{altered}");
        }
    }
}

#[test]
fn operands_of_other_parameters_are_errors() {
    let victim = victim(tiny(4));
    let number = victim.client.encrypt_up_to(1, 3, &mut sampler(3)).unwrap();
    let integer =
        |of: &Victim| of.client.encrypt_integer(1, IntegerType::unsigned(2), &mut sampler(4)).unwrap();
    for literal in
        [TfheLiteral { ring_degree: 1024, ..tiny(4) }, TfheLiteral { lwe_dimension: 25, ..tiny(4) }]
    {
        let other = self::victim(literal);
        let foreign = other.client.encrypt_up_to(1, 3, &mut sampler(3)).unwrap();
        let [table, foreign_table] = [&victim, &other].map(|of| of.params.table(|x| x % 4).unwrap());
        let refused = TfheError::OtherParameters;
        assert_eq!(number.add(&foreign).unwrap_err(), refused);
        assert_eq!(victim.client.decrypt(&foreign).unwrap_err(), refused);
        assert_eq!(victim.server.apply(&table, &foreign).unwrap_err(), refused);
        assert_eq!(victim.server.apply(&foreign_table, &number).unwrap_err(), refused);
        assert_eq!(victim.server.apply_two(|a, b| a & b, &number, &foreign).unwrap_err(), refused);
        let integers = Integers::new(&victim.server).unwrap();
        let (own, others) = (integer(&victim), integer(&other));
        let public = Bootstrapper::trivial(&other.server, 3).unwrap();
        let public = EncryptedInteger::from_blocks(vec![public; 2], false).unwrap();
        for other in [&others, &public] {
            assert_eq!(integers.add(&own, other).unwrap_err(), refused);
            assert_eq!(integers.sum(&[other], IntegerType::unsigned(3)).unwrap_err(), refused);
            assert_eq!(integers.table(other, IntegerType::unsigned(2), |x| x).unwrap_err(), refused);
        }
    }
}
