//! Poisson subsampling.
//!
//! Each record is in a batch with the same probability, independently of other records and other
//! steps. Batches may be empty; such a step adds noise alone.
//!
//! The number of records skipped before the next one in the batch is geometric: k or more with
//! probability e^(−k/b), exactly, for a float b. So the sampling rate is q = 1 − e^(−1/b), which is
//! rarely a float. The accountant gets an upper bound q' of it. This is valid: a step at rate q is
//! a step at rate q' whose batch drops each record with probability 1 − q/q', a Markov kernel that
//! turns the dominating pair of q' into that of q.
//!
//! A batch comes in *groups* (microbatches), whose gradients are summed in single precision and
//! whose sums are added as integers. Each record chooses its group by a random number of its own,
//! so one record more changes the sum of one group and no bit of the others, which
//! [`rounding`](super::rounding) needs. A group takes `capacity` records; any further record is a
//! group of its own.

use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale};
use dp_mechanisms::sample::Geometric;
use rand_core::Rng;

use crate::arguments::{check, count};

/// The usual number of records in a group.
const RECORDS_PER_GROUP: f64 = 128.0;

/// A sampler of Poisson batches.
#[derive(Clone, Debug)]
pub(crate) struct Sampling {
    /// `None` for rate 1.
    gaps: Option<Geometric>,
    rate: f64,
    groups: u32,
    capacity: usize,
}

impl Sampling {
    /// Batches of an expected size of `batch`, from `records` records.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Above`] unless 0 < batch ≤ records, and records is
    /// positive and below 2³⁰.
    pub(crate) fn new(records: usize, batch: f64) -> Result<Self, Error> {
        let (n, fits) = (count(records), (1..MOST_RECORDS).contains(&records));
        check("the number of records", "[1, 2^30)", n, fits)?;
        if batch > n {
            let limit = "the number of records";
            return Err(Error::Above { argument: "the batch", found: batch, limit, most: n });
        }
        check("the batch", "(0, ∞)", batch, batch > 0.0)?;
        let (gaps, rate) = if batch == n {
            (None, 1.0)
        } else {
            let scale = -1.0 / libm::log1p(-batch / n);
            let rate = -(-(Enclosure::ONE / Enclosure::point(scale))).exp_m1();
            (Some(Geometric::new(Scale::new(scale)?)), rate.probability().hi())
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and below 2³⁰")]
        let (groups, capacity) = {
            let groups = libm::ceil(batch / RECORDS_PER_GROUP);
            let mean = batch / groups;
            (groups as u32, libm::ceil(mean + 5.0 * libm::sqrt(mean)) as usize + 8)
        };
        Ok(Self { gaps, rate, groups, capacity })
    }

    /// An upper bound on the sampling rate.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// The largest size of a group.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Draws a batch of the records 0, …, records − 1.
    pub(crate) fn draw<R: Rng + ?Sized>(&self, records: usize, groups: &mut Groups, rng: &mut R) {
        groups.clear(self.groups as usize);
        let mut next = 0;
        loop {
            if let Some(gaps) = &self.gaps {
                next = gaps.draw(rng).saturating_add(next);
            }
            let Some(record) = u32::try_from(next).ok().filter(|record| (*record as usize) < records) else {
                break;
            };
            let group = if self.groups == 1 {
                0
            } else {
                // Any distribution will do; this one is nearly uniform.
                (u64::from(rng.next_u32()) * u64::from(self.groups)) >> 32
            };
            groups.push(usize::try_from(group).expect("below the number of groups"), record, self.capacity);
            next += 1;
        }
    }
}

/// Data sets have fewer records than this.
pub(crate) const MOST_RECORDS: usize = 1 << 30;

/// The groups of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Vec<u32>>,
    beyond: Vec<u32>,
    used: usize,
}

impl Groups {
    fn clear(&mut self, groups: usize) {
        self.groups.resize_with(groups, Vec::new);
        self.groups.iter_mut().for_each(Vec::clear);
        self.beyond.clear();
        self.used = groups;
    }

    fn push(&mut self, group: usize, record: u32, capacity: usize) {
        let group = &mut self.groups[group];
        if group.len() < capacity {
            group.push(record);
        } else {
            self.beyond.push(record);
        }
    }

    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        self.used + self.beyond.len()
    }

    /// The records of a group.
    pub(crate) fn get(&self, i: usize) -> &[u32] {
        match i.checked_sub(self.used) {
            Some(beyond) => &self.beyond[beyond..=beyond],
            None => &self.groups[i],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    fn batch(sampling: &Sampling, records: usize, rng: &mut Insecure) -> Vec<u32> {
        let mut groups = Groups::default();
        sampling.draw(records, &mut groups, rng);
        let mut all: Vec<u32> = (0..groups.len()).flat_map(|i| groups.get(i).to_vec()).collect();
        assert!((0..groups.len()).all(|i| groups.get(i).len() <= sampling.capacity()));
        all.sort_unstable();
        all
    }

    #[test]
    fn each_record_comes_with_the_rate() {
        let sampling = Sampling::new(10, 3.0).unwrap();
        assert!(sampling.rate() >= 0.3 && sampling.rate() < 0.3 + 1e-15);
        let (mut rng, mut counts, mut pairs) = (Insecure::seeded(5), [0_u32; 10], 0_u32);
        for _ in 0..20_000 {
            let batch = batch(&sampling, 10, &mut rng);
            assert!(batch.windows(2).all(|pair| pair[0] < pair[1]));
            for record in &batch {
                counts[*record as usize] += 1;
            }
            pairs += u32::from(batch.contains(&2) && batch.contains(&7));
        }
        // 6000 ± 64.8 each, and 1800 ± 40.5 pairs: six standard deviations, all eleven false alarms
        // together below 3·10⁻⁸.
        assert!(counts.iter().all(|count| count.abs_diff(6000) < 389), "{counts:?}");
        assert!(pairs.abs_diff(1800) < 243, "{pairs}");
    }

    #[test]
    fn full_batches_have_everything_in_groups() {
        let sampling = Sampling::new(1000, 1000.0).unwrap();
        assert_eq!((sampling.rate(), sampling.groups), (1.0, 8));
        let mut rng = Insecure::seeded(1);
        assert!(batch(&sampling, 1000, &mut rng).into_iter().eq(0..1000));
        // More data than were declared: groups overflow into groups of one.
        assert!(batch(&sampling, 3000, &mut rng).into_iter().eq(0..3000));
        assert!(batch(&sampling, 0, &mut rng).is_empty());
    }

    #[test]
    fn sizes_are_checked() {
        for (records, batch) in [(0, 1.0), (10, 0.0), (10, 10.5), (10, f64::NAN), (1 << 30, 5.0)] {
            assert!(Sampling::new(records, batch).is_err(), "{records} {batch}");
        }
    }
}
