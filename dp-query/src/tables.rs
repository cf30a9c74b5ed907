//! Private and public tables, and what is known of them without looking.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{ScalarValue, TableReference};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use dp_core::{AddRemove, Bounds};
use tokio::runtime::Runtime;

use crate::query::PrivateQuery;
use crate::source::Source;
use crate::unit::{AddRemovePerson, Unit};
use crate::{Error, dialect};

/// What is declared of the columns of a table: facts that do not come from its rows.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    bounds: BTreeMap<String, Bounds>,
    keys: BTreeMap<String, Vec<ScalarValue>>,
}

impl Columns {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Numbers of this column count as the nearest number between the bounds.
    ///
    /// # Errors
    /// [`Error::Core`] unless lower < upper and both are finite.
    pub fn bounds(mut self, column: &str, lower: f64, upper: f64) -> Result<Self, Error> {
        self.bounds.insert(column.to_owned(), Bounds::new(lower, upper)?);
        Ok(self)
    }

    /// Groups by this column are these, whether they occur or not; rows with another key are left
    /// out.
    #[must_use]
    pub fn keys<K: Into<ScalarValue>>(mut self, column: &str, keys: impl IntoIterator<Item = K>) -> Self {
        self.keys.insert(column.to_owned(), keys.into_iter().map(Into::into).collect());
        self
    }

    pub(crate) fn bounded(&self) -> impl Iterator<Item = &str> {
        self.bounds.keys().map(String::as_str)
    }

    pub(crate) fn bounds_of(&self, column: &str) -> Option<Bounds> {
        self.bounds.get(column).copied()
    }

    pub(crate) fn keys_of(&self, column: &str) -> Option<&[ScalarValue]> {
        self.keys.get(column).map(Vec::as_slice)
    }
}

/// A private table.
struct Private {
    /// The column with the identifier of a person; `None` where each row is one.
    unit: Option<String>,
}

/// All private tables, by name, and what is declared of the columns of all tables.
#[derive(Default)]
pub(crate) struct PrivateTables {
    tables: BTreeMap<String, Private>,
    columns: BTreeMap<String, Columns>,
}

impl PrivateTables {
    /// `None` for a public table; `Some(None)` where each row is a person.
    pub(crate) fn unit_of(&self, table: &TableReference) -> Option<Option<&str>> {
        self.tables.get(table.table()).map(|private| private.unit.as_deref())
    }

    pub(crate) fn columns_of(&self, table: &TableReference) -> Option<&Columns> {
        self.columns.get(table.table())
    }
}

/// Private and public tables that queries may read, under one unit of privacy.
///
/// ```no_run
/// use dp_query::{AddRemovePerson, Columns, Source, Tables};
///
/// let mut tables = Tables::<AddRemovePerson>::new()?;
/// let columns = Columns::new().bounds("amount", 0.0, 500.0)?.keys("shop", ["north", "south"]);
/// tables.private("purchases", Source::parquet("purchases.parquet"), "customer", columns)?;
/// tables.public("shops", Source::csv("shops.csv"))?;
/// # Ok::<(), dp_query::Error>(())
/// ```
///
/// # What is declared
/// The unit, the bounds and the keys are facts that do not come from the rows: a guarantee speaks
/// of data sets that differ in the rows of one person, and what is read off the rows would differ,
/// too. The names and types of the columns are public.
///
/// A person who has another identifier in another table counts as another person. A row whose
/// identifier is `NULL` is nobody's and is left out.
pub struct Tables<U> {
    context: SessionContext,
    runtime: Arc<Runtime>,
    private: PrivateTables,
    unit: PhantomData<fn(U) -> U>,
}

impl<U: Unit> Tables<U> {
    /// No tables yet.
    ///
    /// # Errors
    /// [`Error::Io`] when no thread can be started.
    pub fn new() -> Result<Self, Error> {
        let runtime = Arc::new(Runtime::new()?);
        // Filters that the engine makes of the rows of a join would let private rows decide which
        // public rows are read.
        let config = SessionConfig::new()
            .with_information_schema(false)
            .set_bool("datafusion.optimizer.enable_dynamic_filter_pushdown", false);
        let context = SessionContext::new_with_config(config);
        Ok(Self { context, runtime, private: PrivateTables::default(), unit: PhantomData })
    }

    /// Declares a public table: whoever sees the release may know all of it.
    ///
    /// # Errors
    /// As [`private`](Tables::private).
    pub fn public(&mut self, name: &str, source: Source) -> Result<(), Error> {
        self.public_with(name, source, Columns::new())
    }

    /// Declares a public table with what is known of its columns.
    ///
    /// # Errors
    /// As [`private`](Tables::private).
    pub fn public_with(&mut self, name: &str, source: Source, columns: Columns) -> Result<(), Error> {
        self.add(name, source, columns).map(|_| ())
    }

