//! Convex problems, and their certified minimisation.

use dp_core::rounding::Enclosure;
use dp_core::{Error, L2, Norm};

use super::approximate::Accuracy;
use crate::Data;
use crate::arguments::check;
use crate::data::finite;
use crate::loss::ConvexLoss;
use crate::regression::solve::solve;

/// The problem to minimise J(w) = Σ φ(⟨w, xᵢ⟩; yᵢ) + ½nλ‖w‖² over w, for n records, rows xᵢ with an
/// ℓ2 norm of at most B, and a [convex loss](ConvexLoss) φ.
///
/// Longer rows are scaled down, `NaN`s in them are 0 and infinities the largest float, each row by
/// itself. The number of records is public, so neighbours are those of
/// [replace-one](dp_core::ReplaceOne).
///
/// As a [query](dp_core::Query) it answers with the minimiser, for **output perturbation**;
/// [`objective`](Self::objective) makes **objective perturbation**, and
/// [`PureObjectivePerturbation`](crate::PureObjectivePerturbation) does so with δ = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexProblem<L> {
    loss: L,
    records: usize,
    columns: usize,
    row_bound: f64,
    /// nλ as a float, which is what the objective has.
    ridge: f64,
}

/// The largest norm of the gradient at a certified minimiser, relative to the largest gradient of a
/// record.
const TOLERANCE: f64 = 1.0 / 1024.0;

/// Gradients of this many records are added before their sum is added to the others: rounding
/// errors grow with the length of a sum.
pub(super) const BLOCK: usize = 512;

pub(super) const TOO_ROUGH: Error = Error::Unreachable {
    request: "a certified minimum",
    instead: "rounding errors may be too large for so many records and so small a lambda: take a larger lambda, shorter rows, fewer columns or fewer records",
};

impl<L: ConvexLoss> ConvexProblem<L> {
    /// The problem for this number of records and columns, rows of a norm up to B, and a ridge of λ
    /// for each record.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is a record, there are 1 to 4096 columns, and B and λ lie
    /// between 10⁻³⁰ and 10³⁰. [`Error::Unreachable`] when rounding errors might prevent the
    /// certificate: with too many records or columns, or too small a λ.
    pub fn new(loss: L, records: usize, columns: usize, row_bound: f64, lambda: f64) -> Result<Self, Error> {
        let problem = Self::declared(loss, records, columns, row_bound, lambda)?;
        problem.check_rounding()?;
        Ok(problem)
    }

    /// The same, whatever rounding errors are.
    pub(super) fn declared(
        loss: L,
        records: usize,
        columns: usize,
        row_bound: f64,
        lambda: f64,
    ) -> Result<Self, Error> {
        #[allow(clippy::cast_precision_loss)] // for messages, and for products that are rounded anyway
        let (n, p) = (records as f64, columns as f64);
        for (argument, allowed, found, range) in [
            ("records", "[1, ∞)", n, 1.0..=f64::MAX),
            ("columns", "[1, 4096]", p, 1.0..=4096.0),
            ("the longest row", "[1e-30, 1e30]", row_bound, 1e-30..=1e30),
            ("lambda", "[1e-30, 1e30]", lambda, 1e-30..=1e30),
        ] {
            check(argument, allowed, found, range.contains(&found))?;
        }
        Ok(Self { loss, records, columns, row_bound, ridge: n * lambda })
    }

    /// Refuses problems whose rounding errors might exceed the tolerance.
    ///
    /// Iterates have a norm of at most 2L/λ (see `minimise`). So predictions are at most
    /// B times that, with a relative error of (p+2)·2⁻⁵¹, in floats as in enclosures. Slopes are
    /// off by the curvature times that and by a few ulps, and the sum of n slopes by n ulps of nL.
    /// The total must stay below a quarter of the tolerance.
    fn check_rounding(&self) -> Result<(), Error> {
        #[allow(clippy::cast_precision_loss)] // an estimate with a margin
        let (n, p) = (self.records as f64, self.columns as f64);
        let amplified = 8.0 * (p + 2.0) * self.loss.most_curved() * self.row_bound.powi(2) / self.ridge * n;
        if n * (amplified + n + 16.0) * 2f64.powi(-50) <= TOLERANCE / 4.0 {
            return Ok(());
        }
        Err(TOO_ROUGH)
    }

