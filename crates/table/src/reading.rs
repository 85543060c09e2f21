//! How data are read.

use crate::{error::DataError, limits::Limits, schema::Schema, written::NumberFormat};

/// What is done about missing values: empty cells and `NA`, `N/A`, `NaN`, `nan`, `null`, `None`, `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// The data are refused.
    #[default]
    Refuse,
    /// A row that misses a value of any column that's read counts nowhere: it's left out.
    Mask,
    /// The mean of the column's other values, rounded to the column's kind; halves away from zero.
    Mean,
    /// 0.
    Zero,
}

/// How the columns of a table are read.
///
/// ```
/// use asanoha_table::{ColumnValues, Data, Reading};
///
/// let data = "price\n12.50\n3\n";
/// let exact = Data::from_reader(data.as_bytes(), "shop.csv", &["price"], &Reading::default())?;
/// assert_eq!(exact.table.columns[0].values, ColumnValues::Decimal { values: vec![1250, 300], places: 2 });
///
/// let real = ["price".to_owned()];
/// let reading = Reading { real: &real, ..Reading::default() };
/// let data = Data::from_reader(data.as_bytes(), "shop.csv", &["price"], &reading)?;
/// assert_eq!(data.table.columns[0].values, ColumnValues::Real(vec![12.5, 3.0]));
/// # Ok::<(), asanoha_table::DataError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// Columns that are taken as real numbers, whichever way their cells are written.
    pub real: &'a [String],
    /// Columns that a program compares with text. They are text, with the categories as the cells are written: the codes `1`, `2` and
    /// `2A` are three texts. Columns of a numeric type, as Parquet and Arrow files have them, stay numbers, and so do those of `real`
    /// and of a schema.
    ///
    /// ```
    /// use asanoha_table::{Data, Reading};
    ///
    /// let data = "unit\n4\n3B\n4.0\n";
    /// let refusal = Data::from_reader(data.as_bytes(), "d.csv", &["unit"], &Reading::default()).unwrap_err();
    /// assert!(refusal.to_string().ends_with("\"3B\" is not a number"));
    ///
    /// let text = ["unit".to_owned()];
    /// let reading = Reading { text: &text, ..Reading::default() };
    /// let data = Data::from_reader(data.as_bytes(), "d.csv", &["unit"], &reading)?;
    /// assert_eq!(data.table.columns[0].values.categories(), ["3B", "4", "4.0"]);
    /// # Ok::<(), asanoha_table::DataError>(())
    /// ```
    pub text: &'a [String],
    /// What is done about missing values.
    pub missing: Missing,
    /// What is read in numbers of text files, beside a point and digits.
    pub numbers: NumberFormat,
    /// What is planned for, if it is. A column of decimals then takes numbers of as many places and no others; where the schema has
    /// real numbers, decimals are such; and texts are numbered as its categories are.
    pub schema: Option<&'a Schema>,
    /// How much is read at most.
    pub limits: Limits,
}

impl Reading<'_> {
    /// Refuses hints on columns that aren't read.
    pub(crate) fn check(&self, wanted: &[impl AsRef<str>]) -> Result<(), DataError> {
        for (names, kind) in [(self.real, "real columns"), (self.text, "columns of text")] {
            let unknown = names.iter().find(|name| !wanted.iter().any(|wanted| wanted.as_ref() == *name));
            if let Some(name) = unknown {
                return Err(DataError::UnknownColumn {
                    file: kind.to_owned(),
                    name: name.clone(),
                    present: wanted.iter().map(|name| name.as_ref().to_owned()).collect(),
                });
            }
        }
        Ok(())
    }
}
