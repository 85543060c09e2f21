//! Plans with keys and inputs, and a service of them.

use std::{
    io::{self, Read},
    path::Path,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use asanoha_lattice::Source;
use asanoha_ring::Sampler;
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, Contents, Encrypted, EvaluationKey},
    plan::{Plan, PlanOptions, SchemeName, SecurityCheck, choose},
    program::Program,
};
use asanoha_service::{
    Announcement, Begun, ClientName, Clock, ContentKind, ContentView, Digest, FaultPoint, Faults, JobId,
    JobView, Limits, Plans, RequestError, Settings, Store, StoreError, Submission, Worker,
};
use rayon::ThreadPool;

/// A plan, and what its client and its server make with it.
pub(crate) struct Fixture {
    pub(crate) plan: Plan,
    pub(crate) digest: Digest,
    /// Files.
    pub(crate) keys: Vec<u8>,
    pub(crate) inputs: Vec<u8>,
    pub(crate) results: Vec<u8>,
    pub(crate) secret: execute::Keys,
    pub(crate) table: Table,
}

pub(crate) fn table(rows: usize) -> Table {
    let column = |name: &str, factor: i64| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole((0..rows as i64).map(|row| factor * row % 11 - 4).collect()),
    };
    Table { columns: vec![column("x", 3), column("y", 7)], rows }
}

pub(crate) fn plan(text: &str, scheme: SchemeName, rows: usize) -> Plan {
    let schema = Schema::from_table(&table(rows), &[]).unwrap();
    let options = PlanOptions { scheme: Some(scheme), ..PlanOptions::default() };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

impl Fixture {
    pub(crate) fn new(plan: Plan, sampler: &mut Sampler) -> Self {
        let table = table(plan.schema.rows);
        let secret = execute::generate_keys(&plan, sampler);
        let (mut keys, mut inputs, mut results) = (Vec::new(), Vec::new(), Vec::new());
        secret.evaluation.write(&plan, &mut keys).unwrap();
        let (encrypted, _) = execute::encrypt(&plan, &secret.public, &table, sampler).unwrap();
        encrypted.write(&plan, Contents::Inputs, &mut inputs).unwrap();
        let server = EvaluationKey::read(&plan, named(&keys)).unwrap();
        let read = Encrypted::read(&plan, Contents::Inputs, named(&inputs)).unwrap();
        let outputs = execute::evaluate(&plan, server, read, &execute::unwatched).unwrap();
        outputs.write(&plan, Contents::Outputs, &mut results).unwrap();
        let digest = plan.digest().parse().unwrap();
        Self { plan, digest, keys, inputs, results, secret, table }
    }

    pub(crate) fn submission(&self) -> Submission {
        let digest = |bytes: &[u8]| blake3::hash(bytes).into();
        Submission { plan: self.digest, keys: digest(&self.keys), inputs: digest(&self.inputs) }
    }

    pub(crate) fn file(&self, kind: ContentKind) -> &[u8] {
        match kind {
            ContentKind::Keys => &self.keys,
            ContentKind::Inputs => &self.inputs,
        }
    }

    /// The same with a plan that predicts something else.
    pub(crate) fn predicting(&self, seconds: f64) -> Plan {
        let mut plan = self.plan.clone();
        (plan.prediction.evaluate_s, plan.prediction.read_s) = (seconds, 0.0);
        plan
    }
}

pub(crate) fn named(bytes: &[u8]) -> Source<'_> {
    Source::Bytes { name: "file", bytes }
}

/// A small plan, which most tests take.
pub(crate) static SMALL: LazyLock<Fixture> =
    LazyLock::new(|| Fixture::new(plan("a = x * y + x", SchemeName::Bgv, 4), &mut Sampler::from_os()));

/// Another plan.
pub(crate) static OTHER: LazyLock<Fixture> =
    LazyLock::new(|| Fixture::new(plan("b = x * x - y", SchemeName::Bgv, 4), &mut Sampler::from_os()));

pub(crate) fn client(name: &str) -> ClientName {
    name.parse().unwrap()
}

/// Where the disk fails, and what happens at its points.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<DiskState>>);

type Hook = Box<dyn FnMut(FaultPoint) + Send>;

#[derive(Default)]
struct DiskState {
    fails_at: Vec<FaultPoint>,
    hook: Option<Hook>,
}

impl Disk {
    pub(crate) fn fails_at(&self, points: &[FaultPoint]) {
        self.0.lock().unwrap().fails_at = points.to_vec();
    }

    /// Calls something at every point from now on.
    pub(crate) fn hook(&self, hook: impl FnMut(FaultPoint) + Send + 'static) {
        self.0.lock().unwrap().hook = Some(Box::new(hook));
    }

    pub(crate) fn faults(&self) -> Faults {
        let disk = self.clone();
        Faults::new(move |point| {
            // The hook may reach another point.
            let hook = disk.0.lock().unwrap().hook.take();
            if let Some(mut hook) = hook {
                hook(point);
                disk.0.lock().unwrap().hook.get_or_insert(hook);
            }
            let fails = disk.0.lock().unwrap().fails_at.contains(&point);
            if fails { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        })
    }
}

/// A service in a folder of its own.
pub(crate) struct Service {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: Arc<Store>,
    pub(crate) now: Arc<AtomicU64>,
    pub(crate) disk: Disk,
    plans: Plans,
    limits: Limits,
}

pub(crate) const START: u64 = 1_800_000_000;

pub(crate) fn pool() -> Arc<ThreadPool> {
    static POOL: LazyLock<Arc<ThreadPool>> =
        LazyLock::new(|| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap()));
    Arc::clone(&POOL)
}

