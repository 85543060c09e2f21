//! `asanoha remote`: has a server evaluate; encrypts and decrypts here.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use asanoha::{
    execute::{Keys, plan_of},
    http::{BearerToken, Endpoint},
    lattice::FileReader,
    output::Unfinished,
    plan::Plan,
    service::{
        ContentKind, Digest, IdempotencyKey, JobId, JobState, JobView, Submission,
        http::{FetchLimits, RemoteClient, Sent},
    },
};
use serde::Serialize;
use zeroize::Zeroizing;

use super::super::{decrypt, encrypt};
use crate::{
    args::{
        DecryptArgs, EncryptArgs, RemoteArgs, RemoteCommand, RemoteEncryptArgs, RemoteFetchArgs,
        RemoteJobArgs, RemoteRunArgs, RemoteSubmitArgs, ShowingArgs,
    },
    error::Failure,
    figures,
    files::{folder_of, read_small, unwritable},
    progress::Progress,
    report::{self, Report},
    scratch::Scratch,
    session::Session,
    target::Target,
};

/// The variable of the environment that holds a token.
const VARIABLE: &str = "ASANOHA_TOKEN";

#[derive(Debug, Serialize)]
struct SentReport {
    digest: Digest,
    bytes: u64,
    /// The bytes that were sent now.
    sent_bytes: u64,
}

impl From<&Sent> for SentReport {
    fn from(Sent { content, sent_bytes }: &Sent) -> Self {
        Self { digest: content.digest, bytes: content.bytes, sent_bytes: *sent_bytes }
    }
}

#[derive(Debug, Serialize)]
struct SubmittedReport {
    /// The job's identifier.
    job: String,
    state: &'static str,
    predicted_s: f64,
    /// Predicted seconds until it begins, while it waits.
    wait_s: Option<f64>,
    keys: SentReport,
    inputs: SentReport,
}

#[derive(Debug, Serialize)]
struct FetchedReport {
    job: String,
    state: &'static str,
    file_bytes: u64,
    /// The digest of the inputs, as the results say.
    inputs_digest: Option<String>,
    /// Seconds that the server took.
    evaluate_s: f64,
}

#[derive(Debug, Serialize)]
struct JobReport {
    job: String,
    state: &'static str,
}

pub(in crate::commands) fn remote(session: &Session, command: &RemoteCommand) -> Result<Report, Failure> {
    match command {
        RemoteCommand::Run(args) => run(session, args),
        RemoteCommand::Encrypt(args) => encrypt_and_send(session, args),
        RemoteCommand::Submit(args) => submit(session, args),
        RemoteCommand::Fetch(args) => fetch(session, args),
        RemoteCommand::Cancel(args) => cancel(args),
    }
}

fn state(job: &JobView) -> &'static str {
    match job.state {
        JobState::Waiting { .. } => "waiting",
        JobState::Running { .. } => "running",
        JobState::Done { .. } => "done",
        JobState::Failed { .. } => "failed",
        JobState::Cancelled => "cancelled",
    }
}

fn client(args: &RemoteArgs) -> Result<RemoteClient, Failure> {
    let token = match &args.token_file {
        Some(path) => Zeroizing::new(String::from_utf8(read_small(path)?).unwrap_or_default()),
        None => Zeroizing::new(std::env::var(VARIABLE).unwrap_or_default()),
    };
    if token.trim().is_empty() {
        return Err(Failure::usage(
            "the server needs a token: give it in a file by --token-file, or in the variable ASANOHA_TOKEN",
        ));
    }
    let certificate = args.certificate.as_deref().map(read_small).transpose()?;
    let endpoint =
        Endpoint::new(&args.server, certificate.as_deref())?.with_token(BearerToken::new(token.trim())?);
    Ok(RemoteClient::new(endpoint, Duration::from_secs(args.patience)))
}

/// The digest by which a server knows a plan.
fn digest_of(session: &Session, plan: &Path) -> Result<Digest, Failure> {
    let digest = session.read_plan(plan)?.digest();
    Ok(digest.parse().expect("plans have BLAKE3 digests"))
}

