//! Computing on encrypted data: the paved path
