//! What a good run does not say.

use maud::{Markup, html};

use crate::verify::timing::Timing;

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
                li { b { "Side channels. " } "Anything but durations: caches, power, network traffic. Durations are measured and not promised." }
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
    let seen: Vec<_> = timings.iter().filter(|timing| timing.visible() && !timing.for_comparison()).collect();
    html! {
        li {
            b { "Durations. " }
            "The library does not draw in constant time. Bounded Laplace noise, the exponential mechanism, permute and flip and discrete Gaussian noise take longer for some private inputs than for others, or for some scales, "
            "or both: whoever can time single releases precisely learns something that no guarantee here counts. A scale that follows from public bounds is no secret; a smooth bound is. Who fears this should release at fixed times. "
            @if timings.is_empty() { "This run has not measured durations." }
            @else if seen.is_empty() { "This run has seen no difference, which does not show that there is none." }
            @else {
                "This run could tell apart: "
                @for (place, timing) in seen.iter().enumerate() {
                    @if place > 0 { "; " }
                    (timing.sampler) ", " (timing.classes) (format!(" (t = {:.1})", timing.t))
                }
                ". See the " a href="#timing" { "table" } "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_clock_can_tell_apart_is_said() {
        let timing = |sampler, t| Timing {
            sampler,
            classes: "small versus large",
            t,
            nanoseconds: (1.0, 2.0),
            draws: 9,
        };
        let page = section(&[timing("slow noise", -9.0), timing("even noise", 1.0)]).into_string();
        assert!(page.contains("slow noise, small versus large (t = -9.0)") && !page.contains("even noise"));
        assert!(section(&[timing("even noise", 1.0)]).into_string().contains("has seen no difference"));
        assert!(section(&[]).into_string().contains("has not measured"));
    }
}
