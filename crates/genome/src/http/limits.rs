//! What a server grants.

/// What a server of a search grants its clients. A client is an IPv4 address, or the first 64 bits of an IPv6 address.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What every server grants. Its requests are queries and keys.
    pub general: asanoha_http::Limits,
    /// The most letters of a query.
    pub letters: usize,
    /// The most sites that a hidden start may be among.
    pub candidates: usize,
    /// The most bytes of a client's keys: for 2,184 haplotypes, 267 MB carry 32 letters and 416 MB a thousand.
    pub key_bytes: usize,
    /// The bytes of all keys together, beyond which those are dropped that the client with most bytes of keys has not used for the
    /// longest time.
    pub all_key_bytes: usize,
    /// How many queries are answered under the same keys, which are dropped then: each query is remembered, so that it's answered
    /// once.
    pub queries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            general: asanoha_http::Limits {
                requests_name: "queries and keys",
                ..asanoha_http::Limits::default()
            },
            letters: 1024,
            candidates: 16,
            key_bytes: 1 << 30,
            all_key_bytes: 4 << 30,
            queries: 1 << 16,
        }
    }
}

impl Limits {
    /// The most bytes of a query: one of 1024 letters and 15 primes takes 85 kB.
    pub(super) const QUERY_BYTES: usize = 2 << 20;
}
