//! What a server holds, and what it does with it.

use std::sync::{Arc, Mutex};

use asanoha_http::{Admission, ClientAddress, Kind, Received, Refusal};

use super::{
    Ask, Limits, SentKeys, agreed_search,
    keys::{Digest, First, Held, KeyFiles, KeyRing, locked},
};
use crate::{
    Panel,
    protocol::{Search, Window},
};

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) panel: Panel,
    pub(super) limits: Limits,
    pub(super) insecure_ring: Option<usize>,
    pub(super) keys: Mutex<KeyRing>,
    pub(super) admission: Admission,
}

impl Shared {
    pub(super) fn check_letters(&self, letters: usize) -> Result<(), Refusal> {
        let most = self.limits.letters;
        let message = || format!("{letters} letters: this server takes from 1 to {most}");
        if (1..=most).contains(&letters) { Ok(()) } else { Err(Refusal::new(Kind::TooLarge, message())) }
    }

    /// The keys of a digest.
    pub(super) fn held(&self, digest: &Digest) -> Result<Arc<Held>, Refusal> {
        locked(&self.keys).get(digest).ok_or_else(unknown_keys)
    }

    /// Checks keys and holds them.
    pub(super) fn hold(&self, digest: Digest, client: ClientAddress, body: Received) -> Result<(), Refusal> {
        if blake3::hash(&body.bytes) != digest {
            return Err(Refusal::new(
                Kind::Malformed,
                "the keys' digest isn't the path's: they were damaged on their way",
            ));
        }
        let sent = SentKeys::read(&body.bytes)?;
        let (search, files) = (self.search(&sent)?, KeyFiles::write(&sent)?);
        drop(body);
        let held = Held::read(search, &files)?;
        locked(&self.keys).insert(digest, client, held, self.limits.all_key_bytes);
        Ok(())
    }

    /// The search that keys are for.
    fn search(&self, sent: &SentKeys<'_>) -> Result<Search, Refusal> {
        self.check_letters(sent.letters)?;
        let (sizes, most) = ((sent.letters, sent.candidates), self.limits.candidates);
        if !(1..=most).contains(&sent.candidates) {
            let message = format!("{} starts: this server takes from 1 to {most}", sent.candidates);
            return Err(Refusal::new(Kind::TooLarge, message));
        }
        if let Some(search) = locked(&self.keys).search(sizes) {
            return Ok(search);
        }
        let search = agreed_search(sizes, self.panel.haplotypes(), self.insecure_ring)?;
        locked(&self.keys).remember(sizes, &search);
        Ok(search)
    }

    /// Answers a query that comes for the first time.
    pub(super) fn answer(&self, body: &Received) -> Result<Vec<u8>, Refusal> {
        let ask = Ask::read(&body.bytes)?;
        let held = self.held(&ask.keys)?;
        let window = Window::new(&self.panel, held.search.shape(), &ask.starts)?;
        match held.first(ask.query, self.limits.queries) {
            First::Yes => Ok(held.server.answer(&window, ask.query)?),
            First::Replayed => {
                Err(Refusal::new(Kind::Replayed, "this query was answered before: encrypt it anew"))
            }
            First::TooMany => {
                locked(&self.keys).remove(&ask.keys);
                Err(unknown_keys())
            }
        }
    }
}

fn unknown_keys() -> Refusal {
    let message = "there are no keys of this digest, or none any more: the server was restarted or has dropped them; send them again, or others";
    Refusal::new(Kind::UnknownKeys, message)
}
