//! The form on disk of types whose constructors check their parts.

/// Defines the private struct through which serde reads, and if need be writes, a type. What is
/// read passes the constructor behind `=>`, which sees the fields by their names; fields that it
/// does not know are refused. The type names the struct in `serde(try_from = …, into = …)`.
///
/// A type whose own fields are those on disk leaves the writing to serde:
///
/// ```
/// use dp_core::{Epsilon, Error, on_disk};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// #[serde(try_from = "Written")]
/// struct Coin { epsilon: Epsilon, sides: u32 }
/// on_disk! {
///     Written for Coin { epsilon: Epsilon, sides: u32 } => Self::new(epsilon.get(), sides)
/// }
/// # impl Coin {
/// #     fn new(epsilon: f64, sides: u32) -> Result<Self, Error> {
/// #         Ok(Self { epsilon: Epsilon::new(epsilon)?, sides })
/// #     }
/// # }
/// let coin: Coin = serde_json::from_str(r#"{"epsilon": 0.5, "sides": 2}"#)?;
/// assert_eq!((coin.epsilon.get(), coin.sides), (0.5, 2));
/// assert!(serde_json::from_str::<Coin>(r#"{"epsilon": 0.5, "sides": 2, "weight": 1}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Another one names itself, and says what each field is:
///
/// ```
/// use dp_core::{Bounds, Error, on_disk};
///
/// #[derive(Clone, serde::Serialize, serde::Deserialize)]
/// #[serde(try_from = "Declared", into = "Declared")]
/// struct Width(f64, Bounds);
/// on_disk! { Declared for width: Width { bounds: Bounds = width.1 } => Self::new(bounds) }
/// # impl Width {
/// #     fn new(bounds: Bounds) -> Result<Self, Error> {
/// #         Ok(Self(bounds.upper() - bounds.lower(), bounds))
/// #     }
/// # }
/// let width: Width = serde_json::from_str(r#"{"bounds": [0.0, 2.0]}"#)?;
/// assert_eq!(width.0, 2.0);
/// assert_eq!(serde_json::to_string(&width)?, r#"{"bounds":[0.0,2.0]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// The parameter of a generic type stands behind the name of the struct: `Written<K> for Of<K>`.
#[doc(hidden)]
#[macro_export]
macro_rules! on_disk {
    (
        $written:ident $(<$generic:ident>)? for $value:ident: $target:ty {
            $($field:ident: $type:ty = $part:expr),+ $(,)?
        } => $made:expr
    ) => {
        $crate::on_disk! { @read (serde::Serialize) $written ($($generic)?) ($target) ($($field: $type),+) $made }

        impl $(<$generic>)? From<$target> for $written {
            fn from($value: $target) -> Self {
                Self { $($field: $part),+ }
            }
        }
    };
    (
        $written:ident $(<$generic:ident>)? for $target:ty { $($field:ident: $type:ty),+ $(,)? } => $made:expr
    ) => {
        $crate::on_disk! { @read () $written ($($generic)?) ($target) ($($field: $type),+) $made }
    };
    (
        @read ($($serialize:path)?) $written:ident ($($generic:ident)?) ($target:ty)
        ($($field:ident: $type:ty),+) $made:expr
    ) => {
        #[derive(serde::Deserialize, $($serialize)?)]
        #[serde(deny_unknown_fields)]
        struct $written {
            $($field: $type),+
        }

        impl $(<$generic>)? TryFrom<$written> for $target {
            type Error = $crate::Error;
            fn try_from($written { $($field),+ }: $written) -> Result<Self, $crate::Error> {
                $made
            }
        }
    };
}
