//! The report for people at a terminal.

use crate::claim::Claim;

use super::style::Style;
use crate::audit::Audited;
use crate::findings::Findings;
use crate::outcome::Outcome;
use crate::timing::Timing;
use crate::tried::Tried;

/// Lines end here, so that the statements form a column.
const WIDTH: usize = 120;

/// A table of what was found: one row per claim, mutant and audit, then the summary. Details of
/// claims are shown where something is wrong, or for all of them.
#[must_use]
pub fn table(findings: &Findings, details: bool, style: Style) -> String {
    let mut lines = claims(&findings.claims, details, style);
    if !findings.mutants.is_empty() {
        lines.push(String::new());
        lines.extend(mutants(&findings.mutants, style));
    }
    if !findings.audits.is_empty() {
        lines.push(String::new());
        lines.extend(audits(&findings.audits, style));
    }
    if !findings.timings.is_empty() {
        lines.push(String::new());
        lines.push(
            "durations of two inputs on the same random words, the worst pair of each sampler".to_owned(),
        );
        lines.extend(findings.timings.iter().map(|timing| duration(timing, style)));
    }
    lines.push(String::new());
    lines.push(format!("checked in {:.1} s ({}, seed {})", findings.seconds, findings.mode, findings.seed));
    lines.extend(findings.summary().iter().map(|line| style.verdict(line, findings.as_expected())));
    lines.join("\n") + "\n"
}

fn duration(timing: &Timing, style: Style) -> String {
    let Timing { sampler, classes, deviations, effect, .. } = timing;
    let seen = style.verdict(if timing.shows { "shows" } else { "even " }, timing.as_expected());
    format!("  {seen}  {:>+7.1} %  {deviations:>+7.1}σ  {sampler}: {classes}", 100.0 * effect)
}

fn claims(outcomes: &[Outcome], details: bool, style: Style) -> Vec<String> {
    let ids = id_width(outcomes.iter().map(|outcome| &outcome.claim));
    let header = format!("{:<ids$}  {:<9}  {:<9}  {:>7}  ", "id", "verdict", "expected", "seconds");
    let column = header.chars().count();
    let mut lines = vec![format!("{header}statement")];
    for Outcome { claim, finding, as_expected, seconds } in outcomes {
        let verdict = style.verdict(&format!("{:<9}", finding.verdict.to_string()), *as_expected);
        let row =
            format!("{:<ids$}  {verdict}  {:<9}  {seconds:>7.2}  ", claim.id, claim.expected.to_string());
        let shown = if details || !as_expected { finding.detail.as_str() } else { "" };
        lines.extend(entry(row, column, claim.statement, shown, style));
    }
    lines
}

fn mutants(tried: &[Tried], style: Style) -> Vec<String> {
    let names = tried.iter().map(|tried| tried.name.chars().count()).max().unwrap_or(0).max("mutant".len());
    let header = format!("{:<names$}  {:<10}  ", "mutant", "");
    let column = header.chars().count();
    let mut lines = vec![format!("{header}by")];
    for Tried { name, caught, by, .. } in tried {
        let word = style.verdict(if *caught { "caught    " } else { "not caught" }, *caught);
        lines.extend(entry(format!("{name:<names$}  {word}  "), column, by, "", style));
    }
    lines
}

fn audits(audits: &[Audited], style: Style) -> Vec<String> {
    let names =
        audits.iter().map(|audited| audited.name.chars().count()).max().unwrap_or(0).max("audit".len());
    let mut lines = vec![format!(
        "{:<names$}  {:>9}  {:>9}  {:>9}  {:>7}",
        "audit", "claimed ε", "δ", "at least", "seconds"
    )];
    for audited in audits {
        let seen = style.verdict(&format!("{:>9.4}", audited.lower.epsilon), !audited.exceeded);
        let delta = if audited.delta == 0.0 { "0".to_owned() } else { format!("{:.1e}", audited.delta) };
        lines.push(format!(
            "{:<names$}  {:>9.4}  {delta:>9}  {seen}  {:>7.2}",
            audited.name, audited.epsilon, audited.seconds
        ));
        if audited.exceeded {
            let text = format!(
                "{} on {} ({}): the event {} has probability ≥ {:.3e} on the one and ≤ {:.3e} on the other",
                audited.what,
                audited.neighbours,
                audited.relation,
                audited.lower.event,
                audited.lower.probabilities.0,
                audited.lower.probabilities.1
            );
            lines.extend(wrap(&text, WIDTH - 4).into_iter().map(|line| format!("    {line}")));
        }
    }
    lines
}

