//! Answers in writing.

use dp_accounting::Method;
use dp_core::rounding::Enclosure;
use serde_json::Value;

use super::answer::{Answer, Found};
use super::spec::{Asked, Spec};

/// For programs. The fields are in the order of the documentation.
pub(super) fn json(spec: &Spec, answers: &[Answer], seconds: f64) -> String {
    let points = answers.iter().map(fields).collect::<Vec<_>>();
    match spec.asked {
        Asked::Curve(_) => format!("{{\"curve\":[{{{}}}],\"seconds\":{seconds}}}\n", points.join("},{")),
        _ => format!("{{{},\"seconds\":{seconds}}}\n", points.join(",")),
    }
}

/// The fields of one answer.
fn fields(answer: &Answer) -> String {
    let mut fields = Vec::new();
    let mut put = |name: &str, value: Value| fields.push(format!("\"{name}\":{value}"));
    match answer.found {
        Found::Epsilon(epsilon, delta) => {
            put("epsilon", ends(epsilon));
            put("delta", number(delta.get()));
        }
        Found::Delta(epsilon, delta) => {
            put("epsilon", number(epsilon.get()));
            put("delta", ends(delta));
        }
        Found::Parameter { solve, value, fails, target } => {
            put(solve.name(), number(value));
            put("fails", fails.map_or(Value::Null, number));
            put("epsilon", number(target.epsilon().get()));
            put("delta", number(target.delta().get()));
        }
        Found::Count { value, fails, target } => {
            put("count", value.into());
            put("fails", fails.into());
            put("epsilon", number(target.epsilon().get()));
            put("delta", number(target.delta().get()));
        }
    }
    put("method", method(answer.method).into());
    if let Some(renyi) = answer.renyi {
        put("rdp_upper", number(renyi));
    }
    if let Some(guess) = answer.guess {
        put("guess", number(guess));
    }
    if let Some(limit) = answer.limit {
        put("wide_because", limit.to_string().into());
    }
    fields.join(",")
}

/// For people.
pub(super) fn text(spec: &Spec, answers: &[Answer], seconds: f64) -> String {
    let mut blocks: Vec<String> = answers.iter().map(|answer| paragraph(spec, answer)).collect();
    blocks.push(format!("in {:.2} ms", seconds * 1e3));
    blocks.join("\n") + "\n"
}

/// One answer, in some lines.
fn paragraph(spec: &Spec, answer: &Answer) -> String {
    let between = |name: &str, ends: Enclosure| {
        if ends.lo() == f64::INFINITY {
            format!("{name} is infinite: nothing is guaranteed")
        } else {
            format!(
                "{name} lies between {} and {}",
                rounded(ends.lo(), Way::Down),
                rounded(ends.hi(), Way::Up)
            )
        }
    };
    let (mut lines, renyi) = match answer.found {
        Found::Epsilon(epsilon, delta) => (vec![format!("{} at δ = {delta}", between("ε", epsilon))], "ε ≤"),
        Found::Delta(epsilon, delta) => (vec![format!("{} at ε = {epsilon}", between("δ", delta))], "δ ≤"),
        Found::Parameter { solve, value, fails, target } => {
            let missed = fails.map_or("no other value was found to miss it".to_owned(), |fails| {
                format!("{fails} misses it")
            });
            let (epsilon, delta) = (target.epsilon(), target.delta());
            (vec![format!("{} = {value} meets ε = {epsilon}, δ = {delta}", solve.name()), missed], "ε ≤")
        }
        Found::Count { value, fails, target } => {
            let missed = fails.map_or("no larger one was found to miss it".to_owned(), |fails| {
                format!("{fails} misses it")
            });
            let (epsilon, delta) = (target.epsilon(), target.delta());
            (vec![format!("count = {value} meets ε = {epsilon}, δ = {delta}"), missed], "ε ≤")
        }
    };
    let how = match answer.method {
        Method::ClosedForm => "a formula for the whole composition",
        Method::PrivacyLoss => "the distribution of the privacy loss",
        Method::Renyi => "Rényi divergences",
        _ => "another way",
    };
    let whose = if spec.group == 1 { String::new() } else { format!(" for groups of {}", spec.group) };
    lines.push(format!("under {}{whose}, by {how} ({})", spec.relation.name(), method(answer.method)));
    if let Some(bound) = answer.renyi {
        lines.push(format!("Rényi divergences alone give {renyi} {}", rounded(bound, Way::Up)));
    }
    if let Some(guess) = answer.guess {
        lines.push(format!(
            "who guesses which of two neighbours the data are is right with a probability of at most {}, where a coin has 0.5",
            rounded(guess, Way::Up)
        ));
    }
    if let Some(limit) = answer.limit {
        lines.push(format!("wider than asked for, because {limit}"));
    }
    lines.join("\n")
}

fn method(method: Method) -> &'static str {
    match method {
        Method::ClosedForm => "closed-form",
        Method::PrivacyLoss => "pld",
        Method::Renyi => "rdp",
        _ => "other",
    }
}

fn ends(enclosure: Enclosure) -> Value {
    serde_json::json!({ "lower": number(enclosure.lo()), "upper": number(enclosure.hi()) })
}

/// JSON has no infinity.
fn number(value: f64) -> Value {
    if value.is_finite() { value.into() } else { "infinity".into() }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Up,
    Down,
}

/// Ten digits, rounded to one side: what a person copies from here is still true.
fn rounded(value: f64, way: Way) -> String {
    if !value.is_finite() {
        return "∞".to_owned();
    }
    let wrong = |text: &str| {
        let read: f64 = text.parse().unwrap_or(f64::NAN);
        match way {
            Way::Up => read < value,
            Way::Down => read > value,
        }
    };
    let written = |value: f64| {
        let short: f64 = format!("{value:.9e}").parse().unwrap_or(value);
        if short != 0.0 && !(1e-4..1e9).contains(&short.abs()) {
            format!("{short:e}")
        } else {
            short.to_string()
        }
    };
    let nearest = written(value);
    if !wrong(&nearest) {
        return nearest;
    }
    let exponent = format!("{value:e}").split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    let unit: f64 = format!("1e{}", exponent.unwrap_or(0) - 9).parse().unwrap_or(0.0);
    let moved = written(if way == Way::Up { value + unit } else { value - unit });
    if wrong(&moved) { format!("{value:e}") } else { moved }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        assert_eq!(rounded(6.907_384_494_545_113, Way::Down), "6.907384494");
        assert_eq!(rounded(6.907_384_494_545_113, Way::Up), "6.907384495");
        assert_eq!(rounded(0.0, Way::Up), "0");
        assert_eq!(rounded(f64::INFINITY, Way::Up), "∞");
        for value in
            [1e-30 / 3.0, 2.0 / 3.0, 0.1 + 0.2, 12_345.678_901_234_567, 1e300 / 7.0, 5e-324, 9.999_999_999_9]
        {
            let read = |way: Way| rounded(value, way).parse::<f64>().unwrap_or(f64::NAN);
            let (down, up) = (read(Way::Down), read(Way::Up));
            assert!(down <= value && value <= up && up - down <= 3e-9 * value, "{value:e}: {down:e} {up:e}");
        }
    }
}