    /// The number of records.
    #[must_use]
    pub const fn records(&self) -> usize {
        self.records
    }

    /// The number of columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// nλ.
    pub(super) const fn ridge(&self) -> f64 {
        self.ridge
    }

    /// The largest norm of a row after scaling: B·(1 + 2⁻⁴⁰), for the rounding of 4096 squares and
    /// products.
    pub(super) fn longest(&self) -> Enclosure {
        Enclosure::point(self.row_bound) * Enclosure::point(1.0 + 2f64.powi(-40))
    }

    /// An upper bound on the norm of a record's gradient.
    pub(super) fn steepest(&self) -> Enclosure {
        self.longest() * Enclosure::point(self.loss.steepest())
    }

    /// An upper bound on a record's second derivative in any direction.
    pub(super) fn most_curved(&self) -> Enclosure {
        self.longest().square() * Enclosure::point(self.loss.most_curved())
    }

    /// The certified bound on the norm of the gradient.
    pub(super) fn tolerance(&self) -> f64 {
        TOLERANCE * self.loss.steepest() * self.row_bound
    }

    /// The loss.
    pub(super) const fn loss(&self) -> &L {
        &self.loss
    }

    /// A point where the gradient of J + ⟨b, w⟩ is as small as was asked for.
    ///
    /// J + ⟨b, w⟩ is nλ-strongly convex, so the point is at most gradient/nλ from the minimiser.
    /// Iterates stay within ‖∇‖/nλ of it, and the gradient falls from at most nL + ‖b‖ at zero.
    ///
    /// Newton's steps are shortened until the gradient falls by a quarter of the promised amount.
    /// Along the Newton direction the gradient falls to first order, so some length succeeds where
    /// the second derivative is continuous. Otherwise a gradient step of 1/(n·curvature + nλ)
    /// follows, which reduces the distance from the minimiser by a fixed factor unless rounding
    /// errors dominate, which [`new`](Self::new) excludes.
    ///
    /// # Errors
    /// [`Error::WrongSize`] and [`Error::LengthMismatch`] when the data do not have the declared,
    /// public shape.
    pub(super) fn minimise(
        &self,
        accuracy: Accuracy,
        data: &Data<L::Target>,
        linear: &[f64],
    ) -> Result<Vec<f64>, Error> {
        if data.len() != self.records {
            return Err(Error::WrongSize { declared: self.records, found: data.len() });
        }
        if data.features().columns() != self.columns {
            let lengths = (data.features().columns(), self.columns);
            return Err(Error::LengthMismatch { arguments: "the columns and the declared ones", lengths });
        }
        let rows: Vec<Vec<f64>> =
            (0..data.len()).map(|row| self.shortened(data.features().row(row))).collect();
        let records = Records { rows: &rows, targets: data.targets(), linear };
        let mut point = vec![0.0; self.columns];
        let mut gradient = self.gradient(&records, &point);
        #[allow(clippy::cast_precision_loss)] // an estimate
        let slow = 1.0 / (self.records as f64 * self.most_curved().hi() + self.ridge);
        loop {
            let (here, most) = (length(&gradient), accuracy.at(&point));
            if here <= 0.5 * most && self.is_certified(&records, &point, most) {
                return Ok(point);
            }
            let newton = self.newton(&records, &point, &gradient, here);
            (point, gradient) = newton.unwrap_or_else(|| {
                let next = moved(&point, &gradient, -slow);
                let gradient = self.gradient(&records, &next);
                (next, gradient)
            });
        }
    }

