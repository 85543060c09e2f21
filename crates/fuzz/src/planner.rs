//! Plans, and the keys, ciphertexts and records of their execution.

use std::path::Path;

use asanoha::{
    ckks::PublicationId,
    client::{Backup, ClientRecord, RecordStore, back_up},
    execute::{
        self, Contents, DecryptionKey, Encrypted, EvaluationKey, InputSecrets, Keys, MOST_REENCRYPTIONS,
        PublicationRecord, ReencryptionKey,
    },
    lattice::Source,
    plan::{Plan, SecurityCheck},
    ring::{Sampler, Seed},
};

use crate::{Fixture, Scheme, Use, all, backend, corrected, file, fixture};

/// The passphrase of sealed keys.
pub(crate) const PASSPHRASE: &[u8] = b"fuzz";
/// The digest of the inputs that records are of.
pub(crate) const INPUTS: &str = "7777777777777777777777777777777777777777777777777777777777777777";
/// The largest ring in which keys are made for a plan.
const MOST_COEFFICIENTS: usize = 1 << 10;

/// A plan, as it is and with its security checked.
pub fn plan(bytes: &[u8]) -> Option<Use> {
    let plan = Plan::from_json(bytes, "fuzz.json", SecurityCheck::Waived, backend()).ok()?;
    let strict = Plan::from_json(bytes, "fuzz.json", SecurityCheck::Required, backend()).is_ok();
    Some(Box::new(move || {
        let text = plan.to_json();
        let again = Plan::from_json(text.as_bytes(), "fuzz.json", SecurityCheck::Waived, backend());
        let again = again.expect("a plan's own text is a plan");
        assert_eq!(again.digest(), plan.digest(), "a plan reads back as another");
        assert_eq!(again.to_json(), text);
        let secure = plan.params.security_bits() >= plan.security && !plan.params.is_insecure();
        assert_eq!(strict, secure, "security that is claimed isn't what is checked");
        if plan.params.ring_degree() <= MOST_COEFFICIENTS {
            let keys = execute::generate_keys(&plan, &mut Sampler::new(&Seed([7; 32])));
            assert_eq!(keys.evaluation.id(), keys.public.id());
        }
    }))
}

/// Decrypts results, as if the keys had been replaced as often as they state: they're numbers, or refused.
fn decrypt(plan: &Plan, secret: &DecryptionKey, outputs: &Encrypted) {
    let secrets = InputSecrets::none().after_rotations(outputs.reencryptions.count());
    if let Ok(decrypted) = execute::decrypt(plan, secret, outputs, &secrets) {
        let finite = |value: &f64| value.is_finite();
        assert!(decrypted.outputs.iter().all(|(_, values)| values.as_slice().iter().all(finite)));
    }
}

/// Evaluates a fixture's plan, and decrypts the results.
fn evaluate(fixture: &Fixture, key: EvaluationKey, inputs: Encrypted) {
    let keys = keys_of(fixture, &inputs);
    if let Ok(outputs) = execute::evaluate(&fixture.plan, key, inputs, &execute::unwatched) {
        decrypt(&fixture.plan, keys.secret.as_ref().expect("fixtures have secrets"), &outputs);
    }
}

/// The keys of a fixture that ciphertexts are under, or say so.
fn keys_of<'f>(fixture: &'f Fixture, encrypted: &Encrypted) -> &'f Keys {
    let rotated = fixture.rotated.as_ref().map(|rotated| &rotated.keys);
    rotated.filter(|keys| keys.public.id() == encrypted.key).unwrap_or(&fixture.keys)
}

