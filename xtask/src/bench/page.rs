//! The page for people with a browser: bars, verdicts, and how times grow.

use dp_verify::figure::{Axis, Figure};
use dp_verify::report::STYLE_SHEET;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart;
use super::results::{Growth, Results, Row, short};

const BARS: &str = ".bars { display: grid; grid-template-columns: 10rem 1fr 5rem; gap: 0.5rem; align-items: center; font-size: 0.85rem; }
.bars .bar { width: 100%; } .bar .floor { background: var(--faint); } .bar .peer { background: var(--bad); }
@media (max-width: 40rem) { .bars { grid-template-columns: 6rem 1fr 4rem; } }";

/// The page, which needs nothing else.
pub(super) fn render(results: &Results) -> String {
    let mut areas: Vec<&str> = results.rows.iter().map(|row| row.area.as_str()).collect();
    areas.dedup();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Benchmarks" }
                style { (PreEscaped(STYLE_SHEET)) (PreEscaped(BARS)) }
            }
            body {
                header {
                    h1 { "Benchmarks" }
                    p { "Our work, beside floors that do less and peers that do the same. Read the ratios: times were taken in turns on one machine, "
                        (std::env::consts::OS) " (" (std::env::consts::ARCH) "), and are medians. Bars are logarithmic. The same as data: "
                        a href="bench.json" { "bench.json" } "." }
                }
                nav { @for area in &areas { a href={ "#" (area) } { (area) } } a href="#growth" { "growth" } }
                main {
                    @for area in &areas { (section(area, &results.rows)) }
                    section #growth { h2 { "How times grow" } div.gallery { @for growth in &results.scaling { (plot(growth)) } } }
                    @if !results.missing.is_empty() {
                        section #missing { h2 { "Not measured" } ul { @for peer in &results.missing { li { (peer) } } } }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn section(area: &str, rows: &[Row]) -> Markup {
    html! {
        section id=(area) {
            h2 { (area) }
            @for row in rows.iter().filter(|row| row.area == area) {
                article {
                    h3 { (row.name) @if let Some(pass) = row.pass { " " span.tag.good[pass].bad[!pass] { @if pass { "met" } @else { "missed" } } } }
                    (chart::bars(row))
                    p.small { (sentence(row)) }
                }
            }
        }
    }
}

/// What there is to say of a row in words.
fn sentence(row: &Row) -> String {
    let mut parts = vec![format!("Time for each {}.", row.unit)];
    if let Some((ratio, spread)) = row.ratio_floor.zip(row.ratio_spread) {
        parts.push(format!("{} × the floor (± {:.0} %).", short(ratio), 100.0 * spread));
    }
    parts.extend(row.ratio_instructions.map(|ratio| format!("In instructions: {} ×.", short(ratio))));
    parts.extend(row.ratio_peer.map(|ratio| format!("{} × faster than the peer.", short(ratio))));
    parts.extend(row.target.as_ref().map(|target| format!("Target: {target}.")));
    parts.join(" ")
}

fn plot(growth: &Growth) -> Markup {
    let exponent =
        growth.exponent.map_or(String::new(), |exponent| format!(", like the power {exponent:.2}"));
    let title = format!("{}{exponent}", growth.name);
    let points = growth.points.iter().map(|(x, ns)| (*x, ns / 1e6));
    let figure = Figure::new(title, Axis::logarithmic(&growth.size), Axis::logarithmic("milliseconds"));
    html! { figure { (PreEscaped(figure.curve(&growth.name, points).svg())) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn the_page_stands_alone_and_its_links_lead_somewhere() {
        let page = render(&results());
        assert!(page.contains("&lt;coin&gt;") && !page.contains("<coin>"));
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("id=\"{link}\"")), "#{link}");
        }
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains("http") && !found.contains("src="));
        assert!(page.contains("In instructions: 1.25 ×.") && page.contains("like the power 1.30"));
    }
}
