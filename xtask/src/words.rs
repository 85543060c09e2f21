//! Refuses words that only we use, in pages, in the program's help and in messages. Names in code spans are left alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

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

/// Folders whose pages are measurements of a day, or not ours.
const LEFT_OUT: [&str; 3] = ["target", "records", "node_modules"];

/// Adds a line to `complaints` for each finding and returns how many files were read.
pub(crate) fn check(top: &Path, complaints: &mut Vec<String>) -> Result<usize, String> {
    let mut files = Vec::new();
    collect(top, &mut files)?;
    files.sort();
    for file in &files {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.strip_prefix(top).unwrap_or(file).display().to_string();
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

/// Pages, and the sources whose messages a user reads.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                collect(&path, files)?;
            }
            continue;
        }
        let path_text = path.display().to_string();
        let has_messages = path_text.contains("/src/") && !path_text.contains("/xtask/");
        let is_read = match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => true,
            Some("rs") => has_messages,
            _ => false,
        };
        if is_read {
            files.push(path);
        }
    }
    Ok(())
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
        let page = "Whoever asks has room.\n`Wishes` and headroom are names\n```\nroom\n```\nno taste";
        assert_eq!(words(&prose(page)), ["room", "whoever", "taste"]);
    }

    #[test]
    fn messages_and_help_are_read_and_comments_are_not() {
        let source = "// whoever reads this\nlet a = \"leaves no room\";\nlet b = \"room\";\n/// A house\nx.expect(\"has room here\");";
        assert_eq!(words(&said(source, false)), ["room"]);
        assert_eq!(words(&said(source, true)), ["room", "house"]);
    }
}
