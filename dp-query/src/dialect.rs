//! `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…)`, as GoogleSQL and BigQuery write it.

use datafusion::logical_expr::Expr;
use dp_core::Bounds;

use crate::Error;

/// What a query says of its own price and limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryOptions {
    /// `epsilon`.
    pub epsilon: Option<f64>,
    /// `delta`.
    pub delta: Option<f64>,
    /// `max_groups_contributed`.
    pub max_groups: Option<u32>,
    /// `max_rows_contributed`, of a person in a group.
    pub max_rows: Option<u32>,
    /// `min_privacy_units_per_group`: a group of fewer people is never released.
    pub minimum: Option<u64>,
    /// The bounds of aggregates, in the order of the text.
    pub(crate) contribution: Contribution,
}

/// `contribution_bounds_per_group` of aggregates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Contribution {
    /// The text of an aggregate without its bounds, and the bounds on a person's sum.
    bounds: Vec<(String, Bounds)>,
}

impl Contribution {
    /// Bounds on the sum of a person in a group.
    pub(crate) fn of(&self, name: &str, _: &Expr) -> Option<Bounds> {
        let wanted = squeezed(name);
        self.bounds.iter().find(|(text, _)| wanted.ends_with(&squeezed(text))).map(|(_, bounds)| *bounds)
    }
}

/// Letters and digits alone, in lower case, so that qualified and plain names compare.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>().to_lowercase()
}

/// Separates the clause from a query, which the engine can then read.
///
/// # Errors
/// [`Error::Refused`] for options that are unknown, or would not be honoured.
pub(crate) fn read(sql: &str) -> Result<(String, QueryOptions), Error> {
    let mut options = QueryOptions::default();
    let Some(start) = find_word(sql, "WITH DIFFERENTIAL_PRIVACY") else {
        return Ok((sql.to_owned(), options));
    };
    let (before, after) = (&sql[..start.0], &sql[start.1..]);
    let after = match find_word(after, "OPTIONS") {
        Some((at, end)) if after[..at].trim().is_empty() => {
            let (list, rest) = in_parentheses(&after[end..])?;
            for option in list.split(',').filter(|option| !option.trim().is_empty()) {
                set(&mut options, option)?;
            }
            rest
        }
        _ => after,
    };
    let body = without_bounds(after, &mut options.contribution)?;
    Ok((format!("{before} {body}"), options))
}

/// Refuses names that begin with `__`, which releases give to columns of their own.
pub(crate) fn refuse_reserved(sql: &str) -> Result<(), Error> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |(at, _): (usize, &str)| !sql[..at].chars().next_back().is_some_and(is_part);
    if sql.match_indices("__").any(begins) {
        return Err(Error::refused("a name that begins with `__`", "begin it with a letter"));
    }
    Ok(())
}

/// Where some words stand, with any white space between them.
fn find_word(text: &str, words: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = words.split(' ').collect();
    let upper = text.to_ascii_uppercase();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    upper.match_indices(words[0]).find_map(|(at, first)| {
        if upper[..at].chars().next_back().is_some_and(is_part) {
            return None;
        }
        let mut end = at + first.len();
        for word in &words[1..] {
            let rest = &upper[end..];
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() || !trimmed.starts_with(word) {
                return None;
            }
            end += rest.len() - trimmed.len() + word.len();
        }
        (!upper[end..].chars().next().is_some_and(is_part)).then_some((at, end))
    })
}

