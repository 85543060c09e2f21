//! What the parties do before and after a product: encryption, and decryption to shares.

use std::time::Instant;

use asanoha_bgv::{BgvModel, BgvParams, Encryptor, Evaluator};
use asanoha_circuits::matrix::{MatrixBatch, SquareError};
use asanoha_lattice::{Level, Norm, PublicKey, SecretKey, SecretShare};
use asanoha_mpc::STATISTICAL_BITS;
use asanoha_ring::{Basis, Coefficient, Poly, Sampler, Seed, WideModulus};
use asanoha_scheme::{Ciphertext, Encoder, Exact, ExactPlaintext, Scheme, SchemeError};
use num_bigint::{BigInt, BigUint};
use rayon::prelude::*;

/// The parties. Where all do the same, only the first one's time counts, as they work side by side.
pub(super) const PARTIES: usize = 2;

/// The bits that flooding has for a noise of so many, of which one is the sign's.
pub(super) fn flooding_bits(log2_noise: f64) -> u32 {
    log2_noise.ceil() as u32 + STATISTICAL_BITS + 1
}

/// All parties with their keys.
pub(super) struct Parties<'a> {
    pub(super) evaluator: &'a Evaluator,
    public: PublicKey,
    shares: Vec<SecretShare>,
    /// The MAC key, and it encrypted at the level of results.
    pub(super) mac_key: BigUint,
    encrypted_mac_key: Ciphertext<BgvParams>,
}

type Blocks = Vec<Ciphertext<BgvParams>>;

impl<'a> Parties<'a> {
    /// The secret key shared for ciphertexts of the results' level, and a MAC key.
    pub(super) fn new(
        evaluator: &'a Evaluator,
        secret: &SecretKey,
        results: Level,
        sampler: &mut Sampler,
    ) -> Result<Self, SchemeError> {
        let params = evaluator.params();
        let public = PublicKey::generate(params.rlwe(), secret, sampler);
        let shares = SecretShare::deal(secret, params.rlwe(), results, PARTIES, sampler);
        let (encoder, encryptor) = (Encoder::new(params), Encryptor::new(params));
        let mut mac_key = BigUint::ZERO;
        let mut encrypted: Option<Ciphertext<BgvParams>> = None;
        for _ in 0..PARTIES {
            let [high, low] = [(); 2].map(|()| BigUint::from(sampler.uniform(1)[0]));
            let share = (high << 64u32 | low) % params.plaintext_modulus();
            let own =
                encryptor.encrypt(&public, &encoder.encode_constant(share.clone(), results)?, sampler)?;
            encrypted = Some(encrypted.map_or(Ok(own.clone()), |sum| evaluator.add(&sum, &own))?);
            mac_key += share;
        }
        let encrypted_mac_key = encrypted.expect("there are parties");
        Ok(Self { evaluator, public, shares, mac_key, encrypted_mac_key })
    }

    /// The sum of all parties' encryptions of their shares of matrices.
    pub(super) fn encrypt(
        &self,
        shares: &[MatrixBatch],
        encode: impl Fn(&MatrixBatch) -> Result<Vec<ExactPlaintext<BgvParams>>, SquareError>,
        sampler: &mut Sampler,
        seconds: &mut f64,
    ) -> Result<Blocks, SquareError> {
        let encryptor = Encryptor::new(self.evaluator.params());
        let mut sum: Option<Blocks> = None;
        for share in shares {
            let start = Instant::now();
            let blocks = encode(share)?;
            let seeds: Vec<Seed> = blocks.iter().map(|_| sampler.seed()).collect();
            let encrypt = |(block, seed)| encryptor.encrypt(&self.public, block, &mut Sampler::new(seed));
            let own: Blocks = blocks.par_iter().zip(&seeds).map(encrypt).collect::<Result<_, _>>()?;
            match &mut sum {
                None => {
                    *seconds += start.elapsed().as_secs_f64();
                    sum = Some(own);
                }
                Some(sum) => {
                    for (sum, own) in sum.iter_mut().zip(&own) {
                        self.evaluator.add_assign(sum, own)?;
                    }
                }
            }
        }
        Ok(sum.expect("there are parties"))
    }

    /// A ciphertext, brought to the level of results, times the encrypted MAC key: three parts, which decryption takes as they
    /// are.
    pub(super) fn code(&self, block: &Ciphertext<BgvParams>) -> Result<Ciphertext<BgvParams>, SchemeError> {
        let block = self.evaluator.lowered(block, self.encrypted_mac_key.level())?;
        self.evaluator.multiply_without_relinearise(&block, &self.encrypted_mac_key)
    }

