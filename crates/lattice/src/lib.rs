//! Scheme-neutral lattice cryptography: keys, ciphertexts, key switching, files, security
