//! The commands of README and of the pages of `docs/`, run as they stand there: what they print is what the pages show.
//!
//! A page marks what is run by `<!-- run -->` and `<!-- /run -->`. Between them a block has commands, each after `$ `, followed by what
//! it prints; a line of `…` stands for any lines. A block after `<!-- file NAME -->` is a file. A page's commands run in one folder, in
//! order, with `examples` and an empty folder `work`. Links lead to pages and headings, and the book has all pages.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::Place;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a page asks for, in order.
#[derive(Debug, PartialEq)]
enum Step {
    File { name: String, contents: String },
    Run { command: String, shown: Vec<String> },
}

/// The lines of the fenced block that begins with the next line.
fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let fence = lines.next().unwrap_or_default();
    assert!(fence.starts_with("```"), "a block follows a mark: {fence}");
    lines.take_while(|line| *line != "```").collect()
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("<!-- file ").and_then(|rest| rest.strip_suffix(" -->")) {
            let contents = block(&mut lines).join("\n") + "\n";
            steps.push(Step::File { name: name.to_owned(), contents });
        }
        if line == "<!-- run -->" {
            for line in block(&mut lines) {
                if let Some(command) = line.strip_prefix("$ ") {
                    steps.push(Step::Run { command: command.to_owned(), shown: Vec::new() });
                } else if let Some(Step::Run { shown, .. }) = steps.last_mut() {
                    shown.push(line.trim_end().to_owned());
                }
            }
            assert_eq!(lines.next(), Some("<!-- /run -->"), "a block that is run ends with a mark");
        }
    }
    steps
}

/// Begins a line whose figures are measured.
const MEASURED: [&str; 6] = ["time ", "size ", "noise ", "evaluation was predicted", "predicted ", "inputs "];

/// Whether a printed line is what a page shows: measured times, sizes and errors aside, and the last digits of approximate numbers.
fn is_alike(printed: &str, shown: &str) -> bool {
    let (a, b) = (printed.trim_start(), shown.trim_start());
    let measured = |start: &str| a.starts_with(start) && b.starts_with(start);
    if MEASURED.iter().any(|start| measured(start)) || (a.contains('▇') && b.contains('▇')) {
        return true;
    }
    let is_loose = shown.contains('±') || shown.contains("error");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (words(a), words(b));
    let number = |word: &str| word.trim_end_matches([',', ';', ')']).parse::<f64>().ok();
    let word_is_alike = |a: &str, b: &str| match (number(a), number(b)) {
        _ if a == b => true,
        // Errors are small, and differ by the noise of a run.
        (Some(a), Some(b)) if is_loose => {
            (a.abs() < 1e-3 && b.abs() < 1e-3) || (a - b).abs() <= 1e-4 * b.abs()
        }
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| word_is_alike(a, b))
}

/// Whether printed lines are those that a page shows, of which `…` stands for any number.
fn are_alike(printed: &[String], shown: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|at| are_alike(&printed[at..], rest))
        }
        Some((first, rest)) => {
            printed.split_first().is_some_and(|(line, after)| is_alike(line, first) && are_alike(after, rest))
        }
    }
}

