//! The circles of one crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use super::{
    arrows, folders,
    graph::{Arrows, Circle, circles},
    tree::Tree,
};

/// A circle between files or, if `place` ends with a slash, between the files and folders in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The crate and the folder.
    pub(crate) place: String,
    pub(crate) members: BTreeSet<String>,
    /// The members, and a shortest way around with the names that cause each arrow.
    pub(crate) text: String,
}

/// The files of a crate and the arrows between them.
pub(crate) struct Survey {
    pub(crate) name: String,
    trees: Vec<(Tree, Arrows)>,
}

impl Survey {
    /// Reads the crate in a folder, which has `src/lib.rs`, `src/main.rs` or both.
    pub(crate) fn read(name: &str, folder: &Path) -> Result<Self, String> {
        let mut trees = Vec::new();
        for root in ["src/lib.rs", "src/main.rs"].map(|root| folder.join(root)) {
            if root.is_file() {
                let tree = Tree::read(&root)?;
                let arrows = arrows::between_files(&tree);
                trees.push((tree, arrows));
            }
        }
        Ok(Self { name: name.to_owned(), trees })
    }

    pub(crate) fn files(&self) -> usize {
        self.trees.iter().map(|(tree, _)| tree.files.len()).sum()
    }

    pub(crate) fn arrows(&self) -> usize {
        self.trees.iter().flat_map(|(_, arrows)| arrows.values()).map(BTreeMap::len).sum()
    }

    /// The circles without the arrows of `exceptions`, each a pair of files.
    pub(crate) fn circles(&self, exceptions: &[(&str, &str)]) -> Vec<Found> {
        let mut found = Vec::new();
        for (tree, arrows) in &self.trees {
            let mut arrows = arrows.clone();
            for (from, to) in exceptions {
                arrows.get_mut(*from).map(|targets| targets.remove(*to));
            }
            found.extend(circles(&arrows).into_iter().map(|circle| Found::new(&self.name, circle, &arrows)));
            for (folder, arrows) in folders::contract(&tree.files, &arrows) {
                let place = format!("{}/{folder}", self.name);
                // Between files alone, it's a circle of files too.
                let circles = circles(&arrows)
                    .into_iter()
                    .filter(|circle| circle.members.iter().any(|member| member.ends_with('/')));
                found.extend(circles.map(|circle| Found::new(&place, circle, &arrows)));
            }
        }
        found
    }
}

impl Found {
    fn new(place: &str, circle: Circle, arrows: &Arrows) -> Self {
        let mut text = line(place, &circle.members);
        for (from, to) in circle.way.iter().zip(circle.way.iter().skip(1)) {
            let names: Vec<&str> = arrows[from][to].iter().map(String::as_str).collect();
            let _ = write!(text, "\n  {from} -> {to}: {}", names.join(", "));
        }
        Self { place: place.to_owned(), members: circle.members, text }
    }
}

/// A circle in one line, as the list of known ones has it.
pub(crate) fn line(place: &str, members: &BTreeSet<String>) -> String {
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    format!("{place}: {}", members.join(" "))
}
