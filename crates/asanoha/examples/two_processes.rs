//! A client, who holds the secret key, and a server in a process of its own, who never sees it.
//!
//! `cargo run --release -p asanoha --example two_processes`

use std::{path::Path, process::Command};

use asanoha::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn client(folder: &Path) -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
    let (secret, public) = params.generate_keys();
    params.write(folder.join("parameters"))?;
    secret.evaluation_keys().relinearise().sum_all().build()?.write(&params, folder.join("keys"))?;
    let inputs = [public.encrypt([3, 1, 4])?, public.encrypt([2, 7, 1])?];
    BgvCiphertext::write_all(&inputs, folder.join("inputs"))?;
    let server = Command::new(std::env::current_exe()?).arg(folder).status()?;
    assert!(server.success(), "the server failed");
    println!("{}", secret.decrypt(&BgvCiphertext::read(&params, folder.join("result"))?)?[0]);
    Ok(())
}

fn server(folder: &Path) -> Outcome {
    let params = Bgv::read(folder.join("parameters"))?;
    let e = params.evaluator(EvaluationKeys::read(&params, folder.join("keys"))?);
    let inputs = BgvCiphertext::read_all(&params, folder.join("inputs"))?;
    e.sum_all(&e.multiply(&inputs[0], &inputs[1])?)?.write(folder.join("result"))?;
    Ok(())
}

fn main() -> Outcome {
    match std::env::args_os().nth(1) {
        None => client(tempfile::tempdir()?.path()),
        Some(folder) => server(folder.as_ref()),
    }
}
