//! The moment function along a vertical line, and sums over it.

use core::f64::consts::{FRAC_1_PI, TAU};

use dp_core::rounding::Enclosure;

use super::effort::Effort;
use super::measure::{Measure, Moments, Tilting, log_kappa};
use super::{UNIT, float};

/// What aliases and the cut tail may add, relative to the main term, as a logarithm.
const TOLERANCE: f64 = 24.0;

/// What one term of a value takes, and what one node of a line takes in all the sums over it.
const TERM: f64 = 2.7;
const NODE: f64 = 700.0;
/// What one node takes in one more sum.
const SUM: f64 = 50.0;

/// More nodes than that would take too much memory.
const MOST_NODES: f64 = 500_000.0;

/// Where nodes have to be dense as well as far, fewer are worth it.
const MOST_UNEVEN: f64 = 160_000.0;

/// M(c+iy)/M(c) at y = 0, h, 2h, …, and what is known of all other y and of neighbouring lines.
pub(super) struct Line {
    pub(super) c: f64,
    dither: f64,
    log_moment: Enclosure,
    step: f64,
    values: Vec<Value>,
    /// An upper bound on ln |M(c+iy)/M(c)| beyond the last node.
    log_rest: f64,
    /// c and ln M(c) to the left and to the right.
    neighbours: [(f64, Enclosure); 2],
    /// An upper bound on the total mass, which is the largest δ.
    mass: f64,
    /// c' and ln M₀(c') of a measure that is not integrated, but has to be added.
    beneath: Option<(f64, Enclosure)>,
    /// What may still be done for the answer.
    effort: Effort,
}

/// M(c+iy)/M(c) as e^(i·phase) times a modulus that includes its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) modulus: f64,
    pub(super) phase: f64,
    /// A bound on the error of the value, phase included.
    pub(super) error: f64,
}

/// The sums at one ε, in units of M(c)·e^(−cε).
pub(super) struct Sums {
    /// The profile with its aliases, and a bound on the error.
    profile: f64,
    error: f64,
    /// An upper bound on the density.
    density: f64,
    /// −d ln(profile)/dε.
    pub(super) slope: f64,
}

/// How a line is to be laid.
pub(super) struct Plan<T> {
    tilt: T,
    dither: f64,
    step: f64,
    count: usize,
    log_rest: f64,
    neighbours: [(f64, Enclosure); 2],
    mass: f64,
    effort: Effort,
}

/// What a [pilot](super::side::Side::pilot) has found: where to look first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hint {
    /// What part of the saddle point c was taken.
    part: f64,
    /// How far the neighbours are from c, and how wide a window they took.
    gaps: [f64; 2],
    width: f64,
    reach: f64,
}

/// A window that keeps aliases out, for a tilt.
struct Window {
    width: f64,
    /// −ln of what the rest may be relative to M(c)·e^(−cε).
    wanted: f64,
    neighbours: [(f64, Enclosure); 2],
}

impl Window {
    fn new(side: &impl Measure, at: &Moments, epsilon: f64, dither: f64, hint: Option<Hint>) -> Self {
        let (c, spread) = (at.c, libm::sqrt(at.variance));
        // The main term is near e^(K − cε)/(c(c+1)√(2πK″)), or e^(K − cε)/(c+1) where the spread is
        // below 1/c.
        let wanted = TOLERANCE + libm::log((c + 1.0) * (1.0 + c * 2.5 * spread));
        // No other neighbour would do much better than this.
        let enough =
            hint.map_or(0.0, |hint| 1.1 * hint.width).max(if side.is_even() { 10.0 * spread } else { 0.0 });
        let beside = |sign: f64, longest: f64, hinted: Option<f64>| {
            let mut best = (f64::INFINITY, (c, Enclosure::UNKNOWN));
            let likely = if side.is_even() { 7.0 / (spread + 1e-300) } else { f64::INFINITY };
            let mut gap = hinted.unwrap_or(likely).min(longest);
            for _ in 0..24 {
                let other = c + sign * gap;
                let needed = side.moments(other, dither).map(|there| {
                    let excess = there.log_moment.hi() - at.log_moment.lo() - (other - c) * epsilon
                        + log_kappa(other).hi();
                    ((excess + wanted) / gap, (other, there.log_moment))
                });
                match needed {
                    Some(found) if found.0 < enough => return found,
                    Some(found) if found.0 < best.0 => best = found,
                    Some(_) => break,
                    None => {}
                }
                gap /= 2.0;
            }
            best
        };
        let left = beside(-1.0, 0.75 * c, hint.map(|hint| hint.gaps[0]));
        let right = beside(1.0, 8.0 + c, hint.map(|hint| hint.gaps[1]));
        // To the left δ ≤ 1 bounds the aliases as well.
        let plain = (wanted - (at.log_moment.lo() - c * epsilon)) / c;
        let least = if side.is_even() { (4.0 * spread).max(1.0 / c) } else { 1.0 / c };
        let width = left.0.min(plain).max(right.0).max(least);
        Self { width, wanted, neighbours: [left.1, right.1] }
    }

