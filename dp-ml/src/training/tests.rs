use super::*;
use crate::model::testing::random_data;
use crate::model::{Activation, Linear, MeanModel, Perceptron};
use dp_mechanisms::rng::Insecure;

const NOISE: Privacy = Privacy::Noise { multiplier: 1.0, delta: 1e-5 };

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let data = random_data(30, 700, |i| i % 5);
    // Batches of three groups, and of one that is often empty.
    let train = |threads: usize, batch: f64, private: bool| {
        let settings = Settings::new(700, batch, NOISE)
            .steps(5)
            .threads(threads)
            .optimiser(Optimiser::adam())
            .average(Average::Tail { share: 0.5 });
        let model = Perceptron::new(30, &[400], 5, Activation::Relu).unwrap();
        // A thread has a shard at least, or there would be fewer threads.
        assert!(model.parameters() > 3 * super::shard::COORDINATES);
        let training = Training::new(model, settings).unwrap();
        let mut rng = Insecure::seeded(4);
        if private {
            training.draw(&data, &mut rng).unwrap().parameters().to_vec()
        } else {
            training.without_privacy(&data, &mut rng).unwrap().for_the_owner()
        }
    };
    for batch in [300.0, 0.8] {
        let one = train(1, batch, true);
        for threads in 2..=4 {
            assert_eq!(one, train(threads, batch, true), "{batch} {threads}");
        }
        assert_ne!(one, train(1, batch, false));
    }
}

#[test]
fn a_step_is_the_noised_sum_over_the_expected_batch() {
    // Mean of records at distance 3 from the start, clipped to norm 1, by a single full step of
    // rate 1: each moves it by 1/n.
    let data = Data::new(crate::Matrix::new(50, 2, [3.0, 0.0].repeat(50)).unwrap(), vec![(); 50]).unwrap();
    let privacy = Privacy::Noise { multiplier: 1e-4, delta: 1e-5 };
    let settings = Settings::new(100, 100.0, privacy).steps(1).learning_rate(LearningRate::Constant(1.0));
    let training = Training::new(MeanModel::new(2).unwrap(), settings).unwrap();
    let trained = training.draw(&data, &mut Insecure::seeded(1)).unwrap();
    // 50 records of 100 that were declared; noise of standard deviation 10⁻⁶.
    assert!(
        (trained.parameters()[0] - 0.5).abs() < 1e-5 && trained.parameters()[1].abs() < 1e-5,
        "{trained:?}"
    );
}

/// Records without features, which take no memory.
struct Empty;

impl crate::model::PerExample for Empty {
    type Target = ();

    fn features(&self) -> usize {
        0
    }

    #[allow(clippy::single_range_in_vec_init, reason = "one layer")]
    fn layers(&self) -> Vec<core::ops::Range<usize>> {
        vec![0..1]
    }

    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> {
        vec![0.0]
    }

    fn some_target(&self) {}

    fn loss(&self, _: &[f32], _: &[f32], (): ()) -> f64 {
        0.0
    }

    fn gradient(&self, _: &[f32], _: &[f32], (): (), gradient: &mut [f32]) {
        gradient.fill(0.0);
    }

    fn predict(&self, _: &[f32], features: &crate::Matrix) -> Vec<()> {
        vec![(); features.rows()]
    }
}

/// Under add/remove the number of records is private: an error says that there are too many, and
/// not how many.
#[test]
fn too_many_records_are_not_counted_in_the_message() {
    let training =
        Training::new(crate::model::Materialised::new(Empty), Settings::new(100, 10.0, NOISE).steps(1))
            .unwrap();
    let message = |records: usize| {
        let data = Data::new(crate::Matrix::zeros(records, 0), vec![(); records]).unwrap();
        training.draw(&data, &mut Insecure::seeded(1)).unwrap_err().to_string()
    };
    let (least, more) = (message(1 << 30), message((1 << 30) + 12_345));
    assert_eq!(least, more);
    assert!(least.starts_with("a training on 2^30 records or more is not possible"), "{least}");
}

