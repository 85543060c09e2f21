//! The client, who holds the secret key.

use std::{path::PathBuf, sync::Arc};

use asanoha::{
    client::{Client as PlanClient, ClientRecord, Ground, OfInputs, RecordStore},
    execute::{
        self, ClientRecordError, ClientRecordProblem, DecryptionKey, EncryptionKey, ExecuteError, Keys,
        PublicationRecord, generate_keys_to,
    },
    lattice::{FilePieces, Source},
    plan::Plan as Planned,
    ring::{Sampler, Seed},
};
use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::{data::Data, encrypted::Encrypted, fault::Fault, plan::Plan, results::Results, watch::Watch};

/// The keys of a plan, the secret one among them, and what is remembered of what was encrypted with them.
#[wasm_bindgen(js_name = NativeClient)]
#[derive(Debug)]
pub struct Client {
    plan: Arc<Planned>,
    secret: DecryptionKey,
    public: Option<EncryptionKey>,
    /// Nothing after the keys were loaded, or given up.
    evaluation: Option<FilePieces>,
    publications: Option<PublicationRecord>,
    remembered: Vec<ClientRecord>,
    /// For tests.
    seed: Option<Seed>,
}

/// The randomness of a purpose. From a seed it's that of the program's `--seed`.
fn sampler(seed: Option<&Seed>, purpose: &str) -> Sampler {
    seed.map_or_else(Sampler::from_os, |seed| Sampler::new(&seed.derive(purpose, &[])))
}

impl Client {
    fn encrypted(&mut self, data: &Data, canaries: Option<u32>, watch: &Watch) -> Result<Encrypted, Fault> {
        let mut sampler = sampler(self.seed.as_ref(), "encryption");
        let tell = |done, all| watch.tell(done, all);
        let (key, canaries) = (EncryptionKey::from(&self.secret), canaries.map(|count| count as usize));
        let mut client = PlanClient::new(&self.plan, self.secret.id(), &mut self.remembered);
        let inputs = client.encrypt(&key, &data.data, canaries, &mut sampler, &tell)?;
        let mut bytes = Vec::new();
        let (_, record) = inputs.write(&mut bytes)?;
        let made = Encrypted {
            bytes,
            digest: record.inputs().to_owned(),
            record_name: record.file_name(),
            record: record.to_bytes(),
            rows: record.rows,
            left_out: record.left_out.iter().map(|&row| row as u32).collect(),
        };
        client.remember(record)?;
        Ok(made)
    }

    /// Decrypts results by the record of their inputs, of which `save` keeps what canaries change.
    fn decrypted(
        &mut self,
        results: &[u8],
        of: Option<&str>,
        publish: Option<(u32, Option<&[u8]>)>,
        (save, watch): (Option<&Function>, &Watch),
    ) -> Result<Results, Fault> {
        let records = Saved { remembered: &mut self.remembered, save };
        let mut client = PlanClient::new(&self.plan, self.secret.id(), records);
        let of = OfInputs { named: of, ..OfInputs::default() };
        let opened = client.open(named("results", results), &of)?;
        if opened.secrets.canaries().is_some() && save.is_none() {
            return Err(Fault::new(
                "SecretError",
                "canaries are good for a few results, which their record counts: keep it with save: (name, bytes) => …, before the results are given away",
            ));
        }
        let counts =
            publish.is_some_and(|(_, second)| second.is_none() || !self.plan.params.backend().is_exact());
        if counts && self.publications.is_none() {
            return Err(Fault::new(
                "SecretError",
                "this client was loaded without the record of what was published under its key, published.json: load it with the record, or make new keys and encrypt again",
            ));
        }
        let tell = |done, all| watch.tell(done, all);
        let found = if let Some((bits, second)) = publish {
            let ground = second
                .map_or(Ground::TrustedServer, |bytes| Ground::SecondEvaluation(named("sameAs", bytes)));
            client.publish(opened, ground, |plan, results, confirmation| {
                let (shown, publications) = ((Some(bits), confirmation), self.publications.as_mut());
                execute::publish_by(&self.plan, plan, &self.secret, results, shown, publications)
            })?
        } else {
            client.decrypt(&self.secret, opened, &tell)?
        };
        Results::new(&found.plan, found.decrypted, found.left_out)
    }
}

