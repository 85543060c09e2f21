//! What attributes say about where code belongs.

use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, MetaNameValue, Token, punctuated::Punctuated};

/// The attributes of an item.
pub(crate) fn of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether only tests have what stands below these attributes.
pub(crate) fn are_for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && attribute.parse_args().is_ok_and(|cfg| needs_test(&cfg)))
    })
}

/// Whether a condition holds in tests only.
fn needs_test(cfg: &Meta) -> bool {
    let Meta::List(list) = cfg else { return cfg.path().is_ident("test") };
    let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
        return false;
    };
    (list.path.is_ident("all") && parts.iter().any(needs_test))
        || (list.path.is_ident("any") && parts.iter().all(needs_test))
}

/// The file that `#[path = "…"]` names.
pub(crate) fn path(attrs: &[Attribute]) -> Option<String> {
    attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(MetaNameValue {
            path,
            value: Expr::Lit(ExprLit { lit: Lit::Str(file), .. }),
            ..
        }) if path.is_ident("path") => Some(file.value()),
        _ => None,
    })
}
