//! Points in time that every calendar function can take.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, cast, lit};

use crate::Error;

/// The same call, whose point in time is `NULL` before the year 1800 and after 2200.
///
/// Calendar functions fail for points in time that are out of the range of their arithmetic; all
/// units down to nanoseconds hold these four centuries.
pub(super) fn within_calendar(call: Expr, schema: &DFSchema) -> Result<Expr, Error> {
    let Expr::ScalarFunction(ScalarFunction { func, mut args }) = call else {
        return Ok(call);
    };
    let Some(time) = args.get(1).cloned() else {
        return Err(Error::refused(format!("`{}` of nothing", func.name()), "name a column"));
    };
    let kind = time.get_type(schema).map_err(|error| Error::sql(&error))?;
    if !matches!(kind, DataType::Date32 | DataType::Timestamp(..)) {
        return Err(Error::refused(
            format!("`{}` of `{time}`, which is of type {kind}", func.name()),
            "cast it to a TIMESTAMP or a DATE first; what cannot be cast is NULL",
        ));
    }
    let day = |days: i32| cast(lit(ScalarValue::Date32(Some(days))), kind.clone());
    // 1800-01-01 and 2200-01-01, in days since 1970.
    let inside = time.clone().gt_eq(day(-62_091)).and(time.clone().lt(day(84_006)));
    args[1] = Expr::Case(Case::new(None, vec![(Box::new(inside), Box::new(time))], None));
    Ok(Expr::ScalarFunction(ScalarFunction { func, args }))
}