    /// Whether the right neighbour is much closer than the spread suggests: M rises steeply there,
    /// because improbable losses begin to count. A smaller c makes room, at a price: the sums
    /// cancel more the farther c is from the saddle.
    fn is_crowded(&self, side: &impl Measure, at: &Moments) -> bool {
        let gap = self.neighbours[1].0 - at.c;
        if !side.is_even() {
            return gap < 0.4 * at.c;
        }
        // Many parts make nodes dear, and few of them precision.
        let narrow = if side.parts() > 8 { 0.1 } else { 0.05 };
        gap * libm::sqrt(at.variance) < 2.0 && gap < narrow * at.c
    }
}

impl<T: Tilting> Plan<T> {
    /// A window and a reach that suit the saddle point, or a somewhat smaller c, near ε. Nothing
    /// when no reach does.
    pub(super) fn new(
        side: &impl Measure<Tilted = T>,
        saddle: Moments,
        epsilon: f64,
        dither: f64,
        hint: Option<Hint>,
    ) -> Option<Self> {
        let mut at = saddle;
        if let Some(Hint { part, .. }) = hint
            && part < 1.0
        {
            at = side.moments(part * saddle.c, dither)?;
        }
        let mut window = Window::new(side, &at, epsilon, dither, hint);
        for _ in 0..6 {
            if !window.is_crowded(side, &at) {
                break;
            }
            at = side.moments(0.85 * at.c, dither)?;
            window = Window::new(side, &at, epsilon, dither, None);
        }
        let Window { width, wanted, neighbours } = window;
        if !width.is_finite() {
            return None;
        }
        let (c, spread, step) = (at.c, libm::sqrt(at.variance), TAU / width);
        // Beyond the reach: at most e^log_rest each, falling as 1/y². A longer reach takes finer
        // nodes, which show finer components.
        let likely = hint.map_or_else(|| side.likely_reach(&at, wanted), |hint| 0.8 * hint.reach);
        let mut reach = likely.clamp(2.0 / (spread + 1.0 / c), 1e300);
        if !side.is_even() && reach / step > MOST_UNEVEN {
            return None;
        }
        let mut served = 1.6 * reach;
        let mut tilt = side.tilt(c, served, dither)?;
        // Without a dither there may be no end: not more than a part of what is left.
        let work = |nodes: f64, tilt: &T| nodes * (TERM * tilt.size() + NODE);
        let most = side.effort().left() / if dither > 0.0 { 2.0 } else { 4.0 };
        let log_rest = loop {
            let decay = tilt.log_decay(reach);
            if decay <= -wanted && reach / step <= MOST_NODES {
                break decay;
            }
            reach *= 1.2;
            if reach / step > MOST_NODES || work(reach / step, &tilt) > most {
                return None;
            }
            if reach > served {
                served = 4.0 * reach;
                tilt = side.tilt(c, served, dither)?;
            }
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most MOST_NODES")]
        let count = libm::ceil(reach / step) as usize + 1;
        // What was proven with other components stays true.
        let needed = step * float(count);
        if !side.effort().allows(work(float(count), &tilt)) {
            return None;
        }
        let tilt =
            if needed <= served && served <= 2.0 * needed { tilt } else { side.tilt(c, needed, dither)? };
        let (mass, effort) = (side.mass(), side.effort().clone());
        Some(Self { tilt, dither, step, count, log_rest, neighbours, mass, effort })
    }

    /// What this plan suggests for a composition whose pilot it was made for, with the given saddle
    /// point.
    pub(super) fn hint(&self, saddle: f64) -> Hint {
        let c = self.tilt.moments().c;
        Hint {
            part: c / saddle,
            gaps: self.neighbours.map(|(other, _)| (other - c).abs()),
            width: TAU / self.step,
            reach: self.step * float(self.count),
        }
    }
}

impl Line {
    /// Evaluates the moment function along the line.
    pub(super) fn new(plan: Plan<impl Tilting>) -> Self {
        let Plan { tilt, dither, step, count, log_rest, neighbours, mass, effort } = plan;
        let Moments { c, log_moment, .. } = tilt.moments();
        let values = tilt.values(step, count);
        Self { c, dither, log_moment, step, values, log_rest, neighbours, mass, beneath: None, effort }
    }

