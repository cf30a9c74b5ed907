//! What looks like a mistake and is taken, on purpose.

use anyhow::Result;
use dp_core::{AddRemove, Approx, Bounds, L1, Measurement, Mechanism, Query, Scale, Sensitivity};
use dp_mechanisms::{BoundedLaplace, Laplace};
use dp_ml::model::Logistic;
use dp_ml::training::{Privacy, Settings, Training};
use dp_ml::{Csv, Data, Matrix, OnBadCell};
use dp_sensitivity::Mean;

use crate::{Mistake, taken};

pub(crate) fn all() -> Result<Vec<Mistake>> {
    let ages = Bounds::new(0.0, 110.0)?;
    let noise = BoundedLaplace::with_scale(Scale::new(100.0)?, ages);
    let apart = |far: f64| Sensitivity::<L1, AddRemove>::new(far);
    let settings = Settings::new(1000, 100.0, Privacy::Target(Approx::new(1.0, 1e-5)?));
    let training = Training::new(Logistic::new(1)?, settings)?;
    let data = Data::new(Matrix::new(3, 1, vec![0.5, -0.5, f32::NAN])?, vec![1u32, 7, 0])?;
    Ok(vec![
        taken!("A record beyond the bounds counts as the nearest one within.", ages.clamp(1e300)),
        taken!("A record that is not a number counts as the middle.", ages.clamp(f64::NAN)),
        taken!(
            "A table with a header only has no rows: how many there are is private.",
            Csv::parse("age,income\n", OnBadCell::Missing)?.len()
        ),
        taken!(
            "A label that the model does not know, and a row that is not finite, contribute nothing to a training. `check` counts them, for the owner.",
            training.check(&data)?.for_the_owner()
        ),
        taken!(
            "A sensitivity wider than the bounds of a release counts as their width.",
            noise.guarantee(apart(200.0)?) == noise.guarantee(apart(110.0)?)
        ),
        taken!(
            "A large ε is stated as what it is: a guarantee that hardly guarantees.",
            Mean::new(ages).under_replace_one(4)?.with(Laplace::epsilon(50.0)?)?.guarantee()
        ),
    ])
}
