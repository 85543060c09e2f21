//! Processes that are killed: every job that was accepted ends once, with the right results.

use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
};

use asanoha_kernels::Backend;
use asanoha_runtime::plan::SecurityCheck;
use asanoha_service::{
    Clock, ContentKind, Faults, JobId, JobState, Limits, Plans, Settings, Store, Submission, Worker,
};
use tempfile::TempDir;

use crate::common::{SMALL, client, pool, send};

/// The folder in which a child process works.
const FOLDER: &str = "ASANOHA_SERVICE_TEST_FOLDER";
/// The number of the point at which it aborts, from 1.
const ABORT_AT: &str = "ASANOHA_SERVICE_TEST_ABORT_AT";
/// What the lines begin with that a child writes.
const SAYS: &str = "child: ";
const JOBS: usize = 3;

fn settings(faults: Faults) -> Settings {
    // Each death of the process counts as an attempt.
    let limits = Limits { attempts: 100, ..Limits::default() };
    Settings { limits, clock: Clock::system(), faults }
}

fn plans(folder: &Path) -> Plans {
    Plans::read(&folder.join("plans"), SecurityCheck::Required, Backend::detect().unwrap()).unwrap()
}

fn say(text: &str) {
    // The output of tests is captured, and this isn't.
    let mut out = std::io::stdout();
    writeln!(out, "{SAYS}{text}").unwrap();
    out.flush().unwrap();
}

/// What a child process does: everything from its uploads to the end of its jobs, of which it may find any part done.
#[test]
fn child_process() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let abort_at: u64 = env::var(ABORT_AT).map_or(0, |text| text.parse().unwrap());
    let points = AtomicU64::new(0);
    let faults = Faults::new(move |point| {
        let number = points.fetch_add(1, Ordering::Relaxed) + 1;
        if number == abort_at {
            std::process::abort();
        }
        say(&format!("point {number} {point:?}"));
        Ok(())
    });
    let store = Store::open(&folder.join("store"), plans(folder), settings(faults)).unwrap();
    let file = |name: &str| fs::read(folder.join(name)).unwrap();
    let (keys, inputs) = (file("keys"), file("inputs"));
    let plan = store.plans().digests().next().unwrap();
    send(&store, "alice", ContentKind::Keys, plan, &keys).unwrap();
    send(&store, "alice", ContentKind::Inputs, plan, &inputs).unwrap();
    let submission =
        Submission { plan, keys: blake3::hash(&keys).into(), inputs: blake3::hash(&inputs).into() };
    let mut worker = Worker::new(&store, pool());
    for number in 0..JOBS {
        let key = format!("job {number}").parse().unwrap();
        let job = store.submit(&client("alice"), &submission, Some(&key)).unwrap().job;
        say(&format!("accepted {number} {}", job.id));
        if number == 0 {
            worker.run_one().unwrap();
        }
    }
    while let Some(job) = worker.run_one().unwrap() {
        say(&format!("ended {job}"));
    }
    say("finished");
}

