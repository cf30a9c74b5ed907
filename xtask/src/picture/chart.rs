//! Bars from "as claimed" to the left, where noise is wasted, and to the right, where privacy is
//! broken.

use maud::{Markup, PreEscaped, html};

use super::rows::{Group, Row};

/// Narrow, with large letters: a phone shows it in 360 pixels.
const WIDTH: f64 = 480.0;
/// Where the shortest and the longest bar end.
const ENDS: (f64, f64) = (20.0, 290.0);
/// The ratios at these ends, as powers of two.
const POWERS: (f64, f64) = (-1.0, 6.0);
const TOP: f64 = 92.0;
const HEADING: f64 = 38.0;
const STEP: f64 = 46.0;

/// Its own background, and colours for both modes: readable wherever it is shown.
const STYLE: &str = "
.back { fill: #ffffff; stroke: #d9dde4; } .ink { fill: #16181d; } .faint { fill: #5b6270; } .line { stroke: #e4e7ec; } .zero { stroke: #8a92a0; }
.good { fill: #2f8f4e; } .waste { fill: #1f5fa8; } .bad { fill: #c8321f; }
@media (prefers-color-scheme: dark) {
.back { fill: #14161a; stroke: #363c47; } .ink { fill: #e6e8ec; } .faint { fill: #a2a9b6; } .line { stroke: #2a2f38; } .zero { stroke: #6d7583; }
.good { fill: #6fd08c; } .waste { fill: #8ab8f0; } .bad { fill: #ff8a80; }
}
";

/// The picture. The same rows give the same text.
pub(super) fn svg(groups: &[Group]) -> String {
    let bottom = TOP + groups.iter().map(height).sum::<f64>();
    let below = bottom + 40.0;
    let mut from = TOP;
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(below) viewBox=(format!("0 0 {WIDTH} {below}")) role="img" font-family="system-ui, sans-serif" font-size="15" {
            title { "True epsilon beside claimed epsilon" }
            style { (PreEscaped(STYLE)) }
            rect.back x="0.5" y="0.5" width=(WIDTH - 1.0) height=(below - 1.0) rx="8" {} "\n"
            text.ink x="16" y="30" font-size="19" font-weight="bold" { "How private is it really?" }
            text.faint x="16" y="53" { "True ε, in multiples of the ε that is claimed" } "\n"
            @for (ratio, name) in [(0.5, "½"), (1.0, "claimed"), (4.0, "4 ×"), (16.0, "16 ×"), (64.0, "64 ×")] {
                path class=(if ratio == 1.0 { "zero" } else { "line" }) d=(format!("M{:.1} {}V{bottom:.1}", place(ratio), TOP - 6.0)) {}
                text.faint x=(format!("{:.1}", place(ratio))) y=(TOP - 12.0) text-anchor="middle" font-size="13" { (name) } "\n"
            }
            @for group in groups {
                (section(group, &mut from))
            }
            text.faint x="16" y=(bottom + 24.0) font-size="13" { "Computed by cargo xtask picture; δ = 10⁻⁵ where there is one." } "\n"
        }
    };
    picture.into_string() + "\n"
}

fn height(group: &Group) -> f64 {
    HEADING + group.rows.iter().map(|_| STEP).sum::<f64>()
}

fn section(group: &Group, from: &mut f64) -> Markup {
    *from += HEADING;
    html! {
        text.ink x="16" y=(*from - 12.0) font-weight="bold" { (group.heading) } "\n"
        @for row in &group.rows {
            (bar(row, *from))
            ({ *from += STEP; "" })
        }
    }
}

fn bar(row: &Row, top: f64) -> Markup {
    let ratio = row.truth / row.claimed;
    let (start, end) = (place(1.0), place(ratio));
    let kind = match ratio {
        ..0.995 => "waste",
        0.995..1.005 => "good",
        _ => "bad",
    };
    // A bar that says "as claimed" is there to be seen, and one without end has a point.
    let (left, right) = (start.min(end) - 2.0, start.max(end) + 2.0);
    let (point, truth) =
        if ratio.is_infinite() { (14.0, "∞".into()) } else { (0.0, format!("{:.2}", row.truth)) };
    html! {
        text.ink x="20" y=(top + 12.0) { (row.what) }
        rect class=(kind) x=(format!("{left:.1}")) y=(top + 19.0) width=(format!("{:.1}", right - left)) height="12" {}
        @if point > 0.0 {
            path class=(kind) d=(format!("M{right:.1} {}l{point} 12l-{point} 12z", top + 13.0)) {}
        }
        text class=(kind) x=(format!("{:.1}", right + point + 8.0)) y=(top + 30.0) font-size="14" {
            (format!("claimed {:.2}, true {truth}{}", row.claimed, if row.at_least { " or more" } else { "" }))
        } "\n"
    }
}

/// Where a ratio lies.
fn place(ratio: f64) -> f64 {
    let power = ratio.log2().clamp(POWERS.0, POWERS.1);
    ENDS.0 + (power - POWERS.0) / (POWERS.1 - POWERS.0) * (ENDS.1 - ENDS.0)
}
