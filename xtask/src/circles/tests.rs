//! The check on made-up crates.

use std::fs;

use super::{circles, survey::Survey};

/// A crate `a` of these files below `src`.
fn survey(files: &[(&str, &str)]) -> Survey {
    let folder = tempfile::tempdir().expect("a folder for the crate");
    for (name, text) in files {
        let file = folder.path().join("src").join(name);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder below it");
        fs::write(file, text).expect("a source file");
    }
    Survey::read("a", folder.path()).expect("made-up sources are Rust")
}

fn texts(files: &[(&str, &str)]) -> Vec<String> {
    survey(files).circles(&[])
}

const NONE: [&str; 0] = [];

const ROOT: (&str, &str) = ("lib.rs", "mod x; mod y;");
const PLAIN: [(&str, &str); 3] = [
    ROOT,
    ("x.rs", "use crate::y::Y; pub struct X(Y); pub fn x() {}"),
    ("y.rs", "pub struct Y; fn y() { super::x::x(); vec![crate::x::X::new()]; }"),
];

#[test]
fn a_circle_of_files_is_shown_with_the_names_that_cause_it() {
    assert_eq!(texts(&PLAIN), ["a: x.rs y.rs\n  x.rs -> y.rs: Y\n  y.rs -> x.rs: X, x"]);
}

#[test]
fn arrows_one_way_are_no_circle() {
    let survey = survey(&[ROOT, ("x.rs", "use crate::y::Y; pub struct X(Y);"), ("y.rs", "pub struct Y;")]);
    assert_eq!((survey.files(), survey.arrows(), survey.circles(&[])), (3, 1, Vec::<String>::new()));
}

#[test]
fn the_way_shown_is_a_shortest_one() {
    let texts = texts(&[
        ("lib.rs", "mod x; mod y; mod z;"),
        ("x.rs", "pub struct X(crate::y::Y);"),
        ("y.rs", "pub struct Y(crate::z::Z);"),
        ("z.rs", "pub struct Z(crate::x::X, crate::y::Y);"),
    ]);
    assert_eq!(texts, ["a: x.rs y.rs z.rs\n  y.rs -> z.rs: Z\n  z.rs -> y.rs: Y"]);
}

#[test]
fn a_module_that_only_hands_on_is_in_no_circle() {
    let children =
        [("x/b.rs", "pub struct B;"), ("x/c.rs", "use super::{B, D}; use crate::x; fn c(_: x::B) {}")];
    for front in [
        "mod b; mod c; pub use b::B; use b::B as D;",
        "mod b; mod c; pub(crate) use self::b::*; use b::B as D;",
    ] {
        let files = [&[("lib.rs", "pub mod x; pub use x::B;"), ("x/mod.rs", front)], &children[..]].concat();
        assert_eq!(texts(&files), NONE);
    }
}

#[test]
fn a_module_that_uses_what_it_hands_on_is_in_a_circle() {
    let child = ("x/b.rs", "pub struct B; fn b() { super::x() }");
    let front = |text| [("lib.rs", "mod x;"), ("x/mod.rs", text), child];
    assert_eq!(texts(&front("mod b; pub use b::B; pub fn x() {}")), NONE);
    let circle = "a: x/b.rs x/mod.rs\n  x/b.rs -> x/mod.rs: x\n  x/mod.rs -> x/b.rs: B";
    for text in ["mod b; pub use b::B; pub fn x() { B; }", "mod b; pub fn x() { b::B::new(); }"] {
        assert_eq!(texts(&front(text)), [circle]);
    }
}

