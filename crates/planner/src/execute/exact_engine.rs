//! The evaluator of an exact scheme as an engine, and its parameters as what encrypts and decrypts: BGV's and BFV's
//! have the same names.

/// `exact_engine!(name of the engine, of the scheme's crate: its types; modulus: the method that gives t)`.
macro_rules! exact_engine {
    (
        $engine:ident, $scheme:ident: $params:ident, $ciphertext:ident, $plaintext:ident, $error:ident; $modulus:ident
    ) => {
        /// The evaluator as an engine.
        #[derive(Debug)]
        pub struct $engine {
            evaluator: $scheme::Evaluator,
            layout: Layout,
        }

        impl $engine {
            /// An engine with these keys.
            pub fn new(evaluator: $scheme::Evaluator, layout: Layout) -> Self {
                Self { evaluator, layout }
            }
        }

        impl Engine for $engine {
            type Value = $ciphertext;
            type Error = $error;

            fn add(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                self.evaluator.add(a, b)
            }
            fn sub(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                self.evaluator.sub(a, b)
            }
            fn neg(&self, a: &$ciphertext) -> Result<$ciphertext, $error> {
                Ok(self.evaluator.neg(a))
            }
            fn mul(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                self.evaluator.multiply(a, b)
            }
            fn add_constant(
                &self,
                a: &$ciphertext,
                c: &Constant,
                chunk: Option<usize>,
            ) -> Result<$ciphertext, $error> {
                match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
                    Some(chunk) => {
                        let plain =
                            on_rows(self.evaluator.params(), self.layout, whole(c), chunk, a.level())?;
                        self.evaluator.add_plain(a, &plain)
                    }
                    None => self.evaluator.add_constant(a, whole(c).clone()),
                }
            }
            fn mul_constant(
                &self,
                a: &$ciphertext,
                k: &Constant,
                _scale: f64,
            ) -> Result<$ciphertext, $error> {
                self.evaluator.mul_constant(a, whole(k).clone())
            }
            fn mask_rows(&self, a: &$ciphertext, chunk: usize) -> Result<$ciphertext, $error> {
                if !self.layout.has_padding(chunk) {
                    return Ok(a.clone());
                }
                let mask = on_rows(self.evaluator.params(), self.layout, &BigInt::one(), chunk, a.level())?;
                self.evaluator.mul_plain(a, &mask)
            }
            fn rescale(&self, _: &$ciphertext) -> Result<$ciphertext, $error> {
                unreachable!("exact schemes have no scales to keep")
            }
            fn switch_to(&self, a: &$ciphertext, level: Level) -> Result<$ciphertext, $error> {
                self.evaluator.switch_to(a.clone(), level)
            }
            fn sum_block(&self, a: &$ciphertext, factors: &[usize]) -> Result<$ciphertext, $error> {
                sum_blocks(&self.evaluator, a, factors)
            }
            fn functions(
                &self,
                operation: &WholeOperation,
                operands: &[&$ciphertext],
            ) -> Result<Vec<$ciphertext>, $error> {
                operation.apply(&self.evaluator, operands)
            }
        }

        impl ExactScheme for $params {
            type Ciphertext = $ciphertext;
            type Plaintext = $plaintext;
            type Error = $error;

            fn modulus(&self) -> &BigUint {
                self.$modulus()
            }
            fn highest(&self) -> Level {
                self.max_level()
            }
            fn encode(&self, slots: &[i64], level: Level) -> Result<$plaintext, $error> {
                $scheme::Encoder::new(self).encode(slots, level)
            }
            fn encode_integers(&self, slots: &[BigInt], level: Level) -> Result<$plaintext, $error> {
                $scheme::Encoder::new(self).encode_integers(slots, level)
            }
            fn encrypt(
                &self,
                key: &PublicKey,
                plaintext: &$plaintext,
                sampler: &mut Sampler,
            ) -> Result<$ciphertext, $error> {
                $scheme::Encryptor::new(self).encrypt(key, plaintext, sampler)
            }
            fn decrypt(&self, secret: &SecretKey, ciphertext: &$ciphertext) -> Result<Vec<i64>, $error> {
                $scheme::Decryptor::new(self).decrypt(secret, ciphertext)
            }
            fn decrypt_integers(
                &self,
                secret: &SecretKey,
                ciphertext: &$ciphertext,
            ) -> Result<Vec<BigInt>, $error> {
                $scheme::Decryptor::new(self).decrypt_integers(secret, ciphertext)
            }
            fn noise(&self, ciphertext: &$ciphertext) -> Noise {
                let budget_bits = $scheme::budget_bits(self, ciphertext);
                Noise { predicted_bits: ciphertext.noise().log2(), budget_bits }
            }
        }
    };
}
