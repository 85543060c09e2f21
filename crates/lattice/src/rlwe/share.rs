//! Secrets that several parties share.

use std::borrow::Cow;

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Sampler, uniform_from_seed};

use crate::{Level, RlweCiphertext, RlweParams, SecretKey};

/// One party's additive share of a secret s and of s², up to a level: all parties' shares add up to them, and fewer say
/// nothing of them. Shares are erased on drop, and kept in secret memory.
pub struct SecretShare {
    /// The first party's share takes c₀ along.
    is_first: bool,
    /// Shares of s and s².
    powers: [Poly<Evaluation>; 2],
}

impl std::fmt::Debug for SecretShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretShare(..)")
    }
}

impl SecretKey {
    /// Shares the secret among so many parties, for ciphertexts up to a level: uniform shares for all but the last, and
    /// the rest for that one. It's what a trusted dealer does.
    ///
    /// # Panics
    /// If there is no party, or the level is above [`RlweParams::max_level`].
    pub fn share(
        &self,
        params: &RlweParams,
        level: Level,
        parties: usize,
        sampler: &mut Sampler,
    ) -> Vec<SecretShare> {
        assert!(parties > 0);
        let mut sampler = sampler.branch("shares of the secret key", &[params.digest().as_bytes()]);
        let s = self.at_level(level.0);
        let basis: &Basis = s.basis();
        let mut rest = [s.clone(), s.mul(&s)];
        let mut shares: Vec<SecretShare> = (0..parties - 1)
            .map(|_| {
                let powers = rest.each_mut().map(|rest| {
                    let share = uniform_from_seed(basis, &sampler.seed());
                    rest.sub_assign(&share);
                    share
                });
                SecretShare { is_first: false, powers }
            })
            .collect();
        shares.push(SecretShare { is_first: false, powers: rest });
        shares[0].is_first = true;
        shares
    }
}

impl SecretShare {
    /// This party's share of the decryption c₀ + c₁·s + c₂·s², on a secret basis: it must be flooded before anyone else
    /// sees it.
    ///
    /// # Panics
    /// If the ciphertext has more than three parts, or its level is above that of the shares.
    pub fn decryption_share(&self, ciphertext: &RlweCiphertext) -> Poly<Coefficient> {
        let (c0, rest) = ciphertext.parts.split_first().expect("ciphertexts have two parts or three");
        assert!(rest.len() <= self.powers.len());
        let limbs = c0.basis().len();
        let lowered = |share| {
            if limbs == Poly::basis(share).len() {
                Cow::Borrowed(share)
            } else {
                Cow::Owned(share.range(0..limbs))
            }
        };
        let powers: Vec<Cow<Poly<Evaluation>>> = self.powers[..rest.len()].iter().map(lowered).collect();
        let pairs: Vec<_> = rest.iter().zip(&powers).map(|(part, power)| (part, &**power)).collect();
        let mut share = Poly::inner_product(powers[0].basis(), &pairs);
        if self.is_first {
            share.add_assign(c0);
        }
        share.into_coefficient()
    }
}
