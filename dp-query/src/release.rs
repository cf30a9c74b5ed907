//! A release of a query: its price, its plan, and the draw.

use std::fmt;
use std::sync::Arc;

use dp_accounting::Account;
use dp_core::interval::Confidence;
use dp_core::{Delta, Epsilon, Error as Refusal, Measurement, Mechanism, SecureRng};
use dp_mechanisms::KeySelection;
use rand_core::Rng;
use std::collections::BTreeMap;

use crate::engine::{self, Aggregates};
use crate::measure::{Estimate, Measure};
use crate::price::{Currency, Noise, Price, Shape, ShapeOf};
use crate::query::{Parts, PrivateQuery};
use crate::released::{Cells, ReleasedTable};
use crate::unit::Unit;
use crate::{Error, Limits};

/// A query with its price: what it will release is known, and nothing has been read or paid.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
/// use dp_accounting::Budget;
/// use dp_core::Approx;
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_query::{AddRemovePerson, Columns, Limits, Source, Tables};
///
/// // Three purchases of each of 2000 customers.
/// let rows = 0..6000i64;
/// let shop = |i: i64| Some(["north", "south"][i as usize % 2]);
/// let batch = RecordBatch::try_from_iter([
///     ("customer", Arc::new(Int64Array::from_iter_values(rows.clone().map(|i| i / 3))) as ArrayRef),
///     ("shop", Arc::new(rows.clone().map(shop).collect::<StringArray>())),
///     ("amount", Arc::new(Float64Array::from_iter_values(rows.map(|i| (i % 50) as f64)))),
/// ]).expect("columns of one length");
///
/// let mut tables = Tables::<AddRemovePerson>::new()?;
/// let columns = Columns::new().bounds("amount", 0.0, 100.0)?;
/// tables.private("purchases", Source::batches(vec![batch]), "customer", columns)?;
///
/// let query = tables.query("SELECT shop, COUNT(*) AS n, AVG(amount) AS mean FROM purchases GROUP BY shop")?;
/// let release = query.with_limits(Limits::default().with_groups(2)?)?.epsilon_delta(1.0, 1e-8)?;
/// println!("{release}"); // noise, thresholds and limits, before anything is paid
///
/// let mut budget = Budget::new(Approx::new(2.0, 1e-7)?);
/// let answer = release.spend(&mut budget, &mut OsSeeded::new()?)?;
/// println!("{}", answer.table()?); // shop, n, mean, and the ends of an interval for each
/// assert_eq!(answer.guarantee(), "(1, 1e-8)-DP for each customer");
/// # Ok::<(), dp_query::Error>(())
/// ```
pub struct Release<'t, G, U> {
    parts: Parts<'t, U>,
    guarantee: G,
    shape: Shape,
    price: Price,
    noise: Vec<Noise>,
    selection: Option<KeySelection<usize>>,
    confidence: Confidence,
    /// Which release exact sums belong to.
    this: Arc<()>,
}

impl<'t, G: Currency, U: Unit> Release<'t, G, U> {
    pub(crate) fn new(query: PrivateQuery<'t, U>, guarantee: G, shape: Shape) -> Result<Self, Error> {
        let parts = query.into_parts();
        let price = guarantee.price(ShapeOf(shape))?.0;
        let noise = parts.question.asked.iter().map(|asked| price.noise(asked.measure.moves()));
        let noise = noise.collect::<Result<Vec<_>, Refusal>>()?;
        let selection = price.keys.map(|(epsilon, delta)| {
            KeySelection::new(Epsilon::new(epsilon)?, Delta::new(delta)?)?.with_minimum(parts.minimum)
        });
        let selection = selection.transpose()?;
        let confidence = Confidence::new(0.95)?;
        Ok(Self { parts, guarantee, shape, price, noise, selection, confidence, this: Arc::new(()) })
    }

    /// The same release with intervals of another confidence than 0.95.
    ///
    /// # Errors
    /// [`Error::Core`] unless it lies between 0 and 1.
    pub fn with_confidence(self, confidence: f64) -> Result<Self, Error> {
        Ok(Self { confidence: Confidence::new(confidence)?, ..self })
    }

    /// The guarantee in words: "(1, 1e-8)-DP for each customer".
    #[must_use]
    pub fn promise(&self) -> String {
        match &self.parts.split.cut.person {
            Some(_) => format!("{} for each {}", self.guarantee, self.parts.unit_name()),
            None => format!("{} for each row", self.guarantee),
        }
    }

    /// The text of the query.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.parts.sql
    }

    /// Pays and answers: the price is booked, the engine computes the exact sums, noise is drawn,
    /// and what the query computes from released numbers is computed.
    ///
    /// The price is booked before any row is read, and stays booked if the engine fails. Whoever
    /// asks again pays again: no noise is drawn twice for one price.
    ///
    /// # Errors
    /// [`Error::Budget`] when the price does not fit or could not be recorded: then no row was
    /// read. [`Error::Engine`] when the engine cannot finish, and [`Error::After`] when what is
    /// computed from released numbers has no value.
    pub fn spend<A, R>(&self, account: &mut A, rng: &mut R) -> Result<ReleasedTable, Error>
    where
        A: Account<G, Adjacency = U>,
        R: SecureRng + ?Sized,
    {
        let mut key = [0; 16];
        rng.fill_bytes(&mut key);
        account.charge(&self.guarantee)?;
        let sums = engine::sums(&self.parts, self.shape, key, &self.this)?;
        let cells = self.release(&sums, rng)?;
        let promise = self.promise();
        engine::after(&self.parts, cells, promise)
    }
}