#[test]
fn noise_has_the_scale_that_is_paid_for() {
    // No data: all that moves parameters is noise, σ·Δ/batch in each of 3000 coordinates.
    let data = Data::new(crate::Matrix::zeros(0, 3000), vec![]).unwrap();
    let settings = Settings::new(100, 10.0, Privacy::Noise { multiplier: 2.0, delta: 1e-5 })
        .steps(1)
        .clip(Clip::Flat { norm: 0.5 })
        .learning_rate(LearningRate::Constant(1.0));
    let training = Training::new(MeanModel::new(3000).unwrap(), settings).unwrap();
    let parameters = training.draw(&data, &mut Insecure::seeded(9)).unwrap().parameters;
    let square: f64 = parameters.iter().map(|p| f64::from(*p).powi(2)).sum::<f64>() / 3000.0;
    let expected = 2.0 * 0.5 * training.report().rounding_factor / 10.0;
    // The root of a mean of 3000 squares is off by 1/√6000 = 1.3 % (one standard deviation); a
    // tenth is 7.7 of them.
    assert!((square.sqrt() / expected - 1.0).abs() < 0.1, "{} {expected}", square.sqrt());
}

#[test]
fn records_that_make_no_sense_contribute_nothing() {
    let good = random_data(4, 60, |i| i % 2);
    let broken = |features: [f32; 4], target: u32| {
        let values = [good.features().values(), &features].concat();
        let targets = [good.targets(), &[target]].concat();
        Data::new(crate::Matrix::new(61, 4, values).unwrap(), targets).unwrap()
    };
    let settings = Settings::new(60, 60.0, NOISE).steps(3).threads(1);
    // ReLU hides numbers that are no numbers from the scores; without it they reach them.
    for hidden in [&[3][..], &[]] {
        let model = Perceptron::new(4, hidden, 2, Activation::Relu).unwrap();
        let training = Training::new(model, settings.clone()).unwrap();
        let train = |data: &Data<u32>| training.draw(data, &mut Insecure::seeded(1)).unwrap();
        let expected = train(&good);
        for (features, target) in
            [([f32::NAN; 4], 0), ([1.0, f32::INFINITY, 0.0, 0.0], 1), ([0.5; 4], 2), ([3e38; 4], 0)]
        {
            let data = broken(features, target);
            assert_eq!(train(&data), expected, "{features:?} {target}");
            assert_eq!(training.check(&good).unwrap().for_the_owner(), 0);
            assert_eq!(training.check(&data).unwrap().for_the_owner(), usize::from(features[0] != 3e38));
        }
    }
}

/// Gradients so long that no weight of full precision shortens them to C: a subnormal weight would
/// be off by a factor of up to two.
#[test]
fn gradients_that_cannot_be_clipped_contribute_nothing() {
    for (x, y) in [(1_585_600.0, -3e38), (4_598_240.0, -3e38), (1e19, 1e19), (1e30, 1.0), (1.0, 3e38)] {
        let training = Training::new(Linear::new(1).unwrap(), Settings::new(1, 1.0, NOISE).steps(1)).unwrap();
        let data = Data::new(crate::Matrix::new(1, 1, vec![x]).unwrap(), vec![y]).unwrap();
        let square_norms = [square_norm(&[x])];
        let model = training.model();
        let (mut workspace, mut norms, mut weights) = (model.workspace(1), [0.0], [0.0]);
        let batch = crate::model::Batch::new(&data, &square_norms, &[0]);
        model.backward(&[0.0, 0.0], batch, &mut workspace, Some(&mut norms));
        training.settings.clip.weigh(1, &norms, &mut weights);
        let mut sum = [0.0; 2];
        model.sum_gradients(&weights, &mut workspace, &mut sum);
        let length = f64::from(sum[0]).hypot(sum[1].into());
        assert!(length <= training.accounting.rounding.sensitivity(), "{x} {y}: {length}");
    }
}

