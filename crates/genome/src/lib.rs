//! Private search of haplotypes: how far an encrypted query agrees with any haplotype of a panel, from a site on, and with how
//! many.
//!
//! A [`Panel`] comes from VCF, BCF or text, and answers queries in the clear: its matches, and its positional
//! Burrows–Wheeler transform. A [`protocol::Search`] is what a client and a server agree on:
//!
//! ```
//! use asanoha_genome::{Panel, protocol::{Client, Search, Server, SearchShape, Window}};
//!
//! let panel = Panel::from_text("00110\n00100\n11100\n01101")?;
//! let shape = SearchShape { letters: 3, haplotypes: 4, candidates: 1, counts: true };
//! // For this example only: `Search::new` has secure parameters.
//! let search = Search::insecure(shape, 64)?;
//! let client = Client::new(&search);
//! let (keys, public) = client.server_keys();
//! let server = Server::new(&search, keys, public)?;
//!
//! let query = client.query(&[true, true, false], 0)?;
//! let answer = server.answer(&Window::new(&panel, &shape, &[1])?, &query)?;
//! let found = client.answer(&answer)?;
//! assert_eq!((found.length, found.count), (3, Some(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "http")]
pub mod http;
pub mod panel;
pub mod protocol;

pub use panel::{Panel, PanelError};
