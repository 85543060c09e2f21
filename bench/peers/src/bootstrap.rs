//! Programmable bootstrapping by `tfhe`, one at a time and on one thread, whenever the caller asks for one: so that a
//! caller who measures its own in between hits the same disturbances of the machine.

use std::{
    io::{self, BufRead, Write},
    time::Instant,
};

use serde::Serialize;
use tfhe::shortint::{
    AtomicPatternParameters, Ciphertext, ClientKey, ServerKey, gen_keys,
    parameters::{
        PARAM_MESSAGE_2_CARRY_2, PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128,
        PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128,
    },
    server_key::LookupTableOwned,
};

/// The parameters of 2 + 2 bits, all of 128-bit security and a failure probability of 2^-128: the default, with
/// Gaussian noise, and with a key switch in 32-bit words.
fn parameters() -> [(&'static str, AtomicPatternParameters); 3] {
    [
        ("PARAM_MESSAGE_2_CARRY_2", PARAM_MESSAGE_2_CARRY_2.into()),
        (
            "PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128",
            PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128.into(),
        ),
        (
            "PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128",
            PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128.into(),
        ),
    ]
}

/// The first line of the answers.
#[derive(Serialize)]
struct Greeting {
    version: &'static str,
    sets: Vec<&'static str>,
}

/// Keys, a table and a number to apply it to.
struct Bootstrap {
    client: ClientKey,
    server: ServerKey,
    table: LookupTableOwned,
    number: Ciphertext,
}

impl Bootstrap {
    fn new(parameters: AtomicPatternParameters) -> Self {
        let (client, server) = gen_keys(parameters);
        let table = server.generate_lookup_table(|x| (5 * x + 3) % 16);
        let number = client.unchecked_encrypt(3);
        Self { client, server, table, number }
    }

    /// The time of a key switch and a programmable bootstrapping in milliseconds.
    ///
    /// # Panics
    /// If the result is wrong.
    fn ms(&self) -> f64 {
        let start = Instant::now();
        let result = self.server.apply_lookup_table(&self.number, &self.table);
        let ms = start.elapsed().as_secs_f64() * 1e3;
        assert_eq!(self.client.decrypt_message_and_carry(&result), 2);
        ms
    }
}

/// Prints a line of JSON that names the sets of parameters, and then, for each line of the input, which is the number
/// of a set, a line with the milliseconds of one bootstrapping.
pub(crate) fn answer(version: &'static str) -> io::Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing ran before");
    let (sets, parameters): (Vec<_>, Vec<_>) = parameters().into_iter().unzip();
    let all: Vec<Bootstrap> = parameters.into_iter().map(Bootstrap::new).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(&Greeting { version, sets })?)?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let bootstrap = line.parse().ok().and_then(|set: usize| all.get(set));
        let bootstrap = bootstrap.ok_or_else(|| io::Error::other(format!("{line}: no such set")))?;
        writeln!(out, "{}", bootstrap.ms())?;
        out.flush()?;
    }
    Ok(())
}