/// Layers that overlap would be counted twice and clipped once.
#[test]
fn layers_follow_each_other() {
    #[derive(Debug)]
    struct Twice;
    impl crate::model::PerExample for Twice {
        type Target = f32;
        fn features(&self) -> usize {
            1
        }
        fn layers(&self) -> Vec<core::ops::Range<usize>> {
            vec![0..2, 0..2]
        }
        fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> {
            vec![0.0; 2]
        }
        fn some_target(&self) -> f32 {
            0.0
        }
        fn loss(&self, _: &[f32], _: &[f32], _: f32) -> f64 {
            0.0
        }
        fn gradient(&self, _: &[f32], _: &[f32], _: f32, gradient: &mut [f32]) {
            gradient.fill(1.0);
        }
        fn predict(&self, _: &[f32], _: &crate::Matrix) -> Vec<f32> {
            Vec::new()
        }
    }
    let model = crate::model::Materialised::new(Twice);
    let message = Training::new(model, Settings::new(10, 1.0, NOISE)).unwrap_err().to_string();
    assert!(message.contains("the end of a layer"), "{message}");
}

#[test]
fn a_linear_model_is_learnt() {
    let mut data = random_data(3, 2000, |_| 0.0_f32);
    let targets = (0..2000).map(|i| {
        let x = data.features().row(i);
        0.5 * x[0] - 0.25 * x[1] + 0.1
    });
    data = Data::new(data.features().clone(), targets.collect()).unwrap();
    let target = Approx::new(4.0, 1e-5).unwrap();
    let settings = Settings::new(2000, 2000.0, Privacy::Target(target))
        .steps(60)
        .learning_rate(LearningRate::Constant(1.0));
    let training = Training::new(Linear::new(3).unwrap(), settings).unwrap();
    let trained = training.draw(&data, &mut Insecure::seeded(2)).unwrap();
    for (found, truth) in trained.parameters().iter().zip([0.5, -0.25, 0.0, 0.1]) {
        assert!((found - truth).abs() < 0.1, "{trained:?}");
    }
    assert_eq!((training.guarantee(), trained.report().steps), (target, 60));
    assert!(trained.report().rounding_factor < 1.02);
}

#[test]
fn divergence_is_an_error() {
    let data = random_data(3, 50, |_| 1.0_f32);
    let settings = Settings::new(50, 50.0, NOISE).steps(30).learning_rate(LearningRate::Constant(1e40));
    let training = Training::new(Linear::new(3).unwrap(), settings).unwrap();
    let error = training.draw(&data, &mut Insecure::seeded(1)).unwrap_err();
    assert!(error.to_string().contains("lower the learning rate"), "{error}");
}

#[test]
fn bad_settings_are_refused_before_anything_is_drawn() {
    let good = || Settings::new(100, 10.0, NOISE);
    let message =
        |settings: Settings| Training::new(Linear::new(2).unwrap(), settings).unwrap_err().to_string();
    assert!(message(good().steps(0)).contains("the number of steps"));
    assert!(message(good().epochs(f64::NAN)).contains("the number of steps"));
    assert!(message(good().steps(u64::MAX)).contains("the number of steps")); // and at once
    assert!(message(good().clip(Clip::Flat { norm: 0.0 })).contains("the clipping norm"));
    assert!(
        message(good().learning_rate(LearningRate::Constant(f64::INFINITY))).contains("the learning rate")
    );
    assert!(message(Settings::new(0, 1.0, NOISE)).contains("the number of records"));
    assert!(message(Settings::new(10, 11.0, NOISE)).contains("the batch"));
    assert!(message(good().weight_decay(-1.0)).contains("the weight decay"));
    let none = Privacy::Noise { multiplier: 0.0, delta: 1e-5 };
    assert!(message(Settings::new(10, 1.0, none)).contains("noise multiplier"));
    let training = Training::new(Linear::new(2).unwrap(), good()).unwrap();
    let wide = random_data(3, 5, |_| 0.0_f32);
    assert!(training.draw(&wide, &mut Insecure::seeded(1)).unwrap_err().to_string().contains("have 3 and 2"));
}

