//! Figures in SVG: the only line charts of the workspace.

use std::fmt::Write;

use super::{Axis, Figure};

const WIDTH: f64 = 640.0;
/// The frame around the curves: left, right, top, bottom.
const FRAME: [f64; 4] = [72.0, 624.0, 44.0, 330.0];
/// Each name below the picture has a line of its own.
const LINE: f64 = 20.0;
const COLOURS: [&str; 10] = [
    "#c8472b", "#1f5fa8", "#2f8f4e", "#8a4fa3", "#b8860b", "#444444", "#17a2b8", "#e377c2", "#8c5a3c",
    "#9aa800",
];
/// The longest title in letters of the usual size; longer ones have smaller letters.
const TITLE: usize = 84;
/// Curves with at most this number of points mark each of them.
const DOTTED: usize = 25;

impl Figure {
    /// The figure as a picture, with its title. The same curves give the same text.
    ///
    /// ```
    /// use dp_verify::figure::{Axis, Figure};
    /// let figure = Figure::new("Errors", Axis::logarithmic("steps"), Axis::linear("error"));
    /// let picture = figure.curve("a < b", [(1.0, 2.0), (10.0, 0.5)]).svg();
    /// assert!(picture.starts_with("<svg") && picture.contains("a &lt; b") && picture.contains("<polyline"));
    /// ```
    #[must_use]
    pub fn svg(&self) -> String {
        draw(&self.title, self)
    }

    /// The same without a title, for pages that have it in their text.
    #[must_use]
    pub fn svg_without_title(&self) -> String {
        draw("", self)
    }
}

fn draw(title: &str, figure: &Figure) -> String {
    let Figure { x, y, curves, .. } = figure;
    let shown: Vec<Vec<(f64, f64)>> = curves
        .iter()
        .map(|curve| {
            let placed = curve.points.iter().map(|(a, b)| (x.place(*a), y.place(*b)));
            placed.filter(|(a, b)| a.is_finite() && b.is_finite()).collect()
        })
        .collect();
    let [left, right, top, bottom] = FRAME;
    let (across, up) =
        (Axis::span(shown.iter().flatten().map(|p| p.0)), Axis::span(shown.iter().flatten().map(|p| p.1)));
    let horizontal = |v: f64| left + (v - across.0) / (across.1 - across.0) * (right - left);
    let vertical = |v: f64| bottom - (v - up.0) / (up.1 - up.0) * (bottom - top);

    let rows = f64::from(u16::try_from(curves.len()).unwrap_or(u16::MAX));
    let height = bottom + 52.0 + LINE * rows;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{0}</title><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"4\" y=\"18\" font-size=\"{1}\" fill=\"#111111\">{0}</text>\n",
        escaped(title),
        15 * TITLE / title.chars().count().max(TITLE)
    );
    // Writing to a string does not fail.
    for (value, text) in x.ticks(across) {
        let at = horizontal(value);
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#e2e2e2\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#444444\">{text}</text>",
            bottom + 17.0
        );
    }
    for (value, text) in y.ticks(up) {
        let at = vertical(value);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#e2e2e2\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#444444\">{text}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#888888\"/>\
         <text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#111111\">{}</text><text x=\"4\" y=\"{:.1}\" fill=\"#111111\">{}</text>",
        bottom + 34.0,
        escaped(&x.label),
        top - 8.0,
        escaped(&y.label)
    );
    for (index, (curve, points)) in curves.iter().zip(&shown).enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let line: String =
            points.iter().map(|(a, b)| format!("{:.1},{:.1} ", horizontal(*a), vertical(*b))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.trim_end()
        );
        for (a, b) in points.iter().filter(|_| points.len() <= DOTTED) {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{colour}\"/>",
                horizontal(*a),
                vertical(*b)
            );
        }
        let row = bottom + 52.0 + LINE * f64::from(u16::try_from(index).unwrap_or(u16::MAX));
        let _ = writeln!(
            out,
            "<path d=\"M{left} {row:.1}h22\" stroke=\"{colour}\" stroke-width=\"3\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#111111\">{}</text>",
            left + 30.0,
            row + 4.0,
            escaped(&curve.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

impl Axis {
    /// Where a value lies along the axis, up to its ends.
    fn place(&self, value: f64) -> f64 {
        if self.logarithmic { libm::log10(value) } else { value }
    }

    /// The ends of the axis, for these places. One place alone has some room around it.
    fn span(places: impl Iterator<Item = f64>) -> (f64, f64) {
        let (low, high) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return (0.0, 1.0);
        }
        // Curves near each other, seen from afar, are one: room for four digits is enough.
        let room = (1e-4 * low.abs().max(high.abs())).max(1e-9);
        if high - low < room { (low - room, high + room) } else { (low, high) }
    }

    /// Round values between the ends, about five, and how they are written.
    fn ticks(&self, (low, high): (f64, f64)) -> Vec<(f64, String)> {
        if !self.logarithmic {
            return multiples(low, high, round_step(low, high)).map(|v| (v, number(v))).collect();
        }
        if high - low >= 1.5 {
            let step = ((high - low) / 6.0).ceil().max(1.0);
            return multiples(low, high, step).map(|power| (power, power_of_ten(power))).collect();
        }
        let (from, to) = (libm::exp10(low), libm::exp10(high));
        multiples(from, to, round_step(from, to))
            .filter(|v| *v > 0.0)
            .map(|v| (libm::log10(v), number(v)))
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten: about a fifth of the distance.
fn round_step(low: f64, high: f64) -> f64 {
    let rough = (high - low) / 5.0;
    let power = libm::exp10(libm::log10(rough).floor());
    power
        * if rough < 1.5 * power {
            1.0
        } else if rough < 3.5 * power {
            2.0
        } else if rough < 7.5 * power {
            5.0
        } else {
            10.0
        }
}

/// The multiples of a step between two numbers, with a little room for rounding.
fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step - 1e-9).ceil();
    (0..20_u8).map(move |k| (first + f64::from(k)) * step).take_while(move |v| *v <= high + 1e-9 * step)
}

fn number(v: f64) -> String {
    let magnitude = v.abs();
    if v == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&magnitude) {
        // As many digits as a step of a fifth may have.
        let text = format!("{v:.5}");
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{v:.2e}")
    }
}

