//! Computing on encrypted data: the paved path.
//!
//! Everything a program that computes on encrypted data needs, under one name: write the function as a
//! [`program::Program`], let [`choose::choose`] find scheme and parameters, and carry out the [`plan::Plan`] with
//! [`execute`].
//!
//! ```
//! use asanoha::prelude::*;
//!
//! let program = Program::parse("total = sum(price * quantity)")?;
//! let data = "price,quantity\n110,16\n1600,4\n";
//! let table = Table::from_csv_reader(data.as_bytes(), "shop.csv", program.input_names())?;
//! let schema = Schema::from_table(&table, &[])?;
//! let precision = Precision::Relative { bits: 20 };
//! let wishes =
//!     Wishes { scheme: None, security: 128, precision, backend: Backend::detect()?, threads: 1 };
//! let plan = choose(&program, &schema, &wishes)?.into_plan(&wishes)?;
//! assert_eq!(plan.params.scheme(), Scheme::Bgv);
//!
//! let mut sampler = Sampler::from_os();
//! let keys = execute::generate_keys(&plan, &mut sampler);
//! let inputs = execute::encrypt(&plan, &keys.public, &table, &mut sampler)?;
//! let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &|_, _| ())?;
//! let secret = keys.secret.as_ref().expect("the keys were just made");
//! let results = execute::decrypt(&plan, secret, &outputs)?;
//! assert_eq!(results.outputs[0].1.as_slice(), [8160.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The floors below are here too, for those who need one operation of one scheme.

pub use asanoha_bench as bench;
pub use asanoha_bfv as bfv;
pub use asanoha_bgv as bgv;
pub use asanoha_circuits as circuits;
pub use asanoha_ckks as ckks;
pub use asanoha_kernels as kernels;
pub use asanoha_lattice as lattice;
pub use asanoha_planner::{choose, circuit, cost, data, execute, generate, output, plan, precision, program};
pub use asanoha_ring as ring;

/// What most programs need.
pub mod prelude {
    pub use asanoha_kernels::Backend;
    pub use asanoha_planner::{
        choose::{Choice, Wishes, choose},
        data::{Column, ColumnValues, Schema, Table},
        execute::{self, Decrypted, Encrypted, Keys},
        plan::{Plan, Scheme},
        precision::Precision,
        program::{Program, ProgramBuilder},
    };
    pub use asanoha_ring::{Sampler, Seed};
}
