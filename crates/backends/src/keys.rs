//! Keys of any scheme.

use std::{
    any::Any,
    fmt::Debug,
    io,
    ops::{ControlFlow, Deref},
    path::Path,
    sync::Arc,
};

use asanoha_lattice::KeyId;
use zeroize::Zeroizing;

/// A key of a scheme that encrypts or decrypts.
pub trait Key: Any + Debug + Send + Sync {
    /// The identifier of its key generation.
    fn id(&self) -> KeyId;

    /// Derives 32 bytes from a secret and a context, which names one use; `None` for public keys.
    fn derive_key(&self, _context: &str) -> Option<Zeroizing<[u8; 32]>> {
        None
    }
}

/// A scheme's keys of evaluation.
pub trait KeysOfEvaluation: Any + Debug + Send + Sync {
    /// The identifier of their key generation.
    fn id(&self) -> KeyId;

    /// The digest of the file that they were read from, if they were, in hexadecimal digits.
    fn digest(&self) -> Option<&str>;

    /// Bytes in a file.
    fn bytes(&self) -> usize;

    /// Bytes in memory during an evaluation.
    fn memory_bytes(&self) -> usize {
        self.bytes()
    }

    /// Reads keys that stay in their file row by row and checks their words, which an evaluation would else do.
    ///
    /// # Errors
    /// Words that can't be, and a file that was changed since it was opened.
    fn check_rows(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What decrypts.
#[derive(Clone, Debug)]
pub struct DecryptionKey(Arc<dyn Key>);

impl DecryptionKey {
    /// A scheme's secret key.
    pub fn new(key: impl Key) -> Self {
        Self(Arc::new(key))
    }

    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        self.0.id()
    }

    /// Derives 32 bytes from the secret and a context, which names one use; `None` in schemes that derive none.
    pub fn derive_key(&self, context: &str) -> Option<Zeroizing<[u8; 32]>> {
        self.0.derive_key(context)
    }

    /// The key of a type, if it is of it.
    pub fn get<K: Key>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }
}

/// What encrypts: a public key, or the secret key, with which ciphertexts take fewer bytes.
#[derive(Clone, Debug)]
pub struct EncryptionKey(Arc<dyn Key>);

impl EncryptionKey {
    /// A scheme's public key.
    pub fn new(key: impl Key) -> Self {
        Self(Arc::new(key))
    }

    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        self.0.id()
    }

    /// The key of a type, if it is of it.
    pub fn get<K: Key>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }
}

impl From<&DecryptionKey> for EncryptionKey {
    fn from(key: &DecryptionKey) -> Self {
        Self(key.0.clone())
    }
}

/// What evaluates. Clones share it.
#[derive(Clone, Debug)]
pub struct EvaluationKey(Arc<dyn KeysOfEvaluation>);

impl EvaluationKey {
    /// A scheme's keys.
    pub fn new(keys: impl KeysOfEvaluation) -> Self {
        Self(Arc::new(keys))
    }

    /// The keys of a type, if they are of it.
    pub fn get<K: KeysOfEvaluation>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// As [`EvaluationKey::get`], shared.
    pub fn shared<K: KeysOfEvaluation>(&self) -> Option<Arc<K>> {
        (self.0.clone() as Arc<dyn Any + Send + Sync>).downcast().ok()
    }
}

impl Deref for EvaluationKey {
    type Target = dyn KeysOfEvaluation;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Keys that were just generated.
#[derive(Debug)]
pub struct NewKeys {
    /// The secret.
    pub secret: DecryptionKey,
    /// For encryption.
    pub public: EncryptionKey,
    /// For evaluation.
    pub evaluation: EvaluationKey,
}

/// Where evaluation keys are kept that are generated.
#[derive(Clone, Copy)]
pub enum Keeping<'a> {
    /// In memory. The callback hears how many keys are made, and of how many, and may stop it.
    Memory(&'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync)),
    /// In a file of a folder, which has no name, which nobody else can read, and which goes with them. That takes little memory.
    Folder(&'a Path),
}
