//! The report for people.

use dp_core::claims::{Claim, Verdict};

use super::outcome::Outcome;
use super::style::Style;

/// Lines end here, so that the statements form a column.
const WIDTH: usize = 120;

/// A table of what was found: one row per claim and its details below, then the summary.
pub(super) fn table(outcomes: &[Outcome], seconds: f64, style: Style) -> String {
    let ids = id_width(outcomes.iter().map(|outcome| &outcome.claim));
    let header = format!("{:<ids$}  {:<9}  {:<9}  {:>7}  ", "id", "verdict", "expected", "seconds");
    let column = header.chars().count();
    let mut lines = vec![format!("{header}statement")];
    for Outcome { claim, finding, as_expected, seconds } in outcomes {
        let verdict = style.verdict(&format!("{:<9}", finding.verdict.to_string()), *as_expected);
        let row =
            format!("{:<ids$}  {verdict}  {:<9}  {seconds:>7.2}  ", claim.id, claim.expected.to_string());
        lines.extend(entry(row, column, claim.statement, &finding.detail, style));
    }
    lines.push(String::new());
    lines.push(format!("checked in {seconds:.1} s"));
    lines.push(style.verdict(&summary(outcomes), outcomes.iter().all(|outcome| outcome.as_expected)));
    lines.join("\n") + "\n"
}

/// What the ledger holds, without checking it: one row per claim and its source below.
pub(super) fn list(claims: &[Claim], style: Style) -> String {
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

/// One sentence: how many claims came out how, and which not as expected.
fn summary(outcomes: &[Outcome]) -> String {
    let count = |verdict| outcomes.iter().filter(|o| o.as_expected && o.finding.verdict == verdict).count();
    let failed: Vec<_> = outcomes
        .iter()
        .filter(|outcome| !outcome.as_expected)
        .map(|o| format!("{} ({} instead of {})", o.claim.id, o.finding.verdict, o.claim.expected))
        .collect();
    let parts = [
        (count(Verdict::Holds), "hold".to_owned()),
        (count(Verdict::Refuted), "refuted as expected".to_owned()),
        (failed.len(), format!("not as expected: {}", failed.join(", "))),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let noun = if outcomes.len() == 1 { "claim" } else { "claims" };
    format!("{} {noun}: {}", outcomes.len(), parts.join(", "))
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
    use crate::verify::outcome::check_all;
    use crate::verify::outcome::tests::claim;
    use dp_core::claims::Finding;

    fn outcomes() -> Vec<Outcome> {
        check_all(&[
            claim("D3", Verdict::Holds, || Finding::holds("seen\n  twice")),
            claim("D10", Verdict::Refuted, || Finding::refuted("")),
            claim("M1", Verdict::Holds, || Finding::refuted("at ε = 1")),
        ])
    }

    #[test]
    fn columns_are_aligned_and_details_follow() {
        let table = table(&outcomes(), 1.25, Style::Plain);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[0], "id   verdict    expected   seconds  statement");
        assert_eq!(lines[1], "D3   holds      holds         0.00  a statement");
        assert_eq!(lines[2], "                                      seen");
        assert_eq!(lines[3], "                                        twice");
        assert_eq!(lines[4], "D10  refuted    refuted       0.00  a statement");
        assert_eq!(lines[6], "                                      at ε = 1");
        assert_eq!(lines[lines.len() - 2], "checked in 1.2 s");
        assert!(!table.contains('\x1b'));
    }

    #[test]
    fn the_summary_names_what_was_not_expected() {
        assert_eq!(
            summary(&outcomes()),
            "3 claims: 1 hold, 1 refuted as expected, 1 not as expected: M1 (refuted instead of holds)"
        );
        assert_eq!(summary(&outcomes()[..2]), "2 claims: 1 hold, 1 refuted as expected");
        assert_eq!(summary(&outcomes()[1..2]), "1 claim: 1 refuted as expected");
    }

    #[test]
    fn colour_goes_around_the_padding() {
        let table = table(&outcomes(), 0.0, Style::Coloured);
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