fn send(
    client: &RemoteClient,
    kind: ContentKind,
    plan: Digest,
    path: &Path,
    what: &'static str,
) -> Result<Sent, Failure> {
    let progress = Progress::start(what);
    let tell = |done: u64, all: u64| progress.set((done >> 10) as usize, (all >> 10).max(1) as usize);
    Ok(client.send(kind, plan, path, &tell)?)
}

/// Sends keys and inputs, and submits the job; what was sent, and the job.
fn submitted(
    session: &Session,
    client: &RemoteClient,
    (plan, keys, input): (&Path, &Path, &Path),
    key: Option<&IdempotencyKey>,
) -> Result<([Sent; 2], JobView), Failure> {
    let digest = digest_of(session, plan)?;
    let keys =
        send(client, ContentKind::Keys, digest, &evaluation_file(keys), "sending the evaluation keys")?;
    let inputs = send(client, ContentKind::Inputs, digest, input, "sending the encrypted columns")?;
    let submission = Submission { plan: digest, keys: keys.content.digest, inputs: inputs.content.digest };
    let own: IdempotencyKey = inputs.content.digest.to_string().parse().expect("hexadecimal digits");
    let job = client.submit(&submission, key.unwrap_or(&own))?;
    Ok(([keys, inputs], job))
}

fn evaluation_file(keys: &Path) -> PathBuf {
    keys.join(Keys::FILES[2])
}

fn submit(session: &Session, args: &RemoteSubmitArgs) -> Result<Report, Failure> {
    let client = client(&args.remote)?;
    let files = (&*args.plan, &*args.keys, &*args.input);
    let ([keys, inputs], job) = submitted(session, &client, files, args.idempotency_key.as_ref())?;
    let wait_s = match job.state {
        JobState::Waiting { wait_s, .. } => Some(wait_s),
        _ => None,
    };
    let mut lines = report::lines();
    lines
        .line("job", job.id)
        .line("state", state(&job))
        .line(
            "predicted",
            format_args!(
                "{}{}",
                figures::seconds(job.predicted_s),
                wait_s.map_or_else(String::new, |wait| format!(
                    ", after {} of waiting",
                    figures::seconds(wait)
                ))
            ),
        )
        .line("sent", figures::bytes(keys.sent_bytes + inputs.sent_bytes));
    let report = SubmittedReport {
        job: job.id.to_string(),
        state: state(&job),
        predicted_s: job.predicted_s,
        wait_s,
        keys: (&keys).into(),
        inputs: (&inputs).into(),
    };
    Ok(Report::new(&report, lines.text()))
}

fn encrypt_and_send(session: &Session, args: &RemoteEncryptArgs) -> Result<Report, Failure> {
    // What can be refused is refused before the work.
    let client = client(&args.remote)?;
    if crate::target::is_stdout(&args.encrypt.out) {
        return Err(Failure::usage("--out -: the columns are sent from their file: name one"));
    }
    let digest = digest_of(session, &args.encrypt.plan)?;
    let report = encrypt::encrypt(session, &args.encrypt)?;
    let file = evaluation_file(&args.encrypt.keys);
    let keys = send(&client, ContentKind::Keys, digest, &file, "sending the evaluation keys")?;
    let inputs =
        send(&client, ContentKind::Inputs, digest, &args.encrypt.out, "sending the encrypted columns")?;
    let sent = figures::bytes(keys.sent_bytes + inputs.sent_bytes);
    let sent_reports = [SentReport::from(&keys), SentReport::from(&inputs)];
    let [keys, inputs] = &sent_reports;
    Ok(report.with(
        "remote",
        &serde_json::json!({ "keys": keys, "inputs": inputs }),
        &format!("sent        {sent}\n"),
    ))
}