/// Names the bytes that a caller gives, for messages.
pub(crate) fn named<'a>(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
    Source::Bytes { name, bytes }
}

/// Records in memory, of which `save` keeps what canaries change.
struct Saved<'a> {
    remembered: &'a mut Vec<ClientRecord>,
    save: Option<&'a Function>,
}

impl RecordStore for Saved<'_> {
    fn place(&self, inputs: Option<&str>) -> PathBuf {
        self.remembered.place(inputs)
    }

    fn get(&self, inputs: &str) -> Result<Option<ClientRecord>, ClientRecordError> {
        self.remembered.get(inputs)
    }

    fn all(&self) -> Result<Vec<ClientRecord>, ClientRecordError> {
        self.remembered.all()
    }

    fn add(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        self.remembered.add(record)
    }

    fn keep_use(&mut self, record: &mut ClientRecord) -> Result<(), ExecuteError> {
        self.remembered.keep_use(record)?;
        let Some(save) = self.save else { return Ok(()) };
        let (name, bytes) = (record.file_name().into(), Uint8Array::from(&*record.to_bytes()).into());
        save.call2(&JsValue::NULL, &name, &bytes).map(drop).map_err(|_| ExecuteError::Stopped)
    }
}

#[wasm_bindgen(js_class = NativeClient)]
impl Client {
    /// Generates the keys of a plan. `seed` is for tests: 32 bytes from which all secrets follow.
    pub fn generate(plan: &Plan, seed: Option<Vec<u8>>, progress: Option<Function>) -> Result<Self, JsValue> {
        let plan = plan.plan.clone();
        let seed = seed.map(|bytes| <[u8; 32]>::try_from(bytes).map(Seed));
        let seed = seed.transpose().map_err(|_| Fault::data("a seed has 32 bytes"))?;
        let watch = Watch::new(progress);
        let mut evaluation = FilePieces::default();
        let (secret, public) =
            generate_keys_to(&plan, &mut evaluation, &mut sampler(seed.as_ref(), "keys"), &|done, all| {
                watch.tell(done, all)
            })
            .map_err(|error| watch.error(error.into()))?;
        let publications = PublicationRecord::new(&secret).ok();
        let public = plan.params.backend().has_public_key().then_some(public);
        let (evaluation, remembered) = (Some(evaluation), Vec::new());
        Ok(Self { plan, secret, public, evaluation, publications, remembered, seed })
    }

    /// Reads a secret key from the bytes of its file.
    pub fn load(plan: &Plan, secret: Vec<u8>, passphrase: Option<Vec<u8>>) -> Result<Self, JsValue> {
        let (secret, passphrase) = (Zeroizing::new(secret), passphrase.map(Zeroizing::new));
        let plan = plan.plan.clone();
        let passphrase = passphrase.as_ref().map(|passphrase| passphrase.as_slice());
        let secret = Keys::secret_from_bytes(&plan, &secret, passphrase).map_err(Fault::from)?;
        let remembered = Vec::new();
        Ok(Self { plan, secret, public: None, evaluation: None, publications: None, remembered, seed: None })
    }

