//! A check of the plan that is executed: the engine's optimiser may change plans, and must not have
//! undone the bounds.

use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::Error;
use crate::contributions::{PERSON, key_name};

/// What the executed plan must contain, from its root on.
pub(super) struct Expected {
    pub(super) groups: usize,
    pub(super) by_person: bool,
    pub(super) selects: bool,
    pub(super) limit: u32,
}

/// Checks an optimised plan: sums by group; below them the selection of groups by rank, where there
/// is one; below that contributions by person and group. Between these there may be projections
/// alone, and nothing that repeats rows.
///
/// # Errors
/// [`Error::Refused`] when it is another plan.
pub(super) fn check(plan: &LogicalPlan, expected: &Expected) -> Result<(), Error> {
    is_bounded(plan, expected).then_some(()).ok_or_else(|| {
        Error::refused(
            "a query whose optimised plan does not bound what people contribute as it should",
            "report it with the query: this is a mistake of dp-query, and nothing was released",
        )
    })
}

fn is_bounded(plan: &LogicalPlan, expected: &Expected) -> bool {
    let keys: Vec<String> = (0..expected.groups).map(key_name).collect();
    let LogicalPlan::Aggregate(sums) = below_projections(plan) else {
        return false;
    };
    if !names(&sums.group_expr).eq(&keys) {
        return false;
    }
    if !expected.by_person {
        return true;
    }
    let mut input = below_projections(&sums.input);
    if expected.selects {
        let LogicalPlan::Filter(filter) = input else {
            return false;
        };
        let limit = format!("__rank <= UInt64({})", expected.limit);
        let LogicalPlan::Window(window) = below_projections(&filter.input) else {
            return false;
        };
        let [Expr::Alias(rank)] = &window.window_expr[..] else {
            return false;
        };
        let Expr::WindowFunction(rank) = &*rank.expr else {
            return false;
        };
        let by_person = names(&rank.params.partition_by) == [PERSON];
        if filter.predicate.to_string() != limit || rank.fun.name() != "row_number" || !by_person {
            return false;
        }
        input = below_projections(&window.input);
    }
    let LogicalPlan::Aggregate(contributions) = input else {
        return false;
    };
    let mut person_and_keys = vec![PERSON.to_owned()];
    person_and_keys.extend(keys);
    names(&contributions.group_expr) == person_and_keys
}

fn below_projections(plan: &LogicalPlan) -> &LogicalPlan {
    match plan {
        LogicalPlan::Projection(projection) => below_projections(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => below_projections(&alias.input),
        other => other,
    }
}

fn names(exprs: &[Expr]) -> Vec<String> {
    exprs.iter().map(|expr| expr.qualified_name().1).collect()
}
