//! Secrets that several parties share.

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

impl SecretShare {
    /// Shares a secret among so many parties, for ciphertexts up to a level: uniform shares for all but the last, and
    /// the rest for that one. It's what a trusted dealer does.
    ///
    /// # Panics
    /// If there is no party, or the level is above [`RlweParams::max_level`].
    pub fn deal(
        secret: &SecretKey,
        params: &RlweParams,
        level: Level,
        parties: usize,
        sampler: &mut Sampler,
    ) -> Vec<Self> {
        assert!(parties > 0);
        let mut sampler = sampler.branch("shares of the secret key", &[params.digest().as_bytes()]);
        let s = secret.at_level(level.0);
        let basis: &Basis = s.basis();
        let mut rest = [s.clone(), s.mul(&s)];
        let mut shares: Vec<Self> = (0..parties - 1)
            .map(|_| {
                let powers = rest.each_mut().map(|rest| {
                    let share = uniform_from_seed(basis, &sampler.seed());
                    rest.sub_assign(&share);
                    share
                });
                Self { is_first: false, powers }
            })
            .collect();
        shares.push(Self { is_first: false, powers: rest });
        shares[0].is_first = true;
        shares
    }

    /// This party's share of the decryption c₀ + c₁·s + c₂·s² modulo the primes up to a level, on a secret basis: it must be flooded
    /// before anyone else sees it.
    ///
    /// # Panics
    /// If the ciphertext has more than three parts, or the level is above its own or that of the shares.
    pub fn decryption_share(&self, ciphertext: &RlweCiphertext, to: Level) -> Poly<Coefficient> {
        let (c0, rest) = ciphertext.parts.split_first().expect("ciphertexts have two parts or three");
        assert!(rest.len() <= self.powers.len());
        let pairs: Vec<_> = rest.iter().zip(&self.powers).collect();
        let basis = self.powers[0].basis().range(0..to.0 + 1);
        Poly::inner_product_coefficients(&basis, self.is_first.then_some(c0), &pairs)
    }

    /// This party's share of the decryption of products with a ciphertext of two parts, without the products.
    ///
    /// # Panics
    /// Unless the ciphertext has two parts and the level of the shares.
    pub fn of_products(&self, multiplier: &RlweCiphertext) -> ProductShare {
        let [s, square] = &self.powers;
        let [b0, b1] = multiplier.parts.as_slice() else { panic!("multipliers have two parts") };
        let basis = s.basis();
        let mut first = Poly::inner_product(basis, &[(b1, s)]);
        if self.is_first {
            first.add_assign(b0);
        }
        ProductShare { factors: [first, Poly::inner_product(basis, &[(b0, s), (b1, square)])] }
    }
}

/// One party's share of the decryption of products with one ciphertext b: of (a₀ + a₁·s)·(b₀ + b₁·s) it's a₀·k₀ + a₁·k₁, where
/// k₀ is the party's share of b₀ + b₁·s and k₁ that of b₀·s + b₁·s². Both are secrets, as shares of the secret are.
pub struct ProductShare {
    factors: [Poly<Evaluation>; 2],
}

impl std::fmt::Debug for ProductShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProductShare(..)")
    }
}

impl ProductShare {
    /// This party's share of the decryption of the product with a ciphertext of two parts modulo the primes up to the level of
    /// the shares, on a secret basis: it must be flooded before anyone else sees it.
    ///
    /// # Panics
    /// If the ciphertext doesn't have two parts, or is below the level of the shares.
    pub fn decryption_share(&self, ciphertext: &RlweCiphertext) -> Poly<Coefficient> {
        assert_eq!(ciphertext.parts.len(), 2);
        let pairs: Vec<_> = ciphertext.parts.iter().zip(&self.factors).collect();
        Poly::inner_product_coefficients(self.factors[0].basis(), None, &pairs)
    }
}
