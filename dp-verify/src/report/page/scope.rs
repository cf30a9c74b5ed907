//! What a good run does not say.

use maud::{Markup, html};

use crate::timing::{Expected, Timing};

/// The scope in a line, for the top of the page.
pub(super) fn badge() -> Markup {
    html! {
        p.badge {
            b { "Not checked: " }
            "the randomness of the operating system, memory, side channels beyond a timing test (which finds some), compiler and processor, and whether declared bounds are public. "
            a href="#scope" { "The whole scope" } "."
        }
    }
}

/// The assumptions, and what nothing here looks at.
pub(super) fn section(timings: &[Timing]) -> Markup {
    html! {
        section #scope {
            h2 { "Scope: what is not checked" }
            p { "All that this page says rests on these, and it tests none of them but durations." }
            ul {
                li { b { "Randomness. " } "That the operating system's randomness is random, and that ChaCha20 cannot be told from it. Audits draw from a fixed seed, so that a run can be repeated; releases do not." }
                li { b { "Memory. " } "That nobody else reads the memory of the process, its swap space or its core dumps." }
                li { b { "Side channels. " } "Anything but durations: caches, power, network traffic." }
                (durations(timings))
                li { b { "Public facts. " } "That bounds, sizes, keys and parameters which a program declares were not taken from the private data." }
                li { b { "The compiler and the processor. " } "That they do what they say, and that floating-point arithmetic follows IEEE 754." }
                li { b { "Grids. " } "Formulas are checked on grids of parameters and on small domains, as each claim says. Between the points the proofs in the source stand, which no machine has checked." }
                li { b { "Lower bounds. " } "An audit that finds little has proven little: it can find a flaw, and cannot show that there is none." }
            }
        }
    }
}

/// What the clock tells, as this run has seen it.
fn durations(timings: &[Timing]) -> Markup {
    let judged: Vec<_> = timings.iter().filter(|timing| timing.expected == Expected::Even).collect();
    let seen: Vec<_> = judged.iter().filter(|timing| timing.shows).collect();
    html! {
        li {
            b { "Durations. " }
            "Which way a draw takes depends on the noise and on the ideal release, not on the private input; the library does not draw in constant time. Durations tell public parameters, how long lists are, how many cells of an open histogram are occupied, and that "
            "a draw was one of the few in thousands that take the slow path. The time in which an answer or a smooth bound is computed is outside the promise: who fears this should release at fixed times. "
            @if judged.is_empty() { "This run has not measured durations." }
            @else if seen.is_empty() { "This run has seen no input that shows, which does not prove that there is none." }
            @else {
                "This run could tell apart: "
                @for (place, timing) in seen.iter().enumerate() {
                    @if place > 0 { "; " }
                    (timing.sampler) ", " (timing.classes) (format!(" ({:+.0} %)", 100.0 * timing.effect))
                }
                ". See the " a href="#timing" { "table" } "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::tests::timing;

    #[test]
    fn what_the_clock_can_tell_apart_is_said() {
        let [slow, even] = [("slow noise", true), ("even noise", false)]
            .map(|(name, shows)| timing(name, Expected::Even, shows));
        let page = section(&[slow, even.clone()]).into_string();
        assert!(page.contains("slow noise, one and another (-50 %)") && !page.contains("even noise"));
        assert!(
            section(&[even, timing("control", Expected::Shows, true)])
                .into_string()
                .contains("no input that shows")
        );
        assert!(section(&[]).into_string().contains("has not measured"));
    }
}