/// What the ledger holds, without checking it: one row per claim and its source below.
#[must_use]
pub fn list(claims: &[Claim], style: Style) -> String {
    let ids = id_width(claims.iter());
    let header = format!("{:<ids$}  {:<9}  {:<11}  ", "id", "expected", "check");
    let column = header.chars().count();
    let mut lines = vec![format!("{header}statement")];
    for claim in claims {
        let row = format!(
            "{:<ids$}  {:<9}  {:<11}  ",
            claim.id,
            claim.expected.to_string(),
            claim.kind.to_string()
        );
        lines.extend(entry(row, column, claim.statement, claim.source, style));
    }
    lines.join("\n") + "\n"
}

/// A row whose last column holds the statement, and below it, a little further in, the details.
fn entry(row: String, column: usize, statement: &str, details: &str, style: Style) -> Vec<String> {
    let mut statement = wrap(statement, WIDTH.saturating_sub(column)).into_iter();
    let mut lines = vec![row + &statement.next().unwrap_or_default()];
    lines.extend(statement.map(|line| format!("{:column$}{line}", "")));
    let details = details.lines().flat_map(|line| wrap(line, WIDTH.saturating_sub(column + 2)));
    lines.extend(details.map(|line| format!("{:column$}  {}", "", style.detail(&line))));
    lines
}

/// The width of the first column.
fn id_width<'a>(claims: impl Iterator<Item = &'a Claim>) -> usize {
    claims.map(|claim| claim.id.chars().count()).max().unwrap_or(0).max("id".len())
}

/// Breaks a line at spaces. A line that fits stays as it is, with its own alignment.
fn wrap(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width {
        return vec![line.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::findings::tests::findings;
    use crate::outcome::tests::claim;

    #[test]
    fn columns_are_aligned_and_details_follow() {
        let table = table(&findings(), true, Style::Plain);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[0], "id   verdict    expected   seconds  statement");
        assert_eq!(lines[1], "D3   holds      holds         0.00  a statement");
        assert_eq!(lines[2], "                                      seen");
        assert_eq!(lines[3], "                                        twice");
        assert_eq!(lines[4], "D10  refuted    refuted       0.00  a statement");
        assert_eq!(lines[7], "                                      at ε = 1");
        assert_eq!(lines[lines.len() - 2], "checked in 1.2 s (standard, seed 0)");
        assert!(!table.contains('\x1b'));
    }

    #[test]
    fn details_are_shown_where_something_is_wrong() {
        let table = table(&findings(), false, Style::Plain);
        assert!(table.contains("at ε = 1") && !table.contains("twice"), "{table}");
    }

    #[test]
    fn colour_goes_around_the_padding() {
        let table = table(&findings(), false, Style::Coloured);
        assert!(table.contains("D3   \x1b[32mholds    \x1b[0m  holds"));
        assert!(table.contains("M1   \x1b[1;31mrefuted  \x1b[0m  holds"));
    }

    #[test]
    fn long_lines_break_at_spaces_and_lose_nothing() {
        assert_eq!(wrap("a bc  def", 20), ["a bc  def"]);
        assert_eq!(wrap("a bc def unbreakable", 5), ["a bc", "def", "unbreakable"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn the_list_shows_sources_and_checks_nothing() {
        let list = list(&[claim("D3", Verdict::Holds, || panic!("must not run"))], Style::Plain);
        assert_eq!(
            list.lines().collect::<Vec<_>>(),
            [
                "id  expected   check        statement",
                "D3  holds      exact        a statement",
                "                              a source",
            ]
        );
    }
}
