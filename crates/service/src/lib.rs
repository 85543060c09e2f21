//! The durable state of a service that evaluates programs on encrypted data.
//!
//! A service holds no secret key. Its clients upload evaluation keys once and encrypted inputs for each job, and fetch encrypted results.
//! This crate keeps all of that in a folder, and computes. It listens on no network: an interface calls it.
//!
//! 1. [`Plans::read`] reads the plans that are served. Clients name a plan by its digest.
//! 2. [`Store::open`] opens the folder, and puts in order what a process that was killed left undone.
//! 3. [`Tokens`] tell who a client is.
//! 4. [`Store::begin_upload`], [`Store::resume_upload`] and [`Upload`] take keys and inputs in pieces. A file counts after it was
//!    checked.
//! 5. [`Store::submit`] accepts a job. [`Worker`] computes it. [`Store::job`], [`Store::wait_for_job`], [`Store::cancel`] and
//!    [`Store::results`] are for its client.
//! 6. [`Store::sweep`] removes what has expired, and [`Store::stop`] ends the service.
//!
//! # What is promised
//! * A call that returned `Ok` has its effect on the disk. A job that was accepted ends once: with results, with a message, or
//!   cancelled. A process that is killed at any time changes none of that.
//! * A client sees its own uploads, files and jobs only.
//! * Everything that comes from a client has a limit ([`Limits`]).
//! * Clients with waiting jobs get equal shares of predicted time.
//!
//! ```
//! use std::sync::Arc;
//!
//! use asanoha_runtime::{
//!     data::{Schema, read_csv},
//!     execute::{self, Contents, Encrypted},
//!     plan::{SecurityCheck, PlanOptions, choose},
//!     program::Program,
//! };
//! use asanoha_ring::Sampler;
//! use asanoha_service::{
//!     Announcement, Begun, ContentKind, Digest, JobState, Plans, Settings, Store, Submission, Worker,
//! };
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().join("store");
//! // Both have the plan.
//! let program = Program::parse("total = sum(price * quantity)")?;
//! let table = read_csv("price,quantity\n110,16\n1600,4\n".as_bytes(), "shop.csv", program.input_names())?;
//! let options = PlanOptions::default();
//! let plan = choose(&program, &Schema::from_table(&table, &[])?, &options)?.into_plan(&options)?;
//! let digest: Digest = plan.digest().parse()?;
//!
//! // The client.
//! let mut sampler = Sampler::from_os();
//! let keys = execute::generate_keys(&plan, &mut sampler);
//! let (mut evaluation, mut inputs) = (Vec::new(), Vec::new());
//! keys.evaluation.write(&plan, &mut evaluation)?;
//! let (encrypted, kept) = execute::encrypt(&plan, &keys.public, &table, &mut sampler)?;
//! encrypted.write(&plan, Contents::Inputs, &mut inputs)?;
//!
//! // The service.
//! let store = Store::open(&folder, Plans::of([plan.clone()], SecurityCheck::Required), Settings::default())?;
//! let client = "alice".parse()?;
//! let upload = |kind, bytes: &[u8]| -> Result<Digest, Box<dyn std::error::Error>> {
//!     let announced =
//!         Announcement { kind, plan: digest, digest: blake3::hash(bytes).into(), bytes: bytes.len() as u64 };
//!     if let Begun::Upload(begun) = store.begin_upload(&client, &announced)? {
//!         let mut upload = store.resume_upload(&client, begun.id, begun.stored_bytes)?;
//!         upload.write(&bytes[begun.stored_bytes as usize..])?;
//!         upload.complete()?;
//!     }
//!     Ok(announced.digest)
//! };
//! let submission = Submission {
//!     plan: digest,
//!     keys: upload(ContentKind::Keys, &evaluation)?,
//!     inputs: upload(ContentKind::Inputs, &inputs)?,
//! };
//! let job = store.submit(&client, &submission, Some(&"order 7".parse()?))?.job;
//! let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?);
//! assert_eq!(Worker::new(&store, pool).run_one()?, Some(job.id));
//! assert!(matches!(store.job(&client, job.id)?.state, JobState::Done { .. }));
//!
//! // The client.
//! let mut results = Vec::new();
//! std::io::Read::read_to_end(&mut store.results(&client, job.id)?.file, &mut results)?;
//! let results = asanoha_lattice::Source::Bytes { name: "results", bytes: &results };
//! let results = Encrypted::read(&plan, Contents::Outputs, results)?;
//! let secret = keys.secret.as_ref().expect("the keys were just made");
//! assert_eq!(execute::decrypt(&plan, secret, &results, &kept)?.outputs[0].1.as_slice(), [8160.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod content_kind;
mod contents;
mod error;
mod faults;
#[cfg(feature = "http")]
pub mod http;
mod jobs;
mod limits;
mod locked;
mod metrics;
mod names;
mod plans;
mod private_files;
mod queue;
mod state;
mod store;
mod store_error;
mod sweep;
mod tokens;
mod upload;
mod watch;
mod worker;

pub use clock::Clock;
pub use content_kind::ContentKind;
pub use contents::ContentView;
pub use error::{RefusalKind, RequestError, Whose};
#[doc(hidden)]
pub use faults::{FaultPoint, Faults};
pub use jobs::{JobState, JobView, ResultFile, Submission, Submitted};
pub use limits::Limits;
pub(crate) use metrics::Metrics;
pub use metrics::MetricsView;
pub use names::{ClientName, Digest, IdempotencyKey, JobId, NameError, TokenId, UploadId};
pub use plans::{PlanView, Plans, PlansError};
pub use state::{Recovery, Settings, Stop};
pub use store::Store;
pub use store_error::{STORE_VERSION, StoreError};
pub use sweep::Swept;
pub use tokens::{TokenError, TokenSecret, TokenView, Tokens};
pub use upload::{Announcement, Begun, Upload, UploadView};
pub use worker::Worker;