/// A file of a key of any of the three kinds, of which the digest is corrected first.
pub fn key(bytes: &[u8]) -> Option<Use> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for name in Keys::FILES {
        std::fs::write(folder.path().join(name), corrected(bytes)).expect("a file can be written");
    }
    let mut uses: Vec<Use> = Vec::new();
    for scheme in Scheme::ALL {
        let fixture = fixture(scheme);
        let Fixture { plan, table, inputs, outputs, .. } = fixture;
        if let Ok(secret) = Keys::read_secret(plan, folder.path(), None) {
            uses.push(Box::new(move || decrypt(plan, &secret, outputs)));
        }
        if let Ok(public) = Keys::read_public(plan, folder.path()) {
            uses.push(Box::new(move || {
                let encrypted = execute::encrypt(plan, &public, table, &mut Sampler::from_os());
                evaluate(fixture, fixture.keys.evaluation.clone(), encrypted.expect("the data fit").0);
            }));
        }
        for read in [Keys::open_evaluation, Keys::read_evaluation] {
            if let Ok(evaluation) = read(plan, folder.path()) {
                uses.push(Box::new(move || evaluate(fixture, evaluation, inputs.clone())));
            }
        }
    }
    // Opened keys are read while they're used.
    uses.extend((!uses.is_empty()).then(|| -> Use { Box::new(move || drop(folder)) }));
    all(uses)
}

/// A secret key under a passphrase. Reading takes as long as the header says.
pub fn seal(bytes: &[u8]) -> Option<Use> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("secret.sealed"), bytes).expect("a file can be written");
    let Fixture { plan, outputs, .. } = fixture(Scheme::Bgv);
    let secret = Keys::read_secret(plan, folder.path(), Some(PASSPHRASE)).ok()?;
    Some(Box::new(move || decrypt(plan, &secret, outputs)))
}

/// A backup of keys that isn't encrypted, of which the digest is corrected first.
pub fn backup(bytes: &[u8]) -> Option<Use> {
    let mut bytes = bytes.to_vec();
    if let Some((body, digest)) = bytes.split_last_chunk_mut::<32>() {
        *digest = *blake3::hash(body.get(16..).unwrap_or_default()).as_bytes();
    }
    let backup = Backup::of_bytes(Path::new("fuzz.backup"), bytes).ok()?;
    // Those under a passphrase are read as sealed keys are.
    let files = backup.open(None).ok()?;
    Some(Box::new(move || {
        let folder = tempfile::tempdir().expect("a folder can be made");
        // Files of two key generations are an error.
        let _ = files.write(folder.path());
        let written = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(written, files.names().len(), "files are written elsewhere");
    }))
}

/// A file of encrypted inputs or results of any scheme, of which the digest is corrected first.
fn values(bytes: &[u8], contents: Contents, used: fn(&Fixture, Encrypted)) -> Option<Use> {
    let file = file(&corrected(bytes));
    let read = |scheme| -> Option<Use> {
        let fixture = fixture(scheme);
        let found = Encrypted::read(&fixture.plan, contents, file.path()).ok()?;
        Some(Box::new(move || {
            let inputs = contents == Contents::Inputs;
            let fresh = if inputs { &fixture.inputs } else { &fixture.outputs };
            let rotated = fixture.rotated.as_ref();
            let rotated = rotated.map(|rotated| if inputs { &rotated.inputs } else { &rotated.outputs });
            // Noise tells how often ciphertexts were re-encrypted.
            let known = [Some(fresh), rotated].into_iter().flatten();
            if let Some(expected) = known.into_iter().find(|known| known.reencryptions == found.reencryptions)
            {
                assert_eq!(found.described(), expected.described(), "states that the plan doesn't give");
            } else {
                let all = found.reencryptions.count();
                assert!(rotated.is_some() && (1..=MOST_REENCRYPTIONS).contains(&all));
            }
            used(fixture, found);
        }))
    };
    all(Scheme::ALL.into_iter().filter_map(read).collect())
}

/// A file of encrypted inputs.
pub fn ciphertext(bytes: &[u8]) -> Option<Use> {
    values(bytes, Contents::Inputs, |fixture, inputs| {
        evaluate(fixture, keys_of(fixture, &inputs).evaluation.clone(), inputs);
    })
}

