//! Who counts as one client.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::request::Parts,
};

use crate::{Kind, Refusal};

/// The address of a client as a server distinguishes it: an IPv4 address, or the first 64 bits of an IPv6 address, because every
/// IPv6 connection has at least 2^64 addresses. As an extractor of a request, it is the address of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let from =
            from.ok_or_else(|| Refusal::new(Kind::Internal, "the server does not know your address"))?;
        Ok(from.0.ip().into())
    }
}

/// One client: what limits, turns and computing time are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// All that comes from an address.
    Address(ClientAddress),
    /// All that comes with a token, by the number that the server gives the token, from any address.
    Token(u64),
}

impl From<ClientAddress> for Client {
    fn from(address: ClientAddress) -> Self {
        Self::Address(address)
    }
}

impl Client {
    /// The client in refusals.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Address(_) => "this client's address",
            Self::Token(_) => "this token",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_prefix_of_64_bits_is_one_client_and_an_ipv4_address_too() {
        let client = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("::ffff:192.0.2.1"), client("::ffff:192.0.2.2"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
    }
}
