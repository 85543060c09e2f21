//! Panels as text: a line of 0 and 1 for each haplotype.

use super::{MAX_HAPLOTYPES, MAX_SITES, Panel, PanelError};

/// The name of the chromosome of a panel that comes from text.
const CHROMOSOME: &str = ".";

impl Panel {
    /// A panel of a line for each haplotype, a letter 0 or 1 for each site. Spaces, tabs and empty lines don't count. Sites
    /// stand at base pairs 1, 2, …, on a chromosome `.`. All lines are equally long, and a single one has a line end: a text
    /// that is cut within a line is refused.
    ///
    /// ```
    /// let panel = asanoha_genome::Panel::from_text("0110\n1 1 1 0\n")?;
    /// assert_eq!((panel.haplotypes(), panel.sites()), (2, 4));
    /// assert!(panel.allele(0, 1) && !panel.allele(3, 1));
    /// # Ok::<(), asanoha_genome::PanelError>(())
    /// ```
    ///
    /// # Errors
    /// [`PanelError::Malformed`] for other letters and lines of different lengths, [`PanelError::Empty`],
    /// [`PanelError::Haplotypes`], [`PanelError::Sites`].
    pub fn from_text(text: &str) -> Result<Self, PanelError> {
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let malformed = |what| PanelError::Malformed { place: format!("line {}", number + 1), what };
            let letters = line.chars().filter(|letter| !matches!(letter, ' ' | '\t'));
            let row = letters.map(|letter| match letter {
                '0' => Ok(false),
                '1' => Ok(true),
                other => Err(malformed(format!("{other:?} is neither 0 nor 1"))),
            });
            let row = row.collect::<Result<Vec<_>, _>>()?;
            if row.is_empty() {
                continue;
            }
            if let Some(first) = rows.first().filter(|first| first.len() != row.len()) {
                let what = format!("it has {} letters, and the first haplotype {}", row.len(), first.len());
                return Err(malformed(what));
            }
            if rows.len() == MAX_HAPLOTYPES {
                return Err(PanelError::Haplotypes(rows.len() + 1));
            }
            rows.push(row);
        }
        let is_open = || text.rsplit('\n').next().is_some_and(|last| last.contains(['0', '1']));
        if rows.len() == 1 && is_open() {
            let what =
                "it has no end: the text is cut short, or a line end is missing; if it's whole, add one";
            return Err(PanelError::Malformed { place: "the only line".to_owned(), what: what.to_owned() });
        }
        let sites = rows.first().ok_or_else(|| PanelError::Empty("the text".to_owned()))?.len();
        if sites > MAX_SITES {
            return Err(PanelError::Sites);
        }
        let mut panel = Self::new(CHROMOSOME, rows.len())?;
        for site in 0..sites {
            panel.push(site as u64 + 1, &rows.iter().map(|row| row[site]).collect::<Vec<_>>())?;
        }
        Ok(panel)
    }

    /// The panel as lines of 0 and 1, which [`Panel::from_text`] reads.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.haplotypes() * (self.sites() + 1));
        for haplotype in 0..self.haplotypes() {
            text.extend((0..self.sites()).map(|site| if self.allele(site, haplotype) { '1' } else { '0' }));
            text.push('\n');
        }
        text
    }
}
