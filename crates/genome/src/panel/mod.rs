//! Panels of haplotypes: their files, their matches, and their positional Burrows–Wheeler transform.

mod alleles;
mod error;
mod genotypes;
mod growing;
mod haplotype_panel;
mod index;
mod letters;
mod limits;
mod matches;
mod pbwt;
mod place;
mod random;
mod records;
mod site;
mod site_list;
mod text;
mod variants;

pub use error::{PanelError, Unusable};
pub use growing::Sample;
pub use haplotype_panel::Panel;
pub use letters::{Haplotype, letters_at};
pub use limits::{MAX_HAPLOTYPES, MAX_SITES};
pub use matches::{Longest, Match, longest_from, set_maximal, write_tsv};
pub use pbwt::{Interval, Pbwt};
pub use place::Place;
pub use random::RandomPanel;
pub use site::Site;
pub use site_list::{SiteList, SitesDigest, repeated_site};
pub use variants::{Policy, Variants};
