//! Every route from a query to a private answer, side by side.
//!
//! Whether smooth noise, a proposed bound or plain noise by the global sensitivity is the most
//! accurate depends on the data (claim S19), so it has to be seen. A comparison is made from the
//! data without noise: it is [`Exploratory`], and choosing by it is not private.
//!
//! ```
//! use dp_core::{Approx, Bounds};
//! use dp_sensitivity::comparison;
//!
//! // Ages of 999 people, most of them students.
//! let age = |i: i32| 18.0 + f64::from(i % 12) + if i % 50 == 0 { 40.0 } else { 0.0 };
//! let ages: Vec<f64> = (0..999).map(age).collect();
//! let found = comparison::median(&ages, Bounds::new(0.0, 120.0)?, Approx::new(1.0, 1e-6)?)?.for_the_owner();
//! println!("{found}");
//! let error = |name: &str| found.routes.iter().find(|route| route.name == name).map(|route| route.error);
//! assert!(error("PolyPlace") < error("Laplace"));
//! # Ok::<(), dp_core::Error>(())
//! ```

mod exploratory;
mod ready;
mod routes;

pub use exploratory::Exploratory;
pub use ready::{mean, median, standard_deviation, triangles};
pub use routes::of;

use core::fmt;

/// A private release of the answer, and how accurate it is on these data.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The name of the release.
    pub name: String,
    /// The guarantee of the release.
    pub guarantee: String,
    /// The scale of the noise on the answer; its median, where the scale is random.
    pub scale: f64,
    /// The median distance of a release from the true answer, estimated from draws to a few
    /// percent.
    pub error: f64,
    /// The 95th percentile of the same distance, estimated from the same draws. Smooth noise for
    /// pure privacy has power-law tails, so this may be ten times the median.
    pub tail: f64,
    /// The probability that nothing is released.
    pub refused: f64,
}

/// Routes to one answer, the most accurate one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The true answer.
    pub answer: f64,
    /// The releases.
    pub routes: Vec<Route>,
}

impl Comparison {
    fn new(answer: f64, mut routes: Vec<Route>) -> Self {
        // A refusal is as bad as an error of any size.
        let rank = |route: &Route| if route.refused > 0.5 { f64::INFINITY } else { route.error };
        routes.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        Self { answer, routes }
    }
}

/// A table.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exploratory, not private: the true answer is {}", Figure(self.answer))?;
        let width = self.routes.iter().map(|route| route.name.chars().count()).max().unwrap_or(0);
        writeln!(
            f,
            "{:width$} | {:>16} | {:>11} | {:>11} | {:>11} | refused",
            "route", "guarantee", "noise scale", "error, half", "error, 1/20"
        )?;
        for route in &self.routes {
            let Route { name, guarantee, scale, error, tail, refused } = route;
            let [scale, error, tail] = [scale, error, tail].map(|&number| Figure(number).to_string());
            writeln!(
                f,
                "{name:width$} | {guarantee:>16} | {scale:>11} | {error:>11} | {tail:>11} | {refused:.1e}"
            )?;
        }
        Ok(())
    }
}

/// A number with about four digits, as people write it where they can.
struct Figure(f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            0.0 => f.write_str("0"),
            1e-3..1.0 => write!(f, "{:.5}", self.0),
            1.0..100.0 => write!(f, "{:.3}", self.0),
            100.0..1e8 => write!(f, "{:.1}", self.0),
            _ => write!(f, "{:.3e}", self.0),
        }
    }
}
