//! Which file names an item that another one defines.
//!
//! Not seen: methods and fields of types that a file doesn't name, names in strings and doc comments, and names that a macro puts
//! together. The names in a macro's rules count for the file that defines the macro.

use std::collections::BTreeSet;

use syn::{
    Arm, Attribute, Block, ExprClosure, ExprForLoop, ExprLet, ExprPath, ImplItem, ImplItemFn, Item, ItemFn,
    ItemImpl, Local, Macro, Meta, PatIdent, Path, Stmt, TraitItemFn, Type, Visibility,
    visit::{self, Visit},
};

use super::{
    attributes,
    graph::Arrows,
    names::{self, FileId, ModuleId, Names},
    resolve::{Scope, Target, resolve, textual_macro},
    tokens,
    tree::Tree,
};

/// The arrows between the files of a crate, with the names that cause them. A file with nothing but `mod` and `use` has none.
pub(crate) fn between_files(tree: &Tree) -> Arrows {
    let mut arrows = Arrows::new();
    for (id, module) in tree.modules.iter().enumerate() {
        let mut reader = Reader {
            tree,
            module: id,
            file: module.file,
            blocks: Vec::new(),
            locals: Vec::new(),
            arrows: &mut arrows,
        };
        module.items.iter().for_each(|item| reader.visit_item(item));
    }
    arrows
}

struct Reader<'a> {
    tree: &'a Tree,
    module: ModuleId,
    file: FileId,
    /// The names of the items in the blocks around, the innermost last.
    blocks: Vec<Names>,
    /// The variables around.
    locals: Vec<BTreeSet<String>>,
    arrows: &'a mut Arrows,
}

impl Reader<'_> {
    /// The items that a path leads to.
    fn items(&self, path: &[String]) -> Vec<(FileId, String)> {
        let scope = Scope { module: self.module, blocks: &self.blocks };
        let targets = resolve(self.tree, scope, path).into_iter();
        targets
            .filter_map(|target| match target {
                Target::Item { file, name } => Some((file, name)),
                Target::Module(_) => None,
            })
            .collect()
    }

    fn add(&mut self, from: FileId, to: FileId, name: String) {
        let (from, to) = (&self.tree.files[from], &self.tree.files[to]);
        if from.name != to.name && !from.only_reexports {
            let arrows = self.arrows.entry(from.name.clone()).or_default();
            arrows.entry(to.name.clone()).or_default().insert(name);
        }
    }

    fn add_path(&mut self, path: &[String]) {
        for (file, name) in self.items(path) {
            self.add(self.file, file, name);
        }
    }

    fn is_local(&self, path: &[String]) -> bool {
        matches!(path, [name] if self.locals.iter().any(|names| names.contains(name)))
    }

    /// Reads code with variables of its own.
    fn inside(&mut self, read: impl FnOnce(&mut Self)) {
        self.locals.push(BTreeSet::new());
        read(self);
        self.locals.pop();
    }

    /// An inherent `impl` outside the type's file: the type is defined in both, so each needs the other.
    fn add_inherent(&mut self, item: &ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        if item.trait_.is_some() || path.qself.is_some() {
            return;
        }
        for (file, name) in self.items(&segments(&path.path)) {
            self.add(self.file, file, format!("impl {name}"));
            self.add(file, self.file, format!("impl {name}"));
        }
    }
}

fn segments(path: &Path) -> Vec<String> {
    if path.leading_colon.is_some() {
        return Vec::new();
    }
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes::are_for_tests(attributes::of(item)) {
            return;
        }
        match item {
            // A re-export hands on what others define.
            Item::Use(item) if matches!(item.vis, Visibility::Inherited) && item.leading_colon.is_none() => {
                for import in names::imports(&item.tree) {
                    self.add_path(&import.path);
                }
            }
            Item::Use(_) => {}
            Item::Impl(block) => {
                self.add_inherent(block);
                visit::visit_item(self, item);
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attrs = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !attributes::are_for_tests(attrs) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.inside(|reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.inside(|reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.inside(|reader| visit::visit_trait_item_fn(reader, item));
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.inside(|reader| visit::visit_expr_closure(reader, closure));
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.inside(|reader| visit::visit_arm(reader, arm));
    }

    fn visit_expr_for_loop(&mut self, expression: &'ast ExprForLoop) {
        self.visit_expr(&expression.expr);
        self.inside(|reader| {
            reader.visit_pat(&expression.pat);
            reader.visit_block(&expression.body);
        });
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let mut names = Names::default();
        for statement in &block.stmts {
            if let Stmt::Item(item) = statement {
                names.add(item, self.file);
            }
        }
        self.blocks.push(names);
        self.inside(|reader| visit::visit_block(reader, block));
        self.blocks.pop();
    }

    // A variable exists after its value.
    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        self.visit_pat(&local.pat);
    }

    fn visit_expr_let(&mut self, expression: &'ast ExprLet) {
        self.visit_expr(&expression.expr);
        self.visit_pat(&expression.pat);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if let Some(names) = self.locals.last_mut() {
            names.insert(pattern.ident.to_string());
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_path(&mut self, expression: &'ast ExprPath) {
        if expression.qself.is_some() || !self.is_local(&segments(&expression.path)) {
            visit::visit_expr_path(self, expression);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.add_path(&segments(path));
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, call: &'ast Macro) {
        let path = segments(&call.path);
        if let [name] = &path[..]
            && let Some(file) = textual_macro(self.tree, self.module, name)
        {
            self.add(self.file, file, name.clone());
        }
        self.add_path(&path);
        for path in tokens::paths(&call.tokens) {
            if !self.is_local(&path) {
                self.add_path(&path);
            }
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::List(list) = &attribute.meta else { return };
        // A single name is the attribute's own word, or imported.
        for path in tokens::paths(&list.tokens) {
            if path.len() > 1 {
                self.add_path(&path);
            }
        }
    }
}
