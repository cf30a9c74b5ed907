//! The claims: a table to search, and what there is to say of each.

use crate::claim::Slack;
use crate::figure::Figure;
use maud::{Markup, PreEscaped, html};

use crate::outcome::Outcome;

/// The table, with a filter above it.
pub(super) fn table(outcomes: &[Outcome]) -> Markup {
    html! {
        section #claims {
            h2 { "Claims" }
            p.filter {
                input #search type="search" placeholder="Search: M7, median, Gaussian, refuted …" aria-label="Search the claims";
                span #shown aria-live="polite" { (outcomes.len()) " shown" }
            }
            div.wide {
                table #claim-table {
                    thead { tr { th { "Id" } th { "Verdict" } th { "Check" } th { "Statement" } th { "Slack" } } }
                    tbody { @for outcome in outcomes { (row(outcome)) } }
                }
            }
        }
    }
}

fn row(Outcome { claim, finding, as_expected, .. }: &Outcome) -> Markup {
    html! {
        tr data-words={ (claim.formula) " " (claim.meaning) } {
            td { a href={ "#" (claim.id) } { (claim.id) } }
            td.good[*as_expected].bad[!*as_expected] {
                (finding.verdict.to_string())
                @if !as_expected { ", expected: " (claim.expected.to_string()) }
            }
            td data-label="Check" { (claim.kind.to_string()) }
            td { (claim.statement) span.small { " (" (claim.source) ")" } }
            td data-label="Slack" { @if let Some(slack) = &finding.slack { (factor(slack)) } }
        }
    }
}

/// The entry in the table: by which factor the claim exceeds the truth.
fn factor(Slack { quantity, least, most, .. }: &Slack) -> String {
    format!("{quantity}: {} to {} ×", brief(*least), brief(*most))
}

/// Each claim at length.
pub(super) fn details(outcomes: &[Outcome]) -> Markup {
    html! {
        section #details {
            h2 { "Each claim at length" }
            @for outcome in outcomes { (article(outcome)) }
        }
    }
}

fn article(Outcome { claim, finding, as_expected, seconds }: &Outcome) -> Markup {
    html! {
        article id=(claim.id) {
            h3 {
                (claim.id) " " span.tag.good[*as_expected].bad[!*as_expected] { (finding.verdict.to_string()) }
                " " a.small href="#claims" { "↑ table" }
            }
            p.statement { "“" (claim.statement) "”" span.small { " " (claim.source) } }
            @if !claim.formula.is_empty() { p.formula { (claim.formula) } }
            p { (claim.meaning) }
            @if let Some(slack) = &finding.slack { p { (sentence(slack)) } }
            @for figure in &finding.figures { (picture(figure, &html! {})) }
            details {
                summary { "What the check saw (" (claim.kind.to_string()) ", " (format!("{seconds:.2} s")) ")" }
                p.detail { (finding.detail) }
            }
        }
    }
}

/// The id of a claim, as a link if the page has it.
pub(super) fn link(id: &str, outcomes: &[Outcome]) -> Markup {
    let present = outcomes.iter().any(|outcome| outcome.claim.id == id);
    html! { @if present { a href={ "#" (id) } { (id) } } @else { (id) } }
}

fn sentence(Slack { quantity, least, most, gain }: &Slack) -> String {
    let measured = format!(
        "Over all that was tried, the claimed {quantity} is {} to {} times the true one.",
        brief(*least),
        brief(*most)
    );
    match gain {
        Some(gain) => {
            format!("{measured} The library's own calibration needs up to {} times less noise.", brief(*gain))
        }
        None => measured,
    }
}

/// All pictures that compare routes or show a training at work, in one place.
pub(super) fn gallery(outcomes: &[Outcome]) -> Markup {
    let of = |ids: &'static [&'static str]| outcomes.iter().filter(|outcome| ids.contains(&outcome.claim.id));
    let shown = |ids: &'static [&'static str]| {
        html! {
            @for outcome in of(ids) {
                @for figure in &outcome.finding.figures {
                    (picture(figure, &html! { " (claim " a href={ "#" (outcome.claim.id) } { (outcome.claim.id) } ")" }))
                }
            }
        }
    };
    html! {
        section #pictures {
            h2 { "Pictures" }
            p { "A broad pale line is what is claimed. A true curve below it leaves slack; one above it is a refutation. The same pictures stand beside their claims, and more of them." }
            h3 { "What a statistic costs: global, local and smooth sensitivity" }
            div.gallery { (shown(&["M10", "S5", "S13", "S18", "S19"])) }
            h3 { "Training with noise: how it converges" }
            div.gallery { (shown(&["L2", "L6", "L7", "L8", "L9", "L10", "L11"])) }
        }
    }
}

/// The title is text of the page and not of the picture, so that it can be read on a phone.
fn picture(figure: &Figure, after_the_title: &Markup) -> Markup {
    let svg = PreEscaped(figure.svg_without_title());
    let claimed = figure.curves.first().is_some_and(|curve| curve.name.starts_with("claimed"));
    html! { figure.claimed[claimed] { figcaption { (figure.title) (after_the_title) } (svg) } }
}

/// A factor, with as many digits as anybody wants.
fn brief(factor: f64) -> String {
    match factor {
        0.01..1e4 => format!("{factor:.2}"),
        // Where truth is next to nothing, such as a δ beyond the floats.
        1e12.. => "more than 10¹²".into(),
        _ => format!("{factor:.1e}"),
    }
}
