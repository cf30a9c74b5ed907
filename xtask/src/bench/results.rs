//! What was measured, and whether it is as good as it should be.

use serde::{Deserialize, Serialize};

use super::counts::Instructions;
use super::peers::{Python, Timing};

/// What the program of dp-bench prints.
#[derive(Debug, Deserialize)]
pub(super) struct Measurements {
    pub(super) rows: Vec<Measured>,
    pub(super) scaling: Vec<Growth>,
}

/// A row as it was measured.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Measured {
    pub(super) area: String,
    pub(super) name: String,
    unit: String,
    ours_ns: f64,
    ours_spread: f64,
    pub(super) floor: Option<String>,
    floor_ns: Option<f64>,
    ratio_floor: Option<f64>,
    ratio_spread: Option<f64>,
    peer: Option<String>,
    peer_ns: Option<f64>,
    ratio_peer: Option<f64>,
    pub(super) limits: Limits,
}

/// What is asked of a row.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Limits {
    pub(super) at_most_floors: Option<f64>,
    pub(super) at_least_times_faster: Option<f64>,
    pub(super) at_most_ns: Option<f64>,
}

/// Times of one kind of work at several sizes, and how they grow.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Growth {
    pub(super) name: String,
    pub(super) size: String,
    pub(super) points: Vec<(f64, f64)>,
    /// Of the power of the size that fits best.
    #[serde(skip_deserializing)]
    pub(super) exponent: Option<f64>,
}

/// The file `bench.json`.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    schema: u32,
    version: &'static str,
    quick: bool,
    pub(super) rows: Vec<Row>,
    pub(super) scaling: Vec<Growth>,
    /// Peers that were asked for and not measured, and why.
    pub(super) missing: Vec<String>,
    pub(super) seconds: f64,
}

/// A row of the table. What is absent is `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) area: String,
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) ours_ns: f64,
    ours_spread: f64,
    pub(super) floor: Option<String>,
    pub(super) floor_ns: Option<f64>,
    pub(super) ratio_floor: Option<f64>,
    pub(super) ratio_spread: Option<f64>,
    /// The same ratio in instructions.
    pub(super) ratio_instructions: Option<f64>,
    pub(super) peer: Option<String>,
    pub(super) peer_ns: Option<f64>,
    pub(super) ratio_peer: Option<f64>,
    pub(super) target: Option<String>,
    pub(super) pass: Option<bool>,
}

impl Results {
    /// Puts together what was measured here and elsewhere.
    pub(super) fn new(
        measured: Measurements,
        python: &Python,
        instructions: &[Instructions],
        quick: bool,
    ) -> Self {
        let rows = measured.rows.iter().flat_map(|row| {
            let count = instructions.iter().find(|count| count.name == row.name).map(|count| count.ratio);
            rows(row, python.timings.iter().filter(|timing| timing.row == row.name), count)
        });
        let grown = |growth: Growth| Growth { exponent: exponent(&growth.points), ..growth };
        Self {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            quick,
            rows: rows.collect(),
            scaling: measured.scaling.into_iter().map(grown).collect(),
            missing: python.missing.clone(),
            seconds: 0.0,
        }
    }
}

/// A row for each peer, or one without.
fn rows<'a>(
    measured: &Measured,
    others: impl Iterator<Item = &'a Timing>,
    ratio_instructions: Option<f64>,
) -> Vec<Row> {
    let mut peers: Vec<_> = others
        .map(|timing| {
            (Some(timing.peer.clone()), Some(timing.ns), Some(timing.ns / measured.ours_ns), timing.judged)
        })
        .collect();
    if measured.peer.is_some() || peers.is_empty() {
        peers.insert(0, (measured.peer.clone(), measured.peer_ns, measured.ratio_peer, true));
    }
    let row = |(peer, peer_ns, ratio_peer, judged): (Option<String>, Option<f64>, Option<f64>, bool)| {
        let mut limits = measured.limits;
        if !judged {
            limits.at_least_times_faster = None;
        }
        let m = measured.clone();
        Row {
            area: m.area,
            name: m.name,
            unit: m.unit,
            ours_ns: m.ours_ns,
            ours_spread: m.ours_spread,
            floor: m.floor,
            floor_ns: m.floor_ns,
            ratio_floor: m.ratio_floor,
            ratio_spread: m.ratio_spread,
            ratio_instructions,
            peer,
            peer_ns,
            ratio_peer,
            target: limits.text(ratio_peer.is_some()),
            pass: limits.pass(m.ours_ns, m.ratio_floor, ratio_peer),
        }
    };
    peers.into_iter().map(row).collect()
}

