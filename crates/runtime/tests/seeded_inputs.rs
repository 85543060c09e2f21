//! Inputs that the secret key encrypts: seeds in place of uniform halves, and the levels that inputs enter at.

use std::collections::{BTreeMap, BTreeSet};

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_lattice::{Level, Source};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    compile::{Instruction, Op},
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Contents, Encrypted, EncryptionKey, InputSecrets, Keys, unwatched},
    plan::{Plan, PlanOptions, SchemeName, choose},
    program::Program,
};
use asanoha_scheme::Ciphertext;
use asanoha_testkit::OpenFile;
use asanoha_tfhe::EncryptedInteger;
use serde_json::json;

const SCHEMES: [SchemeName; 4] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe];

fn table(rows: usize) -> Table {
    let column = |name: &str, factor: i64, offset: i64| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole((0..rows as i64).map(|row| factor * row % 13 - offset).collect()),
    };
    Table { columns: vec![column("x", 5, 6), column("y", 7, 0)], rows }
}

fn plan(scheme: SchemeName, text: &str, rows: usize) -> Plan {
    let schema = Schema::from_table(&table(rows), &[]).unwrap();
    let options = PlanOptions { scheme: Some(scheme), ..PlanOptions::default() };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

fn sent(plan: &Plan, key: &EncryptionKey, sampler: &mut Sampler) -> (Encrypted, Vec<u8>) {
    let (encrypted, _) = execute::encrypt(plan, key, &table(plan.schema.rows), sampler).unwrap();
    let mut bytes = Vec::new();
    encrypted.write(plan, Contents::Inputs, &mut bytes).unwrap();
    (encrypted, bytes)
}

fn read(plan: &Plan, bytes: &[u8]) -> Result<Encrypted, String> {
    Encrypted::read(plan, Contents::Inputs, Source::Bytes { name: "inputs", bytes })
        .map_err(|error| error.to_string())
}

/// All words of ciphertexts.
fn words(encrypted: &Encrypted) -> Vec<Vec<u64>> {
    fn of<S: asanoha_scheme::Scheme>(values: &[Vec<Ciphertext<S>>]) -> Vec<Vec<u64>> {
        let parts = values.iter().flatten().flat_map(|ciphertext| &ciphertext.rlwe().parts);
        parts.map(|part| part.words().to_vec()).collect()
    }
    let values = &encrypted.values;
    if let Some(integers) = values.get::<Vec<Vec<EncryptedInteger>>>() {
        let digits = integers.iter().flatten().flat_map(EncryptedInteger::blocks);
        return digits.map(|digit| digit.words().to_vec()).collect();
    }
    let exact = values
        .get::<Vec<Vec<Ciphertext<Bgv>>>>()
        .map(|values| of(values))
        .or_else(|| values.get::<Vec<Vec<Ciphertext<Bfv>>>>().map(|values| of(values)));
    exact
        .or_else(|| values.get::<Vec<Vec<Ciphertext<Ckks>>>>().map(|values| of(values)))
        .expect("of one of the schemes")
}

fn check(plan: &Plan, keys: &Keys, inputs: Encrypted) {
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    let decrypted =
        execute::decrypt(plan, keys.secret.as_ref().unwrap(), &outputs, &InputSecrets::none()).unwrap();
    let right = plan.evaluate_real(&table(plan.schema.rows)).unwrap();
    for ((name, found), (_, right)) in decrypted.outputs.iter().zip(&right) {
        for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
            assert!((found - right).abs() < 1e-3, "{} {name}: {found} for {right}", plan.params.scheme());
        }
    }
}

/// A file's tensors, by their names: shape and words.
type Tensors = BTreeMap<String, (Vec<usize>, Vec<u64>)>;

/// The bytes of a file with other tensors.
fn changed(bytes: &[u8], change: &dyn Fn(&mut Tensors)) -> Vec<u8> {
    let file = OpenFile::parse(bytes).unwrap();
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let body: Vec<u64> = file.body.chunks_exact(8).map(word).collect();
    let tensor = |(name, info): (&String, &serde_json::Value)| {
        let number = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
        let [from, to] = [0, 1].map(|end| number(&info["data_offsets"][end]) / 8);
        let shape = info["shape"].as_array().unwrap().iter().map(number).collect();
        (name.clone(), (shape, body[from..to].to_vec()))
    };
    let mut tensors: Tensors = file.tensors.iter().map(tensor).collect();
    change(&mut tensors);
    let mut body = Vec::new();
    let mut described = serde_json::Map::new();
    for (name, (shape, words)) in tensors {
        let from = body.len();
        body.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let info = json!({ "dtype": "U64", "shape": shape, "data_offsets": [from, body.len()] });
        described.insert(name, info);
    }
    OpenFile { tensors: described, body, ..file }.sealed()
}

