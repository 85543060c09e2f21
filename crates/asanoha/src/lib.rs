//! Computes on encrypted data: one crate with every scheme, the circuits and the planner.
//!
//! # With a scheme
//! If you know which operations to carry out, choose a scheme: [`ckks`] for real numbers, [`bgv`] or [`bfv`] for exact
//! integers, [`tfhe`] for comparisons, divisions and tables of single integers. Then start with `use asanoha::prelude::*`:
//!
//! ```
//! use asanoha::prelude::*;
//!
//! # let (x, y) = (vec![0.5; 4096], vec![0.25; 4096]);
//! let params = Ckks::parameters().depth(1).precision_bits(30).slots(4096).build()?; // 128 bits unless said
//! let (secret, public) = params.generate_keys();
//! let keys = secret.evaluation_keys().relinearise().sum(1024).build()?;
//! let evaluator = params.evaluator(keys);
//!
//! let (a, b) = (public.encrypt(&x)?, public.encrypt(&y)?); // of at most 1, or: public.with_bound(2.5)
//! let dot = evaluator.sum(&evaluator.multiply(&a, &b)?, 1024)?;
//! println!("{} ± {:e}", secret.decrypt(&dot)?[0], dot.error_bound());
//! # assert!((secret.decrypt(&dot)?[0] - 128.0).abs() <= dot.error_bound());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! BGV and BFV differ in the first line only, and decryption returns integers without an error:
//!
//! ```
//! use asanoha::prelude::*;
//!
//! # let (x, y) = (vec![3i64; 4096], vec![-2i64; 4096]);
//! let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
//! let (secret, public) = params.generate_keys();
//! let keys = secret.evaluation_keys().relinearise().sum(1024).build()?;
//! let evaluator = params.evaluator(keys);
//!
//! let (a, b) = (public.encrypt(&x)?, public.encrypt(&y)?);
//! let dot = evaluator.sum(&evaluator.multiply(&a, &b)?, 1024)?;
//! println!("{}", secret.decrypt(&dot)?[0]);
//! # assert_eq!(secret.decrypt(&dot)?[0], -6 * 1024);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! TFHE has no slots and no levels. Its integers consist of digits of two bits, and every operation leaves fresh noise:
//!
//! ```no_run
//! use asanoha::prelude::*;
//!
//! let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
//! let mut sampler = Sampler::from_os();
//! let client = ClientKey::generate(&params, &mut sampler); // secret
//! let server = client.server_key(&mut sampler); // public
//! let integers = Integers::new(&server)?;
//!
//! let byte = IntegerType::unsigned(4);
//! let a = client.encrypt_integer(100, byte, &mut sampler)?;
//! let b = client.encrypt_integer(37, byte, &mut sampler)?;
//! assert!(!client.decrypt_bit(&integers.lt(&a, &b)?)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Operands of the other schemes may have different levels and scales: the library aligns them. `depth(n)` supports n consecutive products of any
//! kind. Parameters, keys and ciphertexts can be serialised ([`Stored`](scheme::Stored), [`StoredKeys`](scheme::StoredKeys)),
//! so that a client and a server are two programs:
//!
//! ```
//! use asanoha::prelude::*;
//!
//! // The client keeps the secret key, and sends the rest.
//! let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
//! let (secret, public) = params.generate_keys();
//! let keys = secret.evaluation_keys().relinearise().sum_all().build()?.to_bytes(&params)?;
//! let inputs = [public.encrypt([3, 1, 4])?, public.encrypt([2, 7, 1])?];
//! let (parameters, inputs) = (params.to_bytes(), BgvCiphertext::all_to_bytes(&inputs)?);
//!
//! // The server.
//! let on_server = Bgv::from_bytes(&parameters)?;
//! let evaluator = on_server.evaluator(EvaluationKeys::from_bytes(&on_server, &keys)?);
//! let inputs = BgvCiphertext::all_from_bytes(&on_server, &inputs)?;
//! let result = evaluator.sum_all(&evaluator.multiply(&inputs[0], &inputs[1])?)?.to_bytes()?;
//!
//! // The client.
//! let dot = BgvCiphertext::from_bytes(&params, &result)?;
//! assert_eq!(secret.decrypt(&dot)?[0], 6 + 7 + 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to find each part of the interface:
//! * parameters: [`Bgv::parameters`](bgv::BgvParams::parameters), [`Bfv::parameters`](bfv::BfvParams::parameters),
//!   [`Ckks::parameters`](ckks::CkksParams::parameters), [`TfheLiteral::message_2_carry_2`](tfhe::TfheLiteral::message_2_carry_2);
//! * key generation: [`generate_keys`](scheme::GenerateKeys::generate_keys),
//!   [`evaluation_keys`](scheme::SecretKey::evaluation_keys);
//! * encryption and decryption: [`PublicKey::encrypt`](scheme::PublicKey::encrypt),
//!   [`SecretKey::decrypt`](scheme::SecretKey::decrypt); public numbers: [`encode`](scheme::GenerateKeys::encode);
//! * operations: [`add`](scheme::Evaluator::add), [`multiply`](scheme::Evaluator::multiply), [`power`](scheme::Evaluator::power),
//!   [`add_many`](scheme::Evaluator::add_many), [`mul_constant`](scheme::Evaluator::mul_constant),
//!   [`add_values`](scheme::Evaluator::add_values), [`multiply_by`](scheme::Evaluator::multiply_by),
//!   [`rotate`](scheme::Evaluator::rotate), [`sum_all`](scheme::Evaluator::sum_all),
//!   [`transform`](scheme::Evaluator::transform);
//! * the same operations for programs that plan their levels: [`multiply_exact`](scheme::Evaluator::multiply_exact),
//!   [`relinearise`](scheme::Evaluator::relinearise), [`rescale`](scheme::Evaluator::rescale),
//!   [`switch_to`](scheme::Evaluator::switch_to), [`adjust_to`](scheme::Evaluator::adjust_to);
//! * noise: [`Ciphertext::noise`](scheme::Ciphertext::noise) and
//!   [`Ciphertext::noise_budget_bits`](scheme::Ciphertext::noise_budget_bits) of a ciphertext, predicted by
//!   [`Predictor`](scheme::Predictor), which has the same operations;
//! * polynomials, matrices, division, comparison, tables: [`circuits`], and of TFHE integers [`Integers`](tfhe::Integers).
//!
#![cfg_attr(
    feature = "planner",
    doc = r#"