impl Service {
    pub(crate) fn new(limits: Limits) -> Self {
        Self::of(limits, [SMALL.plan.clone(), OTHER.plan.clone()])
    }

    pub(crate) fn of(limits: Limits, plans: impl IntoIterator<Item = Plan>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = Plans::of(plans, SecurityCheck::Required);
        let (now, disk) = (Arc::new(AtomicU64::new(START)), Disk::default());
        let store = open(folder.path(), &plans, &limits, &now, &disk).unwrap();
        Self { folder, store, now, disk, plans, limits }
    }

    /// What the store's folder holds now, opened as after a crash.
    pub(crate) fn snapshot(&self) -> Self {
        self.reopened(copy(self.folder.path()))
    }

    pub(crate) fn reopened(&self, folder: tempfile::TempDir) -> Self {
        self.reopened_with(folder, self.plans.clone())
    }

    pub(crate) fn reopened_with(&self, folder: tempfile::TempDir, plans: Plans) -> Self {
        let disk = Disk::default();
        let store = open(folder.path(), &plans, &self.limits, &self.now, &disk).unwrap();
        Self { folder, store, now: self.now.clone(), disk, plans, limits: self.limits.clone() }
    }

    /// Uploads a file at once.
    pub(crate) fn send(
        &self,
        name: &str,
        kind: ContentKind,
        plan: Digest,
        bytes: &[u8],
    ) -> Result<ContentView, RequestError> {
        send(&self.store, name, kind, plan, bytes)
    }

    /// Uploads the keys and the inputs of a plan.
    pub(crate) fn send_all(&self, name: &str, fixture: &Fixture) {
        for kind in [ContentKind::Keys, ContentKind::Inputs] {
            self.send(name, kind, fixture.digest, fixture.file(kind)).unwrap();
        }
    }

    pub(crate) fn submit(&self, name: &str, key: &str) -> Result<JobView, RequestError> {
        let key = (!key.is_empty()).then(|| key.parse().unwrap());
        self.store.submit(&client(name), &SMALL.submission(), key.as_ref()).map(|submitted| submitted.job)
    }

    pub(crate) fn worker(&self) -> Worker {
        Worker::new(&self.store, pool())
    }

    pub(crate) fn job(&self, name: &str, id: JobId) -> JobView {
        self.store.job(&client(name), id).unwrap()
    }

    pub(crate) fn results(&self, name: &str, id: JobId) -> Vec<u8> {
        let mut results = self.store.results(&client(name), id).unwrap();
        let mut bytes = Vec::new();
        results.file.read_to_end(&mut bytes).unwrap();
        assert_eq!((bytes.len() as u64, blake3::hash(&bytes).into()), (results.bytes, results.digest));
        bytes
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::Relaxed);
    }

    /// The files of a folder of the store.
    pub(crate) fn files(&self, folder: &str) -> usize {
        std::fs::read_dir(self.folder.path().join(folder)).unwrap().count()
    }
}

pub(crate) fn open(
    folder: &Path,
    plans: &Plans,
    limits: &Limits,
    now: &Arc<AtomicU64>,
    disk: &Disk,
) -> Result<Arc<Store>, StoreError> {
    let settings =
        Settings { limits: limits.clone(), clock: Clock::manual(now.clone()), faults: disk.faults() };
    Store::open(folder, plans.clone(), settings)
}

pub(crate) fn announcement(kind: ContentKind, plan: Digest, bytes: &[u8]) -> Announcement {
    Announcement { kind, plan, digest: blake3::hash(bytes).into(), bytes: bytes.len() as u64 }
}

pub(crate) fn send(
    store: &Arc<Store>,
    name: &str,
    kind: ContentKind,
    plan: Digest,
    bytes: &[u8],
) -> Result<ContentView, RequestError> {
    match store.begin_upload(&client(name), &announcement(kind, plan, bytes))? {
        Begun::Complete(view) => Ok(view),
        Begun::Upload(begun) => {
            let mut upload = store.resume_upload(&client(name), begun.id, begun.stored_bytes)?;
            upload.write(&bytes[begun.stored_bytes as usize..])?;
            upload.complete()
        }
    }
}

/// A copy of a folder, for its owner alone.
pub(crate) fn copy(from: &Path) -> tempfile::TempDir {
    fn fill(from: &Path, to: &Path) {
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                std::fs::create_dir(&to).unwrap();
                fill(&entry.path(), &to);
            } else {
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    fill(from, folder.path());
    folder
}

/// Fails unless a refusal says something.
#[track_caller]
pub(crate) fn assert_says<T: std::fmt::Debug, E: std::fmt::Display>(refused: Result<T, E>, says: &str) {
    let error = refused.unwrap_err().to_string();
    assert!(error.contains(says), "{error}\n  doesn't say: {says}");
}
