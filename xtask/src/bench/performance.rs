//! The table of the guide's page on performance.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::results::{Results, Row, duration, short};
use crate::workspace;

const BEGIN: &str = "<!-- made by `cargo xtask bench --write-table` -->\n";
const END: &str = "<!-- end -->\n";

/// The rows that a first reader wants to see.
const ROWS: [&str; 14] = [
    "Laplace, 10⁶ at once",
    "Laplace, one by one",
    "Gaussian, 10⁶ at once",
    "Gaussian, f32 on steps of σ·2⁻¹², 10⁶ at once",
    "discrete Laplace, scale 10, 10⁶ at once",
    "discrete Gaussian, σ 10, 10⁶ at once",
    "noisy max of 10⁵, spread scores",
    "median of 10⁶, spread data, β = 1e-5",
    "ε of 10,000 DP-SGD steps",
    "noise multiplier for (2, 1e-5), 3516 DP-SGD steps",
    "softmax 784-10",
    "MLP 784-128-10",
    "MLP 784-512-256-10",
    "convolutional",
];

/// The file that holds the table.
pub(super) fn file() -> PathBuf {
    workspace::root().join("docs/src/performance.md")
}

/// The page with the table of these results between its marks.
pub(super) fn updated(page: &str, results: &Results) -> Result<String> {
    let Some((before, rest)) = page.split_once(BEGIN) else {
        bail!(
            "performance.md has no line {}; put it, and {}, where the table belongs",
            BEGIN.trim(),
            END.trim()
        );
    };
    let Some((_, after)) = rest.split_once(END) else {
        bail!("performance.md has no line {} after the table", END.trim());
    };
    Ok(format!("{before}{BEGIN}{}{END}{after}", table(results)))
}

fn table(results: &Results) -> String {
    let mut text =
        "| work | ours | floor | ours / floor | peer | times faster |\n|---|---|---|---|---|---|\n"
            .to_owned();
    // Of several peers the fastest.
    let time = |row: &&Row| row.peer_ns.unwrap_or(f64::INFINITY);
    let fastest = |name: &&str| {
        results.rows.iter().filter(|row| row.name == **name).min_by(|a, b| time(a).total_cmp(&time(b)))
    };
    for row in ROWS.iter().filter_map(fastest) {
        let _ = writeln!(text, "{}", line(row));
    }
    text
}

fn line(row: &Row) -> String {
    let side = |name: &Option<String>, ns: Option<f64>| {
        name.as_ref().zip(ns).map_or(String::new(), |(name, ns)| format!("{} ({name})", duration(ns)))
    };
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), short);
    format!(
        "| {}, each {} | {} | {} | {} | {} | {} |",
        row.name,
        row.unit,
        duration(row.ours_ns),
        side(&row.floor, row.floor_ns),
        ratio(row.ratio_floor),
        side(&row.peer, row.peer_ns),
        ratio(row.ratio_peer)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn the_table_stands_between_its_marks() {
        let text = updated(&format!("a\n{BEGIN}old\n{END}b\n"), &results()).unwrap();
        assert!(text.starts_with("a\n") && text.ends_with(&format!("{END}b\n")) && !text.contains("old"));
        assert!(
            updated("nothing", &results()).unwrap_err().to_string().contains("performance.md has no line")
        );
        let line = line(&results().rows[0]);
        assert_eq!(line, "| Laplace, each value | 12 ns | 10 ns (floats) | 1.2 | 3 µs (a peer) | 250 |");
        let mut results = results();
        results.rows.iter_mut().for_each(|row| row.name = ROWS[0].to_owned());
        let table = table(&results);
        assert!(table.lines().count() == 3 && table.contains("24 ns (another)"), "{table}");
    }

    #[test]
    fn the_page_has_the_marks() {
        let page = std::fs::read_to_string(file()).unwrap();
        assert!(updated(&page, &results()).is_ok());
    }
}
