//! The names that a module or a block has.

use std::collections::BTreeMap;

use syn::{Ident, Item, UseTree};

/// The index of a file in the crate's tree.
pub(crate) type FileId = usize;

/// The index of a module in the crate's tree; its root is 0.
pub(crate) type ModuleId = usize;

/// What a name stands for.
#[derive(Debug)]
pub(crate) enum Binding {
    /// An item defined in this file.
    Item(FileId),
    Module(ModuleId),
    /// The path of a `use`.
    Import(Vec<String>),
}

/// The names of a module or a block.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) bindings: BTreeMap<String, Vec<Binding>>,
    pub(crate) globs: Vec<Vec<String>>,
    /// The macros that code below sees without `use`.
    pub(crate) macros: BTreeMap<String, FileId>,
    /// Whether macros can define more names.
    pub(crate) has_calls: bool,
}

impl Names {
    /// Adds what an item of `file` defines or imports. Modules are added by `add_module`.
    pub(crate) fn add(&mut self, item: &Item, file: FileId) {
        match item {
            Item::Const(item) => self.define(&item.ident, file),
            Item::Enum(item) => self.define(&item.ident, file),
            Item::Fn(item) => self.define(&item.sig.ident, file),
            Item::Static(item) => self.define(&item.ident, file),
            Item::Struct(item) => self.define(&item.ident, file),
            Item::Trait(item) => self.define(&item.ident, file),
            Item::TraitAlias(item) => self.define(&item.ident, file),
            Item::Type(item) => self.define(&item.ident, file),
            Item::Union(item) => self.define(&item.ident, file),
            Item::Macro(item) => match &item.ident {
                Some(name) => self.add_macro(name.to_string(), file),
                None => self.has_calls = true,
            },
            Item::Use(item) if item.leading_colon.is_none() => {
                for import in imports(&item.tree) {
                    match import.name {
                        Some(name) => self.bind(name, Binding::Import(import.path)),
                        None => self.globs.push(import.path),
                    }
                }
            }
            // What an outside crate has is no definition of this one.
            Item::Use(item) => {
                for name in imports(&item.tree).into_iter().filter_map(|import| import.name) {
                    self.bindings.entry(name).or_default();
                }
            }
            _ => {}
        }
    }

    pub(crate) fn add_module(&mut self, name: String, module: ModuleId) {
        self.bind(name, Binding::Module(module));
    }

    pub(crate) fn add_macro(&mut self, name: String, file: FileId) {
        self.bind(name.clone(), Binding::Item(file));
        self.macros.insert(name, file);
    }

    fn define(&mut self, name: &Ident, file: FileId) {
        self.bind(name.to_string(), Binding::Item(file));
    }

    fn bind(&mut self, name: String, binding: Binding) {
        self.bindings.entry(name).or_default().push(binding);
    }
}

/// A leaf of a `use`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// The name that it has here; `None` if it's a glob.
    pub(crate) name: Option<String>,
}

/// The leaves of a `use`. That of a glob is the path before `*`.
pub(crate) fn imports(tree: &UseTree) -> Vec<Import> {
    let mut leaves = Vec::new();
    collect(tree, &[], &mut leaves);
    leaves
}

fn collect(tree: &UseTree, above: &[String], leaves: &mut Vec<Import>) {
    // `a::{self}` is `a`.
    let with = |name: &Ident| {
        let own = (*name != "self" || above.is_empty()).then(|| name.to_string());
        above.iter().cloned().chain(own).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(tree) => collect(&tree.tree, &with(&tree.ident), leaves),
        UseTree::Name(tree) => {
            let path = with(&tree.ident);
            leaves.push(Import { name: path.last().cloned(), path });
        }
        UseTree::Rename(tree) => {
            leaves.push(Import { path: with(&tree.ident), name: Some(tree.rename.to_string()) });
        }
        UseTree::Glob(_) => leaves.push(Import { path: above.to_vec(), name: None }),
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| collect(tree, above, leaves)),
    }
}
