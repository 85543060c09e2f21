//! The client of a plan, who holds the secret key: what it encrypts, what it remembers of it, and how it decrypts results by that.
//!
//! ```text
//! data ──► canaries, constants ──► encrypted inputs ──► server
//!                    │                                    │
//!                    └──────► record, kept ──► results ◄──┘
//! ```
//!
//! The steps beneath, which remember nothing, are in [`execute`].

mod backup;
mod error;
mod record;
mod records;

use asanoha_backends::{Contents, DecryptionKey, EncryptionKey, Progress};
use asanoha_lattice::{Destination, FileError, FileReader, KeyId, Source};
use asanoha_ring::Sampler;

use crate::{
    data::{Data, Table},
    execute::{
        self, Canaries, ClientRecordError, ClientRecordProblem, Confirmation, Decrypted, Encrypted,
        ExecuteError, InputSecrets, encrypt_with_progress,
    },
    plan::Plan,
};

pub use backup::{Backup, back_up};
pub use error::{ClientError, shortened};
pub use record::ClientRecord;
pub use records::{OfInputs, RecordStore};

/// The client of a plan, with the place where it keeps its records: a folder of keys, or memory.
///
/// It encrypts data, of which it keeps a record, and decrypts results by the record of their inputs: without the canaries that it
/// inserted, and with the constants that it took away.
///
/// ```
/// use asanoha_lattice::Source;
/// use asanoha_ring::Sampler;
/// use asanoha_runtime::{
///     client::{Client, ClientRecord, OfInputs},
///     data::{Data, Reading, Schema},
///     execute::{self, Contents, Encrypted, unwatched},
///     plan::choose,
///     program::Program,
/// };
///
/// let program = Program::parse("total = sum(price * quantity)")?;
/// let text = "price,quantity\n110,16\n1600,4\n";
/// let data = Data::from_reader(text.as_bytes(), "shop.csv", program.input_names(), &Reading::default())?;
/// let schema = data.schema(&[])?;
/// let plan = choose(&program, &schema, &Default::default())?.into_plan(&Default::default())?;
///
/// let mut sampler = Sampler::from_os();
/// let keys = execute::generate_keys(&plan, &mut sampler);
/// let records: Vec<ClientRecord> = Vec::new(); // or the path of the folder of keys
/// let mut client = Client::new(&plan, keys.public.id(), records);
/// let inputs = client.encrypt(&keys.public, &data, None, &mut sampler, &unwatched)?;
/// let mut sent = Vec::new();
/// let (_, record) = inputs.write(&mut sent)?;
/// client.remember(record)?;
///
/// // The server reads them and returns results.
/// let inputs = Encrypted::read(&plan, Contents::Inputs, Source::Bytes { name: "inputs", bytes: &sent })?;
/// let results = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &unwatched)?;
/// let mut returned = Vec::new();
/// results.write(&plan, Contents::Outputs, &mut returned)?;
///
/// let opened = client.open(Source::Bytes { name: "results", bytes: &returned }, &OfInputs::default())?;
/// let secret = keys.secret.as_ref().expect("the keys were just made");
/// let found = client.decrypt(secret, opened, &unwatched)?;
/// assert_eq!(found.decrypted.outputs[0].1.as_slice(), [8160.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Client<'c, R> {
    plan: &'c Plan,
    key: Option<KeyId>,
    records: R,
}

impl<'c, R: RecordStore> Client<'c, R> {
    /// The client of a plan, which isn't narrowed to some rows ([`Plan::for_rows`]), with a key generation. Where that isn't known yet,
    /// results under any key are opened, and decryption refuses those under another.
    pub fn new(plan: &'c Plan, key: impl Into<Option<KeyId>>, records: R) -> Self {
        Self { plan, key: key.into(), records }
    }