    /// A step along the Newton direction that reduces the gradient, if there is one.
    fn newton(
        &self,
        records: &Records<'_, L::Target>,
        point: &[f64],
        gradient: &[f64],
        length_here: f64,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let direction = solve(self.hessian(records, point), gradient)?;
        let mut size = 1.0;
        while size > 1e-6 {
            let next = moved(point, &direction, -size);
            let gradient = self.gradient(records, &next);
            if length(&gradient) <= (1.0 - 0.25 * size) * length_here {
                return Some((next, gradient));
            }
            size *= 0.5;
        }
        None
    }

    fn gradient(&self, records: &Records<'_, L::Target>, point: &[f64]) -> Vec<f64> {
        let mut sum: Vec<f64> = point.iter().zip(records.linear).map(|(w, b)| self.ridge * w + b).collect();
        for (rows, targets) in records.rows.chunks(BLOCK).zip(records.targets.chunks(BLOCK)) {
            let mut block = vec![0.0; self.columns];
            for (row, target) in rows.iter().zip(targets) {
                let slope = self.loss.slope(product(row, point), *target);
                block.iter_mut().zip(row).for_each(|(sum, x)| *sum += slope * x);
            }
            sum.iter_mut().zip(block).for_each(|(sum, block)| *sum += block);
        }
        sum
    }

    fn hessian(&self, records: &Records<'_, L::Target>, point: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.columns * self.columns];
        sum.iter_mut().step_by(self.columns + 1).for_each(|entry| *entry = self.ridge);
        for (row, target) in records.rows.iter().zip(records.targets) {
            let curvature = self.loss.curvature(product(row, point), *target);
            for (line, x) in sum.chunks_mut(self.columns).zip(row) {
                line.iter_mut().zip(row).for_each(|(entry, y)| *entry += curvature * x * y);
            }
        }
        sum
    }

    /// Whether the gradient is certainly at most this long.
    fn is_certified(&self, records: &Records<'_, L::Target>, point: &[f64], most: f64) -> bool {
        let times = |a: f64, b: f64| Enclosure::point(a) * Enclosure::point(b);
        let at = point.iter().zip(records.linear);
        let mut sum: Vec<Enclosure> = at.map(|(w, b)| times(self.ridge, *w) + Enclosure::point(*b)).collect();
        for (rows, targets) in records.rows.chunks(BLOCK).zip(records.targets.chunks(BLOCK)) {
            let mut block = vec![Enclosure::ZERO; self.columns];
            for (row, target) in rows.iter().zip(targets) {
                let prediction =
                    row.iter().zip(point).fold(Enclosure::ZERO, |sum, (x, w)| sum + times(*x, *w));
                let slope = self.loss.slope_enclosed(prediction, *target);
                block.iter_mut().zip(row).for_each(|(sum, x)| *sum = *sum + slope * Enclosure::point(*x));
            }
            sum.iter_mut().zip(block).for_each(|(sum, block)| *sum = *sum + block);
        }
        let largest: Vec<f64> = sum.into_iter().map(|x| x.hi().max(-x.lo())).collect();
        L2::of(&largest) <= most
    }

    /// A row with a norm of at most B·(1 + 2⁻⁴⁰).
    pub(super) fn shortened(&self, row: &[f32]) -> Vec<f64> {
        let mut row: Vec<f64> = row.iter().map(|x| f64::from(finite(*x))).collect();
        let length = length(&row);
        if length > self.row_bound {
            row.iter_mut().for_each(|x| *x *= self.row_bound / length);
        }
        row
    }
}

/// The data of the objective.
struct Records<'a, Y> {
    rows: &'a [Vec<f64>],
    targets: &'a [Y],
    linear: &'a [f64],
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

pub(super) fn length(x: &[f64]) -> f64 {
    product(x, x).sqrt()
}

fn moved(point: &[f64], direction: &[f64], by: f64) -> Vec<f64> {
    point.iter().zip(direction).map(|(x, d)| x + by * d).collect()
}
