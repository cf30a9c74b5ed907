//! Bars: times of one row side by side, on one logarithmic scale.

use maud::{Markup, html};

use super::results::{Row, duration};

/// Bars of ours, the floor and the peer. Lengths are logarithms, and a hundredth of the shortest
/// time has length zero.
pub(super) fn bars(row: &Row) -> Markup {
    let sides = [
        ("ours", Some("ours".to_owned()), Some(row.ours_ns)),
        ("floor", row.floor.clone(), row.floor_ns),
        ("peer", row.peer.clone(), row.peer_ns),
    ];
    let known: Vec<(&str, String, f64)> =
        sides.into_iter().filter_map(|(kind, name, ns)| Some((kind, name?, ns?))).collect();
    let least = known.iter().map(|side| side.2).fold(f64::INFINITY, f64::min);
    let most = known.iter().map(|side| side.2).fold(0.0, f64::max);
    html! {
        @for (kind, name, ns) in &known {
            div.bars {
                span.who { (name) }
                div.bar { div class=(kind) style=(format!("width: {:.1}%", width(*ns, least, most))) {} }
                span.time { (duration(*ns)) }
            }
        }
    }
}

/// In percent. The shortest bar is there to be seen.
fn width(ns: f64, least: f64, most: f64) -> f64 {
    let unit = least / 100.0;
    100.0 * (ns / unit).ln() / (most / unit).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn bars_are_ordered_as_times_are() {
        assert_eq!(width(5.0, 5.0, 5.0), 100.0);
        let is = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(is(width(10.0, 10.0, 1000.0), 50.0) && is(width(100.0, 10.0, 1000.0), 75.0));
        let markup = bars(&results().rows[0]).into_string();
        assert!(markup.contains("a peer") && markup.contains("3 µs") && markup.contains("width: 100.0%"));
    }
}