    /// Encrypts data with `canaries` canary rows among them, if any are asked for. The inputs are for as many rows as there are then.
    ///
    /// # Errors
    /// The errors of [`execute::encrypt`], and canaries that can't be inserted.
    pub fn encrypt(
        &self,
        key: &EncryptionKey,
        data: &Data,
        canaries: Option<usize>,
        sampler: &mut Sampler,
        progress: Progress,
    ) -> Result<NewInputs<'c>, ExecuteError> {
        let (plan, table, canaries) = match canaries {
            None => (self.plan.for_rows(data.table.rows)?, None, None),
            Some(count) => {
                let (plan, table, canaries) = Canaries::insert(self.plan, &data.table, count, sampler)?;
                (plan, Some(table), Some(canaries))
            }
        };
        let table = table.as_ref().unwrap_or(&data.table);
        let (encrypted, secrets) = encrypt_with_progress(&plan, key, table, sampler, progress)?;
        let secrets = InputSecrets { canaries, ..secrets };
        Ok(NewInputs { all_rows: self.plan, plan, encrypted, secrets, left_out: data.left_out.clone() })
    }

    /// Keeps the record of inputs that were written. Whoever gets them can't decrypt their results without it.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn remember(&mut self, record: ClientRecord) -> Result<(), ClientRecordError> {
        self.records.add(record)
    }

    /// Reads the beginning of results, and finds the record of the inputs that they're of.
    ///
    /// # Errors
    /// Results of another plan, under another key or of other inputs than the caller names, and a record that is missing, damaged or
    /// isn't the only one that the results may mean.
    pub fn open<'s>(
        &self,
        results: impl Into<Source<'s>>,
        of: &OfInputs<'_>,
    ) -> Result<OpenedResults<'s>, ClientError> {
        let source = results.into();
        let header = FileReader::summary(source)?.header;
        header
            .check(Contents::Outputs.kind(), self.plan.params.digest())
            .map_err(|problem| FileError { path: source.name(), problem })?;
        let stated = header.fields.get("inputs").and_then(|inputs| inputs.as_str());
        let told = || stated.unwrap_or_default().to_owned();
        if let Some(named) = of.named.filter(|&named| Some(named) != stated) {
            return Err(ClientError::OtherInputs { stated: told(), named: named.to_owned() });
        }
        // The record of results under other keys isn't here either, and that isn't what is wrong.
        if let Some(key) = self.key.filter(|&key| key != header.key) {
            let (which, ciphertexts) = ("secret key", header.key);
            return Err(ExecuteError::OtherKeys { which, key, ciphertexts }.into());
        }
        let found = records::find(&self.records, (self.plan, header.key), stated, of);
        let record = found.map_err(|error| match error.problem {
            ClientRecordProblem::Missing | ClientRecordProblem::NoCentres { .. } => {
                ClientError::NoRecord { stated: told(), error }
            }
            _ => ExecuteError::from(error).into(),
        })?;
        let rows = record.as_ref().map_or(of.rows.unwrap_or(self.plan.schema.rows), |record| record.rows);
        let plan = self.plan.for_rows(rows).map_err(ExecuteError::from)?;
        let secrets = record.as_ref().map_or_else(InputSecrets::none, ClientRecord::secrets);
        let rotations = of.rotations.unwrap_or(secrets.rotations);
        Ok(OpenedResults { source, plan, record, secrets: secrets.after_rotations(rotations) })
    }

    /// Decrypts results, for the key holder.
    ///
    /// # Errors
    /// The errors of [`OpenedResults::read`] and [`Self::decrypt_by`].
    pub fn decrypt(
        &mut self,
        secret: &DecryptionKey,
        opened: OpenedResults<'_>,
        progress: Progress,
    ) -> Result<ClientResults<Decrypted>, ClientError> {
        self.results_by(opened, |opened, results| {
            execute::decrypt_with_progress(&opened.plan, secret, results, &opened.secrets, progress)
        })
    }

    /// Decrypts results of a part of the rows, which a plan merges with others.
    ///
    /// # Errors
    /// The errors of [`OpenedResults::read`] and [`Self::decrypt_by`].
    pub fn decrypt_part(
        &mut self,
        secret: &DecryptionKey,
        opened: OpenedResults<'_>,
        progress: Progress,
    ) -> Result<ClientResults<execute::Part>, ClientError> {
        self.results_by(opened, |opened, results| {
            execute::decrypt_part(&opened.plan, secret, results, &opened.secrets, progress)
        })
    }

    /// Decrypts results that may be shown to others, on some ground. `publish` is [`execute::publish`] or [`execute::publish_by`] with a
    /// place for what is counted.
    ///
    /// # Errors
    /// The errors of [`OpenedResults::read`], [`Self::decrypt_by`] and [`execute::publish`].
    pub fn publish(
        &mut self,
        opened: OpenedResults<'_>,
        ground: Ground<'_>,
        publish: impl FnOnce(&Plan, Recorded<'_>, Confirmation<'_>) -> Result<Decrypted, ExecuteError>,
    ) -> Result<ClientResults<Decrypted>, ClientError> {
        self.results_by(opened, |opened, results| {
            let second = ground.second_digest(&opened.plan)?;
            publish(&opened.plan, (results, &opened.secrets), ground.confirmation(second.as_deref()))
        })
    }

    /// Decrypts results by the record of their inputs, which keeps the use of canaries: these are good for a few different results, and
    /// for none once they were wrong.
    ///
    /// # Errors
    /// [`CanaryError::Spent`](execute::CanaryError::Spent), [`CanaryError::UsedUp`](execute::CanaryError::UsedUp), and those of
    /// `decrypt` and of the place of records.
    pub fn decrypt_by<T>(
        &mut self,
        opened: &mut OpenedResults<'_>,
        results: &Encrypted,
        decrypt: impl FnOnce(&OpenedResults<'_>) -> Result<T, ExecuteError>,
    ) -> Result<T, ExecuteError> {
        let Some(mut record) = opened.record.take() else { return decrypt(opened) };
        let digest = results.digest.as_deref().unwrap_or_default();
        let decrypted = record.decrypt(digest, |record| self.records.keep_use(record), || decrypt(opened));
        opened.record = Some(record);
        decrypted
    }

    fn results_by<T>(
        &mut self,
        mut opened: OpenedResults<'_>,
        decrypt: impl FnOnce(&OpenedResults<'_>, &Encrypted) -> Result<T, ExecuteError>,
    ) -> Result<ClientResults<T>, ClientError> {
        let results = opened.read()?;
        let decrypted = self.decrypt_by(&mut opened, &results, |opened| decrypt(opened, &results))?;
        let left_out = opened.left_out().to_vec();
        Ok(ClientResults { plan: opened.plan, decrypted, left_out })
    }
}

/// Results of a plan, and the client's secrets of their inputs.
pub type Recorded<'a> = (&'a Encrypted, &'a InputSecrets);

/// Inputs that were encrypted, which aren't written yet.
#[derive(Debug)]
pub struct NewInputs<'c> {
    all_rows: &'c Plan,
    /// The plan for their rows.
    pub plan: Plan,
    /// The encrypted columns.
    pub encrypted: Encrypted,
    secrets: InputSecrets,
    left_out: Vec<usize>,
}

