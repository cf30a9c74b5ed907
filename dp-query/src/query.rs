//! A query that can be answered privately, before anybody has said what it may cost.

use datafusion::logical_expr::LogicalPlan;
use dp_core::{Approx, Epsilon, Pure, Rho, Zcdp};

use crate::Error;
use crate::dialect::QueryOptions;
use crate::limits::Limits;
use crate::price::{Currency, Shape};
use crate::question::Question;
use crate::release::Release;
use crate::separable::{Split, split};
use crate::tables::Tables;
use crate::unit::Unit;

/// A query that has been checked: it can be answered for people, and nothing has been read or paid.
pub struct PrivateQuery<'t, U> {
    tables: &'t Tables<U>,
    sql: String,
    split: Split,
    question: Question,
    limits: Limits,
    minimum: u64,
    options: QueryOptions,
}

impl<'t, U: Unit> PrivateQuery<'t, U> {
    pub(crate) fn new(
        tables: &'t Tables<U>,
        sql: &str,
        plan: &LogicalPlan,
        options: QueryOptions,
    ) -> Result<Self, Error> {
        let split = split(plan, tables.declared())?;
        let mut limits = Limits::default();
        if let Some(groups) = options.max_groups {
            limits = limits.with_groups(groups)?;
        }
        if let Some(rows) = options.max_rows {
            limits = limits.with_rows(rows)?;
        }
        let question = Question::read(&split.cut, tables.declared(), limits, &options.contribution)?;
        let minimum = options.minimum.unwrap_or(1);
        Ok(Self { tables, sql: sql.trim().to_owned(), split, question, limits, minimum, options })
    }

    /// The same query with other limits on what a person contributes.
    ///
    /// # Errors
    /// [`Error::Core`] where a sum of a person would be beyond the range of floats.
    pub fn with_limits(self, limits: Limits) -> Result<Self, Error> {
        let question =
            Question::read(&self.split.cut, self.tables.declared(), limits, &self.options.contribution)?;
        Ok(Self { question, limits, ..self })
    }

    /// The same query, but a group whose keys nobody declared is released only if it has this many
    /// people, besides what the guarantee asks for.
    #[must_use]
    pub const fn with_minimum(mut self, people: u64) -> Self {
        self.minimum = people;
        self
    }

    /// What the query says of its own price, by `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…)`.
    #[must_use]
    pub const fn options(&self) -> &QueryOptions {
        &self.options
    }

    /// The limits on what a person contributes.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// A release with the least noise that is proven for ε.
    ///
    /// # Errors
    /// As [`to`](Self::to).
    pub fn epsilon(self, epsilon: f64) -> Result<Release<'t, Pure, U>, Error> {
        self.to(Pure::from(Epsilon::new(epsilon)?))
    }

    /// A release with the least noise that is proven for (ε,δ).
    ///
    /// # Errors
    /// As [`to`](Self::to).
    pub fn epsilon_delta(self, epsilon: f64, delta: f64) -> Result<Release<'t, Approx, U>, Error> {
        self.to(Approx::new(epsilon, delta)?)
    }

    /// A release with the least noise that is proven for ρ.
    ///
    /// # Errors
    /// As [`to`](Self::to).
    pub fn rho(self, rho: f64) -> Result<Release<'t, Zcdp, U>, Error> {
        self.to(Zcdp::from(Rho::new(rho)?))
    }

    /// A release with as little noise as meets a guarantee.
    ///
    /// # Errors
    /// [`Error::Refused`] for keys that nobody declared in a notion without δ;
    /// [`Error::Core`] for a guarantee that no noise meets.
    pub fn to<G: Currency>(self, guarantee: G) -> Result<Release<'t, G, U>, Error> {
        let shape = self.shape();
        Release::new(self, guarantee, shape)
    }

    /// What the price depends on.
    pub(crate) fn shape(&self) -> Shape {
        let declared = self.question.declared_groups();
        let most = if self.split.cut.person.is_some() { self.limits.groups() } else { 1 };
        let groups =
            declared.map_or(most, |count| u32::try_from(count).map_or(most, |count| count.clamp(1, most)));
        let quantiles = self.question.asked.iter().any(|asked| asked.measure.coordinates() == 0);
        Shape { groups, measures: self.question.asked.len(), quantiles, private_keys: declared.is_none() }
    }

    pub(crate) fn into_parts(self) -> Parts<'t, U> {
        let Self { tables, sql, split, question, limits, minimum, .. } = self;
        Parts { tables, sql, split, question, limits, minimum }
    }
}

/// What a release is made of.
pub(crate) struct Parts<'t, U> {
    pub(crate) tables: &'t Tables<U>,
    pub(crate) sql: String,
    pub(crate) split: Split,
    pub(crate) question: Question,
    pub(crate) limits: Limits,
    pub(crate) minimum: u64,
}

impl<U: Unit> Parts<'_, U> {
    /// What the unit is called: the name of its column.
    pub(crate) fn unit_name(&self) -> &str {
        self.split.cut.unit.as_deref().unwrap_or("row")
    }
}