/// What stands in the first pair of parentheses, and what follows it.
fn in_parentheses(text: &str) -> Result<(&str, &str), Error> {
    let unclosed = || Error::refused("OPTIONS without a list", "write OPTIONS (epsilon = 1, delta = 1e-8)");
    let open = text.find('(').filter(|at| text[..*at].trim().is_empty()).ok_or_else(unclosed)?;
    let mut depth = 0usize;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Ok((&text[open + 1..at], &text[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    Err(unclosed())
}

fn set(options: &mut QueryOptions, option: &str) -> Result<(), Error> {
    let Some((name, value)) = option.split_once('=') else {
        return Err(Error::refused(format!("the option `{}`", option.trim()), "write name = value"));
    };
    let (name, value) = (name.trim().to_lowercase(), value.trim());
    let number =
        || value.parse::<f64>().map_err(|_| Error::refused(format!("{name} = {value}"), "write a number"));
    let whole = || {
        value.parse::<u32>().map_err(|_| Error::refused(format!("{name} = {value}"), "write a whole number"))
    };
    match name.as_str() {
        "epsilon" => options.epsilon = Some(number()?),
        "delta" => options.delta = Some(number()?),
        "max_groups_contributed" => options.max_groups = Some(whole()?),
        "max_rows_contributed" => options.max_rows = Some(whole()?),
        "min_privacy_units_per_group" => options.minimum = Some(u64::from(whole()?)),
        // The unit is declared by the owner of the tables, and the query may repeat it.
        "privacy_unit_column" => {
            return Err(Error::refused(
                "privacy_unit_column in a query",
                "leave it out: the owner of the table declares whom a guarantee protects",
            ));
        }
        _ => {
            return Err(Error::refused(
                format!("the option `{name}`"),
                "use epsilon, delta, max_groups_contributed, max_rows_contributed and \
                 min_privacy_units_per_group",
            ));
        }
    }
    Ok(())
}

/// Takes `, contribution_bounds_per_group => (a, b)` out of aggregates.
fn without_bounds(text: &str, contribution: &mut Contribution) -> Result<String, Error> {
    let mut rest = text.to_owned();
    while let Some((at, end)) = find_word(&rest, "CONTRIBUTION_BOUNDS_PER_GROUP") {
        let wrong = || {
            Error::refused(
                "contribution_bounds_per_group without two numbers",
                "write SUM(x, contribution_bounds_per_group => (0, 100))",
            )
        };
        let after = rest[end..].trim_start().strip_prefix("=>").ok_or_else(wrong)?;
        let (pair, after) = in_parentheses(after).map_err(|_| wrong())?;
        let (low, high) = pair.split_once(',').ok_or_else(wrong)?;
        let [low, high] = [low, high].map(|number| number.trim().parse::<f64>());
        let bounds = Bounds::new(low.map_err(|_| wrong())?, high.map_err(|_| wrong())?)?;
        let before = rest[..at].trim_end().strip_suffix(',').ok_or_else(wrong)?;
        // The aggregate that the bounds stood in: back to the name before its parenthesis.
        let mut depth = 0usize;
        let open = before.char_indices().rev().find(|(_, c)| match c {
            ')' => {
                depth += 1;
                false
            }
            '(' if depth == 0 => true,
            '(' => {
                depth -= 1;
                false
            }
            _ => false,
        });
        let (open, _) = open.ok_or_else(wrong)?;
        contribution.bounds.push((before[open..].to_owned(), bounds));
        rest = format!("{before}{after}");
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_is_taken_out() {
        let (sql, options) = read(
            "SELECT WITH  DIFFERENTIAL_PRIVACY\n OPTIONS(epsilon = 1.5, delta=1e-8, max_groups_contributed = 3) \
             shop, SUM(amount, contribution_bounds_per_group => (0, 250)) AS s FROM p GROUP BY shop",
        )
        .unwrap();
        assert_eq!(
            sql.split_whitespace().collect::<Vec<_>>().join(" "),
            "SELECT shop, SUM(amount) AS s FROM p GROUP BY shop"
        );
        assert_eq!((options.epsilon, options.delta, options.max_groups), (Some(1.5), Some(1e-8), Some(3)));
        assert_eq!(options.contribution.bounds.len(), 1);
        let plain = "SELECT COUNT(*) FROM p";
        assert_eq!(read(plain).unwrap(), (plain.to_owned(), QueryOptions::default()));
    }

    #[test]
    fn what_would_not_be_honoured_is_refused() {
        for options in [
            "epsilon",
            "kappa = 2",
            "epsilon = one",
            "privacy_unit_column = id",
            "max_groups_contributed = -1",
        ] {
            let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({options}) COUNT(*) FROM p");
            assert!(matches!(read(&sql), Err(Error::Refused { .. })), "{options}");
        }
        assert!(read("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS COUNT(*) FROM p").is_err());
        assert!(
            read("SELECT WITH DIFFERENTIAL_PRIVACY SUM(x, contribution_bounds_per_group => 3) FROM p")
                .is_err()
        );
    }
}