#[test]
fn globs_renamed_imports_and_modules_lead_to_the_definition() {
    for (front, use_of_y) in [
        ("pub use crate::y::*;", "use crate::front::*; struct X(Y);"),
        ("pub use crate::y::Y as Z;", "use crate::front::Z as W; struct X(W);"),
        ("pub use crate::y as z;", "use crate::front::z; struct X(z::Y);"),
        ("pub(crate) use super::y;", "fn f() { use crate::front::y::{self, Y as W}; W::new(); }"),
        (
            "pub use crate::front::{y, Y}; pub use crate::y; pub use y::Y;",
            "use crate::front::{self as f}; struct X(f::Y);",
        ),
    ] {
        let x = format!("{use_of_y} pub fn x() {{}}");
        let texts = texts(&[
            ("lib.rs", "mod front; mod x; mod y;"),
            ("front.rs", front),
            ("x.rs", &x),
            ("y.rs", "pub struct Y; fn y() { crate::x::x() }"),
        ]);
        assert_eq!(texts, ["a: x.rs y.rs\n  x.rs -> y.rs: Y\n  y.rs -> x.rs: x"], "{front} {use_of_y}");
    }
}

#[test]
fn an_inherent_impl_in_another_file_is_a_circle_and_that_of_a_trait_is_none() {
    let files = |text| [ROOT, ("x.rs", text), ("y.rs", "pub struct Y<T>(T);")];
    assert_eq!(
        texts(&files("use super::y::Y; impl<T> Y<T> { fn x() {} }")),
        ["a: x.rs y.rs\n  x.rs -> y.rs: Y, impl Y\n  y.rs -> x.rs: impl Y"]
    );
    assert_eq!(texts(&files("use super::y::Y; trait Z {} impl<T> Z for Y<T> {}")), NONE);
}

#[test]
fn folders_are_in_a_circle_even_if_no_files_are() {
    let files = [
        ("lib.rs", "mod f; mod g;"),
        ("f/mod.rs", "mod a; mod b;"),
        ("f/a.rs", "pub struct A;"),
        ("f/b.rs", "struct B(crate::g::C);"),
        ("g.rs", "mod c; mod d; pub use c::C;"),
        ("g/c.rs", "pub struct C;"),
        ("g/d.rs", "struct D(crate::f::a::A);"),
    ];
    assert_eq!(texts(&files), ["a/: f/ g/\n  f/ -> g/: C (f/b.rs)\n  g/ -> f/: A (g/d.rs)"]);
}

#[test]
fn a_circle_deep_inside_counts_for_its_own_folder_only() {
    let texts = texts(&[
        ("lib.rs", "mod f;"),
        ("f/mod.rs", "mod g; mod h;"),
        ("f/h.rs", "pub struct H(super::g::i::I);"),
        ("f/g/mod.rs", "pub mod i; pub mod j;"),
        ("f/g/i.rs", "pub struct I;"),
        ("f/g/j.rs", "struct J(crate::f::h::H);"),
    ]);
    assert_eq!(texts, ["a/f/: f/g/ f/h.rs\n  f/g/ -> f/h.rs: H (f/g/j.rs)\n  f/h.rs -> f/g/: I (f/h.rs)"]);
}

#[test]
fn code_for_tests_is_not_read() {
    let texts = texts(&[
        ("lib.rs", "mod x; mod y; #[cfg(test)] mod missing;"),
        ("x.rs", "use crate::y::Y; pub struct X(Y); impl X { #[cfg(test)] fn y() { crate::y::y() } }"),
        (
            "y.rs",
            "#[cfg(all(test, unix))] use crate::x::X; pub struct Y; #[cfg(test)] mod tests { use crate::x::X; }
             #[test] fn y() { crate::x::X; }",
        ),
    ]);
    assert_eq!(texts, NONE);
}

#[test]
fn code_of_any_configuration_is_read() {
    let texts = texts(&[
        ("lib.rs", "mod x; #[cfg(unix)] mod y; #[cfg(windows)] #[path = \"other/z.rs\"] mod y;"),
        ("x.rs", "pub struct X(crate::y::Y);"),
        ("y.rs", "pub struct Y;"),
        ("other/z.rs", "pub struct Y; #[cfg(any(test, windows))] mod inner { use crate::x::X; }"),
    ]);
    assert_eq!(texts, ["a: other/z.rs x.rs\n  other/z.rs -> x.rs: X\n  x.rs -> other/z.rs: Y"]);
}

