//! Sites of one panel at the positions of another: a query's letters come from a file of their own.

use super::{Panel, PanelError};

impl Panel {
    /// The base pairs of a window of sites.
    ///
    /// # Errors
    /// [`PanelError::Window`].
    pub fn window_positions(&self, start: usize, letters: usize) -> Result<&[u64], PanelError> {
        self.check_window(start, letters)?;
        Ok(&self.positions[start..start + letters])
    }

    /// This panel's sites at base pairs of a chromosome, which don't fall. Sites between them are passed over. Alleles are those
    /// that each file calls 0 and 1, so both have to name the same reference.
    ///
    /// # Errors
    /// [`PanelError::OtherChromosome`], [`PanelError::OtherSites`] where this panel has fewer or more sites.
    pub fn sites_at(&self, chromosome: &str, positions: &[u64]) -> Result<Vec<usize>, PanelError> {
        if self.chromosome != chromosome {
            let (found, expected) = (self.chromosome.clone(), chromosome.to_owned());
            return Err(PanelError::OtherChromosome { found, expected });
        }
        let mut sites = Vec::with_capacity(positions.len());
        for group in positions.chunk_by(|a, b| a == b) {
            let (position, expected) = (group[0], group.len());
            let from = self.positions.partition_point(|&other| other < position);
            let found = self.positions[from..].partition_point(|&other| other == position);
            if found != expected {
                return Err(PanelError::OtherSites { position, found, expected });
            }
            sites.extend(from..from + found);
        }
        Ok(sites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(positions: &[u64]) -> Panel {
        let mut panel = Panel::new("20", 1).unwrap();
        positions.iter().for_each(|&position| panel.push(position, &[true]).unwrap());
        panel
    }

    #[test]
    fn sites_are_found_by_position_and_in_equal_numbers_only() {
        let mine = panel(&[3, 5, 5, 8, 9]);
        assert_eq!(mine.sites_at("20", &[5, 5, 9]).unwrap(), [1, 2, 4]);
        for (position, positions) in [(4, &[3, 4][..]), (5, &[5, 8]), (8, &[8, 8]), (10, &[9, 10])] {
            let refused = mine.sites_at("20", positions);
            assert!(matches!(refused, Err(PanelError::OtherSites { position: at, .. }) if at == position));
        }
        assert!(matches!(mine.sites_at("21", &[3]), Err(PanelError::OtherChromosome { .. })));
    }

    #[test]
    fn windows_end_at_the_last_site() {
        let panel = panel(&[3, 5, 8]);
        assert_eq!(panel.window_positions(1, 2).unwrap(), [5, 8]);
        assert!(panel.window_positions(2, 2).is_err() && panel.window_positions(usize::MAX, 2).is_err());
    }
}
