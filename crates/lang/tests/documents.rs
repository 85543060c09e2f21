//! The documentation holds what the language says of its operations.

use std::{fs, path::Path};

use asanoha_lang::ops::{ENTRIES, OPERATORS};

const HEAD: &str = "| expression | operands | result |\n|---|---|---|\n";

/// With `ASANOHA_WRITE_TABLES` set, the table is written anew.
#[test]
fn the_table_of_operations_is_that_of_the_language() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/programs.md");
    let page = fs::read_to_string(&path).unwrap();
    let lines = OPERATORS.iter().chain(ENTRIES.into_iter().flat_map(|entry| entry.lines));
    let table = lines.fold(String::new(), |table, line| table + &format!("{line}\n"));
    let start = page.find(HEAD).expect("the page has the table") + HEAD.len();
    let end = start + page[start..].find("\n\n").expect("text follows the table") + 1;
    if std::env::var_os("ASANOHA_WRITE_TABLES").is_some() {
        fs::write(path, [&page[..start], &table, &page[end..]].concat()).unwrap();
        return;
    }
    assert_eq!(&page[start..end], table, "set ASANOHA_WRITE_TABLES to write the table anew");
}
