//! Refuses words that only we use, in pages, in the program's help and in messages. Names in code spans are left alone.

use std::path::Path;

use crate::sources;

/// Words that readers stumbled over, with what to write.
const WORDS: [(&str, &str); 16] = [
    ("house", "workspace"),
    ("houses", "workspaces"),
    ("room", "space, levels or bits"),
    ("rooms", "spaces"),
    ("floors", "layers"),
    ("wishes", "options"),
    ("taste", "option"),
    ("tastes", "options"),
    ("foretold", "predicted"),
    ("foretell", "predict"),
    ("foretells", "predicts"),
    ("whoever", "the reader, the server, anyone who"),
    ("by itself", "alone"),
    ("by themselves", "alone"),
    ("given back", "returned"),
    ("brought to", "moved to"),
];

/// Adds a line to `complaints` for each finding and returns how many files were read.
pub(crate) fn check(top: &Path, complaints: &mut Vec<String>) -> Result<usize, String> {
    let mut files = Vec::new();
    let is_read = |path: &Path| is_read(path.strip_prefix(top).unwrap_or(path));
    sources::collect(top, &is_read, &mut files)?;
    files.sort();
    for file in &files {
        let (name, text) = sources::read(top, file)?;
        let lines: Vec<String> = if file.extension().is_some_and(|extension| extension == "md") {
            prose(&text)
        } else {
            said(&text, name.starts_with("crates/cli/src/args/"))
        };
        for (index, line) in lines.iter().enumerate() {
            for (word, instead) in found(line) {
                complaints.push(format!("{name}:{}: \"{word}\": write {instead}", index + 1));
            }
        }
    }
    Ok(files.len())
}

/// Whether a file is a page, or a source whose messages a user reads. Records are of their day, and stay as they are.
fn is_read(name: &Path) -> bool {
    let is = |extension: &str| name.extension().is_some_and(|found| found == extension);
    let has_messages = !name.starts_with("xtask") && name.components().any(|part| part.as_os_str() == "src");
    (is("md") && !name.starts_with("records")) || (is("rs") && has_messages)
}

/// A page's lines without blocks of code and code spans.
fn prose(page: &str) -> Vec<String> {
    let mut in_block = false;
    page.lines()
        .map(|line| {
            if line.trim_start().starts_with("```") {
                in_block = !in_block;
                return String::new();
            }
            if in_block { String::new() } else { line.split('`').step_by(2).collect::<Vec<_>>().join(" ") }
        })
        .collect()
}

/// What a source says to users: its texts with more than one word, and with `help` the comments that become help.
fn said(source: &str, help: bool) -> Vec<String> {
    source
        .lines()
        .map(|line| {
            let trimmed = line.trim_start();
            if let Some(comment) = trimmed.strip_prefix("///") {
                return if help { comment.split('`').step_by(2).collect() } else { String::new() };
            }
            if trimmed.starts_with("//") || trimmed.contains(".expect(") || trimmed.contains("assert") {
                return String::new();
            }
            let texts = line.split('"').skip(1).step_by(2).filter(|text| text.contains(' '));
            texts.flat_map(|text| text.split('`').step_by(2)).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// The words that a line has.
fn found(line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let line = line.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    WORDS.into_iter().filter(move |(word, _)| {
        line.match_indices(word).any(|(at, _)| {
            !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + word.len()..].chars().next())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{found, prose, said};

    fn words(lines: &[String]) -> Vec<&'static str> {
        lines.iter().flat_map(|line| found(line)).map(|(word, _)| word).collect()
    }

    #[test]
    fn words_of_ours_are_found_in_prose_and_not_in_code() {
        let page = "Whoever asks has room.\n`PlanOptions` and headroom are names\n```\nroom\n```\nno taste";
        assert_eq!(words(&prose(page)), ["room", "whoever", "taste"]);
    }

    #[test]
    fn messages_and_help_are_read_and_comments_are_not() {
        let source = "// whoever reads this\nlet a = \"leaves no room\";\nlet b = \"room\";\n/// A house\nx.expect(\"has room here\");";
        assert_eq!(words(&said(source, false)), ["room"]);
        assert_eq!(words(&said(source, true)), ["room", "house"]);
    }
}
