//! Per-instance privacy.

use dp_core::rounding::{div_up, sub_down, sub_up};
use dp_core::{AddRemove, Error, FiniteVec, Gdp, L2, Mu, Norm, Query};
use dp_mechanisms::Gaussian;
use dp_sensitivity::Exploratory;

use crate::{ConvexLoss, ConvexProblem, Data};

/// The privacy loss of each record, given all others, of an answer that is released with Gaussian
/// noise on each coordinate: per-instance privacy (Wang 2019).
///
/// A guarantee covers the worst record of the worst data set. For *these* data and record i, the
/// output distributions with and without it are Gaussians ‖f(x) − f(x without i)‖₂ apart, so the
/// loss is exactly μᵢ-GDP with μᵢ = that distance/σ, often far below the guarantee. `at_delta`
/// converts it to (ε,δ).
///
/// **The losses are not private**: they are computed from the records without noise, for their
/// owner alone. They are no guarantee, and must not decide how much noise is used.
///
/// The query is answered once for each record, on the data without it.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::Gaussian;
/// use dp_ml::{Example, LinearRegression, instance_losses};
///
/// let data = [Example::new(vec![1.0, 0.0], 0.1), Example::new(vec![0.1, 0.1], 0.5)];
/// let gram = LinearRegression::new(2, 1.0, 1.0)?.gram();
/// let noise = Gaussian::with_scale(Scale::new(2.0)?);
/// let losses = instance_losses(&gram, &noise, &data)?.for_the_owner();
/// assert!((losses[0].mu().get() - 0.5).abs() < 1e-3 && losses[1].mu().get() < 0.011);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// # Errors
/// Those of the query.
pub fn instance_losses<T: Clone, Q>(
    query: &Q,
    noise: &Gaussian,
    data: &[T],
) -> Result<Exploratory<Vec<Gdp>>, Error>
where
    Q: Query<Data = [T], Answer = FiniteVec, Adjacency = AddRemove>,
{
    let all = query.answer(data)?;
    let loss =
        |i: usize| Ok::<_, Error>(apart(&all, &query.answer(&[&data[..i], &data[i + 1..]].concat())?, noise));
    Ok(Exploratory::new((0..data.len()).map(loss).collect::<Result<_, _>>()?))
}

impl<L: ConvexLoss> ConvexProblem<L> {
    /// The privacy loss of each record in output perturbation with Gaussian noise, as in
    /// [`instance_losses`]: each record is replaced by one without features, which adds nothing to
    /// the objective.
    ///
    /// The problem is solved once for each record.
    ///
    /// # Errors
    /// When the data do not have the declared shape.
    pub fn instance_losses(
        &self,
        noise: &Gaussian,
        data: &Data<L::Target>,
    ) -> Result<Exploratory<Vec<Gdp>>, Error> {
        let all = self.answer(data)?;
        let loss = |i: usize| {
            let mut features = data.features().clone();
            features.row_mut(i).fill(0.0);
            let without = Data::new(features, data.targets().to_vec())?;
            Ok::<_, Error>(apart(&all, &self.answer(&without)?, noise))
        };
        Ok(Exploratory::new((0..data.len()).map(loss).collect::<Result<_, _>>()?))
    }
}

/// The distance of two answers in units of σ, rounded up.
fn apart(x: &[f64], y: &[f64], noise: &Gaussian) -> Gdp {
    let largest = |(a, b): (&f64, &f64)| sub_up(*a, *b).max(-sub_down(*a, *b));
    let difference: Vec<f64> = x.iter().zip(y).map(largest).collect();
    Mu::saturating(div_up(L2::of(&difference), noise.scale().get())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogisticLoss, Matrix};
    use dp_core::{Guarantee, Mechanism, Scale, SensitivityIn};
    use dp_mechanisms::Vector;

    #[test]
    fn the_guarantee_covers_every_record_and_more() {
        let noise = Gaussian::with_scale(Scale::new(0.5).unwrap());
        let rows = Matrix::new(4, 2, vec![1.0, 0.0, 0.0, 0.01, 0.6, -0.8, 0.0, 0.0]).unwrap();
        let data = Data::new(rows, vec![1, 0, 0, 1]).unwrap();
        let problem = ConvexProblem::new(LogisticLoss, 4, 2, 1.0, 0.1).unwrap();
        let losses = problem.instance_losses(&noise, &data).unwrap().for_the_owner();
        let guarantee = Vector::new(noise).guarantee(SensitivityIn::<L2>::sensitivity(&problem));
        assert!(losses.iter().all(|loss| loss.is_at_most(&guarantee)));
        // The first is unlike all others, the second hardly counts, and the last does not.
        assert!(
            losses[0].mu().get() > 20.0 * losses[1].mu().get() && losses[3].mu().get() == 0.0,
            "{losses:?}"
        );
    }
}
