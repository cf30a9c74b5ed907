//! Where the rows of a table come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::prelude::SessionContext;

use crate::Error;
use crate::csv_table::CsvTable;

/// Where the rows of a table come from.
pub struct Source(Kind);

enum Kind {
    Parquet(PathBuf),
    Csv(PathBuf),
    Batches(Vec<RecordBatch>),
    Provider(Arc<dyn TableProvider>),
}

impl Source {
    /// A Parquet file, or a folder of them. Rows are streamed, and only the columns that a query
    /// needs are read.
    #[must_use]
    pub fn parquet(path: impl AsRef<Path>) -> Self {
        Self(Kind::Parquet(path.as_ref().to_owned()))
    }

    /// A file of comma-separated values with a line of names. Columns with declared bounds are
    /// numbers, all others texts; a cell that is no number is `NULL` there. Lines with too many or
    /// too few cells, and bytes that are no text, are not errors: an error would reveal a record.
    #[must_use]
    pub fn csv(path: impl AsRef<Path>) -> Self {
        Self(Kind::Csv(path.as_ref().to_owned()))
    }

    /// Arrow record batches of one schema.
    #[must_use]
    pub fn batches(batches: Vec<RecordBatch>) -> Self {
        Self(Kind::Batches(batches))
    }

    /// Anything that DataFusion can read. Its errors must not depend on the rows.
    #[must_use]
    pub fn provider(provider: Arc<dyn TableProvider>) -> Self {
        Self(Kind::Provider(provider))
    }

    /// The table that the engine reads; `numbers` are the columns with bounds.
    pub(crate) async fn open(
        self,
        context: &SessionContext,
        numbers: &[&str],
    ) -> Result<Arc<dyn TableProvider>, Error> {
        match self.0 {
            Kind::Parquet(path) => {
                // An error here says that a file is missing or is no Parquet file.
                std::fs::metadata(&path)?;
                let path = path.to_str().ok_or_else(|| {
                    Error::refused("a path that is not Unicode", "rename the file, or pass a provider")
                })?;
                let url = ListingTableUrl::parse(path).map_err(|error| Error::sql(&error))?;
                let format = ParquetFormat::default();
                let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
                let config = ListingTableConfig::new(url).with_listing_options(options);
                let config = config.infer_schema(&context.state()).await.map_err(Error::Engine)?;
                Ok(Arc::new(ListingTable::try_new(config).map_err(|error| Error::sql(&error))?))
            }
            Kind::Csv(path) => CsvTable::open(&path, numbers),
            Kind::Batches(batches) => {
                let Some(first) = batches.first() else {
                    return Err(Error::refused(
                        "a table of no batches",
                        "pass at least one, which may be empty",
                    ));
                };
                let table = MemTable::try_new(first.schema(), vec![batches]);
                Ok(Arc::new(table.map_err(|error| Error::sql(&error))?))
            }
            Kind::Provider(provider) => Ok(provider),
        }
    }
}
