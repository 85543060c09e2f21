//! Sites of one panel that are those of another: a query's letters come from a file of their own.

use super::{Panel, PanelError, Site};

impl Panel {
    /// A window of sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn window_sites(&self, start: usize, letters: usize) -> Result<Vec<Site>, PanelError> {
        self.check_window(start, letters)?;
        Ok((start..start + letters).map(|site| self.site(site)).collect())
    }

    fn site(&self, site: usize) -> Site {
        Site { position: self.positions[site], variant: self.variants[site] }
    }

    /// This panel's sites of the same base pairs and alleles as those of another, which are in an order that doesn't fall. This
    /// panel's other sites are passed over.
    ///
    /// # Errors
    /// [`PanelError::OtherChromosome`], [`PanelError::OtherSites`] where this panel has fewer or more sites.
    pub fn sites_at(&self, chromosome: &str, wanted: &[Site]) -> Result<Vec<usize>, PanelError> {
        if self.chromosome != chromosome {
            let (found, expected) = (self.chromosome.clone(), chromosome.to_owned());
            return Err(PanelError::OtherChromosome { found, expected });
        }
        let mut sites = Vec::with_capacity(wanted.len());
        for group in wanted.chunk_by(|a, b| a.position == b.position) {
            let position = group[0].position;
            let from = self.positions.partition_point(|&other| other < position);
            let to = self.positions.partition_point(|&other| other <= position);
            for (at, &site) in group.iter().enumerate() {
                let same: Vec<usize> = (from..to).filter(|&mine| self.site(mine) == site).collect();
                let times = |sites: &[Site]| sites.iter().filter(|&&other| other == site).count();
                let (found, expected) = (same.len(), times(group));
                if found != expected {
                    return Err(PanelError::OtherSites { position, found, expected });
                }
                sites.push(same[times(&group[..at])]);
            }
        }
        Ok(sites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITES: [(u64, &str, &str); 6] =
        [(3, "A", "C"), (5, "A", "C"), (5, "A", "G"), (8, "A", "C"), (8, "A", "C"), (9, "A", "C")];

    fn site((position, reference, alternate): (u64, &str, &str)) -> Site {
        Site::new(position, reference, alternate)
    }

    fn panel() -> Panel {
        let mut panel = Panel::new("20", 1).unwrap();
        SITES.iter().for_each(|&names| panel.push_site(site(names), &[true]).unwrap());
        panel
    }

    #[test]
    fn sites_are_found_by_base_pair_and_alleles_and_in_equal_numbers_only() {
        let panel = panel();
        let found = |wanted: &[(u64, &str, &str)]| {
            panel.sites_at("20", &wanted.iter().copied().map(site).collect::<Vec<_>>())
        };
        // Sites of one base pair may stand in another order, and be called in lower case.
        assert_eq!(found(&[(5, "a", "g"), (5, "A", "C"), (9, "A", "C")]).unwrap(), [2, 1, 5]);
        assert_eq!(found(&[(8, "A", "C"), (8, "A", "C")]).unwrap(), [3, 4]);
        for (position, wanted) in [
            (4, &[(3, "A", "C"), (4, "A", "C")][..]),
            (3, &[(3, "C", "A")]),
            (3, &[(3, "AC", "")]),
            (5, &[(5, "A", "T")]),
            (8, &[(5, "A", "C"), (8, "A", "C")]),
            (9, &[(9, "A", "C"), (9, "A", "C")]),
            (10, &[(9, "A", "C"), (10, "A", "C")]),
        ] {
            let refused = found(wanted);
            let at = |at: &u64| *at == position;
            assert!(
                matches!(&refused, Err(PanelError::OtherSites { position, .. }) if at(position)),
                "{wanted:?}"
            );
        }
        let other = panel.sites_at("21", &[site(SITES[0])]);
        assert!(matches!(other, Err(PanelError::OtherChromosome { .. })));
        // Without names, a site is none that has them.
        assert!(panel.sites_at("20", &[Site { position: 3, variant: 0 }]).is_err());
    }

    #[test]
    fn windows_end_at_the_last_site() {
        let panel = panel();
        assert_eq!(panel.window_sites(4, 2).unwrap(), [site(SITES[4]), site(SITES[5])]);
        assert!(panel.window_sites(5, 2).is_err() && panel.window_sites(usize::MAX, 2).is_err());
    }
}