/// A file of encrypted results.
pub fn result(bytes: &[u8]) -> Option<Use> {
    values(bytes, Contents::Outputs, |fixture, outputs| {
        let secret = keys_of(fixture, &outputs).secret.as_ref().expect("fixtures have secrets");
        decrypt(&fixture.plan, secret, &outputs);
    })
}

/// A key that re-encrypts, of which the digest is corrected first.
pub fn reencryption(bytes: &[u8]) -> Option<Use> {
    let bytes = corrected(bytes);
    let read = |scheme| -> Option<Use> {
        let fixture = fixture(scheme);
        let (plan, rotated) = (&fixture.plan, fixture.rotated.as_ref()?);
        let key = ReencryptionKey::read(plan, Source::Bytes { name: "fuzz", bytes: &bytes }).ok()?;
        Some(Box::new(move || {
            let mut written = Vec::new();
            key.write(plan, &mut written).expect("memory can be written to");
            let again = ReencryptionKey::read(plan, Source::Bytes { name: "fuzz", bytes: &written });
            let again = again.expect("what is written is a key");
            assert_eq!([again.from(), again.to()], [key.from(), key.to()]);
            let (inputs, outputs) = (fixture.inputs.clone(), fixture.outputs.clone());
            for (contents, old) in [(Contents::Inputs, inputs), (Contents::Outputs, outputs)] {
                // As if they were under the key that it takes.
                let old = Encrypted { key: key.from(), ..old };
                let found = execute::reencrypt(plan, &key, contents, old, &execute::unwatched);
                let key = rotated.keys.public.id();
                let found = Encrypted { key, ..found.expect("there is room") };
                if contents == Contents::Inputs {
                    evaluate(fixture, rotated.keys.evaluation.clone(), found);
                } else {
                    decrypt(plan, rotated.keys.secret.as_ref().expect("fixtures have secrets"), &found);
                }
            }
        }))
    };
    all(Scheme::ALL.into_iter().filter_map(read).collect())
}

/// A client's record of encrypted inputs, or of publications, in the folder of its keys.
pub fn record(bytes: &[u8]) -> Option<Use> {
    let Fixture { plan, keys, .. } = fixture(Scheme::Ckks);
    let secret = keys.secret.as_ref()?;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("a file can be written");
    };
    write(&format!("inputs-{INPUTS}.json"), bytes);
    if let Ok(Some(record)) = folder.path().get(INPUTS)
        && record.is_for(plan, secret.id())
    {
        return Some(Box::new(move || {
            // Rows that the plan isn't for are an error.
            let _ = plan.for_rows(record.rows);
        }));
    }
    // The key's file is locked.
    write(Keys::FILES[0], &[]);
    write(Keys::RECORD, bytes);
    let mut record = PublicationRecord::open(folder.path(), secret).ok()?;
    Some(Box::new(move || {
        let count = record.count();
        let ordinal = record.ordinal(PublicationId([1; 32])).expect("there are few");
        assert!(ordinal.get() <= count + 1);
        let _ = record.show(INPUTS, Some(30), 5, 100);
        record.write().expect("a record can be written");
        drop(folder);
    }))
}

/// The files of the targets above that aren't made for every fixture, with the targets' names.
pub(crate) fn files() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let Fixture { plan, keys, table, .. } = fixture(Scheme::Ckks);
    keys.write(plan, folder.path()).expect("keys");
    let record = ClientRecord::new(plan, keys.public.id(), INPUTS, table.rows, InputSecrets::none());
    record.write(folder.path()).expect("a record");
    let records = [
        ("record", "inputs.json", read(&format!("inputs-{INPUTS}.json"))),
        ("record", "published.json", read(Keys::RECORD)),
    ];
    let backup = back_up(folder.path(), None).expect("a backup").to_vec();
    let Fixture { plan, keys, .. } = fixture(Scheme::Bgv);
    keys.write_sealed(plan, folder.path(), PASSPHRASE).expect("a sealed key");
    let others = [("seal", "secret.sealed", read("secret.sealed")), ("backup", "keys.backup", backup)];
    records.into_iter().chain(others).collect()
}
