//! The report for people with a browser: one page that needs nothing else, readable on a phone.

mod claims;
mod evidence;
mod notions;
mod scope;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::findings::Findings;

/// How all pages of the workspace look.
pub const STYLE_SHEET: &str = include_str!("style.css");
const FILTER: &str = include_str!("filter.js");

/// The page.
pub(super) fn render(findings: &Findings) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Verification report" }
                style { (PreEscaped(STYLE_SHEET)) }
            }
            body {
                header { (summary(findings)) }
                (contents(findings))
                main {
                    (how_to_read())
                    (claims::table(&findings.claims))
                    @if !findings.mutants.is_empty() { (evidence::mutants(&findings.mutants)) }
                    @if !findings.audits.is_empty() { (evidence::audits(&findings.audits)) }
                    @if !findings.timings.is_empty() { (evidence::timings(&findings.timings)) }
                    (notions::section(&findings.claims))
                    (claims::gallery(&findings.claims))
                    (scope::section(&findings.timings))
                    (claims::details(&findings.claims))
                }
                script { (PreEscaped(FILTER)) }
            }
        }
    };
    page.into_string()
}

fn summary(findings: &Findings) -> Markup {
    let fine = findings.as_expected();
    html! {
        h1 { "Verification report" }
        p.outcome.good[fine].bad[!fine] {
            @if fine { "All is as expected." } @else { "Not all is as expected." }
        }
        ul.summary { @for line in findings.summary() { li { (line) } } }
        p.small {
            (format!("Version {}, {} run with seed {}, ", env!("CARGO_PKG_VERSION"), findings.mode, findings.seed))
            (format!("{:.1} s on {} ({}). ", findings.seconds, std::env::consts::OS, std::env::consts::ARCH))
            "The same as data: " a href="report.json" { "report.json" } "."
        }
        (scope::badge())
    }
}

fn contents(findings: &Findings) -> Markup {
    html! {
        nav {
            a href="#claims" { "Claims" }
            @if !findings.mutants.is_empty() { a href="#mutants" { "Mutants" } }
            @if !findings.audits.is_empty() { a href="#audits" { "Audits" } }
            @if !findings.timings.is_empty() { a href="#timing" { "Timing" } }
            a href="#notions" { "Notions" }
            a href="#pictures" { "Pictures" }
            a href="#scope" { "Scope" }
        }
    }
}

fn how_to_read() -> Markup {
    html! {
        p {
            "Differential privacy bounds what a published number tells of one person: the odds that any guess about the person is right change by a factor of at most "
            "e" sup { "ε" } ", but for a probability of δ. This page says what this library rests on, and how each part was checked on the machine that wrote the page."
        }
        ul {
            li { b { "Claims" } " are sentences of five sets of lecture notes, and some of the literature. Those that are true were shown to hold; those that are false were refuted by a certified counterexample, and what the library does instead was shown to hold." }
            li { b { "Mutants" } " are mechanisms that are broken on purpose. Each must be caught, or the checks are worthless." }
            li { b { "Audits" } " attack the real code: from its outputs alone they prove a lower bound on the ε that it really has. A bound above the claimed ε would be a flaw." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::tests::findings;

    #[test]
    fn a_page_stands_alone_and_escapes_what_it_shows() {
        let page = render(&findings());
        assert!(page.contains("by &quot;this&quot; &amp; &lt;that&gt;"));
        assert!(!page.contains("<that>"));
        for outside in ["src=", "@import", "url(", "http://", "https://"] {
            let found = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!found.contains(outside), "the page must not fetch: {outside}");
        }
    }

    #[test]
    fn every_link_inside_the_page_has_its_target() {
        let page = render(&findings());
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("id=\"{link}\"")), "#{link}");
        }
    }

    #[test]
    fn a_bad_run_says_so_at_the_top() {
        let page = render(&findings());
        assert!(page.contains("Not all is as expected.") && page.contains("M1 (refuted instead of holds)"));
    }
}
