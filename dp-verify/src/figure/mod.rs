//! What a check saw, as curves that a report can draw.

mod svg;

/// A picture: curves over two axes.
///
/// ```
/// use dp_verify::figure::{Axis, Figure};
///
/// let figure = Figure::new("δ of Gaussian noise at ε = 1", Axis::linear("σ/Δ"), Axis::logarithmic("δ"))
///     .curve("claimed", [(1.0, 0.5), (2.0, 0.3)])
///     .curve("true", [(1.0, 0.127), (2.0, 0.004)]);
/// assert_eq!(figure.curves.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is shown.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, the claimed one first where there is one.
    pub curves: Vec<Curve>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured along it.
    pub label: String,
    /// Whether equal steps are equal ratios.
    pub logarithmic: bool,
}

/// A line through points, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the curve is.
    pub name: String,
    /// Its points. A report leaves out those that an axis cannot show.
    pub points: Vec<(f64, f64)>,
}

impl Figure {
    /// A picture without curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, curves: Vec::new() }
    }

    /// The picture with one more curve.
    #[must_use]
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points: points.into_iter().collect() });
        self
    }
}

impl Axis {
    /// Equal steps are equal differences.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: false }
    }

    /// Equal steps are equal ratios.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: true }
    }
}