impl Limits {
    fn text(self, has_peer: bool) -> Option<String> {
        let unknown = if has_peer { "" } else { " (not measured)" };
        let parts = [
            self.at_most_floors.map(|floors| format!("≤ {} × floor", short(floors))),
            self.at_least_times_faster
                .map(|times| format!("≥ {} × faster than the peer{unknown}", short(times))),
            self.at_most_ns.map(|ns| format!("≤ {}", duration(ns))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether all limits are met of which something is known.
    fn pass(self, ours_ns: f64, ratio_floor: Option<f64>, ratio_peer: Option<f64>) -> Option<bool> {
        let known = [
            self.at_most_floors.zip(ratio_floor).map(|(limit, ratio)| ratio <= limit),
            self.at_least_times_faster.zip(ratio_peer).map(|(limit, ratio)| ratio >= limit),
            self.at_most_ns.map(|limit| ours_ns <= limit),
        ];
        known.into_iter().flatten().reduce(|a, b| a && b)
    }
}

/// The exponent of the power law through points, by least squares on logarithms.
#[allow(clippy::cast_precision_loss, reason = "a handful of points")]
fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let square: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (square > 0.0).then(|| logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / square)
}

/// Nanoseconds as people say them.
pub(super) fn duration(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", short(value))
}

/// Three digits.
pub(super) fn short(value: f64) -> String {
    match value {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}").trim_end_matches(".0").to_owned(),
        x => format!("{x:.2}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::bench) fn results() -> Results {
        let row = |name: &str, ratio: f64, limits: &str| {
            format!(
                r#"{{"area":"mechanisms","name":"{name}","unit":"value","ours_ns":{},"ours_spread":0.01,"floor":"floats","floor_ns":10.0,
                "ratio_floor":{ratio},"ratio_spread":0.02,"peer":null,"peer_ns":null,"ratio_peer":null,"limits":{limits}}}"#,
                10.0 * ratio
            )
        };
        let none = r#"{"at_most_floors":null,"at_least_times_faster":null,"at_most_ns":null}"#;
        let text = format!(
            r#"{{"rows":[{},{},{}],"scaling":[{{"name":"sorting","size":"n","points":[[10,100],[100,2000],[1000,40000]]}}]}}"#,
            row("Laplace", 1.2, r#"{"at_most_floors":1.5,"at_least_times_faster":300,"at_most_ns":null}"#),
            row("Gaussian", 2.5, r#"{"at_most_floors":2,"at_least_times_faster":null,"at_most_ns":null}"#),
            row("<coin>", 3.0, none),
        );
        let timing = |peer: &str, ns, judged| Timing { row: "Laplace".into(), peer: peer.into(), ns, judged };
        let python = Python {
            timings: vec![timing("a peer", 3000.0, true), timing("another", 24.0, false)],
            missing: vec!["a third peer: no such package".into()],
        };
        let counts = [Instructions { name: "Laplace".into(), ratio: 1.25 }];
        Results::new(serde_json::from_str(&text).unwrap(), &python, &counts, true)
    }

    #[test]
    fn limits_are_judged_by_what_is_known() {
        let results = results();
        let verdicts: Vec<_> =
            results.rows.iter().map(|row| (row.name.as_str(), row.peer.as_deref(), row.pass)).collect();
        let expected = [
            ("Laplace", Some("a peer"), Some(false)), // 250 times faster, not 300
            ("Laplace", Some("another"), Some(true)),
            ("Gaussian", None, Some(false)),
            ("<coin>", None, None),
        ];
        assert_eq!(verdicts, expected);
        assert_eq!(results.rows[0].target.as_deref(), Some("≤ 1.5 × floor, ≥ 300 × faster than the peer"));
        assert_eq!(results.rows[0].ratio_instructions, Some(1.25));
        assert_eq!(results.rows[3].target, None);
    }

    #[test]
    fn a_target_whose_peer_is_missing_says_so() {
        let limits = Limits { at_least_times_faster: Some(5.0), at_most_ns: Some(2e6), ..Limits::default() };
        assert_eq!(limits.text(false).as_deref(), Some("≥ 5 × faster than the peer (not measured), ≤ 2 ms"));
        assert_eq!(limits.pass(1e6, None, None), Some(true));
    }

    #[test]
    fn exponents_are_slopes_of_logarithms() {
        assert!((results().scaling[0].exponent.unwrap() - 1.301).abs() < 1e-3);
        let cubes: Vec<(f64, f64)> = [1.0, 2.0, 5.0].map(|x: f64| (x, 7.0 * x.powi(3))).to_vec();
        assert!((exponent(&cubes).unwrap() - 3.0).abs() < 1e-12 && exponent(&cubes[..1]).is_none());
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.625, 1.5, 12.0, 12.34, 1234.5].map(short), ["0.62", "1.5", "12", "12.3", "1234"]);
        assert_eq!([5.0, 1.5e3, 2e6, 5e9].map(duration), ["5 ns", "1.5 µs", "2 ms", "5 s"]);
    }
}
