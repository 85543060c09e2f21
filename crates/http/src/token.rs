//! Tokens: who may ask a server.

use std::fmt;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, header::AUTHORIZATION, request::Parts},
};
use zeroize::Zeroizing;

use crate::{HttpError, Kind, Refusal, error::MAX_TOKEN_LENGTH};

const SCHEME: &str = "Bearer";

/// A bearer token (RFC 6750), which lets its holder ask. It's erased on drop, and nothing prints it. The copies in a connection's
/// buffers are not erased.
///
/// As an extractor of a request, it's the token of the header `Authorization`. The request is refused as
/// [`Kind::Unauthorized`] if it has no such header, two of them, or one with something else.
pub struct BearerToken(Zeroizing<String>);

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

impl BearerToken {
    /// The most characters of a token.
    pub const MAX_LENGTH: usize = MAX_TOKEN_LENGTH;

    /// # Errors
    /// [`HttpError::Token`].
    pub fn new(text: &str) -> Result<Self, HttpError> {
        let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        let body = text.trim_end_matches('=');
        if body.is_empty() || text.len() > Self::MAX_LENGTH || !body.bytes().all(is_usual) {
            return Err(HttpError::Token);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The token. Look it up by a digest: comparisons of texts take a time that depends on how much of them agrees.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The token of a request's headers.
    ///
    /// # Errors
    /// [`Kind::Unauthorized`].
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, Refusal> {
        let refused = |message| Refusal::new(Kind::Unauthorized, message);
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let only = all.next().ok_or_else(|| {
            refused("this request needs a token: send it as the header Authorization: Bearer TOKEN")
        })?;
        if all.next().is_some() {
            return Err(refused("the request has more than one header Authorization: send one token"));
        }
        let token = only.to_str().ok().and_then(|value| value.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME));
        let token = token.and_then(|(_, token)| Self::new(token.trim_start_matches(' ')).ok());
        token.ok_or_else(|| {
            refused("the header Authorization holds no token: it is Authorization: Bearer TOKEN")
        })
    }

    /// The value of the header `Authorization`.
    pub(crate) fn header(&self) -> HeaderValue {
        let text = Zeroizing::new(format!("{SCHEME} {}", self.expose()));
        let mut value = HeaderValue::from_str(&text).expect("a token's characters are those of headers");
        value.set_sensitive(true);
        value
    }
}

impl<S: Sync> FromRequestParts<S> for BearerToken {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Self::from_headers(&parts.headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<BearerToken, Refusal> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        BearerToken::from_headers(&headers)
    }

    #[test]
    fn a_token_is_read_from_the_only_header_that_has_one() {
        let longest = "a".repeat(BearerToken::MAX_LENGTH);
        for token in ["a", "aZ0-._~+/==", &longest] {
            assert_eq!(read(&[&format!("Bearer {token}")]).unwrap().expose(), token);
            assert_eq!(read(&[&format!("bearer  {token}")]).unwrap().expose(), token);
            let again = BearerToken::new(token).unwrap().header();
            assert!(again.is_sensitive() && again == format!("Bearer {token}"));
        }
        let longer = format!("Bearer {longest}a");
        for values in [
            &[][..],
            &["Bearer a", "Bearer a"],
            &["Bearer a", "Basic a"],
            &["Bearer"],
            &["Bearer "],
            &["Bearer a b"],
            &["Bearer a, Bearer b"],
            &["Bearer =="],
            &["Bearer a=b"],
            &["Bearer\ta"],
            &["Bearer ä"],
            &["Basic a"],
            &["a"],
            &[""],
            &[&longer],
        ] {
            let refusal = read(values).unwrap_err();
            assert_eq!(refusal.kind, Kind::Unauthorized, "{values:?}");
            assert!(!refusal.message.contains(&longest));
        }
    }

    #[test]
    fn nothing_prints_a_token() {
        let token = BearerToken::new("secret").unwrap();
        let printed = format!("{token:?} {:?} {}", token.header(), BearerToken::new("secret ").unwrap_err());
        assert!(!printed.contains("secret"), "{printed}");
    }
}