    /// The sum of all parties' shares of the slots of every ciphertext.
    ///
    /// Each party masks its share of the decryption by a uniform number far above the noise. The sum of these is opened, and
    /// the first party's share is it, less its mask, modulo t; those of the others are the opposites of their masks.
    /// Source: Damgård, Keller, Larraia, Pastro, Scholl, Smart, "Practical covertly secure MPC for dishonest majority" (ESORICS
    /// 2013), Reshare.
    pub(super) fn decrypt(
        &self,
        ciphertexts: &[Ciphertext<BgvParams>],
        sampler: &mut Sampler,
        seconds: &mut f64,
    ) -> Result<Vec<Vec<BigUint>>, SchemeError> {
        let seeds: Vec<Vec<Seed>> =
            (0..PARTIES).map(|_| ciphertexts.iter().map(|_| sampler.seed()).collect()).collect();
        let masked = |party: usize| -> Result<Vec<_>, SchemeError> {
            let mask = |(ciphertext, seed)| self.masked(party, ciphertext, seed);
            ciphertexts.par_iter().zip(&seeds[party]).map(mask).collect()
        };
        let mut start = Instant::now();
        let first = masked(0)?;
        *seconds += start.elapsed().as_secs_f64();
        let others = (1..PARTIES).map(masked).collect::<Result<Vec<_>, _>>()?;

        start = Instant::now();
        let open = |(index, (mut opened, mask)): (usize, (Poly<Coefficient>, Poly<Coefficient>))| {
            others.iter().for_each(|parts| opened.add_assign(&parts[index].0));
            opened.sub_assign(&mask);
            self.slots(&ciphertexts[index], opened)
        };
        let mut shares: Vec<Vec<BigUint>> = first.into_par_iter().enumerate().map(open).collect();
        *seconds += start.elapsed().as_secs_f64();

        let t = self.evaluator.params().plaintext_modulus();
        for parts in others {
            for ((share, ciphertext), (_, mask)) in shares.iter_mut().zip(ciphertexts).zip(parts) {
                let other = self.slots(ciphertext, mask);
                share.iter_mut().zip(other).for_each(|(share, mask)| *share = (&*share + t - mask) % t);
            }
        }
        Ok(shares)
    }

    /// A party's share of a decryption with its mask, and the mask: uniform, so many bits above t and above the noise that it
    /// is uniform modulo t too.
    fn masked(
        &self,
        party: usize,
        ciphertext: &Ciphertext<BgvParams>,
        seed: &Seed,
    ) -> Result<(Poly<Coefficient>, Poly<Coefficient>), SchemeError> {
        let noise = ciphertext.noise();
        let bits = flooding_bits(noise.log2());
        let masks = Norm::from_log2(f64::from(bits - 1)) * PARTIES as f64;
        BgvModel::new(self.evaluator.params()).check(ciphertext.state().with_noise(noise + masks))?;
        let mut part = self.shares[party].decryption_share(ciphertext.rlwe(), ciphertext.level());
        let mask = uniform(part.basis(), bits, &mut Sampler::new(seed));
        part.add_assign(&mask);
        Ok((part, mask))
    }

    /// The slots of a share of a ciphertext's noise.
    fn slots(&self, ciphertext: &Ciphertext<BgvParams>, share: Poly<Coefficient>) -> Vec<BigUint> {
        let params = self.evaluator.params();
        let factor = ciphertext.message().modinv(params.plaintext_modulus()).expect("factors are units");
        let space = params.space();
        space.decode_unsigned(space.scale(&space.reduce(share), &BigInt::from(factor)))
    }
}

/// A polynomial of coefficients that are uniform in [−2^(bits − 1), 2^(bits − 1)).
fn uniform(basis: &Basis, bits: u32, sampler: &mut Sampler) -> Poly<Coefficient> {
    let modulus = WideModulus::new(&(BigUint::from(1u32) << bits)).expect("it's above 1");
    let limbs = modulus.limbs();
    let mut rows = sampler.uniform(basis.ring_degree() * limbs);
    rows.chunks_exact_mut(limbs).for_each(|row| row[limbs - 1] &= (1 << (bits % 64)) - 1);
    Poly::from_rows(basis, &rows, &modulus)
}
