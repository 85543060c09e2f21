//! `asanoha triples`: matrix triples for multi-party computation.

use std::{
    cell::Cell,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use asanoha::mpc::{
    self, GeneratorSettings, ModulusChoice, RECOMMENDED_MAC_BITS, TripleShape,
    export::{self, Exported},
    store::{self, Manifest, Request, Run, WrongTriple},
};
use serde::Serialize;

use crate::{
    args::{ExportArgs, ExportFormat, GenerateArgs, TriplesCommand, VerifyArgs},
    error::Failure,
    figures,
    progress::Progress,
    report::{self, Lines, Report, bytes_or_unknown},
    session::{Session, timed},
};

pub(crate) fn triples(session: &Session, command: &TriplesCommand) -> Result<Report, Failure> {
    match command {
        TriplesCommand::Generate(args) => generate(session, args),
        TriplesCommand::Verify(args) => verify(session, args),
        TriplesCommand::Export(args) => export(session, args),
    }
}

/// What a folder's triples are.
#[derive(Debug, Serialize)]
struct About {
    folder: PathBuf,
    modulus: String,
    shape: TripleShape,
    parties: usize,
    triples: u64,
    generator: String,
    security_bits: u32,
    mac_security_bits: u64,
    seeded: bool,
}

impl About {
    fn new(run: &Run) -> Self {
        let manifest = run.manifest();
        Self {
            folder: run.folder().to_owned(),
            modulus: manifest.modulus.to_string(),
            shape: manifest.shape,
            parties: manifest.parties,
            triples: manifest.count,
            generator: manifest.generator.clone(),
            security_bits: manifest.security_bits,
            mac_security_bits: manifest.mac_security_bits(),
            seeded: manifest.seeded,
        }
    }

    /// The lines that every report begins with.
    fn lines(&self, run: &Run) -> Lines {
        let mut lines = report::lines();
        let bits = run.manifest().modulus.bits();
        lines.line("folder", self.folder.display()).line(
            "triples",
            format_args!(
                "{} of {}, modulo a prime of {bits} bits, for {} parties",
                self.triples, self.shape, self.parties
            ),
        );
        lines
    }
}

/// Adds the lines on the security of triples: of what is encrypted, and of the codes.
pub(super) fn security_lines(lines: &mut Lines, manifest: &Manifest) {
    let mac_bits = manifest.mac_security_bits();
    let advice = if mac_bits < RECOMMENDED_MAC_BITS {
        format!(": for tests only; take a modulus of {} bits or more", RECOMMENDED_MAC_BITS + 2)
    } else {
        String::new()
    };
    lines.line("security", format_args!("{} bits classical", manifest.security_bits)).line(
        "codes",
        format_args!(
            "an altered value passes their check with a probability of at most 2^-{mac_bits}{advice}"
        ),
    );
}

#[derive(Debug, Serialize)]
struct Timings {
    keygen_s: f64,
    generate_s: f64,
}

#[derive(Debug, Serialize)]
struct Sizes {
    folder_bytes: u64,
}

#[derive(Debug, Serialize)]
struct GenerateReport {
    #[serde(flatten)]
    about: About,
    triples_made: u64,
    block_size: usize,
    blocks_made: u64,
    blocks_found: u64,
    timings: Timings,
    /// Without key generation; `None` if all triples were there.
    seconds_per_triple: Option<f64>,
    sizes: Sizes,
    peak_bytes: Option<u64>,
    threads: usize,
}

/// The most memory that is kept between blocks, in bytes.
const KEPT_BYTES: u64 = 4 << 30;

fn generate(session: &Session, args: &GenerateArgs) -> Result<Report, Failure> {
    // Whatever is wrong with the folder, the generation says it.
    if let Ok(run) = Run::open(&args.out) {
        session.admit_triples(&run)?;
    }
    let modulus = args.modulus.clone().map_or(ModulusChoice::Bits(args.bits), ModulusChoice::Prime);
    let GenerateArgs { parties, memory_limit, count, .. } = *args;
    let settings = GeneratorSettings { modulus, shape: args.shape(), parties, memory_limit };
    // Every block takes the memory that the one before gave back.
    mpc::keep_unused_memory(memory_limit.map_or(KEPT_BYTES, |limit| limit / 2).min(KEPT_BYTES) as usize);
    let request = Request { settings, count, seed: session.triples_seed() };
    let progress = Progress::start("making triples, in blocks");
    let keys = Cell::new(0.0);
    let (generated, seconds) = timed(|| {
        store::generate(
            &args.out,
            &request,
            |settings, seed| {
                let (source, seconds) = timed(|| mpc::source(settings, count, seed));
                keys.set(seconds);
                source
            },
            &|done, all| progress.set(done, all),
        )
    });
    drop(progress);
    let generated = generated?;
    let run = &generated.run;
    let timings = Timings { keygen_s: keys.get(), generate_s: seconds - keys.get() };
    let seconds_per_triple =
        (generated.triples_made > 0).then(|| timings.generate_s / generated.triples_made as f64);
    let report = GenerateReport {
        about: About::new(run),
        triples_made: generated.triples_made,
        block_size: run.manifest().block_size,
        blocks_made: generated.blocks_made,
        blocks_found: generated.blocks_found,
        timings,
        seconds_per_triple,
        sizes: Sizes { folder_bytes: run.bytes() },
        peak_bytes: figures::peak_memory_bytes(),
        threads: session.threads,
    };
    let mut lines = report.about.lines(run);
    lines.line("generator", &report.about.generator).line(
        "made",
        format_args!("{} triples; {} blocks were there", report.triples_made, report.blocks_found),
    );
    let free = run.manifest().blocks() * report.block_size as u64 - report.about.triples;
    if free > 0 {
        lines.line("free", format_args!("{free} more would take no more time"));
    }
    if let Some(each) = seconds_per_triple {
        let Timings { keygen_s, generate_s } = &report.timings;
        let [keys, all, each] = [*keygen_s, *generate_s, each].map(figures::seconds);
        lines.line("time", format_args!("keys {keys}, triples {all}, which is {each} each"));
    }
    lines.line(
        "size",
        format_args!(
            "{}, memory at its peak {}",
            figures::bytes(report.sizes.folder_bytes),
            bytes_or_unknown(report.peak_bytes)
        ),
    );
    security_lines(&mut lines, run.manifest());
    lines.line(
        "keep",
        "secret-seed to yourself: all shares follow from it; party-0 is for the first party alone, and so on",
    );
    Ok(Report::new(&report, lines.text()))
}

#[derive(Debug, Serialize)]
struct Wrong<'a> {
    triple: u64,
    what: &'a str,
}

