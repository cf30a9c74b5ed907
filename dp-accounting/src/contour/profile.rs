//! The profile of a measure in one or several pieces, each integrated along a line of its own.

use dp_core::rounding::Enclosure;

use super::line::Line;

/// What lines are planned for: this many steps towards a root.
const PLANNED: u32 = 10;

/// δ(ε) as a sum over lines, infinite losses apart.
pub(super) struct Profile {
    lines: Vec<Line>,
}

impl Profile {
    /// All of it along one line.
    pub(super) fn of(line: Line) -> Self {
        Self { lines: vec![line] }
    }

    /// A piece more.
    pub(super) fn and(mut self, line: Line) -> Self {
        self.lines.push(line);
        self
    }

    /// Encloses δ(ε).
    pub(super) fn enclose(&self, epsilon: f64) -> Enclosure {
        let pieces = self.lines.iter().map(|line| line.enclose(epsilon, &line.sums(epsilon)));
        pieces.fold(Enclosure::ZERO, |sum, piece| sum + piece).probability()
    }

    /// Encloses the smallest ε ≥ 0 at which the profile is at most `least` (for sure) and `most`
    /// (perhaps). It is known to lie `within`.
    pub(super) fn epsilon(&self, least: f64, most: f64, guess: f64, within: Enclosure) -> Enclosure {
        if within.lo() == 0.0 && self.enclose(0.0).hi() <= least {
            return Enclosure::ZERO;
        }
        let root = self.root(least, guess, within);
        let (at_root, slope) = (self.enclose(root), self.estimate(root).1.max(1e-3 * self.lines[0].c));
        if at_root.hi() > 1e6 * least {
            return within; // these lines cannot see so small a δ
        }
        // From the error at the root to a margin in ε, doubled until it suffices.
        let margin = |excess: f64| (1.1 * excess.clamp(0.0, 1.0) / slope).max(4.0 * f64::EPSILON * root);
        let mut above = f64::INFINITY;
        let mut away = if at_root.hi() <= least { 0.0 } else { margin(at_root.hi() / least - 1.0) };
        while root + away < within.hi() && self.allows_more() {
            if self.enclose(root + away).hi() <= least {
                above = root + away;
                break;
            }
            away = (2.0 * away).max(f64::MIN_POSITIVE);
        }
        let mut below = 0.0;
        let mut away = margin(1.0 - at_root.lo() / most);
        while root - away > within.lo() && self.allows_more() {
            if self.enclose(root - away).lo() > most {
                below = root - away;
                break;
            }
            away = (2.0 * away).max(f64::MIN_POSITIVE);
        }
        Enclosure::new(below.min(above), above)
    }

    /// Whether the sums over all lines may be taken once more than planned.
    fn allows_more(&self) -> bool {
        self.lines.iter().all(Line::allows_more)
    }

    /// About where the profile passes `target`: Newton's method on its logarithm, kept within a
    /// bracket.
    fn root(&self, target: f64, guess: f64, within: Enclosure) -> f64 {
        let (mut low, mut high) = (within.lo(), within.hi());
        let mut root = guess.clamp(low, high);
        for step in 0..60 {
            if step > PLANNED && !self.allows_more() {
                break;
            }
            let (log, slope) = self.estimate(root);
            let excess = log - libm::log(target);
            // Noise where the profile is too small for these lines: below the target.
            if excess > 0.0 {
                low = root;
            } else {
                high = root;
            }
            let change = excess / slope;
            let next = root + change;
            let next =
                if change.is_finite() && low < next && next < high { next } else { low + (high - low) / 2.0 };
            let moved = (next - root).abs();
            root = next;
            if moved <= 1e-13 * root || high <= 0.0 {
                break;
            }
        }
        root
    }

    /// About ln δ(ε), and by how much it falls per ε.
    fn estimate(&self, epsilon: f64) -> (f64, f64) {
        if let [line] = self.lines.as_slice() {
            let sums = line.sums(epsilon);
            return (line.log_estimate(epsilon, &sums), sums.slope);
        }
        let (mut total, mut falling) = (0.0, 0.0);
        for line in &self.lines {
            let sums = line.sums(epsilon);
            // What is lost in noise is not a number: it counts as nothing.
            let piece = libm::exp(line.log_estimate(epsilon, &sums)).max(0.0);
            total += piece;
            falling += piece * if piece > 0.0 { sums.slope } else { 0.0 };
        }
        (libm::log(total), falling / total)
    }
}
