//! The client: it encrypts queries, and decrypts answers.

use std::path::Path;

use asanoha_bgv::Bgv;
use asanoha_lattice::{EvaluationKeys, FileError, KeyId, Norm, PublicKey, RlweCiphertext};
use asanoha_ring::{Poly, Sampler};
use asanoha_scheme::{
    Exact, ExactPlaintext, GenerateKeys, Plaintext, PublicKey as SchemePublicKey, Scheme, SecretKey,
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use zeroize::Zeroizing;

use super::{
    Answer, ProtocolError, Search,
    encrypted::ANSWER,
    message::{AnswerMessage, QueryMessage},
    search::T,
    shape::BLOCKS,
    terms,
};

/// A client of a search, with its secret key.
#[derive(Debug)]
pub struct Client {
    search: Search,
    secret: SecretKey<Bgv>,
    public: SchemePublicKey<Bgv>,
}

impl Client {
    /// A client with new keys, from the operating system's randomness.
    pub fn new(search: &Search) -> Self {
        Self::with_sampler(search, &mut Sampler::from_os())
    }

    /// A client with new keys of a sampler's randomness.
    pub fn with_sampler(search: &Search, sampler: &mut Sampler) -> Self {
        let (secret, public) = search.params().generate_keys_with(sampler);
        Self { search: search.clone(), secret, public }
    }

    /// A client with the secret key of a file that [`Client::write_secret`] wrote, and a new public key.
    ///
    /// # Errors
    /// A file that is damaged, or of a search with other parameters.
    pub fn read_secret(search: &Search, path: &Path) -> Result<Self, FileError> {
        let params = search.params();
        let key = asanoha_lattice::SecretKey::read(params.rlwe(), params.digest(), path)?;
        let keys = params.keys_of(key, &mut Sampler::from_os());
        let (secret, public) = keys.expect("reading has checked the key against the parameters");
        Ok(Self { search: search.clone(), secret, public })
    }

    /// Writes the secret key to a file that only its owner may read, and returns the file's length in bytes.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn write_secret(&self, path: &Path) -> Result<u64, FileError> {
        let params = self.search.params();
        self.secret.key().write(params.rlwe(), params.digest(), path)
    }

    /// What all keys of this client carry.
    pub fn key_id(&self) -> KeyId {
        self.secret.key().id()
    }

    /// The keys that the server needs, once for all queries: for evaluation, and to make answers anew.
    pub fn server_keys(&self) -> (EvaluationKeys, PublicKey) {
        let rlwe = self.search.params().rlwe();
        let keys = EvaluationKeys::generate_levels(
            rlwe,
            self.secret.key(),
            self.search.keys(),
            &mut Sampler::from_os(),
        );
        (keys, self.public.key().clone())
    }

    /// Encrypts a query, whose start is a number among the search's candidates.
    ///
    /// # Errors
    /// [`ProtocolError::Letters`], [`ProtocolError::Start`].
    pub fn query(&self, letters: &[bool], start: usize) -> Result<Vec<u8>, ProtocolError> {
        let shape = *self.search.shape();
        if letters.len() != shape.letters {
            return Err(ProtocolError::Letters { found: letters.len(), expected: shape.letters });
        }
        if start >= shape.candidates {
            return Err(ProtocolError::Start { found: start, candidates: shape.candidates });
        }
        let letters: Zeroizing<Vec<u64>> =
            Zeroizing::new(letters.iter().map(|&bit| u64::from(bit)).collect());
        let chosen = (0..shape.candidates).map(|candidate| u64::from(candidate == start));
        Ok(self.query_of(&letters, &Zeroizing::new(chosen.collect::<Vec<_>>())))
    }

    /// Encrypts whatever numbers.
    pub(super) fn query_of(&self, letters: &[u64], starts: &[u64]) -> Vec<u8> {
        let inner = &self.search.0;
        let (params, rlwe) = (&inner.params, inner.params.rlwe());
        let terms = Zeroizing::new(terms::query_terms(&inner.layout, &inner.blocks, letters, starts));
        let mut coefficients = Zeroizing::new(vec![0i64; rlwe.ring_degree()]);
        terms.iter().for_each(|&(place, coefficient)| coefficients[place] = coefficient as i64);
        let level = params.max_level();
        let poly = Poly::from_small(&rlwe.q(ANSWER).secret(), &coefficients);
        let plaintext = ExactPlaintext::new(params, params.space().reduce(poly), level);
        let mut sampler = Sampler::from_os();
        let (ciphertext, seed) = self.secret.key().encrypt_seeded(rlwe, plaintext.addend(), &mut sampler);
        let [c0, _] = <[_; 2]>::try_from(ciphertext.parts).expect("a fresh ciphertext has two parts");
        let places = inner.layout.places(inner.layout.query_columns());
        QueryMessage { seed, c0: c0.into_coefficient() }.write(&inner.digest, &places)
    }

    /// Decrypts an answer.
    ///
    /// # Errors
    /// [`ProtocolError::Message`] for bytes that are none, [`ProtocolError::Noise`] if it's damaged or of other keys.
    pub fn answer(&self, bytes: &[u8]) -> Result<Answer, ProtocolError> {
        Ok(terms::read(&self.search.0.layout, &self.numbers(bytes)?))
    }

    /// The numbers of the answer's columns.
    pub(super) fn numbers(&self, bytes: &[u8]) -> Result<Vec<[u64; BLOCKS]>, ProtocolError> {
        let inner = &self.search.0;
        let rlwe = inner.params.rlwe();
        let places = inner.layout.places(inner.layout.answer_columns());
        let AnswerMessage { c1, c0 } = AnswerMessage::read(bytes, &inner.digest, rlwe.q(ANSWER), &places)?;
        let ciphertext = RlweCiphertext { parts: vec![c0.into_evaluation(), c1] };
        // Where nothing is read this holds what c₁ adds, which is uniform.
        let whole = Zeroizing::new(self.secret.key().decrypt(&ciphertext).to_i128());
        let largest = places.iter().map(|&place| whole[place].unsigned_abs()).max().unwrap_or(0);
        let (found, bound) = (Norm::from(&BigUint::from(largest)), inner.flooded);
        if found > bound {
            return Err(ProtocolError::Noise { found_bits: found.log2(), bound_bits: bound.log2() });
        }
        let t = BigUint::from(T);
        let factor = inner.answer.message.modinv(&t).and_then(|factor| factor.to_u64());
        let factor = i128::from(factor.expect("factors are units"));
        let residue =
            |&place: &usize| (whole[place].rem_euclid(i128::from(T)) * factor % i128::from(T)) as u64;
        let residues: Vec<u64> = places.iter().map(residue).collect();
        Ok(terms::numbers(&inner.layout, &inner.blocks, &residues))
    }
}