#[test]
fn inputs_of_the_secret_key_take_half_the_bytes_and_are_read_as_they_were_encrypted() {
    for scheme in SCHEMES {
        let plan = plan(scheme, "a = x * x + y\nb = sum(x)", 9);
        let mut sampler = Sampler::new(&Seed([5; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let secret = EncryptionKey::from(keys.secret.as_ref().unwrap());
        let (encrypted, bytes) = sent(&plan, &secret, &mut sampler);
        let again = read(&plan, &bytes).unwrap();
        assert_eq!(words(&encrypted), words(&again), "{scheme}");
        let mut written = Vec::new();
        again.write(&plan, Contents::Inputs, &mut written).unwrap();
        assert_eq!(bytes, written, "{scheme}");
        let (whole, predicted) = (encrypted.bytes() as usize, plan.prediction.input_bytes as usize);
        assert!(
            (predicted..predicted + 4096).contains(&bytes.len()),
            "{scheme}: {} {predicted}",
            bytes.len()
        );
        assert!(plan.prediction.read_s > 0.0);
        if scheme == SchemeName::Tfhe {
            assert!(bytes.len() < whole / 50, "{} of {whole}", bytes.len());
        } else {
            let (public, public_bytes) = sent(&plan, &keys.public, &mut sampler);
            assert!(public.seeds.iter().all(Vec::is_empty) && words(&public) != words(&encrypted));
            assert!(public_bytes.len() > whole, "{scheme}");
            assert!(
                (whole / 2..whole / 2 + 4096).contains(&bytes.len()),
                "{scheme}: {} of {whole}",
                bytes.len()
            );
            assert_eq!(words(&public), words(&read(&plan, &public_bytes).unwrap()));
            check(&plan, &keys, public);
        }
        check(&plan, &keys, again);
    }
}

#[test]
fn no_two_ciphertexts_have_one_seed_also_of_equal_columns_and_of_one_given_seed() {
    for scheme in SCHEMES {
        let plan = plan(scheme, "a = x + y", 7);
        let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([6; 32])));
        let secret = EncryptionKey::from(keys.secret.as_ref().unwrap());
        // Values that both columns' ranges have.
        let equal = |offset: i64| {
            let values = ColumnValues::Whole((0..7).map(|row| (row + offset) % 7).collect());
            let column = |name: &str| Column { name: name.to_owned(), values: values.clone() };
            Table { columns: vec![column("x"), column("y")], rows: 7 }
        };
        let given = || Sampler::new(&Seed([7; 32]));
        let mut seen = BTreeSet::new();
        let mut count = 0;
        for (data, mut sampler) in [
            (equal(0), Sampler::from_os()),
            (equal(0), Sampler::from_os()),
            (equal(0), given()),
            // Another number in every row: the same one has the same ciphertext, of one given seed.
            (equal(3), given()),
        ] {
            let (encrypted, _) = execute::encrypt(&plan, &secret, &data, &mut sampler).unwrap();
            assert_eq!(encrypted.seeds.len(), 2, "{scheme}");
            seen.extend(encrypted.seeds.iter().flatten().map(Seed::to_words));
            count += encrypted.seeds.iter().map(Vec::len).sum::<usize>();
        }
        assert!(count >= 8, "{scheme}");
        assert_eq!(seen.len(), count, "{scheme}");
    }
}

#[test]
fn seeds_of_other_shapes_or_without_their_half_are_refused() {
    for scheme in SCHEMES {
        let plan = plan(scheme, "a = x + y", 5);
        let mut sampler = Sampler::new(&Seed([8; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let (_, bytes) = sent(&plan, &EncryptionKey::from(keys.secret.as_ref().unwrap()), &mut sampler);
        let resealed = |change: &dyn Fn(&mut Tensors)| read(&plan, &changed(&bytes, change));
        assert!(resealed(&|_| ()).is_ok(), "{scheme}");
        if scheme == SchemeName::Tfhe {
            let refused = resealed(&|file| {
                let (shape, words) = file.get_mut("x").unwrap();
                *shape.last_mut().unwrap() -= 1;
                let each = *shape.last().unwrap();
                *words = words.chunks(each + 1).flat_map(|digit| &digit[..each]).copied().collect();
            });
            assert!(refused.unwrap_err().contains("dimensions"));
            continue;
        }
        let refused = resealed(&|file| drop(file.remove("x.0.seed"))).unwrap_err();
        assert!(refused.contains("x.0.seed is missing"), "{refused}");
        let refused = resealed(&|file| {
            let (shape, words) = file.get_mut("x.0.seed").unwrap();
            *shape = vec![3];
            words.truncate(3);
        });
        assert!(refused.unwrap_err().contains("x.0.seed has dimensions [3] and not [4]"));
        // A half above its prime.
        let refused = resealed(&|file| file.get_mut("y.0").unwrap().1[3] = u64::MAX);
        assert!(refused.unwrap_err().contains("above their prime"));
        // Without the digest's renewal, nothing is read.
        let mut altered = bytes.clone();
        *altered.last_mut().unwrap() ^= 1;
        assert!(read(&plan, &altered).unwrap_err().contains("digest doesn't match"));
    }
}

#[test]
fn bytes_that_cannot_be_taken_for_words_are_read_all_the_same() {
    let plan = plan(SchemeName::Bgv, "a = x + y", 5);
    let mut sampler = Sampler::new(&Seed([9; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (encrypted, bytes) = sent(&plan, &EncryptionKey::from(keys.secret.as_ref().unwrap()), &mut sampler);
    for shift in 1..8 {
        let shifted = [vec![0; shift], bytes.clone()].concat();
        assert_eq!(words(&read(&plan, &shifted[shift..]).unwrap()), words(&encrypted));
    }
}

#[test]
fn an_input_that_is_first_taken_low_is_encrypted_there() {
    // y waits for powers of x.
    let text = "a = x**8 * y + x";
    let mut lowered = 0;
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
        let plan = plan(scheme, text, 6);
        let level = |name: &str| {
            let at = plan.circuit.inputs.iter().position(|input| input.column == name).unwrap();
            let is_it = |instruction: &Instruction| matches!(instruction, Op::Input(input) if *input == at);
            plan.circuit.steps.iter().find(|step| is_it(&step.instruction)).unwrap().level
        };
        let highest = plan.circuit.steps.iter().map(|step| step.level).max().unwrap();
        assert_eq!(level("x"), highest, "{scheme}");
        lowered += usize::from(level("y") < highest);
        if scheme == SchemeName::Ckks {
            assert!(level("y") < highest && level("y") > Level(0));
        }
        let mut sampler = Sampler::new(&Seed([10; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let secret = EncryptionKey::from(keys.secret.as_ref().unwrap());
        for key in [&secret, &keys.public] {
            let (_, bytes) = sent(&plan, key, &mut sampler);
            let inputs = read(&plan, &bytes).unwrap();
            let Some(values) = inputs.values.get::<Vec<Vec<Ciphertext<Ckks>>>>() else {
                check_relative(&plan, &keys, inputs);
                continue;
            };
            let levels: Vec<Level> = values.iter().map(|value| value[0].level()).collect();
            assert_eq!(levels, [level("x"), level("y")]);
            check_relative(&plan, &keys, inputs);
        }
    }
    assert!(lowered >= 1);
}

/// As [`check`], where results are large.
fn check_relative(plan: &Plan, keys: &Keys, inputs: Encrypted) {
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    let decrypted =
        execute::decrypt(plan, keys.secret.as_ref().unwrap(), &outputs, &InputSecrets::none()).unwrap();
    let right = plan.evaluate_real(&table(plan.schema.rows)).unwrap();
    let bounds = decrypted.error_bounds.clone().unwrap_or_else(|| vec![0.0]);
    for ((found, right), bound) in decrypted.outputs.iter().zip(&right).zip(bounds) {
        for (found, right) in found.1.as_slice().iter().zip(right.1.as_slice()) {
            assert!((found - right).abs() <= bound, "{}: {found} for {right}", plan.params.scheme());
        }
    }
}