#[derive(Debug, Serialize)]
struct VerifyReport<'a> {
    #[serde(flatten)]
    about: About,
    checked: u64,
    right: bool,
    wrong: u64,
    /// The first wrong triples.
    wrong_triples: Vec<Wrong<'a>>,
    damaged: &'a [String],
    timings: VerifyTimings,
    peak_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct VerifyTimings {
    verify_s: f64,
}

/// The folder, if it may be used.
fn open(session: &Session, folder: &Path) -> Result<Run, Failure> {
    let run = Run::open(folder)?;
    session.admit_triples(&run)?;
    Ok(run)
}

fn verify(session: &Session, args: &VerifyArgs) -> Result<Report, Failure> {
    let run = open(session, &args.folder)?;
    let progress = Progress::start("checking triples, in blocks");
    let (verdict, seconds) = timed(|| store::verify(&run, &|done, all| progress.set(done, all)));
    drop(progress);
    let verdict = verdict?;
    let wrong = |WrongTriple { triple, what }: &WrongTriple| format!("triple {triple}: {what}");
    let folder = args.folder.display();
    let failure = match (&verdict.told[..], &verdict.damaged[..]) {
        ([], []) => None,
        ([], [first, others @ ..]) => {
            Some(format!("{first}{}", and_more(others.len() as u64, "damaged blocks")))
        }
        ([first, ..], _) => {
            Some(format!("{folder}: {}{}", wrong(first), and_more(verdict.wrong - 1, "wrong triples")))
        }
    };
    let report = VerifyReport {
        about: About::new(&run),
        checked: verdict.checked,
        right: verdict.is_right(),
        wrong: verdict.wrong,
        wrong_triples: verdict
            .told
            .iter()
            .map(|told| Wrong { triple: told.triple, what: &told.what })
            .collect(),
        damaged: &verdict.damaged,
        timings: VerifyTimings { verify_s: seconds },
        peak_bytes: figures::peak_memory_bytes(),
    };
    let mut lines = report.about.lines(&run);
    lines.line("checked", format_args!("{} triples in {}", verdict.checked, figures::seconds(seconds)));
    if verdict.is_right() {
        lines.line("right", "shares add up to A, B and A·B, and their codes are right");
    }
    for told in &verdict.told {
        lines.line("wrong", wrong(told));
    }
    for damaged in &verdict.damaged {
        lines.line("damaged", damaged);
    }
    Ok(Report::new(&report, lines.text()).failing(failure.map(Failure::check)))
}

/// That there are more of a kind.
fn and_more(count: u64, what: &str) -> String {
    if count == 0 { String::new() } else { format!("; {count} more {what}") }
}

#[derive(Debug, Serialize)]
struct ExportReport {
    #[serde(flatten)]
    about: About,
    format: ExportFormat,
    out: PathBuf,
    /// The lengths of the files in bytes.
    files: BTreeMap<String, u64>,
    timings: ExportTimings,
}

#[derive(Debug, Serialize)]
struct ExportTimings {
    export_s: f64,
}

fn export(session: &Session, args: &ExportArgs) -> Result<Report, Failure> {
    let run = open(session, &args.folder)?;
    let out = |name| args.out.clone().unwrap_or_else(|| args.folder.join(name));
    let progress = Progress::start("writing triples, in blocks");
    let told = |done, all| progress.set(done, all);
    let (exported, seconds) = timed(|| match args.format {
        ExportFormat::MpSpdz => export::mp_spdz(&run, &out("mp-spdz"), &told),
        ExportFormat::Npz => export::npz(&run, &out("npz"), &told),
    });
    drop(progress);
    let Exported { folder, files } = exported?;
    let about = About::new(&run);
    let mut lines = about.lines(&run);
    for (name, bytes) in &files {
        lines.line("written", format_args!("{} ({})", folder.join(name).display(), figures::bytes(*bytes)));
    }
    lines.line("time", figures::seconds(seconds));
    if args.format == ExportFormat::MpSpdz {
        lines.line(
            "use",
            "Player-Data once, by one thread (MP-SPDZ doesn't mark what it has used), with -F -o force_matrix_triples",
        );
    }
    let report = ExportReport {
        about,
        format: args.format,
        out: folder,
        files: files.into_iter().collect(),
        timings: ExportTimings { export_s: seconds },
    };
    Ok(Report::new(&report, lines.text()))
}
