//! Reads the modules of a crate from its root file, along `mod`. Code under `#[cfg(test)]` is left out.

use std::{
    fs,
    path::{Path, PathBuf},
};

use syn::{Attribute, Item, ItemMod};

use super::{
    attributes,
    names::{FileId, ModuleId, Names},
};

/// A source file, which holds one module and those written out in it.
#[derive(Debug)]
pub(crate) struct File {
    /// Below the folder of the crate's root, such as `rns/mod.rs`.
    pub(crate) name: String,
    /// The module of the file, such as `["rns"]`.
    pub(crate) path: Vec<String>,
    /// Whether the file has nothing but `mod` and `use`.
    pub(crate) only_reexports: bool,
}

/// A module with the items in it, other modules left out.
pub(crate) struct Module {
    pub(crate) parent: Option<ModuleId>,
    pub(crate) file: FileId,
    pub(crate) names: Names,
    pub(crate) items: Vec<Item>,
}

/// The modules and files of a crate.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    pub(crate) modules: Vec<Module>,
}

/// Where the files of a module's children are.
#[derive(Clone, Copy)]
struct Folders<'a> {
    /// Those with names of their own.
    children: &'a Path,
    /// Those with `#[path]`.
    named: &'a Path,
}

impl Tree {
    /// Reads the crate whose root is `root`, such as `src/lib.rs`.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self::default();
        let source = root.parent().unwrap_or(root);
        tree.add_file(source, root, None, &[], source)?;
        Ok(tree)
    }

    /// Adds a file with the modules below it. `children` is the folder of their files.
    fn add_file(
        &mut self,
        source: &Path,
        file: &Path,
        parent: Option<ModuleId>,
        path: &[String],
        children: &Path,
    ) -> Result<Option<ModuleId>, String> {
        let complain = |error: String| format!("{}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| complain(error.to_string()))?;
        let syntax = syn::parse_file(&text).map_err(|error| complain(error.to_string()))?;
        if attributes::are_for_tests(&syntax.attrs) {
            return Ok(None);
        }
        let name = file.strip_prefix(source).unwrap_or(file).display().to_string();
        self.files.push(File { name, path: path.to_vec(), only_reexports: true });
        let folders = Folders { children, named: file.parent().unwrap_or(file) };
        self.add_module(source, folders, parent, self.files.len() - 1, path, syntax.items).map(Some)
    }

    fn add_module(
        &mut self,
        source: &Path,
        folders: Folders<'_>,
        parent: Option<ModuleId>,
        file: FileId,
        path: &[String],
        items: Vec<Item>,
    ) -> Result<ModuleId, String> {
        let id = self.modules.len();
        self.modules.push(Module { parent, file, names: Names::default(), items: Vec::new() });
        for item in items {
            if attributes::are_for_tests(attributes::of(&item)) {
                continue;
            }
            if let Item::Mod(child) = item {
                self.add_child(source, folders, id, path, child)?;
                continue;
            }
            self.files[file].only_reexports &= matches!(item, Item::Use(_) | Item::ExternCrate(_));
            if let Some(name) = exported_macro(&item) {
                self.modules[0].names.add_macro(name, file);
            }
            self.modules[id].names.add(&item, file);
            self.modules[id].items.push(item);
        }
        Ok(id)
    }

    fn add_child(
        &mut self,
        source: &Path,
        folders: Folders<'_>,
        parent: ModuleId,
        path: &[String],
        child: ItemMod,
    ) -> Result<(), String> {
        let name = child.ident.to_string();
        let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        let below = folders.children.join(&name);
        let id = if let Some((_, items)) = child.content {
            let folders = Folders { children: &below, named: &below };
            let file = self.modules[parent].file;
            Some(self.add_module(source, folders, Some(parent), file, &path, items)?)
        } else if let Some(named) = attributes::path(&child.attrs) {
            let file = folders.named.join(named);
            let children = file.parent().unwrap_or(&file).to_owned();
            self.add_file(source, &file, Some(parent), &path, &children)?
        } else {
            let beside = folders.children.join(format!("{name}.rs"));
            let file: PathBuf = if beside.is_file() { beside } else { below.join("mod.rs") };
            self.add_file(source, &file, Some(parent), &path, &below)?
        };
        let Some(id) = id else { return Ok(()) };
        if has(&child.attrs, "macro_use") {
            let macros = self.modules[id].names.macros.clone();
            for (name, file) in macros {
                self.modules[parent].names.add_macro(name, file);
            }
        }
        self.modules[parent].names.add_module(name, id);
        Ok(())
    }
}

fn exported_macro(item: &Item) -> Option<String> {
    let Item::Macro(item) = item else { return None };
    has(&item.attrs, "macro_export").then(|| item.ident.as_ref().map(ToString::to_string))?
}

fn has(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attribute| attribute.path().is_ident(name))
}
