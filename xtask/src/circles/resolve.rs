//! Follows paths through imports and re-exports to the definition.

use std::ptr;

use super::{
    names::{Binding, FileId, ModuleId, Names},
    tree::{Module, Tree},
};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Module(ModuleId),
    Item { file: FileId, name: String },
}

/// Where a path stands: in a module, and in blocks of it with names of their own, the innermost last.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    pub(crate) blocks: &'a [Names],
}

/// Paths on the way to a definition. One that comes again is in a circle of imports and leads nowhere.
type Seen<'a> = Vec<&'a [String]>;

/// What a path leads to; nothing if that's in another crate.
pub(crate) fn resolve<'a>(tree: &'a Tree, scope: Scope<'a>, path: &'a [String]) -> Vec<Target> {
    follow(tree, scope, path, &mut Vec::new())
}

fn follow<'a>(tree: &'a Tree, scope: Scope<'a>, path: &'a [String], seen: &mut Seen<'a>) -> Vec<Target> {
    if seen.iter().any(|other| ptr::eq(*other, path)) {
        return Vec::new();
    }
    seen.push(path);
    let mut targets = Vec::new();
    for (index, name) in path.iter().enumerate() {
        targets = if index == 0 { first(tree, scope, name, seen) } else { step(tree, &targets, name, seen) };
    }
    seen.pop();
    targets
}

/// What the first name of a path stands for.
fn first<'a>(tree: &'a Tree, scope: Scope<'a>, name: &str, seen: &mut Seen<'a>) -> Vec<Target> {
    match name {
        "crate" => vec![Target::Module(0)],
        "self" => vec![Target::Module(scope.module)],
        "super" => tree.modules[scope.module].parent.map(Target::Module).into_iter().collect(),
        _ => {
            let mut blocks = scope.blocks.iter().rev();
            blocks
                .find_map(|names| look_up(tree, scope, names, name, seen))
                .or_else(|| member(tree, scope.module, name, seen))
                .unwrap_or_default()
        }
    }
}

/// What the next name of a path stands for.
fn step<'a>(tree: &'a Tree, targets: &[Target], name: &str, seen: &mut Seen<'a>) -> Vec<Target> {
    let mut found = Vec::new();
    let mut is_in_module = false;
    for target in targets {
        let Target::Module(id) = *target else { continue };
        is_in_module = true;
        let Module { parent, file, names, .. } = &tree.modules[id];
        if name == "super" {
            found.extend(parent.map(Target::Module));
            continue;
        }
        match member(tree, id, name, seen) {
            Some(targets) => found.extend(targets),
            None if names.has_calls => found.push(Target::Item { file: *file, name: name.to_owned() }),
            None => {}
        }
    }
    // Below an item, a path names a part of it.
    if is_in_module { found } else { targets.to_vec() }
}

fn member<'a>(tree: &'a Tree, module: ModuleId, name: &str, seen: &mut Seen<'a>) -> Option<Vec<Target>> {
    look_up(tree, Scope { module, blocks: &[] }, &tree.modules[module].names, name, seen)
}

/// What a name stands for; `None` if `names` doesn't have it.
fn look_up<'a>(
    tree: &'a Tree,
    scope: Scope<'a>,
    names: &'a Names,
    name: &str,
    seen: &mut Seen<'a>,
) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    if let Some(bindings) = names.bindings.get(name) {
        for binding in bindings {
            match binding {
                Binding::Item(file) => targets.push(Target::Item { file: *file, name: name.to_owned() }),
                Binding::Module(module) => targets.push(Target::Module(*module)),
                Binding::Import(path) => targets.extend(follow(tree, scope, path, seen)),
            }
        }
        return Some(targets);
    }
    for glob in &names.globs {
        for target in follow(tree, scope, glob, seen) {
            if let Target::Module(module) = target {
                targets.extend(member(tree, module, name, seen).unwrap_or_default());
            }
        }
    }
    (!targets.is_empty()).then_some(targets)
}

/// The file of a macro that code in `module` sees without `use`.
pub(crate) fn textual_macro(tree: &Tree, mut module: ModuleId, name: &str) -> Option<FileId> {
    loop {
        let Module { parent, names, .. } = &tree.modules[module];
        if let Some(file) = names.macros.get(name) {
            return Some(*file);
        }
        module = (*parent)?;
    }
}
