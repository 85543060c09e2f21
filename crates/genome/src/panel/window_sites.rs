//! The sites of a panel's windows, which a query's letters are of.

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

    pub(super) fn site(&self, site: usize) -> Site {
        Site { position: self.positions[site], variant: self.variants[site] }
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
    fn windows_end_at_the_last_site() {
        let panel = panel();
        assert_eq!(panel.window_sites(4, 2).unwrap(), [site(SITES[4]), site(SITES[5])]);
        assert!(panel.window_sites(5, 2).is_err() && panel.window_sites(usize::MAX, 2).is_err());
    }
}