fn power_of_ten(power: f64) -> String {
    let value = libm::exp10(power);
    if (0.001..=1000.0).contains(&value) {
        return number(value);
    }
    let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let raised = format!("{power:.0}")
        .chars()
        .filter_map(|c| c.to_digit(10).map_or(Some('⁻'), |d| digits.chars().nth(d as usize)))
        .collect::<String>();
    format!("10{raised}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Figure {
        Figure::new("t", Axis::linear("x"), Axis::linear("y"))
    }

    fn texts(axis: &Axis, span: (f64, f64)) -> Vec<String> {
        axis.ticks(span).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn pictures_hold_their_points() {
        let picture =
            empty().curve("up", [(0.0, 0.0), (2.0, 4.0)]).curve("flat", [(0.0, 1.0), (2.0, 1.0)]).svg();
        assert!(picture.contains("points=\"72.0,330.0 624.0,44.0\""), "{picture}");
        assert!(picture.contains("points=\"72.0,258.5 624.0,258.5\""));
        let logarithmic = Figure { y: Axis::logarithmic("y"), ..empty() };
        let picture = logarithmic.curve("none", [(1.0, -1.0)]).svg();
        assert!(picture.contains("points=\"\"") && !picture.contains("NaN"), "{picture}");
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(&Axis::linear(""), (0.0, 10.0)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&Axis::linear(""), (-0.03, 0.02)), ["-0.03", "-0.02", "-0.01", "0", "0.01", "0.02"]);
        assert_eq!(texts(&Axis::logarithmic(""), (-5.0, 0.0)), ["10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(texts(&Axis::logarithmic(""), (0.0, 1.0)), ["2", "4", "6", "8", "10"]);
    }

    #[test]
    fn a_flat_curve_and_a_single_point_are_drawn() {
        for points in [&[(1.0, 3.0), (2.0, 3.0)][..], &[(0.0, 0.0)]] {
            let picture = empty().curve("c", points.iter().copied()).svg();
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        }
    }
}
