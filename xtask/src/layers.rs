//! Checks which crate imports which, and that no crate has a circle of imports inside.
//!
//! The table `LAYERS` alone defines what is allowed; `ARCHITECTURE.md` describes it in words. Every crate belongs to a layer: a
//! crate may import crates of lower layers, and none of its own layer or above.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{circles, command::Cargo, sources, words};

/// The position of a crate in the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// A layer, counted from the lowest.
    Layer(u8),
    /// Imported by tests only, in every layer. It may import what it tests, as its list says.
    TestsOnly,
    /// Beside the workspace: imports nothing of it and is imported by nothing.
    Tool,
}

/// The crates that a crate may import, within the rules of the layers.
#[derive(Clone, Copy, Debug)]
enum Imports {
    /// Every crate of a lower layer.
    AllBelow,
    /// These crates and no other.
    Only(&'static [&'static str]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Member {
    package: &'static str,
    position: Position,
    imports: Imports,
}

const fn member(package: &'static str, layer: u8) -> Member {
    Member { package, position: Position::Layer(layer), imports: Imports::AllBelow }
}

const fn interface(package: &'static str) -> Member {
    Member { package, position: Position::Layer(13), imports: Imports::Only(&["asanoha"]) }
}

const LAYERS: &[Member] = &[
    member("asanoha-kernels", 1),
    member("asanoha-numeric", 1),
    member("asanoha-http", 2),
    member("asanoha-table", 2),
    member("asanoha-ring", 2),
    member("asanoha-lang", 3),
    member("asanoha-lattice", 3),
    member("asanoha-scheme", 4),
    member("asanoha-bgv", 5),
    member("asanoha-bfv", 5),
    member("asanoha-ckks", 5),
    member("asanoha-tfhe", 5),
    member("asanoha-circuits", 6),
    member("asanoha-compile", 7),
    member("asanoha-mpc", 7),
    member("asanoha-genome", 7),
    member("asanoha-backends", 8),
    member("asanoha-planner", 9),
    member("asanoha-runtime", 10),
    member("asanoha-bench", 11),
    member("asanoha-service", 11),
    member("asanoha", 12),
    interface("asanoha-cli"),
    interface("asanoha-python"),
    interface("asanoha-wasm"),
    interface("asanoha-fuzz"),
    Member {
        package: "asanoha-testkit",
        position: Position::TestsOnly,
        imports: Imports::Only(&["asanoha-kernels", "asanoha-ring", "asanoha-lattice", "asanoha-scheme"]),
    },
    Member { package: "xtask", position: Position::Tool, imports: Imports::Only(&[]) },
];

fn find(package: &str) -> Option<&'static Member> {
    LAYERS.iter().find(|member| member.package == package)
}

/// The kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Normal,
    Dev,
    Build,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Normal => "imports",
            Self::Dev => "imports (for its tests)",
            Self::Build => "imports (for its build script)",
        }
    }
}

/// An import of one crate of the workspace by another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    importer: String,
    imported: String,
    kind: Kind,
}

/// The workspace's crates and the imports between them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    packages: BTreeSet<String>,
    edges: BTreeSet<Edge>,
}

/// Reads the answer of `cargo metadata --no-deps`. A dependency belongs to the workspace if it is given by a path, is a
/// member of the workspace, or is in the table; others are outside crates.
fn read_graph(metadata: &Value) -> Result<Graph, String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no list of packages")?;
    let mut graph = Graph::default();
    for package in packages {
        let name = package["name"].as_str().ok_or("cargo metadata: a package without a name")?;
        graph.packages.insert(name.to_owned());
    }
    for package in packages {
        let importer = package["name"].as_str().unwrap_or_default();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let imported = dependency["name"]
                .as_str()
                .ok_or_else(|| format!("cargo metadata: {importer} has a dependency without a name"))?;
            let of_the_house = dependency["path"].is_string()
                || graph.packages.contains(imported)
                || find(imported).is_some();
            if !of_the_house {
                continue;
            }
            let kind = match dependency["kind"].as_str() {
                None | Some("normal") => Kind::Normal,
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                Some(other) => return Err(format!("cargo metadata: unknown dependency kind {other}")),
            };
            graph.edges.insert(Edge { importer: importer.to_owned(), imported: imported.to_owned(), kind });
        }
    }
    Ok(graph)
}

