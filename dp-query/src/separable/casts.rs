//! Casts that give `NULL` where there is no value.

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::DFSchema;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{Case, TryCast};
use datafusion::logical_expr::{Expr, cast, lit};

use super::walk::kind_of;
use crate::Error;

/// The type of the values of a column, however they are encoded.
pub(crate) fn plain(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => plain(values),
        DataType::RunEndEncoded(_, values) => plain(values.data_type()),
        other => other,
    }
}

pub(super) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The cast with a value for every argument.
///
/// `TRY_CAST` alone is not enough: between points in time, and from them to texts, the kernels of
/// the engine fail for values beyond the calendar whether or not they are asked to give `NULL`.
///
/// # Errors
/// [`Error::Refused`] for pairs of types that are not known to be total.
pub(super) fn try_cast(inner: Expr, field: &FieldRef, schema: &DFSchema) -> Result<Expr, Error> {
    use DataType::{Boolean, Date32, Timestamp};
    let whole = |inner: Expr| Expr::TryCast(TryCast { expr: Box::new(inner), field: FieldRef::clone(field) });
    let from = kind_of(&inner, schema)?;
    let (from, to) = (plain(&from), plain(field.data_type()));
    refuse_zone(from)?;
    refuse_zone(to)?;
    if matches!(inner, Expr::Literal(..)) && (is_text(from) || *from == DataType::Null) {
        return Ok(whole(inner));
    }
    let is_plain =
        |kind: &DataType| kind.is_integer() || kind.is_floating() || *kind == Boolean || is_text(kind);
    let is_total = match (from, to) {
        _ if from == to => true,
        (DataType::Null, _) => true,
        _ if is_plain(from) && is_plain(to) => true,
        (DataType::Decimal128(..), to) => {
            to.is_integer() || to.is_floating() || matches!(to, DataType::Decimal128(..))
        }
        (from, DataType::Decimal128(..)) => is_plain(from) && *from != Boolean,
        (from, Date32 | Timestamp(..)) if is_text(from) => true,
        (Date32, Timestamp(..)) | (Timestamp(..), Timestamp(..) | Date32) => {
            let from = from.clone();
            return Ok(whole(within_calendar(inner, &from)));
        }
        _ => false,
    };
    if is_total {
        return Ok(whole(inner));
    }
    Err(Error::refused(
        format!("a cast of `{inner}` from {from} to {to}, which may fail for some row"),
        "cast between numbers and texts, from texts to DATE and TIMESTAMP, and between these two",
    ))
}

/// Refuses points in time in a zone of their own: a zone that the engine does not know is an error
/// where it is looked at, and not before.
pub(super) fn refuse_zone(kind: &DataType) -> Result<(), Error> {
    match kind {
        DataType::Timestamp(_, Some(zone)) if &**zone != "+00:00" => Err(Error::refused(
            format!("a point in time in the zone {zone}"),
            "use TIMESTAMP without a zone, made where the table is made",
        )),
        _ => Ok(()),
    }
}

/// A point in time, `NULL` before the year 1800 and after 2200: all units down to nanoseconds hold
/// these four centuries.
pub(super) fn within_calendar(time: Expr, kind: &DataType) -> Expr {
    let day = |days: i32| cast(lit(ScalarValue::Date32(Some(days))), kind.clone());
    // 1800-01-01 and 2200-01-01, in days since 1970.
    let inside = time.clone().gt_eq(day(-62_091)).and(time.clone().lt(day(84_006)));
    Expr::Case(Case::new(None, vec![(Box::new(inside), Box::new(time))], None))
}
