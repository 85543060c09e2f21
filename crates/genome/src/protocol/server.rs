//! The server: it answers queries without any secret of the client's.

use asanoha_bgv::{Bgv, Evaluator};
use asanoha_lattice::{EvaluationKeys, PublicKey, RlweCiphertext};
use asanoha_ring::{Coefficient, Poly, Sampler, Scalar, Seed, WideModulus, uniform_from_seed};
use asanoha_scheme::{Ciphertext, Encoder, Encryptor, GenerateKeys, Model, Scheme, SchemeError};
use num_bigint::{BigInt, BigUint};

use super::{
    OperationTimes, Phase, ProtocolError, Search, Window,
    blinding::Blinding,
    carrier::Carrier,
    circuit,
    encrypted::{ANSWER, Encrypted},
    message::{AnswerMessage, QueryMessage},
    search::T,
    timed::{OperationSums, Timed},
};

/// A server of one client's queries.
#[derive(Debug)]
pub struct Server {
    search: Search,
    evaluator: Evaluator,
    public: PublicKey,
}

impl Server {
    /// A server with a client's keys.
    ///
    /// # Errors
    /// [`ProtocolError::MissingKey`], [`ProtocolError::Scheme`] for keys of other parameters.
    pub fn new(search: &Search, keys: EvaluationKeys, public: PublicKey) -> Result<Self, ProtocolError> {
        let params = search.params();
        keys.require(params.rlwe(), search.keys())?;
        public.check(params.rlwe()).map_err(SchemeError::from)?;
        Ok(Self { search: search.clone(), evaluator: params.evaluator(keys), public })
    }

    /// The search that the server answers queries of.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The answer to a query, held against a window of a panel.
    ///
    /// # Errors
    /// [`ProtocolError::Message`] for bytes that are no query, [`ProtocolError::Starts`] and [`ProtocolError::Distinct`] for
    /// another search's window.
    pub fn answer(&self, window: &Window<'_>, query: &[u8]) -> Result<Vec<u8>, ProtocolError> {
        self.answer_in_phases(window, query, &|_| ())
    }

    /// As [`Server::answer`]; `phase` is told what begins.
    ///
    /// # Errors
    /// Those of [`Server::answer`].
    pub fn answer_in_phases(
        &self,
        window: &Window<'_>,
        query: &[u8],
        phase: &dyn Fn(Phase),
    ) -> Result<Vec<u8>, ProtocolError> {
        self.answer_blinded(window, query, &Seed::from_os(), phase)
    }

    /// As [`Server::answer_in_phases`], with the times of its operations.
    ///
    /// # Errors
    /// Those of [`Server::answer`].
    pub fn answer_timed(
        &self,
        window: &Window<'_>,
        query: &[u8],
        phase: &dyn Fn(Phase),
    ) -> Result<(Vec<u8>, OperationTimes), ProtocolError> {
        let sums = OperationSums::default();
        let carrier = Encrypted::new(&self.evaluator).count_encoding(&sums.encode);
        let on = Timed { carrier, sums: &sums };
        let answer = self.answer_on(&on, window, query, &Seed::from_os(), phase)?;
        Ok((answer, sums.times()))
    }

    /// As [`Server::answer_in_phases`], with the seed of what blinds this answer and no other.
    pub(super) fn answer_blinded(
        &self,
        window: &Window<'_>,
        query: &[u8],
        seed: &Seed,
        phase: &dyn Fn(Phase),
    ) -> Result<Vec<u8>, ProtocolError> {
        self.answer_on(&Encrypted::new(&self.evaluator), window, query, seed, phase)
    }

    fn answer_on(
        &self,
        on: &impl Carrier<Value = Ciphertext<Bgv>, Error = ProtocolError>,
        window: &Window<'_>,
        query: &[u8],
        seed: &Seed,
        phase: &dyn Fn(Phase),
    ) -> Result<Vec<u8>, ProtocolError> {
        phase(Phase::Read);
        let inner = &*self.search.0;
        window.check(self.search.shape())?;
        let query = self.read(query)?;
        let blinding = Blinding::new(seed.clone(), T);
        let packed =
            circuit::answer(&inner.layout, on, &query, &window.rows(inner.layout), &blinding, phase)?;
        phase(Phase::Write);
        self.write(&self.evaluator.switch_to(&packed, ANSWER)?)
    }

    /// The ciphertext of a query. Its noise is only known at the places that were sent; what stands elsewhere may have any size, and
    /// is gone after expansion, whose sums annihilate it exactly.
    fn read(&self, query: &[u8]) -> Result<Ciphertext<Bgv>, ProtocolError> {
        let (inner, params) = (&self.search.0, self.search.params());
        let basis = params.rlwe().q(params.max_level());
        let places = inner.layout.places(inner.layout.query_columns());
        let QueryMessage { seed, c0 } = QueryMessage::read(query, &inner.digest, basis, &places)?;
        let rlwe = RlweCiphertext { parts: vec![c0.into_evaluation(), uniform_from_seed(basis, &seed)] };
        let state = Model::new(params).fresh_secret(params.max_level(), &())?;
        Ok(Ciphertext::from_checked_parts(params, rlwe, state)?)
    }

    /// Hides how an answer came about: an encryption of zero takes its polynomials' place for all who don't know its randomness,
    /// and uniform multiples of t flood the noise of what is read.
    fn write(&self, answer: &Ciphertext<Bgv>) -> Result<Vec<u8>, ProtocolError> {
        let (inner, params) = (&self.search.0, self.search.params());
        assert!(answer.noise() <= inner.answer.noise && *answer.message() == inner.answer.message);
        let mut sampler = Sampler::from_os();
        let zero = Encoder::new(params).encode_constant(0, ANSWER)?;
        let zero = Encryptor::new(params).encrypt(&self.public, &zero, &mut sampler)?;
        let mut rlwe = answer.rlwe().clone();
        rlwe.add_assign(zero.rlwe());
        let [c0, c1] = <[_; 2]>::try_from(rlwe.parts).expect("packed ciphertexts have two parts");
        let mut c0 = c0.into_coefficient();
        c0.add_assign(&self.flooding(&mut sampler));
        let places = inner.layout.places(inner.layout.answer_columns());
        Ok(AnswerMessage { c1, c0 }.write(&inner.digest, &places))
    }

    /// t times uniform integers of the flooding's bits.
    fn flooding(&self, sampler: &mut Sampler) -> Poly<Coefficient> {
        let (inner, rlwe) = (&self.search.0, self.search.params().rlwe());
        let basis = rlwe.q(ANSWER);
        let width = WideModulus::new(&(BigUint::from(1u32) << inner.flooding_bits)).expect("it's above 1");
        let limbs = width.limbs();
        let mut rows = sampler.uniform(limbs * rlwe.ring_degree());
        let top = width.words()[limbs - 1].wrapping_sub(1);
        rows.chunks_exact_mut(limbs).for_each(|row| row[limbs - 1] &= top);
        let mut noise = Poly::<Coefficient>::from_rows(basis, &rows, &width);
        noise.mul_scalar_assign(&Scalar::new(basis, &BigInt::from(T)));
        noise
    }
}
