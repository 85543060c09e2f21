//! What the check of circles lets pass.

/// A type whose inherent `impl` blocks stand in several files: crate, type, and the reason. Its own file still may not name what
/// these files define.
pub(crate) type Exception = (&'static str, &'static str, &'static str);

/// The types whose blocks stand apart. One that makes no circle is refused.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    ("crates/lang", "Parser", "some 40 methods of a recursive descent on one state are too many for a file"),
    (
        "crates/scheme",
        "Operations",
        "some 70 methods with their noise rules are too many for a file, and traits in their place would have to be imported",
    ),
];
