//! The notions of privacy, and what follows from what.

use maud::{Markup, html};

use super::claims;
use crate::outcome::Outcome;

/// A notion and where it is drawn.
struct Notion {
    name: &'static str,
    says: &'static str,
    row: i32,
}

const NOTIONS: [Notion; 5] = [
    Notion { name: "Pure", says: "ε: every loss is at most ε", row: 0 },
    Notion { name: "Gdp", says: "μ: no easier to tell than N(0,1) from N(μ,1)", row: 1 },
    Notion { name: "Zcdp", says: "(ξ,ρ): D_α ≤ ξ + ρα for all α > 1", row: 2 },
    Notion { name: "Rdp", says: "D_α ≤ a curve", row: 3 },
    Notion { name: "Approx", says: "(ε,δ): P(S) ≤ e^ε·Q(S) + δ", row: 4 },
];

/// What each arrow downwards costs.
const ARROWS: [&str; 4] = [
    "μ = −2Φ⁻¹(1/(1 + e^ε))",
    "ρ = ½μ²; from Pure at once: ρ = ε·tanh(ε/2)",
    "the line ξ + ρα; from Pure the curve of randomised response",
    "at a δ of your choice; from every notion at once",
];

const STEP: i32 = 92;

/// The ladder of notions, as a picture: arrows only lead down.
pub(super) fn section(outcomes: &[Outcome]) -> Markup {
    html! {
        section #notions {
            h2 { "Notions of privacy" }
            p { "Guarantees are types. A stronger one can be stated as a weaker one, never the other way (claims " (claims::link("D10", outcomes)) ", " (claims::link("D12", outcomes)) "): a program that tries does not compile." }
            figure {
                svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 450" role="img" font-family="sans-serif" font-size="14" {
                    title { "From the strongest notion to the weakest" }
                    rect width="640" height="450" fill="white" {}
                    @for Notion { name, says, row } in NOTIONS {
                        rect x="20" y=(20 + row * STEP) width="600" height="44" rx="6" fill="#eef3f9" stroke="#1f5fa8" {}
                        text x="36" y=(47 + row * STEP) font-weight="bold" fill="#111111" { (name) }
                        text x="120" y=(47 + row * STEP) fill="#333333" { (says) }
                    }
                    @for (row, cost) in (0..).zip(ARROWS) {
                        path d=(format!("M60 {}v36m-6 -9l6 9l6 -9", 68 + row * STEP)) fill="none" stroke="#c8472b" stroke-width="2" {}
                        text x="80" y=(92 + row * STEP) fill="#444444" font-size="13" { (cost) }
                    }
                }
            }
        }
    }
}
