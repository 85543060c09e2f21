//! What the noise of generation is at most, by the rules of BGV.

use asanoha_lattice::{Level, NoiseModel, Norm, RlweParams};
use asanoha_scheme::candidates::{NoiseRules, PromisedRules};
use num_bigint::BigUint;

/// The statistical security of flooded decryption shares, in bits: what SPDZ's implementations take.
pub const STATISTICAL_BITS: u32 = 80;

/// Norms of what is decrypted, and of how much sums of products may be divided by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    rules: PromisedRules,
    /// log2 of the sums of products at the top.
    pub(crate) log2_product: f64,
    /// log2 of what division and key switching add.
    pub(crate) log2_added: f64,
    /// log2 of an encryption.
    log2_fresh: f64,
    /// log2 of a fresh encryption of the MAC key.
    log2_mac_key: f64,
}

impl Noise {
    /// Of sums of `inner` products of encryptions, each the sum of all parties', before the primes are chosen.
    pub(crate) fn new(t: &BigUint, parties: usize, ring_degree: usize, inner: usize) -> Self {
        let rules = PromisedRules { modulus: Norm::from(t), parties, flooding_bits: STATISTICAL_BITS };
        let model = NoiseModel::new(ring_degree);
        let (encryption, added) = (PromisedRules::encryption(&model), PromisedRules::image_product(&model));
        Self::of(rules, (ring_degree, inner), encryption, added)
    }

    /// With what an encryption of 0 has and what division and key switching add, in units of t.
    fn of(rules: PromisedRules, (ring_degree, inner): (usize, usize), encryption: f64, added: f64) -> Self {
        let (t, parties) = (rules.modulus, rules.parties as f64);
        let fresh = t * (parties * (encryption + PromisedRules::message(ring_degree)));
        let product = fresh * fresh * inner as f64;
        let added = t * added;
        // The MAC key is a constant.
        let mac_key = t * (parties * (encryption + 0.5));
        Self {
            rules,
            log2_product: product.log2(),
            log2_added: added.log2(),
            log2_fresh: fresh.log2(),
            log2_mac_key: mac_key.log2(),
        }
    }

    /// Whether the divided sums and the codes are within these bounds by a ring's own rules, which depend on its primes.
    ///
    /// Of the product at most half of `log2_added`'s bound is left, and division adds little more than as much: nearly half of the bound
    /// on the sums is to spare.
    pub(crate) fn bounds(&self, rlwe: &RlweParams, low: Level, inner: usize) -> bool {
        let model = rlwe.noise();
        let (encryption, added) = (rlwe.fresh_public_noise(model), rlwe.image_product_noise(model, low));
        let own = Self::of(self.rules, (rlwe.ring_degree(), inner), encryption, added);
        let log2_dropped = rlwe.q(rlwe.max_level()).log2_product() - rlwe.q(low).log2_product();
        let divided = Norm::from_log2(own.log2_product - log2_dropped);
        let values = (divided + Norm::from_log2(own.log2_added)).log2();
        let codes = values.max(own.log2_fresh) + own.log2_mac_key;
        values <= self.log2_values() && codes <= self.log2_codes()
    }

    /// log2 of what the sums are divided by: so much that little more than the division's own noise is left.
    pub(crate) fn log2_divisor(&self) -> f64 {
        self.log2_product - self.log2_added + 1.0
    }

    /// log2 of the divided sums.
    pub(crate) fn log2_values(&self) -> f64 {
        self.log2_added + 1.0
    }

    /// log2 of products with the MAC key: of encryptions, and of the divided sums.
    pub(crate) fn log2_codes(&self) -> f64 {
        self.log2_values().max(self.log2_fresh) + self.log2_mac_key
    }

    /// The bits of masks that hide what is as large as 2^bits.
    pub(crate) fn mask_bits(&self, bits: f64) -> u32 {
        bits.ceil() as u32 + self.rules.flooding_bits
    }

    /// log2 of what is opened: something as large as 2^bits, and all parties' masks, which have whole bits.
    pub(crate) fn log2_masked(&self, bits: f64) -> f64 {
        self.rules.flooded(Norm::from_log2(bits.ceil())).log2()
    }

    /// log2 of something as large as 2^bits after the division of every party's share of it by 2^log2_divisor.
    ///
    /// A division differs from the quotient by at most t/2 a coefficient ([`asanoha_ring::Divider`]).
    pub(crate) fn log2_divided(&self, bits: f64, log2_divisor: f64) -> f64 {
        let rounding = self.rules.modulus * (self.rules.parties as f64 / 2.0);
        (Norm::from_log2(bits - log2_divisor) + rounding).log2()
    }
}
