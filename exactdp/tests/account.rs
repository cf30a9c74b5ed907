//! `exactdp account`: what it answers, what it refuses and with which words, and that nothing makes
//! it panic.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use exactdp::command::account::respond;
use serde_json::{Value, json};

/// The answer to a spec, as a program reads it.
fn ask(spec: &str) -> Value {
    let answer = respond(spec.as_bytes(), true, 1e-4).unwrap_or_else(|bad| panic!("{spec}: {bad}"));
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{answer}: {error}"))
}

/// A spec with these parts and this question.
fn spec(adjacency: &str, compose: &str, question: &str) -> String {
    format!(r#"{{"adjacency":"{adjacency}","compose":[{compose}],{question}}}"#)
}

/// Whether an interval of an answer contains a number and is narrow.
fn assert_encloses(interval: &Value, truth: f64) {
    let end = |name: &str| interval[name].as_f64().unwrap_or_else(|| panic!("{interval}"));
    let (lower, upper) = (end("lower"), end("upper"));
    assert!(lower <= truth && truth <= upper && upper - lower <= 1e-4 * upper, "{interval}, {truth}");
}

const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":1}"#;

#[test]
fn known_answers() {
    let steps = r#"{"kind":"poisson","rate":0.01,"of":{"kind":"gaussian","sigma":1.0},"count":10000}"#;
    let answer = ask(&spec("add-remove", steps, r#""delta":1e-6"#));
    assert_encloses(&answer["epsilon"], 6.907_384_495);
    assert_eq!((&answer["delta"], &answer["method"]), (&json!(1e-6), &json!("pld")));

    // μ = 1 at ε = 1, whatever the units, and whatever 4 releases of half of it are called.
    for parts in [
        GAUSSIAN,
        r#"{"kind":"gaussian","sigma":3,"sensitivity":3.0}"#,
        r#"{"kind":"gaussian","sigma":2,"count":4}"#,
        r#"{"kind":"gaussian","sigma":2,"count":3},{"kind":"gaussian","sigma":2.0}"#,
    ] {
        for adjacency in ["add-remove", "replace-one"] {
            let answer = ask(&spec(adjacency, parts, r#""epsilon":1"#));
            assert_encloses(&answer["delta"], 0.126_936_737_506_643_95);
            assert_eq!((&answer["epsilon"], &answer["method"]), (&json!(1.0), &json!("closed-form")));
            // Φ(½): half of the total variation 2Φ(½) − 1 beside the coin.
            let guess = answer["guess"].as_f64().unwrap_or_else(|| panic!("{answer}"));
            assert!((0.691_462_461_274..0.691_53).contains(&guess), "{guess}");
        }
    }
    // ln of the ratio at the only two outcomes; all of it at δ = 0.
    let response =
        ask(&spec("add-remove", r#"{"kind":"randomized-response","epsilon":1.5}"#, r#""delta":0"#));
    assert_encloses(&response["epsilon"], 1.5);
}

#[test]
fn every_kind_is_understood() {
    let kinds = [
        r#"{"kind":"laplace","scale":2.0,"sensitivity":0.5,"count":5}"#,
        r#"{"kind":"discrete-laplace","scale":2.0}"#,
        r#"{"kind":"discrete-gaussian","sigma":2.0,"sensitivity":2}"#,
        r#"{"kind":"randomized-response","epsilon":1.0,"count":3}"#,
        r#"{"kind":"pure","epsilon":0.1,"count":1e1}"#,
        r#"{"kind":"approx","epsilon":0.1,"delta":1e-8}"#,
        GAUSSIAN,
    ];
    for kind in kinds {
        let upper =
            |parts: &str| ask(&spec("replace-one", parts, r#""delta":1e-6"#))["epsilon"]["upper"].as_f64();
        let (once, twice) = (upper(kind), upper(&format!("{kind},{kind}")));
        assert!(once.is_some_and(|epsilon| epsilon > 0.0) && twice > once, "{kind}: {once:?} {twice:?}");
    }
    let batch =
        r#"{"kind":"without-replacement","n":1000,"batch":10,"of":{"kind":"pure","epsilon":1},"count":5}"#;
    let batch = ask(&spec("replace-one", batch, r#""delta":1e-6"#));
    assert!(
        batch["epsilon"]["upper"].as_f64().is_some_and(|epsilon| 0.0 < epsilon && epsilon < 0.1),
        "{batch}"
    );
    ask(&spec("add-remove", r#"{"kind":"zcdp","rho":0.1}"#, r#""delta":1e-6"#));
}

#[test]
fn infinity_is_a_word() {
    let answer = ask(&spec("add-remove", GAUSSIAN, r#""delta":0"#));
    assert_eq!(answer["epsilon"]["upper"], "infinity");
    let text =
        respond(spec("add-remove", GAUSSIAN, r#""delta":0"#).as_bytes(), false, 1e-4).unwrap_or_default();
    assert!(text.contains('∞') || text.contains("infinite"), "{text}");
}

#[test]
fn parameters_are_found() {
    let step = |rate: &str, sigma: &str, count: &str| {
        format!(r#"{{"kind":"poisson"{rate},"of":{{"kind":"gaussian"{sigma},"sensitivity":10}}{count}}}"#)
    };
    let solve = |part: &str, name: &str| {
        let answer =
            ask(&spec("add-remove", part, &format!(r#""solve":"{name}","epsilon":8.0,"delta":1e-5"#)));
        assert_eq!((&answer["epsilon"], &answer["delta"]), (&json!(8.0), &json!(1e-5)));
        (answer[name].as_f64().unwrap_or(f64::NAN), answer["fails"].as_f64().unwrap_or(f64::NAN))
    };
    // The reference value is 0.8159888875 at sensitivity 1.
    let (sigma, fails) = solve(&step(r#","rate":0.032"#, "", r#","count":625"#), "sigma");
    assert!(
        (8.159_888_87..8.159_897).contains(&sigma) && fails < sigma && fails > sigma * (1.0 - 1e-6),
        "{sigma} {fails}"
    );
    let sigma = format!(r#","sigma":{sigma}"#);
    let (rate, fails) = solve(&step("", &sigma, r#","count":625"#), "rate");
    assert!((rate - 0.032).abs() < 1e-6 && fails > rate, "{rate} {fails}");
    let (count, fails) = solve(&step(r#","rate":0.032"#, &sigma, ""), "count");
    assert!(count == 625.0 && fails == 626.0, "{count} {fails}");

    // 3/b ≤ 1.5 beside a pure 0.5.
    let parts = r#"{"kind":"laplace","count":3},{"kind":"pure","epsilon":0.5}"#;
    let answer = ask(&spec("replace-one", parts, r#""solve":"scale","epsilon":2,"delta":0"#));
    let scale = answer["scale"].as_f64().unwrap_or(f64::NAN);
    assert!((2.0..2.000_003).contains(&scale), "{answer}");
}

/// Each spec, and the message that it must be refused with.
const REFUSED: &[(&str, &str)] = &[
    ("[]", "the spec must be an object, but a list was passed"),
    ("{}", "adjacency is missing: pass one of \"add-remove\", \"replace-one\""),
    (
        r#"{"adjacency":"swap","delta":0.1}"#,
        r#"adjacency must be one of "add-remove", "replace-one", but the text "swap" was passed"#,
    ),
    (
        r#"{"adjacency":"add-remove"}"#,
        "delta is missing: pass it to learn epsilon, or epsilon to learn delta",
    ),
    (r#"{"adjacency":"add-remove","delta":0.1}"#, "compose is missing: pass a list of mechanisms"),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"compose":{}}"#,
        "compose must be a list of mechanisms, but an object was passed",
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"compose":[]}"#,
        "compose is empty: pass at least one mechanism",
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"compose":[],"steps":3}"#,
        "steps is not known here: there may be adjacency, group, compose, epsilon, delta, solve",
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"compose":[3]}"#,
        "compose[0] must be an object, but 3 was passed",
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"compose":[{}]}"#,
        r#"compose[0].kind is missing: pass one of "gaussian", "laplace", "discrete-gaussian", "discrete-laplace", "randomized-response", "bounded-range", "finite", "pure", "approx", "gdp", "zcdp", "rdp", "poisson", "without-replacement", "parallel""#,
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"delta":0.2}"#,
        "delta cannot be read: it is there twice at line 1 column 45",
    ),
    (r#"{"adjacency":"add-remove","delta":1.0}"#, "delta must lie in [0, 1), but 1 was passed"),
    (r#"{"adjacency":"add-remove","delta":-1e-9}"#, "delta must lie in [0, 1), but -1e-9 was passed"),
    (
        r#"{"adjacency":"add-remove","delta":"1e-6"}"#,
        r#"delta must be a number, but the text "1e-6" was passed: write it without quotation marks, and with a decimal point"#,
    ),
    (r#"{"adjacency":"add-remove","epsilon":-1}"#, "epsilon must lie in [0, ∞), but -1 was passed"),
    (
        r#"{"adjacency":"add-remove","epsilon":1,"delta":0.1}"#,
        "epsilon and delta are both given: leave out the one to be found, or say what to `solve`",
    ),
    (
        r#"{"adjacency":"add-remove","epsilon":1,"solve":"sigma"}"#,
        "delta is missing: `solve` needs both epsilon and delta",
    ),
    (
        r#"{"adjacency":"add-remove","delta":0.1,"solve":"sigma"}"#,
        "epsilon is missing: `solve` needs both epsilon and delta",
    ),
    (
        r#"{"adjacency":"add-remove","epsilon":1,"delta":0.1,"solve":"mu"}"#,
        r#"solve must be one of "sigma", "scale", "rate", "count", but the text "mu" was passed"#,
    ),
];

/// Each part of a composition under add-remove, and the message.
const REFUSED_PARTS: &[(&str, &str)] = &[
    (
        r#"{"kind":"gauss"}"#,
        r#"compose[1].kind must be one of "gaussian", "laplace", "discrete-gaussian", "discrete-laplace", "randomized-response", "bounded-range", "finite", "pure", "approx", "gdp", "zcdp", "rdp", "poisson", "without-replacement", "parallel", but the text "gauss" was passed"#,
    ),
    (r#"{"kind":"gaussian"}"#, "compose[1].sigma is missing: pass a number from (0, ∞)"),
    (r#"{"kind":"gaussian","sigma":0}"#, "compose[1].sigma must lie in (0, ∞), but 0 was passed"),
    (r#"{"kind":"gaussian","sigma":-2.5}"#, "compose[1].sigma must lie in (0, ∞), but -2.5 was passed"),
    (r#"{"kind":"gaussian","sigma":null}"#, "compose[1].sigma must be a number, but null was passed"),
    (
        r#"{"kind":"gaussian","sigma":1e400}"#,
        "compose[1].sigma cannot be read: number out of range at line 1 column 99; write JSON, with decimals as 0.5",
    ),
    (
        r#"{"kind":"gaussian","sigma":1e-400}"#,
        "compose[1].sigma cannot be read: 1e-400 would be taken for 0 (write 0, or at least 5e-324) at line 1 column 100",
    ),
    (
        r#"{"kind":"gaussian","sigma":NaN}"#,
        "compose[1].sigma cannot be read: expected value at line 1 column 95; write JSON, with decimals as 0.5",
    ),
    (
        r#"{"kind":"gaussian","sigma":1,"scale":1}"#,
        "compose[1].scale is not known here: there may be kind, sigma, sensitivity, count",
    ),
    (
        r#"{"kind":"gaussian","sigma":1,"sensitivity":0}"#,
        "compose[1].sensitivity must lie in (0, ∞), but 0 was passed",
    ),
    (
        r#"{"kind":"gaussian","sigma":1,"count":-1}"#,
        "compose[1].count must be a whole number from 0 to 18446744073709551615, but -1 was passed",
    ),
    (
        r#"{"kind":"gaussian","sigma":1,"count":2.5}"#,
        "compose[1].count must be a whole number from 0 to 18446744073709551615, but 2.5 was passed",
    ),
    (
        r#"{"kind":"gaussian","sigma":1,"count":18446744073709551616}"#,
        "compose[1].count must be a whole number from 0 to 18446744073709551615, but 1.8446744073709552e19 was passed",
    ),
    (r#"{"kind":"laplace","scale":0.0}"#, "compose[1].scale must lie in (0, ∞), but 0 was passed"),
    (
        r#"{"kind":"discrete-laplace","scale":1,"sensitivity":1.5}"#,
        "compose[1].sensitivity must be a whole number from 1 to 4294967295, but 1.5 was passed",
    ),
    (
        r#"{"kind":"discrete-gaussian","sigma":1,"sensitivity":0}"#,
        "compose[1].sensitivity must be a whole number from 1 to 4294967295, but 0 was passed",
    ),
    (
        r#"{"kind":"randomized-response","epsilon":-0.1}"#,
        "compose[1].epsilon must lie in [0, ∞), but -0.1 was passed",
    ),
    (r#"{"kind":"pure"}"#, "compose[1].epsilon is missing: pass a number from [0, ∞)"),
    (
        r#"{"kind":"approx","epsilon":1,"delta":1.5}"#,
        "compose[1].delta must lie in [0, 1], but 1.5 was passed",
    ),
    (r#"{"kind":"zcdp","rho":true}"#, "compose[1].rho must be a number, but true was passed"),
    (
        r#"{"kind":"poisson","of":{"kind":"pure","epsilon":1}}"#,
        "compose[1].rate is missing: pass a number from [0, 1]",
    ),
    (
        r#"{"kind":"poisson","rate":1.01,"of":{"kind":"pure","epsilon":1}}"#,
        "compose[1].rate must lie in [0, 1], but 1.01 was passed",
    ),
    (
        r#"{"kind":"poisson","rate":0.1}"#,
        "compose[1].of is missing: pass the mechanism that is run on a sample",
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":"gaussian"}"#,
        r#"compose[1].of must be an object, but the text "gaussian" was passed"#,
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"gaussian","sigma":0}}"#,
        "compose[1].of.sigma must lie in (0, ∞), but 0 was passed",
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"gaussian","sigma":1,"count":2}}"#,
        "compose[1].of.count must stand beside `of`, not in it: each run draws a sample of its own",
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"poisson","rate":0.1}}"#,
        "compose[1].of.kind must not be a sample again: sample once, at the product of the two rates",
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"zcdp","rho":1}}"#,
        r#"compose[1].of.kind must not be "zcdp": what a sample of it costs does not follow from rho"#,
    ),
    (
        r#"{"kind":"randomized-response","epsilon":1,"answers":1}"#,
        "compose[1].answers must be a whole number from 2 to 4294967295, but 1 was passed",
    ),
    (r#"{"kind":"bounded-range"}"#, "compose[1].range is missing: pass a number from [0, ∞)"),
    (r#"{"kind":"gdp","mu":-1}"#, "compose[1].mu must lie in [0, ∞), but -1 was passed"),
    (r#"{"kind":"finite","p":[1]}"#, "compose[1].q is missing: pass a list of numbers from [0, ∞)"),
    (
        r#"{"kind":"finite","p":[1,2],"q":[1]}"#,
        "compose[1].q and p have 1 and 2 entries: list a weight for each outcome in both",
    ),
    (
        r#"{"kind":"finite","p":[0,0],"q":[1,2]}"#,
        "compose[1].p must have a positive and finite sum: pass weights, such as probabilities",
    ),
    (r#"{"kind":"finite","p":[1,-2],"q":[1,2]}"#, "compose[1].p[1] must lie in [0, ∞), but -2 was passed"),
    (
        r#"{"kind":"finite","p":[],"q":[]}"#,
        "compose[1].p is empty: pass a list of numbers from [0, ∞), with at least one in it",
    ),
    (r#"{"kind":"rdp","orders":3}"#, "compose[1].orders must be a list of pairs [α, ε], but 3 was passed"),
    (r#"{"kind":"rdp","orders":[3]}"#, "compose[1].orders[0] must be a pair [α, ε], but 3 was passed"),
    (
        r#"{"kind":"rdp","orders":[[3]]}"#,
        "compose[1].orders[0] must be a pair [α, ε], but a list of 1 was passed",
    ),
    (r#"{"kind":"rdp","orders":[[1,2]]}"#, "compose[1].orders[0][0] must lie in (1, ∞), but 1 was passed"),
    (
        r#"{"kind":"rdp","orders":[[3,2],[3,4]]}"#,
        "compose[1].orders[1] must have a larger order than the pair before it: sort them by order",
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"rdp","orders":[[2,1]]}}"#,
        r#"compose[1].of.kind must not be "rdp": what a sample of it costs does not follow from some orders"#,
    ),
    (
        r#"{"kind":"poisson","rate":0.1,"of":{"kind":"parallel","parts":[]}}"#,
        r#"compose[1].of.kind must not be "parallel": pass one mechanism, and put the samples into the parts"#,
    ),
    (
        r#"{"kind":"parallel","parts":[]}"#,
        "compose[1].parts is empty: pass a list of lists of mechanisms, one for each part of the data, with at least one in it",
    ),
    (
        r#"{"kind":"parallel","parts":[{"kind":"pure","epsilon":1}]}"#,
        "compose[1].parts[0] must be a list of mechanisms, but an object was passed",
    ),
    (
        r#"{"kind":"parallel","parts":[[{"kind":"pure","epsilon":-1}]]}"#,
        "compose[1].parts[0][0].epsilon must lie in [0, ∞), but -1 was passed",
    ),
    (
        r#"{"kind":"parallel","parts":[[{"kind":"parallel","parts":[[]]}]]}"#,
        r#"compose[1].parts[0][0].kind must not be "parallel" within a part: list the parts of parts beside each other"#,
    ),
    (
        r#"{"kind":"parallel","parts":[[]],"count":2}"#,
        "compose[1].count is not known here: there may be kind, parts",
    ),
    (
        r#"{"kind":"without-replacement","n":10,"batch":1,"of":{}}"#,
        r#"compose[1].kind must not be "without-replacement", which belongs to the adjacency "replace-one": pass that adjacency, or take "poisson""#,
    ),
];

#[test]
fn bad_specs_are_refused_in_words() {
    let message = |spec: &str| respond(spec.as_bytes(), true, 1e-4).map_err(|bad| bad.to_string());
    for (spec, expected) in REFUSED {
        assert_eq!(message(spec), Err((*expected).to_owned()), "{spec}");
    }
    for (part, expected) in REFUSED_PARTS {
        let spec = spec("add-remove", &format!("{GAUSSIAN},{part}"), r#""delta":1e-6"#);
        assert_eq!(message(&spec), Err((*expected).to_owned()), "{spec}");
    }
    let under_replace_one = [
        (
            r#"{"kind":"poisson","rate":0.1,"of":{}}"#,
            r#"compose[0].kind must not be "poisson", which belongs to the adjacency "add-remove": pass that adjacency, or take "without-replacement""#,
        ),
        (
            r#"{"kind":"without-replacement","n":10,"batch":11,"of":{}}"#,
            "compose[0].batch must be a whole number from 1 to 10, but 11 was passed",
        ),
        (
            r#"{"kind":"without-replacement","n":0,"batch":0,"of":{}}"#,
            "compose[0].n must be a whole number from 1 to 18446744073709551615, but 0 was passed",
        ),
        (
            r#"{"kind":"parallel","parts":[[]]}"#,
            r#"compose[0].kind must not be "parallel" under "replace-one", where a record may leave one part and enter another: list the two dearest parts in compose"#,
        ),
    ];
    for (part, expected) in under_replace_one {
        assert_eq!(message(&spec("replace-one", part, r#""delta":1e-6"#)), Err(expected.to_owned()));
    }
}

#[test]
fn groups_and_curves_are_refused_where_nothing_is_known() {
    let message = |compose: &str, question: &str| {
        respond(spec("add-remove", compose, question).as_bytes(), true, 1e-4).unwrap_err().to_string()
    };
    let group = r#""group":2,"delta":1e-6"#;
    for (part, expected) in [
        (
            r#"{"kind":"poisson","rate":0.1,"of":{"kind":"pure","epsilon":1}}"#,
            "compose[0].kind must not be a sample beside `group`: what it costs a group does not follow from what it costs one record",
        ),
        (
            r#"{"kind":"finite","p":[1,2],"q":[2,1]}"#,
            "compose[0].kind must not be a finite pair beside `group`: what it costs a group does not follow from what it costs one record",
        ),
        (
            r#"{"kind":"parallel","parts":[[]]}"#,
            r#"compose[0].kind must not be "parallel" beside `group`, whose records may lie in several parts: list these parts in compose"#,
        ),
        (
            r#"{"kind":"discrete-laplace","scale":1,"sensitivity":4294967295}"#,
            "the spec has no answer: a whole sensitivity of a group beyond 4294967295 is not possible: pass a smaller group, or noise on real numbers",
        ),
    ] {
        assert_eq!(message(part, group), expected);
    }
    assert_eq!(
        message(GAUSSIAN, r#""group":0,"delta":1e-6"#),
        "group must be a whole number from 1 to 4294967295, but 0 was passed"
    );
    for (question, expected) in [
        (r#""epsilon":[]"#, "epsilon is empty: pass a list of numbers from [0, ∞), with at least one in it"),
        (r#""epsilon":[1,-1]"#, "epsilon[1] must lie in [0, ∞), but -1 was passed"),
        (r#""delta":[0.1,1]"#, "delta[1] must lie in [0, 1), but 1 was passed"),
        (r#""epsilon":[1],"delta":1e-6"#, "delta must not be given beside a list of epsilon: leave it out"),
        (r#""epsilon":1,"delta":[1e-6]"#, "epsilon must not be given beside a list of delta: leave it out"),
        (r#""delta":[1e-6],"solve":"sigma""#, "solve must not be given beside a list of delta: leave it out"),
    ] {
        assert_eq!(message(GAUSSIAN, question), expected);
    }
    let part = r#"{"kind":"parallel","parts":[[],[],[],[],[],[],[],[],[],[]]}"#;
    assert_eq!(
        message(&[part; 4].join(","), r#""delta":1e-6"#),
        "compose has more than 1000 combinations of parts: merge parts that are alike"
    );
    assert_eq!(
        message(
            r#"{"kind":"parallel","parts":[[{"kind":"gaussian"}]]}"#,
            r#""solve":"sigma","epsilon":1,"delta":1e-6"#
        ),
        r#"compose[0].kind must not be "parallel" beside `solve`: solve for each part by itself"#
    );
    assert!(
        message(GAUSSIAN, r#""delta":1e-400"#)
            .starts_with("delta cannot be read: 1e-400 would be taken for 0")
    );
}

/// Values by formulas that share nothing with the accountant.
#[test]
fn what_the_library_has_can_be_asked_for() {
    let delta = |part: &str, epsilon: f64| {
        ask(&spec("add-remove", part, &format!(r#""epsilon":{epsilon}"#)))["delta"].clone()
    };
    // Bounded range: (e^(r/2) − e^(ε/2))²/(e^r − 1).
    let (range, epsilon) = (2.0f64, 0.5f64);
    let truth = ((range / 2.0).exp() - (epsilon / 2.0).exp()).powi(2) / range.exp_m1();
    assert_encloses(&delta(r#"{"kind":"bounded-range","range":2}"#, epsilon), truth);
    // Between k answers: the own one with probability e^ε₀/(e^ε₀ + k − 1), each other one with
    // 1/(e^ε₀ + k − 1).
    let (own, answers) = (3.0f64, 5.0f64);
    let truth = (own.exp() - epsilon.exp()) / (own.exp() + answers - 1.0);
    assert_encloses(&delta(r#"{"kind":"randomized-response","epsilon":3,"answers":5}"#, epsilon), truth);
    // A list of outcomes: Σ max(0, p − e^ε·q), in the worse direction.
    let (p, q) = ([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]);
    let truth: f64 = p.iter().zip(&q).map(|(p, q)| (p - 0.5f64.exp() * q).max(0.0)).sum();
    assert_encloses(&delta(r#"{"kind":"finite","p":[2,1,1],"q":[1,1,2]}"#, epsilon), truth);
    // μ-GDP is what Gaussian noise of σ = 1/μ has.
    assert_encloses(&delta(r#"{"kind":"gdp","mu":0.5,"count":4}"#, 1.0), 0.126_936_737_506_643_95);
    // One Rényi order: ε = D + ln(1/δ)/(α−1) is an upper bound, and the library's conversion is no
    // worse.
    let rdp = ask(&spec(
        "replace-one",
        r#"{"kind":"rdp","orders":[[2,0.1],[8,0.4]],"count":2}"#,
        r#""delta":1e-6"#,
    ));
    let simple = 0.8 + 1e6f64.ln() / 7.0;
    assert!(
        rdp["epsilon"]["upper"].as_f64().is_some_and(|upper| 0.5 * simple < upper && upper <= simple),
        "{rdp}"
    );
    assert_eq!(rdp["method"], "rdp");
}

#[test]
fn of_parallel_parts_the_dearest_counts() {
    let laplace = |scale: f64| format!(r#"{{"kind":"laplace","scale":{scale}}}"#);
    let parallel = |parts: &[String]| format!(r#"{{"kind":"parallel","parts":[[{}]]}}"#, parts.join("],["));
    let upper = |parts: &str| {
        ask(&spec("add-remove", parts, r#""delta":1e-6"#))["epsilon"]["upper"].as_f64().unwrap_or(f64::NAN)
    };
    let two = parallel(&[laplace(3.0), format!("{},{}", laplace(3.0), laplace(2.0)), laplace(4.0)]);
    let dearest = format!("{},{}", laplace(3.0), laplace(2.0));
    assert_eq!(upper(&two), upper(&dearest));
    // Beside something that all records are in, and in two steps.
    assert_eq!(upper(&format!("{GAUSSIAN},{two}")), upper(&format!("{GAUSSIAN},{dearest}")));
    assert_eq!(
        upper(&format!("{two},{}", parallel(&[laplace(9.0), laplace(1.0)]))),
        upper(&format!("{dearest},{}", laplace(1.0)))
    );
    // Which part is the dearest may depend on δ: δ(ε) is the larger one at every ε.
    let parts = [r#"{"kind":"pure","epsilon":0.5}"#.to_owned(), r#"{"kind":"gdp","mu":0.2}"#.to_owned()];
    let curve = ask(&spec("add-remove", &parallel(&parts), r#""epsilon":[0,0.2,0.4,0.6]"#));
    for (point, epsilon) in curve["curve"].as_array().expect("a list").iter().zip([0.0, 0.2, 0.4, 0.6]) {
        let of = |part: &String| {
            ask(&spec("add-remove", part, &format!(r#""epsilon":{epsilon}"#)))["delta"]["upper"].as_f64()
        };
        let [a, b] = [of(&parts[0]), of(&parts[1])];
        assert_eq!(point["delta"]["upper"].as_f64(), if a > b { a } else { b });
        assert_eq!(point["epsilon"], json!(epsilon));
    }
    assert_eq!(upper(&parallel(&[String::new()])), 0.0);
}

#[test]
fn groups_cost_what_their_notion_says() {
    let answer = |part: &str, group: u32| {
        ask(&spec("add-remove", part, &format!(r#""group":{group},"delta":1e-6"#)))["epsilon"]["upper"]
            .clone()
    };
    for (one, three) in [
        (r#"{"kind":"gaussian","sigma":2}"#, r#"{"kind":"gaussian","sigma":2,"sensitivity":3}"#),
        (
            r#"{"kind":"laplace","scale":2,"count":2}"#,
            r#"{"kind":"laplace","scale":2,"sensitivity":3,"count":2}"#,
        ),
        (
            r#"{"kind":"discrete-gaussian","sigma":20,"sensitivity":2}"#,
            r#"{"kind":"discrete-gaussian","sigma":20,"sensitivity":6}"#,
        ),
        (
            r#"{"kind":"discrete-laplace","scale":2}"#,
            r#"{"kind":"discrete-laplace","scale":2,"sensitivity":3}"#,
        ),
        (r#"{"kind":"pure","epsilon":0.5}"#, r#"{"kind":"pure","epsilon":1.5}"#),
        (r#"{"kind":"randomized-response","epsilon":0.5,"answers":7}"#, r#"{"kind":"pure","epsilon":1.5}"#),
        (
            r#"{"kind":"bounded-range","range":0.5,"count":2}"#,
            r#"{"kind":"bounded-range","range":1.5,"count":2}"#,
        ),
        (r#"{"kind":"gdp","mu":0.5}"#, r#"{"kind":"gdp","mu":1.5}"#),
        (r#"{"kind":"zcdp","rho":0.5}"#, r#"{"kind":"zcdp","rho":4.5}"#),
    ] {
        assert_eq!(answer(one, 3), answer(three, 1), "{one}");
        assert_ne!(answer(one, 3), answer(one, 1), "{one}");
    }
    // (ε,δ) becomes (kε, δ(e^kε − 1)/(e^ε − 1)).
    let delta = 1e-9 * 1.5f64.exp_m1() / 0.5f64.exp_m1();
    let group = ask(&spec(
        "add-remove",
        r#"{"kind":"approx","epsilon":0.5,"delta":1e-9}"#,
        r#""group":3,"epsilon":1.5"#,
    ));
    let upper = group["delta"]["upper"].as_f64().unwrap_or(f64::NAN);
    assert!(delta * (1.0 - 1e-12) <= upper && upper <= delta * (1.0 + 1e-9), "{upper} {delta}");
    let text = respond(spec("add-remove", GAUSSIAN, r#""group":3,"delta":1e-6"#).as_bytes(), false, 1e-4);
    assert!(text.is_ok_and(|text| text.contains("under add-remove for groups of 3")));
}

#[test]
fn curves_are_the_answers_at_their_points() {
    let step = r#"{"kind":"poisson","rate":0.01,"of":{"kind":"gaussian","sigma":1.0},"count":1000}"#;
    for (name, points) in [("epsilon", [0.5, 1.0, 2.0]), ("delta", [1e-3, 1e-5, 1e-7])] {
        let curve = ask(&spec("add-remove", step, &format!(r#""{name}":{points:?}"#)));
        let curve = curve["curve"].as_array().expect("a list").clone();
        assert_eq!(curve.len(), 3);
        for (point, at) in curve.iter().zip(points) {
            let mut alone = ask(&spec("add-remove", step, &format!(r#""{name}":{at}"#)));
            alone.as_object_mut().expect("an object").remove("seconds");
            assert_eq!(*point, alone);
        }
    }
    let text =
        respond(spec("add-remove", step, r#""epsilon":[0.5,1]"#).as_bytes(), false, 1e-4).unwrap_or_default();
    assert_eq!(text.matches("δ lies between").count(), 2, "{text}");
}

#[test]
fn what_is_to_be_found_must_be_missing_once() {
    let message = |compose: &str, solve: &str| {
        let spec = spec("add-remove", compose, &format!(r#""solve":"{solve}","epsilon":1,"delta":1e-6"#));
        respond(spec.as_bytes(), true, 1e-4).map_err(|bad| bad.to_string()).unwrap_err()
    };
    let open = r#"{"kind":"gaussian"}"#;
    assert_eq!(
        message(GAUSSIAN, "sigma"),
        "solve asks for sigma, but no part of compose lacks it: leave it out where it is to be found"
    );
    assert_eq!(
        message(&format!("{open},{open}"), "sigma"),
        "solve asks for one sigma, but compose[0].sigma and compose[1].sigma are both missing: fill in all but one"
    );
    assert_eq!(message(open, "scale"), "compose[0].sigma is missing: pass a number from (0, ∞)");
    let unreachable = message(&format!(r#"{open},{{"kind":"pure","epsilon":2}}"#), "sigma");
    assert!(
        unreachable.starts_with(
            "the spec has no answer: this (ε,δ), whatever the value of the parameter, is not possible"
        ),
        "{unreachable}"
    );
}

/// Runs the program itself.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_exactdp"))
        .arg("account")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It may refuse its arguments and never read.
    let _ = child.stdin.take().expect("it has an input").write_all(input);
    child.wait_with_output().expect("the program ends")
}

#[test]
fn the_program_reads_files_and_standard_input() {
    let spec = spec("add-remove", GAUSSIAN, r#""epsilon":1.0"#);
    let path = std::env::temp_dir().join(format!("account-{}.json", std::process::id()));
    std::fs::write(&path, &spec).expect("a file can be written");
    let file = path.to_str().expect("a path in UTF-8");
    for (arguments, input) in [
        (vec![file, "--json"], ""),
        (vec!["-", "--json"], &spec),
        (vec!["--json", "--accuracy", "1e-6"], &spec),
    ] {
        let output = run(&arguments, input.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_encloses(&answer["delta"], 0.126_936_737_506_643_95);
    }
    let people = run(&[file], b"");
    let text = String::from_utf8_lossy(&people.stdout).into_owned();
    assert!(
        text.starts_with("δ lies between 0.126936737")
            && text.contains("(closed-form)")
            && text.contains(" ms"),
        "{text}"
    );
    std::fs::remove_file(path).expect("the file was ours");
}

#[test]
fn the_program_ends_with_two_for_a_bad_spec() {
    let output = run(&["--json"], br#"{"adjacency":"add-remove","delta":2}"#);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: delta must lie in [0, 1), but 2 was passed\n"
    );
    assert!(output.stdout.is_empty());
    assert_eq!(run(&["--accuracy", "0"], b"{}").status.code(), Some(2));
    assert_eq!(run(&["--accuracy", "NaN"], b"{}").status.code(), Some(2));
    assert_eq!(run(&["/nowhere/spec.json"], b"").status.code(), Some(1));
}

/// Random words, the same in every run (xorshift).
struct Words(u64);

impl Words {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Replaces some numbers, words and bytes by others: every answer is an answer or a refusal.
#[test]
fn nothing_makes_it_panic() {
    let mut words = Words(0x2545_F491_4F6C_DD1D);
    let specs = [
        spec(
            "add-remove",
            r#"{"kind":"gaussian","sigma":1.5,"sensitivity":2,"count":3},{"kind":"pure","epsilon":0.2,"count":2}"#,
            r#""delta":1e-6"#,
        ),
        spec(
            "add-remove",
            r#"{"kind":"poisson","rate":0.5,"of":{"kind":"pure","epsilon":1},"count":9}"#,
            r#""epsilon":0.5"#,
        ),
        spec(
            "replace-one",
            r#"{"kind":"without-replacement","n":20,"batch":2,"of":{"kind":"randomized-response","epsilon":1},"count":9}"#,
            r#""delta":0.01"#,
        ),
        spec(
            "replace-one",
            r#"{"kind":"approx","epsilon":1,"delta":1e-3,"count":4},{"kind":"zcdp","rho":1}"#,
            r#""delta":0.01"#,
        ),
        spec(
            "add-remove",
            r#"{"kind":"parallel","parts":[[{"kind":"gdp","mu":1}],[{"kind":"bounded-range","range":1,"count":2}]]},{"kind":"finite","p":[1,2],"q":[2,1]}"#,
            r#""epsilon":[0.1,1]"#,
        ),
        spec(
            "replace-one",
            r#"{"kind":"rdp","orders":[[2,0.1],[3,0.2]]},{"kind":"randomized-response","epsilon":1,"answers":3}"#,
            r#""group":2,"delta":0.01"#,
        ),
        spec(
            "add-remove",
            r#"{"kind":"gaussian","count":2},{"kind":"gaussian","sigma":10}"#,
            r#""solve":"sigma","epsilon":1,"delta":1e-6"#,
        ),
    ];
    const SPARE: [&str; 22] = [
        "0",
        "1",
        "-1",
        "1e-300",
        "1e300",
        "5e-324",
        "1e400",
        "0.1",
        "18446744073709551615",
        "1e18",
        "9007199254740993",
        "null",
        "true",
        "\"gaussian\"",
        "\"poisson\"",
        "\"sigma\"",
        "\"add-remove\"",
        "[]",
        "{}",
        "\"\"",
        "0.9999999999999999",
        "3",
    ];
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..2000 {
        let mut spec = specs[words.below(specs.len())].clone();
        for _ in 0..=words.below(2) {
            // Mostly a value, now and then any piece of the text.
            let broken = words.below(8) == 0;
            let before = if broken { ":,[{" } else { ":" };
            let starts: Vec<usize> =
                spec.char_indices().filter(|(_, c)| before.contains(*c)).map(|(at, _)| at + 1).collect();
            let Some(start) = starts.get(words.below(starts.len().max(1))).copied() else { break };
            let end = spec[start..].find([',', ']', '}', ':']).map_or(spec.len(), |length| start + length);
            if broken && words.below(2) == 0 {
                spec.truncate(start);
            } else {
                spec.replace_range(start..end, SPARE[words.below(SPARE.len())]);
            }
        }
        match respond(spec.as_bytes(), words.below(2) == 0, 1e-2) {
            Ok(_) => answered += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(answered > 100 && refused > 100, "{answered} {refused}");
}
