//! Exact numbers that are enclosed.

use dp_core::rounding::Enclosure;

use super::Caught;

/// Compares what a promise allows with what two mechanisms do. The broken one is caught if it
/// surely exceeds the limit and the right one surely does not.
pub(super) fn certified(what: &str, limit: f64, broken: Enclosure, right: Enclosure) -> Caught {
    Caught {
        caught: broken.lo() > limit && right.hi() <= limit,
        by: format!(
            "{what}: at least {:.5e} where {limit:.5e} is promised; the library's is at most {:.5e}",
            broken.lo(),
            right.hi()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_counts() {
        let caught = |broken: (f64, f64), right: (f64, f64)| {
            certified("", 1.0, Enclosure::new(broken.0, broken.1), Enclosure::new(right.0, right.1)).caught
        };
        assert!(caught((1.1, 1.2), (0.9, 1.0)));
        assert!(!caught((0.9, 1.2), (0.9, 1.0))); // perhaps not broken
        assert!(!caught((1.1, 1.2), (0.9, 1.1))); // perhaps the library's is, too
    }
}
