//! Curves as numbers, and as a picture in SVG.

use std::fmt::Write;

/// A curve with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// Its points (x, y), x rising.
    pub points: Vec<(f64, f64)>,
}

/// The scale of both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// In proportion.
    Linear,
    /// In powers of ten. Points that are not positive are left out.
    Logarithmic,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 60.0;
const COLOURS: [&str; 6] = ["#1f5fa8", "#c8472b", "#2f8f4e", "#8a4fa3", "#b8860b", "#444444"];

/// A line chart. The same curves give the same text.
///
/// ```
/// use dp_ml::scheduled::plot::{Axes, Curve, svg};
/// let curve = Curve { name: "a < b".into(), points: vec![(1.0, 2.0), (10.0, 0.5)] };
/// let picture = svg("Errors", "steps", "error", &[curve], Axes::Logarithmic);
/// assert!(picture.starts_with("<svg") && picture.contains("a &lt; b") && picture.contains("<polyline"));
/// ```
#[must_use]
pub fn svg(title: &str, x: &str, y: &str, curves: &[Curve], axes: Axes) -> String {
    let place = |v: f64| if axes == Axes::Logarithmic { libm::log10(v) } else { v };
    let shown: Vec<Vec<(f64, f64)>> = curves
        .iter()
        .map(|curve| {
            let placed = curve.points.iter().map(|(x, y)| (place(*x), place(*y)));
            placed.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
        })
        .collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = || shown.iter().flatten().map(of);
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low < high { (low, high) } else { (low.min(0.0), low.min(0.0) + 1.0) }
    };
    let ((left, right), (bottom, top)) = (range(|point| point.0), range(|point| point.1));
    let across = |x: f64| MARGIN + (x - left) / (right - left) * (WIDTH - 4.0 * MARGIN);
    let down = |y: f64| HEIGHT - MARGIN - (y - bottom) / (top - bottom) * (HEIGHT - 2.0 * MARGIN);

    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"30\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    let number = |v: f64| {
        if axes == Axes::Logarithmic { format!("{:.3e}", libm::exp10(v)) } else { format!("{v:.3}") }
    };
    for step in 0..=4 {
        let part = f64::from(step) / 4.0;
        let (gx, gy) = (left + part * (right - left), bottom + part * (top - bottom));
        let (px, py) = (across(gx), down(gy));
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<path d=\"M{px:.1} {:.1}V{:.1}M{:.1} {py:.1}H{:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            down(bottom),
            down(top),
            across(left),
            across(right),
            HEIGHT - MARGIN + 16.0,
            number(gx),
            MARGIN - 4.0,
            py + 4.0,
            number(gy)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\">{}</text><text x=\"8\" y=\"48\">{}</text>",
        across(right) + 8.0,
        HEIGHT - MARGIN + 16.0,
        escaped(x),
        escaped(y)
    );
    for (k, (curve, points)) in curves.iter().zip(&shown).enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let line: String =
            points.iter().map(|(x, y)| format!("{:.1},{:.1} ", across(*x), down(*y))).collect();
        let height = MARGIN + 18.0 * f64::from(u16::try_from(k).unwrap_or(u16::MAX));
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\
             <text x=\"{:.1}\" y=\"{height:.1}\" fill=\"{colour}\">{}</text>",
            line.trim_end(),
            across(right) + 8.0,
            escaped(&curve.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_hold_their_points() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve { name: name.into(), points: points.to_vec() };
        let curves = [curve("up", &[(0.0, 0.0), (2.0, 4.0)]), curve("flat", &[(0.0, 1.0), (2.0, 1.0)])];
        let picture = svg("t", "x", "y", &curves, Axes::Linear);
        assert!(picture.contains("points=\"60.0,360.0 540.0,60.0\""), "{picture}");
        assert!(picture.contains("points=\"60.0,285.0 540.0,285.0\""));
        let empty = svg("t", "x", "y", &[curve("none", &[(1.0, -1.0)])], Axes::Logarithmic);
        assert!(empty.contains("points=\"\"") && !empty.contains("NaN"), "{empty}");
    }
}