    /// Adds another file of the folder of keys: the public key, the record of publications, or that of inputs.
    #[wasm_bindgen(js_name = addFile)]
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), JsValue> {
        let key = self.secret.id();
        if name == Keys::FILES[1] {
            let public = Keys::public_from_bytes(&self.plan, bytes).map_err(Fault::from)?;
            if let Some(other) = public.as_ref().map(EncryptionKey::id).filter(|other| *other != key) {
                let message =
                    format!("{name}: is of key generation {other}, and the secret key beside it is of {key}");
                return Err(Fault::new("WrongKeysError", message).into());
            }
            self.public = public;
        } else if name == Keys::RECORD {
            self.publications =
                Some(PublicationRecord::from_bytes(bytes, &self.secret).map_err(Fault::from)?);
        } else {
            let record = ClientRecord::from_bytes(name, bytes).map_err(Fault::from)?;
            if !record.is_for(&self.plan, key) {
                let problem = ClientRecordProblem::Other;
                return Err(Fault::from(ClientRecordError { path: name.into(), problem }).into());
            }
            self.remembered.push(record);
        }
        Ok(())
    }

    /// The key generation.
    #[wasm_bindgen(js_name = keyId)]
    pub fn key_id(&self) -> String {
        self.secret.id().to_string()
    }

    /// The bytes of the secret key's file, encrypted under a passphrase if there is one.
    #[wasm_bindgen(js_name = secretFile)]
    pub fn secret_file(&self, passphrase: Option<Vec<u8>>) -> Result<Uint8Array, JsValue> {
        let passphrase = passphrase.map(Zeroizing::new);
        let passphrase = passphrase.as_ref().map(|passphrase| passphrase.as_slice());
        let bytes = Keys::secret_to_bytes(&self.plan, &self.secret, passphrase).map_err(Fault::from)?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// The bytes of the public key's file, in schemes that have one.
    #[wasm_bindgen(js_name = publicFile)]
    pub fn public_file(&self) -> Result<Option<Vec<u8>>, JsValue> {
        let public = self.public.as_ref().map(|public| Keys::public_to_bytes(&self.plan, public));
        Ok(public.transpose().map_err(Fault::from)?.flatten())
    }

    /// The bytes of the record of publications, unless the client was loaded without it.
    #[wasm_bindgen(js_name = publicationsFile)]
    pub fn publications_file(&self) -> Option<Vec<u8>> {
        Some(self.publications.as_ref()?.to_bytes())
    }

    /// The names of the records of encrypted inputs.
    #[wasm_bindgen(js_name = recordNames)]
    pub fn record_names(&self) -> Vec<String> {
        self.remembered.iter().map(ClientRecord::file_name).collect()
    }

    /// The bytes of the record of encrypted inputs at a place.
    #[wasm_bindgen(js_name = recordFile)]
    pub fn record_file(&self, at: usize) -> Vec<u8> {
        self.remembered[at].to_bytes()
    }

    /// The number of bytes of the evaluation keys; nothing if this client has none.
    #[wasm_bindgen(js_name = evaluationBytes)]
    pub fn evaluation_bytes(&self) -> Option<f64> {
        self.evaluation.as_ref().map(|evaluation| evaluation.bytes() as f64)
    }

    /// A piece of the file of evaluation keys, by its place; nothing after the last.
    #[wasm_bindgen(js_name = evaluationPiece)]
    pub fn evaluation_piece(&self, at: usize) -> Option<Uint8Array> {
        self.evaluation.as_ref()?.pieces().nth(at).map(Uint8Array::from)
    }

    /// Gives up the evaluation keys, whose memory is then used for other things.
    #[wasm_bindgen(js_name = dropEvaluationKeys)]
    pub fn drop_evaluation_keys(&mut self) {
        self.evaluation = None;
    }

    /// Encrypts the data of a plan.
    pub fn encrypt(
        &mut self,
        data: &Data,
        canaries: Option<u32>,
        progress: Option<Function>,
    ) -> Result<Encrypted, JsValue> {
        let watch = Watch::new(progress);
        self.encrypted(data, canaries, &watch).map_err(|fault| watch.error(fault))
    }

    /// Decrypts results, of the inputs of a digest if it isn't empty, for the key holder. `save` is called with the name and the bytes
    /// of a record that changes.
    #[expect(clippy::needless_pass_by_value, reason = "it comes from JavaScript")]
    pub fn decrypt(
        &mut self,
        results: &[u8],
        of: &str,
        save: Option<Function>,
        progress: Option<Function>,
    ) -> Result<Results, JsValue> {
        let watch = Watch::new(progress);
        self.decrypted(results, Some(of).filter(|of| !of.is_empty()), None, (save.as_ref(), &watch))
            .map_err(|fault| watch.error(fault))
    }

    /// Decrypts results, of the inputs of a digest if it isn't empty, so that others may see them: on the ground of results of a second
    /// evaluation, or else of the caller's trust in the server. Approximate ones get noise of so many bits of statistical security.
    #[expect(clippy::needless_pass_by_value, reason = "they come from JavaScript")]
    pub fn publish(
        &mut self,
        results: &[u8],
        of: &str,
        bits: u32,
        second: Option<Vec<u8>>,
        save: Option<Function>,
    ) -> Result<Results, JsValue> {
        let watch = Watch::new(None);
        let of = Some(of).filter(|of| !of.is_empty());
        self.decrypted(results, of, Some((bits, second.as_deref())), (save.as_ref(), &watch))
            .map_err(|fault| watch.error(fault))
    }
}