    /// The same line where a measure that is not integrated, known by c' and ln M₀(c'), has to be
    /// added.
    pub(super) fn above(self, beneath: (f64, Enclosure)) -> Self {
        Self { beneath: Some(beneath), ..self }
    }

    /// Whether the sums may be taken once more than what was planned for.
    pub(super) fn allows_more(&self) -> bool {
        self.effort.allows(SUM * float(self.values.len()))
    }

    /// Sums over the nodes at ε.
    ///
    /// > δ(ε) + aliases = M(c)·e^(−cε)·(h/2π)·Σ_j Re e^(−iyε)·(M(c+iy)/M(c))/(s(s+1))
    ///
    /// over all j, with s = c + iy and y = jh.
    pub(super) fn sums(&self, epsilon: f64) -> Sums {
        let c = self.c;
        let (mut profile, mut weighted, mut density, mut error, mut density_error) =
            (0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for (j, value) in self.values.iter().enumerate() {
            let y = self.step * float(j);
            let twice = if j == 0 { 1.0 } else { 2.0 };
            let shift = y * epsilon;
            let (sine, cosine) = sincos(value.phase - shift);
            // 1/(s(s+1)) = conj(s(s+1))/|s(s+1)|², s(s+1) = c² + c − y² + iy(2c+1).
            let (re, im) = (c * c + c - y * y, y * (2.0 * c + 1.0));
            let norm = re * re + im * im;
            // Where floats do not hold it, the whole term is error: |s(s+1)| ≥ |s|² ≥ max(c, y)².
            let (kernel_re, kernel_im, kernel, lost) = if norm < f64::INFINITY {
                (re / norm, -im / norm, 1.0 / norm.sqrt(), 0.0)
            } else {
                let largest = c.max(y);
                let most = 1.0 / largest / largest + f64::MIN_POSITIVE;
                (0.0, 0.0, most, most)
            };
            let term = twice * value.modulus * (cosine * kernel_re - sine * kernel_im);
            profile += term;
            // s·F: d/dε brings down −s.
            let imaginary = twice * value.modulus * (cosine * kernel_im + sine * kernel_re);
            weighted += c * term - y * imaginary;
            density += twice * value.modulus * cosine;
            // y, the shift, the difference of the phases and its rest are rounded: 4|shift| +
            // 2|phase| units, and some for sine, cosine and the products.
            let rounding = value.modulus * (4.0 * (shift.abs() + value.phase.abs()) + 32.0) * UNIT;
            error += twice * (kernel * (value.error + rounding) + lost * value.modulus);
            density_error += twice * (value.error + rounding);
        }
        let (count, reach) = (float(self.values.len()), self.step * float(self.values.len() - 1));
        // Recursive summation, and |Re z| ≤ |z| ≤ kernel·modulus.
        let size: f64 = self.values.iter().map(|value| value.modulus).sum::<f64>() * 2.0;
        error += count * UNIT * size / (c * (c + 1.0));
        density_error += count * UNIT * size;
        // Σ_{j>n} 1/y² < 1/(h·y_n), and Σ_{j>n} e^(−g(y²−y_n²)/2) < 1/(h·g·y_n) for the density.
        let rest = libm::exp(self.log_rest);
        error += 2.0 * rest / (self.step * reach);
        density_error += if self.dither > 0.0 { 2.0 * rest / (self.step * self.dither * reach) } else { 0.0 };
        Sums {
            profile,
            error: error * 1.01,
            density: density.max(0.0) + density_error * 1.01,
            slope: weighted / profile,
        }
    }

    /// The profile, roughly: for finding where to look.
    pub(super) fn log_estimate(&self, epsilon: f64, sums: &Sums) -> f64 {
        self.log_moment.hi() - self.c * epsilon + libm::log(sums.profile * self.step * FRAC_1_PI / 2.0)
    }

    /// Encloses δ(ε), infinite losses apart.
    pub(super) fn enclose(&self, epsilon: f64, sums: &Sums) -> Enclosure {
        let point = Enclosure::point;
        let dithered = self.dithered(epsilon, sums);
        // δ ≥ δ_v − v·e^(v/8)·p_v: see the module.
        let dither = point(self.dither);
        let smeared = self.scale(epsilon) * point(sums.density) * dither * (dither * point(0.125)).exp();
        let mut below = (dithered - self.aliases(epsilon) - smeared).lo().max(0.0);
        if self.dither > 1.0 {
            // A wide dither: δ(ε) ≥ δ_v(ε+s) − δ_G(s), and δ_G(v/2 + z√v) ≤ Pr(N > z) ≤ e^(−z²/2).
            let z = libm::sqrt(2.0 * (7.0 - libm::log(dithered.hi().max(1e-300))).max(1.0));
            let shifted = (point(epsilon) + dither * point(0.5) + point(z) * dither.sqrt()).hi();
            let beyond = (-(point(z).square() * point(0.5))).exp();
            let there = self.dithered(shifted, &self.sums(shifted)) - self.aliases(shifted) - beyond;
            below = below.max(there.lo());
        }
        let above =
            self.beneath.map_or(dithered.hi(), |beneath| (dithered + chernoff(beneath, epsilon)).hi());
        Enclosure::new(below, above.clamp(0.0, 1.0).max(below))
    }

    /// Encloses M(c)·e^(−cε)·h/2π.
    fn scale(&self, epsilon: f64) -> Enclosure {
        let unit = (self.log_moment - Enclosure::point(self.c) * Enclosure::point(epsilon)).exp();
        // 1/2π = 0.159154943091895335768…
        unit * Enclosure::point(self.step) * Enclosure::new(0.159_154_943_091_895_3, 0.159_154_943_091_895_36)
    }

    /// Encloses the dithered profile with its aliases.
    fn dithered(&self, epsilon: f64, sums: &Sums) -> Enclosure {
        let main = Enclosure::point(sums.profile) + Enclosure::new(-sums.error, sums.error);
        self.scale(epsilon) * main.max(Enclosure::ZERO)
    }

    /// An upper bound on Σ_{m≠0} e^(cmW)·δ(ε+mW), W = 2π/h.
    fn aliases(&self, epsilon: f64) -> Enclosure {
        let point = Enclosure::point;
        let window = Enclosure::new(TAU.next_down(), TAU.next_up()) / point(self.step);
        // δ(x) ≤ e^(K(c') − c'x)·κ(c') along the neighbouring lines, a geometric series in m.
        let along = |(other, log_moment): (f64, Enclosure)| {
            let gap = point(other.max(self.c)) - point(other.min(self.c));
            let first = chernoff((other, log_moment - gap * window), epsilon);
            first / -(-(gap * window)).exp_m1()
        };
        let plain = point(self.mass) / (point(self.c) * window).exp_m1();
        let left = along(self.neighbours[0]).hi().min(plain.hi());
        let right = along(self.neighbours[1]).hi();
        Enclosure::new(0.0, left.max(0.0)) + Enclosure::new(0.0, right.max(0.0))
    }
}

/// Sine and cosine of an angle that may be huge and has a rounding error in proportion to that:
/// they are those of the rest that whole turns leave, n·2π being rounded once more.
fn sincos(angle: f64) -> (f64, f64) {
    /// 2π less the float that is nearest to it.
    const TAU_REST: f64 = 2.449_293_598_294_706_4e-16;
    if angle.abs() < 1e6 {
        return libm::sincos(angle);
    }
    let turns = libm::round(angle / TAU);
    libm::sincos((angle - turns * TAU) - turns * TAU_REST)
}

/// Encloses κ(c)·M(c)·e^(−cε), an upper bound on the profile, from c and ln M(c).
pub(super) fn chernoff((c, log_moment): (f64, Enclosure), epsilon: f64) -> Enclosure {
    (log_moment + log_kappa(c) - Enclosure::point(c) * Enclosure::point(epsilon)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_far_out_count_what_floats_do_not_hold() {
        let value = Value { modulus: 1.0, phase: 0.0, error: 0.0 };
        for c in [1e80, 1e120, 1e153] {
            let line = Line {
                c,
                dither: 0.0,
                log_moment: Enclosure::ZERO,
                step: 1e200,
                values: vec![value; 2],
                log_rest: -800.0,
                neighbours: [(c, Enclosure::ZERO); 2],
                mass: 1.0,
                beneath: None,
                effort: Effort::new(1e9),
            };
            let Sums { profile, error, .. } = line.sums(0.0);
            let truth = 1.0 / c / c; // the first node; the other one is nothing beside it
            assert!(profile - error <= truth && truth <= profile + error, "{c}: {profile} ± {error}");
        }
    }

    #[test]
    fn huge_angles_are_turned_back_within_a_unit() {
        for angle in [1e6, -1.5e6, 3.3e7, 1.234_567_89e9, -7.7e12, 4.4e15] {
            let ((sine, cosine), (true_sine, true_cosine)) = (sincos(angle), libm::sincos(angle));
            let allowed = 1.01 * angle.abs() * UNIT + 4.0 * UNIT;
            assert!(
                (sine - true_sine).abs() <= allowed && (cosine - true_cosine).abs() <= allowed,
                "{angle}"
            );
        }
    }
}
