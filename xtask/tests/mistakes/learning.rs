//! Files that cannot be read, and trainings that cannot be begun.

use anyhow::Result;
use dp_core::{Approx, Measurement};
use dp_mechanisms::rng::OsSeeded;
use dp_ml::model::{Logistic, Perceptron};
use dp_ml::training::{Clip, LearningRate, Plan, Privacy, Settings, Training};
use dp_ml::{Column, Csv, Data, Idx, Matrix, OnBadCell};

use crate::{Mistake, refused};

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    Ok([tables()?, images()?, trainings()?, checkpoints()?].into_iter().flatten().collect())
}

fn tables() -> Result<Vec<Mistake>> {
    let columns = [Column::number("age")];
    std::fs::write("incomes.csv", "age,income\n23,1.5\nold,2.5\n")?;
    Ok(vec![
        refused!("A file that does not exist.", Csv::open("aegs.csv", OnBadCell::Refuse)),
        refused!(
            "A cell of a file that is no number.",
            Data::regression(&Csv::open("incomes.csv", OnBadCell::Refuse)?, &columns, "income")
        ),
        refused!("An empty file.", Csv::parse("", OnBadCell::Refuse)),
        refused!(
            "A row with a cell too many: a decimal comma, perhaps.",
            Csv::parse("age,income\n23,1,5\n", OnBadCell::Refuse)
        ),
        refused!("A row with a cell too few.", Csv::parse("age,income\n23,1.5\n35\n", OnBadCell::Refuse)),
        refused!("Another separator.", Csv::parse("age;income\n23;1,5\n", OnBadCell::Refuse)),
        refused!(
            "A quotation mark that is not closed.",
            Csv::parse("name,age\n\"Ada,23\n", OnBadCell::Refuse)
        ),
        refused!(
            "A last line that is not ended, in a table for releases.",
            Csv::parse("age\n23\n35", OnBadCell::Missing)
        ),
        refused!("Two columns of one name.", Csv::parse("age,age\n23,35\n", OnBadCell::Refuse)),
        refused!(
            "A column that is not there.",
            Data::regression(&Csv::parse("Age,income\n23,1.5\n", OnBadCell::Refuse)?, &columns, "income")
        ),
        refused!(
            "A missing value.",
            Data::regression(&Csv::parse("age,income\n,1.5\n", OnBadCell::Refuse)?, &columns, "income")
        ),
        refused!(
            "NaN in a cell.",
            Data::regression(&Csv::parse("age,income\nNaN,1.5\n", OnBadCell::Refuse)?, &columns, "income")
        ),
        refused!(
            "A word in a column of numbers.",
            Data::regression(&Csv::parse("age,income\nold,1.5\n", OnBadCell::Refuse)?, &columns, "income")
        ),
        refused!(
            "A class that was not declared.",
            Data::classification(
                &Csv::parse("age,smokes\n23,no\n35,maybe\n", OnBadCell::Refuse)?,
                &columns,
                "smokes",
                &["no", "yes"]
            )
        ),
        refused!(
            "Classes that are declared twice.",
            Data::classification(
                &Csv::parse("age,smokes\n", OnBadCell::Refuse)?,
                &columns,
                "smokes",
                &["no", "no"]
            )
        ),
    ])
}

fn images() -> Result<Vec<Mistake>> {
    let images = Idx::parse(&[0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 255])?;
    let [seven, two] =
        [Idx::parse(&[0, 0, 8, 1, 0, 0, 0, 1, 7])?, Idx::parse(&[0, 0, 8, 1, 0, 0, 0, 2, 1, 1])?];
    Ok(vec![
        refused!("A file that is no IDX file.", Idx::parse(b"age,income\n")),
        refused!("A file that was not fetched to its end.", Idx::parse(&[0, 0, 8, 1, 0, 0, 0, 3, 7, 2])),
        refused!("More labels than images.", images.labelled(&two, 10)),
        refused!("Labels and images exchanged.", seven.labelled(&images, 10)),
        refused!("A label beyond the classes.", images.labelled(&seven, 2)),
        refused!("Features that fill no rows.", Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0])),
        refused!("More targets than rows.", Data::new(Matrix::new(1, 2, vec![1.0, 2.0])?, vec![0u32, 1])),
    ])
}

fn trainings() -> Result<Vec<Mistake>> {
    let target = Privacy::Target(Approx::new(1.0, 1e-5)?);
    let settings = Settings::new(1000, 100.0, target);
    let model = || Logistic::new(2);
    let narrow = Data::new(Matrix::new(2, 1, vec![0.5, -0.5])?, vec![1u32, 0])?;
    let training = Training::new(model()?, settings.clone())?;
    let mut rng = OsSeeded::new()?;
    Ok(vec![
        refused!(
            "A batch larger than the data.",
            Training::new(model()?, Settings::new(1000, 2000.0, target))
        ),
        refused!("No batch.", Training::new(model()?, Settings::new(1000, 0.0, target).steps(10))),
        refused!("A training on no records.", Training::new(model()?, Settings::new(0, 100.0, target))),
        refused!("No steps.", Training::new(model()?, settings.clone().steps(0))),
        refused!(
            "A clipping norm of zero.",
            Training::new(model()?, settings.clone().clip(Clip::Flat { norm: 0.0 }))
        ),
        refused!(
            "A learning rate that is not a number.",
            Training::new(model()?, settings.clone().learning_rate(LearningRate::Constant(f64::NAN)))
        ),
        refused!(
            "A training with δ = 0.",
            Training::new(model()?, Settings::new(1000, 100.0, Privacy::Target(Approx::new(1.0, 0.0)?)))
        ),
        refused!(
            "Noise of zero.",
            Training::new(
                model()?,
                Settings::new(1000, 100.0, Privacy::Noise { multiplier: 0.0, delta: 1e-5 })
            )
        ),
        refused!("Data with another number of features than the model.", training.release(&narrow, &mut rng)),
        refused!("A network for one class.", Perceptron::softmax(2, 1)),
        refused!("A plan for one class.", Plan::for_classes(1000, 1, Approx::new(1.0, 1e-5)?)),
    ])
}

fn checkpoints() -> Result<Vec<Mistake>> {
    let settings = Settings::new(4, 4.0, Privacy::Target(Approx::new(1.0, 1e-5)?)).steps(2);
    let data = Data::new(Matrix::new(4, 1, vec![0.5, -0.5, 1.0, -1.0])?, vec![1u32, 0, 1, 0])?;
    let training = |steps| {
        Ok::<_, dp_core::Error>(
            Training::new(Logistic::new(1)?, settings.clone().steps(steps))?.checkpoint("training.json", 1),
        )
    };
    training(2)?.release(&data, &mut OsSeeded::new()?)?;
    let (longer, lost) = (training(3)?, training(2)?.checkpoint("lost.json", 1));
    let nowhere = training(2)?.checkpoint("no-such-folder/training.json", 1);
    let mut rng = OsSeeded::new()?;
    Ok(vec![
        refused!("The checkpoint of another training.", longer.resume(&data)),
        refused!("A checkpoint that is not there.", lost.resume(&data)),
        refused!("A checkpoint in a folder that is not there.", nowhere.release(&data, &mut rng)),
    ])
}
