//! The circles of one crate.

use std::{collections::BTreeMap, fmt::Write, path::Path};

use super::{
    arrows, folders,
    graph::{Arrows, Circle, circles},
    tree::Tree,
};

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

    /// The circles between files, and between the files and folders in a folder, without the arrows of the inherent `impl` blocks
    /// of some types: the members of each, and a shortest way around with the names that cause each arrow.
    pub(crate) fn circles(&self, excepted: &[&str]) -> Vec<String> {
        let excepted: Vec<String> = excepted.iter().map(|name| format!("impl {name}")).collect();
        let mut texts = Vec::new();
        for (tree, arrows) in &self.trees {
            let mut arrows = arrows.clone();
            for targets in arrows.values_mut() {
                targets.retain(|_, names| {
                    names.retain(|name| !excepted.contains(name));
                    !names.is_empty()
                });
            }
            texts.extend(circles(&arrows).iter().map(|circle| text(&self.name, circle, &arrows)));
            for (folder, arrows) in folders::contract(&tree.files, &arrows) {
                let place = format!("{}/{folder}", self.name);
                // Between files alone, it's a circle of files too.
                let circles = circles(&arrows);
                let circles =
                    circles.iter().filter(|circle| circle.members.iter().any(|member| member.ends_with('/')));
                texts.extend(circles.map(|circle| text(&place, circle, &arrows)));
            }
        }
        texts
    }
}

fn text(place: &str, circle: &Circle, arrows: &Arrows) -> String {
    let members: Vec<&str> = circle.members.iter().map(String::as_str).collect();
    let mut text = format!("{place}: {}", members.join(" "));
    for (from, to) in circle.way.iter().zip(circle.way.iter().skip(1)) {
        let names: Vec<&str> = arrows[from][to].iter().map(String::as_str).collect();
        let _ = write!(text, "\n  {from} -> {to}: {}", names.join(", "));
    }
    text
}
