//! Plans that are read for clients alone: the same keys, ciphertexts and results, and nothing that a server does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use asanoha_backends::{BACKENDS, Backends, CLIENT_BACKENDS};
use asanoha_kernels::Backend as Kernels;
use asanoha_lattice::Source;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, read_csv},
    execute::{self, Contents, Encrypted, EncryptionKey, EvaluationKey, InputSecrets},
    plan::{Plan, PlanOptions, SchemeName, SecurityCheck, choose},
    program::Program,
};

const DATA: &str = "x,z\n3,-2\n0,7\n-4,5\n";

/// The files of a client: its secret key, its evaluation keys and its inputs, under one seed.
fn files(plan: &Plan) -> [Vec<u8>; 3] {
    let table = read_csv(DATA.as_bytes(), "d.csv", plan.program.input_names()).unwrap();
    let sampler = || Sampler::new(&Seed([7; 32]));
    let (mut evaluation, mut inputs) = (Vec::new(), Vec::new());
    let (secret, _) =
        execute::generate_keys_to(plan, &mut evaluation, &mut sampler(), &execute::unwatched).unwrap();
    let key = EncryptionKey::from(&secret);
    let (encrypted, _) = execute::encrypt(plan, &key, &table, &mut sampler()).unwrap();
    encrypted.write(plan, Contents::Inputs, &mut inputs).unwrap();
    [execute::Keys::secret_to_bytes(plan, &secret, None).unwrap().to_vec(), evaluation, inputs]
}

#[test]
fn clients_make_the_same_files_and_read_the_same_results() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe, SchemeName::Ckks] {
        let program = Program::parse("y = x + z").unwrap();
        let table = read_csv(DATA.as_bytes(), "d.csv", program.input_names()).unwrap();
        let schema = Schema::from_table(&table, &[]).unwrap();
        let options = PlanOptions { scheme: Some(scheme), every_scheme: false, ..PlanOptions::default() };
        let json = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap().to_json();
        let read = |backends: Backends<'_>| {
            let kernels = Kernels::detect().unwrap();
            Plan::from_json_among(backends, json.as_bytes(), "p", SecurityCheck::Required, kernels).unwrap()
        };
        let (whole, client) = (read(&BACKENDS), read(&CLIENT_BACKENDS));
        assert_eq!((client.digest(), client.to_json()), (whole.digest(), json.clone()), "{scheme}");
        let [secret, evaluation, inputs] = files(&client);
        assert!([&secret, &evaluation, &inputs] == files(&whole).each_ref(), "{scheme}");

        let from = |name, bytes| Source::Bytes { name, bytes };
        let keys = EvaluationKey::read(&whole, from("keys", &evaluation)).unwrap();
        let inputs = |plan| Encrypted::read(plan, Contents::Inputs, from("inputs", &inputs)).unwrap();
        let outputs = execute::evaluate(&whole, keys.clone(), inputs(&whole), &execute::unwatched).unwrap();
        let mut results = Vec::new();
        outputs.write(&whole, Contents::Outputs, &mut results).unwrap();
        let results = Encrypted::read(&client, Contents::Outputs, from("results", &results)).unwrap();
        let secret = execute::Keys::secret_from_bytes(&client, &secret, None).unwrap();
        let [(_, values)] =
            &execute::decrypt(&client, &secret, &results, &InputSecrets::none()).unwrap().outputs[..]
        else {
            panic!("one output")
        };
        values.as_slice().iter().zip([1.0, 7.0, 1.0]).for_each(|(found, right)| {
            assert!((found - right).abs() < 1e-3, "{scheme}: {found}");
        });

        let evaluated = catch_unwind(AssertUnwindSafe(|| {
            execute::evaluate(&client, keys, inputs(&client), &execute::unwatched).map(drop)
        }));
        let message = *evaluated.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(message, "a back-end of clients neither plans nor evaluates");
    }
}