impl NewInputs<'_> {
    /// Writes the inputs to a file or to memory. Returns its length in bytes, and the record that decryption needs: the client
    /// [remembers](Client::remember) it before it gives the inputs away.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn write<'d>(&self, to: impl Into<Destination<'d>>) -> Result<(u64, ClientRecord), FileError> {
        let (bytes, digest) = self.encrypted.write_digested(&self.plan, Contents::Inputs, to)?;
        let (rows, secrets) = (self.plan.schema.rows, self.secrets.clone());
        let mut record = ClientRecord::new(self.all_rows, self.encrypted.key, &digest, rows, secrets);
        record.left_out.clone_from(&self.left_out);
        Ok((bytes, record))
    }

    /// Returns true if columns are less a constant that the record alone has.
    pub fn has_constants(&self) -> bool {
        self.secrets.has_constants()
    }
}

/// Results whose beginning was read, with what the client knows of their inputs.
#[derive(Debug)]
pub struct OpenedResults<'s> {
    source: Source<'s>,
    /// The plan for their rows.
    pub plan: Plan,
    record: Option<ClientRecord>,
    /// The secrets of their inputs.
    pub secrets: InputSecrets,
}

impl OpenedResults<'_> {
    /// Reads the results.
    ///
    /// # Errors
    /// The errors of [`Encrypted::read`].
    pub fn read(&self) -> Result<Encrypted, FileError> {
        Encrypted::read(&self.plan, Contents::Outputs, self.source)
    }

    /// Returns the record of their inputs, or `None` if the caller stated the rows in its place.
    pub fn record(&self) -> Option<&ClientRecord> {
        self.record.as_ref()
    }

    /// Returns the rows of the data, from 0, that were left out because they miss a value.
    pub fn left_out(&self) -> &[usize] {
        self.record.as_ref().map_or(&[], |record| &record.left_out)
    }
}

/// Decrypted results of some inputs.
#[derive(Debug)]
pub struct ClientResults<T> {
    /// The plan for the rows of the inputs.
    pub plan: Plan,
    /// The results.
    pub decrypted: T,
    /// The rows of the data, from 0, that were left out because they miss a value.
    pub left_out: Vec<usize>,
}

/// The ground on which results may be shown to others, as the caller gives it ([`Confirmation`]).
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    /// The results of a second evaluation.
    SecondEvaluation(Source<'a>),
    /// All data that were encrypted.
    PlainComputation(&'a Table),
    /// The caller's trust in the server.
    TrustedServer,
}

impl Ground<'_> {
    /// The digest of the results of a second evaluation, which must be results of the plan.
    fn second_digest(&self, plan: &Plan) -> Result<Option<String>, ExecuteError> {
        let Self::SecondEvaluation(second) = self else { return Ok(None) };
        let second = Encrypted::read(plan, Contents::Outputs, *second);
        Ok(second.map_err(|error| ExecuteError::Backend(Box::new(error)))?.digest)
    }

    fn confirmation<'b>(&'b self, second: Option<&'b str>) -> Confirmation<'b> {
        match self {
            Self::SecondEvaluation(_) => Confirmation::SecondEvaluation(second.unwrap_or_default()),
            Self::PlainComputation(table) => Confirmation::PlainComputation(table),
            Self::TrustedServer => Confirmation::TrustedServer,
        }
    }
}