/// The reason why `importer` may not import `imported`; `None` if it may.
fn objection(importer: &Member, imported: &Member, kind: Kind) -> Option<String> {
    let (from, to) = match (importer.position, imported.position) {
        (_, Position::TestsOnly) if kind == Kind::Dev && importer.position != Position::TestsOnly => {
            return None;
        }
        (_, Position::TestsOnly) => {
            return Some(format!("{} is for tests only (dev-dependencies)", imported.package));
        }
        (_, Position::Tool) => return Some(format!("{} is not part of the workspace", imported.package)),
        (Position::Tool, Position::Layer(_)) => {
            return Some(format!("{} may import no crate of the workspace", importer.package));
        }
        // Tests stand above what they test.
        (Position::TestsOnly, Position::Layer(to)) => (u8::MAX, to),
        (Position::Layer(from), Position::Layer(to)) => (from, to),
    };
    if to > from {
        return Some(format!("layer {from} up to layer {to}"));
    }
    if to == from {
        return Some(format!("siblings in layer {from}"));
    }
    match importer.imports {
        Imports::Only(allowed) if !allowed.contains(&imported.package) => {
            Some(format!("{} may import only {}", importer.package, allowed.join(", ")))
        }
        Imports::Only(_) | Imports::AllBelow => None,
    }
}

/// One line for each crate without a layer and for each forbidden import.
fn complaints(graph: &Graph) -> Vec<String> {
    let mut lines: Vec<String> = graph
        .packages
        .iter()
        .filter(|package| find(package).is_none())
        .map(|package| format!("{package} has no layer: add it to the table in xtask/src/layers.rs"))
        .collect();
    for Edge { importer, imported, kind } in &graph.edges {
        let reason = match (find(importer), find(imported)) {
            (Some(importer), Some(imported)) => objection(importer, imported, *kind),
            (_, None) if !graph.packages.contains(imported) => Some(format!("{imported} has no layer")),
            // A member without a layer has its own line already.
            _ => None,
        };
        if let Some(reason) = reason {
            lines.push(format!("{importer} {} {imported}: {reason}", kind.words()));
        }
    }
    lines
}

fn metadata(top: &Path) -> Result<Value, String> {
    let answer = Cargo::new(&["metadata", "--no-deps", "--format-version", "1"]).capture(top)?;
    serde_json::from_slice(&answer).map_err(|error| format!("cargo metadata: {error}"))
}

/// The folders of the workspace's crates.
fn folders(metadata: &Value) -> Vec<PathBuf> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifests = packages.filter_map(|package| package["manifest_path"].as_str());
    manifests.filter_map(|manifest| Path::new(manifest).parent()).map(Path::to_path_buf).collect()
}

