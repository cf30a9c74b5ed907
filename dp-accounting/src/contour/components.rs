//! How fast a moment function falls off, from uniform pieces of the law.

/// Uniform laws that a tilted law of losses contains.
///
/// A law that contains the uniform law on an interval of width w with weight β has |E e^(iyL)| ≤ 1
/// − β(1 − |sin u|/|u|), u = yw/2, and the parts of a mixture add up. Every density is a mixture of
/// uniform laws: cut it at some heights, and each slice is uniform on the intervals where the
/// density is at least as high. That needs lower bounds on a density and nothing else, and bounds
/// *all* y beyond a point, which no number of evaluations does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    /// Half the width of each interval, and its weight.
    pieces: Vec<(f64, f64)>,
}

/// Heights at which a density is cut, as parts of the largest.
const HEIGHTS: u8 = 40;
/// Beside these, halves of the lowest one: for humps that are low and wide.
const HALVINGS: u8 = 8;

impl Components {
    /// The pieces of a density that is at least `densities[i]` between `edges[i]` and `edges[i+1]`;
    /// the edges rise.
    pub(crate) fn new(edges: &[f64], densities: &[f64]) -> Self {
        debug_assert!(edges.len() == densities.len() + 1);
        let top = densities.iter().copied().fold(0.0, f64::max);
        let lowest = top / f64::from(HEIGHTS);
        let low = (1..=HALVINGS).rev().map(|k| lowest * libm::exp2(-f64::from(k)));
        let heights = low.chain((1..=HEIGHTS).map(|k| lowest * f64::from(k)));
        let (mut pieces, mut below) = (Vec::new(), 0.0);
        // All that is higher lies between these.
        let (mut left, mut right) = (0, densities.len());
        for height in heights {
            let mut start = None;
            let (from, to) = (left, right);
            (left, right) = (to, from);
            for i in from..=to {
                let high = i < to && densities[i] >= height;
                match start {
                    None if high => start = Some(i),
                    Some(first) if !high => {
                        let width: f64 = edges[i] - edges[first];
                        pieces.push((width / 2.0, (height - below) * width));
                        (left, right) = (left.min(first), i);
                        start = None;
                    }
                    _ => {}
                }
            }
            below = height;
        }
        Self { pieces }
    }

    /// Uniform laws by their widths and weights.
    pub(crate) fn of(pieces: impl Iterator<Item = (f64, f64)>) -> Self {
        Self { pieces: pieces.map(|(width, weight)| (width / 2.0, weight)).collect() }
    }

    /// An upper bound on ln |M(c+iy)/M(c)| for all y from `reach` on.
    pub(crate) fn log_decay(&self, reach: f64) -> f64 {
        let gained: f64 = self.pieces.iter().map(|(half, weight)| weight * gain(reach * half)).sum();
        // A part in a thousand covers the rounding of the sums.
        libm::log1p(-(gained * 0.999).min(0.999))
    }
}

/// A lower bound on 1 − |sin t|/t for all t ≥ u.
///
/// Up to u = 2.5 the quotient falls and 1 − sin u/u ≥ u²/6 − u⁴/120; from there on |sin t|/t is at
/// most 1/t, and at most its value 0.24 at 2.5, since its later crests are lower (0.217 is the
/// first).
fn gain(u: f64) -> f64 {
    if u <= 2.5 { u * u / 6.0 - u * u * u * u / 120.0 } else { (1.0 - 1.0 / u).max(0.716) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_a_lower_bound_for_all_later_waves() {
        for k in 1..4000 {
            let u = f64::from(k) * 0.005;
            let least = (0..20_000)
                .map(|j| u + f64::from(j) * 0.005)
                .map(|t| 1.0 - t.sin().abs() / t)
                .fold(1.0, f64::min);
            assert!(gain(u) <= least + 1e-12, "{u}: {} {least}", gain(u));
        }
    }

    #[test]
    fn a_uniform_law_is_known_exactly_and_a_part_of_it_partly() {
        let uniform = Components::new(&[-1.0, 0.0, 1.0], &[0.5, 0.5]);
        for reach in [0.1f64, 1.0, 3.0, 50.0] {
            let truth: f64 = (reach.sin() / reach).abs().ln();
            assert!(uniform.log_decay(reach) >= truth - 1e-3 || reach > 3.0);
            assert!(uniform.log_decay(reach) < -0.9 * 0.16 * reach.min(1.0) * reach.min(1.0));
        }
        assert_eq!(Components::default().log_decay(5.0), 0.0);
    }
}
