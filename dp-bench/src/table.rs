//! Rows with their limits, and the table of them.

use std::fmt;

use crate::measure::{Times, side_by_side};
use crate::{Peer, Work};

/// One line of the table: a draw, its floor, and how far from it the draw may be.
pub struct Row {
    /// What is drawn.
    pub name: String,
    /// Our draw.
    pub ours: Work,
    /// The float draw.
    pub floor: Work,
    at_most: f64,
    peer: Option<(Work, f64)>,
}

impl Row {
    /// A draw that may take `at_most` times as long as a floor.
    pub fn new(name: impl Into<String>, ours: Work, at_most: f64, floor: Work) -> Self {
        Self { name: name.into(), ours, floor, at_most, peer: None }
    }

    /// The same, beside a peer that it must be `at_least` times faster than. Without the feature `peers` that is not measured.
    #[must_use]
    pub fn beside(self, at_least: f64, peer: Peer) -> Self {
        Self { peer: peer.work().map(|work| (work, at_least)), ..self }
    }

    fn measure(&mut self) -> Line {
        let peer = self.peer.as_mut();
        let at_least = peer.as_ref().map(|(_, at_least)| *at_least);
        let times = side_by_side(&mut self.ours, &mut self.floor, peer.map(|(work, _)| work));
        Line { name: self.name.clone(), times, at_most: self.at_most, at_least }
    }
}

/// A row that was measured.
struct Line {
    name: String,
    times: Times,
    at_most: f64,
    at_least: Option<f64>,
}

impl Line {
    fn ratio(&self) -> f64 {
        self.times.ours / self.times.floor
    }

    /// How many times faster than the peer, and how many times it must be.
    fn speedup(&self) -> Option<(f64, f64)> {
        self.times.peer.map(|peer| peer / self.times.ours).zip(self.at_least)
    }

    fn is_met(&self) -> bool {
        self.ratio() <= self.at_most && self.speedup().is_none_or(|(speedup, at_least)| speedup >= at_least)
    }
}

/// The rows, measured.
pub struct Table(Vec<Line>);

impl Table {
    /// Measures row by row.
    pub fn measure(rows: impl IntoIterator<Item = Row>) -> Self {
        Self(rows.into_iter().map(|mut row| row.measure()).collect())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peers = self.0.iter().any(|line| line.speedup().is_some());
        write!(f, "| {:44} | ns per value | floor ns | ratio | at most |", "draw")?;
        writeln!(f, "{}", if peers { " opendp ns | times faster | at least | met |" } else { " met |" })?;
        writeln!(f, "|{}", "---|".repeat(if peers { 9 } else { 6 }))?;
        for line in &self.0 {
            let Times { ours, floor, peer } = line.times;
            let (ratio, at_most) = (line.ratio(), line.at_most);
            write!(f, "| {:44} | {ours:12.2} | {floor:8.2} | {ratio:5.2} | {at_most:7.1} |", line.name)?;
            match line.speedup() {
                Some((speedup, at_least)) => {
                    write!(f, " {:9.0} | {speedup:12.0} | {at_least:8.0} |", peer.unwrap_or(f64::NAN))?;
                }
                None if peers => write!(f, " {:>9} | {:>12} | {:>8} |", "–", "–", "–")?,
                None => {}
            }
            writeln!(f, " {:3} |", if line.is_met() { "yes" } else { "NO" })?;
        }
        let missed = self.0.iter().filter(|line| !line.is_met()).count();
        match missed {
            0 => writeln!(f, "all rows meet their limits"),
            _ => writeln!(f, "{missed} of {} rows miss a limit", self.0.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ours: f64, peer: Option<f64>) -> Line {
        let times = Times { ours, floor: 10.0, peer };
        Line { name: "Laplace".into(), times, at_most: 1.5, at_least: peer.map(|_| 300.0) }
    }

    #[test]
    fn a_limit_that_is_missed_is_said() {
        assert!(line(15.0, None).is_met() && !line(15.1, None).is_met());
        assert!(line(15.0, Some(4500.0)).is_met() && !line(15.0, Some(4499.0)).is_met());
        let text = Table(vec![line(12.0, None), line(16.0, None)]).to_string();
        assert!(text.contains("1.20") && text.ends_with("1 of 2 rows miss a limit\n"), "{text}");
        assert!(!text.contains("opendp"));
        let text = Table(vec![line(12.0, None), line(12.0, Some(12_000.0))]).to_string();
        assert!(text.contains("|         1000 |      300 | yes |"), "{text}");
        assert!(text.ends_with("all rows meet their limits\n"), "{text}");
    }
}