/// A training that is stopped after some steps and resumed ends where it would have ended.
#[test]
fn resuming_is_as_if_nothing_had_happened() {
    let folder = std::env::temp_dir().join(format!("dp-ml-checkpoint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, copy) = (folder.join("training"), folder.join("copy"));
    let data = random_data(30, 400, |i| i % 5);
    let with = |rate: LearningRate, activation: Activation| {
        let settings = Settings::new(400, 200.0, NOISE)
            .steps(9)
            .threads(2)
            .learning_rate(rate)
            .optimiser(Optimiser::adam())
            .average(Average::Exponential { decay: 0.5 });
        Training::new(Perceptron::new(30, &[200], 5, activation).unwrap(), settings).unwrap()
    };
    let training =
        |rate: f64| with(LearningRate::Function(std::sync::Arc::new(move |_, _| rate)), Activation::Relu);
    let expected = training(0.1).draw(&data, &mut Insecure::seeded(3)).unwrap();
    // The file after four steps is what a crash in the sixth step leaves.
    let (from, to) = (path.clone(), copy.clone());
    let observed = training(0.1).checkpoint(&path, 2).observed_by(move |progress| {
        // The other thread goes ahead as far as it can before the checkpoint is written.
        std::thread::sleep(std::time::Duration::from_millis(5));
        if progress.step() == 5 {
            std::fs::copy(&from, &to).unwrap();
        }
    });
    assert_eq!(observed.draw(&data, &mut Insecure::seeded(3)).unwrap(), expected);
    let saved = Checkpoint::read(&copy).unwrap().into_parts();
    assert_eq!(saved.0.steps(), 4);
    for file in [&copy, &path] {
        assert_eq!(training(0.1).checkpoint(file, 3).resume(&data).unwrap(), expected);
    }
    let other = random_data(30, 401, |i| i % 5);
    let foreign = |result: Result<Trained, Error>| result.unwrap_err().to_string();
    assert!(foreign(training(0.1).checkpoint(&copy, 3).resume(&other)).contains("other data"));
    assert!(foreign(training(0.2).checkpoint(&copy, 3).resume(&data)).contains("other settings"));
    let relabelled = data.clone().map_targets(|class| (class + 1) % 5);
    assert!(foreign(training(0.1).checkpoint(&copy, 3).resume(&relabelled)).contains("other data"));
    let same_rate = LearningRate::Function(std::sync::Arc::new(|_, _| 0.1));
    assert!(
        foreign(with(same_rate, Activation::Tanh).checkpoint(&copy, 3).resume(&data))
            .contains("another model")
    );
    assert!(foreign(training(0.1).resume(&data)).contains("check the path"));
    std::fs::write(&copy, "{}").unwrap();
    assert!(foreign(training(0.1).checkpoint(&copy, 3).resume(&data)).contains("check the path"));
    let nowhere = training(0.1).checkpoint(folder.join("no/such/folder"), 3);
    assert!(foreign(nowhere.draw(&data, &mut Insecure::seeded(3))).contains("a folder that exists"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn progress_tells_what_was_spent() {
    let data = random_data(3, 50, |_| 1.0_f32);
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = seen.clone();
    let settings = Settings::new(50, 5.0, NOISE).steps(4);
    let training = Training::new(Linear::new(3).unwrap(), settings)
        .unwrap()
        .observed_by(move |progress| list.lock().unwrap().push((progress.step(), progress.spent())));
    training.draw(&data, &mut Insecure::seeded(1)).unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.iter().map(|(step, _)| *step).eq(1..=4));
    assert!(seen.windows(2).all(|pair| pair[0].1.epsilon() < pair[1].1.epsilon()));
    assert_eq!(seen[3].1, training.guarantee());
}

/// A model that panics on some thread does not leave the others waiting.
#[test]
fn panics_of_a_model_come_through() {
    struct Broken;
    impl crate::model::PerExample for Broken {
        type Target = u32;
        fn features(&self) -> usize {
            1
        }
        fn layers(&self) -> Vec<core::ops::Range<usize>> {
            vec![0..2, 2..3]
        }
        fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> {
            vec![0.0; 3]
        }
        fn some_target(&self) -> u32 {
            0
        }
        fn loss(&self, _: &[f32], _: &[f32], _: u32) -> f64 {
            0.0
        }
        fn gradient(&self, _: &[f32], _: &[f32], target: u32, gradient: &mut [f32]) {
            assert!(target == 0, "the model is broken");
            gradient.fill(1.0);
        }
        fn predict(&self, _: &[f32], _: &crate::Matrix) -> Vec<u32> {
            Vec::new()
        }
    }
    let data = random_data(1, 500, |i| i / 499);
    let settings = Settings::new(500, 500.0, NOISE).steps(3).threads(2);
    let training = Training::new(crate::model::Materialised::new(Broken), settings).unwrap();
    let run = std::panic::AssertUnwindSafe(|| training.draw(&data, &mut Insecure::seeded(1)));
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn panics_of_observers_and_rates_come_through() {
    let data = random_data(30, 400, |i| i % 5);
    let settings =
        |rate: LearningRate| Settings::new(400, 200.0, NOISE).steps(9).threads(2).learning_rate(rate);
    let network = || Perceptron::new(30, &[400], 5, Activation::Relu).unwrap();
    let observed = Training::new(network(), settings(LearningRate::Constant(0.1))).unwrap();
    let observed = observed.observed_by(|progress| assert!(progress.step() < 3, "the pipe is broken"));
    // A rate that breaks for one thread: it is asked once for each shard, and before the first
    // step, too.
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let count = asked.clone();
    let rate = LearningRate::Function(std::sync::Arc::new(move |_, _| {
        assert_ne!(count.fetch_add(1, std::sync::atomic::Ordering::Relaxed), 30, "the rate is broken");
        0.1
    }));
    let rated = Training::new(network(), settings(rate)).unwrap();
    for training in [observed, rated] {
        let run = std::panic::AssertUnwindSafe(|| training.draw(&data, &mut Insecure::seeded(1)));
        assert!(std::panic::catch_unwind(run).is_err());
    }
    assert!(asked.load(std::sync::atomic::Ordering::Relaxed) > 30);
}

/// Results for a seed stay what they are, to the last bit. (Models with dense kernels round by the
/// processor; this one does not.)
#[test]
fn results_for_a_seed_are_pinned() {
    let data = random_data(3, 200, |_| ());
    let settings = Settings::new(200, 50.0, NOISE)
        .steps(9)
        .threads(1)
        .clip(Clip::Normalised { norm: 0.5, stability: 0.01 })
        .learning_rate(LearningRate::Power { initial: 0.5, rho: 0.5 })
        .optimiser(Optimiser::Momentum { beta: 0.5 })
        .average(Average::Exponential { decay: 0.5 });
    let training = Training::new(MeanModel::new(3).unwrap(), settings).unwrap();
    let trained = training.draw(&data, &mut Insecure::seeded(7)).unwrap();
    let bits: Vec<u32> = trained.parameters().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [0x3cd8_1e52, 0xbda3_f3ce, 0xbdc1_82f6]);
    assert_eq!(trained.report().guarantee.epsilon().get(), 5.722_107_638_232_969);
}

#[test]
fn temporary_pin_of_kernels() {
    let data = random_data(3, 200, |i| i % 2);
    let rate = LearningRate::Cosine { initial: 4.0, last: 1.0 };
    let settings = Settings::new(200, 50.0, NOISE).steps(9).threads(2).learning_rate(rate);
    let training = Training::new(crate::model::Logistic::new(3).unwrap(), settings).unwrap();
    let trained = training.draw(&data, &mut Insecure::seeded(8)).unwrap();
    let bits: Vec<u32> = trained.parameters().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [0xbe5d_b362, 0x3ea7_f4f8, 0xbe90_cd0f, 0xbe02_d2e5]);
}
