//! How data are read.

use super::{DataError, Limits, Missing, NumberFormat, Schema};

/// How the columns of a table are read.
///
/// ```
/// use asanoha_planner::data::{ColumnValues, Data, Reading, Table};
///
/// let data = "price\n12.50\n3\n";
/// let table = Table::from_csv_reader(data.as_bytes(), "shop.csv", &["price"])?;
/// assert_eq!(table.columns[0].values, ColumnValues::Decimal { values: vec![1250, 300], places: 2 });
///
/// let real = ["price".to_owned()];
/// let reading = Reading { real: &real, ..Reading::default() };
/// let data = Data::from_reader(data.as_bytes(), "shop.csv", &["price"], &reading)?;
/// assert_eq!(data.table.columns[0].values, ColumnValues::Real(vec![12.5, 3.0]));
/// # Ok::<(), asanoha_planner::data::DataError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// Columns that are taken as real numbers, whichever way their cells are written.
    pub real: &'a [String],
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
    pub(super) fn check(&self, wanted: &[impl AsRef<str>]) -> Result<(), DataError> {
        let unknown = self.real.iter().find(|name| !wanted.iter().any(|wanted| wanted.as_ref() == *name));
        unknown.map_or(Ok(()), |name| {
            Err(DataError::UnknownColumn {
                file: "real columns".to_owned(),
                name: name.clone(),
                present: wanted.iter().map(|name| name.as_ref().to_owned()).collect(),
            })
        })
    }
}