/// A folder with what a child needs, and what is known of its jobs.
struct Scene {
    folder: TempDir,
    accepted: [Option<JobId>; JOBS],
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("plans")).unwrap();
        SMALL.plan.write(&at("plans/small.json")).unwrap();
        fs::write(at("keys"), &SMALL.keys).unwrap();
        fs::write(at("inputs"), &SMALL.inputs).unwrap();
        Self { folder, accepted: [None; JOBS] }
    }

    fn start(&self, abort_at: Option<u64>) -> Child {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "crash::child_process", "--nocapture", "--test-threads=1"]);
        command.env(FOLDER, self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        // What it says of its own death.
        command.stderr(File::create(self.folder.path().join("stderr")).unwrap());
        if let Some(abort_at) = abort_at {
            command.env(ABORT_AT, abort_at.to_string());
        }
        command.spawn().unwrap()
    }

    /// Runs a child, kills it after so many lines, and hears what it says until it's dead. Returns how many points it passed and whether
    /// it finished.
    fn run(&mut self, abort_at: Option<u64>, kill_after: Option<usize>) -> (u64, bool) {
        let mut child = self.start(abort_at);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut points, mut finished, mut said) = (0, false, 0);
        for line in lines.map_while(Result::ok) {
            let Some((_, text)) = line.split_once(SAYS) else { continue };
            let words: Vec<&str> = text.split(' ').collect();
            match words[..] {
                ["point", number, _] => points = number.parse().unwrap(),
                ["accepted", number, id] => {
                    let (number, id): (usize, JobId) = (number.parse().unwrap(), id.parse().unwrap());
                    // A job that was accepted is the same one for ever.
                    assert_eq!(*self.accepted[number].get_or_insert(id), id);
                }
                ["finished"] => finished = true,
                _ => {}
            }
            said += 1;
            if kill_after == Some(said) {
                child.kill().unwrap();
            }
        }
        let status = child.wait().unwrap();
        let stderr = fs::read_to_string(self.folder.path().join("stderr")).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert!(status.success() || abort_at.is_some() || kill_after.is_some(), "{status}: {stderr}");
        (points, finished)
    }

    /// Fails unless all jobs have ended once, with the right results, and nothing else is there.
    fn check(&self) {
        let folder = self.folder.path();
        let store = Store::open(&folder.join("store"), plans(folder), settings(Faults::default())).unwrap();
        assert_eq!(*store.recovery(), asanoha_service::Recovery::default());
        let mut worker = Worker::new(&store, pool());
        assert_eq!(worker.run_one().unwrap(), None);
        for job in self.accepted {
            let job = store.job(&client("alice"), job.unwrap()).unwrap();
            assert!(matches!(job.state, JobState::Done { .. }), "{job:?}");
            let mut results = store.results(&client("alice"), job.id).unwrap();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut results.file, &mut bytes).unwrap();
            assert!(bytes == SMALL.results);
        }
        let files = |name: &str| fs::read_dir(folder.join("store").join(name)).unwrap().count();
        assert_eq!([files("blobs"), files("uploads"), files("tmp")], [2 + JOBS, 0, 0]);
        let stored = SMALL.keys.len() + SMALL.inputs.len() + JOBS * SMALL.results.len();
        assert_eq!(store.bytes_of(&client("alice")), stored as u64);
    }
}

/// A number below another, of a generator that begins with a seed.
fn below(seed: &mut u64, end: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % end
}

fn seed() -> u64 {
    let bytes = blake3::hash(format!("{:?}", std::time::SystemTime::now()).as_bytes());
    let seed = u64::from_le_bytes(bytes.as_bytes()[..8].try_into().unwrap());
    println!("seed {seed}");
    seed
}

#[test]
fn jobs_outlast_processes_that_are_killed_at_random() {
    let mut seed = seed();
    let mut scene = Scene::new();
    for _ in 0..5 {
        let lines = 1 + below(&mut seed, 25) as usize;
        scene.run(None, Some(lines));
    }
    assert!(scene.run(None, None).1);
    scene.check();
}

/// Ends a process at a point, and lets the next one finish.
fn assert_outlasts(point: u64) {
    let mut scene = Scene::new();
    let (passed, finished) = scene.run(Some(point), None);
    assert!(!finished && passed < point, "{passed} of {point}");
    assert!(scene.run(None, None).1, "after {point}");
    scene.check();
}

#[test]
fn jobs_outlast_a_process_that_ends_at_some_points() {
    let mut scene = Scene::new();
    let (points, finished) = scene.run(None, None);
    assert!(finished && points > 30, "{points}");
    scene.check();
    let mut seed = seed();
    (0..3).for_each(|_| assert_outlasts(1 + below(&mut seed, points)));
}

#[test]
#[ignore = "slow"]
fn jobs_outlast_a_process_that_ends_at_any_point() {
    let mut scene = Scene::new();
    let (points, finished) = scene.run(None, None);
    assert!(finished);
    (1..=points).for_each(assert_outlasts);
}
