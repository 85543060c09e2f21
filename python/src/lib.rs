//! The native part of the Python package `asanoha`. Its interface is private: `asanoha` is the package's own.

mod advice;
mod builder;
mod client;
mod columns;
mod fault;
mod genome;
mod language;
mod plan;
mod remote;
mod results;
mod server;
mod triples;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _asanoha(module: &Bound<'_, PyModule>) -> PyResult<()> {
    work::keep_panics_quiet();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    language::add_limits(module)?;
    module.add_class::<builder::Builder>()?;
    module.add_class::<client::Client>()?;
    module.add_class::<columns::Columns>()?;
    module.add_class::<genome::GenomeClient>()?;
    module.add_class::<genome::GenomePanel>()?;
    module.add_class::<genome::GenomeServer>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<remote::Remote>()?;
    module.add_class::<results::Decrypted>()?;
    module.add_class::<results::Part>()?;
    module.add_class::<server::Server>()?;
    module.add_class::<triples::TripleBlocks>()?;
    module.add_class::<triples::TripleFolder>()?;
    module.add_function(wrap_pyfunction!(client::digest_of, module)?)?;
    module.add_function(wrap_pyfunction!(columns::schema_of, module)?)?;
    module.add_function(wrap_pyfunction!(language::category_problem, module)?)?;
    module.add_function(wrap_pyfunction!(language::functions, module)?)?;
    module.add_function(wrap_pyfunction!(language::is_column_name, module)?)?;
    module.add_function(wrap_pyfunction!(language::is_identifier, module)?)?;
    module.add_function(wrap_pyfunction!(language::is_keyword, module)?)?;
    module.add_function(wrap_pyfunction!(language::quoted, module)?)?;
    module.add_function(wrap_pyfunction!(language::short, module)?)?;
    module.add_function(wrap_pyfunction!(language::smooth_functions, module)?)?;
    module.add_function(wrap_pyfunction!(language::text_literal, module)?)?;
    module.add_function(wrap_pyfunction!(work::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(triples::verify_triples, module)?)?;
    module.add_function(wrap_pyfunction!(work::machine, module)?)?;
    Ok(())
}
