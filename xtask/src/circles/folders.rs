//! Arrows between what is in a folder: its files and the folders in it.

use std::collections::BTreeMap;

use super::{graph::Arrows, tree::File};

/// For each folder of a crate that isn't empty, the arrows between its children. A folder is a module with files below it, and
/// the module's own file is in it. An arrow between deeper files counts for the children that contain them.
pub(crate) fn contract(files: &[File], arrows: &Arrows) -> Vec<(String, Arrows)> {
    let files: BTreeMap<&str, &[String]> =
        files.iter().map(|file| (file.name.as_str(), file.path.as_slice())).collect();
    let mut folders: BTreeMap<&[String], Arrows> = BTreeMap::new();
    for (from, targets) in arrows {
        for (to, names) in targets {
            let (Some(from_path), Some(to_path)) = (files.get(from.as_str()), files.get(to.as_str())) else {
                continue;
            };
            let shared = from_path.iter().zip(*to_path).take_while(|(a, b)| a == b).count();
            let child = |path: &[String], name: &str| {
                let own = path.get(..=shared).filter(|own| is_folder(&files, own));
                own.map_or_else(|| name.to_owned(), folder)
            };
            let children = folders.entry(&from_path[..shared]).or_default();
            let names = names.iter().map(|name| format!("{name} ({from})"));
            children
                .entry(child(from_path, from))
                .or_default()
                .entry(child(to_path, to))
                .or_default()
                .extend(names);
        }
    }
    folders.into_iter().map(|(path, arrows)| (folder(path), arrows)).collect()
}

/// The name of a folder in lists; "" is the crate's.
fn folder(path: &[String]) -> String {
    path.iter().flat_map(|name| [name.as_str(), "/"]).collect()
}

fn is_folder(files: &BTreeMap<&str, &[String]>, path: &[String]) -> bool {
    files.values().any(|other| other.len() > path.len() && other.starts_with(path))
}