#[test]
fn variables_hide_items_of_their_name() {
    let front = |body: &str| format!("mod plan; pub use plan::plan; pub struct Input; fn run() {{ {body} }}");
    for (body, circles) in [
        ("let plan = 1; print(plan);", 0),
        ("let f = |plan| print!(\"{}\", plan.x);", 0),
        ("match 1 { plan => plan }", 0),
        ("let plan = plan();", 1),
        ("print!(\"{}\", plan());", 1),
        ("{ let plan = 1; } plan();", 1),
    ] {
        let front = front(body);
        let files = [("lib.rs", &front[..]), ("plan.rs", "use super::Input; pub fn plan() {}")];
        assert_eq!(texts(&files).len(), circles, "{body}");
    }
}

#[test]
fn macros_count_where_they_are_used_and_what_they_name_where_they_are_defined() {
    let y = ("y.rs", "pub fn y() { crate::x::X; }");
    for (root, x) in [
        ("#[macro_use] mod m; mod x; mod y;", "pub struct X; m!();"),
        ("mod m; mod x; mod y;", "use crate::m::n; pub struct X; fn x() { n!() }"),
    ] {
        let m = "macro_rules! m { ($a:ident) => { $crate::y::y(); $a::y() } } pub(crate) use m as n;";
        let circle = ["a: m.rs x.rs y.rs\n  m.rs -> y.rs: y\n  y.rs -> x.rs: X\n  x.rs -> m.rs: m"];
        assert_eq!(texts(&[("lib.rs", root), ("m.rs", m), ("x.rs", x), y]), circle, "{root}");
    }
}

#[test]
fn what_a_macro_defines_is_in_the_file_of_its_call() {
    let texts = texts(&[
        ROOT,
        (
            "x.rs",
            "macro_rules! define { ($name:ident) => { pub fn $name() {} } } define!(x); use crate::y::Y;",
        ),
        ("y.rs", "use crate::x; pub struct Y; fn y() { x::x() }"),
    ]);
    assert_eq!(texts, ["a: x.rs y.rs\n  x.rs -> y.rs: Y\n  y.rs -> x.rs: x"]);
}

#[test]
fn paths_in_attributes_count() {
    let texts = texts(&[
        ROOT,
        ("x.rs", "pub struct X { #[arg(value_parser = crate::y::parse)] field: u8 }"),
        ("y.rs", "pub fn parse() { super::x::X::new() }"),
    ]);
    assert_eq!(texts, ["a: x.rs y.rs\n  x.rs -> y.rs: parse\n  y.rs -> x.rs: X"]);
}

#[test]
fn an_exception_lets_the_blocks_of_a_type_stand_apart_and_one_without_need_is_refused() {
    let needed = ("a", "Y", "a reason");
    let apart = |own: &str, other| {
        let files = [ROOT, ("x.rs", own), ("y.rs", other)];
        circles(&survey(&files), &[needed])
    };
    let block = "use super::y::Y; pub fn x() {} impl Y { fn z() { x() } }";
    assert_eq!(apart(block, "pub struct Y;"), NONE);
    // What else the type's file needs of the block's still counts.
    assert_eq!(
        apart(block, "use super::x::x; pub struct Y;"),
        ["a: x.rs y.rs\n  x.rs -> y.rs: Y\n  y.rs -> x.rs: x"]
    );
    let alone = "impl Y {} pub struct Y;";
    assert_eq!(apart("use super::y::Y; pub fn x() {}", alone), ["a: Y needs no exception: remove it"]);
    let files = survey(&[ROOT, ("x.rs", block), ("y.rs", "pub struct Y;")]);
    assert_eq!(circles(&files, &[("b", "Y", "another crate")]).len(), 1);
}

#[test]
fn a_file_that_is_missing_or_no_rust_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder for the crate");
    fs::create_dir(folder.path().join("src")).expect("a folder below it");
    for (text, reason) in [("mod x;", "x/mod.rs"), ("fn {", "lib.rs")] {
        fs::write(folder.path().join("src/lib.rs"), text).expect("a source file");
        let error = Survey::read("a", folder.path()).map(|_| ()).expect_err("a fault in the sources");
        assert!(error.contains(reason), "{error}");
    }
}
