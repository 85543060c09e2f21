//! A trusted dealer.

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_ring::{Seed, WideModulus};

use crate::{
    MpcError, PartyTriples, Shape, SharedMatrices, TripleSource,
    arithmetic::{Erasing, product, uniform_rows},
    store::GeneratorSettings,
};

/// Triples in a block, where the memory holds as many.
const BLOCK: u64 = 16;
/// The shares of a block's matrices and of their codes stand twice in memory while they're dealt.
const COPIES: u64 = 2;

/// Someone who draws triples and shares them out, and whom all have to trust, as he knows everything: for tests.
///
/// ```
/// use asanoha_mpc::{Dealer, Shape, TripleSource, store::{GeneratorSettings, ModulusChoice}};
/// use asanoha_ring::Seed;
///
/// let settings = GeneratorSettings {
///     modulus: ModulusChoice::Bits(64),
///     shape: Shape::square(2),
///     parties: 3,
///     memory_limit: None,
///     seed: Seed([7; 32]),
/// };
/// let dealer = Dealer::new(&settings)?;
/// assert_eq!(dealer.block(0)?.len(), 3);
/// # Ok::<(), asanoha_mpc::MpcError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dealer {
    settings: GeneratorSettings,
    modulus: WideModulus,
    block_size: usize,
    mac_key_shares: Vec<Vec<u64>>,
}

impl Dealer {
    /// A dealer of triples of these settings.
    ///
    /// # Errors
    /// As [`GeneratorSettings::check`], and [`MpcError::Memory`] if one triple doesn't fit the memory.
    pub fn new(settings: &GeneratorSettings) -> Result<Self, MpcError> {
        let modulus = settings.check()?;
        let entries: usize = settings.shape.matrices().iter().map(|[rows, columns]| rows * columns).sum();
        let needed = COPIES * (2 * 8 * entries * modulus.limbs() * settings.parties) as u64;
        let block_size = settings.memory_limit.map_or(BLOCK, |limit| BLOCK.min(limit / needed)) as usize;
        if let (0, Some(limit)) = (block_size, settings.memory_limit) {
            return Err(MpcError::Memory { needed, limit });
        }
        let share = |party: usize| {
            let seed = settings.seed.derive("MAC key", &[&(party as u64).to_le_bytes()]);
            uniform_rows(&modulus, &seed, 1).to_vec()
        };
        let mac_key_shares = (0..settings.parties).map(share).collect();
        Ok(Self { settings: settings.clone(), modulus, block_size, mac_key_shares })
    }

    /// Shares of matrices: all but the last drawn from a seed, and the last what is missing.
    fn share(&self, seed: &Seed, secret: &MatrixBatch) -> Vec<MatrixBatch> {
        let mut last = secret.clone();
        let draw = |party: usize| {
            let seed = seed.derive("share", &[&(party as u64).to_le_bytes()]);
            let mut share = MatrixBatch::zero(&self.modulus, secret.shape(), secret.count());
            let entries = share.words().len() / self.modulus.limbs();
            share.words_mut().copy_from_slice(&uniform_rows(&self.modulus, &seed, entries));
            self.modulus.sub_assign(last.words_mut(), share.words());
            share
        };
        let mut shares: Vec<MatrixBatch> = (1..self.settings.parties).map(draw).collect();
        shares.push(last);
        shares
    }
}

impl TripleSource for Dealer {
    fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    fn shape(&self) -> Shape {
        self.settings.shape
    }

    fn parties(&self) -> usize {
        self.settings.parties
    }

    fn mac_key_shares(&self) -> &[Vec<u64>] {
        &self.mac_key_shares
    }

    fn block_size(&self) -> usize {
        self.block_size
    }

    fn security_bits(&self) -> u32 {
        128
    }

    fn name(&self) -> String {
        "trusted dealer".to_owned()
    }

    fn block(&self, index: u64) -> Result<Vec<PartyTriples>, MpcError> {
        let seed = self.settings.seed.derive("block", &[&index.to_le_bytes()]);
        let [left, right, _] = self.settings.shape.matrices();
        let draw = |name: &str, shape: [usize; 2]| {
            let mut drawn = Erasing(MatrixBatch::zero(&self.modulus, shape, self.block_size));
            let entries = shape[0] * shape[1] * self.block_size;
            drawn.0.words_mut().copy_from_slice(&uniform_rows(
                &self.modulus,
                &seed.derive(name, &[]),
                entries,
            ));
            drawn
        };
        let (a, b) = (draw("A", left), draw("B", right));
        let c = product(&self.modulus, &a.0, &b.0);
        let mut key = self.mac_key_shares[0].clone();
        self.mac_key_shares[1..].iter().for_each(|share| self.modulus.add_assign(&mut key, share));
        let key = self.modulus.integer(&key);
        let shared = [("A", a), ("B", b), ("C", c)].map(|(name, mut matrices)| {
            let values = self.share(&seed.derive("values", &[name.as_bytes()]), &matrices.0);
            self.modulus.scale(matrices.0.words_mut(), &key);
            let codes = self.share(&seed.derive("codes", &[name.as_bytes()]), &matrices.0);
            values.into_iter().zip(codes).map(|(values, codes)| SharedMatrices { values, codes })
        });
        let [a, b, c] = shared;
        Ok(a.zip(b).zip(c).map(|((a, b), c)| PartyTriples { matrices: [a, b, c] }).collect())
    }
}
