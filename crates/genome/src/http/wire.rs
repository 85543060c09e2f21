//! What is sent, and how it's checked before it's used. Binary numbers are words of 64 bits, the lowest byte first.

use serde::{Deserialize, Serialize};

use super::SearchError;
use crate::{
    panel::{MAX_SITES, Site},
    protocol::MAX_CANDIDATES,
};

const KEYS: [u8; 8] = *b"asagkey1";
const ASK: [u8; 8] = *b"asagask1";
const WORD: usize = size_of::<u64>();

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The panel's chromosome.
    pub chromosome: String,
    /// The panel's haplotypes.
    pub haplotypes: usize,
    /// The panel's sites.
    pub sites: usize,
    /// The ring degree, if it's an insecure one.
    pub insecure_ring: Option<usize>,
    /// The most letters of a query.
    pub most_letters: usize,
}

/// A window of the panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sites {
    /// One for each letter; their base pairs don't fall.
    pub sites: Vec<Site>,
}

/// A client's keys as they're sent: `asagkey1`, the letters and the starts that they're for, the bytes of the file of the public
/// key, that file, and the file of the evaluation keys.
#[derive(Clone, Copy, Debug)]
pub struct SentKeys<'b> {
    /// The letters of a query.
    pub letters: usize,
    /// The starts of a query.
    pub candidates: usize,
    /// The file of the public key.
    pub public: &'b [u8],
    /// The file of the evaluation keys.
    pub evaluation: &'b [u8],
}

/// A query as it's sent: `asagask1`, the digest of the keys, the number of starts, these, and the protocol's message.
#[derive(Clone, Debug)]
pub struct Ask<'b> {
    /// The digest of the keys.
    pub keys: [u8; 32],
    /// The sites at which the query may start.
    pub starts: Vec<usize>,
    /// The protocol's message.
    pub query: &'b [u8],
}

/// What is left of a request.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn of(bytes: &'b [u8], magic: [u8; 8]) -> Result<Self, SearchError> {
        let rest = bytes.strip_prefix(&magic);
        Ok(Self(rest.ok_or(SearchError::Malformed("it begins as another kind or version of request does"))?))
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], SearchError> {
        let (taken, rest) =
            self.0.split_at_checked(length).ok_or(SearchError::Malformed("it's cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number, if it isn't above `most`.
    fn number(&mut self, most: usize) -> Result<usize, SearchError> {
        let word = u64::from_le_bytes(self.take(WORD)?.try_into().expect("eight bytes"));
        let number = usize::try_from(word).ok().filter(|&number| number <= most);
        number.ok_or(SearchError::Malformed("a number in it is beyond what there can be"))
    }
}

fn word(number: usize) -> [u8; WORD] {
    (number as u64).to_le_bytes()
}

impl<'b> SentKeys<'b> {
    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let [letters, candidates, public] = [self.letters, self.candidates, self.public.len()].map(word);
        [&KEYS[..], &letters, &candidates, &public, self.public, self.evaluation].concat()
    }

    /// # Errors
    /// [`SearchError::Malformed`].
    pub fn read(bytes: &'b [u8]) -> Result<Self, SearchError> {
        let mut rest = Rest::of(bytes, KEYS)?;
        let (letters, candidates) = (rest.number(MAX_SITES)?, rest.number(MAX_CANDIDATES)?);
        let length = rest.number(bytes.len())?;
        Ok(Self { letters, candidates, public: rest.take(length)?, evaluation: rest.0 })
    }
}

impl<'b> Ask<'b> {
    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let starts: Vec<u8> = self.starts.iter().flat_map(|&start| word(start)).collect();
        [&ASK[..], &self.keys, &word(self.starts.len()), &starts[..], self.query].concat()
    }

    /// # Errors
    /// [`SearchError::Malformed`].
    pub fn read(bytes: &'b [u8]) -> Result<Self, SearchError> {
        let mut rest = Rest::of(bytes, ASK)?;
        let keys = rest.take(32)?.try_into().expect("32 bytes");
        let count = rest.number(MAX_CANDIDATES)?;
        let starts = (0..count).map(|_| rest.number(MAX_SITES)).collect::<Result<_, _>>()?;
        Ok(Self { keys, starts, query: rest.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_read_back_and_no_shorter_head_does() {
        let keys = SentKeys { letters: 9, candidates: 1, public: b"public", evaluation: b"evaluation" };
        let bytes = keys.write();
        let again = SentKeys::read(&bytes).unwrap();
        assert_eq!((again.letters, again.candidates, again.public), (9, 1, keys.public));
        assert_eq!(again.evaluation, keys.evaluation);
        let ask = Ask { keys: [7; 32], starts: vec![3, 5], query: b"query" };
        let asked = ask.write();
        let again = Ask::read(&asked).unwrap();
        assert_eq!((again.keys, &again.starts, again.query), (ask.keys, &ask.starts, ask.query));
        assert!((0..4 * 8 + 6).all(|length| SentKeys::read(&bytes[..length]).is_err()));
        assert!((0..8 + 32 + 3 * 8).all(|length| Ask::read(&asked[..length]).is_err()));
        assert!(SentKeys::read(&asked).is_err() && Ask::read(&bytes).is_err());
    }

    #[test]
    fn numbers_beyond_what_there_can_be_are_refused() {
        let bytes = SentKeys { letters: 9, candidates: 1, public: b"", evaluation: b"" }.write();
        for at in [8, 16, 24] {
            let mut bytes = bytes.clone();
            bytes[at..at + WORD].fill(255);
            assert!(SentKeys::read(&bytes).is_err(), "{at}");
        }
        let mut asked = Ask { keys: [7; 32], starts: vec![3], query: b"" }.write();
        asked[40..48].fill(255);
        assert!(Ask::read(&asked).is_err());
    }
}