# With a program
Who has a function and data writes the function down, and lets asanoha choose the scheme and its parameters,
with `use asanoha::programs::*`:

```
use asanoha::programs::*;

let program = Program::parse("total = sum(price * quantity)")?;
let data = "price,quantity\n110,16\n1600,4\n";
let table = read_csv(data.as_bytes(), "shop.csv", program.input_names())?;
let schema = Schema::from_table(&table, &[])?;
let options = PlanOptions::default();
let plan = choose(&program, &schema, &options)?.into_plan(&options)?;
assert_eq!(plan.params.scheme(), SchemeName::Bgv);

let mut sampler = Sampler::from_os();
let keys = execute::generate_keys(&plan, &mut sampler);
let (inputs, input_secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler)?;
let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched)?;
let secret = keys.secret.as_ref().expect("the keys were just made");
let results = execute::decrypt(&plan, secret, &outputs, &input_secrets)?;
assert_eq!(results.outputs[0].1.as_slice(), [8160.0]);
# Ok::<(), Box<dyn std::error::Error>>(())
```"#
)]
//!
//! # Features
//! * `planner` (default): programs, plans and their execution.
//! * `arrow`: reads table data from Parquet and Arrow files.
//! * `mpc`: matrix triples.
//! * `genome`: private search of haplotypes; `genome-http`: the same over HTTPS.
//! * `http`: servers that compute for many clients, and these clients.
//! * `serve`: the durable state of a service that evaluates programs; `serve-http`: the service over HTTPS, and its clients.
//! * `bench`: the measurements of `asanoha bench`.

pub use asanoha_bfv as bfv;
pub use asanoha_bgv as bgv;
pub use asanoha_circuits as circuits;
pub use asanoha_ckks as ckks;
pub use asanoha_kernels as kernels;
pub use asanoha_lattice as lattice;
pub use asanoha_ring as ring;
pub use asanoha_scheme as scheme;
pub use asanoha_tfhe as tfhe;

#[cfg(feature = "bench")]
pub use asanoha_bench as bench;
#[cfg(feature = "genome")]
pub use asanoha_genome as genome;
#[cfg(feature = "http")]
pub use asanoha_http as http;
#[cfg(feature = "mpc")]
pub use asanoha_mpc as mpc;
#[cfg(feature = "serve")]
pub use asanoha_service as service;

#[cfg(feature = "planner")]
pub use asanoha_runtime::{
    advice, backends, client, compile, data, execute, output, plan, precision, program, report, search, text,
};

pub use num_bigint::{BigInt, BigUint};

/// The items that a program needs to use a scheme directly.
pub mod prelude {
    pub use asanoha_bfv::{Bfv, BfvCiphertext};
    pub use asanoha_bgv::{Bgv, BgvCiphertext};
    pub use asanoha_ckks::{Ckks, CkksCiphertext, Complex64};
    pub use asanoha_kernels::Backend;
    pub use asanoha_lattice::{EvaluationKeys, Level, ReencryptionKey};
    pub use asanoha_ring::{Sampler, Seed};
    pub use asanoha_scheme::{
        Approximate, Ciphertext, Encodes, Evaluator, Exact, GenerateKeys, Holds, Model, Numbers, Predictor,
        PublicKey, Scheme, SchemeError, SecretKey, Stored, StoredKeys,
    };
    pub use asanoha_tfhe::{
        ClientKey, EncryptedBit, EncryptedInteger, IntegerType, Integers, ServerKey, TfheError, TfheLiteral,
        TfheParams,
    };
    pub use num_bigint::{BigInt, BigUint};
}

/// The items that a program needs to plan and run a function on encrypted data.
#[cfg(feature = "planner")]
pub mod programs {
    pub use asanoha_kernels::Backend;
    pub use asanoha_ring::{Sampler, Seed};
    pub use asanoha_runtime::{
        client::{Client, ClientRecord, OfInputs, RecordStore},
        data::{Column, ColumnValues, Schema, Table, read_csv, read_table},
        execute::{self, Decrypted, Encrypted, Keys},
        plan::{Choice, Plan, PlanOptions, SchemeName, choose},
        precision::Precision,
        program::{Program, ProgramBuilder},
    };
}

/// Compiles and runs the Rust code blocks of the user guide.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/library.md")]
    struct Library;
    #[doc = include_str!("../../../docs/start-rust.md")]
    struct StartRust;
    #[doc = include_str!("../../../README.md")]
    struct Readme;
}
