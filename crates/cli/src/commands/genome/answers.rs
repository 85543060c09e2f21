//! What the queries of a client give, wherever their server is.

use asanoha::genome::{
    panel::Haplotype,
    protocol::{Answer, Client},
};

use crate::{error::Failure, session::timed};

/// What the queries gave.
pub(super) struct Found {
    pub(super) answers: Vec<Answer>,
    pub(super) security_bits: u32,
    pub(super) keygen_s: f64,
    pub(super) seconds: f64,
    pub(super) query_bytes: usize,
    pub(super) answer_bytes: usize,
}

impl Found {
    /// Asks a server, whatever carries queries to it, for each haplotype's letters.
    pub(super) fn ask(
        client: &Client,
        (security_bits, keygen_s): (u32, f64),
        haplotypes: &[Haplotype],
        mut server: impl FnMut(&[u8]) -> Result<Vec<u8>, Failure>,
    ) -> Result<Self, Failure> {
        let (mut query_bytes, mut answer_bytes) = (0, 0);
        let (answers, seconds) = timed(|| {
            let answer = |haplotype: &Haplotype| {
                let query = client.query(&haplotype.letters, 0)?;
                let answer = server(&query)?;
                (query_bytes, answer_bytes) = (query.len(), answer.len());
                Ok(client.answer(&answer)?)
            };
            haplotypes.iter().map(answer).collect::<Result<_, Failure>>()
        });
        Ok(Self { answers: answers?, security_bits, keygen_s, seconds, query_bytes, answer_bytes })
    }
}
