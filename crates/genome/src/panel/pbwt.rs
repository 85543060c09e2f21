//! The positional Burrows–Wheeler transform.

use std::ops::Range;

use super::{Panel, PanelError};

/// The positional Burrows–Wheeler transform of a window of a panel: at every site the haplotypes in the order of their letters
/// before it within the window, read backwards; haplotypes that agree so far stand side by side.
///
/// Source: Durbin, "Efficient haplotype matching and storage using the positional Burrows–Wheeler transform (PBWT)"
/// (Bioinformatics 30, 2014), Algorithms 1 and 2.
#[derive(Clone, Debug)]
pub struct Pbwt {
    sites: Vec<Site>,
    /// The order after the last site.
    order: Vec<u32>,
    /// For each haplotype in that order, whether it agrees with the one before it at all sites.
    repeats: Vec<bool>,
}

/// One site.
#[derive(Clone, Debug)]
struct Site {
    /// How many of the first k haplotypes in the order before this site have a 0 here, for k from 0 to M.
    zeros: Vec<u32>,
}

/// Haplotypes that stand side by side in an order: from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
}

impl Interval {
    /// How many haplotypes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

impl Pbwt {
    /// Of a window: M words of 32 bits for each of its sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn new(panel: &Panel, window: Range<usize>) -> Result<Self, PanelError> {
        panel.check_window(window.start, window.len())?;
        let count = panel.haplotypes();
        let first = window.start;
        let mut order: Vec<u32> = (0..count as u32).collect();
        // For each haplotype, the first site from which on it agrees with the one before it in the order.
        let mut divergence = vec![first; count];
        let mut sites = Vec::with_capacity(window.len());
        for site in window {
            let mut zeros = Vec::with_capacity(count + 1);
            zeros.push(0);
            let (mut orders, mut divergences) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            // For the next haplotype with each letter: from where on it agrees with the last of that letter, if there is one.
            let mut from = [site + 1; 2];
            for (&haplotype, &divergence) in order.iter().zip(&divergence) {
                let letter = usize::from(panel.allele(site, haplotype as usize));
                zeros.push(zeros[zeros.len() - 1] + 1 - letter as u32);
                from = from.map(|from| from.max(divergence));
                orders[letter].push(haplotype);
                divergences[letter].push(from[letter]);
                from[letter] = 0;
            }
            order = orders.concat();
            divergence = divergences.concat();
            sites.push(Site { zeros });
        }
        let repeats = divergence.iter().map(|&from| from == first).collect();
        Ok(Self { sites, order, repeats })
    }

    /// The number of sites of the window.
    pub fn sites(&self) -> usize {
        self.sites.len()
    }

    /// The haplotypes in the order after the window's last site.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// All haplotypes.
    pub fn all(&self) -> Interval {
        Interval { start: 0, end: self.order.len() }
    }

    /// Of the haplotypes of an interval before a site of the window, those that have a letter there, as an interval after it.
    ///
    /// # Panics
    /// If the window has no such site or the interval is of another panel.
    pub fn extend(&self, interval: Interval, site: usize, letter: bool) -> Interval {
        let zeros = &self.sites[site].zeros;
        let place = |k: usize| {
            if letter { zeros[zeros.len() - 1] as usize + k - zeros[k] as usize } else { zeros[k] as usize }
        };
        Interval { start: place(interval.start), end: place(interval.end) }
    }

    /// The longest match of a query from the window's first site on, and how many haplotypes have it: none where its length is 0.
    pub fn longest(&self, query: &[bool]) -> (usize, usize) {
        let mut interval = self.all();
        for (site, &letter) in query.iter().enumerate().take(self.sites()) {
            let next = self.extend(interval, site, letter);
            if next.is_empty() {
                return (site, if site == 0 { 0 } else { interval.len() });
            }
            interval = next;
        }
        (query.len().min(self.sites()), interval.len())
    }

    /// The haplotypes that differ within the window: of equal ones one, and how many they are.
    pub fn distinct(&self) -> Vec<(usize, usize)> {
        let mut classes: Vec<(usize, usize)> = Vec::new();
        for (&haplotype, &repeats) in self.order.iter().zip(&self.repeats) {
            match classes.last_mut().filter(|_| repeats) {
                Some((_, count)) => *count += 1,
                None => classes.push((haplotype as usize, 1)),
            }
        }
        classes
    }
}