/// Waits for a job, and writes its results to a file, as far as the plan and the caller allow.
fn fetch_to(
    client: &RemoteClient,
    job: &JobId,
    path: &Path,
    limits: FetchLimits,
) -> Result<FetchedReport, Failure> {
    let progress = Progress::start("waiting for the server");
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
        .map_err(|error| unwritable(path, error))?;
    let tell_job = |job: &JobView| {
        if let JobState::Running { fraction, .. } = job.state {
            progress.set((fraction * 1000.0) as usize, 1000);
        }
    };
    let fetched = client.fetch(job, (&mut file, path), limits, (&tell_job, &|_, _| ()))?;
    let JobState::Done { seconds, .. } = fetched.job.state else {
        unreachable!("only done jobs are fetched")
    };
    Ok(FetchedReport {
        job: job.to_string(),
        state: state(&fetched.job),
        file_bytes: fetched.bytes,
        inputs_digest: FileReader::summary(path)?.header.fields["inputs"].as_str().map(str::to_owned),
        evaluate_s: seconds,
    })
}

fn fetch(session: &Session, args: &RemoteFetchArgs) -> Result<Report, Failure> {
    let target = Target::open(session, &args.out, &[&args.plan])?;
    let client = client(&args.job.remote)?;
    let limits = limits(&session.read_plan(&args.plan)?, args.max_wait);
    let beside = Scratch::within(folder_of(target.path()))?;
    let from = beside.path("results");
    let report = fetch_to(&client, &args.job.job, &from, limits)?;
    let to = target.path();
    beside.finish(None, || std::fs::rename(from, to)).map_err(|error| unwritable(to, error))?;
    let mut lines = report::lines();
    lines
        .line("written", format_args!("{} ({})", target.name(), figures::bytes(report.file_bytes)))
        .line("time", format_args!("{} on the server", figures::seconds(report.evaluate_s)));
    Report::new(&report, lines.text()).with_file(Some(target))
}

/// The most that is taken from a server for a plan.
fn limits(plan: &Plan, max_wait_s: u64) -> FetchLimits {
    FetchLimits { bytes: plan.most_result_bytes(), time: Duration::from_secs(max_wait_s) }
}

fn cancel(args: &RemoteJobArgs) -> Result<Report, Failure> {
    let job = client(&args.remote)?.cancel(&args.job)?;
    let mut lines = report::lines();
    let cancelled = state(&job);
    lines.line("job", job.id).line("state", cancelled);
    Ok(Report::new(&JobReport { job: job.id.to_string(), state: cancelled }, lines.text()))
}

fn run(session: &Session, args: &RemoteRunArgs) -> Result<Report, Failure> {
    let client = client(&args.remote)?;
    // Before anything is encrypted: whether the server has the plan, and takes the token.
    client.plan(&digest_of(session, &args.plan)?)?;
    let scratch = Scratch::new()?;
    let (inputs, results) = (scratch.path("inputs"), scratch.path("results"));
    // The inputs that are written first don't complete the call.
    let work = Unfinished::work();
    encrypt::encrypt(
        session,
        &EncryptArgs {
            plan: args.plan.clone(),
            keys: args.keys.clone(),
            passphrase: args.passphrase.clone(),
            data: args.data.clone(),
            cells: args.cells.clone(),
            canaries: args.canaries,
            out: inputs.clone(),
        },
    )?;
    let ([keys, sent], job) = submitted(session, &client, (&args.plan, &args.keys, &inputs), None)?;
    let limits = limits(&plan_of(&session.read_plan(&args.plan)?, &inputs)?, args.max_wait);
    let fetched = fetch_to(&client, &job.id, &results, limits)?;
    drop(work);
    let decrypted = decrypt::decrypt(
        session,
        &DecryptArgs {
            plan: args.plan.clone(),
            keys: args.keys.clone(),
            passphrase: args.passphrase.clone(),
            input: results,
            in_of: Some(inputs),
            rows: None,
            rotations: None,
            publish: args.publish,
            showing: ShowingArgs {
                data: args.compare.then(|| args.data.clone()),
                trust_server: args.trust_server,
                same_as: None,
            },
            cells: args.cells.clone(),
            out: args.out.clone(),
        },
    )?;
    let text = format!("server      {}, job {}\n", figures::seconds(fetched.evaluate_s), fetched.job);
    let more = serde_json::json!({
        "keys": SentReport::from(&keys), "inputs": SentReport::from(&sent), "job": fetched.job,
        "evaluate_s": fetched.evaluate_s, "result_bytes": fetched.file_bytes
    });
    Ok(decrypted.with("remote", &more, &text))
}
