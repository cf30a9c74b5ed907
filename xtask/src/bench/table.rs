//! The table on the terminal.

use std::fmt::Write;

use super::results::{Results, Row, duration, short};

/// All rows, how times grow, and what is missing.
pub(super) fn render(results: &Results) -> String {
    let widest = results.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut area = "";
    for row in &results.rows {
        if row.area != area {
            area = &row.area;
            let _ = writeln!(
                text,
                "\n{:widest$}  {:>9}  {:>9}  {:>8}  {:>16}  {:>10}",
                area, "ours", "floor", "× floor", "peer", "× faster"
            );
        }
        let _ = writeln!(text, "{}", line(row, widest));
    }
    if !results.scaling.is_empty() {
        let _ = writeln!(text, "\ngrowth");
    }
    for growth in &results.scaling {
        let exponent = growth.exponent.map_or("–".into(), |exponent| format!("{exponent:.2}"));
        let _ = writeln!(text, "{:widest$}  like the power {exponent} of {}", growth.name, growth.size);
    }
    for missing in &results.missing {
        let _ = writeln!(text, "not measured: {missing}");
    }
    let judged: Vec<bool> = results.rows.iter().filter_map(|row| row.pass).collect();
    let met = judged.iter().filter(|pass| **pass).count();
    let _ = writeln!(
        text,
        "\n{met} of {} rows with a target meet it; measured in {:.0} s",
        judged.len(),
        results.seconds
    );
    text
}

fn line(row: &Row, widest: usize) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let peer = row.peer.as_ref().zip(row.peer_ns).map(|(peer, ns)| format!("{} {peer}", duration(ns)));
    let mut line = format!(
        "{:widest$}  {:>9}  {:>9}  {:>8}  {:>16}  {:>10}",
        row.name,
        duration(row.ours_ns),
        or_dash(row.floor_ns.map(duration)),
        or_dash(row.ratio_floor.map(short)),
        or_dash(peer),
        or_dash(row.ratio_peer.map(short)),
    );
    if let Some((target, pass)) = row.target.as_ref().zip(row.pass) {
        let _ = write!(line, "  {} ({target})", if pass { "met" } else { "MISSED" });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn a_target_that_is_missed_is_said() {
        let text = render(&results());
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(
            line("Gaussian").contains("25 ns      10 ns       2.5")
                && line("Gaussian").ends_with("MISSED (≤ 2 × floor)")
        );
        assert!(
            line("Laplace").contains("3 µs a peer") && line("sorting").ends_with("like the power 1.30 of n")
        );
        assert!(
            text.contains("not measured: a third peer: no such package")
                && text.contains("1 of 3 rows with a target meet it")
        );
    }
}
