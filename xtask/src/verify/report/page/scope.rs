//! What a good run does not say.

use maud::{Markup, html};

/// The assumptions, and what nothing here looks at.
pub(super) fn section() -> Markup {
    html! {
        section #scope {
            h2 { "Scope: what is not checked" }
            ul {
                li { b { "Randomness. " } "That the operating system's randomness is random, and that ChaCha20 cannot be told from it. Audits draw from a fixed seed, so that a run can be repeated; releases do not." }
                li { b { "Memory. " } "That nobody else reads the memory of the process, its swap space or its core dumps." }
                li { b { "Side channels. " } "Anything but the durations in the table above: caches, power, network traffic. Durations themselves are measured, not promised." }
                li { b { "Public facts. " } "That bounds, sizes, keys and parameters which a program declares were not taken from the private data." }
                li { b { "The compiler and the processor. " } "That they do what they say, and that floating-point arithmetic follows IEEE 754." }
                li { b { "Grids. " } "Formulas are checked on grids of parameters and on small domains, as each claim says. Between the points the proofs in the source stand, which no machine has checked." }
                li { b { "Lower bounds. " } "An audit that finds little has proven little: it can find a flaw, and cannot show that there is none." }
            }
        }
    }
}