    /// Registers a table, whose columns are returned.
    fn add(
        &mut self,
        name: &str,
        source: Source,
        columns: Columns,
    ) -> Result<Vec<(String, DataType)>, Error> {
        if name.starts_with("__") || name.is_empty() {
            return Err(Error::refused(format!("a table with the name `{name}`"), "begin it with a letter"));
        }
        let name = name.to_lowercase();
        if self.private.columns.contains_key(&name) {
            return Err(Error::refused(format!("a second table `{name}`"), "give it another name"));
        }
        let numbers: Vec<&str> = columns.bounded().collect();
        let provider = self.runtime.block_on(source.open(&self.context, &numbers))?;
        if provider.get_logical_plan().is_some() {
            return Err(Error::refused(
                format!("`{name}` as a view"),
                "declare the tables that it reads; a query may contain the text of the view",
            ));
        }
        if provider.schema().fields().iter().any(|field| field.name().starts_with("__")) {
            return Err(Error::refused(
                format!("a column of `{name}` whose name begins with `__`"),
                "give it another name: these are kept for the columns that a release adds",
            ));
        }
        let fields =
            provider.schema().fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect();
        let known =
            |column: &str, fields: &Vec<(String, DataType)>| fields.iter().any(|(name, _)| name == column);
        for column in columns.bounds.keys().chain(columns.keys.keys()) {
            if !known(column, &fields) {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                return Err(Error::refused(
                    format!("`{name}` has no column `{column}`"),
                    format!("it has {}", names.join(", ")),
                ));
            }
        }
        let table = TableReference::bare(name.as_str());
        self.context.register_table(table, provider).map_err(|error| Error::sql(&error))?;
        self.private.columns.insert(name, columns);
        Ok(fields)
    }

    /// A query in SQL, checked but not run: nothing of any table has been read.
    ///
    /// # Errors
    /// [`Error::Sql`] when it cannot be understood; [`Error::Refused`] when it cannot be answered
    /// privately, with what to write instead.
    pub fn query(&self, sql: &str) -> Result<PrivateQuery<'_, U>, Error> {
        let (sql, options) = dialect::read(sql)?;
        dialect::refuse_reserved(&sql)?;
        let plan = self.plan(&sql)?;
        PrivateQuery::new(self, &sql, &plan, options)
    }

    /// The analysed plan of a query.
    fn plan(&self, sql: &str) -> Result<LogicalPlan, Error> {
        let state = self.context.state();
        let plan = self.runtime.block_on(state.create_logical_plan(sql));
        let plan = plan.map_err(|error| Error::sql(&error))?;
        let analysed = state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {});
        analysed.map_err(|error| Error::sql(&error))
    }

    pub(crate) const fn context(&self) -> &SessionContext {
        &self.context
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) const fn declared(&self) -> &PrivateTables {
        &self.private
    }
}

impl Tables<AddRemovePerson> {
    /// Declares a private table whose rows belong to the person that the column `unit` says.
    ///
    /// # Errors
    /// [`Error::Refused`] for a column that does not exist, or cannot identify anybody;
    /// [`Error::Io`] and [`Error::Engine`] when the file cannot be opened.
    pub fn private(&mut self, name: &str, source: Source, unit: &str, columns: Columns) -> Result<(), Error> {
        let fields = self.add(name, source, columns)?;
        let Some((_, kind)) = fields.iter().find(|(name, _)| name == unit) else {
            return Err(Error::refused(
                format!("`{name}` has no column `{unit}`"),
                format!("name the column that identifies a person; it has {}", {
                    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                    names.join(", ")
                }),
            ));
        };
        let identifies = kind.is_integer()
            || matches!(
                kind,
                DataType::Utf8
                    | DataType::LargeUtf8
                    | DataType::Utf8View
                    | DataType::Date32
                    | DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
                    | DataType::FixedSizeBinary(_)
            );
        if !identifies {
            return Err(Error::refused(
                format!("the column `{unit}` of type {kind} as the identifier of a person"),
                "use a column of integers or texts",
            ));
        }
        self.private.tables.insert(name.to_lowercase(), Private { unit: Some(unit.to_owned()) });
        Ok(())
    }
}

impl Tables<AddRemove> {
    /// Declares a private table in which each row is a person, and returns the names of its
    /// columns.
    ///
    /// # Errors
    /// As [`private`](Tables::private).
    pub fn private_rows(
        &mut self,
        name: &str,
        source: Source,
        columns: Columns,
    ) -> Result<Vec<String>, Error> {
        let fields = self.add(name, source, columns)?;
        self.private.tables.insert(name.to_lowercase(), Private { unit: None });
        Ok(fields.into_iter().map(|(name, _)| name).collect())
    }
}
