//! What the checks themselves are worth: mutants, audits, durations.

use maud::{Markup, html};

use crate::audit::Audited;
use crate::timing::Timing;
use crate::tried::Tried;

/// Mechanisms that are broken on purpose.
pub(super) fn mutants(tried: &[Tried]) -> Markup {
    html! {
        section #mutants {
            h2 { "Mutants" }
            p { "Classic mistakes, built for this run alone. Each was held against the check that the correct version passes." }
            div.wide {
                table {
                    thead { tr { th { "Mutant" } th { "Outcome" } th { "Mistake" } th { "Caught by" } th { "What the library does" } } }
                    tbody {
                        @for mutant in tried {
                            tr {
                                td { b { (mutant.name) } }
                                td.good[mutant.caught].bad[!mutant.caught] { @if mutant.caught { "caught" } @else { "not caught" } }
                                td data-label="Mistake" { (mutant.mistake) }
                                td data-label="Caught by" { (mutant.by) }
                                td data-label="What the library does" { (mutant.right) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Lower bounds on ε from outputs alone.
pub(super) fn audits(audits: &[Audited]) -> Markup {
    html! {
        section #audits {
            h2 { "Audits of the real code" }
            p {
                "For each, two neighbouring data sets were chosen, and the whole measurement was run on both: query, clamping, noise and rounding. An event that tells them apart was learned from one half of the outputs, "
                "and the other half bounds its probabilities. All bounds of this run hold together with probability 1 − 10" sup { "−6" } ". The bar shows how much of the claimed ε was seen."
            }
            div.wide {
                table {
                    thead { tr { th { "Measurement" } th { "Neighbours" } th { "Claimed" } th { "At least" } th { "" } } }
                    tbody { @for audited in audits { (audit(audited)) } }
                }
            }
        }
    }
}

fn audit(audited: &Audited) -> Markup {
    let share = (100.0 * audited.lower.epsilon / audited.epsilon).clamp(0.0, 100.0);
    html! {
        tr {
            td { b { (audited.name) } br; span.small { (audited.what) } }
            td data-label="Neighbours" { span.small { (audited.neighbours) " (" (audited.relation) ")" } }
            td data-label="Claimed" { (format!("ε = {:.3}", audited.epsilon)) @if audited.delta > 0.0 { (format!(", δ = {:.1e}", audited.delta)) } }
            td.good[!audited.exceeded].bad[audited.exceeded] data-label="At least" {
                (format!("{:.3}", audited.lower.epsilon))
                @if audited.exceeded { br; span.small { (audited.lower.event) } }
            }
            td { div.bar title=(format!("{share:.0} % of the claimed ε, {} draws", audited.lower.draws)) { div style=(format!("width:{share:.0}%")) {} } }
        }
    }
}

/// Whether durations tell inputs apart.
pub(super) fn timings(timings: &[Timing]) -> Markup {
    html! {
        section #timing {
            h2 { "Timing" }
            p {
                "An ordinary input beside inputs that an attacker would choose, on the same random words and in random order; of each sampler the pair that differs most. An input shows, and the run fails, if twice in succession the "
                "durations differ by more than seven standard errors and the median by more than a tenth. Controls draw as this library once did, and must show. The last rows, small noise beside large noise, are reported and decide nothing (see the " a href="#scope" { "scope" } ")."
            }
            div.wide {
                table {
                    thead { tr { th { "Sampler" } th { "Inputs" } th { "Difference" } th { "Standard errors" } th { "Nanoseconds" } } }
                    tbody {
                        @for timing in timings {
                            tr {
                                td { b { (timing.sampler) } }
                                td { (timing.classes) }
                                td.bad[!timing.as_expected()] data-label="Difference" { (format!("{:+.1} %", 100.0 * timing.effect)) @if timing.shows { " (shows)" } }
                                td data-label="Standard errors" { (format!("{:+.1}", timing.deviations)) }
                                td data-label="Nanoseconds" { (format!("{:.1} and {:.1}", timing.nanoseconds.0, timing.nanoseconds.1)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