/// Exact sums in, noisy cells out.
impl<G: Currency, U: Unit> Measurement for Release<'_, G, U> {
    type Data = Aggregates;
    type Output = Cells;
    type Guarantee = G;
    type Adjacency = U;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// Selects groups, then draws noise for each measure of those that are kept.
    fn draw<R: Rng + ?Sized>(&self, sums: &Aggregates, rng: &mut R) -> Result<Cells, Refusal> {
        if !sums.are_of(&self.this) {
            return Err(Refusal::Unreachable {
                request: "a release of the sums of another query",
                instead: "compute the sums by the release that draws from them",
            });
        }
        let kept: Vec<usize> = match &self.selection {
            None => (0..sums.groups()).collect(),
            Some(selection) => {
                let people: BTreeMap<usize, u64> = sums.people().iter().copied().enumerate().collect();
                selection.draw(&people, rng)?.into_iter().collect()
            }
        };
        let mut values = Vec::with_capacity(self.noise.len());
        for (j, (asked, noise)) in self.parts.question.asked.iter().zip(&self.noise).enumerate() {
            let column = kept.iter().map(|group| match &asked.measure {
                Measure::Quantile { bounds, level } => {
                    let value = self.price.quantile(*bounds, *level)?.draw(sums.values(*group, j), rng)?;
                    Ok(Estimate { value, lower: f64::NAN, upper: f64::NAN })
                }
                measure => self.cell(measure, noise, &sums.of(*group, j), rng),
            });
            values.push(column.collect::<Result<Vec<_>, Refusal>>()?);
        }
        Ok(Cells::new(sums.keys_of(&kept), values))
    }
}

impl<G: Currency, U: Unit> Release<'_, G, U> {
    fn cell<R: Rng + ?Sized>(
        &self,
        measure: &Measure,
        noise: &Noise,
        sums: &[i128],
        rng: &mut R,
    ) -> Result<Estimate, Refusal> {
        let answers = measure.answers(sums).into_iter();
        let noisy = answers.map(|answer| noise.draw(answer, rng)).collect::<Result<Vec<f64>, Refusal>>()?;
        measure.estimate(&noisy, noise, self.confidence)
    }

    /// The limits on what a person contributes.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.parts.limits
    }
}

/// What will be released, before anything is paid.
impl<G: Currency, U: Unit> fmt::Display for Release<'_, G, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "guarantee      {}", self.promise())?;
        let question = &self.parts.question;
        match question.declared_groups() {
            Some(1) if question.groups.is_empty() => writeln!(f, "groups         one")?,
            Some(count) => writeln!(f, "groups         {count}, declared")?,
            None => writeln!(f, "groups         those that occur and are kept")?,
        }
        if let Some(selection) = &self.selection {
            writeln!(
                f,
                "keys           a group of {} people is kept with probability 1/2, of {} for sure, below {} never",
                selection.people_for(0.5),
                selection.people_for(1.0),
                selection.minimum()
            )?;
        }
        if self.parts.split.cut.person.is_some() {
            let unit = self.parts.unit_name();
            writeln!(
                f,
                "each {unit}  counts in up to {} groups, with up to {} rows in each",
                self.shape.groups,
                self.parts.limits.rows()
            )?;
        }
        for (asked, noise) in question.asked.iter().zip(&self.noise) {
            if let Measure::Quantile { bounds, level } = &asked.measure {
                let drawn = self.price.quantile(*bounds, *level).and_then(|drawn| drawn.ranks());
                let (name, low, high) = (&asked.name, bounds.lower(), bounds.upper());
                write!(
                    f,
                    "{name:14} the exponential mechanism between {low} and {high}, one value of each person"
                )?;
                match drawn {
                    Ok(ranks) => writeln!(f, ", off by up to {ranks:.0} people")?,
                    Err(_) => writeln!(f)?,
                }
                continue;
            }
            write!(f, "{:14} {noise}", asked.name)?;
            match &asked.measure {
                Measure::Quantile { .. } => {}
                Measure::People | Measure::Rows { .. } => {}
                Measure::Total(total) => {
                    let step = total.step();
                    #[allow(clippy::cast_precision_loss, reason = "for people to read")]
                    let [low, high] = [total.person.0, total.person.1].map(|steps| steps as f64 * step);
                    write!(f, ", sums of each person between {low} and {high}")?;
                }
                Measure::Mean { bounds, .. } | Measure::Spread { bounds, .. } => {
                    write!(f, " on rows, values between {} and {}", bounds.lower(), bounds.upper())?;
                }
            }
            if let Ok(zero) = asked.measure.estimate(&[0.0; 3], noise, self.confidence)
                && asked.measure.coordinates() == 1
            {
                write!(f, ", interval ±{:.4}", zero.upper)?;
            }
            writeln!(f)?;
        }
        if self.price.keys.is_none() && self.noise.is_empty() {
            writeln!(f, "nothing but declared keys is asked for")?;
        }
        Ok(())
    }
}
