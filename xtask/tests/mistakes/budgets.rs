//! Budgets that do not suffice, and ledgers that are not what they should be.

use anyhow::{Context, Result};
use dp_accounting::ledger::Receipt;
use dp_accounting::{Account, AdvancedBudget, Budget, Ledger};
use dp_core::{AddRemove, Approx, Bounds, Delta, Measurement, Pure, Query, ReplaceOne, Zcdp};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::{Count, Mean};

use crate::{Mistake, refused};

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    Ok([spent()?, files()?, damage()?].into_iter().flatten().collect())
}

fn spent() -> Result<Vec<Mistake>> {
    let (ages, mut rng) = ([23.0, 35.0, 61.0, 47.0], OsSeeded::new()?);
    let mean =
        Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.7)?)?;
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    budget.spend(&mean, &ages, &mut rng)?;
    let mut tenths = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    let tenth =
        Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.1)?)?;
    for _ in 0..9 {
        tenths.spend(&tenth, &ages, &mut rng)?;
    }
    let adaptive = mean.clone().then(Pure::new(0.1)?, |_: &f64| Ok(mean.clone()));
    Ok(vec![
        refused!("The same release again, when too little is left.", budget.spend(&mean, &ages, &mut rng)),
        refused!("The tenth release at ε = 0.1.", tenths.spend(&tenth, &ages, &mut rng)).advice(
            "0.1 is no float: what it stands for lies a little above, and sums are rounded up. Take `Pure::new(1.0)?.share(ten)`, or spend what is `remaining()`.",
        ),
        refused!("A second step that costs more than was set aside.", adaptive.release(&ages, &mut rng)),
        refused!(
            "More is reserved than there is.",
            AdvancedBudget::<AddRemove>::with_reserve(Approx::new(1.0, 1e-6)?, Delta::new(1e-3)?)
        ),
    ])
}

fn files() -> Result<Vec<Mistake>> {
    Ledger::<Pure, AddRemove>::create("survey.ledger", "survey", &Pure::new(1.0)?)?;
    std::fs::write("ages.csv", "age\n23\n35\n")?;
    Ok(vec![
        refused!("A ledger that does not exist.", Ledger::<Pure, AddRemove>::load("surevy.ledger")),
        refused!(
            "A ledger that exists already.",
            Ledger::<Pure, AddRemove>::create("survey.ledger", "survey", &Pure::new(1.0)?)
        ),
        refused!(
            "A ledger in a folder that does not exist.",
            Ledger::<Pure, AddRemove>::create("2026/survey.ledger", "survey", &Pure::new(1.0)?)
        ),
        refused!("A ledger in another notion.", Ledger::<Zcdp, AddRemove>::load("survey.ledger")),
        refused!("A ledger under another relation.", Ledger::<Pure, ReplaceOne>::load("survey.ledger")),
        refused!("A file that is no ledger.", Ledger::<Pure, AddRemove>::load("ages.csv")),
    ])
}

fn damage() -> Result<Vec<Mistake>> {
    let count = Count::<f64, _, _>::all().with(Laplace::epsilon(0.25)?)?;
    let mut rng = OsSeeded::new()?;
    let mut ledger = Ledger::<Pure, AddRemove>::create("visits.ledger", "visits", &Pure::new(1.0)?)?;
    ledger.note("visits").spend(&count, &[1.0, 2.0], &mut rng)?;
    ledger.note("visits again").spend(&count, &[1.0, 2.0], &mut rng)?;
    let (receipt, text) = (ledger.receipt(), std::fs::read_to_string("visits.ledger")?);

    let too_much = Count::<f64, _, _>::all().with(Laplace::epsilon(0.75)?)?;
    let exhausted =
        refused!("A ledger that is spent.", ledger.note("and more").spend(&too_much, &[1.0, 2.0], &mut rng));

    std::fs::write("edited.ledger", text.replacen("0.25", "0.05", 1))?;
    let struck = |line: &str| {
        line.split(",\"check\"").next().map(|content| format!("{content} <- unfinished, set aside\n"))
    };
    let mut lines = text.lines();
    let header = lines.next().context("the ledger has three lines")?;
    std::fs::write("struck.ledger", format!("{header}\n{}", lines.filter_map(struck).collect::<String>()))?;
    let (first, _) = text.trim_end().rsplit_once('\n').context("the ledger has three lines")?;
    std::fs::write("cut.ledger", format!("{first}\n"))?;
    Ok(vec![
        exhausted,
        refused!(
            "A ledger in which someone changed a cost.",
            Ledger::<Pure, AddRemove>::load("edited.ledger")
        ),
        refused!(
            "A ledger in which someone marked entries as unfinished.",
            Ledger::<Pure, AddRemove>::audit("struck.ledger")
        ),
        refused!(
            "A ledger that has lost its last line.",
            Ledger::<Pure, AddRemove>::load_with_receipt("cut.ledger", &receipt)
        ),
        refused!("A receipt that was cut.", "2:3f0c".parse::<Receipt>()),
        {
            std::fs::rename("visits.ledger", "moved.ledger")?;
            refused!(
                "A ledger that was moved away while it was open.",
                ledger.note("more").spend(&count, &[1.0], &mut rng)
            )
        },
    ])
}