/// Checks the imports and the sources of the whole workspace.
pub(crate) fn run(top: &Path) -> Result<String, String> {
    let metadata = metadata(top)?;
    let graph = read_graph(&metadata)?;
    let mut lines = complaints(&graph);
    let checked = sources::check(top, &mut lines)?;
    let read = words::check(top, &mut lines)?;
    let inside = circles::check(top, &folders(&metadata), &mut lines)?;
    if lines.is_empty() {
        Ok(format!(
            "layers: {} crates, {} imports, {checked} files, {read} texts; inside the crates {} files, {} arrows, no \
             circle: nothing forbidden",
            graph.packages.len(),
            graph.edges.len(),
            inside.files,
            inside.arrows
        ))
    } else {
        Err(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Imports, LAYERS, Position, complaints, find, read_graph};

    /// Made-up metadata in cargo's shape: packages with `(dependency, kind)`, kind "" being a normal one.
    fn metadata(packages: &[(&str, &[(&str, &str)])]) -> Value {
        let packages: Vec<Value> = packages
            .iter()
            .map(|(name, dependencies)| {
                let dependencies: Vec<Value> = dependencies
                    .iter()
                    .map(|(name, kind)| {
                        let kind = if kind.is_empty() { Value::Null } else { json!(kind) };
                        json!({ "name": name, "kind": kind, "path": null })
                    })
                    .collect();
                json!({ "name": name, "dependencies": dependencies })
            })
            .collect();
        json!({ "packages": packages })
    }

    fn complaints_about(packages: &[(&str, &[(&str, &str)])]) -> Vec<String> {
        complaints(&read_graph(&metadata(packages)).expect("made-up metadata has cargo's shape"))
    }

    #[test]
    fn imports_that_go_down_are_allowed() {
        let lines = complaints_about(&[
            ("asanoha-kernels", &[("zeroize", ""), ("asanoha-testkit", "dev")]),
            ("asanoha-ring", &[("asanoha-kernels", "")]),
            ("asanoha-bgv", &[("asanoha-ring", ""), ("asanoha-kernels", ""), ("asanoha-testkit", "dev")]),
            ("asanoha-circuits", &[("asanoha-bgv", ""), ("asanoha-ckks", "")]),
            ("asanoha", &[("asanoha-planner", ""), ("asanoha-kernels", "")]),
            ("asanoha-cli", &[("asanoha", ""), ("clap", ""), ("tempfile", "dev")]),
            ("asanoha-testkit", &[("num-bigint", ""), ("asanoha-scheme", "")]),
            ("xtask", &[("serde_json", "")]),
        ]);
        assert_eq!(lines, Vec::<String>::new());
    }

    #[test]
    fn an_import_that_goes_up_is_forbidden() {
        let lines = complaints_about(&[("asanoha-ring", &[("asanoha-lattice", "")])]);
        assert_eq!(lines, ["asanoha-ring imports asanoha-lattice: layer 2 up to layer 3"]);
    }

    #[test]
    fn siblings_may_not_import_each_other_even_for_tests() {
        let lines = complaints_about(&[
            ("asanoha-bgv", &[("asanoha-ckks", "dev")]),
            ("asanoha-mpc", &[("asanoha-genome", "")]),
        ]);
        assert_eq!(
            lines,
            [
                "asanoha-bgv imports (for its tests) asanoha-ckks: siblings in layer 5",
                "asanoha-mpc imports asanoha-genome: siblings in layer 7",
            ]
        );
    }

    #[test]
    fn each_forbidden_edge_has_its_own_line() {
        let lines = complaints_about(&[(
            "asanoha-kernels",
            &[("asanoha-ring", ""), ("asanoha-ring", "dev"), ("asanoha", "build")],
        )]);
        assert_eq!(lines.len(), 3, "{lines:?}");
    }

    #[test]
    fn testkit_is_a_dev_dependency_or_nothing() {
        for kind in ["", "build"] {
            let lines = complaints_about(&[("asanoha-ring", &[("asanoha-testkit", kind)])]);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].ends_with("asanoha-testkit is for tests only (dev-dependencies)"), "{lines:?}");
        }
    }

    #[test]
    fn testkit_imports_what_all_schemes_stand_on_and_no_scheme() {
        let lines = complaints_about(&[(
            "asanoha-testkit",
            &[("asanoha-ring", ""), ("asanoha-scheme", ""), ("asanoha-bgv", ""), ("xtask", "")],
        )]);
        assert_eq!(
            lines,
            [
                "asanoha-testkit imports asanoha-bgv: asanoha-testkit may import only asanoha-kernels, asanoha-ring, \
                 asanoha-lattice, asanoha-scheme",
                "asanoha-testkit imports xtask: xtask is not part of the workspace",
            ]
        );
    }

    #[test]
    fn the_program_imports_the_paved_path_only() {
        let lines = complaints_about(&[("asanoha-cli", &[("asanoha", ""), ("asanoha-planner", "")])]);
        assert_eq!(lines, ["asanoha-cli imports asanoha-planner: asanoha-cli may import only asanoha"]);
    }

    #[test]
    fn nothing_imports_xtask_and_xtask_imports_nothing() {
        let lines = complaints_about(&[("asanoha", &[("xtask", "")]), ("xtask", &[("asanoha", "")])]);
        assert_eq!(lines.len(), 2, "{lines:?}");
    }

    #[test]
    fn a_crate_missing_from_the_table_is_named_once() {
        let lines = complaints_about(&[
            ("asanoha-annex", &[("asanoha-ring", "")]),
            ("asanoha-planner", &[("asanoha-annex", "")]),
        ]);
        assert_eq!(lines, ["asanoha-annex has no layer: add it to the table in xtask/src/layers.rs"]);
    }

    #[test]
    fn a_path_outside_the_workspace_has_no_floor() {
        let metadata = json!({ "packages": [{
            "name": "asanoha-ring",
            "dependencies": [{ "name": "shed", "kind": null, "path": "/elsewhere/shed" }],
        }] });
        let lines = complaints(&read_graph(&metadata).expect("made-up metadata has cargo's shape"));
        assert_eq!(lines, ["asanoha-ring imports shed: shed has no layer"]);
    }

    #[test]
    fn metadata_of_another_shape_is_an_error() {
        assert!(read_graph(&json!({})).is_err());
        assert!(read_graph(&json!({ "packages": [{ "dependencies": [] }] })).is_err());
        assert!(read_graph(&metadata(&[("asanoha-ring", &[("asanoha-kernels", "optional")])])).is_err());
    }

    #[test]
    fn the_table_names_each_crate_once_and_its_lists_name_lower_floors() {
        for (index, member) in LAYERS.iter().enumerate() {
            assert!(
                LAYERS[..index].iter().all(|other| other.package != member.package),
                "{}",
                member.package
            );
            let Imports::Only(allowed) = member.imports else { continue };
            for name in allowed {
                let imported = find(name).expect("a list names a crate of the table");
                let Position::Layer(to) = imported.position else {
                    panic!("{} lists {name}, which has no layer", member.package);
                };
                let below = !matches!(member.position, Position::Layer(from) if to >= from);
                assert!(below, "{} lists {name}", member.package);
            }
        }
    }
}
