//! The server's certificate.

use std::sync::Arc;

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use zeroize::Zeroizing;

use crate::HttpError;

/// A certificate and its secret key, ready for use.
#[derive(Clone, Debug)]
pub struct Identity(pub(crate) Arc<ServerConfig>);

impl Identity {
    /// A certificate with those that vouch for it, and its key, as PEM. The key's text is erased here.
    ///
    /// # Errors
    /// [`HttpError::Certificate`].
    pub fn from_pem(certificates: &[u8], key: Vec<u8>) -> Result<Self, HttpError> {
        let refused = |what: &'static str| move |error: String| HttpError::Certificate { what, error };
        let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| error.to_string()).map_err(refused("the certificate"))?;
        let key = Zeroizing::new(key);
        let key = PrivateKeyDer::from_pem_slice(&key).map_err(|error| error.to_string());
        Self::new(chain, key.map_err(refused("the certificate's key"))?)
    }

    /// A new certificate of the server's own for names and addresses, and the certificate as PEM, which clients are to be given
    /// by a way that they trust. The key stays in memory.
    ///
    /// # Errors
    /// [`HttpError::Certificate`].
    pub fn own(names: Vec<String>) -> Result<(Self, String), HttpError> {
        let made = rcgen::generate_simple_self_signed(names);
        let made = made.map_err(|error| HttpError::Certificate {
            what: "a certificate for these names",
            error: error.to_string(),
        })?;
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        Ok((Self::new(vec![made.cert.der().clone()], key)?, made.cert.pem()))
    }

    fn new(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<Self, HttpError> {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        let mut config = config.map_err(|error| HttpError::Certificate {
            what: "the certificate and its key",
            error: error.to_string(),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }
}