/// The arguments of a command, whatever builds the program.
fn arguments(command: &str) -> Vec<String> {
    let starts = ["asanoha ", "cargo run --release -- "];
    let line = starts.iter().find_map(|start| command.strip_prefix(start));
    let line = line.unwrap_or_else(|| panic!("a page runs asanoha only: {command}"));
    // Words in quotes stay together.
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn lines_of(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Runs all commands of a page.
fn run(page: &str) {
    let text = fs::read_to_string(top().join(page)).unwrap();
    let place = Place::new();
    std::os::unix::fs::symlink(top().join("examples").canonicalize().unwrap(), place.path("examples"))
        .unwrap();
    fs::create_dir(place.path("work")).unwrap();
    let steps = steps(&text);
    assert!(steps.iter().any(|step| matches!(step, Step::Run { .. })), "{page} has commands");
    for step in steps {
        match step {
            Step::File { name, contents } => _ = place.write(&name, contents),
            Step::Run { command, shown } => {
                let output = place
                    .call_of(&arguments(&command))
                    .env("ASANOHA_PASSPHRASE", "four words that rhyme")
                    .output();
                let printed = [lines_of(&output.stdout), lines_of(&output.stderr)].concat();
                // Empty lines at the end aren't shown.
                let trimmed = |mut lines: Vec<String>| {
                    lines
                        .truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
                    lines
                };
                let (printed, shown) = (trimmed(printed), trimmed(shown));
                assert!(
                    are_alike(&printed, &shown),
                    "{page}: {command}\nprints\n{}\nand the page shows\n{}",
                    printed.join("\n"),
                    shown.join("\n")
                );
            }
        }
    }
}

macro_rules! pages {
    ($($test:ident: $page:literal),* $(,)?) => {
        /// The pages whose commands are run.
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                run($page);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    introduction: "docs/introduction.md",
    start_shell: "docs/start-shell.md",
    data: "docs/data.md",
    schemes: "docs/schemes.md",
    client_server: "docs/client-server.md",
    security: "docs/security.md",
    cookbook: "docs/cookbook.md",
    files: "docs/files.md",
    performance: "docs/performance.md",
}

#[test]
fn every_page_with_commands_is_run() {
    let has_commands = |page: &String| fs::read_to_string(top().join(page)).unwrap().contains("<!-- run -->");
    let mut found: Vec<String> = pages_in("docs").into_iter().filter(has_commands).collect();
    found.push("README.md".to_owned());
    found.sort();
    let mut run = PAGES.to_vec();
    run.sort_unstable();
    assert_eq!(found, run);
}

/// The pages of a folder, without those below.
fn pages_in(folder: &str) -> Vec<String> {
    let mut pages: Vec<String> = fs::read_dir(top().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| Path::new(folder).join(path.file_name().unwrap()).display().to_string())
        .collect();
    pages.sort();
    pages
}

/// The targets of a page's links, outside of code.
fn links(page: &str) -> Vec<String> {
    let mut in_block = false;
    let mut links = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        let line: String = line.split('`').step_by(2).collect();
        for part in line.split("](").skip(1) {
            links.extend(part.split(')').next().map(str::to_owned));
        }
    }
    links
}

/// The names under which a page's headings can be linked to.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_of_pages_lead_to_pages_and_headings() {
    let pages = [".", "docs", "docs/notes"].map(pages_in).concat();
    assert!(pages.len() > 20);
    for page in pages {
        let text = fs::read_to_string(top().join(&page)).unwrap();
        for link in links(&text) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                top().join(&page)
            } else {
                top().join(Path::new(&page).parent().unwrap()).join(file)
            };
            assert!(target.exists(), "{page} links to {link}");
            if !anchor.is_empty() {
                let headings = anchors(&fs::read_to_string(&target).unwrap());
                assert!(
                    headings.iter().any(|heading| heading == anchor),
                    "{page} links to {link}: {headings:?}"
                );
            }
        }
    }
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = fs::read_to_string(top().join("docs/SUMMARY.md")).unwrap();
    let listed = links(&summary);
    for page in ["docs", "docs/notes"].map(pages_in).concat() {
        let name = page.strip_prefix("docs/").unwrap();
        assert!(name == "SUMMARY.md" || listed.iter().any(|link| link == name), "{name}");
    }
    listed.iter().for_each(|link| assert!(top().join("docs").join(link).exists(), "{link}"));
}

#[test]
fn pages_that_show_something_else_are_noticed() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed =
        lines("scheme      BGV: exact\ntime        plan 57.5 ms\n  total = 12\n  m = 0.50688791 ± 3.2e-7");
    let alike = |shown: &str| are_alike(&printed, &lines(shown));
    assert!(alike("scheme      BGV: exact\ntime        plan 9 ms\n  total = 12\n  m = 0.50688794 ± 3.1e-7"));
    assert!(alike("…\n  total = 12\n  m = 0.50688791 ± 3.2e-7"));
    assert!(alike("scheme  BGV: exact\n…"));
    assert!(!alike("…\n  total = 13\n  m = 0.50688791 ± 3.2e-7"));
    assert!(!alike("…\n  total = 12\n  m = 0.51 ± 3.2e-7"));
    assert!(!alike("scheme      BFV: exact\n…"));
    assert!(!alike("  total = 12"));
    let page = "<!-- file work/a.csv -->\n```text\nx\n1\n```\n<!-- run -->\n```text\n$ asanoha info\nversion\n```\n<!-- /run -->";
    let [Step::File { .. }, Step::Run { command, shown }] = &steps(page)[..] else { panic!("two steps") };
    assert_eq!((command.as_str(), &shown[..]), ("asanoha info", &["version".to_owned()][..]));
    assert_eq!(arguments("asanoha run - --range 'x=1:2 3'"), ["run", "-", "--range", "x=1:2 3"]);
}
